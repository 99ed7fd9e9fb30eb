#include "extension/sqlite/functions/forecast_series.h"

#include <stdlib.h>

#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/functions/functions.h"
#include "extension/sqlite/host/query.h"
#include "extension/sqlite/host/sqlite_host.h"
#include "forecast/points.h"

#define NAME "totrain_forecast_series"

/* SQLite keeps the pointer, zeroed before the first row, and calls finish() whatever happens. */
struct state {
    struct points *points;
    bool has_failed;
};

static enum status begin(struct state *state, struct error *err)
{
    if (state->points)
        return STATUS_OK;
    state->points = malloc(sizeof *state->points);
    if (!state->points)
        return fail_no_memory(err);
    points_init(state->points, ARENA_MAXIMUM);
    return STATUS_OK;
}

static void step(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct state *state = sqlite3_aggregate_context(context, sizeof *state);
    struct cell cells[4] = {
        {.type = CELL_NULL}, {.type = CELL_NULL}, {.type = CELL_NULL}, {.type = CELL_NULL}};
    struct error err;
    enum status status;

    if (!state) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (state->has_failed)
        return;
    for (int i = 0; i < count; i++)
        sql_value(values[i], &cells[i]);
    status =
        python_signals_stop() ? fail(&err, STATUS_INTERRUPTED, "interrupted") : begin(state, &err);
    if (status == STATUS_OK)
        status = points_add(state->points, &cells[0], &cells[1], &cells[2], &cells[3], &err);
    if (status != STATUS_OK) {
        state->has_failed = true;
        function_raise(context, NAME, &err);
    }
}

static void finish(sqlite3_context *context)
{
    struct state *state = sqlite3_aggregate_context(context, 0);
    struct sqlite_host host = {.db = sqlite3_context_db_handle(context)};
    struct text json;
    struct error err;
    bool has_any;

    if (!state || !state->points)
        return;
    text_init(&json, TEXT_MAXIMUM);
    if (state->has_failed) {
        /* The row's error stands. */
    } else if (points_forecast(state->points, host_interrupted, &host, &json, &has_any, &err) !=
               STATUS_OK) {
        function_raise(context, NAME, &err);
    } else if (has_any) {
        sqlite3_result_text64(context, text_string(&json), json.size, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
        sqlite3_result_subtype(context, 'J'); /* JSON functions take it as it is */
    }
    text_deinit(&json);
    points_deinit(state->points);
    free(state->points);
    state->points = NULL;
}

enum status forecast_series_register(sqlite3 *db, struct error *err)
{
    for (int arguments = 3; arguments <= 4; arguments++) {
        const int code = sqlite3_create_function_v2(db, NAME, arguments,
                                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC |
                                                        SQLITE_INNOCUOUS | SQLITE_SUBTYPE,
                                                    NULL, NULL, step, finish, NULL);

        if (code != SQLITE_OK)
            return sql_fail(db, code, err);
    }
    return STATUS_OK;
}
