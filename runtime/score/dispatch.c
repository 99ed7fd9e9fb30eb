#include "runtime/score/dispatch.h"

#include <stdlib.h>

#include "runtime/score/dispatch_leases.h"
#include "runtime/score/dispatch_parts.h"
#include "runtime/score/dispatch_record.h"

#define INDEX_NONE     UINT32_MAX
#define SETTLING_LEASE (1u << 31) /* no shard has so many leases */
/* It is one long piece of work, which a second worker would do as a whole. */
#define SETTLING_BACKUP_MS 120000

/* The job goes on where the master before left it. */
static void continue_books(struct dispatch *dispatch, const struct job_row *row)
{
    dispatch->started_at -= (int64_t)(row->seconds * 1000);
    dispatch->waited_ms = (int64_t)(row->seconds_waiting * 1000);
    dispatch->rows_redone = row->rows_redone;
    usage_continue(&dispatch->usage, row->slot_seconds, row->goodput, row->rows_done);
}

static uint64_t count_settled(const struct dispatch_options *options)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < options->settled_count; i++)
        rows += options->settled[i].count;
    return rows;
}

static enum status open_ledger(struct dispatch *dispatch, uint64_t first_lease, struct error *err)
{
    const struct dispatch_options *options = &dispatch->options;
    const uint64_t rows = options->rows - (options->stages && !dispatch->settles);
    const struct ledger_options ledger = {.rows = rows,
                                          .shard_rows = options->shard_rows,
                                          .workers_max = options->max_workers,
                                          .leases_per_worker = options->leases_per_worker,
                                          .suspects_max = LEDGER_SUSPECTS_MAX,
                                          .first_lease = first_lease,
                                          .backup_ms = dispatch->settles ? SETTLING_BACKUP_MS
                                                                         : options->backup_ms,
                                          .settled = options->settled,
                                          .settled_count = options->settled_count};

    return rows > 0 ? ledger_new(&ledger, &dispatch->ledger, err) : STATUS_OK;
}

/* Every shard is staged. Leases that are still out are refused: they are none of this ledger's. */
static enum status begin_settling(struct dispatch *dispatch, struct error *err)
{
    const uint64_t shards = dispatch->options.rows - 1;
    const struct settled_rows all = {.first = 0, .count = shards};

    ledger_free(dispatch->ledger);
    dispatch->ledger = NULL;
    dispatch->settles = true;
    dispatch->options.settled = &all;
    dispatch->options.settled_count = shards > 0;
    TRY(open_ledger(dispatch, dispatch->epoch + SETTLING_LEASE, err));
    dispatch->options.settled = NULL;
    dispatch->options.settled_count = 0;
    return STATUS_OK;
}

enum status dispatch_init(struct dispatch *dispatch, const struct dispatch_options *options,
                          int64_t now_ms, struct outbox *outbox, struct error *err)
{
    *dispatch = (struct dispatch){
        .options = *options,
        .state = JOB_STATE_WAITING,
        .epoch = (uint64_t)options->incarnation << 32,
        .started_at = now_ms,
        .waiting_since = now_ms,
        .ticked_at = now_ms,
        .claim_at = LEDGER_NEVER,
        .reported_at = now_ms,
        .rate_at = now_ms,
        .wanted = options->max_workers,
    };
    usage_init(&dispatch->usage, now_ms);
    dispatch->workers = calloc(options->max_workers, sizeof *dispatch->workers);
    if (!dispatch->workers)
        return fail_no_memory(err);
    TRY(unable_init(&dispatch->unable, options->max_workers, options->dead_ms, err));
    dispatch->settles = options->stages && count_settled(options) + 1 >= options->rows;
    TRY(open_ledger(dispatch, dispatch->epoch + 1, err));
    dispatch->rate_rows = dispatch->rows_before = dispatch_rows_done(dispatch);
    if (options->facts.previous)
        continue_books(dispatch, options->facts.previous);
    dispatch_put_job(dispatch, now_ms, outbox);
    return STATUS_OK;
}

