#include "runtime/data/dataset_open.h"

#include <stdio.h>
#include <string.h>

#include "jobspec/jobspec_sections.h"
#include "runtime/data/dataset/dataset_check.h"
#include "runtime/data/dataset/dataset_encode.h"
#include "runtime/data/dataset/model_file.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/keyed_rows.h"
#include "runtime/data/plain_rows.h"
#include "runtime/data/spool/spool_reader.h"

#define ARENA_BYTES_MAX ((size_t)8 << 30) /* vocabularies and views of the largest spools */

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
    dataset->has_groups = dataset_held_out(spec).by_group;
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
