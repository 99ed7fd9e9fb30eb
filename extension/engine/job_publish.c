/*
 * The model or the table of a detached job into its database, by the same checks and
 * in the same transaction as that of an attached one.
 */
#include "extension/engine/job_publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/log.h"
#include "extension/engine/host/host.h"
#include "extension/engine/host/train_rows.h"
#include "extension/engine/job_collect.h"
#include "extension/engine/jobs/trained.h"
#include "extension/engine/score/score_deliver.h"
#include "k8s/job/cluster_folder.h"
#include "runtime/data/store/destination.h"
#include "runtime/data/store/shardstore.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/job_spec.h"

struct delivery {
    const char *folder;
    const struct jobspec *spec;
    const struct host *host;
    struct jobstore *store;
    struct destination *destination;
    struct arena *arena;
    struct job_row row;
    bool has_table; /* it scored, and has no model to write */
};

/* An earlier publisher was killed after its transaction and before its report: the same
 * weights are under the same name, written since the job began. */
static bool is_there_already(const struct delivery *delivery, const struct model *model)
{
    const struct host *host = delivery->host;
    struct slice none = {NULL, 0}, started = slice_of(delivery->row.started_at);
    struct model found;
    struct error ignored;

    if (host->models->load_meta(host->self, none, slice_of(delivery->destination->table),
                                delivery->arena, &found, &ignored) != STATUS_OK ||
        !slice_equal(found.digest, model->digest) || found.created_at.size != started.size ||
        memcmp(found.created_at.data, started.data, started.size) < 0)
        return false;
    delivery->destination->version = found.version;
    return true;
}

static void log_notice(void *self, const char *line)
{
    (void)self;
    log_warning("%s", line);
}

static enum status deliver_model(const struct delivery *delivery, struct error *err)
{
    struct destination *destination = delivery->destination;
    const struct host *host = delivery->host;
    const struct sink sink = {.notice = log_notice};
    struct publication publication = {
        .job = delivery->row.id, .store = delivery->store, .sink = &sink};
    const struct table_target target = {.name = slice_of(destination->table), .kind = TARGET_MODEL};
    struct model model;

    TRY(trained_model_read(delivery->store, delivery->spec->require, delivery->arena, &model, err));
    destination->rows = (int64_t)model.rows;
    if (destination->tries > 1 && is_there_already(delivery, &model))
        return STATUS_OK;
    TRY(host->tables->check_target(host->self, &target, err));
    publication.model = &model;
    TRY(host->models->publish(host->self, target.schema, target.name, &publication, err));
    destination->version = model.version;
    return STATUS_OK;
}

static enum status deliver_table(const struct delivery *delivery, struct error *err)
{
    struct job_folder folder = {.id = delivery->row.id};
    struct delivery_order order = {.folder = &folder,
                                   .spec = delivery->spec,
                                   .store = delivery->store,
                                   .is_first = delivery->destination->tries == 1};
    uint64_t rows;

    snprintf(folder.path, sizeof folder.path, "%s", delivery->folder);
    TRY(score_job_mark(&delivery->row, delivery->arena, &order.mark, err));
    TRY(score_job_deliver(delivery->host, &order, &rows, err));
    delivery->destination->rows = (int64_t)rows;
    return STATUS_OK;
}

/* ----- of a job that ran somewhere else ----- */

static enum status take_fact(void *self, const struct cell *cells, size_t count, struct error *err)
{
    const struct cell *detail = &cells[TRAIN_DETAIL];
    struct destination *destination = self;
    int64_t number;
    (void)err;

    if (count < TRAIN_COLUMNS || detail->type != CELL_TEXT ||
        !slice_to_integer(detail->text, &number))
        return STATUS_OK;
    if (slice_is(cells[0].text, "version"))
        destination->version = number;
    else if (slice_is(cells[0].text, "rows"))
        destination->rows = number;
    return STATUS_OK;
}

static bool is_table_there(const struct delivery *delivery, struct error *err)
{
    struct jobspec spec;
    struct delivery_order order = {.spec = &spec, .store = delivery->store};

    return job_load_spec(delivery->folder, delivery->arena, &spec, err) == STATUS_OK &&
           score_job_mark(&delivery->row, delivery->arena, &order.mark, err) == STATUS_OK &&
           score_job_is_delivered(delivery->host, &order);
}

