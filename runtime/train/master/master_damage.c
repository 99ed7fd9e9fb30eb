#include "runtime/train/master/master_damage.h"

#include <inttypes.h>

#include "runtime/train/master/master_checkpoint.h"
#include "runtime/train/master/master_group.h"
#include "runtime/train/master/master_parts.h"
#include "runtime/train/master/master_record.h"

#define TIES_MOST 3 /* at the same place: the workers do not compute the same */

static bool is_here(const struct master_worker *worker)
{
    return worker->member.peer != PEER_NONE;
}

static void drop_checkpoints(struct master *master, int64_t now_ms, uint64_t good,
                             struct outbox *outbox)
{
    struct writing *writing = &master->writing;
    /* A checkpoint without a piece has no phase yet; one that is being stored may exist already. */
    const bool is_bad =
        writing->is_active && (writing->received == 0 || writing->head.phase > good);
    const bool may_be_there = is_bad && writing->is_storing;

    if (master->stored.phase > good || may_be_there) {
        master->stored = (struct checkpoint){.phase = 0};
        outbox_put(outbox, OUTBOX_DROP, "", 0);
    }
    if (is_bad)
        master_abandon_writing(master, now_ms, "states were found to be bad", outbox);
}

/* The first group of this master is yet to come, and a difference may be of one before it. */
static uint64_t newest_epoch(const struct master *master)
{
    const uint64_t before = (uint64_t)master->crew.options->incarnation << 32;

    return master->group.epoch > before ? master->group.epoch : before;
}

/* `good`: UINT64_MAX when no state is; that of the beginning is made anew. */
static void give_up_states(struct master *master, int64_t now_ms, uint64_t good,
                           struct outbox *outbox)
{
    master->generation++;
    master->good = good;
    master->given_up_epoch = newest_epoch(master);
    master->model_next = 0; /* rows of a bad state may be among those that are stored */
    good = good == UINT64_MAX ? 0 : good;
    drop_checkpoints(master, now_ms, good, outbox);
    if (master->recorded_phase > good)
        master->recorded_phase = good;
    if (master->phase_most > good)
        master->phase_most = good;
    for (uint32_t index = 0; index < master->crew.workers; index++)
        if (master->workers[index].phase > good)
            master->workers[index].phase = good;
}

static void replace_damaged(struct master *master, int64_t now_ms, uint32_t index,
                            uint32_t incarnation, struct slice reason, struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[index];

    if (worker->replaced <= incarnation)
        worker->replaced = incarnation + 1;
    crew_put_event(&master->crew, now_ms, index, "damaged", outbox, "%.*s", SLICE_FORMAT(reason));
    master_notice(master, now_ms, outbox,
                  "worker %u was replaced: %.*s. What was computed since is computed again.", index,
                  SLICE_FORMAT(reason));
    outbox_replace(outbox, index, incarnation);
    if (is_here(worker) && worker->member.incarnation == incarnation)
        master_lose(master, now_ms, index, "its memory is damaged", outbox);
}

/* It is not known which of the states is right. */
static bool note_tie(struct master *master, int64_t now_ms, const struct message_damage *damage,
                     struct outbox *outbox)
{
    struct error err;
    const uint64_t good = damage->good == UINT64_MAX ? 0 : damage->good;

    master->ties = good <= master->tie_phase ? master->ties + 1 : 1;
    if (master->ties == 1)
        master->tie_phase = good;
    crew_put_event(&master->crew, now_ms, -1, "damaged", outbox, "%.*s",
                   SLICE_FORMAT(damage->reason));
    if (master->ties < TIES_MOST) {
        master_notice(master, now_ms, outbox, "%.*s: what was computed since is computed again.",
                      SLICE_FORMAT(damage->reason));
        return true;
    }
    error_clear(&err);
    fail(&err, STATUS_FAILED, "%.*s, each time that they were computed",
         SLICE_FORMAT(damage->reason));
    error_hint(&err, "All workers of a job must run the same program on machines that compute the "
                     "same; look at the memory of those that they run on.");
    crew_fail(&master->crew, now_ms, &err, outbox);
    return false;
}

