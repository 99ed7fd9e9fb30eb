#include "extension/engine/jobs/unpublished.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "extension/engine/host/host.h"
#include "extension/engine/host/train_rows.h"
#include "extension/engine/jobs/jobs.h"
#include "extension/engine/jobs/staged.h"
#include "extension/engine/jobs/trained.h"
#include "k8s/job/cluster_folder.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/job_spec.h"

#define FILE_BYTES_MAX ((size_t)64 << 10)
#define UNWRITTEN_FILE                                                                             \
    "unwritten.json" /* beside JOB_UNPUBLISHED_FILE: nothing here is precious                      \
                      */

/* ----- the file ----- */

static void add(cJSON *object, const char *name, const char *value)
{
    json_add_string(object, name, slice_of(value));
}

static enum status print(const struct unpublished *unpublished, struct text *bytes,
                         struct error *err)
{
    cJSON *object = cJSON_CreateObject();
    enum status status;

    add(object, "database", unpublished->database);
    add(object, "schema", unpublished->schema);
    add(object, "table", unpublished->table);
    add(object, "transaction", unpublished->transaction);
    add(object, "error", unpublished->error);
    json_add_boolean(object, "is_table", unpublished->is_table);
    status = json_print(object, false, bytes, err);
    cJSON_Delete(object);
    return status;
}

enum status unpublished_write(const struct job_folder *folder,
                              const struct unpublished *unpublished, struct error *err)
{
    struct text bytes;
    enum status status;

    text_init(&bytes, FILE_BYTES_MAX);
    status = print(unpublished, &bytes, err);
    if (status == STATUS_OK)
        status =
            job_folder_write(folder, unpublished->is_lost ? UNWRITTEN_FILE : JOB_UNPUBLISHED_FILE,
                             text_slice(&bytes), err);
    text_deinit(&bytes);
    return status;
}

static enum status read_bytes(FILE *file, struct text *bytes, const char *path, struct error *err)
{
    char piece[4096];
    size_t size;

    while ((size = fread(piece, 1, sizeof piece, file)) > 0)
        text_append(bytes, (struct slice){piece, size});
    return ferror(file) || bytes->failed ? fail(err, STATUS_IO, "cannot read %s", path) : STATUS_OK;
}

static enum status take(const cJSON *object, const char *name, char *value, size_t size,
                        struct error *err)
{
    struct slice text;

    TRY(json_get_string(object, name, &text, err));
    if (text.size >= size)
        return fail(err, STATUS_CORRUPT, "%s of " JOB_UNPUBLISHED_FILE " is too long", name);
    slice_copy(text, value, size);
    return STATUS_OK;
}

static enum status parse(struct slice bytes, struct unpublished *unpublished, struct error *err)
{
    cJSON *object;
    enum status status;

    TRY(json_parse(bytes, FILE_BYTES_MAX, &object, err));
    TRY_OR(done, status,
           take(object, "database", unpublished->database, sizeof unpublished->database, err));
    TRY_OR(done, status,
           take(object, "schema", unpublished->schema, sizeof unpublished->schema, err));
    TRY_OR(done, status, take(object, "table", unpublished->table, sizeof unpublished->table, err));
    TRY_OR(done, status,
           take(object, "transaction", unpublished->transaction, sizeof unpublished->transaction,
                err));
    TRY_OR(done, status, take(object, "error", unpublished->error, sizeof unpublished->error, err));
    unpublished->is_table = unpublished->is_lost;
    if (json_has(object, "is_table")) /* an older program has not written it */
        status = json_get_boolean(object, "is_table", &unpublished->is_table, err);
done:
    cJSON_Delete(object);
    return status;
}

enum status unpublished_read(const struct job_folder *folder, struct unpublished *unpublished,
                             struct error *err)
{
    struct text bytes;
    char path[PATH_MAX];
    enum status status;
    FILE *file;

    *unpublished = (struct unpublished){.is_lost = false};
    TRY(job_folder_file(folder, JOB_UNPUBLISHED_FILE, path, err));
    file = fopen(path, "re");
    if (!file) {
        unpublished->is_lost = true;
        TRY(job_folder_file(folder, UNWRITTEN_FILE, path, err));
        file = fopen(path, "re");
    }
    if (!file)
        return fail_errno(err, STATUS_NOT_FOUND, "cannot read %s", path);
    text_init(&bytes, FILE_BYTES_MAX);
    status = read_bytes(file, &bytes, path, err);
    fclose(file);
    if (status == STATUS_OK)
        status = parse(text_slice(&bytes), unpublished, err);
    text_deinit(&bytes);
    return status;
}

