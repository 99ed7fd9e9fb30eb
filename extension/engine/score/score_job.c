/*
 * SELECT ... TO PREDICT INTO a table and TO EVALUATE, scored by workers: rows and
 * model into the job's folder, processes over them, and what they leave in job.db
 * into the target.
 */
#include "extension/engine/score/score_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell_bytes.h"
#include "extension/engine/rows/bad_rows.h"
#include "scoring/model_table.h"

/* A shard is worth its message and its transaction, and short enough that its
 * loss does not matter. */
#define SHARD_ROWS_MAX  16384
#define SHARD_ROWS_MIN  64
#define SHARD_WORK      5e8 /* multiplications */
#define SHARD_BYTES     ((double)(8 << 20))
#define SHARDS_A_WORKER 8

struct spooling {
    const struct plan *plan;
    struct spool_writer *writer;
    struct text row;
    struct cell *spread; /* room for a row with the elements of its vectors; NULL: all of its
                            columns are wanted, else the inputs, and of EVALUATE the label */
    uint64_t rows;
    struct text *faults; /* of rows that are to be put aside: number, reason */
};

static enum status put_cell(struct spooling *spooling, const struct cell *cells, size_t count,
                            int column, struct error *err)
{
    if (column < 0 || (size_t)column >= count)
        return fail(err, STATUS_DATABASE, "the query no longer returns the columns it had");
    cell_put(&spooling->row, &cells[column]);
    return STATUS_OK;
}

/* Where bad rows are put aside a worker is to find this one bad, too: an array is no number. The
 * reason is what the session says of it: only here it is known what the array should have been. */
static enum status spread_row(struct spooling *spooling, const struct cell *cells,
                              struct error *err)
{
    const struct plan *plan = spooling->plan;
    struct cell *spread = spooling->spread;
    const struct vectors *vectors = &plan->query.vectors;
    struct cell *elements = spread + vectors->columns;
    struct error why;

    if (plan->bad_rows == BAD_ROWS_ERROR)
        return vectors_spread(vectors, cells, spread, err);
    if (vectors_spread(vectors, cells, spread, &why) != STATUS_OK) {
        put_u64(spooling->faults, spooling->rows - 1);
        put_sized(spooling->faults, slice_of(why.message));
        if (spooling->faults->failed)
            return fail(err, STATUS_LIMIT, "the reasons why rows are bad take more than %zu bytes",
                        BAD_ROWS_BYTES_MAX);
    }
    memcpy(spread, cells, vectors->columns * sizeof *cells);
    for (size_t i = 0; i < vectors->count; elements += vectors->items[i++].size) {
        const struct vector *vector = &vectors->items[i];
        const struct cell *cell = &cells[vector->column];

        if (vector_spread(vector, cell, elements, &why) != STATUS_OK)
            for (uint32_t j = 0; j < vector->size; j++)
                elements[j] = *cell;
    }
    return STATUS_OK;
}

static enum status spool_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct spooling *spooling = self;
    const struct plan *plan = spooling->plan;

    spooling->rows++;
    text_clear(&spooling->row);
    if (!spooling->spread) {
        for (size_t i = 0; i < plan->query.count; i++)
            TRY(put_cell(spooling, cells, count, (int)i, err));
    } else {
        if (count < plan->query.count)
            return fail(err, STATUS_DATABASE, "the query no longer returns the columns it had");
        if (plan->query.vectors.count > 0) {
            TRY(spread_row(spooling, cells, err));
            cells = spooling->spread;
            count = plan->query.count + plan->query.vectors.elements;
        }
        for (size_t i = 0; i < plan->model.input_count; i++)
            TRY(put_cell(spooling, cells, count, plan->model_columns[i], err));
        if (plan->kind == STATEMENT_EVALUATE)
            TRY(put_cell(spooling, cells, count, plan->label_column, err));
    }
    if (spooling->row.failed)
        return fail(err, STATUS_LIMIT,
                    "row %llu takes more than the %zu bytes that a row of a job "
                    "may take",
                    (unsigned long long)spooling->rows, SPOOL_TEXT_BYTES_MAX),
               error_hint(err, "Leave job.* out: the session scores rows of any size.");
    TRY(spool_put_text(spooling->writer, text_slice(&spooling->row), err));
    return spool_end_row(spooling->writer, err);
}

