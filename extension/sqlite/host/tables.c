#include "extension/sqlite/host/tables.h"

#include <string.h>

#include "extension/engine/host/stored.h"
#include "extension/sql/models.h"
#include "extension/sql/sql.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/host/models.h"
#include "extension/sqlite/host/sqlite_host.h"
#include "planner/plan/plan.h"

static const char *const reserved_names[] = {"totrain_models", "totrain_versions",
                                             "totrain_metrics"};

static struct slice schema_or_main(struct slice schema)
{
    return schema.size > 0 ? schema : SLICE("main");
}

enum status sqlite_choose_schema(struct sql_host *host, struct slice *schema,
                                 char buffer[SQL_NAME_BYTES], struct error *err)
{
    (void)host;
    (void)buffer;
    (void)err;
    *schema = schema_or_main(*schema);
    return STATUS_OK;
}

static enum status check_name(struct slice name, struct error *err)
{
    struct slice start = name;

    start.size = name.size < 7 ? name.size : 7;
    if (slice_is_fold(start, "sqlite_"))
        return fail(err, STATUS_INVALID, "\"%.*s\": names that begin with sqlite_ are SQLite's own",
                    SLICE_FORMAT(name));
    for (size_t i = 0; i < sizeof reserved_names / sizeof *reserved_names; i++)
        if (slice_is_fold(name, reserved_names[i]))
            return fail(err, STATUS_INVALID, "\"%.*s\" is a catalog table of ToTrain",
                        SLICE_FORMAT(name));
    return STATUS_OK;
}

static enum status check_schema(struct sqlite_host *host, struct slice schema, struct error *err)
{
    char name[256];

    if (!host_has_schema(host, schema))
        return fail(err, STATUS_NOT_FOUND, "no database \"%.*s\" is attached",
                    SLICE_FORMAT(schema)),
               error_hint(err, "In SQLite, a.b means table b of the attached database a.");
    if (schema.size >= sizeof name)
        return fail(err, STATUS_LIMIT, "a database name of %zu bytes", schema.size);
    memcpy(name, schema.data, schema.size);
    name[schema.size] = '\0';
    if (sqlite3_db_readonly(host->db, name) == 1)
        return fail(err, STATUS_PERMISSION, "database \"%s\" is read-only", name),
               error_hint(err, "Open it for writing, or write into another one: ATTACH ':memory:' "
                               "AS scratch; ... INTO scratch.name.");
    return STATUS_OK;
}

static enum status check_query_only(struct sql_host *host, struct error *err)
{
    int64_t is_set = 0;

    TRY(sql_integer(host, "PRAGMA query_only", NULL, NULL, 0, &is_set, err));
    return is_set ? fail(err, STATUS_PERMISSION, "the connection is read-only (PRAGMA query_only)")
                  : STATUS_OK;
}

/* Is a statement that runs the one through which we were called? */
static bool is_ours(sqlite3_stmt *statement)
{
    const char *sql = sqlite3_sql(statement);

    return sql && (strstr(sql, "totrain_exec(") || strstr(sql, "totrain("));
}

/* A statement of this connection that is still reading would make the swap
 * fail at the end, or show its reader half of each model. */
static bool is_being_read(sqlite3 *db, const char *schema)
{
    sqlite3_stmt *statement = NULL;

    /* Our statements read no table: outside a transaction any read is another statement's. */
    if (sqlite3_get_autocommit(db))
        return sqlite3_txn_state(db, schema) != SQLITE_TXN_NONE;
    while ((statement = sqlite3_next_stmt(db, statement)))
        if (sqlite3_stmt_busy(statement) && !is_ours(statement))
            return true;
    return false;
}

/* ----- marks ----- */

/* SQLite keeps what stands between the parentheses of CREATE TABLE as it was written. A
 * comment at its end goes with the table through renames and dumps, and is no longer at the
 * end when a column was added. NULL: a kind that is known by its columns. */
static const char *mark_of(enum target_kind kind)
{
    switch (kind) {
    case TARGET_PREDICTIONS:
        return "/* totrain: predictions */";
    case TARGET_METRICS:
        return "/* totrain: metrics */";
    default:
        return NULL;
    }
}

