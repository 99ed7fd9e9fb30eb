/*
 * SELECT ... TO PREDICT and TO EVALUATE, scored by workers: rows and model into the
 * job's folder, processes over them, and what they leave in job.db into the target, or
 * to whoever reads the statement's result.
 */
#include "extension/engine/score/score_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell_bytes.h"
#include "codegen/lower_predict.h"
#include "codegen/lower_score.h"
#include "extension/engine/host/stored_model.h"
#include "extension/engine/jobs/cluster_job.h"
#include "extension/engine/jobs/job_run.h"
#include "extension/engine/jobs/staged.h"
#include "extension/engine/jobs/trained.h"
#include "extension/engine/jobs/unpublished.h"
#include "extension/engine/rows/bad_rows.h"
#include "extension/engine/score/score.h"
#include "extension/engine/score/score_choice.h"
#include "extension/engine/score/score_rows.h"
#include "extension/engine/score/unfamiliar_count.h"
#include "jobspec/jobspec.h"
#include "planner/plan/plan.h"
#include "runtime/data/dataset/model_file.h"
#include "runtime/data/spool/spool_writer.h"
#include "runtime/data/store/shardstore.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/processor.h"
#include "scoring/kind.h"
#include "scoring/tables/model_table.h"

/* A shard is worth its message and its transaction, and short enough that its
 * loss does not matter. */
#define SHARD_ROWS_MAX  16384
#define SHARD_ROWS_MIN  64
#define SHARD_WORK      5e8 /* multiplications */
#define SHARD_BYTES     ((double)(8 << 20))
#define ENTRY_BYTES     ((double)(1 << 20)) /* on a cluster: many are read at once */
#define SHARDS_A_WORKER 8

struct scoring {
    struct job job; /* first: the work of a job gets it */
    struct cluster_request request;
    struct text faults;
    struct bad_rows bad; /* rows that EVALUATE leaves out */
    struct scored scored;
    double started;
};

/* ----- its rows and its model, into its folder ----- */

struct spooling {
    const struct plan *plan;
    struct spool_writer *writer;
    struct text row;
    struct cell *spread; /* room for a row with the elements of its vectors; NULL: all of its
                            columns are wanted, else the inputs, and the label that is looked at */
    uint64_t rows;
    struct unfamiliar_count unfamiliar;
    struct text *faults; /* rows that are to be put aside: number, reason */
};

static enum status put_cell(struct spooling *spooling, const struct cell *cells, size_t count,
                            int column, struct error *err)
{
    if (column < 0 || (size_t)column >= count)
        return fail(err, STATUS_DATABASE, "the query no longer returns the columns it had");
    cell_put(&spooling->row, &cells[column]);
    return STATUS_OK;
}

/* A label that the query does not have is NULL. */
static enum status put_input(struct spooling *spooling, const struct cell *cells, size_t count,
                             int column, struct error *err)
{
    static const struct cell null = {.type = CELL_NULL};

    if (column >= 0)
        return put_cell(spooling, cells, count, column, err);
    cell_put(&spooling->row, &null);
    return STATUS_OK;
}

/* Where bad rows are put aside a worker must find this one bad, too: an array is no number. The
 * reason is the session's: only here it is known what the array should have been. */
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
    if (count >= plan->query.count)
        unfamiliar_count_row(&spooling->unfamiliar, cells);
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
            TRY(put_input(spooling, cells, count, plan->model_columns[i], err));
        if (plan->kind == STATEMENT_EVALUATE && plan->label_column >= 0)
            TRY(put_cell(spooling, cells, count, plan->label_column, err));
        if (plan->checked_column >= 0)
            TRY(put_cell(spooling, cells, count, plan->checked_column, err));
        if (plan->group_column >= 0)
            TRY(put_cell(spooling, cells, count, plan->group_column, err));
        if (plan->upper_column >= 0)
            TRY(put_cell(spooling, cells, count, plan->upper_column, err));
    }
    if (spooling->row.failed)
        return fail(err, STATUS_LIMIT,
                    "row %llu takes more than the %zu bytes that a row of a job "
                    "may take",
                    (unsigned long long)spooling->rows, SPOOL_TEXT_BYTES_MAX),
               error_hint(err, plan->scoring.too_large.size > 0
                                   ? "Leave columns that the model does not need out of the SELECT."
                                   : "Leave job.* out: the session scores rows of any size.");
    TRY(spool_put_text(spooling->writer, text_slice(&spooling->row), err));
    return spool_end_row(spooling->writer, err);
}

