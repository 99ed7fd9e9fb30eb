#include "forecast/methods/naive.h"

struct naive {
    uint32_t season; /* 1: the last value */
    double variance; /* variance of a value less the one that it repeats */
};

static enum status fit(const struct series *series, uint32_t season, const struct fitting *fitting,
                       void **fitted, struct error *err)
{
    struct naive *naive = ARENA_NEW(fitting->arena, struct naive, 1);
    double sum = 0;

    if (!naive)
        return fail_no_memory(err);
    naive->season = season < series->count ? season : 1;
    for (uint32_t i = naive->season; i < series->count; i++) {
        const double error = series->values[i] - series->values[i - naive->season];

        sum += error * error;
    }
    if (series->count > naive->season)
        naive->variance = sum / (series->count - naive->season);
    *fitted = naive;
    return STATUS_OK;
}

static enum status fit_last(const struct series *series, const struct fitting *fitting,
                            void **fitted, struct error *err)
{
    return fit(series, 1, fitting, fitted, err);
}

static enum status fit_season(const struct series *series, const struct fitting *fitting,
                              void **fitted, struct error *err)
{
    return fit(series, series->season, fitting, fitted, err);
}

static void project(const void *fitted, const struct series *series, uint32_t origin,
                    uint32_t horizon, double *means, double *variances)
{
    const struct naive *naive = fitted;
    const uint32_t season = naive->season < origin ? naive->season : 1;

    for (uint32_t i = 0; i < horizon; i++) {
        means[i] = series->values[origin - season + i % season];
        if (variances)
            variances[i] = naive->variance * (1 + i / season);
    }
}

const struct method naive_method = {"naive", "the last value", fit_last, project, 0};
const struct method seasonal_naive_method = {"seasonalnaive", "the last season", fit_season,
                                             project, 0};
