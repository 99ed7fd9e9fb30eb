#include "runtime/train/worker/worker_switch.h"

#include "runtime/train/worker/worker_damage.h"
#include "runtime/train/worker/worker_group.h"
#include "runtime/train/worker/worker_parts.h"
#include "runtime/train/worker/worker_phase.h"
#include "runtime/train/worker/worker_state.h"

static bool is_in_a_group(const struct worker *worker)
{
    switch (worker->state) {
    case WORKER_MEETING:
    case WORKER_FETCHING:
    case WORKER_COMPUTING:
    case WORKER_EXCHANGING:
        return true;
    case WORKER_FINISHED: /* no phase is in flight, but others may be behind */
        return worker_owes_state(worker);
    default:
        return false;
    }
}

static void say(const struct worker *worker, enum message_type type, struct outbox *outbox)
{
    struct message message = worker_message(worker, type);

    message.at_phase.phase = worker->learner->phase.number;
    outbox_send(outbox, worker->master, &message);
}

/* It has left the old group and is in no new one: GROUP or END follows. */
static void be_free(struct worker *worker, struct outbox *outbox)
{
    worker_abandon_phase(worker);
    worker_leave_group(worker, outbox);
    worker->state = WORKER_JOINING;
    if (worker_verify_all(worker, outbox)) /* a worker that leaves is not asked again */
        say(worker, MESSAGE_DRAINED, outbox);
}

void worker_switch(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    struct text frame = worker->next_group;
    struct message message;

    text_init(&worker->next_group, FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX);
    worker->state = WORKER_JOINING; /* the phase in flight is applied */
    if (frame.size > 0 && message_read(text_slice(&frame), &message, NULL) == STATUS_OK)
        worker_join_group(worker, now_ms, &message, outbox);
    else
        be_free(worker, outbox);
    text_deinit(&frame);
}

/* GROUP and SWITCH overtake each other's effects: the SUM that names the new
 * group may be here before GROUP is, or long after. */
void worker_on_group(struct worker *worker, int64_t now_ms, const struct message *message,
                     struct outbox *outbox)
{
    struct error err;

    if (message->group.after == 0 || message->group.after != worker->group.epoch ||
        !is_in_a_group(worker)) {
        worker_join_group(worker, now_ms, message, outbox);
        return;
    }
    error_clear(&err);
    text_clear(&worker->next_group);
    if (message_write(message, &worker->next_group, &err) != STATUS_OK)
        worker_fail(worker, &err, outbox);
}

void worker_on_switch(struct worker *worker, int64_t now_ms, const struct message *message,
                      struct outbox *outbox)
{
    if (message->epoch != worker->group.epoch || worker->group.count == 0)
        return; /* a newer group came in between */
    worker->switch_asked = message->next_group.epoch;
    worker_go_if_finished(worker, now_ms, outbox);
}

bool worker_must_switch(const struct worker *worker)
{
    /* After the last phase no SUM is sent that could name the next group. */
    if (worker->state == WORKER_FINISHED)
        return worker->switch_asked != 0 || worker->next_group.size > 0;
    return worker->switch_epoch != 0;
}

/* A member sends these after it has received HELLO from all with which it exchanges sums; a SUM is
 * made of all PARTIALs. */
void worker_note_met(struct worker *worker, uint32_t rank, enum message_type type)
{
    worker->all_have_met |= type == MESSAGE_SUM;
    worker->peers[rank].has_met |= type == MESSAGE_PARTIAL || type == MESSAGE_CHECK;
}

/* A member that has what it needs of the last phase before a switch, or of the job's last phase,
 * leaves at once and closes its connections while others still wait for each other. In a finished
 * group rank 0 is still needed: only it can report that the group went nowhere else. A member that
 * is behind waits for this worker. So does one whose connection ended before it had this worker's
 * HELLO: it may have met no member, and the others would wait for it. */
bool worker_can_miss(const struct worker *worker, uint32_t rank)
{
    if (!worker->all_have_met && !worker->peers[rank].has_met)
        return false;
    if (worker->state == WORKER_FINISHED)
        return rank != 0 && !worker->peers[rank].is_owed_state &&
               (worker->group.rank != 0 || worker_has_check(worker, rank));
    return worker->state == WORKER_EXCHANGING && sums_is_through(&worker->sums, rank);
}

/* A finished worker other than rank 0 that owes no state has nothing that another one needs. */
bool worker_go_if_finished(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    if (worker->state != WORKER_FINISHED || worker_owes_state(worker))
        return false;
    if (worker_must_switch(worker))
        worker_switch(worker, now_ms, outbox);
    else if (worker->is_leaving && worker->group.rank != 0)
        be_free(worker, outbox);
    else
        return false;
    return true;
}

void worker_leave(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    if (worker->is_leaving || worker->state == WORKER_ENDED)
        return;
    worker->is_leaving = true;
    worker->leave_asked_at = now_ms;
    worker->was_alone = worker->options.alone_ms > 0 && worker->search.is_on &&
                        now_ms - worker->search.since >= WORKER_ALONE_MS;
    say(worker, MESSAGE_LEAVING, outbox);
    worker_go_if_finished(worker, now_ms, outbox);
}
