#include "forecast/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "forecast/arima/auto_arima.h"
#include "inputs/cells/dates.h"

#define LEVEL_WITHOUT 0.95
#define LEVEL_LEAST   0.5
#define LEVEL_MOST    0.999

void points_init(struct points *points, size_t memory_max)
{
    *points = (struct points){.memory_max = memory_max};
    text_init(&points->options, OPTIONS_BYTES_MAX);
}

void points_deinit(struct points *points)
{
    free(points->points);
    text_deinit(&points->options);
    points->points = NULL;
}

/* ----- a row ----- */

static enum status refuse_time(const struct cell *time, struct error *err)
{
    if (time->type == CELL_TEXT)
        fail(err, STATUS_INVALID, "the time '%.*s' is no date, timestamp or month",
             SLICE_FORMAT(slice_prefix(time->text, 60)));
    else if (time->type == CELL_NULL)
        fail(err, STATUS_INVALID, "a time is NULL");
    else if (time->type == CELL_REAL)
        fail(err, STATUS_INVALID, "the time %.17g is no whole number, date or timestamp",
             time->real);
    else
        fail(err, STATUS_INVALID, "a time is out of range, or of a type that is no time");
    return error_hint(err, "Times are whole numbers, dates and timestamps: 7, '2024-05-31', "
                           "'2024-05-31 18:00', or months: '2024-05'.");
}

static enum status take_text(struct slice text, enum time_kind *kind, int64_t *time,
                             const struct cell *cell, struct error *err)
{
    char month[] = "0000-00-01";
    struct date date;

    text = slice_trim(text);
    *kind = text.size > 10 ? TIME_MOMENT : TIME_DATE;
    if (text.size == 7) {
        memcpy(month, text.data, 7);
        text = slice_of(month);
        *kind = TIME_MONTH;
    }
    if (!date_read(text, &date))
        return refuse_time(cell, err);
    *time = date.day * DAY_MICROSECONDS + date.microsecond;
    return STATUS_OK;
}

static enum status take_time(const struct cell *cell, enum time_kind *kind, int64_t *time,
                             struct error *err)
{
    const double second = 1e6;

    if (cell->type == CELL_TEXT)
        return take_text(cell->text, kind, time, cell, err);
    if (cell->type == CELL_INTEGER && cell->time == CELL_DAYS) {
        *kind = TIME_DATE;
        if (cell->integer < TIME_DAY_LEAST || cell->integer > TIME_DAY_MOST)
            return refuse_time(cell, err);
        *time = cell->integer * DAY_MICROSECONDS;
        return STATUS_OK;
    }
    if (cell->type == CELL_REAL && cell->time == CELL_SECONDS) {
        *kind = TIME_MOMENT;
        if (!(cell->real >= (double)TIME_DAY_LEAST * 86400 &&
              cell->real < (double)(TIME_DAY_MOST + 1) * 86400))
            return refuse_time(cell, err);
        *time = (int64_t)(cell->real * second + (cell->real < 0 ? -0.5 : 0.5));
        return STATUS_OK;
    }
    *kind = TIME_NUMBER;
    if (cell->type == CELL_INTEGER && cell->integer >= -TIME_NUMBER_MAX &&
        cell->integer <= TIME_NUMBER_MAX)
        *time = cell->integer;
    else if (cell->type == CELL_REAL && cell->time == CELL_PLAIN &&
             fabs(cell->real) <= (double)TIME_NUMBER_MAX &&
             cell->real == (double)(int64_t)cell->real)
        *time = (int64_t)cell->real;
    else
        return refuse_time(cell, err);
    return STATUS_OK;
}

static enum status take_value(const struct cell *cell, double *value, struct error *err)
{
    *value = NAN;
    if (cell->type == CELL_INTEGER && cell->time == CELL_PLAIN)
        *value = (double)cell->integer;
    else if (cell->type == CELL_REAL && cell->time == CELL_PLAIN)
        *value = cell->real;
    else if (cell->type == CELL_TEXT)
        return fail(err, STATUS_INVALID, "the value '%.*s' is a text, not a number",
                    SLICE_FORMAT(slice_prefix(cell->text, 60)));
    else if (cell->type != CELL_NULL)
        return fail(err, STATUS_INVALID, "a value is no number");
    if (isinf(*value)) {
        fail(err, STATUS_INVALID, "a value is infinite");
        return error_hint(err, "Leave such rows out, or make the value NULL: it is filled.");
    }
    return STATUS_OK;
}

