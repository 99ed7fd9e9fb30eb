#include "runtime/train/master/master.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/train/master/master_change.h"
#include "runtime/train/master/master_checkpoint.h"
#include "runtime/train/master/master_damage.h"
#include "runtime/train/master/master_group.h"
#include "runtime/train/master/master_lanes.h"
#include "runtime/train/master/master_pairs.h"
#include "runtime/train/master/master_parts.h"
#include "runtime/train/master/master_record.h"
#include "runtime/train/master/master_size.h"
#include "runtime/train/master/master_slow.h"

#define CHANGE_PATIENCE 25 /* times regroup_ms */

/* Times the longest time that a worker's work has stood still before; the time of one that uses the
 * processor, of one that is alone. */
#define HANG_USUAL     10
#define HANG_COMPUTING 10
#define HANG_ALONE     3

/* The job goes on where the master before left it. */
static void continue_steps(struct master *master, const struct job_row *row)
{
    master->progress.step = master->dealt_at_step = row->step;
    master->progress.rows_done = row->rows_done;
    master->rows_redone = row->rows_redone;
    master->loss = row->loss;
}

/* Checkpoints, and rows of a model that lie aside, are of no use when the job has ended. */
static void drop_states(void *leader, struct outbox *outbox)
{
    struct master *master = leader;

    if (master->stored.phase != 0 || master->writing.is_active || master->any_rows_aside)
        outbox_put(outbox, OUTBOX_DROP, "", 0);
    master->writing.is_active = false;
}

static void lose(void *leader, int64_t now_ms, uint32_t index, const char *why,
                 struct outbox *outbox)
{
    master_lose(leader, now_ms, index, why, outbox);
}

static void dismiss_successor(void *leader, uint32_t index, struct outbox *outbox)
{
    struct master *master = leader;
    struct master_worker *worker = &master->workers[index];

    if (worker->successor != PEER_NONE)
        crew_send_end(&master->crew, worker->successor, outbox);
    worker->successor = PEER_NONE;
}

static void note_unable(void *leader, int64_t now_ms, uint32_t index, bool was_at_work,
                        struct outbox *outbox)
{
    const struct master *master = leader;
    const struct unable *unable = &master->crew.unable;

    if (master->crew.live > was_at_work && unable->workers[index].tries == 1)
        master_notice(master, now_ms, outbox,
                      "worker %u cannot %s: %.400s; the job goes on without it, and it is tried "
                      "again",
                      index, was_at_work ? "go on" : "open its rows", unable->last.message);
}

static const struct crew_calls calls = {.member_bytes = sizeof(struct master_worker),
                                        .fill_row = master_fill_row,
                                        .fill_report = master_fill_report,
                                        .lose = lose,
                                        .end = drop_states,
                                        .dismiss = dismiss_successor,
                                        .note_unable = note_unable};

enum status master_init(struct master *master, const struct master_options *options, int64_t now_ms,
                        struct outbox *outbox, struct error *err)
{
    const struct job_row *previous = options->crew.facts.previous;
    const uint32_t workers = options->crew.max_workers;

    *master = (struct master){
        .options = *options,
        .woke_at = now_ms,
        .stored = options->checkpoint,
        .older = options->older,
        .checkpoint_at = now_ms + options->checkpoint_ms,
        .lost_at = INT64_MIN / 2,
        .has_rate_base = !previous,
        .useful = options->first,
        .loss = (double)NAN,
        .validation_loss = (double)NAN,
        .validation_score = (double)NAN,
    };
    TRY(crew_init(&master->crew, &master->options.crew, &calls, now_ms, err));
    master->workers = master->crew.members;
    master->pairs = calloc((size_t)workers * workers, sizeof *master->pairs);
    master->old_members = calloc(workers, sizeof *master->old_members);
    if (!master->pairs || !master->old_members)
        return fail_no_memory(err);
    if (previous)
        continue_steps(master, previous);
    crew_put_job(&master->crew, now_ms, outbox);
    if (options->refused.status != STATUS_OK)
        master_say_refused(master, now_ms, options->refused.message, outbox);
    return STATUS_OK;
}

