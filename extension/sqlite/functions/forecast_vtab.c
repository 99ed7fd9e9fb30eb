#include "extension/sqlite/functions/forecast_vtab.h"

#include <string.h>

#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/api/sql.h"
#include "kinds/forecast/forecast_rows.h"

#define NAME        "totrain_forecast"
#define ASK_SIGNALS 1024 /* rows between two looks */

enum forecast_column {
    COLUMN_SERIES,
    COLUMN_TIME,
    COLUMN_VALUE,
    COLUMN_LOWER,
    COLUMN_UPPER,
    COLUMN_MODEL, /* hidden: the arguments, */
    COLUMN_STEPS,
    COLUMN_LEVEL,
    COLUMN_GROUP /* and the words of the group */
};

#define DECLARATION                                                                                \
    "CREATE TABLE t(series, time, value REAL, lower REAL, upper REAL, model HIDDEN, steps "        \
    "HIDDEN, "                                                                                     \
    "level HIDDEN, group_1 HIDDEN, group_2 HIDDEN, group_3 HIDDEN, group_4 HIDDEN, "               \
    "group_5 HIDDEN, group_6 HIDDEN, group_7 HIDDEN, group_8 HIDDEN)"

_Static_assert(FORECAST_GROUPS_MAX == 8, "each column of a group has its own");

/* The values that a scan is told, in their order; bits of its number. */
enum { TOLD_MODEL, TOLD_STEPS, TOLD_LEVEL, TOLD_SERIES, TOLD_COUNT };

static const int told_columns[TOLD_COUNT] = {COLUMN_MODEL, COLUMN_STEPS, COLUMN_LEVEL,
                                             COLUMN_SERIES};

struct forecast_vtab {
    sqlite3_vtab base;
    struct model_cache *models;
};

struct forecast_cursor {
    sqlite3_vtab_cursor base;
    struct cached_model *model; /* held; NULL: none */
    struct forecast_rows rows;
    bool is_at_end;
    sqlite3_int64 number;
    sqlite3_value *told[TOLD_COUNT]; /* NULL: not told */
};

static int connect_table(sqlite3 *db, void *context, int count, const char *const *arguments,
                         sqlite3_vtab **vtab, char **message)
{
    struct sqlite_connection *connection = context;
    struct forecast_vtab *made;
    const int code = sqlite3_declare_vtab(db, DECLARATION);

    (void)count;
    (void)arguments;
    (void)message;
    if (code != SQLITE_OK)
        return code;
    made = sqlite3_malloc64(sizeof *made);
    if (!made)
        return SQLITE_NOMEM;
    *made = (struct forecast_vtab){.models = &connection->models};
    *vtab = &made->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *vtab)
{
    sqlite3_free(vtab);
    return SQLITE_OK;
}

/* An argument that is not known yet makes a plan useless; a series may be compared later. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    int places[TOLD_COUNT], values = 0;

    (void)vtab;
    for (int i = 0; i < TOLD_COUNT; i++)
        places[i] = -1;
    for (int i = 0; i < info->nConstraint; i++)
        for (int t = 0; t < TOLD_COUNT; t++) {
            if (info->aConstraint[i].iColumn != told_columns[t] ||
                info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
                continue;
            if (info->aConstraint[i].usable)
                places[t] = i;
            else if (t != TOLD_SERIES)
                return SQLITE_CONSTRAINT;
        }
    for (int t = 0; t < TOLD_COUNT; t++) {
        if (places[t] < 0)
            continue;
        info->aConstraintUsage[places[t]].argvIndex = ++values;
        info->aConstraintUsage[places[t]].omit = t != TOLD_SERIES;
        info->idxNum |= 1 << t;
    }
    info->estimatedCost = places[TOLD_SERIES] < 0 ? 1e5 : 1e2;
    info->estimatedRows = places[TOLD_SERIES] < 0 ? 100000 : 28;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
    struct forecast_cursor *made = sqlite3_malloc64(sizeof *made);

    (void)vtab;
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    *cursor = &made->base;
    return SQLITE_OK;
}

static void end_scan(struct forecast_cursor *cursor)
{
    const struct forecast_vtab *vtab = (const struct forecast_vtab *)cursor->base.pVtab;

    forecast_rows_close(&cursor->rows);
    if (cursor->model)
        model_cache_give_back(vtab->models, cursor->model);
    cursor->model = NULL;
    for (int t = 0; t < TOLD_COUNT; t++) {
        sqlite3_value_free(cursor->told[t]);
        cursor->told[t] = NULL;
    }
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    end_scan((struct forecast_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int fail_with(sqlite3_vtab_cursor *base, const struct error *err)
{
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s: %s%s%s", NAME, err->message,
                                           err->hint[0] ? "\nHINT:  " : "", err->hint);
    return err->status == STATUS_INTERRUPTED ? SQLITE_INTERRUPT
           : err->status == STATUS_NO_MEMORY ? SQLITE_NOMEM
                                             : SQLITE_ERROR;
}

static struct slice value_text(sqlite3_value *value)
{
    const char *bytes = (const char *)sqlite3_value_text(value);

    return (struct slice){bytes, (size_t)sqlite3_value_bytes(value)};
}

static bool is_told(const struct forecast_cursor *cursor, int t)
{
    return cursor->told[t] && sqlite3_value_type(cursor->told[t]) != SQLITE_NULL;
}

/* The constraints that a scan is told. */
struct told {
    int64_t steps;
    double level;
    struct slice series;
    struct forecast_ask ask; /* the request, with pointers to these */
};