/* An aggregate gets horizon and options with each row; those of the first row hold. */
static enum status take_settings(struct points *points, const struct cell *horizon,
                                 const struct cell *options, struct error *err)
{
    const struct slice given = options->type == CELL_TEXT ? options->text : SLICE("");

    if (horizon->type != CELL_INTEGER || horizon->integer < 1 || horizon->integer > HORIZON_MAX)
        return fail(err, STATUS_INVALID, "the horizon is a whole number from 1 to %d", HORIZON_MAX);
    if (options->type != CELL_TEXT && options->type != CELL_NULL)
        return fail(err, STATUS_INVALID, "options are a text: the name of a method, or JSON");
    if (!points->horizon) {
        points->horizon = (uint32_t)horizon->integer;
        text_append(&points->options, given);
        if (points->options.failed)
            return fail(err, STATUS_LIMIT, "options have %d bytes at most", OPTIONS_BYTES_MAX);
    }
    if (points->horizon != horizon->integer || !slice_equal(given, text_slice(&points->options)))
        return fail(err, STATUS_INVALID,
                    "horizon and options must be the same in all rows of a series");
    return STATUS_OK;
}

static enum status make_room(struct points *points, struct error *err)
{
    const uint32_t wanted = points->capacity ? 2 * points->capacity : 64;
    struct point *grown;

    if (points->count < points->capacity)
        return STATUS_OK;
    if (points->count >= POINTS_MAX)
        return fail(err, STATUS_LIMIT, "a series has %d rows at most", POINTS_MAX);
    grown = realloc(points->points, wanted * sizeof *grown);
    if (!grown)
        return fail_no_memory(err);
    points->points = grown;
    points->capacity = wanted;
    return STATUS_OK;
}

enum status points_add(struct points *points, const struct cell *time, const struct cell *value,
                       const struct cell *horizon, const struct cell *options, struct error *err)
{
    enum time_kind kind;
    struct point point;

    error_clear(err);
    TRY(take_settings(points, horizon, options, err));
    TRY(take_time(time, &kind, &point.time, err));
    TRY(take_value(value, &point.value, err));
    if (points->count == 0)
        points->kind = kind;
    if ((kind == TIME_NUMBER) != (points->kind == TIME_NUMBER))
        return fail(err, STATUS_INVALID, "some times are numbers and others are dates");
    if (kind > points->kind)
        points->kind = kind;
    TRY(make_room(points, err));
    points->points[points->count++] = point;
    return STATUS_OK;
}

/* ----- options ----- */

struct settings {
    struct forecast_options options;
    enum duplicates duplicates;
    bool has_season, has_seasonal_order, has_constant;
};

static enum status read_season(const cJSON *json, struct settings *settings, struct error *err)
{
    const bool is_list = cJSON_IsArray(json);
    const int count = is_list ? cJSON_GetArraySize(json) : 1;

    if (count < 1 || count > SEASONS_MAX)
        return fail(err, STATUS_INVALID, "\"season\" has 1 to %d lengths", SEASONS_MAX);
    settings->has_season = true;
    settings->options.season_is_given = count == 1;
    for (int i = 0; i < count; i++) {
        const cJSON *item = is_list ? cJSON_GetArrayItem(json, i) : json;
        const double length = cJSON_IsNumber(item) ? item->valuedouble : 0;

        if (!(length >= 1 && length <= SEASON_MAX && length == (double)(uint32_t)length))
            return fail(err, STATUS_INVALID, "\"season\" is a whole number from 1 to %d, or a list",
                        SEASON_MAX);
        forecast_add_season(&settings->options, (uint32_t)length);
    }
    return STATUS_OK;
}

/* Three whole numbers: lags before, differences, lags of errors. */
static enum status read_order(const cJSON *json, uint32_t lags_max, uint32_t *ar,
                              uint32_t *differences, uint32_t *ma, struct error *err)
{
    uint32_t *const numbers[] = {ar, differences, ma};
    const uint32_t most[] = {lags_max, ARIMA_DIFFERENCES_MAX, lags_max};

    for (int i = 0; i < 3; i++) {
        const cJSON *item = cJSON_GetArraySize(json) == 3 ? cJSON_GetArrayItem(json, i) : NULL;
        const double number = cJSON_IsNumber(item) ? item->valuedouble : -1;

        if (!cJSON_IsArray(json) || !(number >= 0 && number <= most[i]) ||
            number != (double)(uint32_t)number) {
            fail(err, STATUS_INVALID,
                 "\"%s\" is a list of three whole numbers from 0 to %u, %u and %u", json->string,
                 most[0], most[1], most[2]);
            return error_hint(err,
                              "Write, for example, {\"method\": \"arima\", \"order\": [1, 1, 1], "
                              "\"seasonal_order\": [0, 1, 1], \"season\": 12}.");
        }
        *numbers[i] = (uint32_t)number;
    }
    return STATUS_OK;
}

