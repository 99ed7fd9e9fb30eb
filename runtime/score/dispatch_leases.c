#include "runtime/score/dispatch_leases.h"
#include "runtime/data/store/shardstore.h"

#include "runtime/score/dispatch_parts.h"
#include "runtime/score/dispatch_record.h"

static void put_shard(const struct lease *lease, enum shard_state state, struct slice results,
                      struct outbox *outbox)
{
    const struct shard_head head = {.lease = lease->id,
                                    .first = lease->first,
                                    .count = lease->count,
                                    .worker = lease->worker,
                                    .state = (uint32_t)state};

    outbox_put_shard(outbox, &head, results);
}

static void put_end(const struct lease *lease, enum shard_state state, struct outbox *outbox)
{
    put_shard(lease, state, (struct slice){"", 0}, outbox);
}

static void give(struct dispatch *dispatch, int64_t now_ms, struct dispatch_worker *worker,
                 const struct lease *lease, struct outbox *outbox)
{
    struct message message = crew_message(&dispatch->crew, MESSAGE_LEASE);

    message.lease = (struct message_lease){
        .id = lease->id, .first = lease->first, .slot = lease->slot, .count = lease->count};
    if (worker->lease_count == 0)
        worker->busy_since = now_ms;
    worker->leases[worker->lease_count++] = *lease;
    put_end(lease, SHARD_LEASED, outbox);
    outbox_send(outbox, worker->member.peer, &message);
}

/* It still scores rows that another one has settled: its death now could not be blamed on a new
 * lease. */
static bool has_stale_lease(const struct dispatch *dispatch, const struct dispatch_worker *worker)
{
    for (uint32_t i = 0; i < worker->lease_count; i++)
        if (!ledger_holds(dispatch->ledger, worker->leases[i].worker, worker->leases[i].id,
                          worker->leases[i].slot))
            return true;
    return false;
}

void dispatch_serve(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                    struct outbox *outbox)
{
    struct dispatch_worker *worker = &dispatch->workers[index];
    int64_t retry_at = LEDGER_NEVER;
    struct lease lease;

    if (dispatch->crew.state != JOB_STATE_RUNNING || has_stale_lease(dispatch, worker))
        return;
    while (worker->member.peer != PEER_NONE &&
           worker->lease_count < dispatch->options.leases_per_worker) {
        if (ledger_claim(dispatch->ledger, index, now_ms, &lease, &retry_at) != LEDGER_LEASED)
            break;
        if (lease.is_backup)
            crew_put_event(&dispatch->crew, now_ms, index, "backup", outbox, "rows %llu to %llu",
                           (unsigned long long)lease.first + 1,
                           (unsigned long long)(lease.first + lease.count));
        give(dispatch, now_ms, worker, &lease, outbox);
    }
    if (retry_at < dispatch->claim_at)
        dispatch->claim_at = retry_at;
}

void dispatch_serve_all(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    dispatch->claim_at = LEDGER_NEVER;
    for (uint32_t index = 0; index < dispatch->crew.workers; index++)
        if (crew_is_here(&dispatch->crew, index))
            dispatch_serve(dispatch, now_ms, index, outbox);
}

/* The lease leaves the worker's list; false where it is not in it. */
static bool forget(struct dispatch_worker *worker, uint64_t id, struct lease *lease)
{
    uint32_t at = 0;

    while (at < worker->lease_count && worker->leases[at].id != id)
        at++;
    if (at == worker->lease_count)
        return false;
    *lease = worker->leases[at];
    worker->lease_count--;
    for (; at < worker->lease_count; at++)
        worker->leases[at] = worker->leases[at + 1];
    return true;
}

