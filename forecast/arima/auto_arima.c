#include "forecast/arima/auto_arima.h"

#include <math.h>
#include <string.h>

#include "forecast/arima/differences.h"
#include "forecast/methods/mixture.h"
#include "forecast/methods/naive.h"
#include "forecast/smoothing/adjusted.h"
#include "forecast/smoothing/ets.h"

#define LAGS_MOST     5 /* p and q */
#define SEASONS_MOST  2 /* P and Q */
#define MODELS_MAX    94
#define STRENGTH_MOST 0.64 /* strongest season that is not differenced */
#define TESTED_FROM   5    /* values */
#define PLACES_OF_ORDER                                                                            \
    ((LAGS_MOST + 1) * (LAGS_MOST + 1) * (SEASONS_MOST + 1) * (SEASONS_MOST + 1))

struct arimas {
    struct arima models[MODELS_MAX];
    double weights[MODELS_MAX]; /* their sum is 1 */
    uint32_t count;             /* 0: the last value */
    void *naive;
    struct mixture mixture;
    struct adjusted *adjusted; /* the same for a season too long, without the season; else NULL */
};

/* ----- the search ----- */

struct search {
    const struct series *series;
    const struct fitting *fitting;
    struct arimas *arimas;
    struct arima_room *room;
    struct arima_order best;
    double least;           /* criterion */
    uint32_t lags, seasons; /* p and q, P and Q at most */
    uint32_t fitted;        /* models, those that cannot be among them */
    bool is_tried[PLACES_OF_ORDER][2];
};

static bool *place_of(struct search *search, const struct arima_order *order)
{
    uint32_t place = order->ar;

    place = place * (LAGS_MOST + 1) + order->ma;
    place = place * (SEASONS_MOST + 1) + order->seasonal_ar;
    place = place * (SEASONS_MOST + 1) + order->seasonal_ma;
    return &search->is_tried[place][order->has_constant];
}

/* Is the order new, and the best so far? A number below 0 has become one above all limits. */
static enum status try_order(struct search *search, const struct arima_order *order,
                             bool *is_better, struct error *err)
{
    struct arimas *arimas = search->arimas;
    struct arima *model = &arimas->models[arimas->count];

    *is_better = false;
    if (order->ar > search->lags || order->ma > search->lags ||
        order->seasonal_ar > search->seasons || order->seasonal_ma > search->seasons ||
        search->fitted == MODELS_MAX || *place_of(search, order))
        return STATUS_OK;
    *place_of(search, order) = true;
    if (!arima_is_possible(order, search->series))
        return STATUS_OK;
    search->fitted++;
    TRY(arima_fit(order, search->series, search->fitting, ARIMA_GAIN_OF_ONE_OF_MANY, search->room,
                  model, err));
    if (!isfinite(model->criterion))
        return STATUS_OK;
    arimas->count++;
    *is_better = model->criterion < search->least;
    if (*is_better) {
        search->least = model->criterion;
        search->best = *order;
    }
    return STATUS_OK;
}

static enum status try_neighbours(struct search *search, bool *is_better, struct error *err)
{
    /* Changes of p, q, P and Q; seasons first, as they have most to say. */
    static const int changes[][4] = {
        {0, 0, -1, 0},  {0, 0, 0, -1}, {0, 0, 1, 0},  {0, 0, 0, 1},  {0, 0, -1, -1}, {0, 0, 1, 1},
        {0, 0, 1, -1},  {0, 0, -1, 1}, {-1, 0, 0, 0}, {0, -1, 0, 0}, {1, 0, 0, 0},   {0, 1, 0, 0},
        {-1, -1, 0, 0}, {1, 1, 0, 0},  {-1, 1, 0, 0}, {1, -1, 0, 0},
    };
    struct arima_order next;

