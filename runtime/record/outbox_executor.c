#include "runtime/record/outbox_executor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/log.h"
#include "runtime/data/store/journal.h"
#include "runtime/data/store/shardstore.h"
#include "runtime/data/store/step_log.h"
#include "runtime/launch/job_event.h"
#include "runtime/launch/job_lock.h"
#include "runtime/loop/loop.h"

/* Removes the copy that an earlier master has left. */
static void remove_copy(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[PATH_MAX + 8];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        (void)unlink(name);
    }
}

static enum status open_store(struct outbox_executor *executor, const char *folder,
                              struct error *err)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/job.db", folder) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    if (executor->journal)
        remove_copy(path);
    if (access(path, F_OK) == 0)
        return jobstore_open(path, false, &executor->store, err);
    TRY(jobstore_create(path, &executor->store, err));
    return executor->journal ? jobstore_attach(executor->store, executor->journal, err) : STATUS_OK;
}

static enum status open_and_claim(struct outbox_executor *executor, const char *folder,
                                  uint32_t incarnation, struct error *err)
{
    TRY(open_store(executor, folder, err));
    if (!executor->journal && job_is_kept(folder))
        TRY(jobstore_set_durable(executor->store, err));
    return jobstore_claim(executor->store, incarnation, &executor->incarnation, err);
}

enum status outbox_executor_open(struct outbox_executor *executor, const char *folder,
                                 uint32_t incarnation, struct error *err)
{
    enum status status;

    executor->fault = fault_read();
    store_call_begin(executor->call, loop_now_ms());
    status = open_and_claim(executor, folder, incarnation, err);
    store_call_end(executor->call);
    return status;
}

static enum status begin_transaction(const struct outbox_executor *executor, struct error *err)
{
    enum status status;

    TRY(jobstore_begin(executor->store, err));
    status = jobstore_check_claim(executor->store, executor->incarnation, err);
    if (status != STATUS_OK)
        jobstore_rollback(executor->store);
    return status;
}

enum status outbox_executor_log_events(struct outbox_executor *executor, const char *folder,
                                       struct slice directory, struct error *err)
{
    enum status status;

    /* No other master may claim the store while this one looks what there is. */
    TRY(begin_transaction(executor, err));
    status = event_log_open(&executor->events, folder, directory, executor->store, err);
    jobstore_rollback(executor->store);
    return status;
}

void outbox_executor_close(struct outbox_executor *executor)
{
    event_log_close(&executor->events);
    waiting_rows_close(&executor->waiting);
    if (executor->store)
        jobstore_close(executor->store);
    executor->store = NULL;
}

/* A notice holds nothing up: it tells of the job, and no row depends on it. */
static enum report_haste haste_of(enum job_event_kind kind)
{
    if (kind == JOB_PROGRESS)
        return REPORT_LATER;
    return kind == JOB_NOTICE ? REPORT_SOON : REPORT_MUST;
}

/* Within a transaction: the session reads it in the journal (extension/engine/jobs/follow.h). */
static enum status put_report(struct jobstore *store, const struct job_event *event,
                              struct error *err)
{
    enum status status;
    struct text line;

    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    job_event_write(event, &line);
    status = line.failed
                 ? fail_no_memory(err)
                 : jobstore_put_report(store, text_slice(&line), haste_of(event->kind), err);
    text_deinit(&line);
    return status;
}

void outbox_executor_say(const struct outbox_executor *executor, const struct job_event *event)
{
    struct text line;

    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    job_event_write(event, &line);
    if (!line.failed)
        executor->say(executor->context, event, text_slice(&line));
    text_deinit(&line);
}

/* An event without progress. */
static void empty_event(enum job_event_kind kind, struct job_event *event)
{
    memset(event, 0, sizeof *event);
    event->kind = kind;
    event->loss = event->validation_loss = event->validation_score = (double)NAN;
    event->seconds_left = (double)NAN;
}

void outbox_executor_say_failed(const struct outbox_executor *executor, const struct error *err)
{
    struct job_event event;

    empty_event(JOB_FAILED, &event);
    event.error = *err;
    outbox_executor_say(executor, &event);
}