void master_deinit(struct master *master)
{
    crew_deinit(&master->crew);
    free(master->pairs);
    free(master->old_members);
    group_deinit(&master->group);
}

/* ---- the finished model, from rank 0 into the store ---- */

/* Rows before model_next are stored. */
static void ask_for_rows(const struct master *master, uint32_t index, struct outbox *outbox)
{
    struct message message = crew_message(&master->crew, MESSAGE_MODEL_NEXT);

    message.model_next.row = master->model_next;
    outbox_send(outbox, master->workers[index].member.peer, &message);
}

/* A worker checks the state from which it made the model's rows after the last row. Where it was
 * lost before, its memory may have changed: the next sender begins with the first row. */
static void note_sender(struct master *master, uint32_t index)
{
    const struct model_sender next = {index, master->workers[index].member.incarnation};

    if (next.index != master->sender.index || next.incarnation != master->sender.incarnation)
        master->model_next = 0;
    master->sender = next;
}

static void on_publishing(struct master *master, int64_t now_ms, uint32_t index,
                          struct outbox *outbox)
{
    note_sender(master, index);
    master->crew.state = JOB_STATE_PUBLISHING;
    master->result_count = 0;
    crew_put_job(&master->crew, now_ms, outbox);
    ask_for_rows(master, index, outbox);
}

/* The next are asked for in the same outbox: that is, when these are stored. */
static void on_model_rows(struct master *master, uint32_t index,
                          const struct message_model_rows *rows, struct outbox *outbox)
{
    struct byte_reader reader = byte_reader_over(rows->rows);
    struct message_model_row row;

    if (rows->first != master->model_next)
        return;
    while (!reader_is_done(&reader) && message_next_model_row(&reader, &row))
        master->model_next++;
    master->any_rows_aside = true;
    outbox_put_rows(outbox, rows->first, rows->rows);
    ask_for_rows(master, index, outbox);
}

static void on_result(struct master *master, const struct message_result *result)
{
    struct result_row *row;

    if (master->result_count == LEARNER_METRICS_MAX)
        return;
    row = &master->results[master->result_count++];
    memset(row, 0, sizeof *row);
    slice_copy(result->name, row->name, sizeof row->name);
    row->train = result->train;
    row->validation = result->validation;
}

static void on_finished(struct master *master, int64_t now_ms, uint32_t index,
                        const struct message_finished *finished, struct outbox *outbox)
{
    if (finished->model_rows != master->model_next) {
        master_lose(master, now_ms, index, "has not sent all rows of the model", outbox);
        return;
    }
    for (size_t i = 0; i < master->result_count; i++)
        outbox_put(outbox, OUTBOX_RESULT, &master->results[i], sizeof master->results[i]);
    outbox_put(outbox, OUTBOX_MODEL, "", 0);
    snprintf(master->finished, sizeof master->finished, "digest %.*s, %llu rows",
             SLICE_FORMAT(finished->digest), (unsigned long long)finished->rows);
    crew_put_event(&master->crew, now_ms, -1, "model", outbox, "%s", master->finished);
    crew_end(&master->crew, now_ms, JOB_STATE_DONE, outbox);
}