/* NULL stands for what the model has. */
static enum status read_told(const struct forecast_cursor *cursor, struct told *told,
                             struct error *err)
{
    sqlite3_value *const *values = cursor->told;

    *told = (struct told){.steps = 0};
    if (!is_told(cursor, TOLD_MODEL) || sqlite3_value_type(values[TOLD_MODEL]) != SQLITE_TEXT) {
        fail(err, STATUS_INVALID, "the first argument is the model's name in quotes");
        return error_hint(err,
                          "Write, for example, SELECT * FROM totrain_forecast('sales_model', 28).");
    }
    if (is_told(cursor, TOLD_STEPS)) {
        if (sqlite3_value_numeric_type(values[TOLD_STEPS]) != SQLITE_INTEGER)
            return fail(err, STATUS_INVALID, "the second argument is a whole number of steps");
        told->steps = sqlite3_value_int64(values[TOLD_STEPS]);
        told->ask.steps = &told->steps;
    }
    if (is_told(cursor, TOLD_LEVEL)) {
        told->level = sqlite3_value_double(values[TOLD_LEVEL]);
        told->ask.level = &told->level;
    }
    if (values[TOLD_SERIES]) {
        told->series = value_text(values[TOLD_SERIES]);
        told->ask.series = &told->series;
    }
    return STATUS_OK;
}

static enum status begin_scan(struct forecast_cursor *cursor, struct error *err)
{
    const struct forecast_vtab *vtab = (const struct forecast_vtab *)cursor->base.pVtab;
    bool is_there = true;
    struct slice model;
    struct told told;

    TRY(read_told(cursor, &told, err));
    model = value_text(cursor->told[TOLD_MODEL]);
    TRY(told.ask.series ? model_cache_take_series(vtab->models, model, told.series, &cursor->model,
                                                  &is_there, err)
                        : model_cache_take(vtab->models, model, &cursor->model, err));
    TRY(forecast_rows_open(&cursor->rows, &cursor->model->held.model, &told.ask,
                           &vtab->models->stop, err));
    if (!is_there)
        cursor->rows.series_count = 0;
    return STATUS_OK;
}

static int filter(sqlite3_vtab_cursor *base, int told, const char *text, int count,
                  sqlite3_value **values)
{
    struct forecast_cursor *cursor = (struct forecast_cursor *)base;
    struct error err;
    int at = 0;

    (void)text;
    end_scan(cursor);
    for (int t = 0; t < TOLD_COUNT && at < count; t++) {
        if (!(told & 1 << t))
            continue;
        cursor->told[t] = sqlite3_value_dup(values[at++]);
        if (!cursor->told[t])
            return SQLITE_NOMEM;
    }
    error_clear(&err);
    if (begin_scan(cursor, &err) != STATUS_OK)
        return fail_with(base, &err);
    cursor->number = 0;
    cursor->is_at_end = !forecast_rows_next(&cursor->rows);
    return SQLITE_OK;
}

/* SQLite itself sees that a statement is interrupted, but for the signals of Python. */
static int next(sqlite3_vtab_cursor *base)
{
    struct forecast_cursor *cursor = (struct forecast_cursor *)base;

    if (++cursor->number % ASK_SIGNALS == 0 && python_signals_stop())
        return SQLITE_INTERRUPT;
    cursor->is_at_end = !forecast_rows_next(&cursor->rows);
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return ((struct forecast_cursor *)base)->is_at_end;
}

static enum status cell_of(struct forecast_cursor *cursor, int column, char buffer[TIME_BYTES],
                           struct cell *cell, struct error *err)
{
    struct forecast_rows *rows = &cursor->rows;
    const uint32_t group = (uint32_t)(column - COLUMN_GROUP);

    switch (column) {
    case COLUMN_SERIES:
        return forecast_rows_series(rows, cell, err);
    case COLUMN_TIME:
        *cell = forecast_rows_time(rows, buffer);
        return STATUS_OK;
    case COLUMN_VALUE:
        *cell = cell_real(rows->step.value);
        return STATUS_OK;
    case COLUMN_LOWER:
        *cell = cell_real(rows->step.lower);
        return STATUS_OK;
    case COLUMN_UPPER:
        *cell = cell_real(rows->step.upper);
        return STATUS_OK;
    default:
        *cell = cell_null();
        return group < forecast_of(rows->model)->groups
                   ? forecast_rows_group(rows, group, cell, err)
                   : STATUS_OK;
    }
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    struct forecast_cursor *cursor = (struct forecast_cursor *)base;
    char buffer[TIME_BYTES];
    struct error err;
    struct cell cell;

    for (int t = 0; t < TOLD_SERIES; t++)
        if (told_columns[t] == number) {
            if (cursor->told[t])
                sqlite3_result_value(context, cursor->told[t]);
            return SQLITE_OK;
        }
    error_clear(&err);
    if (cell_of(cursor, number, buffer, &cell, &err) != STATUS_OK)
        return fail_with(base, &err);
    sql_result_cell(context, &cell);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = ((struct forecast_cursor *)base)->number;
    return SQLITE_OK;
}

/* Without xCreate: the table is there by the module's name, and by no other. */
static const sqlite3_module module = {
    .iVersion = 1,
    .xConnect = connect_table,
    .xBestIndex = best_index,
    .xDisconnect = disconnect_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = row_id,
};

enum status forecast_vtab_register(struct sqlite_connection *connection, struct error *err)
{
    const int code = sqlite3_create_module_v2(connection->db, NAME, &module, connection, NULL);

    return code == SQLITE_OK ? STATUS_OK : sql_fail(connection->db, code, err);
}
