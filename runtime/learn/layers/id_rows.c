#include "runtime/learn/layers/id_rows.h"

#include <string.h>

#include "base/vectors.h"

#define ROWS_AHEAD 4 /* rows of data: whose rows of the table are asked for */
#define LINE_BYTES 64

/* ---- forward ---- */

/* They lie anywhere in memory. */
VECTORS_PART void expect_rows(const struct id_rows *op, size_t width, const float *parameters,
                              const int32_t *ids)
{
    for (uint32_t j = 0; j < op->id_count; j++)
        for (size_t u = 0; ids[j] >= 0 && u < width; u += LINE_BYTES / sizeof(float))
            __builtin_prefetch(parameters + op->first + (size_t)ids[j] * width + u);
}

/* z (width) += the rows that ids [from, to) of a row of data select. */
VECTORS_PART void add_rows(const struct id_rows *op, size_t width, const float *parameters,
                           const int32_t *ids, uint32_t from, uint32_t to, float *z)
{
    for (uint32_t j = from; j < to; j++) {
        const float *row;

        if (ids[j] < 0)
            continue;
        row = parameters + op->first + (size_t)ids[j] * width;
        for (size_t u = 0; u < width; u++)
            z[u] += row[u];
    }
}

/* The same of a text, whose words have their share. */
VECTORS_PART void add_text(const struct id_rows *op, size_t width, const float *parameters,
                           const int32_t *ids, const struct text_ids *text, float *z)
{
    const uint32_t used = text_ids_used(ids + text->first, text->count);
    const struct text_shares shares = text_shares_of(text, ids, used);

    for (uint32_t j = text->first; j < text->first + used; j++) {
        const float share = text_share(&shares, j - text->first);
        const float *row = parameters + op->first + (size_t)ids[j] * width;

        for (size_t u = 0; u < width; u++)
            z[u] += share * row[u];
    }
}

VECTORS_PART void forward(const struct id_rows *op, size_t width, const float *parameters,
                          uint32_t n, const int32_t *ids, float *z)
{
    for (uint32_t i = 0; i < n; i++, ids += op->id_count, z += width) {
        uint32_t done = 0;

        if (i + ROWS_AHEAD < n)
            expect_rows(op, width, parameters, ids + (size_t)ROWS_AHEAD * op->id_count);
        for (uint32_t t = 0; t < op->text_count; t++) {
            add_rows(op, width, parameters, ids, done, op->texts[t].first, z);
            add_text(op, width, parameters, ids, &op->texts[t], z);
            done = text_ids_end(&op->texts[t]);
        }
        add_rows(op, width, parameters, ids, done, op->id_count, z);
    }
}

WIDE_VECTORS
static void forward_wide(const struct id_rows *op, const float *parameters, uint32_t n,
                         const int32_t *ids, float *z)
{
    forward(op, op->width, parameters, n, ids, z);
}

/* The compiler makes no loops for a width of 1, which linear models have. */
void id_rows_forward(const struct id_rows *op, const float *parameters, uint32_t n,
                     const int32_t *ids, float *z)
{
    if (op->width == 1)
        forward(op, 1, parameters, n, ids, z);
    else
        forward_wide(op, parameters, n, ids, z);
}

/* ---- backward ---- */

VECTORS_PART void give_rows(const struct id_rows *op, size_t width, const int32_t *ids,
                            uint32_t from, uint32_t to, const float *delta, float *gradient,
                            struct touched_rows *touched)
{
    for (uint32_t j = from; j < to; j++) {
        float *row;

        if (ids[j] < 0)
            continue;
        row = gradient + op->first + touched_rows_add(touched, (uint32_t)ids[j]) * width;
        for (size_t u = 0; u < width; u++)
            row[u] += delta[u];
    }
}

VECTORS_PART void give_text(const struct id_rows *op, size_t width, const int32_t *ids,
                            const struct text_ids *text, const float *delta, float *gradient,
                            struct touched_rows *touched)
{
    const uint32_t used = text_ids_used(ids + text->first, text->count);
    const struct text_shares shares = text_shares_of(text, ids, used);

    for (uint32_t j = text->first; j < text->first + used; j++) {
        const float share = text_share(&shares, j - text->first);
        float *row = gradient + op->first + touched_rows_add(touched, (uint32_t)ids[j]) * width;

        for (size_t u = 0; u < width; u++)
            row[u] += share * delta[u];
    }
}

VECTORS_PART void backward(const struct id_rows *op, size_t width, uint32_t n, const int32_t *ids,
                           const float *delta, float *gradient, struct touched_rows *touched)
{
    for (uint32_t i = 0; i < n; i++, ids += op->id_count, delta += width) {
        uint32_t done = 0;

        for (uint32_t t = 0; t < op->text_count; t++) {
            give_rows(op, width, ids, done, op->texts[t].first, delta, gradient, touched);
            give_text(op, width, ids, &op->texts[t], delta, gradient, touched);
            done = text_ids_end(&op->texts[t]);
        }
        give_rows(op, width, ids, done, op->id_count, delta, gradient, touched);
    }
}

WIDE_VECTORS
static void backward_wide(const struct id_rows *op, uint32_t n, const int32_t *ids,
                          const float *delta, float *gradient, struct touched_rows *touched)
{
    backward(op, op->width, n, ids, delta, gradient, touched);
}

void id_rows_backward(const struct id_rows *op, uint32_t n, const int32_t *ids, const float *delta,
                      float *gradient, struct touched_rows *touched)
{
    if (op->width == 1)
        backward(op, 1, n, ids, delta, gradient, touched);
    else
        backward_wide(op, n, ids, delta, gradient, touched);
}

void id_rows_clear(const struct id_rows *op, float *gradient, struct touched_rows *touched)
{
    memset(gradient + op->first, 0, touched->count * (size_t)op->width * sizeof(float));
    touched_rows_clear(touched);
}
