#include "extension/sqlite/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extension/engine/host/stored.h"
#include "extension/engine/jobs/unpublished.h"
#include "extension/sqlite/model_sql.h"
#include "extension/sqlite/sql.h"
#include "extension/sqlite/sqlite_host.h"
#include "kinds/kinds.h"
#include "scoring/model_table.h"

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

static bool is_model_column(struct slice name)
{
    static const char *const columns[] = {"part", "name", "position", "value", "data"};

    for (size_t i = 0; i < MODEL_COLUMNS; i++)
        if (slice_is(name, columns[i]))
            return true;
    return false;
}

enum status has_model_columns(sqlite3 *db, struct slice schema, struct slice name, bool *has,
                              struct error *err)
{
    size_t count = 0, others = 0;
    sqlite3_stmt *statement;
    struct text sql;
    enum status status;
    bool has_row = true;

    *has = false;
    text_init(&sql, 4096);
    text_append_string(&sql, "PRAGMA ");
    sql_append_table(&sql, schema, SLICE("table_info"));
    text_append_string(&sql, "(");
    sql_append_table(&sql, SLICE(""), name);
    text_append_string(&sql, ")");
    status = sql_prepare_text(db, &sql, &statement, err);
    text_deinit(&sql);
    if (status != STATUS_OK)
        return status;
    while ((status = sql_step(statement, &has_row, err)) == STATUS_OK && has_row) {
        count++;
        others += !is_model_column(sql_slice(statement, 1));
    }
    sqlite3_finalize(statement);
    *has = status == STATUS_OK && count == MODEL_COLUMNS && others == 0;
    return status;
}

/* Every table with a model's columns, one `each` call a table. */
static enum status each_model_in(sqlite3 *db, const char *schema,
                                 enum status (*each)(void *context, struct slice schema,
                                                     struct slice name, struct error *err),
                                 void *context, struct error *err)
{
    sqlite3_stmt *statement;
    struct text sql;
    enum status status;
    bool has_row;

    text_init(&sql, 4096);
    text_append_string(&sql, "SELECT name FROM ");
    sql_append_table(&sql, slice_of(schema), SLICE("sqlite_master"));
    text_append_string(&sql, " WHERE type = 'table' AND sql LIKE '%part%position%value%data%'"
                             " AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name");
    status = sql_prepare_text(db, &sql, &statement, err);
    text_deinit(&sql);
    if (status != STATUS_OK)
        return status;
    while ((status = sql_step(statement, &has_row, err)) == STATUS_OK && has_row) {
        struct slice name = sql_slice(statement, 0);
        bool is_model;

        status = has_model_columns(db, slice_of(schema), name, &is_model, err);
        if (status == STATUS_OK && is_model)
            status = each(context, slice_of(schema), name, err);
        if (status != STATUS_OK)
            break;
    }
    sqlite3_finalize(statement);
    return status;
}

static enum status keep_name(void *context, struct slice schema, struct slice name,
                             struct error *err)
{
    (void)schema;
    return model_names_add(context, name, err);
}

static enum status not_found(sqlite3 *db, struct slice name, struct error *err)
{
    struct model_names names = {.count = 0};
    struct schemas schemas;
    struct error ignored;

    if (list_schemas(db, &schemas, &ignored) == STATUS_OK)
        for (size_t i = 0; i < schemas.count; i++)
            each_model_in(db, schemas.names[i], keep_name, &names, &ignored);
    refuse_missing_model(name, &names, err);
    model_names_free(&names);
    return STATUS_NOT_FOUND;
}

/* SELECT ... FROM the model's table, after it was seen to be one. A view with
 * a model's columns serves as well. */
static enum status prepare_read(sqlite3 *db, struct slice schema, struct slice name,
                                const char *where, sqlite3_stmt **statement, struct error *err)
{
    struct located located;
    struct text sql;
    enum status status;
    bool has_columns;

    TRY(locate(db, schema, name, &located, err));
    if (!located.exists)
        return not_found(db, name, err);
    TRY(has_model_columns(db, slice_of(located.schema), name, &has_columns, err));
    if (!has_columns)
        return refuse_no_model(name, err);
    text_init(&sql, 4096);
    text_append_string(&sql, "SELECT part, name, position, value, data FROM ");
    sql_append_table(&sql, slice_of(located.schema), name);
    text_append_string(&sql, where);
    status = sql_prepare_text(db, &sql, statement, err);
    text_deinit(&sql);
    return status;
}

static struct model_row read_row(sqlite3_stmt *statement)
{
    struct model_row row = {.part = sql_slice(statement, 0),
                            .name = sql_slice(statement, 1),
                            .position = sqlite3_column_int64(statement, 2)};
    int value = sqlite3_column_type(statement, 3), data = sqlite3_column_type(statement, 4);

    row.has_value = value == SQLITE_INTEGER || value == SQLITE_FLOAT;
    row.value = row.has_value ? sqlite3_column_double(statement, 3) : 0;
    row.has_data = data == SQLITE_TEXT || data == SQLITE_BLOB;
    row.data_is_text = data == SQLITE_TEXT;
    if (row.has_data)
        row.data = sql_slice(statement, 4);
    return row;
}