void dispatch_deinit(struct dispatch *dispatch)
{
    ledger_free(dispatch->ledger);
    free(dispatch->workers);
    unable_deinit(&dispatch->unable);
}

bool dispatch_has_ended(const struct dispatch *dispatch)
{
    return dispatch->state >= JOB_STATE_DONE;
}

static void send_last(const struct dispatch *dispatch, peer_id peer, enum message_type type,
                      struct outbox *outbox)
{
    struct message message = {.type = type, .job = dispatch->options.job, .epoch = dispatch->epoch};

    outbox_send(outbox, peer, &message);
    outbox_close(outbox, peer);
}

static void send_end(const struct dispatch *dispatch, peer_id peer, struct outbox *outbox)
{
    send_last(dispatch, peer, MESSAGE_END, outbox);
}

static void dismiss_workers(struct dispatch *dispatch, enum message_type type,
                            struct outbox *outbox)
{
    for (uint32_t index = 0; index < dispatch->options.max_workers; index++) {
        struct dispatch_worker *worker = &dispatch->workers[index];

        if (worker->peer != PEER_NONE)
            send_last(dispatch, worker->peer, type, outbox);
        worker->peer = PEER_NONE;
        worker->lease_count = 0;
    }
}

void dispatch_end_workers(struct dispatch *dispatch, struct outbox *outbox)
{
    dismiss_workers(dispatch, MESSAGE_END, outbox);
}

static void end(struct dispatch *dispatch, int64_t now_ms, enum job_state state,
                enum job_event_kind kind, struct outbox *outbox)
{
    dispatch_count_slots(dispatch, now_ms);
    dispatch->state = state;
    dispatch_put_job(dispatch, now_ms, outbox);
    for (uint32_t index = 0; index < dispatch->options.max_workers; index++) {
        if (!dispatch->workers[index].was_seen)
            continue;
        dispatch->workers[index].lease_count = 0;
        dispatch_put_worker(dispatch, index, "ended", outbox);
    }
    dispatch_end_workers(dispatch, outbox);
    dispatch->live = 0;
    if (state != JOB_STATE_DONE)
        outbox_put(outbox, OUTBOX_DROP, "", 0);
    dispatch_put_event(dispatch, now_ms, -1, job_state_name(state), outbox, "%s",
                       dispatch->failure.message);
    dispatch_report(dispatch, now_ms, kind, outbox);
    outbox_end(outbox, state == JOB_STATE_DONE ? STATUS_OK : dispatch->failure.status);
}

bool dispatch_is_staged(const struct dispatch *dispatch)
{
    return dispatch->options.stages && dispatch->state == JOB_STATE_DONE;
}

/* The job goes on: its end is not stored. */
static void be_staged(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    dispatch_put_job(dispatch, now_ms, outbox);
    dispatch_put_event(dispatch, now_ms, -1, "staged", outbox, "%llu shards",
                       (unsigned long long)dispatch->options.rows - 1);
    dispatch->state = JOB_STATE_DONE;
    dismiss_workers(dispatch, MESSAGE_STAGED, outbox);
    dispatch->live = 0;
}

void dispatch_finish(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    struct error err;

    if (!dispatch->options.stages) {
        end(dispatch, now_ms, JOB_STATE_DONE, JOB_DONE, outbox);
        return;
    }
    if (dispatch->settles) {
        be_staged(dispatch, now_ms, outbox);
        return;
    }
    error_clear(&err);
    if (begin_settling(dispatch, &err) != STATUS_OK)
        dispatch_fail(dispatch, now_ms, &err, outbox);
    else
        dispatch_serve_all(dispatch, now_ms, outbox);
}