static void fail_alone(struct master *master, int64_t now_ms, const struct message_damage *damage,
                       struct outbox *outbox)
{
    struct error err;

    error_clear(&err);
    fail(&err, STATUS_CORRUPT, "%.*s", SLICE_FORMAT(damage->reason));
    error_hint(&err, "Run it again. If it happens again, look at this machine's memory.");
    crew_fail(&master->crew, now_ms, &err, outbox);
}

bool master_is_new_word(struct master *master, uint32_t index, uint32_t incarnation)
{
    struct master_worker *worker = &master->workers[index];

    if (is_here(worker) && worker->member.incarnation == incarnation) {
        worker->replaced = incarnation + 1; /* and it will not be here any more */
        return true;
    }
    if (incarnation < worker->replaced ||
        (worker->member.was_seen && incarnation < worker->member.incarnation))
        return false;
    worker->replaced = incarnation + 1;
    return true;
}

/* The rank that a difference names, of the present group or of the one that works until that has
 * met. CREW_NONE: it has gone, or it was in a group before these. */
static uint32_t differing_member(const struct master *master, uint64_t epoch, uint32_t rank)
{
    uint32_t index;

    if (epoch == master->group.epoch)
        return rank < master->group.count ? master->group.members[rank].index : CREW_NONE;
    if (epoch != master->old_epoch || rank >= master->old_count)
        return CREW_NONE;
    index = master->old_members[rank];
    return master->workers[index].is_old_member ? index : CREW_NONE;
}

static void on_own_damage(struct master *master, int64_t now_ms,
                          const struct message_damage *damage, struct outbox *outbox)
{
    give_up_states(master, now_ms, damage->good, outbox);
    replace_damaged(master, now_ms, damage->index, damage->incarnation, damage->reason, outbox);
    if (!crew_has_ended(&master->crew))
        master_regroup(master, now_ms, outbox);
}

/* It may come from a past group, whose rank 0 had not received the next GROUP. The phase in which
 * the states were compared is never done, so the states of that group are those of the next. */
static void on_tie(struct master *master, int64_t now_ms, const struct message *message,
                   struct outbox *outbox)
{
    const struct message_damage *damage = &message->damage;
    const uint64_t given_up = master->good == UINT64_MAX ? 0 : master->good;
    const uint64_t good = damage->good == UINT64_MAX ? 0 : damage->good;

    /* Told again by a worker that has not heard of the group that was made of it. */
    if (message->epoch <= master->given_up_epoch && good >= given_up)
        return;
    give_up_states(master, now_ms, damage->good, outbox);
    if (note_tie(master, now_ms, damage, outbox))
        master_regroup(master, now_ms, outbox);
}

static void on_difference(struct master *master, int64_t now_ms, const struct message *message,
                          struct outbox *outbox)
{
    const struct message_damage *damage = &message->damage;
    const uint32_t index = differing_member(master, message->epoch, damage->rank);
    const struct master_worker *worker;

    if (index == CREW_NONE) {
        /* Rank 0 of the old group does not go on. */
        if (message->epoch == master->old_epoch && master->old_epoch != 0)
            master_regroup(master, now_ms, outbox);
        return;
    }
    /* A worker whose state differs may have bad rows as well, and is not trusted any more. */
    worker = &master->workers[index];
    give_up_states(master, now_ms,
                   worker->rows_good < damage->good ? worker->rows_good : damage->good, outbox);
    replace_damaged(master, now_ms, index, worker->member.incarnation, damage->reason, outbox);
    if (!crew_has_ended(&master->crew))
        master_regroup(master, now_ms, outbox);
}

void master_on_damaged(struct master *master, int64_t now_ms, const struct message *message,
                       struct outbox *outbox)
{
    const struct message_damage *damage = &message->damage;

