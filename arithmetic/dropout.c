#include "arithmetic/dropout.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

/* A unit is dropped where 16 random bits are below this. */
static uint32_t threshold_of(const struct dropout *op)
{
    const double threshold = floor(op->rate * 65536 + 0.5);

    return threshold < 65535 ? (uint32_t)threshold : 65535;
}

/* The factor of the units that stay, which keeps the mean. */
static float scale_of(const struct dropout *op)
{
    return 65536 / (float)(65536 - threshold_of(op));
}

/* mask (n, width): 0 or the scale. Units are numbered through the batch. */
static void draw_mask(const struct dropout *op, const struct dropout_place *place, uint32_t n,
                      float *mask)
{
    const uint64_t width = place->width;
    const uint64_t first = place->position * width, end = first + n * width;
    const uint32_t dropped = threshold_of(op);
    const float factors[2] = {0, scale_of(op)};

    for (uint64_t block = first / 4; block * 4 < end; block++) {
        const uint64_t from = block * 4 < first ? first % 4 : 0;
        const uint64_t to = block * 4 + 4 > end ? end % 4 : 4;
        const uint64_t bits = random_bits(op->seed, RANDOM_DROPOUT,
                                          place->step * op->layer_count + place->layer, block);
        float four[4];

        /* By table: a branch on what is random would be mispredicted half the time. */
        for (int k = 0; k < 4; k++)
            four[k] = factors[(bits >> k * 16 & 0xffff) >= dropped];
        if (to - from == 4)
            memcpy(mask + (block * 4 - first), four, sizeof four);
        else
            memcpy(mask + (block * 4 + from - first), four + from, (to - from) * sizeof *four);
    }
}

static void apply_mask(const float *restrict mask, float *restrict a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] *= mask[i];
}

static void multiply_by(float factor, float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] *= factor;
}

void dropout_forward(const struct dropout *op, const struct dropout_place *place, uint32_t n,
                     float *mask, float *a)
{
    draw_mask(op, place, n, mask);
    apply_mask(mask, a, (size_t)n * place->width);
}

void dropout_backward(const struct dropout *op, const float *mask, size_t count, float *a,
                      float *delta)
{
    apply_mask(mask, delta, count);
    multiply_by(1 / scale_of(op), a, count);
}
