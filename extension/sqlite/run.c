#include "extension/sqlite/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory_size.h"
#include "base/sums/hash.h"
#include "extension/engine/engine.h"
#include "extension/engine/jobs/progress.h"
#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/functions/exchange_functions.h"
#include "extension/sqlite/functions/functions.h"
#include "extension/sqlite/functions/sqlite_connection.h"
#include "extension/sqlite/parameters.h"
#include "extension/sqlite/progress_pipe.h"
#include "extension/sqlite/rows_table.h"
#include "runtime/launch/job_folder.h"

/* ----- progress: one redrawn line, on a terminal ----- */

struct terminal {
    struct sink keep; /* where rows go */
    bool is_terminal;
    bool is_drawn;
    int pipe; /* -1: none */
};

static enum status terminal_columns(void *self, const struct slice *names, size_t count,
                                    struct error *err)
{
    return sink_columns(&((struct terminal *)self)->keep, names, count, err);
}

static enum status terminal_row(void *self, const struct cell *cells, size_t count,
                                struct error *err)
{
    return sink_row(&((struct terminal *)self)->keep, cells, count, err);
}

static void erase(struct terminal *terminal)
{
    if (terminal->is_drawn)
        fputs("\r\033[K", stderr);
    terminal->is_drawn = false;
}

static void terminal_notice(void *self, const char *line)
{
    struct terminal *terminal = self;

    progress_pipe_notice(terminal->pipe, line);
    if (!terminal->is_terminal)
        return;
    erase(terminal);
    fprintf(stderr, "NOTICE:  %s\n", line);
}

static void terminal_progress(void *self, const struct job_event *event)
{
    struct terminal *terminal = self;
    struct text line;

    progress_pipe_event(terminal->pipe, event);
    if (!terminal->is_terminal)
        return;
    erase(terminal);
    if (event->kind != JOB_PROGRESS)
        return;
    text_init(&line, 512);
    progress_line(event, &line);
    fprintf(stderr, "%.*s", progress_bytes_drawn(&line, STDERR_FILENO), text_string(&line));
    text_deinit(&line);
    terminal->is_drawn = true;
}

/* A temporary view may read itself by a statement, until the stack ends. */
#define RUNNING_MAX 8

static enum status run(struct sqlite_connection *connection, struct slice text,
                       const struct sink *keep, struct error *err)
{
    struct terminal terminal = {
        .keep = *keep, .is_terminal = isatty(STDERR_FILENO), .pipe = connection->progress_pipe};
    struct sink sink = {.self = &terminal,
                        .columns = terminal_columns,
                        .row = terminal_row,
                        .notice = terminal_notice,
                        .progress = terminal_progress};

    enum status status;

    if (connection->running >= RUNNING_MAX) {
        fail(err, STATUS_LIMIT, "a statement runs at most %d others inside of one another",
             RUNNING_MAX - 1);
        return error_hint(err, "Does a temporary view read itself by its statement?");
    }
    connection->running++;
    python_signals_begin(connection->db);
    status = engine_run(&connection->host.sql.host, text, NULL, &sink, err);
    python_signals_end();
    connection->running--;
    return status;
}

/* ----- errors, as every door shows them ----- */

/* The client puts its own word for "error" before it. */
static struct slice without_prefix(struct slice rendered)
{
    struct slice prefix = SLICE("ERROR:  ");

    rendered = slice_trim(rendered);
    if (rendered.size > prefix.size && memcmp(rendered.data, prefix.data, prefix.size) == 0) {
        rendered.data += prefix.size;
        rendered.size -= prefix.size;
    }
    return rendered;
}

static void raise_rendered(sqlite3_context *context, struct slice rendered)
{
    const struct slice message = without_prefix(rendered);

    sqlite3_result_error(context, message.data, (int)message.size);
}

char *run_message(struct slice sql, const struct error *err)
{
    struct slice message;
    struct text rendered;
    char *copy;

    text_init(&rendered, 8192);
    error_render(err, sql, &rendered);
    message = without_prefix(text_slice(&rendered));
    copy = sqlite3_mprintf("%.*s", SLICE_FORMAT(message));
    text_deinit(&rendered);
    return copy;
}

void run_raise(sqlite3_context *context, struct slice sql, const struct error *err)
{
    struct text rendered;

    text_init(&rendered, 8192);
    error_render(err, sql, &rendered);
    raise_rendered(context, text_slice(&rendered));
    if (err->status == STATUS_INTERRUPTED)
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    else if (err->status == STATUS_NO_MEMORY)
        sqlite3_result_error_nomem(context);
    text_deinit(&rendered);
}

/* The message that bare_prepare() left for its caller to see. */
static void raise_left(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sqlite_connection *connection = sqlite3_user_data(context);

    (void)count;
    (void)values;
    raise_rendered(context, text_slice(&connection->message));
}

/* ----- totrain_exec, _more, _cell ----- */

static struct slice text_argument(sqlite3_value *value)
{
    const char *bytes = (const char *)sqlite3_value_text(value);

