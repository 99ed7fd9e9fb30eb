#include "runtime/data/store/journal_replay.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "runtime/data/store/jobstore_parts.h"
#include "runtime/data/store/journal_parts.h"
#include "runtime/data/store/journal_record.h"
#include "runtime/data/store/journal_sum.h"
#include "runtime/data/store/shardstore.h"

#define HEADS_MAX  3 /* two count; a third that a later one replaces */
#define HEAD_PHASE (offsetof(struct journal_checkpoint, phase) / sizeof(uint64_t))

struct replay {
    struct jobstore *store;
    int64_t job;
    struct journal_position position;
    uint64_t heads[HEADS_MAX][CHECKPOINT_HEAD_VALUES]; /* the last checkpoints', oldest first */
    uint32_t head_count;
};

/* ----- taking entries ----- */

static enum status get_state(const cJSON *body, enum job_state *state, struct error *err)
{
    struct slice name;

    TRY(json_get_string(body, "state", &name, err));
    for (*state = JOB_STATE_WAITING; *state < JOB_STATE_LOST; (*state)++)
        if (slice_is(name, job_state_name(*state)))
            return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "no job is in state \"%.40s\"", name.data);
}

static enum status take_job(struct replay *replay, const cJSON *body, struct error *err)
{
    struct job_row row = {.id = replay->job};

    TRY(get_state(body, &row.state, err));
    TRY(journal_get_fields(body, JOURNAL_JOB, &row, err));
    replay->position.has_ended = job_state_has_ended(row.state);
    if (row.state == JOB_STATE_DONE)
        TRY(jobstore_take_staged_model(replay->store, err));
    return jobstore_put_job(replay->store, &row, err);
}

static enum status take_worker(struct replay *replay, const cJSON *body, struct error *err)
{
    struct journal_worker worker;

    TRY(journal_get_fields(body, JOURNAL_WORKER, &worker, err));
    return jobstore_put_worker(replay->store, worker.index, worker.state, worker.lanes,
                               worker.rows_per_second, err);
}

static enum status take_event(struct replay *replay, const cJSON *body, struct error *err)
{
    struct journal_event event;

    TRY(journal_get_fields(body, JOURNAL_EVENT, &event, err));
    return jobstore_put_event(replay->store, event.at, event.role, event.index, event.event,
                              event.detail, err);
}

static enum status take_metric(struct replay *replay, const cJSON *body, struct error *err)
{
    struct journal_metric metric;

    TRY(journal_get_fields(body, JOURNAL_METRIC, &metric, err));
    return jobstore_put_metric(replay->store, metric.epoch, metric.step, metric.metric, metric.part,
                               metric.value, err);
}

static enum status take_result(struct replay *replay, const cJSON *body, struct error *err)
{
    struct journal_result result;

    TRY(journal_get_fields(body, JOURNAL_RESULT, &result, err));
    return jobstore_put_result(replay->store, result.name, result.train, result.validation, err);
}

static enum status take_model_row(struct replay *replay, const cJSON *body,
                                  const struct journal_entry *entry, struct error *err)
{
    struct journal_model fields;
    struct model_row row;

    TRY(journal_get_fields(body, JOURNAL_MODEL, &fields, err));
    row = (struct model_row){.part = fields.part,
                             .name = fields.name,
                             .position = fields.position,
                             .has_value = fields.has_value,
                             .value = fields.has_value ? fields.value : 0,
                             .has_data = entry->has_data,
                             .data_is_text = fields.is_text,
                             .data = entry->data};
    return jobstore_stage_model_row(replay->store, &row, err);
}

static enum status take_head(struct replay *replay, const cJSON *body, struct error *err)
{
    struct journal_checkpoint head;
    uint64_t values[CHECKPOINT_HEAD_VALUES];

    TRY(journal_get_fields(body, JOURNAL_CHECKPOINT, &head, err));
    memcpy(values, &head, sizeof values);
    /* One of the same or a later phase was found damaged, or this would not follow it. */
    while (replay->head_count > 0 &&
           replay->heads[replay->head_count - 1][HEAD_PHASE] >= values[HEAD_PHASE])
        replay->head_count--;
    if (replay->head_count == HEADS_MAX) {
        memmove(replay->heads[0], replay->heads[1], sizeof replay->heads - sizeof *replay->heads);
        replay->head_count--;
    }
    memcpy(replay->heads[replay->head_count++], values, sizeof values);
    return STATUS_OK;
}

static enum status take_shard(struct replay *replay, const cJSON *body,
                              const struct journal_entry *entry, struct error *err)
{
    struct journal_shard fields;
    struct shard_row row;

    TRY(journal_get_fields(body, JOURNAL_SHARD, &fields, err));
    row = (struct shard_row){.lease = fields.lease,
                             .first = fields.first,
                             .count = fields.count,
                             .worker = fields.worker,
                             .results = entry->data};
    if (!shard_state_find(fields.state, &row.state))
        return fail(err, STATUS_CORRUPT, "no shard is in state \"%s\"", fields.state);
    if (entry->has_data != (row.state == SHARD_DONE))
        return fail(err, STATUS_CORRUPT, "a shard that is %s, %s results", fields.state,
                    entry->has_data ? "with" : "without");
    return shardstore_put(replay->store, &row, err);
}

static enum status take_body(struct replay *replay, const struct journal_entry *entry,
                             const cJSON *body, struct error *err)
{
    switch (entry->kind) {
    case JOURNAL_JOB:
        return take_job(replay, body, err);
    case JOURNAL_WORKER:
        return take_worker(replay, body, err);
    case JOURNAL_EVENT:
        return take_event(replay, body, err);
    case JOURNAL_METRIC:
        return take_metric(replay, body, err);
    case JOURNAL_RESULT:
        return take_result(replay, body, err);
    case JOURNAL_MODEL:
        return take_model_row(replay, body, entry, err);
    case JOURNAL_CHECKPOINT:
        return take_head(replay, body, err);
    case JOURNAL_SHARD:
        return take_shard(replay, body, entry, err);
    case JOURNAL_CLAIM:
        return shardstore_return_all(replay->store, err);
    default: /* a drop, or the submitter's: no more than its kind */
        return STATUS_OK;
    }
}

