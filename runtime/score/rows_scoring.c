#include "runtime/score/rows_scoring.h"
#include "kinds/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell_values.h"
#include "runtime/data/dataset/model_file.h"
#include "runtime/data/spool/spool.h"
#include "runtime/data/spool/spool_reader.h"
#include "runtime/data/store/shard_results.h"
#include "scoring/heads.h"
#include "scoring/metrics/silhouette.h"
#include "scoring/outputs.h"
#include "scoring/row_label.h"
#include "scoring/transform/spread.h"

#define MODEL_ARENA_MAX   ((size_t)16 << 30)
#define RESULTS_BYTES_MAX (FRAME_PAYLOAD_MAX - 4096) /* for a shard: they travel in one frame */

struct rows_scoring {
    const struct job *job;
    uint32_t index, incarnation;
    struct fault fault;
    struct arena arena;
    struct spool spool;
    struct model model;
    struct scorer scorer;
    struct output_workspace workspace;
    enum output outputs[JOBSPEC_OUTPUTS_MAX];
    uint32_t components;         /* components of a projection, or labels */
    struct cell *cells, *inputs; /* (columns), (inputs) */

    uint64_t next, end; /* rows of the shard that are not scored yet */
    uint32_t block;     /* the block that has row `next`, or one before it */
    uint64_t count;     /* rows, ever */
    struct text results;
    float *scores;            /* (classes): EVALUATE that ranks them; else NULL */
    struct silhouette sample; /* EVALUATE of clusters: sample of the shard's rows so far */

    uint64_t first; /* first row of the batch */
    uint32_t taken, good;
    uint32_t places[SCORER_ROWS]; /* places of the batch's rows in the scorer; BAD: none */
    struct row_label labels[SCORER_ROWS];
    struct cell
        checked[SCORER_ROWS]; /* PREDICT: the values that came; they borrow from the spool */
    char reasons[SCORER_ROWS][sizeof((struct error *)0)->message];
};

#define BAD UINT32_MAX

/* In the job's store, or where that is in another place in a file. */
static enum status read_model_rows(const struct job *job, struct model_reader *reader,
                                   struct error *err)
{
    char path[PATH_MAX + sizeof MODEL_FILE + 1];
    struct jobstore *store;
    enum status status;

    snprintf(path, sizeof path, "%s/%s", job->folder, job->journal ? MODEL_FILE : "job.db");
    if (job->journal)
        return model_file_read(path, model_reader_take, reader, err);
    TRY(jobstore_open(path, true, &store, err));
    status = jobstore_each_model_row(store, model_reader_take, reader, err);
    jobstore_close(store);
    return status;
}

static enum status open_model(struct rows_scoring *scoring, struct error *err)
{
    const struct spec_scoring *spec = &scoring->job->spec.scoring;
    struct model_reader *reader;
    enum status status;

    TRY(model_reader_new(kinds, &scoring->arena, &reader, err));
    status = read_model_rows(scoring->job, reader, err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, &scoring->model, err);
    model_reader_free(reader);
    TRY(status);
    if (scoring->model.transform.column_count != spec->input_count)
        return fail(err, STATUS_CORRUPT, "the model takes %u columns, the job's spec has %zu",
                    scoring->model.transform.column_count, spec->input_count);
    return STATUS_OK;
}

static enum status open_rows(struct rows_scoring *scoring, struct error *err)
{
    const struct spec_scoring *spec = &scoring->job->spec.scoring;
    const struct spool *spool = &scoring->spool;
    char path[PATH_MAX + sizeof ROWS_SPOOL + 1];

    snprintf(path, sizeof path, "%s/" ROWS_SPOOL, scoring->job->folder);
    TRY(spool_open(path, NULL, NULL, &scoring->arena, &scoring->spool, err));
    if (spool->rows == spec->rows && spool->column_count == 1 && spool->number_count == 0)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "%s is not of this job", path);
}

static enum status find_outputs(struct rows_scoring *scoring, struct error *err)
{
    const struct spec_scoring *spec = &scoring->job->spec.scoring;
    const struct model *model = &scoring->model;
    const uint32_t most = model->head_count > 0 ? model->head_count : model->components;