/* PREDICT's rows from where the host has kept them, for that purpose. */
static enum status query_rows(struct scoring *scoring, const struct sink *sink, struct error *err)
{
    const struct host *host = scoring->job.host;
    const struct plan *plan = scoring->job.plan;
    enum status status;
    struct text sql;

    if (plan->kind == STATEMENT_EVALUATE)
        return bad_rows_query(&scoring->bad, sink, err);
    if (!host->kept_rows)
        return host->rows->query(host->self, plan->select, sink, err);
    TRY(host->kept_rows->keep(host->self, plan->select, err));
    text_init(&sql, TEXT_MAXIMUM);
    status = lower_kept(plan, &sql, err);
    if (status == STATUS_OK)
        status = host->rows->query(host->self, text_slice(&sql), sink, err);
    text_deinit(&sql);
    return status;
}

static enum status note_unfamiliar(const struct scoring *scoring,
                                   struct unfamiliar_count *unfamiliar, struct error *err)
{
    const size_t told = scoring->job.plan->notices->count;

    unfamiliar_count_note(unfamiliar);
    return score_put_notices(scoring->job.plan, told, scoring->job.sink, err);
}

/* In the order of the SELECT, which the target has, too. */
static enum status spool_rows(struct scoring *scoring, uint64_t *rows, struct error *err)
{
    const struct spool_column column = {SLICE("row"), SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}};
    const struct plan *plan = scoring->job.plan;
    struct spooling spooling = {.plan = plan, .faults = &scoring->faults};
    struct sink sink = {.self = &spooling, .row = spool_row};
    char path[PATH_MAX];
    enum status status;

    TRY(job_folder_file(&scoring->job.folder, "rows.spool", path, err));
    TRY(unfamiliar_count_init(scoring->job.host, plan, NULL, scoring->job.arena,
                              &spooling.unfamiliar, err));
    if (!lower_score_takes_all(plan)) {
        spooling.spread = ARENA_NEW(scoring->job.arena, struct cell,
                                    plan->query.count + plan->query.vectors.elements + 1);
        if (!spooling.spread)
            return fail_no_memory(err);
    }
    TRY(spool_writer_open(path, &column, 1, 0, &spooling.writer, err));
    text_init(&spooling.row, SPOOL_TEXT_BYTES_MAX);
    status = query_rows(scoring, &sink, err);
    text_deinit(&spooling.row);
    *rows = spooling.rows;
    if (status == STATUS_OK)
        status = note_unfamiliar(scoring, &spooling.unfamiliar, err);
    if (status == STATUS_OK)
        return spool_writer_close(spooling.writer, err);
    spool_writer_abandon(spooling.writer);
    return status;
}

#define HEAD_NAME_BYTES 1024.0 /* the meta row does not tell the classes of several labels */

/* Bytes per row of the results: a name and a decimal for each class, at most; for EVALUATE a score
 * of each. */
static double bytes_per_row(const struct model *model, const struct spec_scoring *spec)
{
    double names = 0, scores = 64.0 * model->head_count; /* a label has metrics of its own */

    for (uint32_t i = 0; i < model->labels.count; i++)
        names += (double)model->labels.values[i].text.size * 2 + 48;
    if (model->head_count > 0)
        names = HEAD_NAME_BYTES;
    if (metrics_rank_classes(model, spec->metrics, spec->metric_count))
        scores += (double)model->labels.count * sizeof(float);
    return 64 + scores + (double)spec->output_count * (64 + names);
}