/* PREDICT's rows from where the host has kept them, for that purpose. */
static enum status query_rows(const struct host *host, const struct plan *plan,
                              const struct sink *sink, struct error *err)
{
    enum status status;
    struct text sql;

    if (plan->kind != STATEMENT_PREDICT || !host->kept_rows)
        return host->rows->query(host->self, plan->select, sink, err);
    TRY(host->kept_rows->keep(host->self, plan->select, err));
    text_init(&sql, TEXT_MAXIMUM);
    status = lower_kept(plan, &sql, err);
    if (status == STATUS_OK)
        status = host->rows->query(host->self, text_slice(&sql), sink, err);
    text_deinit(&sql);
    return status;
}

/* In the order of the SELECT, which the target has, too. */
static enum status spool_rows(const struct host *host, const struct plan *plan,
                              const struct job_folder *folder, struct arena *arena, uint64_t *rows,
                              struct text *faults, struct error *err)
{
    const struct spool_column column = {SLICE("row"), SPOOL_TEXT};
    struct spooling spooling = {.plan = plan, .faults = faults};
    struct sink sink = {.self = &spooling, .row = spool_row};
    char path[PATH_MAX];
    enum status status;

    TRY(job_folder_file(folder, "rows.spool", path, err));
    if (plan->kind == STATEMENT_EVALUATE || host->kept_rows) {
        spooling.spread =
            ARENA_NEW(arena, struct cell, plan->query.count + plan->query.vectors.elements + 1);
        if (!spooling.spread)
            return fail_no_memory(err);
    }
    TRY(spool_writer_open(path, &column, 1, 0, &spooling.writer, err));
    text_init(&spooling.row, SPOOL_TEXT_BYTES_MAX);
    status = query_rows(host, plan, &sink, err);
    text_deinit(&spooling.row);
    *rows = spooling.rows;
    if (status == STATUS_OK)
        return spool_writer_close(spooling.writer, err);
    spool_writer_abandon(spooling.writer);
    return status;
}

/* Of the results: a name and a decimal for each class, at most. */
static double bytes_per_row(const struct model *model, const struct spec_scoring *spec)
{
    double names = 0;

    for (uint32_t i = 0; i < model->labels.count; i++)
        names += (double)model->labels.values[i].text.size * 2 + 48;
    return 64 + (double)spec->output_count * (64 + names);
}

static uint32_t shard_rows(const struct model *model, const struct jobspec *spec)
{
    const struct spec_scoring *scoring = &spec->scoring;
    double rows = fmin(SHARD_ROWS_MAX, SHARD_WORK / (score_work_per_row(model) + 1));

    rows = fmin(rows, (double)scoring->rows / ((double)spec->max_workers * SHARDS_A_WORKER));
    rows = fmax(rows, SHARD_ROWS_MIN);
    rows = fmin(rows, SHARD_BYTES / bytes_per_row(model, scoring));
    return rows < 1 ? 1 : (uint32_t)rows;
}

static enum status put_model_row(void *context, const struct model_row *row, struct error *err)
{
    return jobstore_put_model_row(context, row, err);
}

static enum status put_targets(const struct plan *plan, struct jobstore *store, struct error *err)
{
    struct plan here = *plan; /* whoever opens the file itself has no name for it */
    struct predict_tables tables;
    struct shard_target target = {.name = plan->target_table};
    enum status status;

    if (!plan->has_target)
        return STATUS_OK;
    if (!plan->scoring.wait)
        here.target_schema = (struct slice){"", 0};
    target.schema = here.target_schema;
    if (plan->kind == STATEMENT_EVALUATE)
        return shardstore_put_target(store, 0, &target, err);
    predict_tables_init(&tables);
    status = predict_tables_lower(&here, &tables, err);
    target.definition = text_slice(&tables.create);
    if (status == STATUS_OK)
        status = shardstore_put_target(store, 0, &target, err);
    target.name = plan->quarantine_table;
    target.definition = text_slice(&tables.quarantine_create);
    if (status == STATUS_OK && plan->quarantine_table.size > 0)
        status = shardstore_put_target(store, 1, &target, err);
    predict_tables_deinit(&tables);
    return status;
}

static enum status fill_store(const struct plan *plan, const struct model *model,
                              struct jobstore *store, struct error *err)
{
    TRY(jobstore_begin(store, err));
    TRY(model_write(model, put_model_row, store, err));
    TRY(put_targets(plan, store, err));
    return jobstore_commit(store, err);
}