/* Counts the tables of the name in $1 in whose text the mark in $2 stands at this place. */
#define MARKED(place)                                                                              \
    "SELECT count(*) FROM @.sqlite_schema WHERE type = 'table' AND name = $1 COLLATE NOCASE "      \
    "AND " place

static enum status is_marked(struct sql_host *host, const struct sql_table *table,
                             enum target_kind kind, bool *result, struct error *err)
{
    const char *mark = mark_of(kind);
    const struct cell keys[] = {cell_text(table->name), cell_string(mark ? mark : "")};
    int64_t count = 0;

    if (mark)
        TRY(sql_integer(host, MARKED("substr(sql, -length($2) - 1) = $2 || ')'"), table, keys, 2,
                        &count, err));
    *result = count > 0;
    return STATUS_OK;
}

bool host_has_mark(void *self, struct slice schema, struct slice table, struct slice mark)
{
    const struct sql_table marked = {schema_or_main(schema), table};
    const struct cell keys[] = {cell_text(table), cell_text(mark)};
    struct error ignored;
    int64_t count = 0;

    return sql_integer(self, MARKED("instr(sql, '/* ' || $2 || ' */') > 0"), &marked, keys, 2,
                       &count, &ignored) == STATUS_OK &&
           count > 0;
}

static enum status note_name(void *context, struct slice name, struct error *err)
{
    (void)err;
    *(bool *)context = slice_is_fold(name, QUARANTINE_REASON);
    return STATUS_OK;
}

enum status create_marked(struct sqlite_host *host, const struct table_target *target,
                          struct slice create, struct error *err)
{
    const struct slice mark = target->mark;
    const char *kind = mark_of(target->kind);
    enum status status;
    struct text sql;

    if (create.size == 0 || create.data[create.size - 1] != ')')
        return fail(err, STATUS_CORRUPT, "the definition of table \"%.*s\" is damaged",
                    SLICE_FORMAT(target->name));
    text_init(&sql, TEXT_MAXIMUM);
    text_append(&sql, (struct slice){create.data, create.size - 1});
    if (mark.size > 0)
        text_printf(&sql, " /* %.*s */", SLICE_FORMAT(mark));
    if (kind)
        text_printf(&sql, " %s", kind);
    text_append_char(&sql, ')');
    status = sql_execute_text(host->db, &sql, err);
    text_deinit(&sql);
    return status;
}

/* ----- what is replaced ----- */

enum status sqlite_check_replaced(struct sql_host *host, const struct sql_located *located,
                                  const struct table_target *target, struct error *err)
{
    const struct sql_table table = {slice_of(located->schema), target->name};
    struct found_table found = {.is_table = located->is_table};

    if (!located->exists)
        return STATUS_OK;
    if (found.is_table) {
        TRY(sql_is_model(host, located, &found.is_model, err));
        TRY(is_marked(host, &table, target->kind, &found.is_marked, err));
        /* The last column's name decides. */
        TRY(each_column(sqlite_host_of(host)->db, table.schema, table.name, false, note_name,
                        &found.holds_bad_rows, err));
    }
    return check_replaced(target, &found, err);
}

static enum status check_target_kind(struct sqlite_host *host, const struct table_target *target,
                                     struct error *err)
{
    struct sql_located located;

    TRY(sqlite_locate(&host->sql, &(struct sql_table){target->schema, target->name}, &located,
                      err));
    return sqlite_check_replaced(&host->sql, &located, target, err);
}

static enum status drop(struct sql_host *host, const struct sql_table *table, struct error *err)
{
    return sql_run(host, "DROP TABLE IF EXISTS @", table, NULL, 0, NULL, err);
}

enum status drop_replaced(struct sqlite_host *host, const struct table_target *target,
                          struct error *err)
{
    TRY(check_target_kind(host, target, err));
    return drop(&host->sql, &(struct sql_table){target->schema, target->name}, err);
}

enum status host_check_target(void *self, const struct table_target *target, struct error *err)
{
    struct sqlite_host *host = self;
    const struct slice name = target->name;
    struct table_target here = *target;
    struct located located;

