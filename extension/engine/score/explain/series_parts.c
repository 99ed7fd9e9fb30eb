#include "extension/engine/score/explain/series_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extension/engine/score/evaluation.h"
#include "extension/engine/score/score.h"
#include "forecast/parts.h"
#include "forecast/time/grid.h"
#include "inputs/cells/cells.h"
#include "kinds/forecast/forecast_rows.h"

#define RESULT_ROOM ((size_t)1 << 30) /* bytes of the rows and of their parts */
#define FIT_ROOM    ((size_t)1 << 30) /* bytes of one series while its parts are found */

/* A row of the SELECT. */
struct placed_point {
    uint32_t place; /* place of its series in the order of the result */
    uint32_t row;   /* the regressors' place */
    struct point point;
};

struct parting {
    const struct host *host;
    const struct plan *plan;
    const struct model *model;
    struct scorer scorer;
    struct cell *inputs;
    uint32_t *places; /* (series) */
    struct placed_point *points;
    double *regressors;    /* (room, given): those whose effects are parts */
    uint32_t width, given; /* effects; those of them that are of the rows, before the holidays' */
    size_t count, room;
    uint64_t strangers; /* rows of series that the model does not know */

    struct forecast_rows rows; /* all series of the model, in their order */
    struct arena arena;
    struct cell *cells; /* (row_room, columns) */
    size_t row_count, row_room, columns;
    uint64_t steps;
};

static bool is_interrupted(void *context)
{
    const struct host *host = context;

    return host->session.interrupted(host->self);
}

/* ---- the rows of the SELECT ---- */

static enum status refuse_many(struct error *err)
{
    fail(err, STATUS_LIMIT, "the parts of series are shown of at most %d rows",
         SERIES_PARTS_ROWS_MAX);
    return error_hint(err, "Explain some of the series, with WHERE in the SELECT.");
}

static enum status refuse_regressor(const struct parting *parting, uint32_t regressor,
                                    struct error *err)
{
    const struct transform_input *inputs = forecast_time_input(&parting->model->transform) + 1;
    const struct slice name = inputs[regressor].spec.name;

    fail(err, STATUS_INVALID, "row %llu: regressor \"%.*s\" is NULL beside a value",
         (unsigned long long)(parting->count + parting->strangers + 1), SLICE_FORMAT(name));
    return error_hint(err, "Give it a value in the SELECT, as in coalesce(%.*s, 0) AS %.*s.",
                      SLICE_FORMAT(name), SLICE_FORMAT(name));
}

/* Those of the row that is added. */
static enum status take_regressors(struct parting *parting, bool has_value, struct error *err)
{
    double *own = parting->regressors + parting->count * parting->given;

    if (parting->given > 0)
        forecast_row_regressors(&parting->model->transform, parting->scorer.dense, own);
    for (uint32_t i = 0; i < parting->given; i++)
        if (has_value && isnan(own[i]))
            return refuse_regressor(parting, i, err);
    parting->count++;
    return STATUS_OK;
}

static enum status add_point(struct parting *parting, uint32_t place, struct point point,
                             struct error *err)
{
    if (parting->count == SERIES_PARTS_ROWS_MAX)
        return refuse_many(err);
    if (parting->count == parting->room) {
        const size_t room = parting->room ? 2 * parting->room : 1024;
        struct placed_point *points = realloc(parting->points, room * sizeof *points);
        double *regressors;

        if (!points)
            return fail_no_memory(err);
        parting->points = points;
        regressors = realloc(parting->regressors, (room * parting->given + 1) * sizeof *regressors);
        if (!regressors)
            return fail_no_memory(err);
        parting->regressors = regressors;
        parting->room = room;
    }
    parting->points[parting->count] = (struct placed_point){place, (uint32_t)parting->count, point};
    return take_regressors(parting, !isnan(point.value), err);
}

static enum status refuse_time(const struct parting *parting, struct error *err)
{
    const struct slice name = forecast_time_input(&parting->model->transform)->spec.name;

    fail(err, STATUS_INVALID, "row %llu: time \"%.*s\" is NULL, or none that series have",
         (unsigned long long)(parting->count + parting->strangers + 1), SLICE_FORMAT(name));
    return error_hint(err, "Leave such rows out in the SELECT.");
}

