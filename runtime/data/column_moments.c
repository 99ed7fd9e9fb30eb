#include "runtime/data/column_moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"

#define TILE_ROWS 256    /* sums of so many stay below 2^59 */
#define ONE       0x1p51 /* of the fixed point */

/* Below, the variance in the range [0, 1] is measured again about the mean:
 * the difference of two numbers near 1 has lost half of its digits. */
#define VARIANCE_LEAST 0x1p-20

typedef unsigned __int128 wide;

/*
 * Columns lie side by side in a row, and so do what is known of them, so that
 * vectors take several columns at a time. Numbers are mapped onto [0, 1]:
 *
 *     u = (x pre - origin) post,   origin = least pre
 *
 * Both factors are powers of two, so that only the difference is rounded, and
 * two of them so that neither very large nor very small ranges leave the format.
 */
struct columns {
    uint32_t first, count; /* numbers [first, first + count) of a row */
    bool is_range;         /* the pass is for least and greatest, else for the sums */
    double *least, *greatest, *pre, *origin, *post, *center; /* (count) */
};

/* What one member has of all columns. Integers, so that rows can be added in
 * any order: numbers, u and (u - center)^2 in units of 1 / ONE. */
struct column_sums {
    double *least, *greatest;     /* (count) */
    uint64_t *kept, *u, *square;  /* (count) of a tile */
    uint64_t *total;              /* (count) numbers */
    wide *total_u, *total_square; /* (count) */
    double *tile;                 /* (TILE_ROWS, count) where numbers are not all real */
    uint8_t *keep;                /* (TILE_ROWS, count): 1 where a number counts, else 0 */
};

struct measuring {
    const struct spool *spool;
    const uint8_t *is_used;
    uint32_t *places; /* (count): which column of the spool it is */
    struct columns columns;
    struct column_sums *members; /* (team_size) */
};

/* ---- one tile ---- */

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

WIDE_VECTORS
static void widen_row(const double *restrict x, const uint8_t *restrict keep, uint32_t count,
                      double *restrict least, double *restrict greatest)
{
    for (uint32_t i = 0; i < count; i++) {
        const double low = keep[i] ? x[i] : INFINITY, high = keep[i] ? x[i] : -INFINITY;

        least[i] = low < least[i] ? low : least[i];
        greatest[i] = high > greatest[i] ? high : greatest[i];
    }
}

WIDE_VECTORS
static void add_row(const double *restrict x, const uint8_t *restrict keep, uint32_t count,
                    const double *restrict pre, const double *restrict origin,
                    const double *restrict post, const double *restrict center,
                    uint64_t *restrict kept, uint64_t *restrict sum, uint64_t *restrict square)
{
    for (uint32_t i = 0; i < count; i++) {
        const double u = (x[i] * pre[i] - origin[i]) * post[i], away = u - center[i];
        const uint64_t mask = -(uint64_t)keep[i];

        kept[i] += keep[i];
        sum[i] += fixed(u) & mask;
        square[i] += fixed(away * away) & mask;
    }
}

static void add_tile(const struct columns *columns, const double *x, size_t stride,
                     const uint8_t *keep, size_t keep_stride, const uint8_t *is_used, uint32_t rows,
                     struct column_sums *sums)
{
    for (uint32_t row = 0; row < rows; row++, x += stride, keep += keep_stride) {
        if (is_used && !is_used[row])
            continue;
        if (columns->is_range)
            widen_row(x, keep, columns->count, sums->least, sums->greatest);
        else
            add_row(x, keep, columns->count, columns->pre, columns->origin, columns->post,
                    columns->center, sums->kept, sums->u, sums->square);
    }
    for (uint32_t i = 0; i < columns->count && !columns->is_range; i++) {
        sums->total[i] += sums->kept[i];
        sums->total_u[i] += sums->u[i];
        sums->total_square[i] += sums->square[i];
        sums->kept[i] = sums->u[i] = sums->square[i] = 0;
    }
}

/* ---- one block ---- */

static const struct spool_column_view *view_of(const struct measuring *measuring,
                                               const struct spool_block *block, uint32_t i)
{
    return &block->columns[measuring->places[i]];
}

/* Reals without NULLs are taken as they lie. */
static bool is_plain(const struct measuring *measuring, const struct spool_block *block)
{
    for (uint32_t i = 0; i < measuring->columns.count; i++)
        if (view_of(measuring, block, i)->type != SPOOL_REAL || view_of(measuring, block, i)->nulls)
            return false;
    return true;
}

