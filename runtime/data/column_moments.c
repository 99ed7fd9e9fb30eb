#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/vectors.h"
#include "data/dataset.h"

#define CHUNK_ROWS 1024
#define ONE        0x1p51 /* of the fixed point: sums of a chunk stay below 2^61 */

/* Below, the variance in the range [0, 1] is measured again about the mean:
 * the difference of two numbers near 1 has lost half of its digits. */
#define VARIANCE_LEAST 0x1p-20

/*
 * A column's numbers, mapped onto [0, 1]:
 *
 *     u = (x pre - least pre) post
 *
 * Both factors are powers of two, so that only the difference is rounded, and
 * two of them so that neither very large nor very small ranges leave the format.
 */
struct mapping {
    double pre, post, origin; /* origin: least pre */
};

static struct mapping mapping_of(double least, double greatest)
{
    struct mapping mapping = {.pre = 1};
    int exponent;

    if (isinf(greatest - least))
        mapping.pre = 0.25;
    else if (greatest - least < 0x1p-500)
        mapping.pre = 0x1p500;
    mapping.origin = least * mapping.pre;
    (void)frexp(greatest * mapping.pre - mapping.origin, &exponent); /* below 2^exponent */
    mapping.post = ldexp(1, -exponent);
    return mapping;
}

/* What is learned of a column: in one pass its range, in another its sums. */
struct column_sums {
    double least, greatest;
    uint64_t count;
    unsigned __int128 first, second; /* of u, and of (u - center)^2, in units of 1 / ONE */
};

struct pass {
    bool is_range;
    struct mapping mapping;
    double center;
};

/* round(u ONE) of u in [0, 1]: what adding 2 leaves in the last bits of a double. */
static inline uint64_t fixed(double u)
{
    const double two = 2;
    double shifted = u + two;
    uint64_t bits, base;

    memcpy(&bits, &shifted, sizeof bits);
    memcpy(&base, &two, sizeof base);
    return bits - base;
}

/* keep (count): 1 where a value counts, else 0. */
WIDE_VECTORS
static void widen_range(const double *restrict values, const uint8_t *restrict keep, size_t count,
                        struct column_sums *sums)
{
    double least = sums->least, greatest = sums->greatest;

    for (size_t i = 0; i < count; i++) {
        const double low = keep[i] ? values[i] : INFINITY, high = keep[i] ? values[i] : -INFINITY;

        least = low < least ? low : least;
        greatest = high > greatest ? high : greatest;
    }
    sums->least = least;
    sums->greatest = greatest;
}

WIDE_VECTORS
static void add_chunk(const double *restrict values, const uint8_t *restrict keep, size_t count,
                      const struct pass *pass, struct column_sums *sums)
{
    const double pre = pass->mapping.pre, post = pass->mapping.post, origin = pass->mapping.origin;
    const double center = pass->center;
    uint64_t kept = 0, first = 0, second = 0;

    for (size_t i = 0; i < count; i++) {
        const double u = (values[i] * pre - origin) * post, away = u - center;
        const uint64_t mask = -(uint64_t)keep[i];

        kept += keep[i];
        first += fixed(u) & mask;
        second += fixed(away * away) & mask;
    }
    sums->count += kept;
    sums->first += first;
    sums->second += second;
}

/* Which rows of a chunk count: used, and not NULL. */
static const uint8_t *kept_rows(const struct spool_column_view *view, uint32_t first,
                                uint32_t count, const uint8_t *is_used, uint8_t *keep)
{
    if (!view->nulls && is_used)
        return is_used + first;
    memset(keep, 1, count);
    for (uint32_t i = 0; view->nulls && i < count; i++)
        keep[i] = !spool_is_null(view, first + i) && (!is_used || is_used[first + i]);
    return keep;
}

static const double *numbers(const struct spool_column_view *view, uint32_t first, uint32_t count,
                             double *space)
{
    if (view->type == SPOOL_REAL)
        return view->reals + first;
    for (uint32_t i = 0; i < count; i++)
        space[i] = (double)view->integers[first + i];
    return space;
}

static void pass_over(const struct spool *spool, uint32_t column, const uint8_t *is_used,
                      const struct pass *pass, struct column_sums *sums)
{
    uint8_t space_of_kept[CHUNK_ROWS];
    double space[CHUNK_ROWS];

    for (uint32_t b = 0; b < spool->block_count; b++) {
        const struct spool_block *block = &spool->blocks[b];
        const struct spool_column_view *view = &block->columns[column];
        const uint8_t *used = is_used ? is_used + block->first_row : NULL;

        for (uint32_t row = 0; row < block->rows; row += CHUNK_ROWS) {
            uint32_t count = block->rows - row < CHUNK_ROWS ? block->rows - row : CHUNK_ROWS;
            const double *values = numbers(view, row, count, space);
            const uint8_t *keep = kept_rows(view, row, count, used, space_of_kept);

            if (pass->is_range)
                widen_range(values, keep, count, sums);
            else
                add_chunk(values, keep, count, pass, sums);
        }
    }
}

static double average(unsigned __int128 sum, uint64_t count)
{
    return (double)sum / (double)count / ONE;
}

/* The ends of the range are among the values, so that the sum of squares is at
 * least 1/2, and the variance of n values at least 1/2n. */
static double variance_of(const struct spool *spool, uint32_t column, const uint8_t *is_used,
                          struct pass *pass, const struct column_sums *sums)
{
    const double mean = average(sums->first, sums->count);
    const double variance = average(sums->second, sums->count) - mean * mean;
    struct column_sums about_mean = {.count = 0};

    if (variance >= VARIANCE_LEAST)
        return variance;
    pass->center = mean;
    pass_over(spool, column, is_used, pass, &about_mean);
    return average(about_mean.second, about_mean.count);
}

struct column_moments column_moments(const struct spool *spool, uint32_t column,
                                     const uint8_t *is_used)
{
    struct column_sums sums = {.least = INFINITY, .greatest = -INFINITY};
    struct column_moments result = {.scale = 1};
    struct pass pass = {.is_range = true};

    pass_over(spool, column, is_used, &pass, &sums);
    if (!(sums.least <= sums.greatest))
        return result;
    pass = (struct pass){.mapping = mapping_of(sums.least, sums.greatest)};
    pass_over(spool, column, is_used, &pass, &sums);
    result.count = sums.count;
    result.mean = sums.least;
    if (sums.least == sums.greatest)
        return result;
    result.mean = (pass.mapping.origin + average(sums.first, sums.count) / pass.mapping.post) /
                  pass.mapping.pre;
    result.scale = sqrt(variance_of(spool, column, is_used, &pass, &sums)) / pass.mapping.post /
                   pass.mapping.pre;
    /* Neighbouring numbers at the very bottom of the format. */
    if (!(result.scale > 0))
        result.scale = 1;
    return result;
}