static enum status give_rows(sqlite3_stmt *statement, model_row_sink *each, void *context,
                             struct error *err)
{
    bool has_row;

    for (;;) {
        struct model_row row;
        TRY(sql_step(statement, &has_row, err));
        if (!has_row)
            return STATUS_OK;
        row = read_row(statement);
        TRY(each(context, &row, err));
    }
}

enum status host_each_model_row(void *self, struct slice schema, struct slice name, bool only_meta,
                                model_row_sink *each, void *context, struct error *err)
{
    struct sqlite_host *host = self;
    sqlite3_stmt *statement;
    enum status status;

    TRY(prepare_read(host->db, schema, name, only_meta ? " WHERE part = 'meta' LIMIT 1" : "",
                     &statement, err));
    status = give_rows(statement, each, context, err);
    sqlite3_finalize(statement);
    return name_damaged_model(name, status, err);
}

enum status host_load_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                            struct model *model, struct error *err)
{
    struct model_reader *reader;
    enum status status;

    TRY(model_reader_new(kinds, arena, &reader, err));
    status = host_each_model_row(self, schema, name, false, model_reader_take, reader, err);
    if (status == STATUS_OK)
        status = name_damaged_model(name, model_reader_finish(reader, model, err), err);
    model_reader_free(reader);
    return status;
}

enum status host_load_meta(void *self, struct slice schema, struct slice name, struct arena *arena,
                           struct model *model, struct error *err)
{
    struct sqlite_host *host = self;
    sqlite3_stmt *statement;
    enum status status;
    bool has_row;

    TRY(prepare_read(host->db, schema, name, " WHERE part = 'meta'", &statement, err));
    status = sql_step(statement, &has_row, err);
    if (status == STATUS_OK && !has_row)
        status = refuse_no_model(name, err);
    if (status == STATUS_OK)
        status = name_damaged_model(
            name, model_read_meta(sql_slice(statement, 4), kinds, arena, model, err), err);
    sqlite3_finalize(statement);
    return status;
}

enum status host_find_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                            struct model_summary *summary, struct error *err)
{
    struct model model;

    TRY(host_load_meta(self, schema, name, arena, &model, err));
    return model_summarise(&model, arena, summary, err);
}

struct listing {
    struct sqlite_host *host;
    bool sizes;
    const struct sink *sink;
};

/* Bytes of data are counted, since pages that are half empty belong to the file. */
static enum status measure(sqlite3 *db, struct slice schema, struct slice name,
                           const struct model *model, struct model_sizes *sizes, struct error *err)
{
    int64_t has_kept = 0, bytes = 0;

    TRY(first_integer(db, schema, name, "SELECT sum(length(data)) FROM $", SLICE(""), SLICE(""),
                      &bytes, err));
    sizes->table = cell_integer(bytes);
    TRY(first_integer(db, schema, name,
                      "SELECT count(*) FROM %.sqlite_master WHERE name = 'totrain_versions'",
                      SLICE(""), SLICE(""), &has_kept, err));
    bytes = 0;
    if (has_kept)
        TRY(first_integer(db, schema, name,
                          "SELECT sum(length(data)) FROM %.totrain_versions WHERE id = ?1",
                          model->id, SLICE(""), &bytes, err));
    sizes->kept = cell_integer(bytes);
    return STATUS_OK;
}

/* "m", or "other.m" where it is not in main. */
static enum status list_model(void *context, struct slice schema, struct slice name,
                              struct error *err)
{
    struct listing *listing = context;
    struct model_sizes sizes = {cell_null(), cell_null()};
    struct arena arena;
    struct model model;
    struct slice shown = name;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    if (!slice_is_fold(schema, "main"))
        shown = arena_printf(&arena, "%.*s.%.*s", SLICE_FORMAT(schema), SLICE_FORMAT(name));
    status = host_load_meta(listing->host, schema, name, &arena, &model, err);
    if (status == STATUS_OK && listing->sizes)
        status = measure(listing->host->db, schema, name, &model, &sizes, err);
    if (status == STATUS_OK)
        status = put_model(&model, shown, &sizes, listing->sink, err);
    else if (status == STATUS_UNSUPPORTED) /* of a newer version */
        status = put_unreadable_model(shown, err->message, listing->sink, err);
    else if (status != STATUS_INTERRUPTED) /* a table that only looks like a model */
        status = STATUS_OK;
    arena_deinit(&arena);
    return status;
}

enum status host_list_models(void *self, bool sizes, const struct sink *sink, struct error *err)
{
    struct sqlite_host *host = self;
    struct listing listing = {host, sizes, sink};
    struct schemas schemas;

    TRY(list_schemas(host->db, &schemas, err));
    for (size_t i = 0; i < schemas.count; i++)
        TRY(each_model_in(host->db, schemas.names[i], list_model, &listing, err));
    return STATUS_OK;
}