static enum status make_store(const struct plan *plan, const struct model *model,
                              const struct job_folder *folder, struct error *err)
{
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    TRY(job_folder_file(folder, "job.db", path, err));
    TRY(jobstore_create(path, &store, err));
    status = fill_store(plan, model, store, err);
    jobstore_close(store);
    return status;
}

static enum status use_model(const struct host *host, const struct plan *plan,
                             const struct model *model, const struct job_folder *folder,
                             struct arena *arena, struct jobspec *spec, struct error *err)
{
    if (model->transform.input_count != plan->model.input_count)
        return fail(err, STATUS_STALE, "the model was replaced meanwhile: run the statement again");
    spec->family = arena_copy(arena, model->family);
    if (!spec->family.data)
        return fail_no_memory(err);
    spec->max_workers = score_most_workers(spec->max_workers, spec->min_workers, launch_cores(),
                                           host->catalog.limits.workers);
    spec->scoring.shard_rows = shard_rows(model, spec);
    return make_store(plan, model, folder, err);
}

/* Everything before a process is started. */
static enum status prepare(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, struct arena *arena,
                           struct jobspec *spec, struct text *faults, struct error *err)
{
    struct arena model_arena;
    struct model model;
    enum status status;

    TRY(lower_score(plan, arena, spec, err));
    TRY(spool_rows(host, plan, folder, arena, &spec->scoring.rows, faults, err));
    if (plan->kind == STATEMENT_EVALUATE && spec->scoring.rows == 0)
        return fail(err, STATUS_INVALID, "the query returns no rows to evaluate");
    arena_init(&model_arena, MODEL_ARENA_MAX);
    status = host->models->load(host->self, plan->model_schema, plan->model_name, &model_arena,
                                &model, err);
    if (status == STATUS_OK)
        status = use_model(host, plan, &model, folder, arena, spec, err);
    arena_deinit(&model_arena);
    return status;
}

/* --- what was scored, brought home --- */

enum status score_job_target(struct jobstore *store, const struct jobspec *spec, int position,
                             struct arena *arena, struct fill *fill, struct error *err)
{
    struct shard_target stored;
    struct table_target target;

    TRY(shardstore_get_target(store, position, arena, &stored, err));
    target = (struct table_target){.schema = stored.schema, .name = stored.name};
    if (position == 0) {
        target.kind = spec->kind == SPEC_PREDICT ? TARGET_PREDICTIONS : TARGET_METRICS;
        target.replaces_any = spec->scoring.replaces_any;
    } else {
        target.kind = TARGET_BAD_ROWS;
    }
    *fill = (struct fill){.target = target, .create = stored.definition};
    return STATUS_OK;
}

static enum status bring_predictions(const struct host *host, const struct scored *scored,
                                     struct jobstore *store, struct arena *arena,
                                     struct fill fills[2], struct error *err)
{
    const size_t count = scored->spec->scoring.keeps_bad_rows ? 2 : 1;

    for (size_t i = 0; i < count; i++)
        TRY(score_job_target(store, scored->spec, (int)i, arena, &fills[i], err));
    return scored_fill(scored, host, store, fills, count, err);
}

enum status score_job_metrics(const struct scored *scored, struct jobstore *store,
                              struct arena *arena, const struct sink *sink, struct cell *cells,
                              struct error *err)
{
    const struct spec_scoring *spec = &scored->spec->scoring;
    struct metrics *metrics;
    struct model model;
    enum metric metric;
    enum status status;

    TRY(job_model_read(store, arena, &model, err));
    TRY(metrics_new(&model, &metrics, err));
    status = scored_measure(scored, store, metrics, err);
    if (status == STATUS_OK) {
        cells[0] = metric_cell(metrics_loss(metrics));
        for (size_t i = 0; i < spec->metric_count; i++)
            cells[i + 1] = metric_find(spec->metrics[i], &metric)
                               ? metric_cell(metrics_value(metrics, metric))
                               : cell_null();
        if (sink)
            metric_notices(spec->metrics, spec->metric_count, metrics_classes(metrics),
                           metrics_unknown_rows(metrics), sink);
    }
    metrics_free(metrics);
    return status;
}