static bool is_model_there(const struct delivery *delivery, struct error *err)
{
    struct model model;

    return job_model_read(delivery->store, delivery->arena, &model, err) == STATUS_OK &&
           is_there_already(delivery, &model);
}

/* The tables are gone, and the store is done: an earlier publisher was killed after its
 * transaction. */
static enum status check_there(struct delivery *delivery, struct error *err)
{
    struct error why = *err;

    if (why.status == STATUS_NOT_FOUND && delivery->destination->tries > 1 &&
        jobstore_get_job(delivery->store, &delivery->row, err) == STATUS_OK &&
        (delivery->has_table ? is_table_there(delivery, err) : is_model_there(delivery, err)))
        return STATUS_OK;
    return *err = why, why.status;
}

static enum status collect_or_discard(struct delivery *delivery, int64_t number, bool has_model,
                                      struct error *err)
{
    const struct host_cluster *cluster = delivery->host->cluster;
    const struct sink sink = {
        .self = delivery->destination, .row = take_fact, .notice = log_notice};
    struct job_folder folder = {.id = delivery->row.id};

    delivery->has_table = job_keeps_rows(delivery->folder);
    if (!cluster)
        return fail(err, STATUS_UNSUPPORTED, "this database has no jobs on a cluster");
    if (!has_model) {
        cluster->discard(cluster->self, number, &sink);
        return STATUS_OK;
    }
    snprintf(folder.path, sizeof folder.path, "%s", delivery->folder);
    if (job_collect_kept(delivery->host, number, &folder, &sink, err) == STATUS_OK)
        return STATUS_OK;
    return check_there(delivery, err);
}

static enum status deliver_from_tables(struct delivery *delivery, bool has_model, struct error *err)
{
    struct cluster_access access;
    struct kube_job job;

    TRY(cluster_folder_read(delivery->folder, delivery->arena, &job, &access, err));
    return collect_or_discard(delivery, job.job, has_model, err);
}

/* Its state is PUBLISHING until the journal has replaced its store. */
static enum status deliver_elsewhere(struct delivery *delivery, const struct publisher *publisher,
                                     bool *has_model, struct error *err)
{
    const enum job_state state = delivery->row.state;
    struct arena arena;
    enum status status;

    *has_model = (state == JOB_STATE_PUBLISHING || state == JOB_STATE_DONE) &&
                 !job_is_given_up(delivery->folder);
    TRY(publisher->open(publisher->context, delivery->destination->database, &delivery->host, err));
    arena_init(&arena, MODEL_ARENA_MAX);
    delivery->arena = &arena;
    status = deliver_from_tables(delivery, *has_model, err);
    arena_deinit(&arena);
    return status;
}

static enum status read_spec_and_deliver(struct delivery *delivery, struct error *err)
{
    struct jobspec spec;
    enum status status;

    TRY(job_load_spec(delivery->folder, delivery->arena, &spec, err));
    delivery->spec = &spec;
    delivery->has_table = spec.kind != SPEC_TRAIN;
    status = spec.kind == SPEC_TRAIN ? deliver_model(delivery, err) : deliver_table(delivery, err);
    delivery->spec = NULL;
    return status;
}

static enum status open_and_deliver(struct delivery *delivery, const struct publisher *publisher,
                                    bool *has_model, struct error *err)
{
    struct arena arena;
    enum status status;

    *has_model = true;
    TRY(jobstore_get_job(delivery->store, &delivery->row, err));
    if (cluster_folder_is(delivery->folder))
        return deliver_elsewhere(delivery, publisher, has_model, err);
    if (delivery->row.state != JOB_STATE_DONE)
        return fail(err, STATUS_INVALID, "the job is not done yet: it is %s",
                    job_state_name(delivery->row.state));
    TRY(publisher->open(publisher->context, delivery->destination->database, &delivery->host, err));
    arena_init(&arena, MODEL_ARENA_MAX);
    arena_use_folder(&arena, delivery->folder);
    delivery->arena = &arena;
    status = read_spec_and_deliver(delivery, err);
    arena_deinit(&arena);
    return status;
}

