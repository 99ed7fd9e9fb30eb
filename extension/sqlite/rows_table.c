#include "extension/sqlite/rows_table.h"

#include <stdlib.h>
#include <string.h>

#include "extension/engine/engine.h"
#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/run.h"

#define NAME         "totrain_rows"
#define VALUES_MAX   8
#define JSON_SUBTYPE 'J' /* SQLite's own mark of a text that is JSON */
#define EXAMPLE      NAME "('SELECT * FROM t TO EVALUATE m')"

/* The columns of the function; values of parameters are behind these. */
enum { COLUMN_ROW, COLUMN_STATEMENT };

#define DECLARATION                                                                                \
    "CREATE TABLE t(row, statement HIDDEN, value1 HIDDEN, value2 HIDDEN, value3 HIDDEN, "          \
    "value4 HIDDEN, value5 HIDDEN, value6 HIDDEN, value7 HIDDEN, value8 HIDDEN)"

/*
 * SQLite connects a table again whenever a schema has changed. The columns stay those that the
 * table was created with: a table whose model is gone can be dropped, and the error of reading it
 * is the statement's. A ROLLBACK may bring back a table that was dropped or renamed: its columns
 * are kept for that.
 */
struct rows_table {
    struct rows_table *next;
    char *name, *statement, *declaration;
    int64_t promise; /* columns_promise() of its columns */
    bool is_gone;    /* dropped, or renamed */
};

/* The module's own, for one connection. */
struct rows_module {
    struct sqlite_connection *connection;
    struct rows_table *tables;
};

struct rows_vtab {
    sqlite3_vtab base;
    struct rows_module *module;
    char *name, *statement; /* NULL: the function */
    int64_t promise;
};

struct rows_cursor {
    sqlite3_vtab_cursor base;
    struct query_result *result;           /* NULL: nothing ran yet */
    int count;                             /* how many values are kept */
    sqlite3_value *values[1 + VALUES_MAX]; /* the statement, and values of its parameters */
    int64_t at;
};

/* ----- tables that were created ----- */

static void forget_table(struct rows_table **at)
{
    struct rows_table *table = *at;

    *at = table->next;
    free(table->name);
    free(table->statement);
    free(table->declaration);
    free(table);
}

