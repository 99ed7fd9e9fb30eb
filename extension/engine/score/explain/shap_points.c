#include "extension/engine/score/explain/shap_points.h"

#include <math.h>
#include <stdlib.h>

#include "base/cell_values.h"
#include "base/text.h"

#define PLACE_DIGITS 3
#define SHARE_DIGITS 5

struct range {
    double low, high;
};

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* From the 5th to the 95th percentile, or where these are the same number of all values. */
static struct range range_of(const double *values, uint32_t rows)
{
    double sorted[SHAP_POINT_ROWS_MAX];
    struct range range = {0, 0};
    size_t count = 0;

    for (uint32_t i = 0; i < rows; i++)
        if (!isnan(values[i]))
            sorted[count++] = values[i];
    if (count == 0)
        return range;
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    range = (struct range){sorted[(count - 1) * 5 / 100], sorted[(count - 1) * 95 / 100]};
    return range.high > range.low ? range : (struct range){sorted[0], sorted[count - 1]};
}

static void append_place(struct text *text, const struct range *range, double value)
{
    const double width = range->high - range->low;

    if (isnan(value))
        text_append_string(text, "null");
    else if (!(width > 0))
        text_append_string(text, "0.5");
    else
        text_append_digits(text, fmax(0, fmin(1, (value - range->low) / width)), PLACE_DIGITS);
}

enum status shap_points_cell(const struct shap_points *points, uint32_t rows, struct arena *arena,
                             struct cell *cell, struct error *err)
{
    const struct range range = range_of(points->values, rows);
    struct slice kept = {NULL, 0};
    struct text text;

    text_init(&text, TEXT_MAXIMUM);
    text_append_char(&text, '[');
    for (uint32_t i = 0; i < rows; i++) {
        text_append_string(&text, i > 0 ? ",[" : "[");
        append_place(&text, &range, points->values[i]);
        text_append_char(&text, ',');
        text_append_digits(&text, points->shares[i], SHARE_DIGITS);
        text_append_char(&text, ']');
    }
    text_append_char(&text, ']');
    if (!text.failed)
        kept = arena_copy(arena, text_slice(&text));
    text_deinit(&text);
    *cell = cell_text(kept);
    return kept.data ? STATUS_OK : fail_no_memory(err);
}
