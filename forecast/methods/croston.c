#include "forecast/methods/croston.h"

#define SMOOTHING 0.1

enum kind { CROSTON, SBA, TSB };

struct demand {
    enum kind kind;
    double variance;
};

bool demand_is_rare(const struct series *series)
{
    uint32_t zeros = 0;

    for (uint32_t i = 0; i < series->count; i++) {
        if (series->values[i] < 0)
            return false;
        zeros += series->values[i] == 0;
    }
    return zeros > series->count / 2;
}

static enum status fit(const struct series *series, enum kind kind, const struct fitting *fitting,
                       void **fitted, struct error *err)
{
    struct demand *demand = ARENA_NEW(fitting->arena, struct demand, 1);
    double mean = 0;

    if (!demand)
        return fail_no_memory(err);
    TRY(fitting_check(fitting, series->count, err));
    demand->kind = kind;
    for (uint32_t i = 0; i < series->count; i++)
        mean += series->values[i] / series->count;
    for (uint32_t i = 0; i < series->count; i++)
        demand->variance += (series->values[i] - mean) * (series->values[i] - mean) / series->count;
    *fitted = demand;
    return STATUS_OK;
}

static enum status fit_croston(const struct series *series, const struct fitting *fitting,
                               void **fitted, struct error *err)
{
    return fit(series, CROSTON, fitting, fitted, err);
}

static enum status fit_sba(const struct series *series, const struct fitting *fitting,
                           void **fitted, struct error *err)
{
    return fit(series, SBA, fitting, fitted, err);
}

static enum status fit_tsb(const struct series *series, const struct fitting *fitting,
                           void **fitted, struct error *err)
{
    return fit(series, TSB, fitting, fitted, err);
}

/* The first demand begins size and interval; the first value the probability. */
static double smooth(const struct demand *demand, const double *values, uint32_t count)
{
    double size = 0, interval = 0, probability = 0;
    uint32_t since = 0;

    for (uint32_t i = 0; i < count; i++) {
        const bool is_demand = values[i] != 0;

        since++;
        probability = i ? probability + SMOOTHING * (is_demand - probability) : is_demand;
        if (!is_demand)
            continue;
        size = interval > 0 ? size + SMOOTHING * (values[i] - size) : values[i];
        interval = interval > 0 ? interval + SMOOTHING * (since - interval) : since;
        since = 0;
    }
    if (demand->kind == TSB)
        return size * probability;
    if (!(interval > 0))
        return 0;
    return size / interval * (demand->kind == SBA ? 1 - SMOOTHING / 2 : 1);
}

static void project(const void *fitted, const struct series *series, uint32_t origin,
                    uint32_t horizon, double *means, double *variances)
{
    const struct demand *demand = fitted;
    const double mean = smooth(demand, series->values, origin);

    for (uint32_t i = 0; i < horizon; i++) {
        means[i] = mean;
        if (variances)
            variances[i] = demand->variance;
    }
}

const struct method croston_method = {"croston", "Croston's rare demand", fit_croston, project, 0};
const struct method sba_method = {"sba", "Croston's, with less bias", fit_sba, project, 0};
const struct method tsb_method = {"tsb", "rare demand that may end", fit_tsb, project, 0};