/* ----- the rules ----- */

static enum status check_entry(const struct replay *replay, const struct journal_entry *entry,
                               struct error *err)
{
    const struct journal_position *at = &replay->position;
    const bool is_submission = entry->number <= 2;
    const bool is_first_kind = entry->kind == JOURNAL_SPEC || entry->kind == JOURNAL_INPUT;

    if (entry->number != at->number + 1)
        return fail(err, STATUS_CORRUPT, "it follows entry %lld", (long long)at->number);
    if (at->has_ended)
        return fail(err, STATUS_CORRUPT, "the job had ended before");
    if (is_submission != is_first_kind || (is_submission && entry->master != 0))
        return fail(err, STATUS_CORRUPT, "a %s of master %lld does not belong there",
                    journal_kind_name(entry->kind), (long long)entry->master);
    if (is_submission)
        return STATUS_OK;
    if (entry->kind == JOURNAL_CLAIM ? entry->master <= at->master || entry->master > UINT32_MAX
                                     : entry->master != at->master)
        return fail(err, STATUS_CORRUPT, "it is of master %lld, where master %lld leads",
                    (long long)entry->master, (long long)at->master);
    return STATUS_OK;
}

static enum status take_entry(struct replay *replay, const struct journal_entry *entry,
                              struct error *err)
{
    const size_t bytes_max =
        entry->kind == JOURNAL_SPEC ? JOURNAL_BODY_BYTES_MAX : JOURNAL_ROW_BYTES_MAX;
    enum status status;
    cJSON *body;

    TRY(check_entry(replay, entry, err));
    if (entry->data.size > JOURNAL_DATA_BYTES_MAX)
        return fail(err, STATUS_CORRUPT, "it has %zu bytes", entry->data.size);
    TRY(journal_sum_check(entry, err));
    TRY(json_parse(entry->body, bytes_max, &body, err));
    status = take_body(replay, entry, body, err);
    cJSON_Delete(body);
    if (status == STATUS_OK && entry->kind == JOURNAL_DROP) {
        replay->head_count = 0;
        status = checkpoint_forget(replay->store, err); /* which an earlier replay has put there */
    }
    replay->position.number = entry->number;
    replay->position.master = entry->master;
    return status;
}

/* An error gets the number of its entry. */
static enum status read_entry(void *context, const struct journal_entry *entry, struct error *err)
{
    struct error why;
    enum status status;

    error_clear(&why);
    status = take_entry(context, entry, &why);
    if (status != STATUS_OK)
        fail(err, status, "entry %lld of the job's journal is refused: %.400s",
             (long long)entry->number, why.message);
    return status;
}

/* ----- where the store is ----- */

static enum status read_position(struct jobstore *store, struct journal_position *position,
                                 struct error *err)
{
    sqlite3_stmt *statement;
    int stepped;

    *position = (struct journal_position){.number = 0};
    TRY(jobstore_run(store,
                     "CREATE TABLE IF NOT EXISTS replayed(number INTEGER NOT NULL,"
                     " master INTEGER NOT NULL, has_ended INTEGER NOT NULL)",
                     err));
    TRY(jobstore_prepare(store, "SELECT number, master, has_ended FROM replayed", &statement, err));
    stepped = sqlite3_step(statement);
    if (stepped == SQLITE_ROW)
        *position = (struct journal_position){sqlite3_column_int64(statement, 0),
                                              sqlite3_column_int64(statement, 1),
                                              sqlite3_column_int64(statement, 2) != 0};
    sqlite3_finalize(statement);
    return stepped == SQLITE_ROW || stepped == SQLITE_DONE ? STATUS_OK
                                                           : jobstore_failed(store, err);
}

static enum status write_position(struct jobstore *store, const struct journal_position *position,
                                  struct error *err)
{
    char sql[160];

    snprintf(sql, sizeof sql, "DELETE FROM replayed; INSERT INTO replayed VALUES(%lld, %lld, %d)",
             (long long)position->number, (long long)position->master, position->has_ended);
    return jobstore_run(store, sql, err);
}

static enum status put_heads(struct replay *replay, const struct journal *journal,
                             struct error *err)
{
    const uint32_t last = replay->head_count - 1;

    return checkpoint_put_foreign(replay->store, replay->heads[last],
                                  last > 0 ? replay->heads[last - 1] : NULL, journal, err);
}

static enum status replay_in_transaction(const struct journal *journal, struct replay *replay,
                                         struct error *err)
{
    TRY(journal->read(journal->self, replay->position.number, read_entry, replay, err));
    if (replay->head_count > 0 && !replay->position.has_ended && journal->each_piece)
        TRY(put_heads(replay, journal, err));
    return write_position(replay->store, &replay->position, err);
}

enum status journal_replay(const struct journal *journal, struct jobstore *store,
                           struct journal_position *position, struct error *err)
{
    struct replay replay = {.store = store, .job = journal->job};
    enum status status;

    TRY(read_position(store, &replay.position, err));
    if (replay.position.number < journal->before)
        replay.position.number = journal->before;
    TRY(jobstore_begin(store, err));
    status = replay_in_transaction(journal, &replay, err);
    if (status == STATUS_OK)
        status = jobstore_commit(store, err);
    else
        jobstore_rollback(store);
    *position = replay.position;
    return status;
}