static enum status collect_predictions(const struct host *host, const struct scored *scored,
                                       struct jobstore *store, struct arena *arena, double started,
                                       const struct sink *sink, struct error *err)
{
    struct fill fills[2];

    TRY(bring_predictions(host, scored, store, arena, fills, err));
    for (size_t i = 0; i < (scored->spec->scoring.keeps_bad_rows ? 2 : 1); i++)
        TRY(score_target_row(fills[i].target.name, fills[i].rows, started, sink, err));
    return STATUS_OK;
}

static enum status collect(const struct host *host, const struct plan *plan,
                           const struct scored *scored, struct jobstore *store, double started,
                           const struct sink *sink, struct error *err)
{
    struct cell cells[METRICS_MAX + 1];
    struct arena arena;
    enum status status;

    arena_init(&arena, MODEL_ARENA_MAX);
    if (plan->kind == STATEMENT_PREDICT) {
        status = collect_predictions(host, scored, store, &arena, started, sink, err);
    } else {
        status = score_job_metrics(scored, store, &arena, sink, cells, err);
        if (status == STATUS_OK)
            status = evaluation_put(host, plan, cells, started, &arena, sink, err);
    }
    arena_deinit(&arena);
    return status;
}

static enum status open_and_collect(const struct host *host, const struct plan *plan,
                                    const struct job_folder *folder, const struct scored *scored,
                                    double started, const struct sink *sink, struct error *err)
{
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    TRY(job_folder_file(folder, "job.db", path, err));
    TRY(jobstore_open(path, false, &store, err));
    status = collect(host, plan, scored, store, started, sink, err);
    if (status == STATUS_OK) /* they are as large as the table */
        status = shardstore_drop_results(store, err);
    jobstore_close(store);
    return status;
}

static enum status follow_and_collect(const struct host *host, const struct plan *plan,
                                      const struct job_folder *folder, const struct jobspec *spec,
                                      const struct scored *scored, double started,
                                      const struct sink *sink, struct error *err)
{
    struct job_process process;
    enum status status;

    TRY(job_start(host, folder, spec, &process, err));
    status = job_follow_stored(host, folder, &process, sink, err);
    if (status == STATUS_OK)
        status = open_and_collect(host, plan, folder, scored, started, sink, err);
    else if (!err->hint[0] && status == STATUS_FAILED)
        error_hint(err, "The job's log is %.400s/log.", folder->path);
    job_close(&process);
    return status;
}

/* The rows are mapped before the job begins: its supervisor throws the file away
 * when it has ended. */
static enum status run_job(const struct host *host, const struct plan *plan,
                           const struct job_folder *folder, const struct jobspec *spec,
                           const struct text *faults, double started, const struct sink *sink,
                           struct error *err)
{
    struct scored scored;
    enum status status;

    TRY(scored_open(&scored, folder->path, spec, err));
    scored.faults = text_slice(faults);
    status = follow_and_collect(host, plan, folder, spec, &scored, started, sink, err);
    scored_close(&scored);
    return status;
}

enum status score_job_run(const struct host *host, const struct plan *plan, struct arena *arena,
                          const struct sink *sink, bool *has_begun, struct error *err)
{
    double started = score_seconds_now();
    struct job_folder folder;
    struct jobspec spec;
    struct error ignored;
    struct text faults;
    enum status status;

    *has_begun = false;
    if (!plan->scoring.wait && !host->marks)
        return fail(err, STATUS_UNSUPPORTED, "the rows of this job stay with the session"),
               error_hint(err, "Leave job.wait out.");
    TRY(score_check_targets(host, plan, err));
    TRY(job_folder_begin(host, &folder, err));
    text_init(&faults, BAD_ROWS_BYTES_MAX);
    status = prepare(host, plan, &folder, arena, &spec, &faults, err);
    if (status == STATUS_OK)
        status = host_rows_read(host, err);
    *has_begun = status == STATUS_OK;
    if (status == STATUS_OK && !plan->scoring.wait) {
        status = score_job_submit(host, plan, &folder, &spec, sink, err);
        if (status == STATUS_OK) {
            text_deinit(&faults);
            return STATUS_OK;
        }
    }
    if (status != STATUS_OK) {
        job_folder_remove(&folder);
    } else {
        status = run_job(host, plan, &folder, &spec, &faults, started, sink, err);
        job_folder_clean(&folder);
    }
    text_deinit(&faults);
    if (status != STATUS_OK && plan->kind == STATEMENT_PREDICT && host->kept_rows)
        host->kept_rows->forget(host->self, &ignored);
    return status;
}
