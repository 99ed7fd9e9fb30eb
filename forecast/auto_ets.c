#include "forecast/auto_ets.h"

#include <math.h>

#include "forecast/adjusted.h"
#include "forecast/ets.h"
#include "forecast/mixture.h"
#include "forecast/naive.h"

#define FORMS_MAX 15

struct forms {
    struct ets models[FORMS_MAX];
    double weights[FORMS_MAX]; /* their sum is 1 */
    uint32_t count;            /* 0: the last value */
    void *naive;
    double *seasons; /* room of one season */
    struct mixture mixture;
    struct adjusted
        *adjusted; /* the same without the season, if it is too long for states; else NULL */
};

static enum status fit_forms(const struct series *series, const struct fitting *fitting,
                             struct forms *forms, struct error *err)
{
    struct ets_step *room;

    TRY(ets_room_make(series->count, fitting, &room, err));
    for (int relative = 0; relative < 2; relative++)
        for (int trend = ETS_NO_TREND; trend <= ETS_DAMPED; trend++)
            for (int season = ETS_NO_SEASON; season <= (relative ? ETS_TIMES : ETS_ADDED);
                 season++) {
                const struct ets_form form = {relative, trend, season};
                struct ets *model = &forms->models[forms->count];

                if (!ets_is_possible(&form, series))
                    continue;
                TRY(ets_fit(&form, series, fitting, room, model, err));
                if (isfinite(model->criterion))
                    forms->count++;
            }
    return STATUS_OK;
}

static enum status fit(const struct series *series, bool is_best_alone,
                       const struct fitting *fitting, void **fitted, struct error *err)
{
    struct forms *forms = ARENA_NEW(fitting->arena, struct forms, 1);

    if (!forms)
        return fail_no_memory(err);
    *fitted = forms;
    if (series->season > ETS_SEASON_MAX &&
        season_is_found(series->values, series->count, series->season)) {
        forms->adjusted = ARENA_NEW(fitting->arena, struct adjusted, 1);
        return forms->adjusted ? adjusted_fit(is_best_alone ? &ets_method : &auto_ets_method,
                                              series, fitting, forms->adjusted, err)
                               : fail_no_memory(err);
    }
    forms->seasons = ARENA_NEW(fitting->arena, double, series->season);
    if (!forms->seasons)
        return fail_no_memory(err);
    TRY(mixture_init(&forms->mixture, fitting, err));
    TRY(fit_forms(series, fitting, forms, err));
    for (uint32_t i = 0; i < forms->count; i++)
        forms->weights[i] = forms->models[i].criterion;
    mixture_weigh(forms->weights, forms->count, is_best_alone);
    return forms->count ? STATUS_OK : naive_method.fit(series, fitting, &forms->naive, err);
}

static enum status fit_weighted(const struct series *series, const struct fitting *fitting,
                                void **fitted, struct error *err)
{
    return fit(series, false, fitting, fitted, err);
}

static enum status fit_best(const struct series *series, const struct fitting *fitting,
                            void **fitted, struct error *err)
{
    return fit(series, true, fitting, fitted, err);
}

static void project(const void *fitted, const struct series *series, uint32_t origin,
                    uint32_t horizon, double *means, double *variances)
{
    const struct forms *forms = fitted;
    struct mixture mixture = forms->mixture;

    if (forms->adjusted) {
        adjusted_project(forms->adjusted, origin, horizon, means, variances);
        return;
    }
    if (forms->count == 0) {
        naive_method.project(forms->naive, series, origin, horizon, means, variances);
        return;
    }
    mixture_begin(&mixture, horizon, means, variances);
    for (uint32_t i = 0; i < forms->count; i++) {
        if (forms->weights[i] == 0)
            continue;
        ets_project(&forms->models[i], forms->seasons, series, origin, horizon, mixture.next_means,
                    variances ? mixture.next_variances : NULL);
        mixture_add(&mixture, forms->weights[i]);
    }
}

const struct method auto_ets_method = {"autoets", "exponential smoothing, its forms weighted",
                                       fit_weighted, project};
const struct method ets_method = {"ets", "exponential smoothing of the best form", fit_best,
                                  project};