static enum status read_constant(const cJSON *json, struct settings *settings, struct error *err)
{
    if (!cJSON_IsBool(json))
        return fail(err, STATUS_INVALID, "\"constant\" is true or false");
    settings->has_constant = true;
    settings->options.order.has_constant = cJSON_IsTrue(json);
    return STATUS_OK;
}

/* The options of an order must fit each other. Without the option `constant` there is one where
 * nothing is differenced. */
static enum status check_order(struct settings *settings, struct error *err)
{
    struct arima_order *order = &settings->options.order;
    const uint32_t differences = order->differences + order->seasonal_differences;
    const bool has_any =
        settings->options.has_order || settings->has_seasonal_order || settings->has_constant;

    if (has_any && settings->options.method != &arima_method)
        return fail(err, STATUS_INVALID,
                    "\"order\", \"seasonal_order\" and \"constant\" belong to the method arima");
    if (has_any && !settings->options.has_order) {
        fail(err, STATUS_INVALID, "\"seasonal_order\" and \"constant\" need \"order\"");
        return error_hint(err, "Without any of them the orders are searched for.");
    }
    if (!settings->has_constant)
        order->has_constant = differences == 0;
    if (order->has_constant && differences > 1)
        return fail(err, STATUS_INVALID,
                    "\"constant\" with two differences is a trend that bends; leave it out");
    return STATUS_OK;
}

static enum status check_seasons(const struct forecast_options *options, struct error *err)
{
    if (!forecast_lacks_season(options))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "%s needs a season, and these times have none",
         options->has_order ? "\"seasonal_order\"" : "the method mstl");
    return error_hint(err, "Give its steps: {\"season\": 12}.");
}

static enum status read_duplicates(const cJSON *json, enum duplicates *duplicates,
                                   struct error *err)
{
    static const char *const words[] = {"error", "sum", "mean"};

    for (size_t i = 0; i < 3; i++)
        if (cJSON_IsString(json) && slice_is_fold(slice_of(json->valuestring), words[i])) {
            *duplicates = (enum duplicates)i;
            return STATUS_OK;
        }
    return fail(err, STATUS_INVALID, "\"duplicates\" is \"error\", \"sum\" or \"mean\"");
}

static enum status read_option(const cJSON *json, struct settings *settings, struct error *err)
{
    static const char *const names[] = {"method", "season",         "level",   "duplicates",
                                        "order",  "seasonal_order", "constant"};
    struct arima_order *order = &settings->options.order;
    const struct slice name = slice_of(json->string);
    int nearest;

    if (slice_is(name, "method")) {
        if (!cJSON_IsString(json))
            return fail(err, STATUS_INVALID, "\"method\" is a text");
        return forecast_method(slice_of(json->valuestring), &settings->options.method, err);
    }
    if (slice_is(name, "season") || slice_is(name, "seasons"))
        return read_season(json, settings, err);
    if (slice_is(name, "order")) {
        settings->options.has_order = true;
        return read_order(json, ARIMA_LAGS_MAX, &order->ar, &order->differences, &order->ma, err);
    }
    if (slice_is(name, "seasonal_order")) {
        settings->has_seasonal_order = true;
        return read_order(json, ARIMA_SEASONS_MAX, &order->seasonal_ar,
                          &order->seasonal_differences, &order->seasonal_ma, err);
    }
    if (slice_is(name, "constant"))
        return read_constant(json, settings, err);
    if (slice_is(name, "duplicates"))
        return read_duplicates(json, &settings->duplicates, err);
    if (slice_is(name, "level")) {
        settings->options.level = cJSON_IsNumber(json) ? json->valuedouble : 0;
        if (!(settings->options.level >= LEVEL_LEAST && settings->options.level <= LEVEL_MOST))
            return fail(err, STATUS_INVALID, "\"level\" is a number from %g to %g", LEVEL_LEAST,
                        LEVEL_MOST);
        return STATUS_OK;
    }
    fail(err, STATUS_INVALID, "there is no option \"%.*s\"", SLICE_FORMAT(slice_prefix(name, 60)));
    nearest = text_nearest(name, names, sizeof names / sizeof *names);
    if (nearest >= 0)
        return error_hint(err, "Did you mean \"%s\"?", names[nearest]);
    return error_hint(err, "Options are method, season, level, duplicates, order, "
                           "seasonal_order and constant.");
}

static enum status read_settings(const struct points *points, struct settings *settings,
                                 struct error *err)
{
    const struct slice text = slice_trim(text_slice(&points->options));
    enum status status = STATUS_OK;
    cJSON *json;