void dispatch_on_scored(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                        const struct message_scored *scored, struct outbox *outbox)
{
    struct dispatch_worker *worker = &dispatch->workers[index];
    const int64_t began_at = worker->busy_since;
    struct lease lease, own;

    if (!forget(worker, scored->id, &own)) {
        dispatch->stale++;
        return;
    }
    worker->busy_since = now_ms;
    if (ledger_complete(dispatch->ledger, index, scored->id, scored->slot, now_ms, &lease, NULL) !=
        STATUS_OK) {
        dispatch->stale++;
        dispatch->rows_redone += own.count;
        put_end(&own, SHARD_LATE, outbox);
    } else {
        dispatch->deaths = 0;
        unable_note_phase_done(&dispatch->crew.unable);
        usage_needed(&dispatch->crew.usage, (double)(now_ms - began_at), lease.count);
        put_shard(&lease, SHARD_DONE, scored->results, outbox);
    }
    if (ledger_is_finished(dispatch->ledger)) {
        dispatch_finish(dispatch, now_ms, outbox);
        return;
    }
    dispatch_serve(dispatch, now_ms, index, outbox);
    /* A suspect is only for a worker that has nothing else; what was slow may be settled now. */
    if (worker->lease_count < dispatch->options.leases_per_worker)
        dispatch_serve_all(dispatch, now_ms, outbox);
    dispatch_note_progress(dispatch, now_ms, outbox);
}

static void fail_over_row(struct dispatch *dispatch, int64_t now_ms, uint64_t row,
                          struct outbox *outbox)
{
    struct error err;

    error_clear(&err);
    fail(&err, STATUS_FAILED, "row %llu: each of %u workers that scored it alone died",
         (unsigned long long)row + 1, LEDGER_CRASHES_MAX);
    error_hint(&err, "Leave the row out. In PREDICT INTO a table predict.bad_rows = 'quarantine' "
                     "puts such rows aside.");
    crew_fail(&dispatch->crew, now_ms, &err, outbox);
}

void dispatch_note_death(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    struct error err;

    if (++dispatch->deaths <= DISPATCH_DEATHS_MAX)
        return;
    error_clear(&err);
    fail(&err, STATUS_FAILED, "%u workers died one after another, and no shard was done meanwhile",
         dispatch->deaths);
    crew_fail(&dispatch->crew, now_ms, &err, outbox);
}

static void note_crash(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                       const struct lease *blamed, enum ledger_outcome outcome,
                       struct outbox *outbox)
{
    const char *event = outcome == LEDGER_BAD      ? "bad_row"
                        : outcome == LEDGER_HALVED ? "halved"
                                                   : "suspected";

    outbox_killed_by_rows(outbox, index);
    crew_put_event(&dispatch->crew, now_ms, index, event, outbox, "died over rows %llu to %llu",
                   (unsigned long long)blamed->first + 1,
                   (unsigned long long)(blamed->first + blamed->count));
    if (outcome == LEDGER_BAD && !dispatch->options.keeps_bad_rows)
        fail_over_row(dispatch, now_ms, blamed->first, outbox);
    else
        dispatch_note_death(dispatch, now_ms, outbox);
}

static enum shard_state end_of(const struct lease *lease, const struct lease *blamed,
                               enum ledger_cause cause, enum ledger_outcome outcome)
{
    if (lease->id != blamed->id || cause != LEDGER_CRASHED)
        return SHARD_RETURNED;
    return outcome == LEDGER_BAD ? SHARD_BAD : SHARD_CRASHED;
}

void dispatch_take_back(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                        enum ledger_cause cause, struct outbox *outbox)
{
    struct dispatch_worker *worker = &dispatch->workers[index];
    enum ledger_outcome outcome;
    struct lease blamed;
    struct error err;

    worker->is_missed = false;
    if (worker->lease_count == 0)
        return;
    error_clear(&err);
    if (ledger_worker_gone(dispatch->ledger, index, cause, &blamed, &outcome, &err) != STATUS_OK) {
        crew_fail(&dispatch->crew, now_ms, &err, outbox);
        return;
    }
    for (uint32_t i = 0; i < worker->lease_count; i++)
        put_end(&worker->leases[i], end_of(&worker->leases[i], &blamed, cause, outcome), outbox);
    if (blamed.count > 0)
        dispatch->rows_redone += blamed.count;
    worker->lease_count = 0;
    if (cause == LEDGER_CRASHED && blamed.count > 0)
        note_crash(dispatch, now_ms, index, &blamed, outcome, outbox);
    if (crew_has_ended(&dispatch->crew))
        return;
    if (ledger_is_finished(dispatch->ledger))
        dispatch_finish(dispatch, now_ms, outbox);
    else
        dispatch_serve_all(dispatch, now_ms, outbox);
}
