#include "runtime/data/dataset.h"

#include <stdio.h>
#include <string.h>

#include "jobspec/job_size.h"
#include "jobspec/jobspec_sections.h"
#include "runtime/data/dataset_check.h"
#include "runtime/data/dataset_encode.h"
#include "runtime/data/dataset_parts.h"
#include "runtime/data/keyed_rows.h"
#include "runtime/data/model_file.h"
#include "runtime/data/plain_rows.h"
#include "runtime/data/row_order.h"
#include "runtime/data/row_store.h"
#include "runtime/data/spool_reader.h"

#define CACHE_LINE 64 /* bytes */

static enum status open_spool(const char *folder, const char *name,
                              const struct spool_source *source, struct team *team,
                              struct arena *arena, struct spool *spool, struct error *err)
{
    char path[4096];
    int size = snprintf(path, sizeof path, "%s/%s", folder, name);

    if (size < 0 || (size_t)size >= sizeof path)
        return fail(err, STATUS_INVALID, "the path of the job's folder is too long");
    return spool_open(path, source, team, arena, spool, err);
}

static void close_spools(struct dataset *dataset)
{
    spool_close(&dataset->spool);
    spool_close(&dataset->validation_spool);
    arena_deinit(&dataset->views);
}

/* Closes spools whose rows were taken into memory. The summaries of their columns stay: learners
 * ask for the range of the label. */
static enum status close_taken_spools(struct dataset *dataset, struct error *err)
{
    struct spool *const spools[] = {&dataset->spool, &dataset->validation_spool};
    struct spool_column_summary *kept[2] = {NULL, NULL};

    for (int i = 0; i < 2; i++) {
        const size_t columns = spools[i]->column_count;

        if (!spools[i]->summaries)
            continue;
        kept[i] = ARENA_NEW(&dataset->arena, struct spool_column_summary, columns);
        if (!kept[i])
            return fail_no_memory(err);
        memcpy(kept[i], spools[i]->summaries, columns * sizeof *kept[i]);
    }
    close_spools(dataset);
    for (int i = 0; i < 2; i++)
        spools[i]->summaries = kept[i];
    return STATUS_OK;
}

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

static enum status open_spools(const char *folder, const struct spool_source *source,
                               const struct jobspec *spec, struct team *team,
                               struct dataset *dataset, struct error *err)
{
    TRY(open_spool(folder, "train.spool", source, team, &dataset->views, &dataset->spool, err));
    TRY(dataset_check(&dataset->spool, spec, "the SELECT", err));
    if (spec->has_validation) {
        TRY(open_spool(folder, "validation.spool", source, team, &dataset->views,
                       &dataset->validation_spool, err));
        TRY(dataset_check(&dataset->validation_spool, spec, "validation.select", err));
        if (dataset->validation_spool.is_keyed != dataset->spool.is_keyed)
            return fail(err, STATUS_CORRUPT, "the rows of validation lie in another order");
    }
    return STATUS_OK;
}

/* ---- the model that learning goes on from ---- */

#define OLD_MODEL_BYTES_MAX ((size_t)16 << 30)

static enum status read_old_model(const char *path, const struct jobspec *spec,
                                  struct dataset *dataset, struct error *err)
{
    struct model *model = ARENA_NEW(&dataset->old, struct model, 1);
    struct model_reader *reader;
    enum status status;

    if (!model)
        return fail_no_memory(err);
    TRY(model_reader_new(kinds, &dataset->old, &reader, err));
    status = model_file_read(path, model_reader_take, reader, err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, model, err);
    model_reader_free(reader);
    TRY(status);
    if (kind_of(spec)->learns_series)
        dataset->old_series = model;
    else
        dataset->old_model = model;
    return slice_equal(model->digest, spec->old_model) && model->task == spec->task &&
                   model->kind == kind_of(spec)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "%s is not the model that the job goes on from", path);
}

static enum status open_old_model(const char *folder, const struct jobspec *spec,
                                  struct dataset *dataset, struct error *err)
{
    char path[4096];
    const int size = snprintf(path, sizeof path, "%s/" MODEL_FILE, folder);

    if (spec->old_model.size == 0)
        return STATUS_OK;
    if (size < 0 || (size_t)size >= sizeof path)
        return fail(err, STATUS_INVALID, "the path of the job's folder is too long");
    return read_old_model(path, spec, dataset, err);
}

static enum status open_fold_scores(const char *folder, const struct jobspec *spec,
                                    struct dataset *dataset, struct error *err)
{
    char path[4096];
    const int size = snprintf(path, sizeof path, "%s/" FOLD_SCORES_FILE, folder);

    if (spec->fold_scores != FOLD_SCORES_GIVEN)
        return STATUS_OK;
    if (size < 0 || (size_t)size >= sizeof path)
        return fail(err, STATUS_INVALID, "the path of the job's folder is too long");
    return fold_scores_read(path, &dataset->old, &dataset->fold_scores, &dataset->fold_score_count,
                            err);
}

enum status dataset_open(const char *folder, const struct spool_source *source,
                         const struct jobspec *spec, struct team *team, struct dataset *dataset,
                         struct error *err)
{
    enum status status;

    *dataset = (struct dataset){.folder = folder, .seed = spec->seed, .shuffle = spec->shuffle};
    for (unsigned role = 0; role < ROW_ROLES; role++)
        if (role_is_number((enum row_role)role))
            dataset->role_columns[role] = spec_role_column(spec, (enum row_role)role);
    dataset->has_groups = groups_of(spec).by_group;
    dataset->keeps_labels = kind_of(spec)->keeps_labels;
    arena_init(&dataset->arena, ARENA_BYTES_MAX);
    arena_init(&dataset->views, ARENA_BYTES_MAX);
    arena_init(&dataset->old, OLD_MODEL_BYTES_MAX);
    status = open_old_model(folder, spec, dataset, err);
    if (status == STATUS_OK)
        status = open_fold_scores(folder, spec, dataset, err);
    if (status == STATUS_OK)
        status = open_spools(folder, source, spec, team, dataset, err);
    dataset->spool.ranges.by_group = dataset->validation_spool.ranges.by_group =
        dataset->has_groups;
    if (status == STATUS_OK)
        status = dataset->spool.is_keyed ? keyed_rows_open(dataset, spec, team, err)
                                         : plain_rows_open(dataset, spec, team, err);
    if (status == STATUS_OK && !dataset->spool.is_keyed)
        status = close_taken_spools(dataset, err);
    if (status != STATUS_OK)
        dataset_close(dataset);
    return status;
}

void dataset_close(struct dataset *dataset)
{
    row_store_close(dataset);
    keyed_rows_close(dataset->keyed);
    part_free(&dataset->train);
    part_free(&dataset->validation);
    part_free(&dataset->sample);
    close_spools(dataset);
    arena_deinit(&dataset->arena);
    arena_deinit(&dataset->old);
    *dataset = (struct dataset){0};
}

uint64_t dataset_waited_ms(const struct dataset *dataset)
{
    return dataset->keyed && dataset->spool.source ? keyed_rows_loading_ms(dataset->keyed) : 0;
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