static struct rows_table **find_next(struct rows_table **at, const char *name)
{
    while (*at && sqlite3_stricmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static struct rows_table **find_table(struct rows_module *module, const char *name)
{
    return find_next(&module->tables, name);
}

static enum status remember_table(struct rows_module *module, const char *name,
                                  const char *statement, const char *declaration, int64_t promise,
                                  struct error *err)
{
    struct rows_table *table = calloc(1, sizeof *table);

    if (!table)
        return fail_no_memory(err);
    *table = (struct rows_table){module->tables,      strdup(name), strdup(statement),
                                 strdup(declaration), promise,      false};
    module->tables = table;
    if (table->name && table->statement && table->declaration)
        return STATUS_OK;
    forget_table(&module->tables);
    return fail_no_memory(err);
}

static void free_module(void *self)
{
    struct rows_module *module = self;

    while (module->tables)
        forget_table(&module->tables);
    free(module);
}

/* ----- what may run ----- */

static enum status check_writes_nothing(struct slice text, struct error *err)
{
    struct statement statement;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = parse_statement(text, &arena, &statement, err);
    if (status == STATUS_OK && statement.kind == STATEMENT_SQL)
        fail_at(err, STATUS_INVALID, statement.span.start, NAME " runs statements of ToTrain");
    else if (status == STATUS_OK && !statement.explain_plan &&
             !statement_writes_nothing(&statement)) {
        fail_at(err, STATUS_INVALID, statement.verb_position,
                NAME " runs statements that only return rows, without INTO");
        error_hint(err, "A query may read a table many times. SELECT totrain('...'); runs any "
                        "statement once.");
    }
    arena_deinit(&arena);
    return err->status;
}

/* 'It''s' -> It's. False: it is no text in quotes, or more than one, such as 'a' || 'b'. */
static bool unquote(struct slice written, struct text *statement)
{
    written = slice_trim(written);
    if (written.size < 2 || written.data[0] != '\'' || written.data[written.size - 1] != '\'')
        return false;
    for (size_t i = 1; i + 1 < written.size; i++) {
        if (written.data[i] == '\'' && (written.data[++i] != '\'' || i + 1 == written.size))
            return false;
        text_append_char(statement, written.data[i]);
    }
    return true;
}

/* The part that stands between the parentheses of CREATE VIRTUAL TABLE, as it is written. */
static enum status take_arguments(int count, const char *const *arguments, struct text *statement,
                                  struct error *err)
{
    if (count > 1) {
        fail(err, STATUS_INVALID, "a table of " NAME " takes a statement, and no values");
        return error_hint(err, "Write the values into the statement.");
    }
    if (count == 0 || !unquote(slice_of(arguments[0]), statement)) {
        fail(err, STATUS_INVALID, NAME " needs a statement in quotes");
        return error_hint(err, "Write CREATE VIRTUAL TABLE temp.judged USING " EXAMPLE ".");
    }
    return statement->failed ? fail_no_memory(err) : STATUS_OK;
}

/* ----- the columns ----- */

static void declare(const struct description *description, struct text *sql)
{
    text_append_string(sql, "CREATE TABLE t(");
    for (size_t i = 0; i < description->count; i++) {
        text_append_string(sql, i > 0 ? ", " : "");
        text_append_identifier(sql, description->columns[i]);
    }
    text_append_string(sql, ")");
}

/* A prediction is a query, whose columns SQLite names. */
static enum status name_columns(sqlite3 *db, struct arena *arena, struct description *description,
                                struct error *err)
{
    sqlite3_stmt *query;
    enum status status = STATUS_OK;

    if (description->query.size == 0)
        return STATUS_OK;
    TRY(sql_prepare(db, description->query, &query, err));
    description->count = (size_t)sqlite3_column_count(query);
    description->columns = ARENA_NEW(arena, struct slice, description->count);
    for (size_t i = 0; description->columns && i < description->count; i++)
        description->columns[i] = arena_copy(arena, slice_of(sqlite3_column_name(query, (int)i)));
    if (!description->columns)
        status = fail_no_memory(err);
    sqlite3_finalize(query);
    return status;
}

static enum status describe(struct rows_module *module, const char *name, struct slice statement,
                            struct error *err)
{
    struct sqlite_connection *connection = module->connection;
    struct description description;
    struct text declaration;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&declaration, TEXT_MAXIMUM);
    python_signals_begin(connection->db);
    status =
        engine_describe(&connection->host.sql.host, statement, NULL, &arena, &description, err);
    python_signals_end();
    if (status == STATUS_OK)
        status = name_columns(connection->db, &arena, &description, err);
    if (status == STATUS_OK) {
        declare(&description, &declaration);
        status = declaration.failed
                     ? fail_no_memory(err)
                     : remember_table(module, name, statement.data, text_string(&declaration),
                                      columns_promise(description.columns, description.count), err);
    }
    text_deinit(&declaration);
    arena_deinit(&arena);
    return status;
}

static enum status take_table(struct rows_module *module, const char *name,
                              const struct text *statement, struct rows_table **table,
                              struct error *err)
{
    struct rows_table **at = find_table(module, name), *before;