static void copy_tile(const struct measuring *measuring, const struct spool_block *block,
                      uint32_t first, uint32_t rows, struct column_sums *sums)
{
    const uint32_t count = measuring->columns.count;

    for (uint32_t i = 0; i < count; i++) {
        const struct spool_column_view *view = view_of(measuring, block, i);

        for (uint32_t row = 0; row < rows; row++) {
            sums->tile[(size_t)row * count + i] = spool_number(view, first + row);
            sums->keep[(size_t)row * count + i] = !spool_is_null(view, first + row);
        }
    }
}

static void measure_block(void *context, uint32_t member, uint32_t number)
{
    const struct measuring *measuring = context;
    const struct columns *columns = &measuring->columns;
    const struct spool_block *block = &measuring->spool->blocks[number];
    const uint32_t stride = measuring->spool->number_count;
    struct column_sums *sums = &measuring->members[member];
    const bool plain = is_plain(measuring, block);

    if (plain)
        memset(sums->keep, 1, columns->count);
    for (uint32_t first = 0; first < block->rows; first += TILE_ROWS) {
        const uint32_t rows = block->rows - first < TILE_ROWS ? block->rows - first : TILE_ROWS;
        uint8_t used[TILE_ROWS];
        const double *x =
            (const double *)(block->numbers + (size_t)first * stride + columns->first);

        for (uint32_t row = 0; row < rows; row++)
            used[row] = spool_trains(block, first + row, measuring->is_used);
        if (plain) {
            add_tile(columns, x, stride, sums->keep, 0, used, rows, sums);
            continue;
        }
        copy_tile(measuring, block, first, rows, sums);
        add_tile(columns, sums->tile, columns->count, sums->keep, columns->count, used, rows, sums);
    }
}

/* ---- all blocks ---- */

/* Everything of `count` columns in one piece of memory, which is freed by its
 * first array. */
static bool columns_init(struct columns *columns)
{
    const size_t count = columns->count;

    columns->least = calloc(6 * count + 1, sizeof(double));
    if (!columns->least)
        return false;
    columns->greatest = columns->least + count;
    columns->pre = columns->greatest + count;
    columns->origin = columns->pre + count;
    columns->post = columns->origin + count;
    columns->center = columns->post + count;
    return true;
}

static bool sums_init(struct column_sums *sums, size_t count)
{
    sums->total_u = calloc(2 * count + 1, sizeof(wide));
    sums->least = calloc(6 * count + 1, sizeof(double));
    sums->tile = malloc((TILE_ROWS * count + 1) * sizeof(double));
    sums->keep = malloc(TILE_ROWS * count + 1);
    if (!sums->total_u || !sums->least || !sums->tile || !sums->keep)
        return false;
    sums->total_square = sums->total_u + count;
    sums->greatest = sums->least + count;
    sums->kept = (uint64_t *)(sums->greatest + count);
    sums->u = sums->kept + count;
    sums->square = sums->u + count;
    sums->total = sums->square + count;
    for (size_t i = 0; i < count; i++) {
        sums->least[i] = INFINITY;
        sums->greatest[i] = -INFINITY;
    }
    return true;
}

static void sums_deinit(struct column_sums *sums)
{
    free(sums->total_u);
    free(sums->least);
    free(sums->tile);
    free(sums->keep);
}

/* One pass of the team over the rows; member 0 has the sums of all after it. */
static void pass_over(struct measuring *measuring, struct team *team, bool is_range)
{
    const uint32_t count = measuring->columns.count;
    struct column_sums *all = &measuring->members[0];

    measuring->columns.is_range = is_range;
    for (uint32_t m = 0; m < team_size(team); m++) {
        memset(measuring->members[m].kept, 0, 4 * count * sizeof(uint64_t));
        memset(measuring->members[m].total_u, 0, 2 * count * sizeof(wide));
    }
    team_run(team, measuring->spool->block_count, measure_block, measuring);
    for (uint32_t m = 1; m < team_size(team); m++)
        for (uint32_t i = 0; i < count; i++) {
            const struct column_sums *one = &measuring->members[m];

            all->least[i] = one->least[i] < all->least[i] ? one->least[i] : all->least[i];
            all->greatest[i] =
                one->greatest[i] > all->greatest[i] ? one->greatest[i] : all->greatest[i];
            all->total[i] += one->total[i];
            all->total_u[i] += one->total_u[i];
            all->total_square[i] += one->total_square[i];
        }
}

static void map_column(struct columns *columns, uint32_t i, double least, double greatest)
{
    int exponent;

    columns->least[i] = least;
    columns->greatest[i] = greatest;
    columns->pre[i] = 1;
    if (!(least <= greatest))
        return; /* no numbers: post is 0, and so is every u */
    if (isinf(greatest - least))
        columns->pre[i] = 0.25;
    else if (greatest - least < 0x1p-500)
        columns->pre[i] = 0x1p500;
    columns->origin[i] = least * columns->pre[i];
    (void)frexp(greatest * columns->pre[i] - columns->origin[i], &exponent); /* below 2^exponent */
    columns->post[i] = ldexp(1, -exponent);
}