static enum status take_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct parting *parting = self;
    const struct plan *plan = parting->plan;
    struct point point;
    uint32_t series;
    bool is_null;

    if (count < plan->query.count)
        return fail(err, STATUS_DATABASE, "the query no longer returns the columns it had");
    for (size_t i = 0; i < plan->model.input_count; i++)
        parting->inputs[i] = cells[plan->model_columns[i]];
    TRY(transform_row(&parting->model->transform, parting->inputs, parting->scorer.dense,
                      parting->scorer.ids, err)); /* regressors may be NULL */
    TRY(cell_to_number(&cells[plan->label_column], parting->model->labels.reading, plan->label,
                       &point.value, &is_null, err));
    if (is_null)
        point.value = (double)NAN;
    if (!forecast_time(&parting->model->transform, parting->scorer.dense, &point.time))
        return refuse_time(parting, err);
    if (forecast_row_series(parting->model, parting->scorer.ids, &series))
        return add_point(parting, parting->places[series], point, err);
    parting->strangers++;
    return STATUS_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct placed_point *left = a, *right = b;

    return (left->place > right->place) - (left->place < right->place);
}

static enum status read_rows(struct parting *parting, struct arena *arena, struct error *err)
{
    const struct sink rows = {.self = parting, .row = take_row};

    parting->inputs = ARENA_NEW(arena, struct cell, parting->plan->model.input_count + 1);
    parting->places = calloc(parting->rows.series_count, sizeof *parting->places);
    if (!parting->inputs || !parting->places)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < parting->rows.series_count; i++)
        parting->places[parting->rows.order[i]] = i;
    TRY(parting->host->rows->query(parting->host->self, parting->plan->select, &rows, err));
    if (parting->count > 0) {
        qsort(parting->points, parting->count, sizeof *parting->points, by_place);
        return STATUS_OK;
    }
    fail(err, STATUS_INVALID, "the SELECT returned no rows of series that the model knows");
    return error_hint(err, "SHOW MODEL shows how many there are, FORECAST their names.");
}

/* ---- one series ---- */

static enum status refuse_grid(const struct parting *parting, const struct grid *grid,
                               enum grid_fault fault, struct error *err)
{
    char time[TIME_BYTES];

    if (fault != GRID_DOUBLED)
        return fail(err, STATUS_INVALID,
                    "%u times would be %lld steps, of which most have no value", grid->times,
                    (long long)grid->span);
    time_print(forecast_of(parting->model)->times == FORECAST_NUMBERS ? TIME_NUMBER
               : grid->doubled % DAY_MICROSECONDS == 0                ? TIME_DATE
                                                                      : TIME_MOMENT,
               grid->doubled, "", time);
    fail(err, STATUS_INVALID, "two values of a series have the time %s", time);
    return error_hint(err, "Add them up in the SELECT, as the model did: sum(%.*s) ... GROUP BY.",
                      SLICE_FORMAT(parting->plan->label));
}

static enum status make_row_room(struct parting *parting, size_t more, struct error *err)
{
    const size_t wanted = parting->row_count + more;
    size_t room = 2 * parting->row_room;
    struct cell *cells;

    if (wanted > SERIES_PARTS_ROWS_MAX)
        return refuse_many(err);
    if (wanted <= parting->row_room)
        return STATUS_OK;
    room = room > wanted ? room : wanted;
    cells = realloc(parting->cells, room * parting->columns * sizeof *cells);
    if (!cells)
        return fail_no_memory(err);
    parting->cells = cells;
    parting->row_room = room;
    return STATUS_OK;
}

static enum status put_keys(struct parting *parting, struct cell *cells, struct error *err)
{
    const uint32_t groups = forecast_of(parting->model)->groups;
    char buffer[TIME_BYTES];
    struct cell time;

    for (uint32_t i = 0; i < groups; i++)
        TRY(forecast_rows_group(&parting->rows, i, &cells[i], err));
    time = forecast_rows_time(&parting->rows, buffer);
    if (time.type == CELL_TEXT) {
        time.text = arena_printf(&parting->arena, "%.*s", SLICE_FORMAT(time.text));
        if (!time.text.data)
            return fail_no_memory(err);
    }
    cells[groups] = time;
    return STATUS_OK;
}

