#include "extension/sqlite/publish.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "extension/engine/host/stored.h"
#include "extension/sqlite/model_sql.h"
#include "extension/sqlite/models.h"
#include "extension/sqlite/publish_pieces.h"
#include "extension/sqlite/sql.h"
#include "extension/sqlite/sqlite_host.h"
#include "extension/sqlite/tables.h"
#include "scoring/model_write.h"

#define SYNCHRONOUS_FULL 2 /* of PRAGMA synchronous: what is committed is on the disk */

static struct slice schema_or_main(struct slice schema)
{
    return schema.size > 0 ? schema : SLICE("main");
}

static enum status create_catalog(sqlite3 *db, struct slice schema, struct error *err)
{
    TRY(execute_in(db, schema,
                   "CREATE TABLE IF NOT EXISTS %.totrain_models (name TEXT PRIMARY KEY COLLATE "
                   "NOCASE, version INTEGER, kind TEXT, digest TEXT, created_at TEXT, "
                   "rows INTEGER, statement TEXT, id TEXT)",
                   err));
    TRY(execute_in(db, schema,
                   "CREATE TABLE IF NOT EXISTS %.totrain_versions (id TEXT, version INTEGER, "
                   "digest TEXT, created_at TEXT, part TEXT, name TEXT, position INTEGER, value, "
                   "data)",
                   err));
    TRY(execute_in(db, schema,
                   "CREATE INDEX IF NOT EXISTS %.totrain_versions_id ON totrain_versions (id, "
                   "version)",
                   err));
    return execute_in(db, schema,
                      "CREATE TABLE IF NOT EXISTS %.totrain_metrics (id TEXT, version INTEGER, "
                      "job INTEGER, epoch INTEGER, step INTEGER, metric TEXT, part TEXT, value)",
                      err);
}

/* Not where a model's table alone was copied into the schema. */
static enum status catalog_exists(sqlite3 *db, struct slice schema, bool *result, struct error *err)
{
    struct located located;

    TRY(locate(db, schema, SLICE("totrain_versions"), &located, err));
    *result = located.exists;
    return STATUS_OK;
}

/* The rows of the model in the table become rows of totrain_versions. */
static enum status keep_current(sqlite3 *db, struct slice schema, struct slice name,
                                const struct model *current, struct error *err)
{
    struct cell facts[] = {cell_text(current->id), cell_integer(current->version),
                           cell_text(current->digest), cell_text(current->created_at)};

    TRY(run_in(db, schema, name, "DELETE FROM %.totrain_versions WHERE id = ?1 AND version = ?2",
               facts, 2, err));
    TRY(run_in(db, schema, name,
               "INSERT INTO %.totrain_versions SELECT ?1, ?2, ?3, ?4, part, name, position, value, "
               "data FROM $",
               facts, 4, err));
    return run_in(db, schema, name, "DELETE FROM $", NULL, 0, err);
}

/* But for as many as are kept. Not before a version that is brought back was taken from them. */
static enum status forget_older(sqlite3 *db, struct slice schema, struct slice name,
                                const struct model *current, struct error *err)
{
    struct cell facts[] = {cell_text(current->id), cell_integer(stored_versions_kept())};

    TRY(run_in(db, schema, name,
               "DELETE FROM %.totrain_versions WHERE id = ?1 AND version NOT IN (SELECT DISTINCT "
               "version FROM %.totrain_versions WHERE id = ?1 ORDER BY version DESC LIMIT ?2)",
               facts, 2, err));
    return run_in(db, schema, name,
                  "DELETE FROM %.totrain_metrics WHERE id = ?1 AND version < (SELECT min(version) "
                  "FROM %.totrain_versions WHERE id = ?1)",
                  facts, 1, err);
}

static enum status insert_model(sqlite3 *db, struct slice schema, struct slice name,
                                const struct model *model, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;

    TRY(prepare_in(db, schema, name, "INSERT INTO $ VALUES (?1, ?2, ?3, ?4, ?5)", &statement, err));
    status = model_write(model, insert_model_row, statement, err);
    sqlite3_finalize(statement);
    return status;
}

struct metric_insertion {
    sqlite3_stmt *statement;
    const struct publication *publication;
};

static enum status insert_metric(void *context, uint32_t epoch, uint64_t step, const char *metric,
                                 const char *part, double value, struct error *err)
{
    struct metric_insertion *insertion = context;
    const struct publication *publication = insertion->publication;
    struct cell cells[] = {cell_text(publication->model->id),
                           cell_integer(publication->model->version),
                           cell_integer(publication->job),
                           cell_integer(epoch),
                           cell_integer((int64_t)step),
                           cell_string(metric),
                           cell_string(part),
                           cell_real(value)};

    for (int i = 0; i < 8; i++)
        sql_bind_cell(insertion->statement, i + 1, &cells[i]);
    return sql_step_through(insertion->statement, err);
}

