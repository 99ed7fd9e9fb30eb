#include "forecast/combined.h"

#include <math.h>

#include "forecast/arima/auto_arima.h"
#include "forecast/methods/croston.h"
#include "forecast/methods/mixture.h"
#include "forecast/methods/naive.h"
#include "forecast/methods/theta.h"
#include "forecast/smoothing/adjusted.h"
#include "forecast/smoothing/auto_ets.h"
#include "forecast/smoothing/ets.h"

#define MEMBERS_MAX   7
#define ORIGIN_LEAST  8  /* values before an origin, and two seasons */
#define HORIZON_LEAST 6  /* steps at an origin at least: fewer errors would tell little */
#define HORIZON_TRIED 48 /* steps at an origin at most */

#define COMBINED_KEPT (2 + ETS_KEPT + ETS_KEPT_ADJUSTED + ARIMA_KEPT + 2 * THETA_KEPT)

struct member {
    const struct method *method; /* NULL: adjusted */
    void *fitted;
    struct adjusted adjusted;
    double weight;
};

struct combined {
    struct member members[MEMBERS_MAX];
    uint32_t count;
    struct mixture mixture;
};

static void project_member(const struct member *member, const struct series *series,
                           uint32_t origin, uint32_t horizon, double *means, double *variances)
{
    if (member->method)
        member->method->project(member->fitted, series, origin, horizon, means, variances);
    else
        adjusted_project(&member->adjusted, origin, horizon, means, variances);
}

static enum status add_member(struct combined *combined, const struct method *method,
                              const struct series *series, const struct fitting *fitting,
                              struct error *err)
{
    struct member *member = &combined->members[combined->count++];

    member->method = method;
    member->weight = 1;
    return method->fit(series, fitting, &member->fitted, err);
}

static enum status add_adjusted(struct combined *combined, const struct method *method,
                                const struct series *series, const struct fitting *fitting,
                                struct error *err)
{
    struct member *member = &combined->members[combined->count++];

    member->weight = 1;
    return adjusted_fit(method, series, fitting, &member->adjusted, err);
}

/* The members' weights by their errors in the past. */
static void weigh(struct combined *combined, const struct series *series, uint32_t horizon)
{
    const uint32_t tried = horizon < HORIZON_TRIED ? horizon : HORIZON_TRIED;
    const uint32_t before[] = {tried, tried + tried / 2, 2 * tried};
    const uint32_t season = 2 * series->season;
    const uint32_t least = season > ORIGIN_LEAST ? season : ORIGIN_LEAST;
    double errors[MEMBERS_MAX] = {0}, smallest = INFINITY;

    if (series->count < least + before[2])
        return;
    for (uint32_t m = 0; m < combined->count; m++) {
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t origin = series->count - before[i];
            const double *came = series->values + origin;

            project_member(&combined->members[m], series, origin, tried,
                           combined->mixture.next_means, NULL);
            for (uint32_t h = 0; h < tried; h++)
                errors[m] += fabs(combined->mixture.next_means[h] - came[h]);
        }
        smallest = errors[m] < smallest ? errors[m] : smallest;
    }
    /* A member without any error gets all the weight, one with next to none nearly all. */
    for (uint32_t m = 0; m < combined->count; m++) {
        const double ratio = errors[m] > 0 ? smallest / errors[m] : 1;

        combined->members[m].weight = ratio * ratio;
    }
}

static enum status fit(const struct series *series, const struct fitting *wanted, void **fitted,
                       struct error *err)
{
    struct combined *combined = ARENA_NEW(wanted->arena, struct combined, 1);
    struct fitting with_room = *wanted;
    const struct fitting *fitting = &with_room;
    bool is_rare;

    if (!combined)
        return fail_no_memory(err);
    *fitted = combined;
    if (with_room.horizon < HORIZON_LEAST)
        with_room.horizon = HORIZON_LEAST;
    TRY(mixture_init(&combined->mixture, fitting, err));
    is_rare = !kept_is_read(fitting->kept) && demand_is_rare(series);
    kept_flag(fitting->kept, &is_rare);
    if (is_rare)
        return add_member(combined, &sba_method, series, fitting, err);
    TRY(add_member(combined, &auto_ets_method, series, fitting, err));
    TRY(add_member(combined, &dynamic_optimized_theta_method, series, fitting, err));
    TRY(add_member(combined, &optimized_theta_method, series, fitting, err));
    TRY(add_member(combined, &auto_arima_method, series, fitting, err));
    TRY(add_member(combined, &seasonal_naive_method, series, fitting, err));
    if (season_is_kept(series, fitting)) {
        if (series->season <= ETS_SEASON_MAX) /* else it has done so */
            TRY(add_adjusted(combined, &auto_ets_method, series, fitting, err));
        TRY(add_adjusted(combined, &naive_method, series, fitting, err));
    }
    if (!kept_is_read(fitting->kept) || !fitting->kept->is_spoiled)
        weigh(combined, series, fitting->horizon);
    return STATUS_OK;
}

static void project(const void *fitted, const struct series *series, uint32_t origin,
                    uint32_t horizon, double *means, double *variances)
{
    const struct combined *combined = fitted;
    struct mixture mixture = combined->mixture;

    mixture_begin(&mixture, horizon, means, variances);
    for (uint32_t i = 0; i < combined->count; i++) {
        if (!(combined->members[i].weight > 0))
            continue;
        project_member(&combined->members[i], series, origin, horizon, mixture.next_means,
                       variances ? mixture.next_variances : NULL);
        mixture_add(&mixture, combined->members[i].weight);
    }
}

const struct method combined_method = {"forecast", "the weighted mean of several methods", fit,
                                       project, COMBINED_KEPT};
