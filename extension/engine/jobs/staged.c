#include "extension/engine/jobs/staged.h"

#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "extension/engine/host/host.h"
#include "extension/engine/host/train_rows.h"
#include "extension/engine/jobs/follow.h"
#include "extension/engine/jobs/trained.h"
#include "params/notice_list.h"
#include "runtime/data/store/journal_replay.h"
#include "runtime/data/store/journal_sum.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_spec.h"

struct collecting {
    const struct host *host;
    struct journal *journal;
    struct job_folder folder;
    struct arena *arena;
    struct slice schema, table;        /* where the model is to go */
    const struct notice_list *notices; /* the plan's; NULL: those of the job */
    size_t planned;                    /* notices of the job that these replace */
    struct job_row row;
    struct jobstore *store; /* the folder's; NULL: nothing was read yet */
    struct model model;
    struct publication publication;
    const struct sink *sink;
};

static enum status keep_slice(struct arena *arena, const cJSON *body, const char *name,
                              struct slice *kept, struct error *err)
{
    struct slice value;

    TRY(json_get_string(body, name, &value, err));
    *kept = arena_copy(arena, value);
    return kept->data ? STATUS_OK : fail_no_memory(err);
}

static enum status write_spec(const struct collecting *collecting, struct slice json,
                              struct error *err)
{
    char path[PATH_MAX];
    bool is_written;
    FILE *file;

    TRY(job_folder_file(&collecting->folder, "job.json", path, err));
    file = fopen(path, "we");
    if (!file)
        return fail_errno(err, STATUS_IO, "cannot write %s", path);
    is_written = fwrite(json.data, 1, json.size, file) == json.size;
    is_written = fclose(file) == 0 && is_written;
    return is_written ? STATUS_OK : fail_errno(err, STATUS_IO, "cannot write %s", path);
}

static enum status read_target(struct collecting *collecting, struct slice json, struct error *err)
{
    enum status status;
    cJSON *body;

    TRY(json_parse(json, JOURNAL_ROW_BYTES_MAX, &body, err));
    status = keep_slice(collecting->arena, body, "schema", &collecting->schema, err);
    if (status == STATUS_OK)
        status = keep_slice(collecting->arena, body, "table", &collecting->table, err);
    cJSON_Delete(body);
    return status;
}

/* The two entries of the submitter; what follows is for the replay. */
static enum status read_submission(void *context, const struct journal_entry *entry,
                                   struct error *err)
{
    struct collecting *collecting = context;

    if (entry->number == 1)
        return write_spec(collecting, entry->body, err);
    if (entry->number > 2)
        return STATUS_OK;
    TRY(journal_sum_check(entry, err));
    return read_target(collecting, entry->body, err);
}

static enum status judge(struct jobstore *store, const struct journal_position *position,
                         struct job_row *row, struct error *err)
{
    struct error unsaid;

    if (position->number < 2)
        return fail(err, STATUS_CORRUPT, "the job's journal has no beginning");
    error_clear(&unsaid);
    if (jobstore_get_job(store, row, &unsaid) != STATUS_OK)
        row->state = JOB_STATE_WAITING;
    if (!position->has_ended)
        return fail(err, STATUS_INVALID, "the job has not ended: it is %s",
                    job_state_name(row->state));
    if (row->state == JOB_STATE_CANCELLED)
        return fail(err, STATUS_INTERRUPTED, "the job was cancelled");
    return row->state == JOB_STATE_DONE ? STATUS_OK : fail(err, STATUS_FAILED, "%s", row->error);
}

static enum status check_target(const struct collecting *collecting, struct error *err)
{
    const struct host *host = collecting->host;
    const struct table_target target = {
        .schema = collecting->schema, .name = collecting->table, .kind = TARGET_MODEL};

    return host->tables->check_target(host->self, &target, err);
}

