#include "runtime/train/master/master_group.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/share/share_curve.h"
#include "runtime/train/master/master_change.h"
#include "runtime/train/master/master_checkpoint.h"
#include "runtime/train/master/master_damage.h"
#include "runtime/train/master/master_lanes.h"
#include "runtime/train/master/master_pairs.h"
#include "runtime/train/master/master_parts.h"
#include "runtime/train/master/master_record.h"
#include "runtime/train/master/master_size.h"

#define GATHER_MOST 6 /* times gather_ms, all in all */

uint32_t master_rank(const struct master *master, uint32_t index)
{
    for (uint32_t rank = 0; rank < master->group.count; rank++)
        if (master->group.members[rank].index == index)
            return rank;
    return CREW_NONE;
}

static bool can_be_member(const struct master *master, const struct master_worker *worker,
                          bool with_leaving)
{
    if (worker->member.peer == PEER_NONE || master_is_unfit(worker))
        return false;
    /* A worker that has left the old group already has sent DRAINED, or is about to. */
    return !worker->is_leaving ||
           (with_leaving && (master->old_epoch == 0 || worker->is_old_member));
}

static uint32_t at_most(uint32_t number, uint32_t most)
{
    return number < most ? number : most;
}

struct candidate {
    uint64_t sequence;
    uint32_t index, place; /* place: its lanes' */
};

static int by_place_and_arrival(const void *a, const void *b)
{
    const struct candidate *first = a, *second = b;

    if (first->place != second->place)
        return first->place < second->place ? -1 : 1;
    return (first->sequence > second->sequence) - (first->sequence < second->sequence);
}

/* Workers that have lanes keep their order, so that they can keep their lanes; then those that came
 * first. So the lowest ranks have the state. More workers than lanes would have nothing to do; the
 * youngest of them stand by. */
static uint32_t choose_members(const struct master *master, bool with_leaving,
                               struct candidate *candidates)
{
    uint32_t count = 0;

    for (uint32_t index = 0; index < master->crew.workers; index++)
        if (can_be_member(master, &master->workers[index], with_leaving))
            candidates[count++] = (struct candidate){master->workers[index].sequence, index,
                                                     master->workers[index].lanes.first};
    qsort(candidates, count, sizeof *candidates, by_place_and_arrival);
    return at_most(count, master_size_most(master));
}

bool master_group_is_right(const struct master *master)
{
    uint32_t members = 0, able = 0;

    for (uint32_t index = 0; index < master->crew.workers; index++) {
        const struct master_worker *worker = &master->workers[index];

        if (worker->is_member &&
            (worker->member.peer == PEER_NONE || worker->is_leaving || master_is_unfit(worker)))
            return false;
        members += worker->is_member;
        able += worker->member.peer != PEER_NONE && !worker->is_leaving && !master_is_unfit(worker);
    }
    return !master->must_deal && members == at_most(able, master_size_most(master));
}

static enum status fill_group(struct master *master, bool with_leaving, struct error *err)
{
    struct candidate *candidates = calloc(master->crew.workers, sizeof *candidates);
    enum status status;
    uint32_t count;

    if (!candidates)
        return fail_no_memory(err);
    count = choose_members(master, with_leaving, candidates);
    status = group_resize(&master->group, count, err);
    for (uint32_t rank = 0; status == STATUS_OK && rank < count; rank++) {
        struct member *member = &master->group.members[rank];

        member->index = candidates[rank].index;
        memcpy(member->address, master->workers[member->index].address, sizeof member->address);
    }
    free(candidates);
    return status == STATUS_OK ? master_deal_lanes(master, err) : status;
}