static enum status put_parts(struct parting *parting, const struct grid *grid,
                             const struct parts *parts, const double *effects, struct error *err)
{
    const uint32_t seasons = parting->plan->part_season_count;

    TRY(make_row_room(parting, grid->count, err));
    for (uint32_t i = 0; i < grid->count; i++) {
        struct cell *cells = parting->cells + parting->row_count++ * parting->columns;
        const double value = grid->values[i];

        parting->rows.step.time = steps_time(&grid->steps, grid->last - grid->count + 1 + i);
        TRY(put_keys(parting, cells, err));
        cells += forecast_of(parting->model)->groups + 1;
        *cells++ = isnan(value) ? cell_null() : cell_real(value);
        *cells++ = cell_real(parts->trend[i]);
        for (uint32_t s = 0; s < seasons; s++)
            *cells++ = cell_real(parts->seasons[s][i]);
        for (uint32_t k = 0; k < parting->width; k++) {
            const double effect = effects[(size_t)i * parting->width + k];

            *cells++ = isnan(effect) ? cell_null() : cell_real(effect);
        }
        *cells++ = isnan(value) ? cell_null() : cell_real(parts->remainder[i]);
        *cells++ = parts->shifts[i] != 0 ? cell_real(parts->shifts[i]) : cell_null();
    }
    return STATUS_OK;
}

/* The effect of regressor `k`, of the numbers of a row, or of a holiday behind them, at a step. */
static double effect_of(const struct parting *parting, const double *own, uint32_t k,
                        const struct steps *steps, int64_t index)
{
    const struct forecast_model *forecast = forecast_of(parting->model);
    const uint32_t series = parting->rows.series, holiday = k - parting->given;
    double days;

    if (k < parting->given)
        return own[k] * forecast_coefficient(forecast, series, k);
    days = holiday_days(&forecast->holidays.items[holiday], steps, index);
    return days > 0 ? days * forecast_holiday_effect(forecast, series, holiday) : 0;
}

/* The effects (count of the grid, width) that regressors and holidays have on the values of a
 * series, NAN where there is no value, and what is left without them. */
static enum status find_effects(const struct parting *parting, const struct placed_point *placed,
                                uint32_t count, const struct grid *grid, struct arena *arena,
                                double **effects, double **rest, struct error *err)
{
    const size_t all = (size_t)grid->count * parting->width;

    *effects = ARENA_NEW(arena, double, all + 1);
    *rest = ARENA_NEW(arena, double, grid->count);
    if (!*effects || !*rest)
        return fail_no_memory(err);
    memcpy(*rest, grid->values, grid->count * sizeof **rest);
    for (size_t i = 0; i < all; i++)
        (*effects)[i] = (double)NAN;
    for (uint32_t i = 0; i < count && parting->width > 0; i++) {
        const double *own = parting->regressors + (size_t)placed[i].row * parting->given;
        const int64_t index = steps_index(&grid->steps, placed[i].point.time);
        const int64_t at = index - (grid->last - grid->count + 1);

        if (isnan(placed[i].point.value))
            continue;
        for (uint32_t k = 0; k < parting->width; k++) {
            const double effect = effect_of(parting, own, k, &grid->steps, index);

            (*effects)[(size_t)at * parting->width + k] = effect;
            (*rest)[at] -= effect;
        }
    }
    return STATUS_OK;
}

/* placed (count): of one series; points: room for as many. */
static enum status part_series(struct parting *parting, const struct placed_point *placed,
                               struct point *points, uint32_t count, struct arena *arena,
                               struct error *err)
{
    const struct forecast_model *forecast = forecast_of(parting->model);
    const struct steps steps = {.unit = forecast->unit, .size = forecast->size};
    const struct fitting fitting = {.arena = arena,
                                    .is_stopped = is_interrupted,
                                    .stop = (void *)(uintptr_t)parting->host,
                                    .steps = &parting->steps};
    enum grid_fault fault;
    double *effects, *rest;
    struct parts parts;
    struct grid grid;

