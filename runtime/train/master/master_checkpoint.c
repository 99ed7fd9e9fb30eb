#include "runtime/train/master/master_checkpoint.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/train/master/master_change.h"
#include "runtime/train/master/master_group.h"
#include "runtime/train/master/master_parts.h"
#include "runtime/train/master/master_record.h"

/* A checkpoint may take this share of the time. */
#define COST_SHARE 50
/* From a stored checkpoint to the word of it, times regroup_ms. */
#define STORE_PATIENCE 5

static void ask(struct master *master, uint32_t index, struct outbox *outbox)
{
    const struct writing *writing = &master->writing;
    struct message message = crew_message(&master->crew, MESSAGE_CHECKPOINT);

    message.checkpoint.id = writing->head.id;
    message.checkpoint.offset = writing->received;
    outbox_send(outbox, master->workers[index].member.peer, &message);
}

static void begin_writing(struct master *master, int64_t now_ms, uint32_t index,
                          struct outbox *outbox)
{
    master->writing = (struct writing){
        .is_active = true,
        .index = index,
        .begun_at = now_ms,
        .came_at = now_ms,
        .head = {.id = ((uint64_t)master->crew.options->incarnation << 32) | ++master->writings,
                 .job = master->crew.options->job,
                 .identity = master->options.identity},
    };
    ask(master, index, outbox);
}

/* All members have the same state; the one with the fewest lanes has most time. */
static uint32_t choose_writer(const struct master *master)
{
    const struct group *group = &master->group;
    uint32_t best = 0;

    for (uint32_t rank = 1; rank < group->count; rank++)
        if (group->members[rank].lane_count <= group->members[best].lane_count)
            best = rank;
    return group->members[best].index;
}

/* By the steps that rank 0 has reported. */
static bool is_due(const struct master *master, int64_t now_ms)
{
    const struct master_options *options = &master->options;

    if (options->checkpoint_steps > 0 && now_ms >= master->checkpoint_least_at &&
        master->progress.step >= master->stored.step + options->checkpoint_steps)
        return true;
    return options->checkpoint_ms > 0 && now_ms >= master->checkpoint_at;
}

void master_tick_checkpoint(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    if (master->crew.state != JOB_STATE_RUNNING || !master->has_met || master->old_epoch != 0 ||
        master->writing.is_active || !is_due(master, now_ms))
        return;
    begin_writing(master, now_ms, choose_writer(master), outbox);
}

/* ---- the last worker with the state hands it to the store ---- */

static bool is_kept_elsewhere(const struct master *master, uint32_t index)
{
    if (master->workers[index].phase <= master->stored.phase)
        return true; /* also the state of the beginning */
    for (uint32_t other = 0; other < master->crew.workers; other++) {
        const struct master_worker *worker = &master->workers[other];

        if (other != index && worker->member.peer != PEER_NONE && !worker->is_leaving &&
            worker->has_state)
            return true;
    }
    return false;
}

void master_store_then_release(struct master *master, int64_t now_ms, uint32_t index,
                               struct outbox *outbox)
{
    if (is_kept_elsewhere(master, index)) {
        master_release(master, now_ms, index, outbox);
        return;
    }
    master->workers[index].is_handing_back = true;
    if (!master->writing.is_active)
        begin_writing(master, now_ms, index, outbox);
}

bool master_is_taking_back(const struct master *master)
{
    for (uint32_t index = 0; index < master->crew.workers; index++)
        if (master->workers[index].is_handing_back)
            return true;
    return false;
}

/* Another leaving worker may have waited for this checkpoint: it is next, unless the store takes
 * nothing. */
static void end_writing(struct master *master, int64_t now_ms, bool store_works,
                        struct outbox *outbox)
{
    const int64_t pause = (master->writing.came_at - master->writing.begun_at) * COST_SHARE;
    bool any = false;

    master->writing.is_active = false;
    master->checkpoint_least_at = now_ms + pause;
    master->checkpoint_at =
        now_ms + (pause > master->options.checkpoint_ms ? pause : master->options.checkpoint_ms);
    for (uint32_t index = 0; index < master->crew.workers; index++) {
        if (!master->workers[index].is_handing_back)
            continue;
        any = true;
        if (store_works)
            master_store_then_release(master, now_ms, index, outbox);
        else
            master_release(master, now_ms, index, outbox);
    }
    /* A group that still works is waited for: its phase in flight counts. */
    if (any && !master_is_taking_back(master) && master->group.count == 0 && master->old_epoch == 0)
        master_regroup(master, now_ms, outbox);
}

