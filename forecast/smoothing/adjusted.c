#include "forecast/smoothing/adjusted.h"

#include "forecast/smoothing/ets.h"

bool adjusted_suits(const struct series *series, const struct fitting *fitting)
{
    return series->season > ETS_SEASON_MAX && season_is_kept(series, fitting);
}

enum status adjusted_fit(const struct method *method, const struct series *series,
                         const struct fitting *fitting, struct adjusted *adjusted,
                         struct error *err)
{
    double *values = ARENA_NEW(fitting->arena, double, series->count);

    if (!values)
        return fail_no_memory(err);
    TRY(pattern_find(series, fitting, &adjusted->pattern, err));
    for (uint32_t i = 0; i < series->count; i++)
        values[i] = pattern_remove(&adjusted->pattern, i, series->values[i]);
    adjusted->series = (struct series){values, series->count, 1};
    adjusted->method = method;
    return method->fit(&adjusted->series, fitting, &adjusted->fitted, err);
}

void adjusted_project(const struct adjusted *adjusted, uint32_t origin, uint32_t horizon,
                      double *means, double *variances)
{
    adjusted->method->project(adjusted->fitted, &adjusted->series, origin, horizon, means,
                              variances);
    for (uint32_t h = 0; h < horizon; h++) {
        means[h] = pattern_restore(&adjusted->pattern, origin + h, means[h]);
        if (variances)
            variances[h] = pattern_variance(&adjusted->pattern, origin + h, variances[h]);
    }
}
