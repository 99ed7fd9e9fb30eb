#include "runtime/learn/series/series_errors.h"

#include <math.h>
#include <string.h>

#include "runtime/learn/series/series_fit.h"

struct series_scale series_scale_of(const double *values, uint32_t count, uint32_t apart)
{
    double sum = 0, square = 0, pairs = 0;

    for (uint32_t i = apart; i < count; i++) {
        const double difference = values[i] - values[i - apart];

        if (isnan(difference))
            continue;
        sum += fabs(difference);
        square += difference * difference;
        pairs++;
    }
    return pairs > 0 ? (struct series_scale){sum / pairs, square / pairs}
                     : (struct series_scale){0, 0};
}

double series_naive(const double *values, uint32_t origin, uint32_t ahead, uint32_t season)
{
    const uint32_t back = season - (ahead - 1) % season;

    return back <= origin ? values[origin - back] : NAN;
}

void series_errors_add(struct series_errors *errors, const struct series_guess *guess, double value,
                       double naive, const struct series_scale *scale)
{
    const double error = value - guess->value;
    const double both = fabs(value) + fabs(guess->value);

    errors->steps++;
    errors->absolute += fabs(error);
    errors->errors += error;
    errors->values += fabs(value);
    errors->shares += both > 0 ? 2 * fabs(error) / both : 0;
    errors->covered += value >= guess->lower && value <= guess->upper;
    if (!(scale->absolute > 0))
        return;
    errors->scaled_steps++;
    errors->scaled += fabs(error) / scale->absolute;
    errors->squares += error * error / scale->squares;
    if (isnan(naive))
        return;
    errors->naive_steps++;
    errors->naive_scaled += fabs(value - naive) / scale->absolute;
}

struct series_errors series_errors_of(const int64_t *record)
{
    struct series_errors errors;

    memcpy(&errors, record + RECORD_ERRORS, sizeof errors);
    return errors;
}