/* Stores a report that came by no outbox. */
static enum status store_report(const struct outbox_executor *executor,
                                const struct job_event *event, struct error *err)
{
    enum status status;

    TRY(begin_transaction(executor, err));
    status = put_report(executor->store, event, err);
    if (status == STATUS_OK)
        return jobstore_commit(executor->store, err);
    jobstore_rollback(executor->store);
    return status;
}

void outbox_executor_say_notice(const struct outbox_executor *executor, const char *text)
{
    struct job_event event;
    struct error why;

    empty_event(JOB_NOTICE, &event);
    snprintf(event.message, sizeof event.message, "%s", text);
    if (executor->store && executor->journal) {
        store_call_begin(executor->call, loop_now_ms());
        if (store_report(executor, &event, &why) != STATUS_OK)
            log_warning("the session does not hear of it: %s", why.message);
        store_call_end(executor->call);
    }
    outbox_executor_say(executor, &event);
}

static enum status stage_rows(struct jobstore *store, struct slice bytes, struct error *err)
{
    struct byte_reader reader;
    struct message_model_row sent;
    struct rows_head head;

    memcpy(&head, bytes.data, sizeof head);
    reader = byte_reader_over((struct slice){bytes.data + sizeof head, bytes.size - sizeof head});
    if (head.first == 0) /* removes the pieces of an earlier master */
        TRY(jobstore_forget_staged_model(store, err));
    while (!reader_is_done(&reader) && message_next_model_row(&reader, &sent)) {
        const struct model_row row = {.part = sent.part,
                                      .name = sent.name,
                                      .position = sent.position,
                                      .has_value = sent.has_value,
                                      .value = sent.value,
                                      .has_data = sent.has_data,
                                      .data_is_text = sent.data_is_text,
                                      .data = sent.data};

        TRY(jobstore_stage_model_row(store, &row, err));
    }
    return STATUS_OK;
}

static enum status put_shard(struct jobstore *store, struct slice bytes, struct error *err)
{
    struct shard_head head;
    struct shard_row row;

    memcpy(&head, bytes.data, sizeof head);
    row = (struct shard_row){.lease = head.lease,
                             .first = head.first,
                             .count = head.count,
                             .worker = head.worker,
                             .state = (enum shard_state)head.state,
                             .results = {bytes.data + sizeof head, bytes.size - sizeof head}};
    return shardstore_put(store, &row, err);
}

static void log_event(const struct event_row *row)
{
    if (row->index >= 0)
        log_info("%s %lld %s: %s", row->role, (long long)row->index, row->event, row->detail);
    else
        log_info("%s: %s", row->event, row->detail);
}

static enum status put(struct jobstore *store, enum outbox_kind kind, struct slice bytes,
                       struct error *err)
{
    union {
        struct job_row job;
        struct worker_row worker;
        struct event_row event;
        struct metric_row metric;
        struct result_row result;
    } row;

    if (kind == OUTBOX_MODEL_ROWS)
        return stage_rows(store, bytes, err);
    if (kind == OUTBOX_MODEL)
        return jobstore_take_staged_model(store, err);
    if (kind == OUTBOX_SHARD)
        return put_shard(store, bytes, err);
    memcpy(&row, bytes.data, bytes.size < sizeof row ? bytes.size : sizeof row);
    switch (kind) {
    case OUTBOX_JOB:
        return jobstore_put_job(store, &row.job, err);
    case OUTBOX_WORKER:
        return jobstore_put_worker(store, row.worker.index, row.worker.state, row.worker.lanes,
                                   row.worker.rows_per_second, err);
    case OUTBOX_EVENT:
        log_event(&row.event);
        return jobstore_put_event(store, row.event.at_seconds, row.event.role, row.event.index,
                                  row.event.event, row.event.detail, err);
    case OUTBOX_METRIC:
        return jobstore_put_metric(store, row.metric.epoch, row.metric.step, row.metric.metric,
                                   row.metric.part, row.metric.value, err);
    case OUTBOX_RESULT:
        return jobstore_put_result(store, row.result.name, row.result.train, row.result.validation,
                                   err);
    default:
        return STATUS_OK;
    }
}

