#include "extension/postgres/sql/saved_rows.h"

#include "codegen/lower_predict.h"
#include "extension/engine/rows/text_spool.h"
#include "extension/postgres/sql/query.h"
#include "extension/postgres/sql/replace.h"
#include "extension/postgres/sql/sql.h"
#include "extension/sql/sql.h"
#include "runtime/data/spool/spool_writer.h"

#define SETTINGS_ARENA_MAX ((size_t)1 << 20)
#define KEPT_CLASS         "'pg_temp." PREDICT_KEPT "'::pg_catalog.regclass"
#define INTERRUPT_EVERY    1024

static const struct sql_table kept = {SLICE("pg_temp"), SLICE(PREDICT_KEPT)};

/* ----- settings ----- */

/* Settings for names of types, which have their schema under this search_path, and for values. */
static const struct {
    const char *name, *value;
} settings[] = {
    {"search_path", "pg_catalog, pg_temp"},
    {"DateStyle", "ISO, YMD"},
    {"TimeZone", "UTC"},
    {"IntervalStyle", "postgres"},
    {"extra_float_digits", "3"},
    {"bytea_output", "hex"},
    {"lc_monetary", "C"},
    {"xmloption", "content"},
};
#define SETTINGS (sizeof settings / sizeof *settings)

/* The statement's transaction has them, and what it was called from. */
static enum status use_settings(struct sql_host *host, const struct cell values[SETTINGS],
                                struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    for (size_t i = 0; i < SETTINGS; i++)
        text_printf(&sql, "%spg_catalog.set_config('%s', $%zu, true)", i == 0 ? "SELECT " : ", ",
                    settings[i].name, i + 1);
    status = sql_run_text(host, &sql, values, SETTINGS, NULL, err);
    text_deinit(&sql);
    return status;
}

static enum status use_ours(struct sql_host *host, struct error *err)
{
    struct cell values[SETTINGS];

    for (size_t i = 0; i < SETTINGS; i++)
        values[i] = cell_string(settings[i].value);
    return use_settings(host, values, err);
}

static enum status read_settings(struct sql_host *host, struct arena *arena,
                                 struct cell values[SETTINGS], struct error *err)
{
    enum status status;
    struct text sql;
    bool found;

    text_init(&sql, TEXT_MAXIMUM);
    for (size_t i = 0; i < SETTINGS; i++)
        text_printf(&sql, "%spg_catalog.current_setting('%s')", i == 0 ? "SELECT " : ", ",
                    settings[i].name);
    status = sql.failed ? fail_no_memory(err)
                        : sql_first(host, text_string(&sql), NULL, 0, arena, values, SETTINGS,
                                    &found, err);
    text_deinit(&sql);
    return status;
}

/* ----- types ----- */

/* Types of other roles among those of the columns, and of the elements, attributes and bounds of
 * these. */
#define TYPES_OF_OTHERS                                                                            \
    "WITH RECURSIVE used(type) AS (SELECT a.atttypid FROM pg_catalog.pg_attribute a WHERE "        \
    "a.attrelid" EQ KEPT_CLASS " AND a.attnum OPERATOR(pg_catalog.>) 0 UNION "                     \
    "SELECT part.type FROM used u JOIN pg_catalog.pg_type t ON t.oid" EQ "u.type, LATERAL ("       \
    "SELECT t.typelem WHERE t.typelem" NE "0 "                                                     \
    "UNION ALL SELECT t.typbasetype WHERE t.typbasetype" NE "0 "                                   \
    "UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a WHERE a.attrelid" EQ               \
    "t.typrelid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped "                     \
    "UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid" EQ                 \
    "t.oid OR r.rngmultitypid" EQ "t.oid) AS part(type)) "                                         \
    "SELECT pg_catalog.format_type(t.oid, NULL) FROM used u "                                      \
    "JOIN pg_catalog.pg_type t ON t.oid" EQ "u.type "                                              \
    "JOIN pg_catalog.pg_roles r ON r.oid" EQ "t.typowner "                                         \
    "WHERE t.typtype" NE "'b' AND t.typtype" NE "'e' AND NOT r.rolsuper "                          \
    "AND r.rolname" NE "current_user LIMIT 1"

static enum status check_types(struct sql_host *host, struct error *err)
{
    struct cell type = {.type = CELL_NULL};
    struct arena arena;
    enum status status;
    bool found;

    arena_init(&arena, SETTINGS_ARENA_MAX);
    status = sql_first(host, TYPES_OF_OTHERS, NULL, 0, &arena, &type, 1, &found, err);
    if (status == STATUS_OK && found) {
        fail(err, STATUS_UNSUPPORTED,
             "job.wait = false, and type %.*s of the SELECT belongs to another role",
             SLICE_FORMAT(type.text));
        status = error_hint(err, "Another session would run what that role has written for the "
                                 "type: cast the column in the SELECT, or leave job.wait out.");
    }
    arena_deinit(&arena);
    return status;
}

/* ----- saving ----- */

struct saving {
    struct sql_host *host;
    struct spool_writer *writer;
    uint64_t rows;
};

static enum status save_text(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct saving *saving = self;

    (void)count;
    if (++saving->rows % INTERRUPT_EVERY == 0 && postgres_interrupted(saving->host))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    return text_spool_put(saving->writer, cells[0].text, err);
}