    *is_better = false;
    for (size_t i = 0; i < sizeof changes / sizeof *changes && !*is_better; i++) {
        next = search->best;
        next.ar += (uint32_t)changes[i][0];
        next.ma += (uint32_t)changes[i][1];
        next.seasonal_ar += (uint32_t)changes[i][2];
        next.seasonal_ma += (uint32_t)changes[i][3];
        TRY(try_order(search, &next, is_better, err));
    }
    next = search->best;
    next.has_constant = !next.has_constant;
    if (*is_better || next.differences + next.seasonal_differences > 1)
        return STATUS_OK;
    return try_order(search, &next, is_better, err);
}

static enum status search_orders(struct search *search, const struct arima_order *differences,
                                 struct error *err)
{
    const uint32_t two = search->lags < 2 ? search->lags : 2, one = search->lags < 1 ? 0 : 1;
    const uint32_t season = search->seasons > 0;
    const uint32_t starts[][5] = {{two, two, season, season, true},
                                  {0, 0, 0, 0, true},
                                  {one, 0, season, 0, true},
                                  {0, one, 0, season, true},
                                  {0, 0, 0, 0, false}};
    bool is_better;

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        struct arima_order order = *differences;

        order.ar = starts[i][0];
        order.ma = starts[i][1];
        order.seasonal_ar = starts[i][2];
        order.seasonal_ma = starts[i][3];
        order.has_constant = starts[i][4] && order.differences + order.seasonal_differences <= 1;
        TRY(try_order(search, &order, &is_better, err));
    }
    is_better = search->arimas->count > 0;
    while (is_better)
        TRY(try_neighbours(search, &is_better, err));
    return STATUS_OK;
}

static enum status choose_differences(const struct series *series, bool has_season,
                                      const struct fitting *fitting, struct arima_order *order,
                                      struct error *err)
{
    double *values = ARENA_NEW(fitting->arena, double, series->count);
    uint32_t count = series->count;

    if (!values)
        return fail_no_memory(err);
    memcpy(values, series->values, count * sizeof *values);
    if (has_season) {
        struct pattern pattern;

        TRY(pattern_find(series, fitting, &pattern, err));
        order->seasonal_differences = pattern_strength(&pattern, series) > STRENGTH_MOST;
        if (order->seasonal_differences)
            count = difference(values, count, series->season);
    }
    order->differences = count >= TESTED_FROM && level_is_moving(values, count);
    return STATUS_OK;
}

static enum status fit_searched(const struct series *series, const struct fitting *fitting,
                                struct arima_room *room, bool is_best_alone, struct arimas *arimas,
                                struct error *err)
{
    const bool has_season = series->season > 1 && series->season <= ETS_SEASON_MAX &&
                            series->count / 2 >= series->season;
    const uint32_t lags = series->count / 3, seasons = lags / series->season;
    struct search *search = ARENA_NEW(fitting->arena, struct search, 1);
    struct arima_order differences = {.ar = 0};

    if (!search)
        return fail_no_memory(err);
    search->series = series;
    search->fitting = fitting;
    search->arimas = arimas;
    search->room = room;
    search->least = INFINITY;
    search->lags = lags < LAGS_MOST ? lags : LAGS_MOST;
    search->seasons = !has_season ? 0 : seasons < SEASONS_MOST ? seasons : SEASONS_MOST;
    TRY(choose_differences(series, has_season, fitting, &differences, err));
    TRY(search_orders(search, &differences, err));
    for (uint32_t i = 0; i < arimas->count; i++)
        arimas->weights[i] = arimas->models[i].criterion;
    mixture_weigh(arimas->weights, arimas->count, is_best_alone);
    return STATUS_OK;
}

enum status auto_arima_search(const struct series *series, const struct fitting *fitting,
                              struct arima *best, bool *has_any, struct error *err)
{
    struct arimas *arimas = ARENA_NEW(fitting->arena, struct arimas, 1);
    struct arima_room *room;

    if (!arimas)
        return fail_no_memory(err);
    TRY(arima_room_make(series, fitting, &room, err));
    TRY(fit_searched(series, fitting, room, true, arimas, err));
    *has_any = arimas->count > 0;
    for (uint32_t i = 0; i < arimas->count; i++)
        if (arimas->weights[i] > 0)
            *best = arimas->models[i];
    return STATUS_OK;
}

