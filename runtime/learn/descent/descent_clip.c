#include "runtime/learn/descent/descent_clip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"

enum status descent_clip_init(struct descent *descent, struct error *err)
{
    if (!(descent->model.settings.clip_norm > 0 || descent->model.settings.clip_value > 0))
        return STATUS_OK;
    descent->clipped = calloc(descent->model.parameter_count, sizeof *descent->clipped);
    return descent->clipped ? STATUS_OK : fail_no_memory(err);
}

void descent_clip_deinit(struct descent *descent)
{
    free(descent->clipped);
}

WIDE_VECTORS
static void cut_values(const float *restrict gradient, size_t count, float most,
                       float *restrict cut)
{
    for (size_t i = 0; i < count; i++) {
        const float g = gradient[i] > most ? most : gradient[i];

        cut[i] = g < -most ? -most : g;
    }
}

WIDE_VECTORS
static void scale_values(size_t count, float factor, float *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] *= factor;
}

static double norm_of(const float *values, size_t count)
{
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        squares += (double)values[i] * (double)values[i];
    return sqrt(squares);
}

/* How many reals there are: those of the table are behind the others. */
static size_t count_of(const struct descent *descent, const struct phase_totals *totals)
{
    const struct phase *phase = &descent->learner.phase;

    return phase->real_count +
           (phase->table.rows > 0 ? (size_t)totals->rows->count * phase->table.width : 0);
}

const float *descent_clip(struct descent *descent, const struct phase_totals *totals)
{
    const struct descent_settings *settings = &descent->model.settings;
    const size_t count = count_of(descent, totals);
    double norm;

    if (!descent->clipped)
        return totals->reals;
    cut_values(totals->reals, count,
               settings->clip_value > 0 ? (float)settings->clip_value : INFINITY, descent->clipped);
    /* Tensors that no optimizer moves by their gradients. The table is never frozen. */
    for (uint32_t t = 0; t < descent->model.tensor_count; t++)
        if (descent->model.tensors[t].is_statistic || descent->model.tensors[t].is_frozen)
            memset(descent->clipped + descent->sums_at[t], 0,
                   descent->model.tensors[t].count * sizeof *descent->clipped);
    norm = settings->clip_norm > 0 ? norm_of(descent->clipped, count) : 0;
    if (norm > settings->clip_norm)
        scale_values(count, (float)(settings->clip_norm / norm), descent->clipped);
    return descent->clipped;
}