static void fail_writing(struct master *master, int64_t now_ms, const char *why,
                         struct outbox *outbox)
{
    crew_put_event(&master->crew, now_ms, -1, "checkpoint_failed", outbox, "%s", why);
    if (!master->has_noticed_no_checkpoint)
        master_notice(
            master, now_ms, outbox,
            "no checkpoint can be made: %.300s; should all of the job's processes end, it "
            "goes on from step %" PRIu64,
            why, master->stored.step);
    master->has_noticed_no_checkpoint = true;
    end_writing(master, now_ms, false, outbox);
}

void master_abandon_writing(struct master *master, int64_t now_ms, const char *why,
                            struct outbox *outbox)
{
    crew_put_event(&master->crew, now_ms, -1, "checkpoint_failed", outbox, "%s", why);
    end_writing(master, now_ms, true, outbox);
}

/* Its process is gone, and the rest of its state with it. */
void master_lose_writer(struct master *master, int64_t now_ms, uint32_t index,
                        struct outbox *outbox)
{
    struct writing *writing = &master->writing;

    if (!writing->is_active || writing->index != index || writing->is_storing)
        return;
    end_writing(master, now_ms, true, outbox);
    master->checkpoint_at = now_ms;
}

static bool begins_well(struct master *master, int64_t now_ms,
                        const struct message_snapshot *snapshot, struct outbox *outbox)
{
    struct checkpoint *head = &master->writing.head;
    struct error err;

    error_clear(&err);
    head->phase = snapshot->phase;
    head->step = snapshot->step;
    head->rows_done = snapshot->rows_done;
    head->bytes = snapshot->total;
    head->piece_bytes = snapshot->bytes.size;
    if (snapshot->total == 0) {
        fail_writing(master, now_ms, "the state cannot be copied", outbox);
    } else if (head->phase <= master->stored.phase) {
        end_writing(master, now_ms, true, outbox); /* there is nothing newer */
    } else if (checkpoint_check(head, &err) != STATUS_OK) {
        fail_writing(master, now_ms, err.message, outbox);
    } else {
        return true;
    }
    return false;
}

void master_on_snapshot(struct master *master, int64_t now_ms, uint32_t index,
                        const struct message_snapshot *snapshot, struct outbox *outbox)
{
    struct writing *writing = &master->writing;
    uint64_t position;

    if (!writing->is_active || writing->is_storing || writing->index != index ||
        writing->head.id != snapshot->id)
        return; /* a piece of a checkpoint that was given up */
    if (snapshot->offset == 0 && writing->received == 0 &&
        !begins_well(master, now_ms, snapshot, outbox))
        return;
    position = writing->received / writing->head.piece_bytes;
    if (snapshot->offset != writing->received || snapshot->total != writing->head.bytes ||
        snapshot->bytes.size != checkpoint_piece_size(&writing->head, position)) {
        fail_writing(master, now_ms, "its pieces do not fit together", outbox);
        return;
    }
    writing->came_at = now_ms;
    outbox_put_piece(outbox, writing->head.id, position, snapshot->bytes);
    writing->received += snapshot->bytes.size;
    if (writing->received < writing->head.bytes) {
        ask(master, index, outbox);
        return;
    }
    writing->is_storing = true;
    outbox_put(outbox, OUTBOX_FINISH, &writing->head, sizeof writing->head);
}

void master_on_stored(struct master *master, int64_t now_ms, uint64_t id, const struct error *why,
                      struct outbox *outbox)
{
    const struct checkpoint *head = &master->writing.head;

    if (!master->writing.is_active || head->id != id || crew_has_ended(&master->crew))
        return;
    if (why->status != STATUS_OK) {
        fail_writing(master, now_ms, why->message, outbox);
        return;
    }
    if (master->stored.phase != 0)
        master->older = master->stored;
    master->stored = *head;
    master->has_noticed_no_checkpoint = false;
    crew_put_event(&master->crew, now_ms, -1, "checkpoint", outbox,
                   "step %" PRIu64 ", %" PRIu64 " bytes in %" PRId64 " ms", head->step, head->bytes,
                   master->writing.came_at - master->writing.begun_at);
    end_writing(master, now_ms, true, outbox);
}