    if (*at && strcmp((*at)->statement, text_string(statement)) != 0)
        forget_table(at); /* a ROLLBACK has taken it back */
    before = *find_table(module, name);
    if (!before || before->is_gone) {
        TRY(check_writes_nothing(text_slice(statement), err));
        if (describe(module, name, (struct slice){text_string(statement), statement->size}, err) !=
            STATUS_OK) {
            if (!before)
                return err->status;
            error_clear(err);
            before->is_gone = false;
        } else if (before) {
            forget_table(find_next(&(*find_table(module, name))->next, name));
        }
    }
    *table = *find_table(module, name);
    return STATUS_OK;
}

/* ----- connecting ----- */

static int made_vtab(struct rows_module *module, const struct rows_table *table,
                     sqlite3_vtab **vtab)
{
    struct rows_vtab *made = sqlite3_malloc64(sizeof *made);

    if (!made)
        return SQLITE_NOMEM;
    *made = (struct rows_vtab){.module = module};
    if (table) {
        made->name = sqlite3_mprintf("%s", table->name);
        made->statement = sqlite3_mprintf("%s", table->statement);
        made->promise = table->promise;
    }
    *vtab = &made->base;
    if (!table || (made->name && made->statement))
        return SQLITE_OK;
    sqlite3_free(made->name);
    sqlite3_free(made->statement);
    sqlite3_free(made);
    return SQLITE_NOMEM;
}

static int code_of(const struct error *err)
{
    return err->status == STATUS_INTERRUPTED ? SQLITE_INTERRUPT
           : err->status == STATUS_NO_MEMORY ? SQLITE_NOMEM
                                             : SQLITE_ERROR;
}

static enum status connect_to(struct rows_module *module, int count, const char *const *arguments,
                              struct text *statement, struct rows_table **table, struct error *err)
{
    if (strcmp(arguments[1], "temp") != 0) {
        fail(err, STATUS_INVALID, "a table of " NAME " is a temporary one");
        return error_hint(err,
                          "Write CREATE VIRTUAL TABLE temp.%s USING ...: in a file it would "
                          "run its statement for whoever reads it.",
                          arguments[2]);
    }
    TRY(take_arguments(count - 3, arguments + 3, statement, err));
    return take_table(module, arguments[2], statement, table, err);
}

/* By the module's name it is the function. */
static int connect_table(sqlite3 *db, void *context, int count, const char *const *arguments,
                         sqlite3_vtab **vtab, char **message)
{
    struct rows_table *table = NULL;
    struct text statement;
    struct error err;
    int code;

    error_clear(&err);
    text_init(&statement, TEXT_MAXIMUM);
    if ((count > 3 || sqlite3_stricmp(arguments[2], NAME) != 0) &&
        connect_to(context, count, arguments, &statement, &table, &err) != STATUS_OK) {
        *message = run_message(text_slice(&statement), &err);
        text_deinit(&statement);
        return code_of(&err);
    }
    text_deinit(&statement);
    code = sqlite3_declare_vtab(db, table ? table->declaration : DECLARATION);
    if (code != SQLITE_OK) { /* columns of equal names, or too many */
        *message = sqlite3_mprintf("%s", sqlite3_errmsg(db));
        if (table)
            forget_table(find_table(context, table->name));
        return code;
    }
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    return made_vtab(context, table, vtab);
}

static int disconnect_table(sqlite3_vtab *base)
{
    struct rows_vtab *vtab = (struct rows_vtab *)base;

    sqlite3_free(vtab->name);
    sqlite3_free(vtab->statement);
    sqlite3_free(vtab);
    return SQLITE_OK;
}

static int destroy_table(sqlite3_vtab *base)
{
    struct rows_vtab *vtab = (struct rows_vtab *)base;
    struct rows_table **at = vtab->name ? find_table(vtab->module, vtab->name) : NULL;

    if (at && *at)
        (*at)->is_gone = true;
    return disconnect_table(base);
}

/* ----- reading ----- */

/* The function's arguments, the first ones without a gap; one that is not known yet makes a plan
 * useless. */
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    int places[1 + VALUES_MAX];