    if (damage->index >= master->crew.workers)
        return;
    if (damage->is_own ? !master_is_new_word(master, damage->index, damage->incarnation)
                       : message->epoch > newest_epoch(master))
        return;
    if (master->crew.options->dead_ms == 0) /* in one process with its only worker */
        fail_alone(master, now_ms, damage, outbox);
    else if (damage->is_own)
        on_own_damage(master, now_ms, damage, outbox);
    else if (damage->rank == UINT32_MAX)
        on_tie(master, now_ms, message, outbox);
    else
        on_difference(master, now_ms, message, outbox);
}

/* ---- workers of another build or of other rows ---- */

bool master_is_unfit(const struct master_worker *worker)
{
    return worker->is_apart || worker->is_other;
}

static bool any_like_us(const struct master *master, uint32_t but)
{
    for (uint32_t index = 0; index < master->crew.workers; index++)
        if (index != but && is_here(&master->workers[index]) && !master->workers[index].is_other)
            return true;
    return false;
}

/* The last worker of a build has left: the build of the worker that came first is next. */
void master_choose_build(struct master *master)
{
    const struct master_worker *first = NULL;

    if (any_like_us(master, CREW_NONE))
        return;
    for (uint32_t index = 0; index < master->crew.workers; index++) {
        const struct master_worker *worker = &master->workers[index];

        if (is_here(worker) && (!first || worker->sequence < first->sequence))
            first = worker;
    }
    for (uint32_t index = 0; first && index < master->crew.workers; index++)
        master->workers[index].is_other = master->workers[index].build != first->build;
}

void master_note_build(struct master *master, int64_t now_ms, uint32_t index, uint64_t build,
                       struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[index];

    worker->build = build;
    worker->is_other = false;
    if (!any_like_us(master, index)) {
        master_choose_build(master);
        return;
    }
    for (uint32_t other = 0; other < master->crew.workers; other++)
        if (other != index && is_here(&master->workers[other]) &&
            !master->workers[other].is_other && master->workers[other].build != build)
            worker->is_other = true;
    if (!worker->is_other)
        return;
    crew_put_event(&master->crew, now_ms, index, "refused", outbox,
                   "it runs another build (%016" PRIx64 ") than the others: stands by", build);
    if (!master->has_noticed_build)
        master_notice(master, now_ms, outbox,
                      "worker %u runs another build of the program than the others, and stands by "
                      "while they are there.",
                      index);
    master->has_noticed_build = true;
}

/* False: its rows or its plan are not those of the others, and it is replaced; or the other one is,
 * when two workers agree against a single one. */
bool master_check_fingerprint(struct master *master, int64_t now_ms,
                              const struct message_hello *hello, struct outbox *outbox)
{
    if (!any_like_us(master, hello->index) || hello->fingerprint == master->fingerprint) {
        master->votes = hello->fingerprint == master->fingerprint ? master->votes + 1 : 1;
        master->fingerprint = hello->fingerprint;
        return true;
    }
    master->dissenting_votes =
        hello->fingerprint == master->dissent ? master->dissenting_votes + 1 : 1;
    master->dissent = hello->fingerprint;
    if (master->dissenting_votes <= master->votes) {
        crew_put_event(&master->crew, now_ms, hello->index, "refused", outbox,
                       "it has other rows or another plan than the others");
        outbox_replace(outbox, hello->index, hello->incarnation);
        return false;
    }
    give_up_states(master, now_ms, 0, outbox);
    for (uint32_t index = 0; index < master->crew.workers; index++)
        if (index != hello->index && is_here(&master->workers[index]))
            replace_damaged(master, now_ms, index, master->workers[index].member.incarnation,
                            SLICE("its rows are not those of the others"), outbox);
    master->fingerprint = master->dissent;
    master->votes = master->dissenting_votes;
    return true;
}

bool master_note_generation(struct master *master, int64_t now_ms, uint64_t generation,
                            struct outbox *outbox)
{
    if (generation <= master->generation)
        return false;
    master->generation = generation - 1;
    give_up_states(master, now_ms, 0, outbox);
    master->given_up_epoch = 0; /* workers that know of it have states since */
    return true;
}