static void send_group(const struct master *master, uint64_t after, struct outbox *outbox)
{
    const struct group *group = &master->group;
    struct message message = {
        .type = MESSAGE_GROUP, .job = master->crew.options->job, .epoch = group->epoch};
    struct text members;

    text_init(&members, FRAME_PAYLOAD_MAX);
    for (uint32_t rank = 0; rank < group->count; rank++) {
        const struct member *member = &group->members[rank];
        struct message_member encoded = {member->index, member->first_lane, member->lane_count,
                                         slice_of(member->address)};
        message_put_member(&members, &encoded);
    }
    message.group.member_count = group->count;
    message.group.recorded = master->recorded_phase;
    message.group.after = after;
    message.group.checkpoint = master->stored.phase;
    message.group.rows_redone = master->rows_redone;
    message.group.generation = master->generation;
    message.group.good = master->good;
    message.group.members = text_slice(&members);
    for (uint32_t rank = 0; rank < group->count; rank++) {
        const peer_id peer = master->workers[group->members[rank].index].member.peer;

        if (rank == 0)
            outbox_send(outbox, peer, &message);
        else
            outbox_send_again(outbox, peer);
    }
    if (members.failed)
        outbox->failed = true;
    text_deinit(&members);
}

static uint64_t next_epoch(struct master *master)
{
    return ((uint64_t)master->crew.options->incarnation << 32) | ++master->counter;
}

static void wait_for_workers(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    master->group.count = 0;
    for (uint32_t index = 0; index < master->crew.workers; index++)
        master->workers[index].is_member = false;
    if (master->crew.state == JOB_STATE_WAITING)
        return;
    master->crew.state = JOB_STATE_WAITING;
    master->crew.waiting_since = now_ms;
    master->first_joined_at = 0;
    crew_put_job(&master->crew, now_ms, outbox);
}

void master_dissolve_group(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    wait_for_workers(master, now_ms, outbox);
    master->crew.epoch = master->group.epoch = next_epoch(master);
}

/* How many workers the launcher tries to keep running: as many as are wanted and have lanes. */
static uint32_t expected_workers(const struct master *master)
{
    const uint32_t least = master->crew.options->min_workers;
    const uint32_t most = master->useful > 0 ? master->useful : master->lanes;
    const uint32_t useful = most > least ? most : least;

    return master->lanes > 0 ? at_most(master->crew.wanted, useful) : master->crew.wanted;
}

/* Workers that were launched together join one soon after another, and a step that the first begins
 * alone takes as long as all lanes: so a job that waited begins when all have joined, or when none
 * came for a moment. */
static bool is_gathering(const struct master *master, int64_t now_ms)
{
    const int64_t quiet = master->options.gather_ms;

    return master->crew.state == JOB_STATE_WAITING &&
           master->crew.live < expected_workers(master) && now_ms - master->joined_at < quiet &&
           now_ms - master->first_joined_at < GATHER_MOST * quiet;
}

static bool must_wait(const struct master *master, int64_t now_ms)
{
    if (master_count_able(master) < master->crew.options->min_workers || master->crew.live == 0 ||
        master_is_taking_back(master))
        return true;
    /* Workers of a restarted master hold the state; the first to come back
     * need not be one of them. */
    return master->crew.options->incarnation > 0 && !master->has_started &&
           master->crew.live < expected_workers(master) &&
           now_ms - master->woke_at < master->options.settle_ms;
}

/* One row for each member, and for each worker that began to stand by. */
static void note_members(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    for (uint32_t index = 0; index < master->crew.workers; index++)
        master->workers[index].is_member = false;
    for (uint32_t rank = 0; rank < master->group.count; rank++) {
        const struct member *member = &master->group.members[rank];
        struct master_worker *worker = &master->workers[member->index];

        worker->is_member = true;
        worker->is_standing_by = false;
        master_put_worker(master, member->index, member->lane_count > 0 ? "working" : "standing by",
                          member->lane_count, outbox);
    }
    for (uint32_t index = 0; index < master->crew.workers; index++) {
        struct master_worker *worker = &master->workers[index];

        if (worker->member.peer == PEER_NONE || worker->is_member || worker->is_standing_by)
            continue;
        worker->is_standing_by = true;
        master_put_worker(master, index, "standing by", 0, outbox);
    }
    crew_put_event(&master->crew, now_ms, -1, "group", outbox, "epoch %llu, %u workers, %u lanes",
                   (unsigned long long)master->group.epoch, master->group.count, master->lanes);
}

