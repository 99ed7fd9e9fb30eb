#include <math.h>

#include "data/dataset.h"

#define GATHER_ROWS 1024
#define FIXED_ONE   0x1p60

/* Reals that are summed in 64 bits behind the binary point: integer additions
 * can be made in any order. */
typedef unsigned __int128 fixed_sum;

/* Where a column's numbers are read from, and the range they lie in. */
struct moments {
    uint64_t count;
    double least, greatest;
    double half;  /* 0.5 where greatest - least would overflow, else 1 */
    double range; /* (greatest - least) * half */
    double mean;  /* of u = (x - least) / range, in [0, 1] */
    fixed_sum sum;
};

typedef void moments_pass(struct moments *moments, const double *values, size_t count);

static void pass_range(struct moments *moments, const double *values, size_t count)
{
    double least = moments->least, greatest = moments->greatest;

    for (size_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        greatest = values[i] > greatest ? values[i] : greatest;
    }
    moments->least = least;
    moments->greatest = greatest;
    moments->count += count;
}

static double relative(const struct moments *moments, double value)
{
    return (value * moments->half - moments->least * moments->half) / moments->range;
}

static void pass_mean(struct moments *moments, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        moments->sum += (uint64_t)llrint(relative(moments, values[i]) * FIXED_ONE);
}

/* The ends of the range are among the values, so that the sum of squares is at
 * least 1/2 and the binary point stands well whatever the values between. */
static void pass_squares(struct moments *moments, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double difference = relative(moments, values[i]) - moments->mean;
        moments->sum += (uint64_t)llrint(difference * difference * FIXED_ONE);
    }
}

static double value_at(const struct spool_column_view *column, uint32_t row)
{
    return column->type == SPOOL_REAL ? column->reals[row] : (double)column->integers[row];
}

/* Used values that are not NULL, [first, first + count) of a block, one behind the other. */
static size_t gather(const struct spool_column_view *column, uint32_t first, uint32_t count,
                     const uint8_t *is_used, double *values)
{
    size_t gathered = 0;

    for (uint32_t row = first; row < first + count; row++) {
        values[gathered] = value_at(column, row);
        gathered += (!is_used || is_used[row]) && !spool_is_null(column, row);
    }
    return gathered;
}

static void each_value(const struct spool *spool, uint32_t column, const uint8_t *is_used,
                       moments_pass *pass, struct moments *moments)
{
    double values[GATHER_ROWS];

    for (uint32_t b = 0; b < spool->block_count; b++) {
        const struct spool_block *block = &spool->blocks[b];
        const struct spool_column_view *view = &block->columns[column];
        const uint8_t *used = is_used ? is_used + block->first_row : NULL;

        for (uint32_t row = 0; row < block->rows; row += GATHER_ROWS) {
            uint32_t count = block->rows - row < GATHER_ROWS ? block->rows - row : GATHER_ROWS;
            if (!used && !view->nulls && view->type == SPOOL_REAL)
                pass(moments, view->reals + row, count);
            else
                pass(moments, values, gather(view, row, count, used, values));
        }
    }
}

static double average(const struct moments *moments)
{
    return (double)moments->sum / (double)moments->count / FIXED_ONE;
}

struct column_moments column_moments(const struct spool *spool, uint32_t column,
                                     const uint8_t *is_used)
{
    struct moments moments = {.least = INFINITY, .greatest = -INFINITY, .half = 1};
    struct column_moments result = {.scale = 1};

    each_value(spool, column, is_used, pass_range, &moments);
    result.count = moments.count;
    if (moments.count == 0)
        return result;
    result.mean = moments.least;
    if (moments.least == moments.greatest)
        return result;
    if (isinf(moments.greatest - moments.least))
        moments.half = 0.5;
    moments.range = moments.greatest * moments.half - moments.least * moments.half;
    each_value(spool, column, is_used, pass_mean, &moments);
    moments.mean = average(&moments);
    result.mean = (moments.least * moments.half + moments.range * moments.mean) / moments.half;
    moments.sum = 0;
    each_value(spool, column, is_used, pass_squares, &moments);
    result.scale = moments.range * sqrt(average(&moments)) / moments.half;
    /* Neighbouring numbers at the very bottom of the format. */
    if (!(result.scale > 0))
        result.scale = 1;
    return result;
}
