#include "forecast/smoothing/auto_ets.h"

#include <math.h>

#include "forecast/methods/mixture.h"
#include "forecast/methods/naive.h"
#include "forecast/smoothing/adjusted.h"
#include "forecast/smoothing/ets.h"

#define FORMS_MAX 15
#define CODE_MOST 17 /* a form's greatest code */

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

/* ----- forms that are kept ----- */

static void keep_form(struct ets *model, double *weight, struct kept *kept)
{
    kept_number(kept, &model->alpha);
    kept_number(kept, &model->beta);
    kept_number(kept, &model->gamma);
    kept_number(kept, &model->phi);
    kept_number(kept, &model->level);
    kept_number(kept, &model->trend);
    kept_number(kept, &model->variance);
    kept_number(kept, weight);
    for (uint32_t i = 0; i < model->season; i++)
        kept_number(kept, &model->seasons[i]);
}

static uint32_t code_of(const struct ets_form *form)
{
    return (form->is_relative * 3u + form->trend) * 3u + form->season;
}

static enum status find_forms(const struct series *series, bool is_best_alone,
                              const struct fitting *fitting, struct forms *forms, struct error *err)
{
    uint32_t left = 0;

    TRY(fit_forms(series, fitting, forms, err));
    for (uint32_t i = 0; i < forms->count; i++)
        forms->weights[i] = forms->models[i].criterion;
    mixture_weigh(forms->weights, forms->count, is_best_alone);
    if (!kept_is_written(fitting->kept))
        return STATUS_OK;
    mixture_limit(forms->weights, forms->count, KEPT_FORMS);
    for (uint32_t i = 0; i < forms->count; i++)
        left += forms->weights[i] > 0;
    kept_count(fitting->kept, &left, KEPT_FORMS);
    for (uint32_t i = 0; i < forms->count; i++) {
        uint32_t code = code_of(&forms->models[i].form);

        if (!(forms->weights[i] > 0))
            continue;
        kept_count(fitting->kept, &code, CODE_MOST);
        keep_form(&forms->models[i], &forms->weights[i], fitting->kept);
    }
    return STATUS_OK;
}

/* Spoils what is kept where a form is not possible any more, as of values that came to be 0. */
static enum status read_forms(const struct series *series, const struct fitting *fitting,
                              struct forms *forms, struct error *err)
{
    struct kept *kept = fitting->kept;
    uint32_t code = 0;

    kept_count(kept, &forms->count, KEPT_FORMS);
    for (uint32_t i = 0; i < forms->count; i++) {
        struct ets *model = &forms->models[i];

        kept_count(kept, &code, CODE_MOST);
        model->form = (struct ets_form){code >= 9, (enum ets_trend)(code / 3 % 3),
                                        (enum ets_season)(code % 3)};
        if (!ets_is_possible(&model->form, series))
            kept_spoil(kept);
        model->season = model->form.season == ETS_NO_SEASON ? 1 : series->season;
        model->seasons = ARENA_NEW(fitting->arena, double, model->season);
        if (!model->seasons)
            return fail_no_memory(err);
        keep_form(model, &forms->weights[i], kept);
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
    if (adjusted_suits(series, fitting)) {
        forms->adjusted = ARENA_NEW(fitting->arena, struct adjusted, 1);
        return forms->adjusted ? adjusted_fit(is_best_alone ? &ets_method : &auto_ets_method,
                                              series, fitting, forms->adjusted, err)
                               : fail_no_memory(err);
    }
    forms->seasons = ARENA_NEW(fitting->arena, double, series->season);
    if (!forms->seasons)
        return fail_no_memory(err);
    TRY(mixture_init(&forms->mixture, fitting, err));
    if (kept_is_read(fitting->kept))
        TRY(read_forms(series, fitting, forms, err));
    else
        TRY(find_forms(series, is_best_alone, fitting, forms, err));
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
                                       fit_weighted, project, ETS_KEPT};
const struct method ets_method = {"ets", "exponential smoothing of the best form", fit_best,
                                  project, ETS_KEPT};