static void on_lost(struct master *master, int64_t now_ms, uint32_t index,
                    const struct message *message, struct outbox *outbox)
{
    const struct master_worker *worker = &master->workers[index];
    bool is_old = message->epoch == master->old_epoch && master->old_epoch != 0;
    int64_t due;

    if (worker->is_leaving && !worker->is_member && !worker->is_old_member) {
        master_on_free(master, now_ms, index, message->epoch,
                       outbox); /* the others went on without it */
        return;
    }
    if (!is_old && (message->epoch != master->group.epoch || master->group.count == 0))
        return;
    crew_put_event(&master->crew, now_ms, index, "lost_peer", outbox, "rank %u",
                   message->peer_lost.rank);
    master_note_unreached(master, now_ms, index, message, outbox);
    /* When the peer is dead its own connection closes too, any moment now. In
     * a change of groups it may only have been faster. */
    due = now_ms +
          (is_old ? master->options.regroup_ms * CHANGE_PATIENCE : master_regroup_pause(master));
    if (master->regroup_at == 0 || due < master->regroup_at)
        master->regroup_at = due;
    if (message->epoch > master->lost_epoch) /* both groups may lose one */
        master->lost_epoch = message->epoch;
}

/* Messages that only rank 0 of the present group may send. */
static void on_reporter_message(struct master *master, int64_t now_ms, uint32_t index,
                                const struct message *message, struct outbox *outbox)
{
    switch (message->type) {
    case MESSAGE_GROUP_READY:
        master_on_met(master, now_ms, outbox);
        break;
    case MESSAGE_PROGRESS:
        master_note_phase_done(master, message->epoch, message->progress.phase);
        master_note_progress(master, now_ms, &message->progress, outbox);
        master_size_on_progress(master, now_ms, outbox);
        break;
    case MESSAGE_PUBLISHING:
        on_publishing(master, now_ms, index, outbox);
        break;
    case MESSAGE_MODEL_ROWS:
        on_model_rows(master, index, &message->model_rows, outbox);
        break;
    case MESSAGE_RESULT:
        on_result(master, &message->result);
        break;
    case MESSAGE_FINISHED:
        on_finished(master, now_ms, index, &message->finished, outbox);
        break;
    default:
        break;
    }
}

bool master_is_reporter(const struct master *master, uint32_t index, uint64_t epoch)
{
    if (epoch == master->group.epoch)
        return master_rank(master, index) == 0;
    return epoch == master->old_epoch && index == master->old_members[0];
}

/* The old group's rank 0 may still report steps, but not end the job: it ends with the
 * new group. */
static bool may_say(const struct master *master, uint32_t index, const struct message *message)
{
    return master_is_reporter(master, index, message->epoch) &&
           (message->epoch == master->group.epoch || message->type == MESSAGE_PROGRESS);
}

static void on_worker_message(struct master *master, int64_t now_ms, uint32_t index,
                              const struct message *message, struct outbox *outbox)
{
    switch (message->type) {
    case MESSAGE_PHASE_ALIVE:
        master->workers[index].phase = message->phase_alive.phase;
        master->workers[index].rows_good = message->phase_alive.rows_good;
        break;
    case MESSAGE_SNAPSHOT:
        master_on_snapshot(master, now_ms, index, &message->snapshot, outbox);
        break;
    case MESSAGE_STATE_REQUEST:
        master_on_state_request(master, now_ms, index, message, outbox);
        break;
    case MESSAGE_STATE_REFUSED:
        master_on_state_refused(master, now_ms, index, message, outbox);
        break;
    case MESSAGE_SPEED:
        if (message->epoch == master->group.epoch)
            master_on_speed(&master->workers[index], &message->speed);
        master_find_slow(master, now_ms, index, outbox);
        break;
    case MESSAGE_LEAVING:
        master->workers[index].phase = message->at_phase.phase;
        master_on_leaving(master, now_ms, index, outbox);
        break;
    case MESSAGE_DRAINED:
        master->workers[index].phase = message->at_phase.phase;
        master_on_free(master, now_ms, index, message->epoch, outbox);
        break;
    case MESSAGE_PEER_LOST:
        on_lost(master, now_ms, index, message, outbox);
        break;
    case MESSAGE_GROUP_READY:
    case MESSAGE_PROGRESS:
    case MESSAGE_PUBLISHING:
    case MESSAGE_MODEL_ROWS:
    case MESSAGE_RESULT:
    case MESSAGE_FINISHED:
        if (may_say(master, index, message))
            on_reporter_message(master, now_ms, index, message, outbox);
        break;
    default:
        master_lose(master, now_ms, index, "broke the protocol", outbox);
        break;
    }
}

