#include "scoring/metrics/number_losses.h"

#include <float.h>
#include <math.h>

#include "scoring/numbers/elementary.h"

#define PREDICTED_LEAST 1e-16
#define GAMMA_LEAST     1e-6
#define TWEEDIE_POWER   1.5
#define STIRLING_LEAST  12

bool number_loss_is_of(enum metric metric)
{
    switch (metric) {
    case METRIC_MSE:
    case METRIC_RMSE:
    case METRIC_MAE:
    case METRIC_MAPE:
    case METRIC_RMSLE:
    case METRIC_POISSON:
    case METRIC_GAMMA:
    case METRIC_GAMMA_DEVIANCE:
    case METRIC_TWEEDIE:
    case METRIC_PINBALL:
    case METRIC_COVERAGE:
    case METRIC_AFT:
        return true;
    default:
        return false;
    }
}

static double at_least(double x, double least)
{
    return x > least ? x : least;
}

/* log of the gamma function of x >= 1: Stirling's series of a greater number. */
static double log_gamma(double x)
{
    const double half_log_2pi = 0.91893853320467274178;
    double product = 1, q;

    while (x < STIRLING_LEAST)
        product *= x++;
    q = 1 / (x * x);
    return (x - 0.5) * logarithm_double(x) - x + half_log_2pi +
           (1. / 12 - q * (1. / 360 - q * (1. / 1260 - q * (1. / 1680)))) / x -
           logarithm_double(product);
}

static double log_error(double p, double y)
{
    const double difference = logarithm_double(at_least(1 + p, PREDICTED_LEAST)) -
                              logarithm_double(at_least(1 + y, PREDICTED_LEAST));

    return difference * difference;
}

static double poisson(double p, double y)
{
    p = at_least(p, PREDICTED_LEAST);
    return log_gamma(at_least(y, 0) + 1) + p - y * logarithm_double(p);
}

static double gamma_likelihood(double p, double y)
{
    p = at_least(p, GAMMA_LEAST);
    return y / p + logarithm_double(p);
}

static double gamma_deviance(double p, double y)
{
    p = at_least(p, 0) + GAMMA_LEAST;
    y = at_least(y, 0) + GAMMA_LEAST;
    return 2 * (logarithm_double(p) - logarithm_double(y) + y / p - 1);
}

static double tweedie(double p, double y, double power)
{
    const double logarithm = logarithm_double(at_least(p, PREDICTED_LEAST));

    return exponential_double((2 - power) * logarithm) / (2 - power) -
           y * exponential_double((1 - power) * logarithm) / (1 - power);
}

static double pinball(const struct aim_facts *aim, const struct number_row *row)
{
    double sum = 0;

    for (uint32_t i = 0; i < aim->quantile_count; i++) {
        const double lack = row->label - row->predicted[i];

        sum += lack * (lack < 0 ? aim->quantiles[i] - 1 : aim->quantiles[i]);
    }
    return sum / (aim->quantile_count > 0 ? aim->quantile_count : 1);
}

static double coverage(const struct aim_facts *aim, const struct number_row *row)
{
    uint32_t least = 0, most = 0;

    for (uint32_t i = 1; i < aim->quantile_count; i++) {
        least = aim->quantiles[i] < aim->quantiles[least] ? i : least;
        most = aim->quantiles[i] > aim->quantiles[most] ? i : most;
    }
    return row->label <= row->predicted[most] &&
           (most == least || row->label >= row->predicted[least]);
}

static double survival_loss(const struct aim_facts *aim, const struct number_row *row)
{
    const float lower = (float)row->label, upper = (float)row->upper;
    const float output =
        (float)logarithm_double(at_least(row->predicted[0], (double)SURVIVAL_TIME_LEAST));
    double loss;

    survival_losses(aim->survival, 1, &lower, &upper, &output, &loss);
    return loss;
}

double number_loss(struct measure measure, const struct aim_facts *aim,
                   const struct number_row *row)
{
    const double p = row->predicted[aim_prediction(aim)], y = row->label, difference = p - y;

    switch (measure.metric) {
    case METRIC_MAE:
        return fabs(difference);
    case METRIC_MAPE:
        return fabs(difference) / at_least(fabs(y), DBL_EPSILON);
    case METRIC_RMSLE:
        return log_error(p, y);
    case METRIC_POISSON:
        return poisson(p, y);
    case METRIC_GAMMA:
        return gamma_likelihood(p, y);
    case METRIC_GAMMA_DEVIANCE:
        return gamma_deviance(p, y);
    case METRIC_TWEEDIE:
        return tweedie(p, y,
                       measure.at > 0   ? measure.at
                       : aim->power > 0 ? aim->power
                                        : TWEEDIE_POWER);
    case METRIC_PINBALL:
        return pinball(aim, row);
    case METRIC_COVERAGE:
        return coverage(aim, row);
    case METRIC_AFT:
        return survival_loss(aim, row);
    default:
        return difference * difference;
    }
}

double number_metric(enum metric metric, double mean)
{
    return metric == METRIC_RMSE || metric == METRIC_RMSLE ? sqrt(mean) : mean;
}
