#include "runtime/learn/layers/embedded_fields.h"

#include <string.h>

#include "base/vectors.h"

#define ROWS_AHEAD 2 /* rows of data: whose rows of the table are asked for */
#define LINE_BYTES 64

static size_t width_of(const struct embedded_fields *op)
{
    return (size_t)op->wide_width + op->dimension;
}

/* How many ids of the field select something, and what each counts. */
VECTORS_PART uint32_t used_of(const struct embedding_field *field, const int32_t *ids,
                              struct text_shares *shares)
{
    uint32_t used;

    *shares = (struct text_shares){1, NULL};
    if (!field->is_text)
        return ids[field->ids.first] >= 0;
    used = text_ids_used(ids + field->ids.first, field->ids.count);
    *shares = text_shares_of(&field->ids, ids, used);
    return used;
}

/* They lie anywhere in memory, and do not begin where lines do. */
static void expect_rows(const struct embedded_fields *op, const float *parameters,
                        const int32_t *ids)
{
    const size_t width = width_of(op);

    for (uint32_t j = 0; j < op->id_count; j++) {
        const float *row = parameters + op->first + (size_t)(ids[j] < 0 ? 0 : ids[j]) * width;

        for (size_t u = 0; u < width; u += LINE_BYTES / sizeof(float))
            __builtin_prefetch(row + u);
        __builtin_prefetch(row + width - 1);
    }
}

static void expect_places(const struct embedded_fields *op, const int32_t *ids,
                          const struct touched_rows *touched)
{
    for (uint32_t j = 0; j < op->id_count; j++)
        if (ids[j] >= 0)
            touched_rows_expect(touched, (uint32_t)ids[j]);
}

VECTORS_PART void add_so_many(float *restrict to, const float *restrict from, float share,
                              uint32_t count)
{
    for (uint32_t u = 0; u < count; u++)
        to[u] += share * from[u];
}

/* Loops of so few are slow where the compiler does not know how many there are: it knows the most
 * frequent widths. */
VECTORS_PART void add_scaled(float *restrict to, const float *restrict from, float share,
                             uint32_t count)
{
    switch (count) {
    case 0:
        break;
    case 1:
        add_so_many(to, from, share, 1);
        break;
    case 4:
        add_so_many(to, from, share, 4);
        break;
    case 8:
        add_so_many(to, from, share, 8);
        break;
    case 16:
        add_so_many(to, from, share, 16);
        break;
    default:
        add_so_many(to, from, share, count);
    }
}

WIDE_VECTORS
static void forward_row(const struct embedded_fields *op, const float *table, const int32_t *ids,
                        float *restrict x, float *restrict wide)
{
    memset(x, 0, op->embedded * sizeof *x);
    for (uint32_t f = 0; f < op->field_count; f++) {
        const struct embedding_field *field = &op->fields[f];
        struct text_shares shares;
        const uint32_t used = used_of(field, ids, &shares);

        for (uint32_t k = 0; k < used; k++) {
            const float share = text_share(&shares, k);
            const float *row = table + (size_t)ids[field->ids.first + k] * width_of(op);

            add_scaled(wide, row, share, field->is_wide ? op->wide_width : 0);
            add_scaled(x + field->place, row + op->wide_width, share * field->scale,
                       field->dimension);
        }
    }
}

void embedded_fields_forward(const struct embedded_fields *op, const float *parameters, uint32_t n,
                             const int32_t *ids, float *x, size_t x_row, float *wide)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i + ROWS_AHEAD < n)
            expect_rows(op, parameters, ids + (size_t)(i + ROWS_AHEAD) * op->id_count);
        forward_row(op, parameters + op->first, ids + (size_t)i * op->id_count, x + i * x_row,
                    wide + (size_t)i * op->wide_width);
    }
}

WIDE_VECTORS
static void backward_row(const struct embedded_fields *op, const int32_t *ids, const float *dx,
                         const float *dwide, float *table, struct touched_rows *touched)
{
    for (uint32_t f = 0; f < op->field_count; f++) {
        const struct embedding_field *field = &op->fields[f];
        struct text_shares shares;
        const uint32_t used = used_of(field, ids, &shares);

        for (uint32_t k = 0; k < used; k++) {
            const float share = text_share(&shares, k);
            const uint32_t id = (uint32_t)ids[field->ids.first + k];
            float *row = table + touched_rows_add(touched, id) * width_of(op);

            add_scaled(row, dwide, share, field->is_wide ? op->wide_width : 0);
            add_scaled(row + op->wide_width, dx + field->place, share * field->scale,
                       field->dimension);
        }
    }
}

void embedded_fields_backward(const struct embedded_fields *op, uint32_t n, const int32_t *ids,
                              const float *dx, size_t dx_row, const float *dwide, float *gradient,
                              struct touched_rows *touched)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i + ROWS_AHEAD < n)
            expect_places(op, ids + (size_t)(i + ROWS_AHEAD) * op->id_count, touched);
        backward_row(op, ids + (size_t)i * op->id_count, dx + i * dx_row,
                     dwide + (size_t)i * op->wide_width, gradient + op->first, touched);
    }
}

void embedded_fields_clear(const struct embedded_fields *op, float *gradient,
                           struct touched_rows *touched)
{
    memset(gradient + op->first, 0, touched->count * width_of(op) * sizeof(float));
    touched_rows_clear(touched);
}