/* Its process lives, and its work has stood still for many times as long as ever before. A worker
 * that uses the processor gets more time: it may be in a long piece of work that notes no progress.
 * So does one that works alone, as what it has learned would be lost with it. */
static bool hangs(const struct master *master, const struct message_process_alive *alive)
{
    int64_t patience = (int64_t)HANG_USUAL * alive->usual_ms;

    if (patience < master->options.hang_ms)
        patience = master->options.hang_ms;
    if (alive->is_computing)
        patience *= HANG_COMPUTING;
    if (master->group.count == 1)
        patience *= HANG_ALONE;
    return master->options.hang_ms > 0 && alive->still_ms >= patience;
}

static void replace_hanging(struct master *master, int64_t now_ms,
                            const struct message_process_alive *alive, struct outbox *outbox)
{
    crew_put_event(&master->crew, now_ms, alive->index, "hangs", outbox,
                   "its process lives, its work has stood still for %.1f s",
                   (double)alive->still_ms / 1000);
    outbox_replace(outbox, alive->index, alive->incarnation);
    if (master->workers[alive->index].member.peer != PEER_NONE &&
        master->workers[alive->index].member.incarnation == alive->incarnation)
        master_lose(master, now_ms, alive->index, "hangs", outbox);
}

/* A worker in the middle of a long piece of work cannot send PHASE_ALIVE, and one that hangs never
 * will; it may not even be here (any more). */
static void on_process_alive(struct master *master, int64_t now_ms,
                             const struct message_process_alive *alive, struct outbox *outbox)
{
    struct master_worker *worker;

    if (alive->index >= master->crew.workers)
        return;
    worker = &master->workers[alive->index];
    if (worker->member.peer != PEER_NONE && worker->member.incarnation == alive->incarnation)
        worker->member.heard_at = now_ms;
    else if (worker->member.was_seen && alive->incarnation < worker->member.incarnation)
        return;
    if (!hangs(master, alive) || !master_is_new_word(master, alive->index, alive->incarnation))
        return;
    replace_hanging(master, now_ms, alive, outbox);
}

/* From a worker that was declared dead, a peer that never sent HELLO, or a successor, which has
 * nothing to hand over when it is drained itself. */
static void on_message_of_nobody(struct master *master, peer_id from, const struct message *message,
                                 struct outbox *outbox)
{
    const uint32_t index = master_find_successor(master, from);

    if (message->type == MESSAGE_SERVER) { /* it came when all was learned */
        crew_send_end(&master->crew, from, outbox);
    } else if (index == CREW_NONE) {
        outbox_close(outbox, from);
    } else if (message->type == MESSAGE_LEAVING) {
        master->workers[index].successor = PEER_NONE;
        crew_send_end(&master->crew, from, outbox);
    }
}