void master_make_group(struct master *master, int64_t now_ms, uint64_t after, bool with_leaving,
                       struct outbox *outbox)
{
    struct error err;

    error_clear(&err);
    master->crew.epoch = master->group.epoch = next_epoch(master);
    master->has_met = master->must_deal = false;
    master->has_done_phase = false;
    if (fill_group(master, with_leaving, &err) != STATUS_OK) {
        crew_fail(&master->crew, now_ms, &err, outbox);
        return;
    }
    if (master->crew.state == JOB_STATE_WAITING)
        master->crew.waited_ms += now_ms - master->crew.waiting_since;
    master->crew.state = JOB_STATE_RUNNING;
    send_group(master, after, outbox);
    note_members(master, now_ms, outbox);
    crew_put_job(&master->crew, now_ms, outbox);
    if (!master->has_started) {
        master->has_started = true;
        master->crew.rate_at = now_ms;
        crew_report(&master->crew, now_ms, JOB_STARTED, outbox);
    }
}

static bool anybody_is_leaving(const struct master *master)
{
    for (uint32_t index = 0; index < master->crew.workers; index++)
        if (master->workers[index].member.peer != PEER_NONE && master->workers[index].is_leaving)
            return true;
    return false;
}

void master_regroup(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    master->regroup_at = 0;
    master_forget_old_group(master);
    if (is_gathering(master, now_ms)) {
        master->regroup_at = master->joined_at + master->options.gather_ms;
        return;
    }
    if (must_wait(master, now_ms)) {
        wait_for_workers(master, now_ms, outbox);
        if (master_count_able(master) >= master->crew.options->min_workers &&
            master->crew.live > 0 && !master_is_taking_back(master))
            master->regroup_at = master->woke_at + master->options.settle_ms;
        return;
    }
    /* The workers that are leaving may be the only ones with the state. */
    master->must_change = anybody_is_leaving(master);
    master_note_lost_rows(master);
    master_make_group(master, now_ms, 0, true, outbox);
}

void master_lose(struct master *master, int64_t now_ms, uint32_t index, const char *why,
                 struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[index];
    uint32_t rank = master_rank(master, index);
    bool is_needed = rank != CREW_NONE || worker->is_old_member || worker->is_handing_back;

    master_size_on_change(master);
    outbox_close(outbox, worker->member.peer);
    crew_let_go(&master->crew, now_ms, index);
    worker->is_member = worker->is_old_member = worker->is_leaving = worker->has_state = false;
    worker->is_handing_back = false;
    master_lose_writer(master, now_ms, index, outbox);
    master_put_worker(master, index, "lost", 0, outbox);
    crew_put_event(&master->crew, now_ms, index, "left", outbox, "%s", why);
    master_choose_build(master);
    master_forget_pairs(master, now_ms, index, outbox);
    master_call_successor(master, index, outbox);
    if (!is_needed || (master->crew.state == JOB_STATE_PUBLISHING && rank != 0))
        return; /* no successor waits */
    /* When a node is lost many die at once: the first is answered at once, those
     * that follow together. */
    if (now_ms - master->lost_at < master->options.regroup_ms) {
        master->lost_epoch = master->group.epoch;
        if (master->regroup_at == 0)
            master->regroup_at = now_ms + master->options.regroup_ms;
        return;
    }
    master->lost_at = now_ms;
    master_regroup(master, now_ms, outbox);
}

static void let_wait(struct master *master, int64_t now_ms, peer_id from,
                     const struct message_hello *hello, struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[hello->index];

    if (hello->is_leaving) {
        crew_send_end(&master->crew, from, outbox);
        return;
    }
    if (worker->successor != PEER_NONE && worker->successor != from)
        outbox_close(outbox, worker->successor);
    if (worker->successor == PEER_NONE || worker->successor_incarnation != hello->incarnation)
        crew_put_event(&master->crew, now_ms, hello->index, "waits", outbox,
                       "incarnation %u, until %u has left", hello->incarnation,
                       worker->member.incarnation);
    worker->successor = from;
    worker->successor_incarnation = hello->incarnation;
}