    info->estimatedCost = 1e6; /* it is read once, outside of other loops, if that is possible */
    if (((const struct rows_vtab *)base)->statement)
        return SQLITE_OK;
    for (int v = 0; v <= VALUES_MAX; v++)
        places[v] = -1;
    for (int i = 0; i < info->nConstraint; i++) {
        const int value = info->aConstraint[i].iColumn - COLUMN_STATEMENT;

        if (value < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        places[value] = i;
    }
    for (int v = 0; v <= VALUES_MAX && places[v] >= 0; v++) {
        info->aConstraintUsage[places[v]].argvIndex = v + 1;
        info->aConstraintUsage[places[v]].omit = 1;
    }
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
    struct rows_cursor *made = sqlite3_malloc64(sizeof *made);

    (void)vtab;
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    *cursor = &made->base;
    return SQLITE_OK;
}

static void forget_rows(struct rows_cursor *cursor)
{
    if (cursor->result)
        query_result_free(cursor->result);
    cursor->result = NULL;
    for (int i = 0; i < cursor->count; i++)
        sqlite3_value_free(cursor->values[i]);
    cursor->count = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    forget_rows((struct rows_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static bool are_equal(sqlite3_value *a, sqlite3_value *b)
{
    const int type = sqlite3_value_type(a);

    if (type != sqlite3_value_type(b))
        return false;
    if (type == SQLITE_INTEGER)
        return sqlite3_value_int64(a) == sqlite3_value_int64(b);
    if (type == SQLITE_FLOAT)
        return sqlite3_value_double(a) == sqlite3_value_double(b);
    return type == SQLITE_NULL ||
           (sqlite3_value_bytes(a) == sqlite3_value_bytes(b) &&
            (sqlite3_value_bytes(a) == 0 || memcmp(sqlite3_value_blob(a), sqlite3_value_blob(b),
                                                   (size_t)sqlite3_value_bytes(a)) == 0));
}

static bool has_rows_of(const struct rows_cursor *cursor, int count, sqlite3_value **values)
{
    if (!cursor->result || cursor->count != count)
        return false;
    for (int i = 0; i < count; i++)
        if (!are_equal(cursor->values[i], values[i]))
            return false;
    return true;
}

static bool keep_values(struct rows_cursor *cursor, int count, sqlite3_value **values)
{
    for (; cursor->count < count; cursor->count++) {
        cursor->values[cursor->count] = sqlite3_value_dup(values[cursor->count]);
        if (!cursor->values[cursor->count])
            return false;
    }
    return true;
}

/* The function's text; the table's was looked at when it was created. */
static enum status statement_of(const struct rows_vtab *vtab, int count, sqlite3_value **values,
                                struct slice *statement, struct error *err)
{
    if (vtab->statement) {
        *statement = slice_of(vtab->statement);
        return STATUS_OK;
    }
    if (count == 0 || sqlite3_value_type(values[0]) != SQLITE_TEXT) {
        fail(err, STATUS_INVALID, NAME " needs a statement in quotes");
        return error_hint(err, "Write SELECT row FROM " EXAMPLE ";");
    }
    *statement = slice_of((const char *)sqlite3_value_text(values[0]));
    return check_writes_nothing(*statement, err);
}

static enum status check_promise(const struct rows_vtab *vtab, const struct result *rows,
                                 struct error *err)
{
    if (!vtab->statement || columns_promise(rows->names, rows->column_count) == vtab->promise)
        return STATUS_OK;
    fail(err, STATUS_STALE,
         "the statement of table \"%s\" returns other columns than when it was "
         "created",
         vtab->name);
    return error_hint(err, "Drop the table, and create it again.");
}

static enum status run_statement(struct rows_cursor *cursor, int count, sqlite3_value **values,
                                 struct slice *statement, struct text *written, struct error *err)
{
    const struct rows_vtab *vtab = (const struct rows_vtab *)cursor->base.pVtab;
    const int parameters = count > 0 ? count - 1 : 0;

    TRY(statement_of(vtab, count, values, statement, err));
    cursor->result = query_result_new(&vtab->module->connection->results);
    if (!cursor->result)
        return fail_no_memory(err);
    TRY(run_into(vtab->module->connection, *statement, parameters, count > 0 ? values + 1 : NULL,
                 written, cursor->result, err));
    return check_promise(vtab, &cursor->result->rows, err);
}

static int fail_with(sqlite3_vtab_cursor *base, struct slice statement, const struct error *err)
{
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = run_message(statement, err);
    return code_of(err);
}

static int filter(sqlite3_vtab_cursor *base, int index, const char *text, int count,
                  sqlite3_value **values)
{
    struct rows_cursor *cursor = (struct rows_cursor *)base;
    struct slice statement = {"", 0};
    struct text written;
    struct error err;
    int code = SQLITE_OK;

    (void)index;
    (void)text;
    cursor->at = 0;
    if (has_rows_of(cursor, count, values))
        return SQLITE_OK;
    forget_rows(cursor);
    error_clear(&err);
    text_init(&written, TEXT_MAXIMUM);
    if (run_statement(cursor, count, values, &statement, &written, &err) != STATUS_OK)
        code = fail_with(base, written.size > 0 ? text_slice(&written) : statement, &err);
    else if (!keep_values(cursor, count, values))
        code = SQLITE_NOMEM;
    text_deinit(&written);
    if (code != SQLITE_OK)
        forget_rows(cursor);
    return code;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct rows_cursor *)base)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct rows_cursor *cursor = (const struct rows_cursor *)base;

    return !cursor->result || !query_result_has(cursor->result, cursor->at);
}

static int result_json(const struct rows_cursor *cursor, const struct cell *cells,
                       sqlite3_context *context)
{
    const struct result_row row = {NULL, (struct cell *)(uintptr_t)cells};
    struct text json;
    struct error err;

    text_init(&json, RESULT_BYTES_MAX);
    if (result_row_to_json(&cursor->result->rows, &row, &json, &err) == STATUS_OK) {
        sqlite3_result_text64(context, text_string(&json), json.size, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
        sqlite3_result_subtype(context, JSON_SUBTYPE);
    } else {
        sqlite3_result_error(context, err.message, -1);
    }
    text_deinit(&json);
    return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    struct rows_cursor *cursor = (struct rows_cursor *)base;
    const bool is_function = !((const struct rows_vtab *)base->pVtab)->statement;
    const struct cell *cells;

    if (is_function && number != COLUMN_ROW) {
        if (number - COLUMN_STATEMENT < cursor->count)
            sqlite3_result_value(context, cursor->values[number - COLUMN_STATEMENT]);
        return SQLITE_OK;
    }
    cells = query_result_row(cursor->result, cursor->at);
    if (!cells) {
        sqlite3_result_error(context, NAME ": the result cannot be read", -1);
        return SQLITE_OK;
    }
    if (is_function)
        return result_json(cursor, cells, context);
    sql_result_cell(context, &cells[number]);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = ((struct rows_cursor *)base)->at + 1;
    return SQLITE_OK;
}

static int rename_table(sqlite3_vtab *base, const char *name)
{
    struct rows_vtab *vtab = (struct rows_vtab *)base;
    struct rows_table *before = vtab->name ? *find_table(vtab->module, vtab->name) : NULL, **there;
    char *own = sqlite3_mprintf("%s", name);
    struct error ignored;

    there = find_table(vtab->module, name);
    if (*there && (*there)->is_gone)
        forget_table(there);
    if (!own || !before ||
        remember_table(vtab->module, name, before->statement, before->declaration, before->promise,
                       &ignored) != STATUS_OK) {
        sqlite3_free(own);
        return SQLITE_NOMEM;
    }
    before->is_gone = true;
    sqlite3_free(vtab->name);
    vtab->name = own;
    return SQLITE_OK;
}

/* One function creates and connects: then the module's name is a table, too, the function's. */
static const sqlite3_module module = {
    .iVersion = 1,
    .xCreate = connect_table,
    .xConnect = connect_table,
    .xBestIndex = best_index,
    .xDisconnect = disconnect_table,
    .xDestroy = destroy_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = row_id,
    .xRename = rename_table,
};

enum status rows_table_register(struct sqlite_connection *connection, struct error *err)
{
    struct rows_module *made = calloc(1, sizeof *made);
    int code;

    if (!made)
        return fail_no_memory(err);
    made->connection = connection;
    code = sqlite3_create_module_v2(connection->db, NAME, &module, made, free_module);
    return code == SQLITE_OK ? STATUS_OK : sql_fail(connection->db, code, err);
}