/* They are for people: the job goes on without them. */
static void log_events(struct outbox_executor *executor, const struct outbox *outbox)
{
    struct job_event notice;
    struct error why;

    error_clear(&why);
    if (event_log_put(&executor->events, outbox, &why) == STATUS_OK)
        return;
    event_log_close(&executor->events);
    log_warning("log.tensorboard: %s", why.message);
    empty_event(JOB_NOTICE, &notice);
    snprintf(notice.message, sizeof notice.message,
             "log.tensorboard: %.300s; the job goes on without", why.message);
    if (put_report(executor->store, &notice, &why) != STATUS_OK)
        log_warning("%s", why.message);
    outbox_executor_say(executor, &notice);
}

static const char *role_of(const struct outbox_executor *executor)
{
    return executor->role ? executor->role : "master";
}

static void reach(const struct outbox_executor *executor, enum fault_point point, uint64_t step)
{
    if (executor->fault.is_set)
        fault_reach(&executor->fault, point, role_of(executor), executor->index,
                    executor->incarnation, step);
}

/* Fails as SQLite does on a full disk, where a test demands it. */
static enum status find_room(const struct outbox_executor *executor, enum fault_point point,
                             uint64_t step, struct error *err)
{
    if (executor->fault.refuses && fault_is_reached(&executor->fault, point, role_of(executor),
                                                    executor->index, executor->incarnation, step))
        return fail(err, STATUS_IO, "the job's store: database or disk is full");
    return STATUS_OK;
}

/* Rows of an outbox, within a transaction. */
static enum status put_rows(struct outbox_executor *executor, const struct outbox *outbox,
                            struct error *err)
{
    struct job_event event;

    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];

        if (outbox_is_row(entry->kind))
            TRY(put(executor->store, entry->kind, outbox_bytes(outbox, entry), err));
        if (entry->kind != OUTBOX_REPORT || !executor->journal)
            continue;
        memcpy(&event, outbox_bytes(outbox, entry).data, sizeof event);
        TRY(put_report(executor->store, &event, err));
    }
    return STATUS_OK;
}

static enum status put_waiting_and_new(struct outbox_executor *executor,
                                       const struct outbox *outbox, struct error *err)
{
    TRY(find_room(executor, FAULT_RECORDS, executor->transactions++, err));
    if (waiting_rows_are_there(&executor->waiting))
        TRY(put_rows(executor, &executor->waiting.rows, err));
    return put_rows(executor, outbox, err);
}

/* The rows of one call, with those that wait, in one transaction. */
static enum status commit_rows(struct outbox_executor *executor, const struct outbox *outbox,
                               bool *are_logged, struct error *err)
{
    enum status status;

    TRY(begin_transaction(executor, err));
    status = put_waiting_and_new(executor, outbox, err);
    if (status == STATUS_OK) {
        log_events(executor, outbox);
        *are_logged = true;
        status = jobstore_commit(executor->store, err);
    }
    if (status != STATUS_OK)
        jobstore_rollback(executor->store);
    return status;
}

/* The job goes on without its records, and says so once. */
static enum status hold(struct outbox_executor *executor, const struct outbox *outbox,
                        struct error *err)
{
    static const char said[] = "the disk is full: the job goes on, and keeps its records in memory "
                               "until there is room";
    const bool is_first = !waiting_rows_are_there(&executor->waiting);

    if (is_first) {
        log_warning("%s (%s)", said, err->message);
        outbox_executor_say_notice(executor, said);
        (void)checkpoint_make_room(executor->store, NULL);
    }
    error_clear(err);
    return waiting_rows_take(&executor->waiting, outbox, err);
}

static bool has_rows(const struct outbox_executor *executor, const struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->count; i++)
        if (outbox_is_row(outbox->entries[i].kind) ||
            (outbox->entries[i].kind == OUTBOX_REPORT && executor->journal))
            return true;
    return false;
}

static enum status store_rows(struct outbox_executor *executor, const struct outbox *outbox,
                              struct error *err)
{
    bool are_logged = false;
    enum status status;

    if (!has_rows(executor, outbox))
        return STATUS_OK;
    status = commit_rows(executor, outbox, &are_logged, err);
    if (status == STATUS_IO && !executor->journal && waiting_rows_may_take(outbox)) {
        if (!are_logged)
            log_events(executor, outbox);
        return hold(executor, outbox, err);
    }
    if (status == STATUS_OK && waiting_rows_are_there(&executor->waiting)) {
        log_info("there is room for the job's records again");
        waiting_rows_close(&executor->waiting);
    }
    return status;
}

