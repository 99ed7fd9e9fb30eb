#include "scoring/metrics/ranked_labels.h"

#include "scoring/numbers/elementary.h"

double ranked_gain(double label, bool is_linear)
{
    return is_linear ? label : exponential_double(label * logarithm_double(2)) - 1;
}

double ranked_discount(uint32_t rank)
{
    return logarithm_double(2) / logarithm_double(rank + 2.);
}

static double discounted_gain(bool is_linear, const float *labels, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += ranked_gain((double)labels[i], is_linear) * ranked_discount(i);
    return sum;
}

static double precision(const float *labels, uint32_t n, uint32_t first)
{
    uint32_t relevant = 0;
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!(labels[i] > 0))
            continue;
        relevant++;
        if (i < first)
            sum += relevant / (i + 1.);
    }
    return relevant > 0 ? sum / (relevant < first ? relevant : first) : 1;
}

static double reciprocal(const float *labels, uint32_t n, uint32_t first)
{
    for (uint32_t i = 0; i < n; i++)
        if (labels[i] > 0)
            return i < first ? 1 / (i + 1.) : 0;
    return 1;
}

double ranked_value(struct measure measure, bool has_linear_gains, const float *labels,
                    const float *best, uint32_t n)
{
    const uint32_t first = measure.at > 0 && measure.at < n ? (uint32_t)measure.at : n;
    double ideal;

    if (measure.metric == METRIC_MAP_RANKS)
        return precision(labels, n, first);
    if (measure.metric == METRIC_MRR)
        return reciprocal(labels, n, first);
    ideal = discounted_gain(has_linear_gains, best, first);
    return ideal > 0 ? discounted_gain(has_linear_gains, labels, first) / ideal : 1;
}