void master_on_message(struct master *master, int64_t now_ms, peer_id from,
                       const struct message *message, struct outbox *outbox)
{
    /* PROCESS_ALIVE comes on a connection of its own. */
    uint32_t index =
        message->type == MESSAGE_PROCESS_ALIVE ? CREW_NONE : crew_find(&master->crew, from);

    crew_count_slots(&master->crew, now_ms);
    if (message->job != master->crew.options->job) {
        outbox_close(outbox, from);
        if (index != CREW_NONE)
            master_lose(master, now_ms, index, "speaks of another job", outbox);
    } else if (crew_has_ended(&master->crew)) {
        crew_send_end(&master->crew, from, outbox);
    } else if (message->type == MESSAGE_DAMAGED) {
        master_on_damaged(master, now_ms, message, outbox);
    } else if (message->type == MESSAGE_FAILED) {
        if (index != CREW_NONE)
            crew_put_event(&master->crew, now_ms, index, "failed", outbox, "%.*s",
                           SLICE_FORMAT(message->failure.message));
        crew_on_failed(&master->crew, now_ms, &message->failure, outbox);
    } else if (message->type == MESSAGE_UNABLE) {
        crew_on_unable(&master->crew, now_ms, from, &message->unable, outbox);
    } else if (message->type == MESSAGE_PROCESS_ALIVE) {
        unable_note_alive(&master->crew.unable, now_ms, message->process_alive.index,
                          message->process_alive.incarnation);
        on_process_alive(master, now_ms, &message->process_alive, outbox);
    } else if (message->type == MESSAGE_HELLO) {
        master_admit(master, now_ms, from, message, outbox);
    } else if (index == CREW_NONE) {
        on_message_of_nobody(master, from, message, outbox);
    } else {
        master->workers[index].member.heard_at = now_ms;
        on_worker_message(master, now_ms, index, message, outbox);
    }
}

void master_on_disconnect(struct master *master, int64_t now_ms, peer_id peer,
                          struct outbox *outbox)
{
    uint32_t index = crew_find(&master->crew, peer);

    crew_count_slots(&master->crew, now_ms);
    if (crew_has_ended(&master->crew))
        return;
    if (index != CREW_NONE)
        master_lose(master, now_ms, index, "closed its connection", outbox);
    else if ((index = master_find_successor(master, peer)) != CREW_NONE)
        master->workers[index].successor = PEER_NONE;
}

static void check_silence(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    for (uint32_t index = 0; index < master->crew.workers; index++) {
        /* Measuring the finished model is one long piece of work. */
        const bool publishes =
            master->crew.state == JOB_STATE_PUBLISHING && master_rank(master, index) == 0;
        const int64_t patience = master->crew.options->dead_ms;

        crew_check_silence(&master->crew, now_ms, index,
                           publishes && patience > 0 ? master->options.publish_ms : patience,
                           outbox);
    }
}

/* Tells the group that the job's time is over. The time includes earlier masters', and no staging.
 * Each group is told once: a phase that it does not finish is computed again by others. */
static void tell_time_is_over(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    const struct group *group = &master->group;
    const struct message message = {
        .type = MESSAGE_TIME_OVER, .job = master->crew.options->job, .epoch = group->epoch};

    if (master->options.learn_ms == 0 || master->crew.state != JOB_STATE_RUNNING ||
        !master->has_met ||
        now_ms - master->crew.started_at - master->crew.ms_before < master->options.learn_ms ||
        master->time_over_epoch == group->epoch)
        return;
    if (master->time_over_epoch == 0)
        crew_put_event(&master->crew, now_ms, -1, "time_over", outbox, "train.max_seconds");
    for (uint32_t rank = 0; rank < group->count; rank++) {
        const peer_id peer = master->workers[group->members[rank].index].member.peer;

        if (peer != PEER_NONE)
            outbox_send(outbox, peer, &message);
    }
    master->time_over_epoch = group->epoch;
}

void master_on_tick(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    crew_count_slots(&master->crew, now_ms);
    if (crew_has_ended(&master->crew))
        return;
    crew_note_pause(&master->crew, now_ms);
    check_silence(master, now_ms, outbox);
    if (unable_is_for_good(&master->crew.unable, now_ms, master->crew.wanted))
        crew_fail(&master->crew, now_ms, &master->crew.unable.last, outbox);
    if (crew_has_ended(&master->crew))
        return;
    if (master->regroup_at != 0 && now_ms >= master->regroup_at)
        master_regroup(master, now_ms, outbox);
    master_tick_drains(master, now_ms, outbox);
    master_tick_pairs(master, now_ms, outbox);
    master_balance(master, now_ms, outbox);
    master_tick_checkpoint(master, now_ms, outbox);
    tell_time_is_over(master, now_ms, outbox);
}