static enum status store_piece(struct outbox_executor *executor, uint64_t id, uint64_t position,
                               struct slice bytes, struct error *err)
{
    enum status status;

    if (executor->leaves_room)
        TRY(checkpoint_leave_room(executor->store, bytes.size, err));
    TRY(begin_transaction(executor, err));
    status = find_room(executor, FAULT_CHECKPOINT_PIECE, position, err);
    if (status == STATUS_OK)
        status = checkpoint_put_piece(executor->store, id, position, bytes, err);
    if (status == STATUS_OK)
        status = jobstore_commit(executor->store, err);
    else
        jobstore_rollback(executor->store);
    reach(executor, FAULT_CHECKPOINT_PIECE, position);
    return status;
}

static enum status finish(struct outbox_executor *executor, const struct checkpoint *checkpoint,
                          struct error *err)
{
    reach(executor, FAULT_CHECKPOINT_BEFORE, checkpoint->step);
    TRY(find_room(executor, FAULT_CHECKPOINT_BEFORE, checkpoint->step, err));
    TRY(jobstore_check_claim(executor->store, executor->incarnation, err));
    TRY(checkpoint_finish(executor->store, checkpoint, err));
    reach(executor, FAULT_CHECKPOINT_AFTER, checkpoint->step);
    return STATUS_OK;
}

/* Removes the steps and moves that every snapshot has: a snapshot's phase is the first step that it
 * lacks, and one more, its step the first move of rows. */
static void forget_steps(struct outbox_executor *executor)
{
    uint64_t phase, move;
    struct error why;

    error_clear(&why);
    checkpoint_oldest(executor->store, &phase, &move);
    if (phase > 0 && step_log_forget(executor->store, phase - 1, (uint32_t)move, &why) != STATUS_OK)
        log_warning("older steps stay in the log: %s", why.message);
}

static void note_outcome(struct outbox_executor *executor, uint64_t id, const struct error *why)
{
    executor->outcome = (struct checkpoint_outcome){.is_due = true, .id = id, .why = *why};
    if (why->status == STATUS_OK)
        return;
    log_warning("checkpoint: %s", why->message);
    executor->failed_id = id;
    (void)checkpoint_make_room(executor->store, NULL);
}

static enum status put_in_log(struct outbox_executor *executor, struct slice bytes,
                              struct error *err)
{
    enum status status;
    uint64_t number;

    memcpy(&number, bytes.data, sizeof number);
    bytes = (struct slice){bytes.data + sizeof number, bytes.size - sizeof number};
    TRY(begin_transaction(executor, err));
    status = step_log_put(executor->store, number, bytes, err);
    if (status == STATUS_OK)
        status = jobstore_check_journal(executor->store, err);
    if (status == STATUS_OK)
        return jobstore_commit(executor->store, err);
    jobstore_rollback(executor->store);
    return status;
}

/* Where an entry is missing, a later process can use neither those before it nor those behind. */
static void begin_gap(struct outbox_executor *executor, const struct error *why)
{
    log_warning("steps are not logged until the next snapshot: %s", why->message);
    executor->has_gap = true;
    (void)step_log_forget_all(executor->store, NULL);
}

/* Stores an entry in the log. A failed write costs a later process these steps; this one goes on. A
 * process that was replaced may not: nobody is to hear of a step that its successor does not
 * find. */
static enum status store_in_log(struct outbox_executor *executor, struct slice bytes,
                                struct error *err)
{
    enum status status;

    if (executor->has_gap)
        return jobstore_check_claim(executor->store, executor->incarnation, err);
    status = put_in_log(executor, bytes, err);
    if (status != STATUS_OK && status != STATUS_STALE)
        begin_gap(executor, err);
    return status;
}

/* Stores a part of a checkpoint. STALE is the only error here that fails the job. */
static enum status store_checkpoint(struct outbox_executor *executor, enum outbox_kind kind,
                                    struct slice bytes, struct error *err)
{
    struct piece_head head;
    struct checkpoint checkpoint;
    uint64_t id;
    struct error why;