    for (size_t i = 0; i < spec->output_count; i++) {
        unsigned word;

        if (!term_find(output_words, spec->outputs[i], &word))
            return fail(err, STATUS_CORRUPT, "the job's spec: output \"%.*s\" is not known",
                        SLICE_FORMAT(spec->outputs[i]));
        scoring->outputs[i] = (enum output)word;
        scoring->components += scoring->outputs[i] == OUTPUT_COMPONENT;
        if (output_is_checked(scoring->outputs[i]) && spec->checked == JOBSPEC_NO_LABEL)
            return fail(err, STATUS_CORRUPT,
                        "the job's spec: output \"%.*s\" is of a value, and "
                        "no cell has it",
                        SLICE_FORMAT(spec->outputs[i]));
    }
    if (scoring->components > most)
        return fail(err, STATUS_CORRUPT, "the job's spec: %u components, where the model has %u",
                    scoring->components, most);
    return STATUS_OK;
}

static enum status open_all(struct rows_scoring *scoring, struct error *err)
{
    const struct spec_scoring *spec = &scoring->job->spec.scoring;

    TRY(open_rows(scoring, err));
    TRY(open_model(scoring, err));
    TRY(find_outputs(scoring, err));
    TRY(scorer_init(&scoring->scorer, &scoring->model, SCORER_ROWS, err));
    TRY(output_workspace_init(&scoring->workspace, &scoring->model, err));
    if (scoring->model.task == TASK_CLUSTERING && scoring->job->spec.kind == SPEC_EVALUATE)
        TRY(silhouette_init(&scoring->sample, (uint32_t)spread_width(&scoring->model.transform),
                            err));
    scoring->scorer.has_threshold = spec->has_threshold;
    scoring->scorer.threshold = spec->threshold;
    if (spec->report == REPORT_METRICS &&
        metrics_rank_classes(&scoring->model, spec->metrics, spec->metric_count)) {
        scoring->scores = calloc(scoring->model.labels.count, sizeof *scoring->scores);
        if (!scoring->scores)
            return fail_no_memory(err);
    }
    scoring->cells = calloc(spec->columns, sizeof *scoring->cells);
    scoring->inputs = calloc(spec->input_count + 1, sizeof *scoring->inputs);
    return scoring->cells && scoring->inputs ? STATUS_OK : fail_no_memory(err);
}

enum status rows_scoring_open(const struct job *job, uint32_t index, uint32_t incarnation,
                              struct rows_scoring **out, struct error *err)
{
    struct rows_scoring *scoring = calloc(1, sizeof *scoring);
    enum status status;

    *out = NULL;
    if (!scoring)
        return fail_no_memory(err);
    scoring->job = job;
    scoring->index = index;
    scoring->incarnation = incarnation;
    scoring->fault = fault_read();
    arena_init(&scoring->arena, MODEL_ARENA_MAX);
    arena_use_folder(&scoring->arena, job->folder);
    text_init(&scoring->results, RESULTS_BYTES_MAX);
    status = open_all(scoring, err);
    if (status == STATUS_OK)
        *out = scoring;
    else
        rows_scoring_close(scoring);
    return status;
}

void rows_scoring_close(struct rows_scoring *scoring)
{
    if (!scoring)
        return;
    if (scoring->spool.map)
        spool_close(&scoring->spool);
    scorer_deinit(&scoring->scorer);
    output_workspace_deinit(&scoring->workspace);
    text_deinit(&scoring->results);
    silhouette_deinit(&scoring->sample);
    free(scoring->scores);
    free(scoring->cells);
    free(scoring->inputs);
    arena_deinit(&scoring->arena);
    free(scoring);
}

uint64_t rows_scoring_count(const struct rows_scoring *scoring)
{
    return scoring->count;
}