    return (struct slice){bytes, bytes ? (size_t)sqlite3_value_bytes(value) : 0};
}

/* *written: the statement as it ran, to which the error's position belongs. */
static enum status run_with_values(struct sqlite_connection *connection, struct slice text,
                                   int count, sqlite3_value **values, struct text *written,
                                   const struct sink *keep, struct error *err)
{
    enum status status;

    error_clear(err);
    status = parameters_write(connection->db, text, count, values, written, err);
    if (status == STATUS_OK)
        return run(connection, text_slice(written), keep, err);
    text_clear(written);
    text_append(written, text);
    return status;
}

#define COUNT_BITS 16 /* SQLite has 32767 columns at most */

int64_t columns_promise(const struct slice *names, size_t count)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < count; i++)
        hash = bytes_hash(names[i].data, names[i].size, hash);
    return (int64_t)(hash >> (COUNT_BITS + 1) << COUNT_BITS | count);
}

/* totrain_exec(TEXT, COLUMNS, VALUE, ...): the columns were promised when the statement
 * was prepared, which may be long ago. */
static enum status check_columns(const struct result *result, int64_t promised, struct error *err)
{
    const int64_t count = promised & ((1 << COUNT_BITS) - 1);

    if (columns_promise(result->names, result->column_count) == promised)
        return STATUS_OK;
    if ((int64_t)result->column_count == count)
        fail(err, STATUS_STALE, "the statement was prepared when its columns had other names");
    else
        fail(err, STATUS_STALE,
             "the statement was prepared when it returned %lld columns; it returns %zu now",
             (long long)count, result->column_count);
    return error_hint(err, "Prepare it again; where statements are kept by their text, any "
                           "change of its text does, such as a comment.");
}

enum status run_into(struct sqlite_connection *connection, struct slice text, int count,
                     sqlite3_value **values, struct text *written, struct query_result *result,
                     struct error *err)
{
    const char *state = connection->host.sql.host.session.state;
    char folder[PATH_MAX];
    const bool has_folder = job_folder_jobs(state, folder, err) == STATUS_OK;
    const struct sink keep = query_result_sink(result, has_folder ? folder : NULL);

    TRY(run_with_values(connection, text, count, values, written, &keep, err));
    return query_result_end(result, err);
}

static void exec(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sqlite_connection *connection = sqlite3_user_data(context);
    struct query_result *result = query_result_new(&connection->results);
    struct text written;
    struct error err;
    enum status status;

    if (!result) {
        sqlite3_result_error_nomem(context);
        return;
    }
    text_init(&written, TEXT_MAXIMUM);
    status = run_into(connection, text_argument(values[0]), count - 2, values + 2, &written, result,
                      &err);
    if (status == STATUS_OK)
        status = check_columns(&result->rows, sqlite3_value_int64(values[1]), &err);
    if (status == STATUS_OK) {
        sqlite3_result_int64(context, result->handle);
        sqlite3_set_auxdata(context, 0, result, query_result_free);
    } else {
        run_raise(context, text_slice(&written), &err);
        query_result_free(result);
    }
    text_deinit(&written);
}

static void more(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sqlite_connection *connection = sqlite3_user_data(context);
    struct query_result *result =
        query_result_find(&connection->results, sqlite3_value_int64(values[0]));

    (void)count;
    sqlite3_result_int(context,
                       result && query_result_has(result, sqlite3_value_int64(values[1]) + 1));
}

static void cell(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sqlite_connection *connection = sqlite3_user_data(context);
    struct query_result *result =
        query_result_find(&connection->results, sqlite3_value_int64(values[0]));
    const struct cell *cells =
        result ? query_result_row(result, sqlite3_value_int64(values[1])) : NULL;
    sqlite3_int64 column = sqlite3_value_int64(values[2]);

    (void)count;
    if (!cells || column < 0 || (size_t)column >= result->rows.column_count)
        sqlite3_result_error(context, "totrain_cell: the result is gone", -1);
    else
        sql_result_cell(context, &cells[column]);
}

/* ----- totrain('...'): the function form ----- */

/* An array of one object a row. */
static enum status result_to_json(const struct result *result, struct text *json, struct error *err)
{
    text_append_char(json, '[');
    for (const struct result_row *row = result->first; row; row = row->next) {
        if (row != result->first)
            text_append_char(json, ',');
        TRY(result_row_to_json(result, row, json, err));
    }
    text_append_char(json, ']');
    return json->failed ? fail_no_memory(err) : STATUS_OK;
}

static void statement_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sqlite_connection *connection = sqlite3_user_data(context);
    struct query_result *result = query_result_new(&connection->results);
    struct text json, written;
    struct error err;
    enum status status;
    struct sink keep;

    if (!result) {
        sqlite3_result_error_nomem(context);
        return;
    }
    keep = query_result_sink(result, NULL);
    if (count < 1) {
        sqlite3_result_error(context, "totrain: expected a statement in quotes", -1);
        query_result_free(result);
        return;
    }
    text_init(&json, RESULT_BYTES_MAX);
    text_init(&written, TEXT_MAXIMUM);
    status = run_with_values(connection, text_argument(values[0]), count - 1, values + 1, &written,
                             &keep, &err);
    if (status == STATUS_OK)
        status = result_to_json(&result->rows, &json, &err);
    if (status == STATUS_OK)
        sqlite3_result_text64(context, text_string(&json), json.size, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    else
        run_raise(context, text_slice(&written), &err);
    text_deinit(&json);
    text_deinit(&written);
    query_result_free(result);
}