static enum status insert_metrics(sqlite3 *db, struct slice schema,
                                  const struct publication *publication, struct error *err)
{
    struct metric_insertion insertion = {NULL, publication};
    enum status status;

    if (!publication->store)
        return STATUS_OK;
    TRY(prepare_in(db, schema, SLICE(""),
                   "INSERT INTO %.totrain_metrics VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                   &insertion.statement, err));
    status = jobstore_each_metric(publication->store, insert_metric, &insertion, err);
    sqlite3_finalize(insertion.statement);
    return status;
}

static enum status put_registry(sqlite3 *db, struct slice schema, struct slice name,
                                const struct model *model, struct error *err)
{
    struct cell cells[] = {cell_text(name),
                           cell_integer(model->version),
                           cell_text(model->estimator),
                           cell_text(model->digest),
                           cell_text(model->created_at),
                           cell_integer((int64_t)model->rows),
                           cell_text(model->statement),
                           cell_text(model->id)};

    /* Rows of tables that were dropped or renamed since would only mislead. */
    TRY(execute_in(db, schema,
                   "DELETE FROM %.totrain_models WHERE name COLLATE NOCASE NOT IN (SELECT name "
                   "FROM %.sqlite_master WHERE type = 'table')",
                   err));
    return run_in(db, schema, name,
                  "INSERT OR REPLACE INTO %.totrain_models VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                  cells, 8, err);
}

/* ----- publishing a trained model ----- */

/* A table that was copied inside its schema has the id of the other one, which
 * also has its versions: what replaces the copy is a model of its own. */
static enum status is_copy(sqlite3 *db, struct slice schema, struct slice name,
                           const struct model *current, bool *result, struct error *err)
{
    int64_t others = 0;

    TRY(first_integer(db, schema, SLICE(""),
                      "SELECT count(*) FROM %.totrain_models WHERE id = ?1 AND name <> ?2 COLLATE "
                      "NOCASE AND name IN (SELECT name FROM %.sqlite_master WHERE type = 'table')",
                      current->id, name, &others, err));
    *result = others > 0;
    return STATUS_OK;
}

/* The table is there: its model's id and the version after all that exist. */
static enum status succeed_current(struct sqlite_host *host, struct slice schema, struct slice name,
                                   struct arena *arena, struct model *model, struct error *err)
{
    const struct table_target target = {.schema = schema, .name = name, .kind = TARGET_MODEL};
    struct model current;
    int64_t newest = 0;
    bool copied;

    TRY(check_target_kind(host, &target, err));
    TRY(host_load_meta(host, schema, name, arena, &current, err));
    TRY(is_copy(host->db, schema, name, &current, &copied, err));
    if (copied)
        return run_in(host->db, schema, name, "DELETE FROM $", NULL, 0, err);
    TRY(first_integer(host->db, schema, SLICE(""),
                      "SELECT max(version) FROM %.totrain_versions WHERE id = ?1", current.id,
                      SLICE(""), &newest, err));
    model->id = current.id;
    model->version = 1 + (newest > current.version ? newest : current.version);
    TRY(keep_current(host->db, schema, name, &current, err));
    return forget_older(host->db, schema, name, &current, err);
}

static enum status publish_in_transaction(struct sqlite_host *host, struct slice schema,
                                          struct slice name, struct publication *publication,
                                          struct arena *arena, struct error *err)
{
    struct model *model = publication->model;
    struct located located;
    bool is_there;

    TRY(model_stamp(model, arena, err));
    TRY(create_catalog(host->db, schema, err));
    TRY(locate(host->db, schema, name, &located, err));
    if (located.exists)
        TRY(succeed_current(host, schema, name, arena, model, err));
    TRY(pieces_take(host->db, schema, name, located.exists, model, &is_there, err));
    if (!located.exists && !is_there)
        TRY(run_in(host->db, schema, name, CREATE_MODEL_TABLE, NULL, 0, err));
    if (!is_there)
        TRY(insert_model(host->db, schema, name, model, err));
    TRY(put_registry(host->db, schema, name, model, err));
    return insert_metrics(host->db, schema, publication, err);
}

/* SQLite commits by removing the journal. The removal must reach the disk as well, or the next
 * connection that opens the database after a power cut takes the model back. On a connection that
 * waits less for the disk than by default (PRAGMA synchronous) nothing is synced. A failure here
 * cannot undo the commit. */
static void sync_folder(struct sqlite_host *host, struct slice schema)
{
    const struct slice file = host_find_file(host, schema);
    int64_t level = 0;
    struct error ignored;
    char path[PATH_MAX];
    int folder;

    if (file.size == 0 || file.size >= sizeof path ||
        first_integer(host->db, schema, SLICE(""), "PRAGMA %.synchronous", SLICE(""), SLICE(""),
                      &level, &ignored) != STATUS_OK ||
        level < SYNCHRONOUS_FULL)
        return;
    memcpy(path, file.data, file.size + 1);
    *strrchr(path, '/') = '\0';
    folder = open(*path ? path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
}

enum status host_publish(void *self, struct slice schema, struct slice name,
                         struct publication *publication, struct error *err)
{
    struct sqlite_host *host = self;
    struct table_target target = {.name = name, .kind = TARGET_MODEL};
    struct transaction transaction;
    struct arena arena;
    enum status status;

    schema = target.schema = schema_or_main(schema);
    TRY(check_target_kind(host, &target, err)); /* before pieces are left beside it */
    TRY(pieces_write(host->db, schema, name, publication->model, err));
    TRY(transaction_begin(&transaction, host->db, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = publish_in_transaction(host, schema, name, publication, &arena, err);
    status = transaction_end(&transaction, status, err);
    if (status == STATUS_OK)
        sync_folder(host, schema);
    /* The caller shows the version; the texts were of this arena. */
    publication->model->id = (struct slice){0};
    publication->model->created_at = (struct slice){0};
    arena_deinit(&arena);
    return status;
}

/* ----- kept versions ----- */

/* The model's meta row, and the schema in which its table was found. */
static enum status find_current(struct sqlite_host *host, struct slice schema, struct slice name,
                                struct arena *arena, struct model *current, struct located *located,
                                struct error *err)
{
    TRY(host_load_meta(host, schema, name, arena, current, err));
    TRY(locate(host->db, schema, name, located, err));
    if (!located->is_table)
        return fail(err, STATUS_INVALID, "\"%.*s\" is a view, and has no versions of its own",
                    SLICE_FORMAT(name));
    return STATUS_OK;
}

static enum status put_versions(sqlite3_stmt *statement, struct version_listing *listing,
                                struct error *err)
{
    bool has_row;

    for (;;) {
        struct cell cells[3];
        TRY(sql_step(statement, &has_row, err));
        if (!has_row)
            return STATUS_OK;
        for (int i = 0; i < 3; i++)
            cells[i] = sql_cell(statement, i);
        TRY(version_listing_add(listing, &cells[0], &cells[1], &cells[2], err));
    }
}

static enum status list_kept(sqlite3 *db, struct slice schema, const struct model *current,
                             const struct sink *sink, struct error *err)
{
    struct version_listing listing = {.current = current, .sink = sink};
    sqlite3_stmt *statement;
    enum status status;
    bool is_kept;

    TRY(catalog_exists(db, schema, &is_kept, err));
    if (!is_kept)
        return version_listing_end(&listing, err);
    TRY(prepare_in(db, schema, SLICE(""),
                   "SELECT version, digest, created_at FROM %.totrain_versions WHERE id = ?1 AND "
                   "part = 'meta' ORDER BY version DESC",
                   &statement, err));
    sql_bind_text(statement, 1, current->id);
    status = put_versions(statement, &listing, err);
    sqlite3_finalize(statement);
    return status == STATUS_OK ? version_listing_end(&listing, err) : status;
}

enum status host_list_versions(void *self, struct slice schema, struct slice name,
                               const struct sink *sink, struct error *err)
{
    struct sqlite_host *host = self;
    struct located located;
    struct arena arena;
    struct model current;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = find_current(host, schema, name, &arena, &current, &located, err);
    if (status == STATUS_OK)
        status = list_kept(host->db, slice_of(located.schema), &current, sink, err);
    arena_deinit(&arena);
    return status;
}

static enum status put_metrics(sqlite3_stmt *statement, const struct sink *sink, struct error *err)
{
    bool has_row;

    for (;;) {
        struct cell cells[5];
        TRY(sql_step(statement, &has_row, err));
        if (!has_row)
            return STATUS_OK;
        for (int i = 0; i < 5; i++)
            cells[i] = sql_cell(statement, i);
        TRY(sink_row(sink, cells, 5, err));
    }
}

enum status host_list_metrics(void *self, struct slice schema, struct slice name,
                              const struct model *model, const struct sink *sink, struct error *err)
{
    struct sqlite_host *host = self;
    struct located located;
    sqlite3_stmt *statement;
    enum status status;
    bool is_kept;

    TRY(locate(host->db, schema, name, &located, err));
    TRY(catalog_exists(host->db, slice_of(located.schema), &is_kept, err));
    if (!is_kept)
        return STATUS_OK;
    TRY(prepare_in(host->db, slice_of(located.schema), SLICE(""),
                   "SELECT epoch, step, metric, part, value FROM %.totrain_metrics WHERE id = ?1 "
                   "AND version = ?2 ORDER BY epoch, step, rowid",
                   &statement, err));
    sql_bind_text(statement, 1, model->id);
    sqlite3_bind_int64(statement, 2, model->version);
    status = put_metrics(statement, sink, err);
    sqlite3_finalize(statement);
    return status;
}

/* ----- going back ----- */

static enum status find_version(sqlite3 *db, struct slice schema, const struct model *current,
                                struct slice wanted, int64_t *version, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;
    bool has_row, is_found = false;

    TRY(prepare_in(db, schema, SLICE(""),
                   "SELECT version, digest FROM %.totrain_versions WHERE id = ?1 AND part = 'meta' "
                   "ORDER BY version DESC",
                   &statement, err));
    sql_bind_text(statement, 1, current->id);
    while (!is_found && (status = sql_step(statement, &has_row, err)) == STATUS_OK && has_row) {
        *version = sqlite3_column_int64(statement, 0);
        is_found = version_is(wanted, *version, sql_slice(statement, 1));
    }
    sqlite3_finalize(statement);
    if (!is_found && status == STATUS_OK)
        return refuse_missing_version(wanted, current, err);
    return is_found ? STATUS_OK : status;
}

static enum status restore_rows(sqlite3 *db, struct slice schema, struct slice name,
                                const struct model *current, int64_t version, struct error *err)
{
    struct cell key[] = {cell_text(current->id), cell_integer(version)};
    char number[24];
    int64_t rows;

    snprintf(number, sizeof number, "%lld", (long long)version);
    TRY(first_integer(db, schema, name,
                      "SELECT count(*) FROM %.totrain_versions WHERE id = ?1 AND version = "
                      "CAST(?2 AS INTEGER)",
                      current->id, slice_of(number), &rows, err));
    TRY(keep_current(db, schema, name, current, err));
    TRY(run_in(db, schema, name,
               "INSERT INTO $ SELECT part, name, position, value, data FROM %.totrain_versions "
               "WHERE id = ?1 AND version = ?2 ORDER BY rowid",
               key, 2, err));
    TRY(check_written(db, rows, err));
    return run_in(db, schema, name, "DELETE FROM %.totrain_versions WHERE id = ?1 AND version = ?2",
                  key, 2, err);
}

static enum status restore_in_transaction(struct sqlite_host *host, struct slice schema,
                                          struct slice name, struct slice wanted,
                                          struct arena *arena, int64_t *restored, struct error *err)
{
    struct model current, model;
    struct located located;
    struct slice found;

    TRY(find_current(host, schema, name, arena, &current, &located, err));
    found = slice_of(located.schema);
    TRY(create_catalog(host->db, found, err));
    TRY(find_version(host->db, found, &current, wanted, restored, err));
    TRY(restore_rows(host->db, found, name, &current, *restored, err));
    TRY(host_load_meta(host, found, name, arena, &model, err));
    return put_registry(host->db, found, name, &model, err);
}

/* As check_target before TRAIN, in the schema where the model is. */
static enum status check_restorable(struct sqlite_host *host, struct slice schema,
                                    struct slice name, struct error *err)
{
    struct table_target target = {.name = name, .kind = TARGET_MODEL};
    struct located located;

    TRY(locate(host->db, schema, name, &located, err));
    if (!located.exists)
        return STATUS_OK; /* loading it reports that, with a suggestion */
    target.schema = slice_of(located.schema);
    return host_check_target(host, &target, err);
}

enum status host_restore(void *self, struct slice schema, struct slice name, struct slice version,
                         int64_t *restored, struct error *err)
{
    struct sqlite_host *host = self;
    struct transaction transaction;
    struct arena arena;
    enum status status;

    TRY(check_restorable(host, schema, name, err));
    TRY(transaction_begin(&transaction, host->db, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = restore_in_transaction(host, schema, name, version, &arena, restored, err);
    arena_deinit(&arena);
    return transaction_end(&transaction, status, err);
}