static double average(wide sum, uint64_t count)
{
    return (double)sum / (double)count / ONE;
}

/* Neighbouring numbers at the very bottom of the format have none. */
static double scale_of(const struct columns *columns, uint32_t i, double variance)
{
    const double scale = sqrt(variance) / columns->post[i] / columns->pre[i];

    return scale > 0 ? scale : 1;
}

static double mean_of(const struct column_sums *sums, uint32_t i)
{
    return average(sums->total_u[i], sums->total[i]);
}

static double variance_of(const struct column_sums *sums, uint32_t i, double mean)
{
    return average(sums->total_square[i], sums->total[i]) - mean * mean;
}

/* The mean goes to `moments`; true when the variance must be measured again.
 * The ends of the range are among the values, so that the sum of squares is at
 * least 1/2, and the variance of n values at least 1/2n. */
static bool take_first_pass(struct columns *columns, const struct column_sums *sums, uint32_t i,
                            struct column_moments *moments)
{
    double mean, variance;

    *moments = (struct column_moments){.count = sums->total[i], .scale = 1};
    if (moments->count == 0)
        return false;
    moments->mean = columns->least[i];
    if (columns->least[i] == columns->greatest[i])
        return false;
    mean = mean_of(sums, i);
    variance = variance_of(sums, i, mean);
    moments->mean = (columns->origin[i] + mean / columns->post[i]) / columns->pre[i];
    columns->center[i] = mean;
    moments->scale = scale_of(columns, i, variance);
    return variance < VARIANCE_LEAST;
}

static void take_second_pass(const struct columns *columns, const struct column_sums *sums,
                             uint32_t i, struct column_moments *moments)
{
    if (moments->count == 0 || columns->least[i] == columns->greatest[i])
        return;
    if (variance_of(sums, i, 0) < VARIANCE_LEAST)
        moments->scale = scale_of(columns, i, variance_of(sums, i, 0));
}

static void measure(struct measuring *measuring, struct team *team, struct column_moments *moments)
{
    struct columns *columns = &measuring->columns;
    const struct column_sums *sums = &measuring->members[0];
    bool is_needed = false;

    pass_over(measuring, team, true);
    for (uint32_t i = 0; i < columns->count; i++)
        map_column(columns, i, sums->least[i], sums->greatest[i]);
    pass_over(measuring, team, false);
    for (uint32_t i = 0; i < columns->count; i++)
        is_needed = take_first_pass(columns, sums, i, &moments[i]) || is_needed;
    if (!is_needed)
        return;
    pass_over(measuring, team, false);
    for (uint32_t i = 0; i < columns->count; i++)
        take_second_pass(columns, sums, i, &moments[i]);
}

/* Which columns of the spool the numbers [first, first + count) of a row are. */
static void find_places(struct measuring *measuring)
{
    const struct columns *columns = &measuring->columns;
    uint32_t number = 0;

    for (uint32_t i = 0; i < measuring->spool->column_count; i++) {
        if (measuring->spool->types[i] == SPOOL_TEXT)
            continue;
        if (number >= columns->first && number < columns->first + columns->count)
            measuring->places[number - columns->first] = i;
        number++;
    }
}

enum status column_moments(const struct spool *spool, uint32_t first, uint32_t count,
                           const uint8_t *is_used, struct team *team,
                           struct column_moments *moments, struct error *err)
{
    struct measuring measuring = {
        .spool = spool, .is_used = is_used, .columns = {.first = first, .count = count}};
    bool has_memory = columns_init(&measuring.columns);

    measuring.places = calloc((size_t)count + 1, sizeof *measuring.places);
    measuring.members = calloc(team_size(team), sizeof *measuring.members);
    has_memory = has_memory && measuring.places && measuring.members;
    for (uint32_t m = 0; m < team_size(team) && has_memory; m++)
        has_memory = sums_init(&measuring.members[m], count);
    for (uint32_t i = 0; i < count; i++)
        moments[i] = (struct column_moments){.scale = 1};
    if (has_memory && spool->block_count > 0) {
        find_places(&measuring);
        measure(&measuring, team, moments);
    }
    for (uint32_t m = 0; measuring.members && m < team_size(team); m++)
        sums_deinit(&measuring.members[m]);
    free(measuring.members);
    free(measuring.places);
    free(measuring.columns.least);
    return has_memory ? STATUS_OK : fail_no_memory(err);
}
