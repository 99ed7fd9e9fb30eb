#include "runtime/data/journal_replay.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "runtime/data/jobstore_parts.h"
#include "runtime/data/journal_parts.h"
#include "runtime/data/journal_record.h"

#define HEADS_MAX  3 /* two count; a third that a later one replaces */
#define HEAD_PHASE 4 /* in journal_head_names */

struct replay {
    struct jobstore *store;
    int64_t job;
    struct journal_position position;
    uint64_t heads[HEADS_MAX][CHECKPOINT_HEAD_VALUES]; /* of the last checkpoints, oldest first */
    uint32_t head_count;
};

/* ----- reading bodies ----- */

static double get_real(const cJSON *body, const char *name)
{
    double value;

    return json_get_real(body, name, &value, NULL) == STATUS_OK ? value : (double)NAN;
}

static enum status get_count(const cJSON *body, const char *name, uint64_t *value,
                             struct error *err)
{
    int64_t integer;

    TRY(json_get_integer(body, name, 0, INT64_MAX, &integer, err));
    *value = (uint64_t)integer;
    return STATUS_OK;
}

static enum status get_small(const cJSON *body, const char *name, uint32_t *value,
                             struct error *err)
{
    int64_t integer;

    TRY(json_get_integer(body, name, 0, UINT32_MAX, &integer, err));
    *value = (uint32_t)integer;
    return STATUS_OK;
}

static enum status get_string(const cJSON *body, const char *name, char *to, size_t capacity,
                              struct error *err)
{
    struct slice value;

    TRY(json_get_string(body, name, &value, err));
    if (value.size >= capacity)
        return fail(err, STATUS_CORRUPT, "%s has %zu bytes, expected fewer than %zu", name,
                    value.size, capacity);
    memcpy(to, value.data, value.size);
    to[value.size] = '\0';
    return STATUS_OK;
}

static enum status get_state(const cJSON *body, enum job_state *state, struct error *err)
{
    struct slice name;

    TRY(json_get_string(body, "state", &name, err));
    for (*state = JOB_STATE_WAITING; *state < JOB_STATE_LOST; (*state)++)
        if (slice_is(name, job_state_name(*state)))
            return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "no job is in state \"%.40s\"", name.data);
}

static enum status read_job_texts(const cJSON *body, struct job_row *row, struct error *err)
{
    TRY(get_state(body, &row->state, err));
    TRY(get_string(body, "statement", row->statement, sizeof row->statement, err));
    TRY(get_string(body, "model", row->model, sizeof row->model, err));
    TRY(get_string(body, "error", row->error, sizeof row->error, err));
    TRY(get_string(body, "started_at", row->started_at, sizeof row->started_at, err));
    return get_string(body, "metrics", row->metrics, sizeof row->metrics, err);
}

static enum status read_job_counts(const cJSON *body, struct job_row *row, struct error *err)
{
    TRY(get_small(body, "workers", &row->workers, err));
    TRY(get_count(body, "step", &row->step, err));
    TRY(get_count(body, "rows_done", &row->rows_done, err));
    TRY(get_count(body, "rows_redone", &row->rows_redone, err));
    TRY(get_count(body, "steps", &row->steps, err));
    TRY(get_small(body, "epoch", &row->epoch, err));
    return get_small(body, "epochs", &row->epochs, err);
}

/* ----- taking entries ----- */

static enum status take_job(struct replay *replay, const cJSON *body, struct error *err)
{
    struct job_row row = {.id = replay->job};

    TRY(read_job_texts(body, &row, err));
    TRY(read_job_counts(body, &row, err));
    row.loss = get_real(body, "loss");
    row.goodput = get_real(body, "goodput");
    row.seconds_waiting = get_real(body, "seconds_waiting");
    row.seconds = get_real(body, "seconds");
    row.rows_per_second = get_real(body, "rows_per_second");
    row.validation_loss = get_real(body, "validation_loss");
    row.slot_seconds = get_real(body, "slot_seconds");
    replay->position.has_ended = job_state_has_ended(row.state);
    if (row.state == JOB_STATE_DONE)
        TRY(jobstore_take_staged_model(replay->store, err));
    return jobstore_put_job(replay->store, &row, err);
}

static enum status take_worker(struct replay *replay, const cJSON *body, struct error *err)
{
    uint32_t index, lanes;
    char state[64];

    TRY(get_small(body, "index", &index, err));
    TRY(get_small(body, "lanes", &lanes, err));
    TRY(get_string(body, "state", state, sizeof state, err));
    return jobstore_put_worker(replay->store, index, state, lanes,
                               get_real(body, "rows_per_second"), err);
}

static enum status take_event(struct replay *replay, const cJSON *body, struct error *err)
{
    char role[32], event[64], detail[256];
    int64_t index;

    TRY(json_get_integer(body, "index", -1, UINT32_MAX, &index, err));
    TRY(get_string(body, "role", role, sizeof role, err));
    TRY(get_string(body, "event", event, sizeof event, err));
    TRY(get_string(body, "detail", detail, sizeof detail, err));
    return jobstore_put_event(replay->store, get_real(body, "at"), role, index, event, detail, err);
}

static enum status take_metric(struct replay *replay, const cJSON *body, struct error *err)
{
    char metric[64], part[32];
    uint32_t epoch;
    uint64_t step;

    TRY(get_small(body, "epoch", &epoch, err));
    TRY(get_count(body, "step", &step, err));
    TRY(get_string(body, "metric", metric, sizeof metric, err));
    TRY(get_string(body, "part", part, sizeof part, err));
    return jobstore_put_metric(replay->store, epoch, step, metric, part, get_real(body, "value"),
                               err);
}

static enum status take_result(struct replay *replay, const cJSON *body, struct error *err)
{
    char name[64];

    TRY(get_string(body, "name", name, sizeof name, err));
    return jobstore_put_result(replay->store, name, get_real(body, "train"),
                               get_real(body, "validation"), err);
}

static enum status take_model_row(struct replay *replay, const cJSON *body,
                                  const struct journal_entry *entry, struct error *err)
{
    struct model_row row = {.has_data = entry->has_data, .data = entry->data};

    TRY(json_get_string(body, "part", &row.part, err));
    TRY(json_get_string(body, "name", &row.name, err));
    TRY(json_get_integer(body, "position", INT64_MIN, INT64_MAX, &row.position, err));
    TRY(json_get_boolean(body, "has_value", &row.has_value, err));
    TRY(json_get_boolean(body, "is_text", &row.data_is_text, err));
    if (row.has_value)
        row.value = get_real(body, "value");
    return jobstore_stage_model_row(replay->store, &row, err);
}

static enum status take_head(struct replay *replay, const cJSON *body, struct error *err)
{
    uint64_t values[CHECKPOINT_HEAD_VALUES];

    for (int i = 0; i < CHECKPOINT_HEAD_VALUES; i++) {
        int64_t value;

        TRY(json_get_integer(body, journal_head_names[i], INT64_MIN, INT64_MAX, &value, err));
        values[i] = (uint64_t)value;
    }
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
    default: /* a claim, a drop, or the submitter's: no more than its kind */
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
    TRY(jobstore_begin(store, err));
    status = replay_in_transaction(journal, &replay, err);
    if (status == STATUS_OK)
        status = jobstore_commit(store, err);
    else
        jobstore_rollback(store);
    *position = replay.position;
    return status;
}
