#include "inputs/bounds.h"

#include <math.h>

bool bounds_ascend(const double *bounds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(bounds[i]) || (i > 0 && !(bounds[i] > bounds[i - 1])))
            return false;
    return true;
}

uint32_t bounds_bucket(const double *bounds, uint32_t count, double number)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (number >= bounds[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void append_bound(struct text *name, const double *bounds, uint32_t count, uint32_t i,
                         const char *infinite)
{
    if (i < count)
        text_append_real(name, bounds[i]);
    else
        text_append_string(name, infinite);
}

enum status transform_bucket_name(const double *bounds, uint32_t count, uint32_t i,
                                  struct arena *arena, struct slice *name, struct error *err)
{
    struct text text;

    text_init(&text, 80);
    text_append_string(&text, i > 0 ? "[" : "(");
    append_bound(&text, bounds, i > 0 ? count : 0, i - 1, "-inf");
    text_append_string(&text, ", ");
    append_bound(&text, bounds, count, i, "inf");
    text_append_string(&text, ")");
    *name = text.failed ? (struct slice){0} : arena_copy(arena, text_slice(&text));
    text_deinit(&text);
    return name->data ? STATUS_OK : fail_no_memory(err);
}
