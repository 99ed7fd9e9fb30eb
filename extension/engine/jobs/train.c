/*
 * SELECT ... TO TRAIN: rows into the job's folder, processes over them, and
 * what they leave in job.db into the user's database.
 */
#include "extension/engine/jobs/train.h"

#include <stdio.h>
#include <time.h>

#include "codegen/lower_train.h"
#include "extension/engine/host/stored_model.h"
#include "extension/engine/host/train_rows.h"
#include "extension/engine/jobs/cluster_job.h"
#include "extension/engine/jobs/cross_validation.h"
#include "extension/engine/jobs/job_history.h"
#include "extension/engine/jobs/job_run.h"
#include "extension/engine/jobs/small_job.h"
#include "extension/engine/jobs/staged.h"
#include "extension/engine/jobs/trained.h"
#include "extension/engine/jobs/trials.h"
#include "extension/engine/jobs/unpublished.h"
#include "extension/engine/rows/bad_rows.h"
#include "extension/engine/rows/column_verdict.h"
#include "extension/engine/rows/direct.h"
#include "extension/engine/rows/direct_verdict.h"
#include "extension/engine/rows/spooling.h"
#include "k8s/job/kube_job_name.h"
#include "planner/plan/plan.h"
#include "runtime/data/dataset/model_file.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/processor.h"
#include "runtime/launch/tensorboard_folder.h"

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct training {
    struct job job; /* first: the work of a job gets it */
    struct cluster_request request;
    const struct statement *statement;
    struct slice text;             /* the text that the statement's positions refer to */
    struct column_verdict verdict; /* with the plan from all rows */
    bool has_verdict;              /* the rows that workers have read are judged */
    bool reads_once_more; /* a job whose workers read: as that plan says, and nothing is counted */
    uint64_t rows;        /* count of those that the session has read */
    double started;
    int64_t bad_rows; /* -1: the first would have been an error */
};

/* ----- before it runs ----- */

static enum status check_before(const struct job *job, struct error *err)
{
    const struct host *host = job->host;
    const struct plan *plan = job->plan;

    if (host->tables->check_target(host->self, &job->target, err) != STATUS_OK)
        return error_place(err, plan->object_position);
    TRY(quarantine_check(host, plan, err));
    return plan->spec.tensorboard.size > 0 ? tensorboard_folder_make(plan->spec.tensorboard, err)
                                           : STATUS_OK;
}

/* Bad rows are put aside, or the first is an error. */
static enum status spool_once(struct training *training, const struct spool_judge *judge,
                              uint64_t *rows, struct error *err)
{
    const struct job *job = &training->job;
    struct spool_request request = {.host = job->host,
                                    .plan = job->plan,
                                    .spec = &job->spec,
                                    .folder = &job->folder,
                                    .sink = job->sink,
                                    .cores = launch_cores(),
                                    .judge = judge};
    struct bad_rows bad;
    enum status status;

    if (job->plan->bad_rows == BAD_ROWS_ERROR)
        return spool_inputs(&request, job->arena, rows, err);
    bad_rows_init(&bad, job->host, job->plan);
    request.bad = &bad;
    TRY_OR(done, status, spool_inputs(&request, job->arena, rows, err));
    if (!judge || !*judge->reads_again)
        status = bad_rows_write(&bad, job->sink, err);
done:
    training->bad_rows = (int64_t)bad.count;
    bad_rows_deinit(&bad);
    return status;
}

static void begin_verdict(struct training *training)
{
    const struct job *job = &training->job;

    training->verdict = (struct column_verdict){.host = job->host,
                                                .statement = training->statement,
                                                .text = training->text,
                                                .first = job->plan,
                                                .arena = job->arena};
}

/* Spools as the sample says, and once more where all rows say otherwise; the plan is then the one
 * from all rows. */
static enum status spool(struct training *training, uint64_t *rows, struct error *err)
{
    struct job *job = &training->job;
    struct column_verdict *verdict = &training->verdict;
    struct spool_judge judge;