void dispatch_fail(struct dispatch *dispatch, int64_t now_ms, const struct error *err,
                   struct outbox *outbox)
{
    if (dispatch_has_ended(dispatch))
        return;
    dispatch->failure = *err;
    end(dispatch, now_ms, JOB_STATE_FAILED, JOB_FAILED, outbox);
}

void dispatch_cancel(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    if (dispatch_has_ended(dispatch))
        return;
    error_clear(&dispatch->failure);
    fail(&dispatch->failure, STATUS_INTERRUPTED, "the job was cancelled");
    end(dispatch, now_ms, JOB_STATE_CANCELLED, JOB_FAILED, outbox);
}

void dispatch_leave(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    if (dispatch_has_ended(dispatch))
        return;
    dispatch_put_job(dispatch, now_ms, outbox);
    dispatch_put_event(dispatch, now_ms, -1, "leaving", outbox, "was asked to go");
    outbox_end(outbox, STATUS_OK);
}

void dispatch_want(struct dispatch *dispatch, int64_t now_ms, uint64_t version, uint32_t workers,
                   struct outbox *outbox)
{
    if (dispatch_has_ended(dispatch) || version < dispatch->wanted_version)
        return;
    if (workers != dispatch->wanted)
        dispatch_put_event(dispatch, now_ms, -1, "wanted", outbox, "%u workers", workers);
    dispatch->wanted_version = version;
    dispatch->wanted = workers;
}

static uint32_t find(const struct dispatch *dispatch, peer_id peer)
{
    for (uint32_t index = 0; index < dispatch->options.max_workers; index++)
        if (dispatch->workers[index].peer == peer && peer != PEER_NONE)
            return index;
    return INDEX_NONE;
}

/* It is not here any more. */
static void lose(struct dispatch *dispatch, int64_t now_ms, uint32_t index, const char *why,
                 struct outbox *outbox)
{
    struct dispatch_worker *worker = &dispatch->workers[index];

    dispatch_count_slots(dispatch, now_ms);
    outbox_close(outbox, worker->peer);
    worker->peer = PEER_NONE;
    dispatch->live--;
    unable_note_left(&dispatch->unable, index);
    dispatch_put_worker(dispatch, index, "lost", outbox);
    dispatch_put_event(dispatch, now_ms, index, "lost", outbox, "%s", why);
}

static void start_job(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    if (dispatch->state != JOB_STATE_WAITING || dispatch->live < dispatch->options.min_workers)
        return;
    dispatch->waited_ms += now_ms - dispatch->waiting_since;
    dispatch->rate_at = now_ms;
    dispatch->state = JOB_STATE_RUNNING;
    dispatch_put_job(dispatch, now_ms, outbox);
    if (!dispatch->ledger || ledger_is_finished(dispatch->ledger))
        dispatch_finish(dispatch, now_ms, outbox);
    else
        dispatch_serve_all(dispatch, now_ms, outbox);
}

/* Puts a newer incarnation in the place of one that had leases: it died over them. When staging,
 * the shard is not blamed: it cannot be made smaller, and hardly any causes a death. */
static void succeed(struct dispatch *dispatch, int64_t now_ms, uint32_t index, bool is_newer,
                    struct outbox *outbox)
{
    struct dispatch_worker *worker = &dispatch->workers[index];
    const bool has_died = is_newer && worker->lease_count > 0;

    if (worker->peer != PEER_NONE)
        lose(dispatch, now_ms, index, "its successor is here", outbox);
    dispatch_take_back(dispatch, now_ms, index,
                       is_newer && !dispatch->options.stages ? LEDGER_CRASHED : LEDGER_LOST,
                       outbox);
    if (has_died && dispatch->options.stages)
        dispatch_note_death(dispatch, now_ms, outbox);
}