/* ----- models that are kept ----- */

static void write_models(const struct series *series, const struct fitting *fitting,
                         struct arima_room *room, struct arimas *arimas)
{
    uint32_t left = 0;

    mixture_limit(arimas->weights, arimas->count, KEPT_ORDERS);
    for (uint32_t i = 0; i < arimas->count; i++)
        left += arimas->weights[i] > 0;
    kept_count(fitting->kept, &left, KEPT_ORDERS);
    for (uint32_t i = 0; i < arimas->count; i++)
        if (arimas->weights[i] > 0)
            arima_keep(series, room, fitting->kept, &arimas->models[i], &arimas->weights[i]);
}

static void read_models(const struct series *series, const struct fitting *fitting,
                        struct arima_room *room, struct arimas *arimas)
{
    kept_count(fitting->kept, &arimas->count, KEPT_ORDERS);
    for (uint32_t i = 0; i < arimas->count; i++)
        arima_keep(series, room, fitting->kept, &arimas->models[i], &arimas->weights[i]);
}

/* ----- the methods ----- */

static enum status fit(const struct series *series, bool is_best_alone,
                       const struct arima_order *order, const struct fitting *fitting,
                       void **fitted, struct error *err)
{
    struct arimas *arimas = ARENA_NEW(fitting->arena, struct arimas, 1);
    struct arima_room *room;

    if (!arimas)
        return fail_no_memory(err);
    *fitted = arimas;
    if (!order && adjusted_suits(series, fitting)) {
        arimas->adjusted = ARENA_NEW(fitting->arena, struct adjusted, 1);
        return arimas->adjusted ? adjusted_fit(is_best_alone ? &arima_method : &auto_arima_method,
                                               series, fitting, arimas->adjusted, err)
                                : fail_no_memory(err);
    }
    TRY(mixture_init(&arimas->mixture, fitting, err));
    TRY(arima_room_make(series, fitting, &room, err));
    if (kept_is_read(fitting->kept)) {
        read_models(series, fitting, room, arimas);
    } else if (!order) {
        TRY(fit_searched(series, fitting, room, is_best_alone, arimas, err));
    } else if (arima_is_possible(order, series)) {
        TRY(arima_fit(order, series, fitting, ARIMA_GAIN, room, &arimas->models[0], err));
        arimas->weights[0] = 1;
        arimas->count = 1;
    }
    if (kept_is_written(fitting->kept))
        write_models(series, fitting, room, arimas);
    return arimas->count ? STATUS_OK : naive_method.fit(series, fitting, &arimas->naive, err);
}

static enum status fit_weighted(const struct series *series, const struct fitting *fitting,
                                void **fitted, struct error *err)
{
    return fit(series, false, NULL, fitting, fitted, err);
}

static enum status fit_one(const struct series *series, const struct fitting *fitting,
                           void **fitted, struct error *err)
{
    return fit(series, true, fitting->order, fitting, fitted, err);
}

static void project(const void *fitted, const struct series *series, uint32_t origin,
                    uint32_t horizon, double *means, double *variances)
{
    const struct arimas *arimas = fitted;
    struct mixture mixture = arimas->mixture;

    if (arimas->adjusted) {
        adjusted_project(arimas->adjusted, origin, horizon, means, variances);
        return;
    }
    if (arimas->count == 0) {
        naive_method.project(arimas->naive, series, origin, horizon, means, variances);
        return;
    }
    mixture_begin(&mixture, horizon, means, variances);
    for (uint32_t i = 0; i < arimas->count; i++) {
        if (arimas->weights[i] == 0)
            continue;
        arima_project(&arimas->models[i], series, origin, horizon, mixture.next_means,
                      variances ? mixture.next_variances : NULL);
        mixture_add(&mixture, arimas->weights[i]);
    }
}

const struct method auto_arima_method = {"autoarima", "ARIMA, orders that a search finds weighted",
                                         fit_weighted, project, ARIMA_KEPT};
const struct method arima_method = {"arima", "ARIMA of one order", fit_one, project, ARIMA_KEPT};
