#include "extension/sqlite/host/models.h"

#include <stdio.h>
#include <string.h>

#include "extension/engine/jobs/unpublished.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/host/sqlite_host.h"

#define MODEL_COLUMNS 5

/* Names of temp, main and the attached databases, in SQLite's search order. */
struct schemas {
    char names[SCHEMAS_MAX][256];
    size_t count;
};

/* The pragmas of this file are statements of their own, not tables of a query: SQLite keeps such
 * tables, and follows them to where a database was that sqlite3_deserialize() has replaced. */
static enum status list_schemas(sqlite3 *db, struct schemas *schemas, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;
    bool has_row = true;

    schemas->count = 0;
    TRY(sql_prepare(db, SLICE("PRAGMA database_list"), &statement, err));
    while ((status = sql_step(statement, &has_row, err)) == STATUS_OK && has_row &&
           schemas->count < SCHEMAS_MAX) {
        const struct slice name = sql_slice(statement, 1);
        size_t at = schemas->count++;

        if (slice_is(name, "temp")) { /* comes second, and is searched first */
            memmove(schemas->names + 1, schemas->names, at * sizeof schemas->names[0]);
            at = 0;
        }
        snprintf(schemas->names[at], sizeof schemas->names[0], "%.*s", SLICE_FORMAT(name));
    }
    sqlite3_finalize(statement);
    return status;
}