    error_clear(&why);
    if (kind == OUTBOX_DROP) {
        if (checkpoint_drop(executor->store, &why) != STATUS_OK ||
            jobstore_forget_staged_model(executor->store, &why) != STATUS_OK ||
            shardstore_drop_results(executor->store, &why) != STATUS_OK ||
            (executor->logs_steps && step_log_forget_all(executor->store, &why) != STATUS_OK))
            log_warning("what the job does not need any more: %s", why.message);
    } else if (kind == OUTBOX_LOG) {
        (void)store_in_log(executor, bytes, &why);
    } else if (kind == OUTBOX_CLAIM) {
        if (jobstore_check_claim(executor->store, executor->incarnation, &why) == STATUS_OK)
            (void)jobstore_check_journal(executor->store, &why);
    } else if (kind == OUTBOX_KEEP) {
        memcpy(&id, bytes.data, sizeof id);
        if (checkpoint_keep(executor->store, id, &why) != STATUS_OK)
            log_warning("a damaged checkpoint: %s", why.message);
    } else if (kind == OUTBOX_PIECE) {
        memcpy(&head, bytes.data, sizeof head);
        bytes = (struct slice){bytes.data + sizeof head, bytes.size - sizeof head};
        if (head.id != executor->failed_id &&
            store_piece(executor, head.id, head.position, bytes, &why) != STATUS_OK)
            note_outcome(executor, head.id, &why);
    } else {
        memcpy(&checkpoint, bytes.data, sizeof checkpoint);
        if (checkpoint.id != executor->failed_id) {
            if (finish(executor, &checkpoint, &why) == STATUS_OK && executor->logs_steps)
                forget_steps(executor);
            note_outcome(executor, checkpoint.id, &why);
        }
    }
    if (why.status != STATUS_STALE)
        return STATUS_OK;
    if (err)
        *err = why;
    return STATUS_STALE;
}

static enum status store_checkpoints(struct outbox_executor *executor, const struct outbox *outbox,
                                     struct error *err)
{
    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];

        if (entry->kind == OUTBOX_PIECE || entry->kind == OUTBOX_FINISH ||
            entry->kind == OUTBOX_DROP || entry->kind == OUTBOX_KEEP || entry->kind == OUTBOX_LOG ||
            entry->kind == OUTBOX_CLAIM)
            TRY(store_checkpoint(executor, entry->kind, outbox_bytes(outbox, entry), err));
    }
    return STATUS_OK;
}

enum status outbox_executor_check_claim(const struct outbox_executor *executor, struct error *err)
{
    enum status status;

    store_call_begin(executor->call, loop_now_ms());
    status = jobstore_check_claim(executor->store, executor->incarnation, err);
    if (status == STATUS_OK)
        status = jobstore_check_journal(executor->store, err);
    store_call_end(executor->call);
    return status;
}

bool outbox_executor_has_ended(const struct outbox_executor *executor, struct job_row *row)
{
    struct error ignored;

    return executor->store && jobstore_get_job(executor->store, row, &ignored) == STATUS_OK &&
           job_state_has_ended(row->state);
}

void outbox_executor_say_ended(const struct outbox_executor *executor, const struct job_row *row,
                               struct error *failure)
{
    struct job_event event;

    error_clear(failure);
    if (row->state != JOB_STATE_DONE)
        fail(failure, row->state == JOB_STATE_CANCELLED ? STATUS_INTERRUPTED : STATUS_FAILED, "%s",
             row->error);
    empty_event(row->state == JOB_STATE_DONE ? JOB_DONE : JOB_FAILED, &event);
    event.step = event.steps = row->step;
    event.loss = row->loss;
    event.seconds = row->seconds;
    event.error = *failure;
    outbox_executor_say(executor, &event);
}

bool outbox_executor_take_outcome(struct outbox_executor *executor,
                                  struct checkpoint_outcome *outcome)
{
    *outcome = executor->outcome;
    executor->outcome.is_due = false;
    return outcome->is_due;
}

/* For each shard of which there are results: the step is its first row. */
static void reach_shards(const struct outbox_executor *executor, const struct outbox *outbox,
                         enum fault_point point)
{
    struct shard_head head;

    for (size_t i = 0; i < outbox->count; i++) {
        if (outbox->entries[i].kind != OUTBOX_SHARD)
            continue;
        memcpy(&head, outbox_bytes(outbox, &outbox->entries[i]).data, sizeof head);
        if (head.state == SHARD_DONE)
            reach(executor, point, head.first);
    }
}