    begin_verdict(training);
    judge = column_verdict_judge(verdict);
    TRY(spool_once(training, &judge, rows, err));
    if (verdict->is_judged) {
        job->plan = &verdict->plan;
        TRY(lower_train(job->plan, job->arena, &job->spec, err));
    }
    if (!verdict->reads_again)
        return STATUS_OK;
    column_verdict_note(verdict, job->sink);
    return spool_once(training, NULL, rows, err);
}

/* USING: as it is now, whatever becomes of its table meanwhile. */
static enum status put_old_model(const struct job *job, struct error *err)
{
    const struct plan *plan = job->plan;
    struct model_file *file;
    char path[PATH_MAX];
    struct arena arena;
    struct model model;
    enum status status;

    if (plan->model_name.size == 0)
        return STATUS_OK;
    TRY(job_folder_file(&job->folder, MODEL_FILE, path, err));
    TRY(model_file_create(path, &file, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = stored_model_copy(job->host, plan->model_schema, plan->model_name, model_file_put,
                               file, &arena, &model, err);
    status = model_file_close(file, status, err);
    if (status == STATUS_OK && !slice_equal(model.digest, job->spec.old_model))
        status = fail(err, STATUS_STALE,
                      "model \"%.*s\" was replaced meanwhile: run the statement again",
                      SLICE_FORMAT(plan->model_name));
    arena_deinit(&arena);
    return status;
}

/* Somebody waits who can say what all rows tell. */
static bool counts(const struct training *training)
{
    return training->job.life->waits == ACTOR_SESSION && !training->reads_once_more;
}

static enum status order_reading(struct training *training, struct error *err)
{
    struct job *job = &training->job;

    if (counts(training))
        begin_verdict(training);
    TRY(direct_prepare(job->host, job->plan, counts(training), &job->folder, job->arena,
                       &training->request.order, err));
    job->spec.staged_shards = (uint32_t)direct_order_shards(&training->request.order);
    return STATUS_OK;
}

static enum status take_history(struct job *job, struct error *err)
{
    struct job_history history;

    TRY(job_history_begin(job->plan, &history, err));
    if (job->spec.max_workers > job->spec.min_workers) /* else there is nothing to choose */
        job_history_read(job->host->session.state, &history);
    return job_history_take(&history, job->arena, &job->spec, err);
}

static enum status prepare(struct job *job, struct error *err)
{
    struct training *training = (struct training *)job;
    const struct plan *plan = job->plan;

    TRY(lower_train(plan, job->arena, &job->spec, err));
    TRY(plan->cluster.reads_directly ? order_reading(training, err)
                                     : spool(training, &training->rows, err));
    TRY(put_old_model(job, err));
    TRY(take_history(job, err));
    training->request.job.workers_max = job->spec.max_workers;
    job->spec.in_one_process = job_is_small(job->plan, &job->spec, training->rows);
    return STATUS_OK;
}

static enum status rehearse(struct job *job, struct error *err)
{
    const struct training *training = (const struct training *)job;

    if (job->plan->search)
        return trials_run(&(struct trials_request){.job = job,
                                                   .statement = training->statement,
                                                   .verdict = &training->verdict,
                                                   .rows = training->rows},
                          err);
    return job->plan->folds > 0 ? cross_validate(job, err) : STATUS_OK;
}

/* ----- what all rows say of a plan whose workers read them ----- */

static enum status judge(struct job *job, struct error *err)
{
    struct training *training = (struct training *)job;
    struct column_verdict *verdict = &training->verdict;
    const int64_t number = job->request->job.job;

    if (job->spec.staged_shards == 0 || !counts(training) || training->has_verdict)
        return STATUS_OK;
    TRY(direct_verdict(verdict, number, &job->spec, err));
    job->begins_again = verdict->reads_again;
    training->has_verdict = true;
    if (!verdict->reads_again)
        return direct_verdict_keep(verdict, number, err);
    column_verdict_note(verdict, job->sink);
    return STATUS_OK;
}

/* ----- what it made ----- */

static enum status put_bad_rows(const struct training *training, struct error *err)
{
    return training->bad_rows < 0
               ? STATUS_OK
               : train_row_number(training->job.sink, "bad_rows", training->bad_rows, err);
}

static enum status put_number(struct job *job, int64_t number, struct error *err)
{
    TRY(train_row_number(job->sink, "job", number, err));
    return put_bad_rows((const struct training *)job, err);
}

/* The model stays with the job: why it is not where it was to go. */
static void note_unpublished(const struct job *job, const struct error *err)
{
    char why[sizeof err->message];

    snprintf(why, sizeof why, "the model could not be written: %.200s", err->message);
    unpublished_note(&job->folder, why);
}

/* Its tables stay where the model cannot be written. */
static enum status collect_from_tables(struct job *job, struct error *err)
{
    if (job_collect_cluster(job->host, job->request->job.job, &job->folder, job->sink, err) !=
        STATUS_OK) {
        if (!trained_is_refused(err))
            note_unpublished(job, err);
        return err->status;
    }
    TRY(unpublished_written(job->host, &job->folder, TARGET_MODEL, err));
    return put_bad_rows((const struct training *)job, err);
}

static enum status publish(const struct job *job, struct jobstore *store, struct model *model,
                           struct error *err)
{
    const struct host *host = job->host;
    const struct plan *plan = job->plan;
    struct publication publication = {
        .model = model, .job = job->folder.id, .store = store, .sink = job->sink};

    if (host->models->publish(host->self, plan->into_schema, plan->into_name, &publication, err) ==
        STATUS_OK)
        return unpublished_written(host, &job->folder, TARGET_MODEL, err);
    note_unpublished(job, err);
    unpublished_hint(host, &job->folder, err);
    return err->status;
}

static enum status collect(struct job *job, struct error *err)
{
    const struct training *training = (const struct training *)job;
    struct train_facts facts = {.job = job->folder.id, .bad_rows = training->bad_rows};
    char path[PATH_MAX];
    struct jobstore *store;
    struct arena arena;
    struct model model;
    enum status status;

    if (job->life->runs == PLACE_CLUSTER)
        return collect_from_tables(job, err);
    TRY(job_folder_file(&job->folder, "job.db", path, err));
    TRY(jobstore_open(path, true, &store, err));
    arena_init(&arena, MODEL_ARENA_MAX);
    arena_use_folder(&arena, job->folder.path);
    TRY_OR(done, status, trained_model_read(store, job->spec.require, &arena, &model, err));
    TRY_OR(done, status, publish(job, store, &model, err));
    facts.version = model.version;
    facts.rows = (int64_t)model.rows;
    facts.seconds = seconds_now() - training->started;
    status = train_result_put(store, &facts, job->sink, err);
done:
    arena_deinit(&arena);
    jobstore_close(store);
    return status;
}

static enum status run(struct training *training, struct error *err)
{
    struct job *job = &training->job;

    const struct slice before = training->request.job.name;
    struct slice *name = &training->request.job.name;

    training->request = (struct cluster_request){.snapshot = ""};
    if (job->life->runs == PLACE_CLUSTER)
        TRY(cluster_check(job->host, job->plan, job->arena, &training->request, err));
    if (before.size > 0 && slice_equal(before, *name)) /* objects of the old one may stay awhile */
        TRY(kube_job_invent_name(before, job->arena, name, err));
    return job_run(job, err);
}

enum status train_run(const struct host *host, const struct train_request *train,
                      struct arena *arena, const struct sink *sink, struct error *err)
{
    const struct plan *plan = train->plan;
    static const struct job_work work = {.prepare = prepare,
                                         .rehearse = rehearse,
                                         .collect = collect,
                                         .put_number = put_number,
                                         .judge = judge};
    struct training training = {.job = {.host = host,
                                        .plan = plan,
                                        .life = job_life_of(host, plan),
                                        .target = {.schema = plan->into_schema,
                                                   .name = plan->into_name,
                                                   .kind = TARGET_MODEL},
                                        .work = &work,
                                        .sink = sink,
                                        .arena = arena,
                                        .request = &training.request},
                                .statement = train->statement,
                                .text = train->text,
                                .started = seconds_now(),
                                .bad_rows = -1};

    TRY(check_before(&training.job, err));
    TRY(run(&training, err));
    if (!training.job.begins_again)
        return STATUS_OK;
    training.job.plan = &training.verdict.plan;
    training.reads_once_more = true;
    return run(&training, err);
}