static uint32_t shard_rows(const struct model *model, const struct jobspec *spec, double bytes)
{
    const struct spec_scoring *scoring = &spec->scoring;
    double rows = fmin(SHARD_ROWS_MAX, SHARD_WORK / (model->multiplications + 1));

    rows = fmin(rows, (double)scoring->rows / ((double)spec->max_workers * SHARDS_A_WORKER));
    rows = fmax(rows, SHARD_ROWS_MIN);
    rows = fmin(rows, bytes / bytes_per_row(model, scoring));
    return rows < 1 ? 1 : (uint32_t)rows;
}

static enum status put_model_row(void *context, const struct model_row *row, struct error *err)
{
    return jobstore_put_model_row(context, row, err);
}

static enum status put_targets(const struct plan *plan, struct jobstore *store, struct error *err)
{
    struct plan here = *plan; /* a process that opens the file itself has no name for it */
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

/* The model row by row, so that it may be larger than this session. */
static enum status fill_store(const struct job *job, struct jobstore *store, struct arena *arena,
                              struct model *model, struct error *err)
{
    const struct plan *plan = job->plan;

    TRY(jobstore_begin(store, err));
    TRY(stored_model_copy(job->host, plan->model_schema, plan->model_name, put_model_row, store,
                          arena, model, err));
    TRY(put_targets(plan, store, err));
    return jobstore_commit(store, err);
}

/* For processes that have no store. */
static enum status write_model_file(const struct job *job, struct jobstore *store,
                                    struct error *err)
{
    struct model_file *file;
    char path[PATH_MAX];

    TRY(job_folder_file(&job->folder, MODEL_FILE, path, err));
    TRY(model_file_create(path, &file, err));
    return model_file_close(file, jobstore_each_model_row(store, model_file_put, file, err), err);
}

/* *model is what its meta row says. */
static enum status put_model(const struct job *job, struct arena *arena, struct model *model,
                             struct error *err)
{
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    TRY(job_folder_file(&job->folder, "job.db", path, err));
    TRY(jobstore_create(path, &store, err));
    status = fill_store(job, store, arena, model, err);
    if (status == STATUS_OK && job->life->runs != PLACE_MACHINE)
        status = write_model_file(job, store, err);
    jobstore_close(store);
    return status;
}

static enum status take_model(struct job *job, struct arena *arena, struct error *err)
{
    const bool is_here = job->life->runs == PLACE_MACHINE;
    struct jobspec *spec = &job->spec;
    struct model model;

    TRY(put_model(job, arena, &model, err));
    if (model.transform.column_count != job->plan->model.input_count)
        return fail(err, STATUS_STALE, "the model was replaced meanwhile: run the statement again");
    spec->family = slice_of(model.kind->name);
    spec->max_workers = score_most_workers(spec->max_workers, spec->min_workers, launch_cores(),
                                           job->host->catalog.limits.workers);
    spec->scoring.shard_rows = shard_rows(&model, spec, is_here ? SHARD_BYTES : ENTRY_BYTES);
    if (!is_here)
        job->request->job.workers_max = spec->max_workers;
    return STATUS_OK;
}

/* The rows are mapped before the job begins: its supervisor throws the file away when it has
 * ended. */
static enum status prepare(struct job *job, struct error *err)
{
    struct scoring *scoring = (struct scoring *)job;
    const struct plan *plan = job->plan;
    struct arena arena;
    enum status status;

    TRY(lower_score(plan, job->arena, &job->spec, err));
    TRY(spool_rows(scoring, &job->spec.scoring.rows, err));
    if (plan->kind == STATEMENT_EVALUATE && job->spec.scoring.rows == 0)
        return score_no_rows(NULL, err);
    arena_init(&arena, ARENA_MAXIMUM);
    status = take_model(job, &arena, err);
    arena_deinit(&arena);
    TRY(status);
    if (job->life->waits != ACTOR_SESSION)
        return plan->kind == STATEMENT_PREDICT && job->host->kept_rows
                   ? score_rows_save(job->host, &job->folder, text_slice(&scoring->faults), err)
                   : STATUS_OK;
    TRY(scored_open(&scoring->scored, job->folder.path, &job->spec, err));
    scoring->scored.faults = text_slice(&scoring->faults);
    return STATUS_OK;
}

/* ----- what was scored, brought home ----- */

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

enum status score_job_metrics(const struct scored *scored, struct jobstore *store,
                              struct arena *arena, struct bad_rows *bad, const struct stop *stop,
                              const struct sink *sink, struct evaluation_rows *rows,
                              struct error *err)
{
    const struct evaluation_order order = evaluation_order_of(&scored->spec->scoring);
    struct metrics_options options;
    struct metrics *metrics;
    struct model model;
    enum status status;