/* A job that scores is refused: its results belong to rows of the session that has staged them. */
static enum status check_kind(const struct collecting *collecting, struct jobspec *spec,
                              struct error *err)
{
    TRY(job_load_spec(collecting->folder.path, collecting->arena, spec, err));
    if (spec->kind == SPEC_TRAIN)
        return STATUS_OK;
    fail(err, STATUS_UNSUPPORTED,
         "the job scores rows of the session that has sent it, which alone can write them");
    return error_hint(err, "Run the statement again if that session is gone.");
}

static enum status read_notices(struct collecting *collecting, struct slice json, struct error *err)
{
    struct notice_list *notices = ARENA_NEW(collecting->arena, struct notice_list, 1);
    enum status status;
    cJSON *body;

    if (!notices)
        return fail_no_memory(err);
    TRY(json_parse(json, TEXT_MAXIMUM, &body, err));
    status = notice_list_from_json(body, notices, err);
    cJSON_Delete(body);
    collecting->notices = notices;
    return status;
}

/* Reads the verdict about the rows of a job, where its workers have counted them. */
static enum status read_verdict(struct collecting *collecting, const struct jobspec *spec,
                                struct error *err)
{
    const struct journal *journal = collecting->journal;
    enum status status;
    struct text json;

    if (spec->staged_shards == 0 || !journal->read_verdict)
        return STATUS_OK;
    collecting->planned = spec->notices ? spec->notices->count : 0;
    text_init(&json, TEXT_MAXIMUM);
    status = journal->read_verdict(journal->self, &json, err);
    if (status == STATUS_OK && json.size > 0)
        status = read_notices(collecting, text_slice(&json), err);
    text_deinit(&json);
    return status;
}

/* Replaces the notices that the sample made about columns by those that all rows make. */
static enum status take_notices(const struct collecting *collecting, struct model *model,
                                struct error *err)
{
    const struct notice_list *old = model->notices;
    struct notice_list *lists;

    if (!collecting->notices)
        return STATUS_OK;
    lists = ARENA_NEW(collecting->arena, struct notice_list, 2);
    if (!lists)
        return fail_no_memory(err);
    for (size_t i = collecting->planned; old && i < old->count; i++)
        lists[1].items[lists[1].count++] = old->items[i];
    notice_list_join(&lists[0], collecting->notices);
    notice_list_join(&lists[0], &lists[1]);
    model->notices = &lists[0];
    return STATUS_OK;
}

/* The record of the job's events stays until the journal has replaced it: a reader sees one or the
 * other. */
static enum status open_record(const char *path, struct jobstore **store, struct error *err)
{
    return access(path, F_OK) == 0 ? jobstore_open_durable(path, store, err)
                                   : jobstore_create(path, store, err);
}

enum status job_replay(struct journal *journal, const struct job_folder *folder,
                       struct jobstore **store, struct job_row *row, struct error *err)
{
    struct journal_position position;
    char path[PATH_MAX];
    enum status status;

    journal->job = folder->id;
    TRY(job_folder_file(folder, "job.db", path, err));
    TRY(open_record(path, store, err));
    status = journal_replay(journal, *store, &position, err);
    if (status == STATUS_OK)
        status = judge(*store, &position, row, err);
    if (status != STATUS_OK)
        jobstore_close(*store);
    return status;
}

/* The model, into the arena. */
static enum status read_all(struct collecting *collecting, struct error *err)
{
    struct jobstore *store;
    struct jobspec spec;

    TRY(collecting->journal->read(collecting->journal->self, 0, read_submission, collecting, err));
    TRY(check_kind(collecting, &spec, err));
    TRY(read_verdict(collecting, &spec, err));
    TRY(job_replay(collecting->journal, &collecting->folder, &store, &collecting->row, err));
    collecting->store = store; /* to be closed */
    if (collecting->table.size == 0)
        return fail(err, STATUS_CORRUPT, "the job's journal names no model");
    TRY(trained_model_read(collecting->store, spec.require, collecting->arena, &collecting->model,
                           err));
    TRY(take_notices(collecting, &collecting->model, err));
    collecting->publication = (struct publication){.model = &collecting->model,
                                                   .job = collecting->folder.id,
                                                   .store = collecting->store,
                                                   .sink = collecting->sink};
    return STATUS_OK;
}

