#include "forecast/mstl.h"

#include "forecast/arima/auto_arima.h"
#include "forecast/methods/stl.h"
#include "forecast/smoothing/auto_ets.h"
#include "forecast/smoothing/ets.h"

struct mstl {
    uint32_t lengths[SEASONS_MAX], count;
    double *seasons[SEASONS_MAX]; /* (series->count) */
    struct series rest;           /* without them */
    const struct method *method;  /* the rest's */
    void *fitted;
};

static enum status fit_by(const struct method *method, const struct series *series,
                          const struct fitting *fitting, void **fitted, struct error *err)
{
    struct mstl *mstl = ARENA_NEW(fitting->arena, struct mstl, 1);
    double *rest = ARENA_NEW(fitting->arena, double, series->count);
    uint32_t count;

    if (!mstl || !rest)
        return fail_no_memory(err);
    for (uint32_t s = 0; s < fitting->season_count; s++) {
        if (fitting->seasons[s] > series->count / 2)
            continue;
        mstl->lengths[mstl->count] = fitting->seasons[s];
        mstl->seasons[mstl->count] = ARENA_NEW(fitting->arena, double, series->count);
        if (!mstl->seasons[mstl->count++])
            return fail_no_memory(err);
    }
    count = mstl->count;
    kept_count(fitting->kept, &count, SEASONS_MAX);
    if (count != mstl->count) /* the series has two rounds of one more by now */
        kept_spoil(fitting->kept);
    TRY(stl_split_seasons(series, mstl->lengths, mstl->count, fitting, mstl->seasons, rest, err));
    mstl->rest = (struct series){rest, series->count, 1};
    mstl->method = method;
    *fitted = mstl;
    return method->fit(&mstl->rest, fitting, &mstl->fitted, err);
}

static enum status fit(const struct series *series, const struct fitting *fitting, void **fitted,
                       struct error *err)
{
    return fit_by(&auto_ets_method, series, fitting, fitted, err);
}

static enum status fit_arima(const struct series *series, const struct fitting *fitting,
                             void **fitted, struct error *err)
{
    return fit_by(&arima_method, series, fitting, fitted, err);
}

static void project(const void *fitted, const struct series *series, uint32_t origin,
                    uint32_t horizon, double *means, double *variances)
{
    const struct mstl *mstl = fitted;

    (void)series;
    mstl->method->project(mstl->fitted, &mstl->rest, origin, horizon, means, variances);
    for (uint32_t s = 0; s < mstl->count; s++) {
        const uint32_t length = mstl->lengths[s] < origin ? mstl->lengths[s] : origin;

        for (uint32_t h = 0; h < horizon; h++)
            means[h] += mstl->seasons[s][origin - length + h % length];
    }
}

const struct method mstl_method = {"mstl", "smoothing without the seasons, and these again", fit,
                                   project, 1 + ETS_KEPT};
const struct method stl_arima_method = {"stlarima", "ARIMA without the seasons, and these again",
                                        fit_arima, project, 1 + ARIMA_KEPT};