static void note_refusal(struct destination *destination, int64_t job, bool has_table,
                         const struct error *why)
{
    destination->state = DESTINATION_REFUSED;
    snprintf(destination->error, sizeof destination->error, "the %s could not be written: %.450s",
             has_table ? "table" : "model", why->message);
    snprintf(destination->hint, sizeof destination->hint,
             "It is kept with the job, which was to write %.180s into %.180s: totrain publish %lld "
             "tries again.",
             destination->table, destination->database, (long long)job);
}

static enum status publish_from(const char *folder, struct jobstore *store,
                                const struct publisher *publisher, struct error *err)
{
    struct destination destination;
    struct delivery delivery = {.folder = folder, .store = store, .destination = &destination};
    struct error unsaid;
    enum status status;
    bool has_model;

    TRY(destination_get(store, &destination, err));
    if (destination.state == DESTINATION_PUBLISHED)
        return STATUS_OK;
    destination.tries++;
    TRY(destination_put(store, &destination, err));
    status = open_and_deliver(&delivery, publisher, &has_model, err);
    if (!has_model)
        return status; /* its end is in the store */
    if (status == STATUS_OK && publisher->delivered)
        publisher->delivered(publisher->context, destination.tries);
    destination.error[0] = destination.hint[0] = '\0';
    if (status == STATUS_OK)
        destination.state = DESTINATION_PUBLISHED;
    else
        note_refusal(&destination, delivery.row.id, delivery.has_table, err);
    error_clear(&unsaid);
    if (destination_put(store, &destination, &unsaid) == STATUS_OK || status != STATUS_OK) {
        if (status == STATUS_OK && delivery.has_table) /* results are as large as the table */
            (void)shardstore_drop_results(store, NULL);
        return status;
    }
    *err = unsaid;
    return err->status;
}

enum status job_publish(const char *folder, const struct publisher *publisher, struct error *err)
{
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    if (snprintf(path, sizeof path, "%s/job.db", folder) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    TRY(jobstore_open_durable(path, &store, err));
    status = publish_from(folder, store, publisher, err);
    jobstore_close(store);
    return status;
}

/* ----- inside of a server ----- */

/* The transaction's number tells whether it is there (unpublished.h), so it needs no mark. */
static enum status deliver_from(const struct host *host, const struct unpublished_job *job,
                                struct jobstore *store, struct arena *arena, uint64_t *rows,
                                struct error *err)
{
    struct jobspec spec;
    const struct delivery_order order = {.folder = &job->folder,
                                         .spec = &spec,
                                         .store = store,
                                         .schema = slice_of(job->unpublished.schema),
                                         .is_first = true};

    TRY(job_load_spec(job->folder.path, arena, &spec, err));
    return score_job_deliver(host, &order, rows, err);
}

static enum status deliver_from_cluster(const struct host *host, const struct unpublished_job *job,
                                        struct arena *arena, uint64_t *rows, struct error *err)
{
    const struct sink none = {.self = NULL};
    struct cluster_access access;
    struct kube_job cluster_job;
    struct jobspec spec;

    if (!host->cluster)
        return fail(err, STATUS_UNSUPPORTED, "this database has no jobs on a cluster");
    TRY(cluster_folder_read(job->folder.path, arena, &cluster_job, &access, err));
    TRY(job_load_spec(job->folder.path, arena, &spec, err));
    return score_job_collect(host, cluster_job.job, &job->folder, &spec, rows, &none, err);
}

static enum status deliver_from_folder(const struct host *host, const struct unpublished_job *job,
                                       struct arena *arena, uint64_t *rows, struct error *err)
{
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    TRY(job_folder_file(&job->folder, "job.db", path, err));
    TRY(jobstore_open(path, true, &store, err));
    status = deliver_from(host, job, store, arena, rows, err);
    jobstore_close(store);
    return status;
}

enum status job_publish_table(const struct host *host, const struct unpublished_job *job,
                              uint64_t *rows, struct error *err)
{
    struct arena arena;
    enum status status;

    arena_init(&arena, MODEL_ARENA_MAX);
    status = cluster_folder_is(job->folder.path)
                 ? deliver_from_cluster(host, job, &arena, rows, err)
                 : deliver_from_folder(host, job, &arena, rows, err);
    arena_deinit(&arena);
    return status;
}