static enum status write_all(struct collecting *collecting, struct error *err)
{
    const struct host *host = collecting->host;
    struct train_facts facts = {.job = collecting->folder.id};

    TRY(check_target(collecting, err));
    TRY(host->models->publish(host->self, collecting->schema, collecting->table,
                              &collecting->publication, err));
    facts.version = collecting->model.version;
    facts.rows = (int64_t)collecting->model.rows;
    facts.seconds = collecting->row.seconds;
    return train_result_put(collecting->store, &facts, collecting->sink, err);
}

typedef enum status collector(struct collecting *collecting, void *context, struct error *err);

static enum status collect_in_arena(struct collecting *collecting, collector *collect,
                                    void *context, struct error *err)
{
    struct arena arena;
    enum status status;

    arena_init(&arena, MODEL_ARENA_MAX);
    arena_use_folder(&arena, collecting->folder.path);
    collecting->arena = &arena;
    status = collect(collecting, context, err);
    if (collecting->store)
        jobstore_close(collecting->store);
    arena_deinit(&arena);
    return status;
}

/* ----- in a transaction of the caller's ----- */

static enum status read_and_write(struct collecting *collecting, void *context, struct error *err)
{
    (void)context;
    TRY(read_all(collecting, err));
    return write_all(collecting, err);
}

enum status job_collect(const struct host *host, struct journal *journal, const struct sink *sink,
                        struct error *err)
{
    struct collecting collecting = {.host = host, .journal = journal, .sink = sink};
    enum status status;

    TRY(sink_columns(sink, train_columns, TRAIN_COLUMNS, err));
    TRY(job_folder_begin(host, &collecting.folder, err));
    status = collect_in_arena(&collecting, read_and_write, NULL, err);
    if (status == STATUS_OK)
        job_folder_clean(&collecting.folder);
    else
        job_folder_remove(&collecting.folder);
    return status;
}

/* ----- of a job on a cluster ----- */

/* A process that is killed from here on has read the journal into the folder, and leaves pieces. */
static enum status prepare_trained(void *context, struct journal *journal, struct error *err)
{
    struct collecting *collecting = context;
    const struct host_cluster *cluster = collecting->host->cluster;

    collecting->journal = journal;
    TRY(read_all(collecting, err));
    TRY(check_target(collecting, err));
    return cluster->write_pieces(cluster->self, collecting->schema, collecting->table,
                                 &collecting->publication, err);
}

static enum status write_trained(void *context, struct journal *journal, struct error *err)
{
    (void)journal; /* it has ended, and is read */
    return write_all(context, err);
}

static enum status collect_cluster(struct collecting *collecting, void *number, struct error *err)
{
    const struct host_cluster *cluster = collecting->host->cluster;
    const struct collection collection = {
        .prepare = prepare_trained, .write = write_trained, .context = collecting};

    return cluster->collect(cluster->self, *(const int64_t *)number, &collection, collecting->sink,
                            err);
}

enum status job_collect_cluster(const struct host *host, int64_t number,
                                const struct job_folder *folder, const struct sink *sink,
                                struct error *err)
{
    struct collecting collecting = {.host = host, .folder = *folder, .sink = sink};
    const enum status status = collect_in_arena(&collecting, collect_cluster, &number, err);

    if (status != STATUS_OK && status != STATUS_INTERRUPTED && !trained_is_refused(err))
        error_hint(err, "Nothing was changed. SELECT * FROM totrain.collect(%lld) tries again.",
                   (long long)number);
    return status;
}
