/*
 * Statistics that were put by another process, and numbers of any size.
 *
 * What can be read is put as the same bytes, and can be finished or is refused. Rows that are added
 * as one tile, or one by one from the last to the first, have the same sums, whose mean lies among
 * them; and what is taken out again leaves nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/data/columns/column_statistics_finish.h"
#include "runtime/data/spool/column_statistics.h"
#include "runtime/data/spool/column_statistics_bytes.h"
#include "runtime/data/statistics/exact_measure.h"
#include "runtime/data/statistics/exact_sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORD_BYTES ((size_t)1 << 20)

/* ----- bytes ----- */

static void finish(const struct column_statistics *statistics)
{
    struct dataset dataset = {0};
    struct class_index index = {0};

    arena_init(&dataset.arena, ARENA_MAXIMUM);
    if (column_statistics_finish(statistics, &dataset, &index, NULL) == STATUS_OK &&
        (dataset.transform.input_count != 3 || !isfinite(dataset.transform.inputs[0].mean) ||
         !(dataset.transform.inputs[0].scale > 0) || !(dataset.label_scale > 0)))
        abort();
    class_index_deinit(&index);
    arena_deinit(&dataset.arena);
}

static void read_bytes_of(const struct jobspec *spec, struct slice bytes)
{
    struct column_statistics *statistics, *twice;
    struct text put;

    text_init(&put, TEXT_MAXIMUM);
    if (column_statistics_new(spec, WORD_BYTES, &statistics, NULL) != STATUS_OK ||
        column_statistics_new(spec, WORD_BYTES, &twice, NULL) != STATUS_OK)
        abort();
    if (column_statistics_read(statistics, bytes, NULL) == STATUS_OK) {
        if (column_statistics_put(statistics, &put, NULL) != STATUS_OK ||
            !slice_equal(text_slice(&put), bytes))
            abort();
        finish(statistics);
        if (column_statistics_merge(twice, statistics, NULL) != STATUS_OK ||
            column_statistics_read(twice, bytes, NULL) != STATUS_OK)
            abort();
        finish(twice);
    }
    text_deinit(&put);
    column_statistics_free(statistics);
    column_statistics_free(twice);
}

static void read_bytes_of_a_job(uint8_t kind, const uint8_t *data, size_t size)
{
    static const enum label_type labels[] = {LABEL_INTEGER, LABEL_REAL, LABEL_TEXT, LABEL_REAL};
    struct input_spec inputs[] = {
        {.name = SLICE("x"), .type = INPUT_NUMERIC},
        {.name = SLICE("colour"), .type = INPUT_CATEGORY, .vocabulary_max = 3},
        {.name = SLICE("y"), .type = INPUT_NUMERIC}};
    const struct jobspec spec = {.family = SLICE("network"),
                                 .task = kind % 4 == 3 ? TASK_REGRESSION : TASK_CLASSIFICATION,
                                 .inputs = inputs,
                                 .input_count = 3,
                                 .label = SLICE("label"),
                                 .label_type = labels[kind % 4],
                                 .standardize = true};

    read_bytes_of(&spec, (struct slice){(const char *)data, size});
}

/* ----- numbers ----- */

static void check_measure(const struct exact_moments *moments, const double *x, uint32_t rows)
{
    double mean, scale, least = INFINITY, greatest = -INFINITY;

    for (uint32_t row = 0; row < rows; row++) {
        least = isfinite(x[row]) && x[row] < least ? x[row] : least;
        greatest = isfinite(x[row]) && x[row] > greatest ? x[row] : greatest;
    }
    if (!exact_moments_measure(moments, &mean, &scale) || !(scale > 0))
        abort();
    if (moments->count && (mean < least || mean > greatest))
        abort();
}

static void add_numbers(const uint8_t *data, size_t size)
{
    static const struct exact_moments none;
    struct exact_moments tile = {0}, single = {0};
    double x[EXACT_TILE_ROWS];
    const uint32_t rows = (uint32_t)(size < sizeof x ? size / sizeof *x : EXACT_TILE_ROWS);

    memcpy(x, data, rows * sizeof *x);
    exact_moments_add(&tile, 1, x, 1, rows, NULL);
    for (uint32_t row = rows; row-- > 0;)
        exact_moments_add(&single, 1, x + row, 1, 1, NULL);
    if (memcmp(&tile, &single, sizeof tile) != 0)
        abort();
    check_measure(&tile, x, rows);
    for (uint32_t row = 0; row < rows; row++)
        exact_moments_subtract(&tile, 1, x + row, 1, 1, NULL);
    if (memcmp(&tile, &none, sizeof tile) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && data[0] % 8 == 7)
        add_numbers(data + 1, size - 1);
    else if (size)
        read_bytes_of_a_job(data[0], data + 1, size - 1);
    return 0;
}