/* The number of the first row of the model among them; -1: none. */
static int64_t model_row(const struct outbox *outbox)
{
    struct rows_head head;

    for (size_t i = 0; i < outbox->count; i++) {
        if (outbox->entries[i].kind != OUTBOX_MODEL_ROWS)
            continue;
        memcpy(&head, outbox_bytes(outbox, &outbox->entries[i]).data, sizeof head);
        return (int64_t)head.first;
    }
    return -1;
}

/* Is a row among them that ends the job? */
static bool ends_job(const struct outbox *outbox)
{
    struct job_row row;

    for (size_t i = 0; i < outbox->count; i++) {
        if (outbox->entries[i].kind != OUTBOX_JOB)
            continue;
        memcpy(&row, outbox_bytes(outbox, &outbox->entries[i]).data, sizeof row);
        if (job_state_has_ended(row.state))
            return true;
    }
    return false;
}

static void reach_before(const struct outbox_executor *executor, const struct outbox *outbox)
{
    reach_shards(executor, outbox, FAULT_SHARD_BEFORE);
    if (ends_job(outbox))
        reach(executor, FAULT_END_BEFORE, 0);
}

static void reach_after(const struct outbox_executor *executor, const struct outbox *outbox)
{
    const int64_t row = model_row(outbox);

    reach_shards(executor, outbox, FAULT_SHARD_AFTER);
    if (row >= 0)
        reach(executor, FAULT_MODEL_STORED, (uint64_t)row);
    if (ends_job(outbox))
        reach(executor, FAULT_END_STORED, 0);
}

static enum status store_all(struct outbox_executor *executor, const struct outbox *outbox,
                             struct error *err)
{
    if (executor->fault.is_set)
        reach_before(executor, outbox);
    TRY(store_rows(executor, outbox, err));
    if (executor->fault.is_set)
        reach_after(executor, outbox);
    return store_checkpoints(executor, outbox, err);
}

/* An action of the outbox that is none of the store, once the store has all of them. */
static void tell_launcher(const struct worker_actions *workers, const struct outbox *outbox,
                          const struct outbox_entry *entry)
{
    struct useful_workers useful;
    struct slow_worker slow;
    struct worker_row row;

    switch (entry->kind) {
    case OUTBOX_REPLACE:
        workers->replace(workers->self, entry->index, entry->incarnation);
        break;
    case OUTBOX_KILLED_BY_ROWS:
        workers->killed_by_rows(workers->self, entry->index);
        break;
    case OUTBOX_LANES:
        workers->limit_lanes(workers->self, entry->index);
        break;
    case OUTBOX_USEFUL:
        memcpy(&useful, outbox_bytes(outbox, entry).data, sizeof useful);
        workers->limit_useful(workers->self, &useful);
        break;
    case OUTBOX_SLOW:
        memcpy(&slow, outbox_bytes(outbox, entry).data, sizeof slow);
        if (workers->note_slow)
            workers->note_slow(workers->self, &slow);
        break;
    case OUTBOX_SERVERS:
        if (workers->run_servers)
            workers->run_servers(workers->self, entry->servers.least, entry->servers.most,
                                 entry->servers.serving);
        break;
    case OUTBOX_WORKER:
        memcpy(&row, outbox_bytes(outbox, entry).data, sizeof row);
        workers->note_worker(workers->self, row.index, row.incarnation,
                             strcmp(row.state, "lost") != 0 && strcmp(row.state, "left") != 0 &&
                                 strcmp(row.state, "ended") != 0);
        break;
    default:
        break;
    }
}

enum status outbox_executor_perform(void *context, const struct outbox *outbox, struct error *err)
{
    struct outbox_executor *executor = context;
    struct job_event event;
    enum status status;

    store_call_begin(executor->call, loop_now_ms());
    status = store_all(executor, outbox, err);
    store_call_end(executor->call);
    if (status != STATUS_OK) {
        log_error("%s", err->message);
        if (err->status == STATUS_STALE || err->status == STATUS_CONNECTION)
            return err->status; /* the job is another's now, or will be */
        outbox_executor_say_failed(executor, err);
        return err->status;
    }
    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];

        if (entry->kind == OUTBOX_REPORT) {
            memcpy(&event, outbox_bytes(outbox, entry).data, sizeof event);
            outbox_executor_say(executor, &event);
        } else if (executor->workers) {
            tell_launcher(executor->workers, outbox, entry);
        }
    }
    return STATUS_OK;
}