static void admit(struct dispatch *dispatch, int64_t now_ms, peer_id from,
                  const struct message *message, struct outbox *outbox)
{
    const struct message_hello *hello = &message->hello;
    struct dispatch_worker *worker;

    if (message->epoch > dispatch->epoch) { /* a newer master has led it */
        outbox_end(outbox, STATUS_STALE);
        return;
    }
    if (hello->index >= dispatch->options.max_workers) {
        send_end(dispatch, from, outbox);
        return;
    }
    if (hello->is_staging != dispatch->options.stages) {
        outbox_close(outbox, from);
        return;
    }
    worker = &dispatch->workers[hello->index];
    if (hello->is_leaving || (worker->was_seen && hello->incarnation < worker->incarnation)) {
        send_end(dispatch, from, outbox);
        return;
    }
    if (worker->was_seen)
        succeed(dispatch, now_ms, hello->index, hello->incarnation > worker->incarnation, outbox);
    if (dispatch_has_ended(dispatch)) {
        send_end(dispatch, from, outbox);
        return;
    }
    worker->was_seen = true;
    worker->incarnation = hello->incarnation;
    worker->peer = from;
    worker->heard_at = now_ms;
    dispatch_count_slots(dispatch, now_ms);
    unable_note_joined(&dispatch->unable, hello->index, hello->incarnation);
    dispatch->live++;
    dispatch_put_worker(dispatch, hello->index, dispatch->options.stages ? "staging" : "scoring",
                        outbox);
    dispatch_put_event(dispatch, now_ms, hello->index, "joined", outbox, "incarnation %u",
                       hello->incarnation);
    if (dispatch->state == JOB_STATE_WAITING)
        start_job(dispatch, now_ms, outbox);
    else
        dispatch_serve(dispatch, now_ms, hello->index, outbox);
}

static void on_leaving(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                       struct outbox *outbox)
{
    send_end(dispatch, dispatch->workers[index].peer, outbox);
    lose(dispatch, now_ms, index, "was asked to go", outbox);
    dispatch_take_back(dispatch, now_ms, index, LEDGER_LOST, outbox);
}

static void on_failed(struct dispatch *dispatch, int64_t now_ms,
                      const struct message_failure *failure, struct outbox *outbox)
{
    struct error err;

    error_restore(&err, failure->status, failure->message, failure->hint);
    dispatch_fail(dispatch, now_ms, &err, outbox);
}

static void on_worker_message(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                              const struct message *message, struct outbox *outbox)
{
    dispatch->workers[index].heard_at = now_ms;
    switch (message->type) {
    case MESSAGE_PHASE_ALIVE:
        break;
    case MESSAGE_SCORED:
        if (message->epoch == dispatch->epoch)
            dispatch_on_scored(dispatch, now_ms, index, &message->scored, outbox);
        break;
    case MESSAGE_LEAVING:
        on_leaving(dispatch, now_ms, index, outbox);
        break;
    case MESSAGE_FAILED:
        on_failed(dispatch, now_ms, &message->failure, outbox);
        break;
    default:
        lose(dispatch, now_ms, index, "broke the protocol", outbox);
        dispatch_take_back(dispatch, now_ms, index, LEDGER_LOST, outbox);
        break;
    }
}

/* The trouble of one worker: its launcher starts it again, the others do not wait for it. */
static void on_unable(struct dispatch *dispatch, int64_t now_ms, peer_id from,
                      const struct message_unable *unable, struct outbox *outbox)
{
    const uint32_t here = find(dispatch, from);
    const bool was_at_work = here != INDEX_NONE && here == unable->index;

    if (unable_is_stale(&dispatch->unable, unable, was_at_work)) {
        send_end(dispatch, from, outbox);
        return;
    }
    if (!unable_note(&dispatch->unable, unable, was_at_work)) {
        outbox_close(outbox, from);
        return;
    }
    dispatch_put_event(dispatch, now_ms, unable->index, "unable", outbox, "%s",
                       dispatch->unable.last.message);
    send_end(dispatch, from, outbox);
    if (here != INDEX_NONE) {
        lose(dispatch, now_ms, here, "cannot go on", outbox);
        dispatch_take_back(dispatch, now_ms, here, LEDGER_LOST, outbox);
    }
    if (dispatch_has_ended(dispatch))
        return;
    if ((was_at_work && unable_all_fail_at_work(&dispatch->unable)) ||
        unable_is_for_good(&dispatch->unable, now_ms, dispatch->wanted))
        dispatch_fail(dispatch, now_ms, &dispatch->unable.last, outbox);
}