    *settings = (struct settings){.options = {.horizon = points->horizon, .level = LEVEL_WITHOUT}};
    TRY(forecast_method(SLICE("forecast"), &settings->options.method, err));
    if (text.size == 0)
        return STATUS_OK;
    if (text.data[0] != '{')
        return forecast_method(text, &settings->options.method, err);
    if (json_parse(text, OPTIONS_BYTES_MAX, &json, err) != STATUS_OK) {
        fail(err, STATUS_INVALID, "the options are no object of JSON");
        return error_hint(
            err, "Write, for example, {\"method\": \"theta\", \"season\": 12, \"level\": 0.8}.");
    }
    for (const cJSON *item = json->child; item && status == STATUS_OK; item = item->next)
        status = read_option(item, settings, err);
    cJSON_Delete(json);
    TRY(status);
    return check_order(settings, err);
}

/* ----- the series ----- */

static void print_time(const struct points *points, int64_t time, char out[TIME_BYTES])
{
    time_print(points->kind, time, points->has_zone ? "+00" : "", out);
}

/* The points are sorted. */
static enum status make_grid(const struct points *points, enum duplicates duplicates,
                             struct arena *arena, struct grid *grid, struct error *err)
{
    enum grid_fault fault;
    char time[TIME_BYTES];

    TRY(grid_make(points->points, points->count, points->kind == TIME_NUMBER, duplicates, NULL,
                  arena, grid, &fault, err));
    switch (fault) {
    case GRID_FINE:
        return STATUS_OK;
    case GRID_DOUBLED:
        print_time(points, grid->doubled, time);
        fail(err, STATUS_INVALID, "two values have the time %s", time);
        return error_hint(err, "Group the rows by series, or set the option: "
                               "{\"duplicates\": \"sum\"}, or \"mean\".");
    case GRID_INFINITE:
        return fail(err, STATUS_INVALID, "the sum of a time's values is no number");
    case GRID_UNEVEN:
        break;
    }
    fail(err, STATUS_INVALID,
         "no even step is found: %u times would be %lld steps of what divides their differences",
         grid->times, (long long)grid->span);
    return error_hint(err,
                      "Bring them to an even step: date_trunc('day', t), or the date alone. Days "
                      "of a time zone with summer time are such as local dates.");
}

static enum status print(const struct points *points, const struct grid *grid,
                         const struct forecast *forecast, struct text *json, struct error *err)
{
    const struct steps *steps = &grid->steps;
    const int64_t last = grid->last;

    if (!steps_has(steps, last + points->horizon))
        return fail(err, STATUS_INVALID, "the forecast goes beyond the year 9999, or 2^53");
    text_append_char(json, '[');
    for (uint32_t h = 0; h < points->horizon; h++) {
        const char *quote = points->kind == TIME_NUMBER ? "" : "\"";
        char time[TIME_BYTES];

        print_time(points, steps_time(steps, last + 1 + h), time);
        text_printf(json, "%s{\"time\":%s%s%s,\"value\":", h ? "," : "", quote, time, quote);
        text_append_real(json, forecast->values[h]);
        text_append_string(json, ",\"lower\":");
        text_append_real(json, forecast->lower[h]);
        text_append_string(json, ",\"upper\":");
        text_append_real(json, forecast->upper[h]);
        text_append_char(json, '}');
    }
    text_append_char(json, ']');
    return json->failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status forecast_in(struct points *points, struct settings *settings,
                               struct arena *arena, struct text *json, bool *has_any,
                               struct error *err)
{
    struct forecast forecast;
    struct grid grid;

    points_sort(points->points, points->count);
    TRY(make_grid(points, settings->duplicates, arena, &grid, err));
    *has_any = grid.count > 0;
    if (!*has_any)
        return STATUS_OK;
    if (!settings->has_season)
        settings->options.season_count = steps_seasons(&grid.steps, settings->options.seasons);
    TRY(check_seasons(&settings->options, err));
    TRY(forecast_run(grid.values, grid.count, &settings->options, arena, &forecast, err));
    return print(points, &grid, &forecast, json, err);
}

enum status points_forecast(struct points *points, bool (*is_stopped)(void *stop), void *stop,
                            struct text *json, bool *has_any, struct error *err)
{
    struct settings settings;
    struct arena arena;
    enum status status;

    error_clear(err);
    *has_any = false;
    if (points->count == 0)
        return STATUS_OK;
    TRY(read_settings(points, &settings, err));
    settings.options.is_stopped = is_stopped;
    settings.options.stop = stop;
    arena_init(&arena, points->memory_max);
    status = forecast_in(points, &settings, &arena, json, has_any, err);
    arena_deinit(&arena);
    return status;
}
