#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/model_table.h"
#include "sqlite_host/host.h"
#include "sqlite_host/sql.h"

#define MODEL_NAMES_MAX 256 /* looked through for a suggestion */

/* Names of temp, main and the attached databases, in SQLite's search order. */
struct schemas {
    char names[SCHEMAS_MAX][256];
    size_t count;
};

static enum status list_schemas(sqlite3 *db, struct schemas *schemas, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;
    bool has_row = true;

    schemas->count = 0;
    TRY(sql_prepare(db,
                    SLICE("SELECT name FROM pragma_database_list"
                          " ORDER BY name <> 'temp', name <> 'main', seq"),
                    &statement, err));
    while ((status = sql_step(statement, &has_row, err)) == STATUS_OK && has_row &&
           schemas->count < SCHEMAS_MAX)
        snprintf(schemas->names[schemas->count++], sizeof schemas->names[0], "%s",
                 (const char *)sqlite3_column_text(statement, 0));
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

enum status has_model_columns(sqlite3 *db, struct slice schema, struct slice name, bool *has,
                              struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;
    bool has_row;

    *has = false;
    TRY(sql_prepare(db,
                    SLICE("SELECT count(*) = 5 AND sum(name IN ('part', 'name', 'position', "
                          "'value', 'data')) = 5 FROM pragma_table_info(?1, ?2)"),
                    &statement, err));
    sql_bind_text(statement, 1, name);
    sql_bind_text(statement, 2, schema);
    status = sql_step(statement, &has_row, err);
    if (status == STATUS_OK)
        *has = has_row && sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
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

struct names {
    char *names[MODEL_NAMES_MAX];
    size_t count;
};

static enum status keep_name(void *context, struct slice schema, struct slice name,
                             struct error *err)
{
    struct names *names = context;

    (void)schema;
    if (names->count == MODEL_NAMES_MAX)
        return STATUS_OK;
    names->names[names->count] = strndup(name.data, name.size);
    if (!names->names[names->count])
        return fail_no_memory(err);
    names->count++;
    return STATUS_OK;
}

static void suggest_model(sqlite3 *db, struct slice name, struct error *err)
{
    struct names names = {.count = 0};
    struct schemas schemas;
    struct error ignored;
    int nearest;

    if (list_schemas(db, &schemas, &ignored) != STATUS_OK)
        return;
    for (size_t i = 0; i < schemas.count; i++)
        each_model_in(db, schemas.names[i], keep_name, &names, &ignored);
    nearest = text_nearest(name, (const char *const *)names.names, names.count);
    if (nearest >= 0)
        error_hint(err, "Did you mean %s?", names.names[nearest]);
    else if (names.count == 0)
        error_hint(err, "There is no model here yet: SELECT ... TO TRAIN ... INTO %.*s; makes one.",
                   SLICE_FORMAT(name));
    else
        error_hint(err, "SHOW MODELS lists the models that exist.");
    for (size_t i = 0; i < names.count; i++)
        free(names.names[i]);
}

static enum status not_found(sqlite3 *db, struct slice name, struct error *err)
{
    fail(err, STATUS_NOT_FOUND, "there is no model \"%.*s\"", SLICE_FORMAT(name));
    suggest_model(db, name, err);
    return STATUS_NOT_FOUND;
}

static enum status is_no_model(struct slice name, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "table \"%.*s\" is no model", SLICE_FORMAT(name)),
           error_hint(err, "SHOW MODELS lists the models that exist.");
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
        return is_no_model(name, err);
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

static enum status read_rows(sqlite3_stmt *statement, struct model_reader *reader,
                             struct error *err)
{
    bool has_row;

    for (;;) {
        struct model_row row;
        TRY(sql_step(statement, &has_row, err));
        if (!has_row)
            return STATUS_OK;
        row = read_row(statement);
        TRY(model_reader_add(reader, &row, err));
    }
}

/* Which model is damaged: the reader of rows does not know its name. */
static enum status name_damaged(struct slice name, enum status status, struct error *err)
{
    static const char bare[] = "model: ";
    char message[sizeof err->message];
    const char *reason = message;

    if (status != STATUS_CORRUPT)
        return status;
    snprintf(message, sizeof message, "%s", err->message);
    if (strncmp(reason, bare, sizeof bare - 1) == 0)
        reason += sizeof bare - 1;
    snprintf(err->message, sizeof err->message, "model \"%.*s\" is damaged: %.400s",
             SLICE_FORMAT(name), reason);
    return status;
}

enum status host_load_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                            struct model *model, struct error *err)
{
    struct sqlite_host *host = self;
    struct model_reader *reader;
    sqlite3_stmt *statement;
    enum status status;

    TRY(prepare_read(host->db, schema, name, "", &statement, err));
    status = model_reader_new(arena, &reader, err);
    if (status == STATUS_OK) {
        status = read_rows(statement, reader, err);
        if (status == STATUS_OK)
            status = model_reader_finish(reader, model, err);
        model_reader_free(reader);
    }
    sqlite3_finalize(statement);
    return name_damaged(name, status, err);
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
        status = is_no_model(name, err);
    if (status == STATUS_OK)
        status =
            name_damaged(name, model_read_meta(sql_slice(statement, 4), arena, model, err), err);
    sqlite3_finalize(statement);
    return status;
}

static struct slice label_type_name(enum label_type type)
{
    switch (type) {
    case LABEL_TYPE_INTEGER:
        return SLICE("integer");
    case LABEL_TYPE_REAL:
        return SLICE("real");
    default:
        return SLICE("text");
    }
}

enum status host_find_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                            struct model_summary *summary, struct error *err)
{
    struct model model;