/* ---- back ---- */

void master_say_refused(struct master *master, int64_t now_ms, const char *why,
                        struct outbox *outbox)
{
    crew_put_event(&master->crew, now_ms, -1, "checkpoint_refused", outbox, "%s", why);
    if (master->stored.phase != 0)
        master_notice(master, now_ms, outbox,
                      "a checkpoint is lost: %.300s; the job goes on from the one before, of step "
                      "%" PRIu64,
                      why, master->stored.step);
    else
        master_notice(master, now_ms, outbox,
                      "a checkpoint is lost: %.300s; the job starts from its beginning", why);
}

static void refuse_checkpoint(struct master *master, int64_t now_ms, const char *why,
                              struct outbox *outbox)
{
    master->stored = master->older;
    master->older = (struct checkpoint){.phase = 0};
    if (master->stored.phase == 0 && master->options.needs_checkpoint) {
        crew_put_event(&master->crew, now_ms, -1, "checkpoint_refused", outbox, "%s", why);
        outbox_put(outbox, OUTBOX_DROP, "", 0);
        outbox_end(outbox, STATUS_CORRUPT);
        return;
    }
    master_say_refused(master, now_ms, why, outbox);
    if (master->stored.phase != 0)
        outbox_put(outbox, OUTBOX_KEEP, &master->stored.id, sizeof master->stored.id);
    else
        outbox_put(outbox, OUTBOX_DROP, "", 0);
    master_regroup(master, now_ms, outbox);
}

static void send_piece(struct master *master, int64_t now_ms, uint32_t index,
                       const struct message *request, struct outbox *outbox)
{
    const uint64_t offset = request->state_request.offset;
    struct message message = {
        .type = MESSAGE_STATE, .job = master->crew.options->job, .epoch = request->epoch};
    struct text piece;
    enum status status;
    struct error err;

    text_init(&piece, CHECKPOINT_PIECE_BYTES_MAX);
    error_clear(&err);
    status = master->options.store.read_piece(master->options.store.context, &master->stored,
                                              offset / master->stored.piece_bytes, &piece, &err);
    if (status == STATUS_NOT_FOUND && master->writing.is_storing) {
        /* The next sender is there already, and its message is on the way. */
        master->regroup_at = now_ms + master->options.regroup_ms * STORE_PATIENCE;
    } else if (status != STATUS_OK) {
        refuse_checkpoint(master, now_ms, err.message, outbox);
    } else {
        message.state = (struct message_state){master->stored.phase, master->stored.bytes, offset,
                                               text_slice(&piece)};
        outbox_send(outbox, master->workers[index].member.peer, &message);
    }
    text_deinit(&piece);
}

void master_on_state_request(struct master *master, int64_t now_ms, uint32_t index,
                             const struct message *message, struct outbox *outbox)
{
    const uint64_t offset = message->state_request.offset;
    const struct checkpoint *stored = &master->stored;

    if (!master_is_reporter(master, index, message->epoch))
        return; /* a report of an earlier group */
    if (message->state_request.phase != stored->phase) {
        master_regroup(master, now_ms, outbox); /* there is another one by now */
        return;
    }
    if (offset >= stored->bytes || offset % stored->piece_bytes != 0) {
        master_lose(master, now_ms, index, "broke the protocol", outbox);
        return;
    }
    if (offset == 0)
        crew_put_event(&master->crew, now_ms, index, "restored", outbox,
                       "from the checkpoint of step %" PRIu64, stored->step);
    send_piece(master, now_ms, index, message, outbox);
}

void master_on_state_refused(struct master *master, int64_t now_ms, uint32_t index,
                             const struct message *message, struct outbox *outbox)
{
    char why[256];

    if (!master_is_reporter(master, index, message->epoch) ||
        message->refusal.phase != master->stored.phase)
        return;
    snprintf(why, sizeof why, "%.*s", SLICE_FORMAT(message->refusal.reason));
    refuse_checkpoint(master, now_ms, why, outbox);
}
