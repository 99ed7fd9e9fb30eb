#include "forecast/arima/differences.h"

#include <math.h>

#define STATISTIC_MOST 0.463 /* exceeded by 5 in 100 levels that stay */

uint32_t difference(double *values, uint32_t count, uint32_t lag)
{
    if (count <= lag)
        return 0;
    for (uint32_t i = 0; i < count - lag; i++)
        values[i] = values[i + lag] - values[i];
    return count - lag;
}

bool level_is_moving(const double *values, uint32_t count)
{
    const uint32_t lags = (uint32_t)(3 * sqrt(count) / 13);
    double mean = 0, sum = 0, squares = 0, variance = 0;

    for (uint32_t i = 0; i < count; i++)
        mean += values[i] / count;
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i] - mean;
        squares += sum * sum;
        variance += (values[i] - mean) * (values[i] - mean);
    }
    for (uint32_t lag = 1; lag <= lags; lag++) {
        double product = 0;

        for (uint32_t i = lag; i < count; i++)
            product += (values[i] - mean) * (values[i - lag] - mean);
        variance += 2 * (1 - lag / (lags + 1.0)) * product;
    }
    return squares > STATISTIC_MOST * count * variance;
}