/* The block that holds the row. */
static uint32_t block_of(const struct spool *spool, uint64_t row)
{
    uint32_t low = 0, high = spool->block_count;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (spool->blocks[middle].first_row <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static enum status begin_shard(void *self, uint64_t first, uint32_t count, struct error *err)
{
    struct rows_scoring *scoring = self;

    if (first >= scoring->spool.rows || count > scoring->spool.rows - first)
        return fail(err, STATUS_PROTOCOL, "rows %llu and %u more, where there are %llu",
                    (unsigned long long)first, count, (unsigned long long)scoring->spool.rows);
    scoring->next = first;
    scoring->end = first + count;
    scoring->block = block_of(&scoring->spool, first);
    text_clear(&scoring->results);
    silhouette_clear(&scoring->sample);
    return STATUS_OK;
}

/* The cells of the next row, which borrow from the spool. */
static enum status read_cells(struct rows_scoring *scoring, struct error *err)
{
    const struct spec_scoring *spec = &scoring->job->spec.scoring;
    const struct spool_block *block = &scoring->spool.blocks[scoring->block];
    struct byte_reader reader;

    if (scoring->next == block->first_row + block->rows)
        block = &scoring->spool.blocks[++scoring->block];
    reader = byte_reader_over(
        spool_cell(&block->columns[0], (uint32_t)(scoring->next - block->first_row)).text);
    for (uint32_t i = 0; i < spec->columns; i++)
        cell_read(&reader, &scoring->cells[i]);
    if (!reader_is_done(&reader))
        return fail(err, STATUS_CORRUPT, "row %llu of the job's rows is damaged",
                    (unsigned long long)scoring->next + 1);
    for (size_t i = 0; i < spec->input_count; i++)
        scoring->inputs[i] =
            spec->inputs[i] == JOBSPEC_NO_LABEL ? cell_null() : scoring->cells[spec->inputs[i]];
    return STATUS_OK;
}

/* "column ..." becomes "row 12: column ...", for a row that ends the job. */
static enum status name_row(uint64_t row, struct error *err)
{
    char message[sizeof err->message];

    if (err->status != STATUS_INVALID || strncmp(err->message, "row ", 4) == 0)
        return err->status;
    snprintf(message, sizeof message, "row %llu: %.400s", (unsigned long long)row, err->message);
    memcpy(err->message, message, sizeof message);
    return err->status;
}

static enum status take_label(struct rows_scoring *scoring, struct error *err)
{
    const struct spec_scoring *spec = &scoring->job->spec.scoring;
    const struct cell *cells = scoring->cells;
    struct row_label *label = &scoring->labels[scoring->good];
    const uint64_t row = scoring->next + 1;

    if (spec->checked != JOBSPEC_NO_LABEL)
        scoring->checked[scoring->good] = cells[spec->checked];
    if (scoring->job->spec.kind != SPEC_EVALUATE)
        return STATUS_OK;
    TRY(scorer_check_number(&scoring->scorer, scoring->good, scoring->next + 1, err));
    TRY(row_label_read(&scoring->model, spec->label_name, row,
                       spec->label == JOBSPEC_NO_LABEL ? NULL : &cells[spec->label], label, err));
    if (spec->group != JOBSPEC_NO_LABEL)
        TRY(row_group_read(spec->group_name, row, &cells[spec->group], label, err));
    return spec->upper == JOBSPEC_NO_LABEL ? STATUS_OK
                                           : row_upper_read(&scoring->model, spec->upper_name, row,
                                                            &cells[spec->upper], label, err);
}

/* The next row into the batch: a place in the scorer, or why it has none. */
static enum status take_row(struct rows_scoring *scoring, struct error *err)
{
    enum status status;

    if (scoring->fault.is_set)
        fault_reach(&scoring->fault, FAULT_ROW, "worker", scoring->index, scoring->incarnation,
                    scoring->next);
    TRY(read_cells(scoring, err));
    status = scorer_transform(&scoring->scorer, scoring->good, scoring->inputs, err);
    if (status == STATUS_OK)
        status = take_label(scoring, err);
    if (status == STATUS_INVALID && scoring->job->spec.scoring.keeps_bad_rows) {
        memcpy(scoring->reasons[scoring->taken], err->message, sizeof err->message);
        scoring->places[scoring->taken++] = BAD;
        scoring->next++;
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return name_row(scoring->next + 1, err);
    scoring->places[scoring->taken++] = scoring->good++;
    scoring->next++;
    return STATUS_OK;
}

static enum status put_outputs(struct rows_scoring *scoring, uint32_t place, struct error *err)
{
    const struct spec_scoring *spec = &scoring->job->spec.scoring;
    const struct scorer *scorer = &scoring->scorer;
    uint32_t component = 0;
    struct cell cell;

    shard_put_outputs(&scoring->results);
    for (size_t i = 0; i < spec->output_count; i++) {
        const enum output output = scoring->outputs[i];

        if (output == OUTPUT_COMPONENT)
            TRY(scorer_component_output(scorer, ++component, &cell, err));
        else if (output_is_checked(output))
            TRY(scorer_checked_output(scorer, output, &scoring->checked[place], spec->anomaly,
                                      &cell, err));
        else
            TRY(scorer_output(scorer, output, &scoring->workspace, &cell, err));
        cell_put(&scoring->results, &cell);
    }
    return STATUS_OK;
}

static enum status put_heads(struct rows_scoring *scoring, uint64_t row, struct error *err)
{
    for (uint32_t i = 0; i < scoring->model.head_count; i++) {
        struct metrics_row measured;
        bool has_label;

        if (scorer_measure_head(&scoring->scorer, i, &has_label, &measured, err) != STATUS_OK)
            return name_row(row, err);
        shard_put_label_metrics(&scoring->results, has_label ? &measured : NULL);
    }
    return STATUS_OK;
}

static enum status put_measures(struct rows_scoring *scoring, const struct row_label *label,
                                uint64_t row, struct error *err)
{
    struct metrics_row measured;

    if (metrics_measure(&scoring->scorer, label, scoring->workspace.probabilities, scoring->scores,
                        &measured, err) != STATUS_OK)
        return name_row(row, err);
    /* A row that is not in the sample of the shard's rows is not in that of all rows either. */
    if (measured.inputs.size > 0 &&
        !silhouette_add(&scoring->sample, measured.inputs.data, measured.predicted))
        measured.inputs.size = 0;
    if (scoring->job->spec.scoring.keeps_bad_rows)
        shard_put_outputs(&scoring->results);
    shard_put_metrics(&scoring->results, &measured);
    return scoring->job->spec.scoring.by_head ? put_heads(scoring, row, err) : STATUS_OK;
}

static enum status put_batch(struct rows_scoring *scoring, struct error *err)
{
    for (uint32_t i = 0; i < scoring->taken; i++) {
        const uint32_t place = scoring->places[i];

        if (place == BAD) {
            shard_put_reason(&scoring->results, scoring->reasons[i]);
            continue;
        }
        scorer_select(&scoring->scorer, place);
        if (scoring->job->spec.kind == SPEC_PREDICT)
            TRY(put_outputs(scoring, place, err));
        else
            TRY(put_measures(scoring, &scoring->labels[place], scoring->first + i + 1, err));
    }
    if (scoring->results.failed)
        return fail(err, STATUS_LIMIT, "the results of a shard take more than %zu bytes",
                    RESULTS_BYTES_MAX);
    return STATUS_OK;
}

static enum status score(void *self, bool *is_done, struct error *err)
{
    struct rows_scoring *scoring = self;

    scoring->first = scoring->next;
    scoring->taken = scoring->good = 0;
    while (scoring->next < scoring->end && scoring->taken < SCORER_ROWS &&
           scoring->good < scoring->scorer.rows_max)
        TRY(take_row(scoring, err));
    if (scoring->good > 0)
        scorer_score(&scoring->scorer, scoring->good);
    TRY(put_batch(scoring, err));
    scoring->count += scoring->taken;
    *is_done = scoring->next == scoring->end;
    return STATUS_OK;
}

static struct slice results(const void *self)
{
    const struct rows_scoring *scoring = self;

    return (struct slice){text_string(&scoring->results), scoring->results.size};
}

struct shard_scoring shard_scoring_of(struct rows_scoring *scoring)
{
    return (struct shard_scoring){scoring, begin_shard, score, results};
}
