#include "runtime/data/store/fold_results.h"

#include <math.h>
#include <sqlite3.h>

#include "runtime/data/store/jobstore_parts.h"

static const char table[] = "CREATE TABLE IF NOT EXISTS folds(name TEXT NOT NULL UNIQUE, mean REAL,"
                            " deviation REAL)";

static void bind_real(sqlite3_stmt *statement, int place, double value)
{
    if (isfinite(value))
        sqlite3_bind_double(statement, place, value);
    else
        sqlite3_bind_null(statement, place);
}

enum status fold_result_put(struct jobstore *store, const struct fold_result *result,
                            struct error *err)
{
    sqlite3_stmt *statement;
    enum status status = STATUS_OK;

    TRY(jobstore_run(store, table, err));
    TRY(jobstore_prepare(store, "INSERT INTO folds VALUES(?, ?, ?)", &statement, err));
    sqlite3_bind_text(statement, 1, result->name, -1, SQLITE_STATIC);
    bind_real(statement, 2, result->mean);
    bind_real(statement, 3, result->deviation);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = jobstore_failed(store, err);
    sqlite3_finalize(statement);
    return status;
}

static double real_or_nan(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? (double)NAN
               : sqlite3_column_double(statement, column);
}

enum status fold_result_find(struct jobstore *store, const char *name, struct fold_result *result,
                             bool *has, struct error *err)
{
    sqlite3_stmt *statement;
    int stepped;

    TRY(jobstore_has_table(store, "folds", has, err));
    if (!*has)
        return STATUS_OK;
    TRY(jobstore_prepare(store, "SELECT mean, deviation FROM folds WHERE name = ?", &statement,
                         err));
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    stepped = sqlite3_step(statement);
    *has = stepped == SQLITE_ROW;
    if (*has)
        *result = (struct fold_result){name, real_or_nan(statement, 0), real_or_nan(statement, 1)};
    sqlite3_finalize(statement);
    return *has || stepped == SQLITE_DONE ? STATUS_OK : jobstore_failed(store, err);
}
