#include "runtime/data/dataset/dataset.h"

#include <string.h>

#include "jobspec/job_size.h"
#include "jobspec/jobspec_sections.h"
#include "runtime/data/spool/row_order.h"

#define CACHE_LINE 64 /* bytes */

/* The columns that tell a series: the categories before the time. */
static uint32_t series_columns(const struct jobspec *spec)
{
    uint32_t columns = 0;

    while (columns < spec->input_count && spec->inputs[columns].type == INPUT_CATEGORY)
        columns++;
    return columns;
}

/* The groups of the rows: by a column of their own, or by what tells a series. */
static struct spool_held_out groups_of(const struct jobspec *spec)
{
    const uint32_t column = spec_role_column(spec, ROLE_GROUP);

    if (kind_of(spec)->learns_series)
        return (struct spool_held_out){.by_group = true, .group_columns = series_columns(spec)};
    return (struct spool_held_out){
        .by_group = column > 0, .group_column = column, .group_columns = column > 0};
}

struct spool_held_out dataset_held_out(const struct jobspec *spec)
{
    const struct job_held_out rule =
        job_held_out(spec->test_size, spec->has_validation, job_needs_held_out(spec),
                     task_has_label(spec->task));
    struct spool_held_out held_out = groups_of(spec);

    held_out.share = rule.share;
    held_out.least_rows = rule.least_rows;
    held_out.by_class = rule.share > 0 && spec->task == TASK_CLASSIFICATION && !held_out.by_group;
    held_out.class_column = (uint32_t)spec->input_count;
    return held_out;
}

struct spool_order dataset_order(const struct jobspec *spec, bool is_validation, uint32_t threads)
{
    return (struct spool_order){
        .by_key = spec->shuffle,
        .seed = spec->seed,
        .held_out = is_validation ? groups_of(spec) : dataset_held_out(spec),
        .threads = threads,
        .spec = is_validation ? NULL : spec,
    };
}

void dataset_take_row(const struct dataset *dataset, const struct dataset_part *part, uint64_t row,
                      float *dense)
{
    const size_t width = dataset->transform.dense_width;

    memcpy(dense, part->dense + row * width, width * sizeof *dense);
}

static void expect(const void *from, size_t size)
{
    for (size_t line = 0; line < size; line += CACHE_LINE)
        __builtin_prefetch((const char *)from + line);
}

void dataset_prefetch_row(const struct dataset *dataset, const struct dataset_part *part,
                          uint64_t row)
{
    const size_t width = dataset->transform.dense_width, ids = dataset->transform.id_count;

    expect(part->dense + row * width, width * sizeof *part->dense);
    if (ids)
        expect(part->ids + row * ids, sizeof *part->ids);
}

void dataset_expect_label(const struct dataset_part *part, uint64_t row)
{
    if (part->values)
        __builtin_prefetch(part->values + row);
    else if (part->classes)
        __builtin_prefetch(part->classes + row);
}

/* The range of the row's key, of `ranges` equal ones. */
static uint32_t range_of(const struct dataset *dataset, const struct dataset_part *part,
                         uint64_t row, uint32_t ranges)
{
    const struct row_key key = row_key_of_lane(dataset->seed, dataset->has_groups);

    return (uint32_t)((unsigned __int128)row_key_bits(&key, &part->hashes[row]) * ranges >> 64);
}

/* Where the first of the finest ranges begins that belongs to each. */
static void share_ranges(const struct dataset_part *part, uint32_t ranges, uint64_t *starts)
{
    for (uint64_t range = 0; range <= ranges; range++)
        starts[range] = part->range_starts[((range << part->range_bits) + ranges - 1) / ranges];
}

void dataset_share_out(const struct dataset *dataset, const struct dataset_part *part,
                       uint32_t ranges, uint64_t *starts)
{
    const bool by_key = dataset->shuffle || part != &dataset->train;

    if (part->range_starts) {
        share_ranges(part, ranges, starts);
        return;
    }
    starts[0] = 0;
    for (uint32_t range = 1; range < ranges; range++) {
        uint64_t low = starts[range - 1], high = part->rows;

        if (!by_key)
            low = high = (uint64_t)((unsigned __int128)range * part->rows / ranges);
        while (low < high) { /* the first row of this range or a later one is in [low, high] */
            const uint64_t middle = low + (high - low) / 2;

            if (range_of(dataset, part, middle, ranges) < range)
                low = middle + 1;
            else
                high = middle;
        }
        starts[range] = low;
    }
    starts[ranges] = part->rows;
}
