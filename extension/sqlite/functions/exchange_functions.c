#include "extension/sqlite/functions/exchange_functions.h"

#include "extension/engine/exchange_run.h"
#include "extension/engine/report_run.h"
#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/functions/functions.h"
#include "interop/exchange.h"
#include "report/card.h"

static struct slice text_argument(sqlite3_value *value)
{
    const char *bytes = (const char *)sqlite3_value_text(value);

    return (struct slice){bytes, bytes ? (size_t)sqlite3_value_bytes(value) : 0};
}

static bool is_null(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL;
}

static void export(sqlite3_context *context, sqlite3_value **values, bool as_text)
{
    const struct sqlite_connection *connection = sqlite3_user_data(context);
    struct text bytes;
    struct error err;

    if (is_null(values[0]) || is_null(values[1]))
        return;
    text_init(&bytes, EXCHANGE_BYTES_MAX);
    if ((as_text ? export_text_function
                 : export_function)(&connection->host.sql.host, text_argument(values[0]),
                                    text_argument(values[1]), &bytes, &err) != STATUS_OK)
        function_raise(context, as_text ? "totrain_export_text" : "totrain_export_model", &err);
    else if (as_text)
        sqlite3_result_text64(context, text_string(&bytes), bytes.size, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    else
        sqlite3_result_blob64(context, text_string(&bytes), bytes.size, SQLITE_TRANSIENT);
    text_deinit(&bytes);
}

static void export_model(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    export(context, values, false);
}

static void export_text(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    export(context, values, true);
}

static enum status import(const struct sqlite_connection *connection, int count,
                          sqlite3_value **values, int64_t *version, struct error *err)
{
    const int type = sqlite3_value_type(values[1]);
    struct slice content = {NULL, 0}, format = {NULL, 0};
    enum status status;

    if (type != SQLITE_BLOB && type != SQLITE_TEXT)
        return fail(err, STATUS_INVALID, "the second argument is the file's content, a blob");
    content.data = type == SQLITE_TEXT ? (const char *)sqlite3_value_text(values[1])
                                       : sqlite3_value_blob(values[1]);
    content.size = (size_t)sqlite3_value_bytes(values[1]);
    if (count == 3 && !is_null(values[2]))
        format = text_argument(values[2]);
    python_signals_begin(connection->db);
    status = import_function(&connection->host.sql.host, text_argument(values[0]), content, format,
                             version, err);
    python_signals_end();
    return status;
}

static void import_model(sqlite3_context *context, int count, sqlite3_value **values)
{
    int64_t version = 0;
    struct error err;

    if (is_null(values[0]) || is_null(values[1]))
        return;
    if (import(sqlite3_user_data(context), count, values, &version, &err) == STATUS_OK)
        sqlite3_result_int64(context, version);
    else
        function_raise(context, "totrain_import_model", &err);
}

static void report(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct sqlite_connection *connection = sqlite3_user_data(context);
    struct report_call call = {.model = text_argument(values[0])};
    struct text page;
    struct error err;
    enum status status;

    if (is_null(values[0]))
        return;
    if (count > 1 && !is_null(values[1]))
        call.format = text_argument(values[1]);
    if (count > 2 && !is_null(values[2]))
        call.select = text_argument(values[2]);
    text_init(&page, CARD_BYTES_MAX);
    python_signals_begin(connection->db);
    status = report_function(&connection->host.sql.host, &call, &page, &err);
    python_signals_end();
    if (status == STATUS_OK)
        sqlite3_result_text64(context, text_string(&page), page.size, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    else
        function_raise(context, "totrain_report", &err);
    text_deinit(&page);
}

/* Not for views or triggers that another person put into the file: one of them writes tables, and
 * one runs a SELECT. */
int exchange_functions_register(struct sqlite_connection *connection)
{
    static const struct {
        const char *name;
        int arguments;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"totrain_export_model", 2, export_model},
        {"totrain_export_text", 2, export_text},
        {"totrain_import_model", 2, import_model},
        {"totrain_import_model", 3, import_model},
        {"totrain_report", 1, report},
        {"totrain_report", 2, report},
        {"totrain_report", 3, report},
    };

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const int code = sqlite3_create_function_v2(
            connection->db, functions[i].name, functions[i].arguments,
            SQLITE_UTF8 | SQLITE_DIRECTONLY, connection, functions[i].function, NULL, NULL, NULL);

        if (code != SQLITE_OK)
            return code;
    }
    return SQLITE_OK;
}