#define COLUMNS_OF_KEPT                                                                            \
    "SELECT pg_catalog.string_agg(pg_catalog.format('%I %s%s', a.attname, "                        \
    "pg_catalog.format_type(a.atttypid, a.atttypmod), CASE WHEN a.attcollation" NE                 \
    "t.typcollation THEN pg_catalog.format(' COLLATE %I.%I', n.nspname, c.collname) END), ', ' "   \
    "ORDER BY a.attnum) FROM pg_catalog.pg_attribute a "                                           \
    "JOIN pg_catalog.pg_type t ON t.oid" EQ "a.atttypid "                                          \
    "LEFT JOIN pg_catalog.pg_collation c ON c.oid" EQ "a.attcollation "                            \
    "LEFT JOIN pg_catalog.pg_namespace n ON n.oid" EQ                                              \
    "c.collnamespace WHERE a.attrelid" EQ KEPT_CLASS " AND a.attnum OPERATOR(pg_catalog.>) 0"

static enum status save_all(struct saving *saving, struct error *err)
{
    const struct database_rows texts = {.self = saving, .row = save_text};

    TRY(check_types(saving->host, err));
    TRY(use_ours(saving->host, err));
    TRY(sql_each(saving->host, COLUMNS_OF_KEPT, NULL, NULL, 0, &texts, err));
    return sql_each(saving->host, "SELECT q::pg_catalog.text FROM @ AS q", &kept, NULL, 0, &texts,
                    err);
}

/* Saves the rows, and undoes the settings that this takes. */
static enum status save_and_undo(struct saving *saving, struct error *err)
{
    const struct database *database = saving->host->database;
    struct database_transaction transaction;
    struct error undone;
    enum status status;

    TRY(database->begin(database->self, &transaction, err));
    status = save_all(saving, err);
    fail(&undone, STATUS_INTERRUPTED, "undone");
    (void)database->end(database->self, &transaction, undone.status, &undone);
    return status;
}

enum status postgres_save_rows(void *self, const char *path, struct error *err)
{
    struct saving saving = {.host = self};

    TRY(text_spool_open(path, &saving.writer, err));
    if (save_and_undo(&saving, err) == STATUS_OK)
        return spool_writer_close(saving.writer, err);
    spool_writer_abandon(saving.writer);
    return err->status;
}

/* ----- restoring ----- */

struct restoring {
    struct sql_host *host;
    struct database_prepared *insert; /* NULL until the columns have come */
    uint64_t rows;
};

static enum status make_kept(struct sql_host *host, struct slice columns, struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "CREATE TABLE @ (", &kept);
    text_append(&sql, columns);
    text_append_char(&sql, ')');
    status = sql_run_text(host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    return status;
}

/* The row is read once, and not again for each of its columns. */
static enum status prepare_insert(struct restoring *restoring, struct error *err)
{
    const struct database *database = restoring->host->database;
    const enum cell_type type = CELL_TEXT;
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "INSERT INTO @ SELECT (k.r).* FROM (SELECT $1::@ AS r OFFSET 0) AS k", &kept);
    status = sql.failed ? fail_no_memory(err)
                        : database->prepare(database->self, text_slice(&sql), &type, 1,
                                            &restoring->insert, err);
    text_deinit(&sql);
    return status;
}

static enum status restore_text(void *context, struct slice text, struct error *err)
{
    struct restoring *restoring = context;
    const struct database *database = restoring->host->database;
    const struct cell row = cell_text(text);

    if (!restoring->insert) {
        TRY(make_kept(restoring->host, text, err));
        TRY(check_types(restoring->host, err));
        return prepare_insert(restoring, err);
    }
    if (++restoring->rows % INTERRUPT_EVERY == 0 && postgres_interrupted(restoring->host))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    return database->execute(database->self, restoring->insert, &row, err);
}

static enum status restore_texts(struct sql_host *host, const char *path, struct error *err)
{
    const struct database *database = host->database;
    struct restoring restoring = {.host = host};
    enum status status = text_spool_each(path, restore_text, &restoring, err), late = STATUS_OK;
    struct error finished;

    if (restoring.insert)
        late = database->finish(database->self, restoring.insert, &finished);
    else if (status == STATUS_OK)
        return fail(err, STATUS_CORRUPT, "the file of a job's rows has no columns");
    if (status == STATUS_OK && late != STATUS_OK)
        *err = finished;
    return status == STATUS_OK ? late : status;
}

static enum status restore_all(struct sql_host *host, const char *path, struct arena *arena,
                               struct error *err)
{
    struct cell before[SETTINGS];

    TRY(postgres_drop_kept(host, &kept, err));
    TRY(read_settings(host, arena, before, err));
    TRY(use_ours(host, err));
    TRY(restore_texts(host, path, err));
    return use_settings(host, before, err);
}

enum status postgres_restore_rows(void *self, const char *path, struct error *err)
{
    struct sql_host *host = self;
    const struct database *database = host->database;
    struct database_transaction transaction;
    struct arena arena;
    enum status status;

    TRY(database->begin(database->self, &transaction, err));
    arena_init(&arena, SETTINGS_ARENA_MAX);
    status = restore_all(host, path, &arena, err);
    arena_deinit(&arena);
    return database->end(database->self, &transaction, status, err);
}