enum status unpublished_begin(const struct host *host, const struct job_folder *folder,
                              const struct table_target *target, bool outlives, struct error *err)
{
    struct unpublished unpublished = {.is_table = target->kind != TARGET_MODEL,
                                      .is_lost = target->kind != TARGET_MODEL && !outlives};

    if (!unpublished.is_lost)
        TRY(host->models->find_place(host->self, target->schema, &unpublished, err));
    if (target->name.size >= sizeof unpublished.table)
        return fail(err, STATUS_LIMIT, "the name of the %s is longer than %zu bytes",
                    unpublished.is_table ? "table" : "model", sizeof unpublished.table - 1);
    slice_copy(target->name, unpublished.table, sizeof unpublished.table);
    return unpublished_write(folder, &unpublished, err);
}

void unpublished_remove(const struct job_folder *folder)
{
    char path[PATH_MAX];

    job_release_rows(folder->path);
    if (job_folder_file(folder, JOB_UNPUBLISHED_FILE, path, NULL) == STATUS_OK)
        (void)unlink(path);
    if (job_folder_file(folder, UNWRITTEN_FILE, path, NULL) == STATUS_OK)
        (void)unlink(path);
}

void unpublished_note(const struct job_folder *folder, const char *why)
{
    struct unpublished unpublished;
    struct error ignored;

    if (unpublished_read(folder, &unpublished, &ignored) != STATUS_OK)
        return;
    unpublished.transaction[0] = '\0';
    if (!unpublished.error[0])
        snprintf(unpublished.error, sizeof unpublished.error, "%s", why);
    (void)unpublished_write(folder, &unpublished, &ignored);
}

enum transaction_state unpublished_transaction(const struct host *host,
                                               const struct unpublished *unpublished, char *who,
                                               size_t size)
{
    who[0] = '\0';
    if (!unpublished->transaction[0] || !host->jobs)
        return TRANSACTION_ABORTED;
    return host->jobs->transaction_state(host->self, unpublished->transaction, who, size);
}

/* ----- for people ----- */

void unpublished_hint(const struct host *host, const struct job_folder *folder, struct error *err)
{
    const long long id = folder->id;
    struct unpublished unpublished;
    struct error ignored;
    const bool is_read = unpublished_read(folder, &unpublished, &ignored) == STATUS_OK;
    const char *what = is_read && unpublished.is_table ? "scored table" : "trained model";

    /* A database in memory, or a temporary one, is gone with its session. */
    if (is_read && !host->jobs && !unpublished.database[0])
        error_hint(err, "The trained model stays in %.400s/job.db.", folder->path);
    else if (host->jobs)
        error_hint(err,
                   "The %s is kept with job %lld: SELECT * FROM totrain.publish(%lld); writes it.",
                   what, id, id);
    else
        error_hint(err, "The %s is kept with job %lld: totrain publish %lld writes it.", what, id,
                   id);
}

/* ----- publishing it after all ----- */

enum status unpublished_written(const struct host *host, const struct job_folder *folder,
                                enum target_kind kind, struct error *err)
{
    if (host->jobs)
        return host->jobs->written(host->self, folder, kind, err);
    unpublished_remove(folder);
    return STATUS_OK;
}

static enum status check_state(const struct job_status *status, struct error *err)
{
    const long long id = status->folder.id;

    switch (status->state) {
    case JOB_STATE_UNPUBLISHED:
        return STATUS_OK;
    case JOB_STATE_DONE:
        return fail(err, STATUS_INVALID, "job %lld is done: its result is in place", id);
    case JOB_STATE_PUBLISHING:
        fail(err, STATUS_BUSY, "job %lld is being published", id);
        return status->error[0] ? error_hint(err, "%s", status->error) : err->status;
    default:
        fail(err, STATUS_INVALID, "job %lld has no model to publish: it is %s", id,
             job_state_name(status->state));
        return status->error[0] ? error_hint(err, "%s", status->error) : err->status;
    }
}

enum status unpublished_take(const struct host *host, int64_t id, struct unpublished_job *job,
                             struct error *err)
{
    struct job_status status;
    enum status how;

    TRY(job_status_read(host, id, &status, err));
    TRY(check_state(&status, err));
    TRY(job_folder_adopt(host->session.state, id, &job->folder, err));
    how = unpublished_read(&job->folder, &job->unpublished, err);
    if (how != STATUS_OK)
        job_folder_leave(&job->folder);
    return how == STATUS_NOT_FOUND ? fail(err, STATUS_INVALID,
                                          "job %lld has been published by "
                                          "another session",
                                          (long long)id)
                                   : how;
}