    TRY(job_model_measured(store, arena, &model, err));
    options = evaluation_options(&order, &model);
    TRY(metrics_new(&model, &options, &metrics, err));
    status = scored_measure(scored, store, metrics, bad, err);
    if (status == STATUS_OK)
        status = evaluation_collect(&order, metrics, stop, arena, sink, rows, err);
    metrics_free(metrics);
    return status;
}

static enum status collect_predictions(struct scoring *scoring, struct jobstore *store,
                                       struct arena *arena, struct error *err)
{
    const struct scored *scored = &scoring->scored;
    const size_t count = scored->spec->scoring.keeps_bad_rows ? 2 : 1;
    struct fill fills[2];

    for (size_t i = 0; i < count; i++) {
        TRY(score_job_target(store, scored->spec, (int)i, arena, &fills[i], err));
        fills[i].target.sink = scoring->job.sink;
    }
    TRY(scored_fill(scored, scoring->job.host, store, fills, count, err));
    for (size_t i = 0; i < count; i++)
        TRY(score_target_row(fills[i].target.name, fills[i].rows, scoring->started,
                             scoring->job.sink, err));
    return STATUS_OK;
}

/* The rows are the statement's result. */
static enum status collect_rows(struct scoring *scoring, struct jobstore *store,
                                struct arena *arena, struct error *err)
{
    const struct job *job = &scoring->job;
    struct slice *names;
    enum status status;
    struct text query;
    size_t count;

    text_init(&query, STATEMENT_BYTES_MAX);
    if (job->host->kept_rows) { /* the kept rows' query names the columns, too */
        status = lower_predict_table(job->plan, &query, err);
    } else {
        status = predict_columns(job->plan, arena, &names, &count, err);
        if (status == STATUS_OK)
            status = sink_columns(job->sink, names, count, err);
    }
    if (status == STATUS_OK)
        status =
            scored_show(&scoring->scored, job->host, store, text_slice(&query), job->sink, err);
    text_deinit(&query);
    return status;
}

static enum status collect_metrics(struct scoring *scoring, struct jobstore *store,
                                   struct arena *arena, struct error *err)
{
    const struct job *job = &scoring->job;
    const struct stop stop = {job->host->session.interrupted, job->host->self};
    struct evaluation_rows rows;

    TRY(score_job_metrics(&scoring->scored, store, arena, &scoring->bad, &stop, job->sink, &rows,
                          err));
    TRY(bad_rows_write(&scoring->bad, job->sink, err));
    if (scoring->bad.count == scoring->scored.rows.rows)
        return score_no_rows(&scoring->bad, err);
    TRY(evaluation_put(job->host, job->plan, &rows, scoring->started, job->sink, err));
    return job->plan->quarantine_table.size > 0
               ? score_target_row(job->plan->quarantine_table, scoring->bad.count, scoring->started,
                                  job->sink, err)
               : STATUS_OK;
}

static enum status collect_results(struct scoring *scoring, struct jobstore *store,
                                   struct error *err)
{
    struct arena arena;
    enum status status;

    arena_init(&arena, MODEL_ARENA_MAX);
    if (score_gives_rows(scoring->job.plan))
        status = collect_rows(scoring, store, &arena, err);
    else if (scoring->job.plan->kind == STATEMENT_PREDICT)
        status = collect_predictions(scoring, store, &arena, err);
    else
        status = collect_metrics(scoring, store, &arena, err);
    arena_deinit(&arena);
    return status;
}

static enum status collect_journal(void *context, struct journal *journal, struct error *err)
{
    struct scoring *scoring = context;
    struct jobstore *store;
    struct job_row row;
    enum status status;

