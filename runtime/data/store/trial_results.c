#include "runtime/data/store/trial_results.h"

#include <math.h>
#include <sqlite3.h>

#include "runtime/data/store/jobstore_parts.h"

static const char table[] =
    "CREATE TABLE IF NOT EXISTS trials(number INTEGER PRIMARY KEY, value REAL, metric TEXT NOT "
    "NULL, epochs INTEGER NOT NULL, state TEXT NOT NULL, settings TEXT NOT NULL, error TEXT NOT "
    "NULL, deviation REAL)";

static void bind_result(sqlite3_stmt *statement, const struct trial_result *result)
{
    sqlite3_bind_int64(statement, 1, result->number);
    if (isfinite(result->value))
        sqlite3_bind_double(statement, 2, result->value);
    sqlite3_bind_text(statement, 3, result->metric, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, result->epochs);
    sqlite3_bind_text(statement, 5, result->state, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 6, result->settings, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 7, result->error, -1, SQLITE_STATIC);
    if (isfinite(result->deviation))
        sqlite3_bind_double(statement, 8, result->deviation);
}

enum status trial_result_put(struct jobstore *store, const struct trial_result *result,
                             struct error *err)
{
    sqlite3_stmt *statement;
    enum status status = STATUS_OK;

    TRY(jobstore_run(store, table, err));
    TRY(jobstore_prepare(store, "INSERT INTO trials VALUES(?, ?, ?, ?, ?, ?, ?, ?)", &statement,
                         err));
    bind_result(statement, result);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = jobstore_failed(store, err);
    sqlite3_finalize(statement);
    return status;
}

static const char *text_of(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);

    return text ? (const char *)text : "";
}

static double real_of(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? (double)NAN
               : sqlite3_column_double(statement, column);
}

/* A column that is not there is NULL: a job's store may be older than the deviations. */
static struct trial_result result_of(sqlite3_stmt *statement)
{
    return (struct trial_result){
        .number = (uint32_t)sqlite3_column_int64(statement, 0),
        .value = real_of(statement, 1),
        .metric = text_of(statement, 2),
        .epochs = (uint32_t)sqlite3_column_int64(statement, 3),
        .state = text_of(statement, 4),
        .settings = text_of(statement, 5),
        .error = text_of(statement, 6),
        .deviation = real_of(statement, 7),
    };
}

enum status trial_results_each(struct jobstore *store,
                               enum status (*each)(void *context, const struct trial_result *result,
                                                   struct error *err),
                               void *context, struct error *err)
{
    enum status status = STATUS_OK;
    sqlite3_stmt *statement;
    bool has_table;
    int stepped;

    TRY(jobstore_has_table(store, "trials", &has_table, err));
    if (!has_table)
        return STATUS_OK;
    TRY(jobstore_prepare(store, "SELECT * FROM trials ORDER BY number", &statement, err));
    while (status == STATUS_OK && (stepped = sqlite3_step(statement)) != SQLITE_DONE) {
        const struct trial_result result = result_of(statement);

        status = stepped == SQLITE_ROW ? each(context, &result, err) : jobstore_failed(store, err);
    }
    sqlite3_finalize(statement);
    return status;
}