/* Its connection is closed, so that it sends HELLO anew; its predecessor is fenced off. */
void master_call_successor(struct master *master, uint32_t index, struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[index];

    if (worker->successor == PEER_NONE)
        return;
    outbox_close(outbox, worker->successor);
    worker->successor = PEER_NONE;
    worker->member.incarnation = worker->successor_incarnation;
    worker->lanes = MASTER_NO_LANES;
}

uint32_t master_find_successor(const struct master *master, peer_id peer)
{
    for (uint32_t index = 0; index < master->crew.workers; index++)
        if (master->workers[index].successor == peer)
            return index;
    return CREW_NONE;
}

/* The one that is here already is replaced by a younger one of its index that has been in a
 * group, and by itself when it lost its connection and came back. */
static bool takes_its_place(struct master *master, int64_t now_ms, peer_id from,
                            const struct message_hello *hello, struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[hello->index];

    if ((worker->member.was_seen && hello->incarnation < worker->member.incarnation) ||
        hello->incarnation < worker->replaced) {
        crew_put_event(&master->crew, now_ms, hello->index, "refused", outbox,
                       "incarnation %u, there is a newer one", hello->incarnation);
        crew_send_end(&master->crew, from, outbox);
        return false;
    }
    if (worker->member.peer != PEER_NONE && worker->member.peer != from &&
        hello->incarnation > worker->member.incarnation && hello->phase == 0) {
        let_wait(master, now_ms, from, hello, outbox);
        return false;
    }
    if (worker->member.peer != PEER_NONE && worker->member.peer != from) {
        outbox_close(outbox, worker->member.peer);
        crew_let_go(&master->crew, now_ms, hello->index);
        worker->is_handing_back = false;
        master_lose_writer(master, now_ms, hello->index, outbox);
    }
    return true;
}

/* In an epoch of this master, also before its first group. */
static void send_staged(const struct master *master, peer_id peer, struct outbox *outbox)
{
    struct message message = {.type = MESSAGE_STAGED,
                              .job = master->crew.options->job,
                              .epoch = (uint64_t)master->crew.options->incarnation << 32};

    outbox_send(outbox, peer, &message);
    outbox_close(outbox, peer);
}

static bool check_hello(struct master *master, int64_t now_ms, peer_id from,
                        const struct message *message, struct outbox *outbox)
{
    const struct message_hello *hello = &message->hello;
    struct error err;

    error_clear(&err);
    if (hello->index >= master->crew.workers) {
        crew_send_end(&master->crew, from, outbox);
        return false;
    }
    if (hello->is_staging) { /* it has not heard that all rows are staged */
        send_staged(master, from, outbox);
        return false;
    }
    if (crew_is_followed(&master->crew, message->epoch, outbox)) {
        fail(&master->crew.failure, STATUS_STALE, "a newer master leads the job");
        master->crew.state = JOB_STATE_FAILED;
        return false;
    }
    if (hello->lanes == 0 || (master->lanes != 0 && hello->lanes != master->lanes)) {
        fail(&err, STATUS_FAILED, "worker %u counts %u lanes, the others %u", hello->index,
             hello->lanes, master->lanes);
        error_hint(&err, "All workers of a job must run the same build on the same rows.");
        crew_fail(&master->crew, now_ms, &err, outbox);
        return false;
    }
    return true;
}

/* The launcher stops workers that are of no use: those without lanes, and those without whom the
 * fullest worker has no lane more. A notice, once a job, tells the user what gives more. */
static void learn_lanes(struct master *master, int64_t now_ms, uint32_t lanes,
                        struct outbox *outbox)
{
    const struct share_curve stairs = {.lanes = lanes};
    const uint32_t workers = master->crew.workers;
    const uint32_t useful =
        share_curve_largest(&stairs, master->crew.options->min_workers, workers);