    for (uint32_t i = 0; i < count; i++)
        points[i] = placed[i].point;
    points_sort(points, count);
    TRY(grid_make(points, count, forecast->times == FORECAST_NUMBERS, DUPLICATES_ERROR, &steps,
                  arena, &grid, &fault, err));
    if (fault != GRID_FINE)
        return refuse_grid(parting, &grid, fault, err);
    if (grid.count == 0)
        return STATUS_OK;
    TRY(find_effects(parting, placed, count, &grid, arena, &effects, &rest, err));
    TRY(parts_find(rest, grid.count, parting->plan->part_seasons, parting->plan->part_season_count,
                   &fitting, &parts, err));
    return put_parts(parting, &grid, &parts, effects, err);
}

static enum status part_all(struct parting *parting, struct error *err)
{
    struct point *points = malloc(parting->count * sizeof *points);
    enum status status = points ? STATUS_OK : fail_no_memory(err);

    for (size_t first = 0, end; first < parting->count && status == STATUS_OK; first = end) {
        const uint32_t place = parting->points[first].place;
        struct arena arena;

        for (end = first; end < parting->count && parting->points[end].place == place;)
            end++;
        parting->rows.series = parting->rows.order[place];
        arena_init(&arena, FIT_ROOM);
        status = part_series(parting, parting->points + first, points, (uint32_t)(end - first),
                             &arena, err);
        arena_deinit(&arena);
    }
    free(points);
    return status;
}

/* ---- the whole ---- */

enum status series_parts_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                                 size_t *count, struct error *err)
{
    *count = plan->result_count;
    *names = ARENA_NEW(arena, struct slice, *count);
    if (!*names)
        return fail_no_memory(err);
    for (size_t i = 0; i < *count; i++)
        (*names)[i] = plan->results[i].name;
    return STATUS_OK;
}

/* The columns were planned for the model that was there then. */
static enum status check_model(const struct parting *parting, struct error *err)
{
    const struct forecast_model *forecast = forecast_of(parting->model);
    const size_t columns = forecast->groups + 2 + parting->plan->part_season_count +
                           parting->plan->part_effect_count + 3;

    return columns == parting->columns &&
                   (parting->width == 0 ||
                    parting->width == forecast->regressors + forecast->holidays.count)
               ? STATUS_OK
               : fail(err, STATUS_STALE,
                      "the model was replaced meanwhile: run the statement again");
}

static enum status find_all(struct parting *parting, struct arena *arena, const struct sink *sink,
                            struct error *err)
{
    const double started = score_seconds_now();
    const struct stop stop = {is_interrupted, (void *)(uintptr_t)parting->host};
    const struct forecast_ask ask = {.is_of_names = true};
    struct evaluation_rows rows;

    TRY(series_parts_columns(parting->plan, arena, &rows.names, &rows.columns, err));
    parting->columns = rows.columns;
    TRY(check_model(parting, err));
    parting->given = parting->width > 0 ? forecast_of(parting->model)->regressors : 0;
    TRY(scorer_init(&parting->scorer, parting->model, 1, err));
    TRY(forecast_rows_open(&parting->rows, parting->model, &ask, &stop, err));
    TRY(read_rows(parting, arena, err));
    TRY(part_all(parting, err));
    rows.cells = parting->cells;
    rows.rows = parting->row_count;
    if (parting->strangers > 0)
        sink_notice(sink,
                    "%llu rows belong to series that the model does not know, and are skipped",
                    (unsigned long long)parting->strangers);
    return evaluation_put(parting->host, parting->plan, &rows, started, sink, err);
}

enum status series_parts_run(const struct host *host, const struct plan *plan,
                             const struct model *model, struct arena *arena,
                             const struct sink *sink, struct error *err)
{
    struct parting parting = {
        .host = host, .plan = plan, .model = model, .width = plan->part_effect_count};
    enum status status;

    arena_init(&parting.arena, RESULT_ROOM);
    status = find_all(&parting, arena, sink, err);
    forecast_rows_close(&parting.rows);
    scorer_deinit(&parting.scorer);
    free(parting.places);
    free(parting.points);
    free(parting.regressors);
    free(parting.cells);
    arena_deinit(&parting.arena);
    return status;
}
