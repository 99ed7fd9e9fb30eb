#include "runtime/learn/id_rows.h"

#include <string.h>

void id_rows_forward(const struct id_rows *op, const float *parameters, uint32_t n,
                     const int32_t *ids, float *z)
{
    const size_t width = op->width;

    for (uint32_t i = 0; i < n; i++, ids += op->id_count, z += width) {
        for (uint32_t j = 0; j < op->id_count; j++) {
            const float *row = parameters + op->first + (size_t)ids[j] * width;

            if (ids[j] < 0)
                continue;
            for (size_t u = 0; u < width; u++)
                z[u] += row[u];
        }
    }
}

static void touch(struct touched_rows *touched, uint32_t row)
{
    if (!touched->is_touched[row]) {
        touched->is_touched[row] = 1;
        touched->rows[touched->count++] = row;
    }
}

void id_rows_backward(const struct id_rows *op, uint32_t n, const int32_t *ids, const float *delta,
                      float *gradient, struct touched_rows *touched)
{
    const size_t width = op->width;

    for (uint32_t i = 0; i < n; i++, ids += op->id_count, delta += width) {
        for (uint32_t j = 0; j < op->id_count; j++) {
            float *row = gradient + op->first + (size_t)ids[j] * width;

            if (ids[j] < 0)
                continue;
            touch(touched, (uint32_t)ids[j]);
            for (size_t u = 0; u < width; u++)
                row[u] += delta[u];
        }
    }
}

void id_rows_clear(const struct id_rows *op, float *gradient, struct touched_rows *touched)
{
    const size_t width = op->width;

    for (uint32_t i = 0; i < touched->count; i++) {
        const uint32_t row = touched->rows[i];

        memset(gradient + op->first + row * width, 0, width * sizeof(float));
        touched->is_touched[row] = 0;
    }
    touched->count = 0;
}