    master->lanes = lanes;
    master_size_open(master, now_ms);
    if (useful >= workers && lanes >= workers)
        return;
    outbox_lanes(outbox, useful < lanes ? useful : lanes);
    if (master->crew.options->facts.previous)
        return;
    master_notice(master, now_ms, outbox,
                  "%u of %u workers %s, since a step has %u lane%s: raise "
                  "train.batch_size or job.lanes",
                  useful < lanes ? useful : lanes, workers,
                  lanes < workers ? "can work" : "are as fast as all", lanes,
                  lanes == 1 ? "" : "s");
}

static bool has_lanes(const struct message_hello *hello)
{
    return hello->lane_count > 0 && hello->lane_count <= hello->lanes &&
           hello->first_lane <= hello->lanes - hello->lane_count;
}

void master_admit(struct master *master, int64_t now_ms, peer_id from,
                  const struct message *message, struct outbox *outbox)
{
    const struct message_hello *hello = &message->hello;
    struct master_worker *worker;
    uint32_t rank, known = crew_find(&master->crew, from);
    bool is_replaced, knows_more;

    if (known != CREW_NONE && known != hello->index) {
        master_lose(master, now_ms, known, "changed its index", outbox);
        return;
    }
    if (!check_hello(master, now_ms, from, message, outbox) ||
        !takes_its_place(master, now_ms, from, hello, outbox))
        return;
    if (!master_check_fingerprint(master, now_ms, hello, outbox)) {
        outbox_close(outbox, from);
        return;
    }
    master_size_on_change(master);
    worker = &master->workers[hello->index];
    rank = master_rank(master, hello->index);
    is_replaced = rank != CREW_NONE || worker->is_old_member;
    if (!worker->member.was_seen || worker->member.incarnation != hello->incarnation)
        worker->lanes = MASTER_NO_LANES;          /* another process has no row of them */
    if (!master->has_started && has_lanes(hello)) /* the master before knew */
        worker->lanes = (struct share){hello->first_lane, hello->lane_count};
    crew_take_in(&master->crew, now_ms, hello->index, hello->incarnation, from);
    worker->sequence = master->next_sequence++;
    master->joined_at = now_ms;
    if (master->first_joined_at == 0)
        master->first_joined_at = now_ms;
    master_forget_speed(worker);
    worker->try_at = worker->try_after_ms = 0;
    worker->is_tried = false;
    worker->is_standing_by = false;
    worker->is_leaving = hello->is_leaving;
    worker->has_state = hello->phase > 0;
    worker->phase = hello->phase;
    worker->has_worked = false;
    worker->apart_ms = 0;
    worker->rows_good = 0;
    memcpy(worker->address, hello->address.data, hello->address.size);
    worker->address[hello->address.size] = '\0';
    if (master->lanes == 0)
        learn_lanes(master, now_ms, hello->lanes, outbox);
    master->course = (struct learner_course){hello->round, hello->buckets > 0 ? hello->buckets : 1};
    crew_put_event(&master->crew, now_ms, hello->index, "joined", outbox,
                   "incarnation %u, phase %llu", hello->incarnation,
                   (unsigned long long)hello->phase);
    master_note_build(master, now_ms, hello->index, hello->build, outbox);
    knows_more = master_note_generation(master, now_ms, hello->generation, outbox);
    master_forget_pairs(master, now_ms, hello->index, outbox);
    /* A model that is being made does not need another hand; of a state that is given up none is
     * made. */
    if (master->crew.state == JOB_STATE_PUBLISHING && rank != 0 && !knows_more)
        master_put_worker(master, hello->index, "standing by", 0, outbox);
    else if (is_replaced || knows_more)
        master_regroup(master, now_ms, outbox);
    else if (hello->is_leaving && master->group.count > 0)
        master_on_leaving(master, now_ms, hello->index, outbox);
    else
        master_change_group(master, now_ms, outbox);
    if (rank == CREW_NONE && master->group.count == master->lanes && !worker->is_member) {
        worker->is_standing_by = true;
        master_put_worker(master, hello->index, "standing by", 0, outbox);
    }
}