    TRY(job_replay(journal, &scoring->job.folder, &store, &row, err));
    status = collect_results(scoring, store, err);
    jobstore_close(store);
    return status;
}

/* The results are of no use without the session's rows: its tables go in any case. */
static enum status collect_from_tables(struct scoring *scoring, struct error *err)
{
    const struct host_cluster *cluster = scoring->job.host->cluster;
    const struct collection collection = {.write = collect_journal, .context = scoring};
    const int64_t number = scoring->request.job.job;
    const enum status status =
        cluster->collect(cluster->self, number, &collection, scoring->job.sink, err);

    if (status != STATUS_OK)
        cluster->discard(cluster->self, number, scoring->job.sink);
    return status;
}

static enum status open_store(const struct job *job, struct jobstore **store, struct error *err)
{
    char path[PATH_MAX];

    TRY(job_folder_file(&job->folder, "job.db", path, err));
    return jobstore_open(path, false, store, err);
}

static enum status collect_from_folder(struct scoring *scoring, struct error *err)
{
    struct jobstore *store;
    enum status status;

    TRY(open_store(&scoring->job, &store, err));
    status = collect_results(scoring, store, err);
    jobstore_close(store);
    return status;
}

static enum status write_results(struct job *job, struct error *err)
{
    struct scoring *scoring = (struct scoring *)job;

    TRY(job->life->runs == PLACE_CLUSTER ? collect_from_tables(scoring, err)
                                         : collect_from_folder(scoring, err));
    return job->target.name.size > 0
               ? unpublished_written(job->host, &job->folder, job->target.kind, err)
               : STATUS_OK;
}

static enum status collect(struct job *job, struct error *err)
{
    char why[sizeof err->message];
    struct jobstore *store;
    enum status status;

    if (write_results(job, err) != STATUS_OK) {
        snprintf(why, sizeof why, "the table could not be written: %.200s", err->message);
        unpublished_note(&job->folder, why);
        return err->status;
    }
    TRY(open_store(job, &store, err));
    status = shardstore_drop_results(store, err); /* they are as large as the table */
    jobstore_close(store);
    return status;
}

static enum status put_number(struct job *job, int64_t number, struct error *err)
{
    const struct cell row[] = {cell_integer(number), cell_text(job->plan->target_table)};

    return sink_row(job->sink, row, 2, err);
}

enum status score_job_run(const struct host *host, const struct plan *plan, struct arena *arena,
                          const struct sink *sink, bool *has_begun, struct error *err)
{
    static const struct job_work work = {
        .prepare = prepare, .collect = collect, .put_number = put_number};
    static const struct table_target none;
    struct scoring scoring = {.job = {.host = host,
                                      .plan = plan,
                                      .life = job_life_of(host, plan),
                                      .target = plan->has_target ? score_target(plan) : none,
                                      .work = &work,
                                      .sink = sink,
                                      .arena = arena,
                                      .request = &scoring.request},
                              .started = score_seconds_now()};
    struct error ignored;
    enum status status;

    *has_begun = false;
    TRY(score_check_targets(host, plan, err));
    if (scoring.job.life->runs == PLACE_CLUSTER)
        TRY(cluster_check(host, plan, arena, &scoring.request, err));
    text_init(&scoring.faults, BAD_ROWS_BYTES_MAX);
    bad_rows_init(&scoring.bad, host, plan);
    status = job_run(&scoring.job, err);
    *has_begun = scoring.job.has_begun;
    if (scoring.scored.spec)
        scored_close(&scoring.scored);
    text_deinit(&scoring.faults);
    bad_rows_deinit(&scoring.bad);
    if (status != STATUS_OK && plan->kind == STATEMENT_PREDICT && host->kept_rows)
        host->kept_rows->forget(host->self, &ignored);
    if (status == STATUS_INVALID && plan->kind == STATEMENT_EVALUATE && !err->hint[0] &&
        strncmp(err->message, "row ", 4) == 0) /* a worker has named it */
        return error_hint(err, LEAVE_BAD_ROWS_OUT);
    return status;
}