    TRY(host_load_meta(self, schema, name, arena, &model, err));
    *summary = (struct model_summary){
        .estimator = model.estimator,
        .task = model.task == MODEL_CLASSIFICATION ? SLICE("classification") : SLICE("regression"),
        .label = model.label,
        .label_type = label_type_name(model.labels.type),
        .input_count = model.transform.input_count,
        .digest = model.digest,
        .version = model.version,
    };
    summary->inputs = ARENA_NEW(arena, struct model_input, summary->input_count + 1);
    if (!summary->inputs)
        return fail_no_memory(err);
    for (size_t i = 0; i < summary->input_count; i++) {
        const struct transform_input *input = &model.transform.inputs[i];
        summary->inputs[i] = (struct model_input){input->name, input->type == INPUT_TYPE_NUMERIC};
    }
    return STATUS_OK;
}

struct listing {
    struct sqlite_host *host;
    const struct sink *sink;
};

/* "m", or "other.m" where it is not in main. */
static enum status list_model(void *context, struct slice schema, struct slice name,
                              struct error *err)
{
    struct listing *listing = context;
    struct arena arena;
    struct model model;
    struct slice shown = name;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    /* A table that only looks like a model is not listed. */
    if (host_load_meta(listing->host, schema, name, &arena, &model, err) != STATUS_OK) {
        arena_deinit(&arena);
        return err->status == STATUS_INTERRUPTED ? STATUS_INTERRUPTED : STATUS_OK;
    }
    if (!slice_is_fold(schema, "main"))
        shown = arena_printf(&arena, "%.*s.%.*s", SLICE_FORMAT(schema), SLICE_FORMAT(name));
    status = sink_row(
        listing->sink,
        (struct cell[]){cell_text(shown), cell_integer(model.version), cell_text(model.estimator),
                        cell_text(model.digest), cell_text(model.created_at),
                        cell_integer((int64_t)model.rows), cell_text(model.statement)},
        7, err);
    arena_deinit(&arena);
    return status;
}

enum status host_list_models(void *self, const struct sink *sink, struct error *err)
{
    struct sqlite_host *host = self;
    struct listing listing = {host, sink};
    struct schemas schemas;

    TRY(list_schemas(host->db, &schemas, err));
    for (size_t i = 0; i < schemas.count; i++)
        TRY(each_model_in(host->db, schemas.names[i], list_model, &listing, err));
    return STATUS_OK;
}