    here.schema = schema_or_main(target->schema);
    TRY(check_name(name, err));
    TRY(check_schema(host, here.schema, err));
    TRY(check_query_only(&host->sql, err));
    TRY(check_target_kind(host, &here, err));
    TRY(locate(host->db, here.schema, name, &located, err));
    if (located.exists && is_being_read(host->db, located.schema))
        return fail(err, STATUS_BUSY,
                    "\"%.*s\" cannot be replaced while another statement of this connection is "
                    "being read",
                    SLICE_FORMAT(name)),
               error_hint(err,
                          "Fetch that statement's remaining rows, or close it, and try again.");
    return STATUS_OK;
}

/* Runs `format`, and the user's SELECT behind it. */
static enum status run_select(struct sql_host *host, const char *format,
                              const struct sql_table *table, struct slice select, uint64_t *rows,
                              struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, format, table);
    text_append(&sql, select);
    status = sql_run_text(host, &sql, NULL, 0, rows, err);
    text_deinit(&sql);
    return status;
}

/* Does the query still work without the table it is about to replace? */
static enum status reads_table(struct sqlite_host *host, const struct sql_table *table,
                               struct slice select, bool *reads, struct error *err)
{
    struct error ignored;
    sqlite3_stmt *statement = NULL;

    TRY(sql_execute(host->db, "SAVEPOINT totrain_probe", err));
    TRY(drop(&host->sql, table, err));
    *reads = sql_prepare(host->db, select, &statement, &ignored) != STATUS_OK;
    sqlite3_finalize(statement);
    TRY(sql_execute(host->db, "ROLLBACK TO totrain_probe", err));
    return sql_execute(host->db, "RELEASE totrain_probe", err);
}

static enum status replace_table(struct sqlite_host *host, struct fill *fill, struct slice select,
                                 struct error *err)
{
    const struct table_target *target = &fill->target;

    TRY(drop_replaced(host, target, err));
    TRY(create_marked(host, target, fill->create, err));
    return run_select(&host->sql, "INSERT INTO @ ",
                      &(struct sql_table){target->schema, target->name}, select, &fill->rows, err);
}

enum status sqlite_keep_stage(struct sql_host *host, struct slice select, struct error *err)
{
    const struct sql_table *stage = &host->variant->stage;

    TRY(drop(host, stage, err));
    return run_select(host, "CREATE TABLE @ AS ", stage, select, NULL, err);
}

enum status sqlite_replace_by_select(struct sql_host *host, struct fill *fill, bool is_staged,
                                     struct error *err)
{
    struct sqlite_host *sqlite = sqlite_host_of(host);
    struct sql_located located = {.exists = false};
    struct sql_table table;
    bool is_read = false;

    fill->target.schema = schema_or_main(fill->target.schema);
    table = (struct sql_table){fill->target.schema, fill->target.name};
    if (!is_staged)
        TRY(sqlite_locate(host, &table, &located, err));
    TRY(sqlite_check_replaced(host, &located, &fill->target, err));
    if (located.exists)
        TRY(reads_table(sqlite, &table, fill->select, &is_read, err));
    if (!is_read)
        return replace_table(sqlite, fill, fill->select, err);
    TRY(sqlite_keep_stage(host, fill->select, err));
    TRY(replace_table(sqlite, fill, SLICE("SELECT * FROM temp.totrain_kept_rows"), err));
    return drop(host, &host->variant->stage, err);
}

enum status sqlite_replace(struct sql_host *host, const struct table_target *target,
                           sql_maker *make, void *context, struct error *err)
{
    struct table_target here = *target;
    struct sql_new_table new = {.target = &here};

    here.schema = schema_or_main(target->schema);
    new.table = (struct sql_table){here.schema, here.name};
    TRY(drop_replaced(sqlite_host_of(host), &here, err));
    return make(host, &new, context, err);
}

enum status sqlite_create(struct sql_host *host, const struct sql_new_table *new,
                          const char *columns, struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "CREATE TABLE @", &new->table);
    text_append_string(&sql, columns);
    status = sql.failed ? fail_no_memory(err)
                        : create_marked(sqlite_host_of(host), new->target, text_slice(&sql), err);
    text_deinit(&sql);
    return status;
}
