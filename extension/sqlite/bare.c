#include "extension/sqlite/bare.h"

#include <stdlib.h>
#include <string.h>

#include "extension/engine/engine.h"
#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/functions/sqlite_connection.h"
#include "extension/sqlite/parameters.h"
#include "extension/sqlite/run.h"
#include "parser/refused.h"
#include "parser/splitter.h"

#define MARK "/* totrain */ " /* before what a bare statement becomes */

/*
 * A scalar function in a query without FROM opens no transaction on the user's
 * database: the statement can write, and others can write while it runs. The
 * recursive query then gives its rows.
 */
static void generate(struct slice statement, const struct description *description,
                     struct slice parameters, struct text *sql)
{
    text_append_string(sql, "WITH RECURSIVE r(h,i) AS (SELECT totrain_exec(");
    text_append_literal(sql, statement);
    text_printf(sql, ",%lld%.*s),0",
                (long long)columns_promise(description->columns, description->count),
                SLICE_FORMAT(parameters));
    text_append_string(sql, " UNION ALL SELECT h,i+1 FROM r WHERE totrain_more(h,i)) SELECT ");
    for (size_t i = 0; i < description->count; i++) {
        text_printf(sql, "%stotrain_cell(h,i,%zu) AS ", i ? "," : "", i);
        text_append_identifier(sql, description->columns[i]);
    }
    text_append_string(sql, " FROM r WHERE totrain_more(h,i-1)");
}

static enum status generate_with_parameters(struct sqlite_connection *connection,
                                            struct slice statement,
                                            const struct description *description, struct text *sql,
                                            struct error *err)
{
    const struct piece piece = split_piece(statement, 0);
    struct text parameters;
    enum status status;

    text_init(&parameters, TEXT_MAXIMUM);
    status = parameters_list(connection->db, description->select, &parameters, err);
    if (status == STATUS_OK)
        generate(statement, description, text_slice(&parameters), sql);
    else if (err->position >= 0)
        err->position += piece.select_start;
    text_deinit(&parameters);
    return status;
}

static enum status translate(struct sqlite_connection *connection, struct slice statement,
                             struct text *sql, struct error *err)
{
    struct description description;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    python_signals_begin(connection->db);
    connection->host.is_preparing = true;
    status =
        engine_describe(&connection->host.sql.host, statement, NULL, &arena, &description, err);
    connection->host.is_preparing = false;
    python_signals_end();
    if (status == STATUS_OK && description.query.size > 0)
        text_append(sql, description.query);
    else if (status == STATUS_OK)
        status = generate_with_parameters(connection, statement, &description, sql, err);
    arena_deinit(&arena);
    return status == STATUS_OK && sql->failed ? fail_no_memory(err) : status;
}

/*
 * The caller of prepare will ask sqlite3_errmsg() why it failed. Only
 * SQLite can set that message, so SQLite fails with it: a function that
 * raises it, in a statement that is stepped here.
 */
static int leave_error(struct sqlite_connection *connection, struct slice statement,
                       const struct error *err)
{
    sqlite3_stmt *raising = NULL;
    int code;

    text_clear(&connection->message);
    error_render(err, statement, &connection->message);
    code = sqlite3_prepare_v2(connection->db, "SELECT totrain_raise()", -1, &raising, NULL);
    if (code != SQLITE_OK)
        return code;
    sqlite3_step(raising);
    return sqlite3_finalize(raising);
}

static int prepare_piece(struct sqlite_connection *connection, struct slice statement,
                         unsigned flags, sqlite3_stmt **prepared)
{
    struct text sql;
    struct error err;
    int code;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, MARK);
    if (translate(connection, statement, &sql, &err) == STATUS_OK)
        code = sqlite3_prepare_v3(connection->db, text_string(&sql), (int)sql.size, flags, prepared,
                                  NULL);
    else
        code = leave_error(connection, statement, &err);
    text_deinit(&sql);
    return code;
}

bool bare_is_prepared(sqlite3_stmt *statement)
{
    const char *sql = sqlite3_sql(statement);

    return sql && strncmp(sql, MARK, strlen(MARK)) == 0;
}

static struct slice given(const char *sql, int bytes)
{
    return (struct slice){sql, bytes < 0 ? strlen(sql) : strnlen(sql, (size_t)bytes)};
}

int bare_refused(struct sqlite_connection *connection, const char *sql, int bytes, int code)
{
    const struct slice text = given(sql, bytes);
    struct error err;

    if (code == SQLITE_OK)
        return code;
    fail_at(&err, STATUS_SYNTAX, sql_error_offset(connection->db), "%s",
            sqlite3_errmsg(connection->db));
    return (sql_is_syntax_error(connection->db, code) ? refused_hint(text, err.position, &err)
                                                      : refused_missing_hint(text, &err))
               ? leave_error(connection, text, &err)
               : code;
}

bool bare_prepare(struct sqlite_connection *connection, const char *sql, int bytes, unsigned flags,
                  sqlite3_stmt **statement, const char **tail, int *code)
{
    struct slice text = given(sql, bytes);
    struct piece piece = split_piece(text, 0);
    struct slice ours;

    if (piece.kind != PIECE_OURS)
        return false;
    ours = (struct slice){sql + piece.span.start, (size_t)(piece.span.end - piece.span.start)};
    *statement = NULL;
    *code = prepare_piece(connection, ours, flags, statement);
    if (tail)
        *tail = sql + piece.next;
    return true;
}

static void sql_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sqlite_connection *connection = sqlite3_user_data(context);
    const char *bytes = (const char *)sqlite3_value_text(values[0]);
    struct piece piece = split_piece(given(bytes ? bytes : "", -1), 0);
    struct slice statement = {bytes + piece.span.start,
                              (size_t)(piece.span.end - piece.span.start)};
    struct text sql;
    struct error err;

    (void)count;
    if (piece.kind != PIECE_OURS)
        return; /* NULL */
    text_init(&sql, TEXT_MAXIMUM);
    if (translate(connection, statement, &sql, &err) == STATUS_OK)
        sqlite3_result_text64(context, text_string(&sql), sql.size, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        run_raise(context, statement, &err);
    text_deinit(&sql);
}

int bare_register(struct sqlite_connection *connection)
{
    return sqlite3_create_function_v2(connection->db, "totrain_sql", 1,
                                      SQLITE_UTF8 | SQLITE_DIRECTONLY, connection, sql_function,
                                      NULL, NULL, NULL);
}