void dispatch_on_message(struct dispatch *dispatch, int64_t now_ms, peer_id from,
                         const struct message *message, struct outbox *outbox)
{
    const uint32_t index = find(dispatch, from);

    /* A worker that stages sends PROCESS_ALIVE already; only the master that follows needs it. */
    if (message->type == MESSAGE_PROCESS_ALIVE && dispatch->options.stages)
        return;
    if (message->job != dispatch->options.job || message->type == MESSAGE_PROCESS_ALIVE) {
        outbox_close(outbox, from);
        return;
    }
    if (dispatch_has_ended(dispatch))
        send_end(dispatch, from, outbox);
    else if (message->type == MESSAGE_UNABLE)
        on_unable(dispatch, now_ms, from, &message->unable, outbox);
    else if (message->type == MESSAGE_HELLO && index == INDEX_NONE)
        admit(dispatch, now_ms, from, message, outbox);
    else if (index == INDEX_NONE)
        outbox_close(outbox, from); /* declared dead, or unknown */
    else
        on_worker_message(dispatch, now_ms, index, message, outbox);
}

void dispatch_on_disconnect(struct dispatch *dispatch, int64_t now_ms, peer_id peer,
                            struct outbox *outbox)
{
    const uint32_t index = find(dispatch, peer);

    if (index == INDEX_NONE || dispatch_has_ended(dispatch))
        return;
    lose(dispatch, now_ms, index, "closed its connection", outbox);
    dispatch->workers[index].is_missed = dispatch->workers[index].lease_count > 0;
    dispatch->workers[index].missed_at = now_ms;
}

static void check_worker(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                         struct outbox *outbox)
{
    struct dispatch_worker *worker = &dispatch->workers[index];
    const int64_t patience = dispatch->options.dead_ms;

    if (worker->is_missed && now_ms - worker->missed_at >= dispatch->options.missed_ms) {
        dispatch_take_back(dispatch, now_ms, index, LEDGER_LOST, outbox);
    } else if (worker->peer != PEER_NONE && patience > 0 && now_ms - worker->heard_at >= patience) {
        outbox_replace(outbox, index, worker->incarnation);
        lose(dispatch, now_ms, index, "was silent", outbox);
        dispatch_take_back(dispatch, now_ms, index, LEDGER_LOST, outbox);
    }
}

/* A pause of the dispatcher itself is not counted as silence of the scorers. */
static void add_pause(struct dispatch *dispatch, int64_t now_ms)
{
    const int64_t pause = now_ms - dispatch->ticked_at;

    dispatch->ticked_at = now_ms;
    if (dispatch->options.dead_ms == 0 || pause <= dispatch->options.dead_ms / 2)
        return;
    for (uint32_t index = 0; index < dispatch->options.max_workers; index++) {
        dispatch->workers[index].heard_at += pause;
        dispatch->workers[index].missed_at += pause;
    }
}

void dispatch_on_tick(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    add_pause(dispatch, now_ms);
    for (uint32_t index = 0; index < dispatch->options.max_workers; index++)
        if (!dispatch_has_ended(dispatch))
            check_worker(dispatch, now_ms, index, outbox);
    if (dispatch->state != JOB_STATE_RUNNING)
        return;
    if (now_ms >= dispatch->claim_at)
        dispatch_serve_all(dispatch, now_ms, outbox);
    dispatch_note_progress(dispatch, now_ms, outbox);
}