static enum status write_model(const struct host *host, const struct unpublished_job *job,
                               struct jobstore *store, struct model *model, const struct sink *sink,
                               struct error *err)
{
    const struct table_target target = {.schema = slice_of(job->unpublished.schema),
                                        .name = slice_of(job->unpublished.table),
                                        .kind = TARGET_MODEL};
    struct publication publication = {
        .model = model, .job = job->folder.id, .store = store, .sink = sink};

    TRY(host->tables->check_target(host->self, &target, err));
    TRY(host->models->publish(host->self, target.schema, target.name, &publication, err));
    return unpublished_written(host, &job->folder, TARGET_MODEL, err);
}

static enum status put_rows(const struct unpublished_job *job, struct jobstore *store,
                            struct train_facts facts, const struct sink *sink, struct error *err)
{
    struct job_row row;

    TRY(jobstore_get_job(store, &row, err));
    facts.job = job->folder.id;
    facts.seconds = row.seconds;
    facts.bad_rows = -1;
    TRY(sink_columns(sink, train_columns, TRAIN_COLUMNS, err));
    return train_result_put(store, &facts, sink, err);
}

static enum status publish_from(const struct host *host, const struct unpublished_job *job,
                                struct jobstore *store, const struct sink *sink, struct error *err)
{
    struct jobspec spec;
    struct arena arena;
    struct model model;
    enum status status;

    arena_init(&arena, MODEL_ARENA_MAX);
    arena_use_folder(&arena, job->folder.path);
    status = job_load_spec(job->folder.path, &arena, &spec, err);
    if (status == STATUS_OK)
        status = trained_model_read(store, spec.require, &arena, &model, err);
    if (status == STATUS_OK)
        status = write_model(host, job, store, &model, sink, err);
    if (status == STATUS_OK)
        status = put_rows(
            job, store, (struct train_facts){.version = model.version, .rows = (int64_t)model.rows},
            sink, err);
    arena_deinit(&arena);
    return status;
}

/* Publishes the model of a job on a cluster, which is in the job's tables. */
static enum status publish_from_tables(const struct host *host, const struct unpublished_job *job,
                                       const struct sink *sink, struct error *err)
{
    struct cluster_access access;
    struct kube_job cluster_job;
    struct arena arena;
    enum status status;

    if (!host->cluster)
        return fail(err, STATUS_UNSUPPORTED, "this database has no jobs on a cluster");
    arena_init(&arena, ARENA_MAXIMUM);
    status = cluster_folder_read(job->folder.path, &arena, &cluster_job, &access, err);
    arena_deinit(&arena); /* the number is none of its texts */
    TRY(status);
    TRY(sink_columns(sink, train_columns, TRAIN_COLUMNS, err));
    TRY(job_collect_cluster(host, cluster_job.job, &job->folder, sink, err));
    return unpublished_written(host, &job->folder, TARGET_MODEL, err);
}

static enum status publish_table(const struct host *host, const struct unpublished_job *job,
                                 table_publisher *table, const struct sink *sink, struct error *err)
{
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;
    uint64_t rows;

    TRY(table(host, job, &rows, err));
    TRY(unpublished_written(host, &job->folder, TARGET_PREDICTIONS, err));
    TRY(job_folder_file(&job->folder, "job.db", path, err));
    TRY(jobstore_open(path, true, &store, err));
    status = put_rows(job, store, (struct train_facts){.rows = (int64_t)rows}, sink, err);
    jobstore_close(store);
    return status;
}

static enum status open_and_publish(const struct host *host, const struct unpublished_job *job,
                                    table_publisher *table, const struct sink *sink,
                                    struct error *err)
{
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    if (job->unpublished.is_table)
        return publish_table(host, job, table, sink, err);
    if (cluster_folder_is(job->folder.path))
        return publish_from_tables(host, job, sink, err);
    TRY(job_folder_file(&job->folder, "job.db", path, err));
    TRY(jobstore_open(path, true, &store, err));
    status = publish_from(host, job, store, sink, err);
    jobstore_close(store);
    return status;
}

/* The last reason counts: what was refused before may be allowed by now. */
static void note_again(struct unpublished_job *job, const struct error *err)
{
    struct error ignored;

    job->unpublished.transaction[0] = '\0';
    snprintf(job->unpublished.error, sizeof job->unpublished.error,
             "the %s could not be written: %.450s", job->unpublished.is_table ? "table" : "model",
             err->message);
    (void)unpublished_write(&job->folder, &job->unpublished, &ignored);
}

enum status unpublished_publish(const struct host *host, struct unpublished_job *job,
                                table_publisher *table, const struct sink *sink, struct error *err)
{
    const enum status status = open_and_publish(host, job, table, sink, err);

    if (status != STATUS_OK) {
        note_again(job, err);
        if (!err->hint[0])
            unpublished_hint(host, &job->folder, err);
    }
    job_folder_leave(&job->folder);
    return status;
}