/* ----- totrain_config(name[, value]) ----- */

static void config_bare_statements(struct sqlite_connection *connection, sqlite3_context *context,
                                   sqlite3_value *given)
{
    struct slice value = given ? text_argument(given) : SLICE("on");

    if (!slice_is_fold(value, "on") && !slice_is_fold(value, "off")) {
        sqlite3_result_error(context, "totrain_config: bare_statements is 'on' or 'off'", -1);
        return;
    }
    if (given)
        connection->bare_statements = slice_is_fold(value, "on");
    sqlite3_result_text(context, connection->bare_statements ? "on" : "off", -1, SQLITE_STATIC);
}

static void config_progress(struct sqlite_connection *connection, sqlite3_context *context,
                            sqlite3_value *given)
{
    int descriptor = given ? sqlite3_value_int(given) : connection->progress_pipe;

    if (given && descriptor != -1 &&
        (sqlite3_value_numeric_type(given) != SQLITE_INTEGER || !progress_pipe_take(descriptor))) {
        sqlite3_result_error(
            context, "totrain_config: progress is the descriptor of a pipe to write to, or -1", -1);
        return;
    }
    connection->progress_pipe = descriptor;
    sqlite3_result_int(context, descriptor);
}

static void config_model_cache(struct sqlite_connection *connection, sqlite3_context *context,
                               sqlite3_value *given)
{
    double bytes = 0;
    struct text text;

    if (given && !(memory_size_read(text_argument(given), &bytes) && bytes < SIZE_MAX)) {
        sqlite3_result_error(
            context, "totrain_config: model_cache is an amount of memory, such as '128Mi', or 0",
            -1);
        return;
    }
    if (given)
        model_cache_limit(&connection->models, (size_t)bytes);
    text_init(&text, MEMORY_SIZE_BYTES_MAX);
    memory_size_append(&text, connection->models.bytes_max);
    sqlite3_result_text(context, text_string(&text), -1, SQLITE_TRANSIENT);
    text_deinit(&text);
}

static void config(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sqlite_connection *connection = sqlite3_user_data(context);
    struct slice name = count > 0 ? text_argument(values[0]) : SLICE("");
    sqlite3_value *given = count > 1 ? values[1] : NULL;

    if (count < 3 && slice_is_fold(name, "bare_statements"))
        config_bare_statements(connection, context, given);
    else if (count < 3 && slice_is_fold(name, "model_cache"))
        config_model_cache(connection, context, given);
    else if (count < 3 && slice_is_fold(name, "progress"))
        config_progress(connection, context, given);
    else
        sqlite3_result_error(
            context,
            "totrain_config: the settings are 'bare_statements', 'model_cache' and 'progress'", -1);
}

static void closed(void *connection)
{
    sqlite_connection_remove(connection);
}

/* Functions with side effects must not be reachable from a view or trigger that
 * another person put into the file. */
static const struct {
    const char *name;
    int arguments;
    void (*function)(sqlite3_context *, int, sqlite3_value **);
} functions[] = {
    {"totrain", -1, statement_function}, {"totrain_exec", -1, exec},
    {"totrain_more", 2, more},           {"totrain_cell", 3, cell},
    {"totrain_raise", 0, raise_left},    {"totrain_config", -1, config},
};

int run_register(struct sqlite_connection *connection)
{
    size_t count = sizeof functions / sizeof *functions;
    int exchange = exchange_functions_register(connection);

    if (exchange != SQLITE_OK) {
        sqlite_connection_remove(connection);
        return exchange;
    }
    for (size_t i = 0; i < count; i++) {
        /* SQLite calls it when the connection closes, and also when this very
         * registration fails: the last function carries it. */
        void (*destroy)(void *) = i + 1 == count ? closed : NULL;
        int code =
            sqlite3_create_function_v2(connection->db, functions[i].name, functions[i].arguments,
                                       SQLITE_UTF8 | SQLITE_DIRECTONLY, connection,
                                       functions[i].function, NULL, NULL, destroy);
        if (code != SQLITE_OK) {
            if (!destroy)
                sqlite_connection_remove(connection);
            return code;
        }
    }
    return SQLITE_OK;
}

enum status run_open(sqlite3 *db, const char *program, struct error *err)
{
    struct sqlite_connection *connection = sqlite_connection_add(db, program);

    if (!connection)
        return fail_no_memory(err);
    if (run_register(connection) != SQLITE_OK)
        return fail(err, STATUS_DATABASE, "%s", sqlite3_errmsg(db));
    TRY(rows_table_register(connection, err));
    return functions_register(connection, err);
}
