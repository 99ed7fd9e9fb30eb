#include "arithmetic/batch_norm.h"

#include <math.h>
#include <string.h>

#include "base/vectors.h"

/* All sums are of one column, in ascending order of the rows. */
WIDE_VECTORS
static void add_rows(uint32_t n, uint32_t width, const float *restrict a, float *restrict sum)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < width; j++)
            sum[j] += a[(uint64_t)i * width + j];
}

WIDE_VECTORS
static void add_squares(uint32_t n, uint32_t width, const float *restrict a,
                        const float *restrict mean, float *restrict sum)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < width; j++) {
            const float off = a[(uint64_t)i * width + j] - mean[j];

            sum[j] += off * off;
        }
}

static void divide(uint32_t width, float by, float *values)
{
    for (uint32_t j = 0; j < width; j++)
        values[j] /= by;
}

static void measure_rows(uint32_t n, uint32_t width, const float *a, struct batch_norm_room *room)
{
    memset(room->mean, 0, width * sizeof *room->mean);
    memset(room->variance, 0, width * sizeof *room->variance);
    add_rows(n, width, a, room->mean);
    divide(width, (float)n, room->mean);
    add_squares(n, width, a, room->mean, room->variance);
    divide(width, (float)n, room->variance);
}

WIDE_VECTORS
static void normalize(uint32_t n, uint32_t width, const float *restrict a,
                      const float *restrict mean, const float *restrict inverse,
                      const float *restrict gamma, const float *restrict beta, float *restrict y)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < width; j++) {
            const uint64_t at = (uint64_t)i * width + j;

            y[at] = (a[at] - mean[j]) * inverse[j] * gamma[j] + beta[j];
        }
}

void batch_norm_measure(const struct batch_norm *op, const float *parameters, uint32_t n,
                        bool learns, const float *a, struct batch_norm_room *room)
{
    const uint32_t width = op->width;

    room->is_of_rows = learns && n > 1;
    if (room->is_of_rows) {
        measure_rows(n, width, a, room);
    } else {
        memcpy(room->mean, parameters + op->mean, width * sizeof *room->mean);
        memcpy(room->variance, parameters + op->variance, width * sizeof *room->variance);
    }
    for (uint32_t j = 0; j < width; j++)
        room->inverse[j] = 1 / sqrtf(room->variance[j] + (float)BATCH_NORM_EPSILON);
}

void batch_norm_forward(const struct batch_norm *op, const float *parameters, uint32_t n,
                        bool learns, const float *a, struct batch_norm_room *room, float *y)
{
    batch_norm_measure(op, parameters, n, learns, a, room);
    normalize(n, op->width, a, room->mean, room->inverse, parameters + op->gamma,
              parameters + op->beta, y);
}

/* sums: of delta, and of delta times the normalized a. */
WIDE_VECTORS
static void add_deltas(uint32_t n, uint32_t width, const float *restrict a,
                       const float *restrict mean, const float *restrict inverse,
                       const float *restrict delta, float *restrict sum, float *restrict products)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < width; j++) {
            const uint64_t at = (uint64_t)i * width + j;

            sum[j] += delta[at];
            products[j] += delta[at] * ((a[at] - mean[j]) * inverse[j]);
        }
}

/* With part = 1 / n, also through mean and variance of the rows; with 0 these are constants. */
WIDE_VECTORS
static void pass_deltas(uint32_t n, uint32_t width, float part, const float *restrict a,
                        const float *restrict mean, const float *restrict inverse,
                        const float *restrict gamma, const float *restrict sum,
                        const float *restrict products, float *restrict delta)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < width; j++) {
            const uint64_t at = (uint64_t)i * width + j;
            const float unit = (a[at] - mean[j]) * inverse[j];

            delta[at] = gamma[j] * inverse[j] * (delta[at] - part * (sum[j] + unit * products[j]));
        }
}

static void add(uint32_t width, const float *from, float *to)
{
    for (uint32_t j = 0; j < width; j++)
        to[j] += from[j];
}

static void add_off(uint32_t width, float share, const float *running, const float *own, float *to)
{
    for (uint32_t j = 0; j < width; j++)
        to[j] += share * (running[j] - own[j]);
}

void batch_norm_backward(const struct batch_norm *op, const float *parameters, uint32_t n,
                         double share, const float *a, const struct batch_norm_room *room,
                         bool is_first, float *delta, float *gradient)
{
    const uint32_t width = op->width;
    float *sum = room->sums, *products = room->sums + width;
    const uint32_t parts[] = {op->gamma, op->beta, op->mean, op->variance};

    for (int p = 0; is_first && p < 4; p++)
        memset(gradient + parts[p], 0, width * sizeof *gradient);
    memset(room->sums, 0, 2 * (size_t)width * sizeof *room->sums);
    add_deltas(n, width, a, room->mean, room->inverse, delta, sum, products);
    add(width, sum, gradient + op->beta);
    add(width, products, gradient + op->gamma);
    pass_deltas(n, width, room->is_of_rows ? 1 / (float)n : 0, a, room->mean, room->inverse,
                parameters + op->gamma, sum, products, delta);
    if (!room->is_of_rows)
        return;
    add_off(width, (float)share, parameters + op->mean, room->mean, gradient + op->mean);
    add_off(width, (float)share, parameters + op->variance, room->variance,
            gradient + op->variance);
}

void batch_norm_line(const struct batch_norm *op, const float *parameters, uint32_t column,
                     double *scale, double *shift)
{
    const double variance = (double)parameters[op->variance + column] + BATCH_NORM_EPSILON;

    *scale = (double)parameters[op->gamma + column] / sqrt(variance);
    *shift = (double)parameters[op->beta + column] - *scale * (double)parameters[op->mean + column];
}