/* Not by a statement, which an interrupt or a lock could keep from answering. */
bool host_has_schema(void *self, struct slice schema)
{
    struct sqlite_host *host = self;
    char name[256];

    /* "temp" is opened only once something is in it. */
    if (slice_is_fold(schema, "temp"))
        return true;
    if (schema.size >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", SLICE_FORMAT(schema));
    return sqlite3_db_readonly(host->db, name) >= 0;
}

struct slice host_find_file(void *self, struct slice schema)
{
    struct sqlite_host *host = self;
    char name[256];
    const char *file;

    if (snprintf(name, sizeof name, "%.*s", SLICE_FORMAT(schema)) >= (int)sizeof name ||
        slice_is_fold(schema, "temp"))
        return SLICE("");
    file = sqlite3_db_filename(host->db, schema.size > 0 ? name : "main");
    return file && file[0] == '/' ? slice_of(file) : SLICE("");
}

enum status host_find_place(void *self, struct slice schema, struct unpublished *unpublished,
                            struct error *err)
{
    const struct slice file = host_find_file(self, schema);

    if (file.size >= sizeof unpublished->database)
        return fail(err, STATUS_LIMIT, "the path of the database is too long");
    slice_copy(file, unpublished->database, sizeof unpublished->database);
    return STATUS_OK;
}

static enum status locate_in(sqlite3 *db, struct slice schema, struct slice name,
                             struct located *located, struct error *err)
{
    sqlite3_stmt *statement;
    struct text sql;
    enum status status;

    text_init(&sql, 4096);
    text_append_string(&sql, "SELECT type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' FROM ");
    sql_append_table(&sql, schema, SLICE("sqlite_master"));
    text_append_string(&sql,
                       " WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view', 'index')");
    status = sql_prepare_text(db, &sql, &statement, err);
    text_deinit(&sql);
    if (status != STATUS_OK)
        return status;
    sql_bind_text(statement, 1, name);
    status = sql_step(statement, &located->exists, err);
    if (located->exists) {
        located->is_table = sqlite3_column_int(statement, 0);
        snprintf(located->schema, sizeof located->schema, "%.*s", SLICE_FORMAT(schema));
    }
    sqlite3_finalize(statement);
    return status;
}

enum status locate(sqlite3 *db, struct slice schema, struct slice name, struct located *located,
                   struct error *err)
{
    struct schemas schemas;

    *located = (struct located){0};
    if (schema.size > 0)
        return locate_in(db, schema, name, located, err);
    TRY(list_schemas(db, &schemas, err));
    for (size_t i = 0; i < schemas.count && !located->exists; i++)
        TRY(locate_in(db, slice_of(schemas.names[i]), name, located, err));
    return STATUS_OK;
}

struct model_columns {
    size_t count, others;
};

static enum status count_column(void *context, struct slice name, struct error *err)
{
    static const char *const columns[] = {"part", "name", "position", "value", "data"};
    struct model_columns *found = context;
    bool is_one = false;

    (void)err;
    for (size_t i = 0; i < MODEL_COLUMNS; i++)
        is_one |= slice_is(name, columns[i]);
    found->count++;
    found->others += !is_one;
    return STATUS_OK;
}

enum status has_model_columns(sqlite3 *db, struct slice schema, struct slice name, bool *has,
                              struct error *err)
{
    struct model_columns found = {0, 0};

    *has = false;
    TRY(each_column(db, schema, name, false, count_column, &found, err));
    *has = found.count == MODEL_COLUMNS && found.others == 0;
    return STATUS_OK;
}

/* "m", or "other.m" where it is not in main. */
static enum status give_table(const struct database_rows *rows, struct slice schema,
                              struct slice name, struct error *err)
{
    struct cell cells[] = {cell_integer(0), cell_text(schema), cell_text(name), cell_text(name)};
    enum status status;
    struct text shown;

    text_init(&shown, TEXT_MAXIMUM);
    if (!slice_is_fold(schema, "main")) {
        text_printf(&shown, "%.*s.%.*s", SLICE_FORMAT(schema), SLICE_FORMAT(name));
        cells[3] = cell_text(text_slice(&shown));
    }
    status = shown.failed ? fail_no_memory(err) : rows->row(rows->self, cells, 4, err);
    text_deinit(&shown);
    return status;
}

static enum status list_tables_in(sqlite3 *db, struct slice schema,
                                  const struct database_rows *rows, struct error *err)
{
    sqlite3_stmt *statement;
    struct text sql;
    enum status status;
    bool has_row;

    text_init(&sql, 4096);
    text_append_string(&sql, "SELECT name FROM ");
    sql_append_table(&sql, schema, SLICE("sqlite_master"));
    text_append_string(&sql, " WHERE type = 'table' AND sql LIKE '%part%position%value%data%'"
                             " AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name");
    status = sql_prepare_text(db, &sql, &statement, err);
    text_deinit(&sql);
    if (status != STATUS_OK)
        return status;
    while ((status = sql_step(statement, &has_row, err)) == STATUS_OK && has_row) {
        const struct slice name = sql_slice(statement, 0);
        bool is_model;

        status = has_model_columns(db, schema, name, &is_model, err);
        if (status == STATUS_OK && is_model)
            status = give_table(rows, schema, name, err);
        if (status != STATUS_OK)
            break;
    }
    sqlite3_finalize(statement);
    return status;
}

enum status sqlite_list_tables(struct sql_host *host, const struct database_rows *rows,
                               struct error *err)
{
    sqlite3 *db = sqlite_host_of(host)->db;
    struct schemas schemas;

    TRY(list_schemas(db, &schemas, err));
    for (size_t i = 0; i < schemas.count; i++)
        TRY(list_tables_in(db, slice_of(schemas.names[i]), rows, err));
    return STATUS_OK;
}

/* SQLite has no owners: whoever may open the file may do all. */
enum status sqlite_locate(struct sql_host *host, const struct sql_table *table,
                          struct sql_located *found, struct error *err)
{
    sqlite3 *db = sqlite_host_of(host)->db;
    struct located located;

    TRY(locate(db, table->schema, table->name, &located, err));
    *found = (struct sql_located){.exists = located.exists,
                                  .is_table = located.is_table,
                                  .is_ours = true,
                                  .is_callers = true};
    snprintf(found->schema, sizeof found->schema, "%s", located.schema);
    slice_copy(table->name, found->name, sizeof found->name);
    return located.exists ? has_model_columns(db, slice_of(located.schema), table->name,
                                              &found->has_columns, err)
                          : STATUS_OK;
}
