#include "runtime/share/share_settle.h"

static bool may_move(const struct sharing *sharing, const struct share_job *job)
{
    return sharing->cluster->has_changed || !job->is_running ||
           job->seconds_since_move >= SHARE_REST_S;
}

static uint32_t now_of(const struct sharing *sharing, size_t index)
{
    return share_packing_workers(&sharing->packing, &sharing->jobs[index], index);
}

static int64_t surplus(const struct sharing *sharing, size_t index)
{
    const struct share_job *job = &sharing->jobs[index];

    return ((int64_t)now_of(sharing, index) - (int64_t)sharing->targets[index]) *
           job->worker.millis;
}

/* Up to `workers`, as far as there is room. */
static void keep(struct sharing *sharing, size_t index, uint32_t workers)
{
    const struct share_job *job = &sharing->jobs[index];
    uint32_t next = now_of(sharing, index);

    while ((next = sharing_next(job, next, workers)) != 0 &&
           share_packing_grow(&sharing->packing, job, index, next))
        ;
}

static int64_t wanted_surplus(const struct sharing *sharing, size_t index)
{
    const struct share_job *job = &sharing->jobs[index];

    return ((int64_t)sharing_kept(job) - (int64_t)sharing->targets[index]) * job->worker.millis;
}

/* Keeps what is above the targets: those that have little of it first, so that where the room is
 * less than before those with most give. */
static void keep_surplus(struct sharing *sharing)
{
    for (size_t i = 0; i < sharing->count; i++)
        sharing->is_out[i] = sharing->targets[i] == 0 || wanted_surplus(sharing, i) <= 0;
    for (;;) {
        size_t next = sharing->count;

        for (size_t i = 0; i < sharing->count; i++) {
            const size_t index = sharing->order[i];

            if (!sharing->is_out[index] &&
                (next == sharing->count ||
                 wanted_surplus(sharing, index) < wanted_surplus(sharing, next)))
                next = index;
        }
        if (next == sharing->count)
            return;
        keep(sharing, next, sharing_kept(&sharing->jobs[next]));
        sharing->is_out[next] = true;
    }
}

static void keep_what_there_is(struct sharing *sharing)
{
    share_packing_clear(&sharing->packing, sharing->cluster, sharing->count);
    for (size_t i = 0; i < sharing->count; i++) /* they fit, since the targets were found so */
        if (sharing->targets[sharing->order[i]] > 0)
            (void)share_packing_begin(&sharing->packing, &sharing->jobs[sharing->order[i]],
                                      sharing->order[i]);
    for (size_t i = 0; i < sharing->count; i++) {
        const size_t index = sharing->order[i];
        const uint32_t kept = sharing_kept(&sharing->jobs[index]);
        const uint32_t target = sharing->targets[index];

        if (target > 0)
            keep(sharing, index, kept < target ? kept : target);
    }
    keep_surplus(sharing);
}

/* ----- who lacks something, and who gives it ----- */

/* The job with most above its target, or the one that has given already; `count`: none. */
static size_t find_giver(const struct sharing *sharing, size_t last)
{
    size_t giver = sharing->count;

    if (last < sharing->count && surplus(sharing, last) > 0)
        return last;
    for (size_t i = 0; i < sharing->count; i++) {
        const size_t index = sharing->order[i];

        if (sharing->targets[index] > 0 && surplus(sharing, index) > 0 &&
            may_move(sharing, &sharing->jobs[index]) &&
            (giver == sharing->count || surplus(sharing, index) > surplus(sharing, giver)))
            giver = index;
    }
    return giver;
}

static void give(struct sharing *sharing, size_t giver)
{
    const struct share_job *job = &sharing->jobs[giver];
    uint32_t less = sharing_previous(job, now_of(sharing, giver));

    if (less < sharing->targets[giver])
        less = sharing->targets[giver];
    share_packing_shrink(&sharing->packing, job, giver, less);
}

/* Gives back what was given for nothing. */
static void restore(struct sharing *sharing)
{
    for (size_t i = 0; i < sharing->count; i++)
        if (now_of(sharing, i) < sharing->before[i])
            (void)share_packing_grow(&sharing->packing, &sharing->jobs[i], i, sharing->before[i]);
}

static bool take(struct sharing *sharing, size_t index, uint32_t next, size_t *last)
{
    const struct share_job *job = &sharing->jobs[index];

    for (size_t i = 0; i < sharing->count; i++)
        sharing->before[i] = now_of(sharing, i);
    while (!share_packing_grow(&sharing->packing, job, index, next)) {
        const size_t giver = find_giver(sharing, *last);

        if (giver == sharing->count) {
            restore(sharing);
            return false;
        }
        give(sharing, giver);
        *last = giver;
    }
    return true;
}

/* Higher bands first, then who has least. */
static size_t find_lacking(const struct sharing *sharing)
{
    size_t found = sharing->count;

    for (size_t i = 0; i < sharing->count; i++) {
        const size_t index = sharing->order[i];

        if (sharing->is_out[index])
            continue;
        if (found != sharing->count && sharing->jobs[index].band < sharing->jobs[found].band)
            break;
        if (found == sharing->count || sharing_is_poorer(sharing, index, now_of(sharing, index),
                                                         found, now_of(sharing, found)))
            found = index;
    }
    return found;
}

static void give_to_the_lacking(struct sharing *sharing)
{
    size_t index, last = sharing->count;

    for (size_t i = 0; i < sharing->count; i++)
        sharing->is_out[i] = sharing->targets[i] == 0 || !may_move(sharing, &sharing->jobs[i]);
    while ((index = find_lacking(sharing)) != sharing->count) {
        const struct share_job *job = &sharing->jobs[index];
        const uint32_t next = sharing_next(job, now_of(sharing, index), sharing->targets[index]);

        if (next == 0 || !take(sharing, index, next, &last))
            sharing->is_out[index] = true;
    }
}

static enum share_reason reason_of(const struct sharing *sharing, const struct share_job *job,
                                   const struct share_part *part)
{
    if (part->workers == 0)
        return SHARE_NO_ROOM;
    if (job->pinned > 0 && part->workers == sharing_limit(job))
        return SHARE_PINNED;
    if (part->workers >= part->wanted)
        return SHARE_ALL;
    if (job->cap > 0 && part->workers == sharing_limit(job))
        return SHARE_CAPPED;
    if (sharing_ends_soon(job))
        return SHARE_ENDS;
    return may_move(sharing, job) ? SHARE_PART : SHARE_RESTS;
}

void sharing_settle(struct sharing *sharing, struct share_part *parts)
{
    keep_what_there_is(sharing);
    give_to_the_lacking(sharing);
    for (size_t i = 0; i < sharing->count; i++) {
        const struct share_job *job = &sharing->jobs[i];

        parts[i].workers = now_of(sharing, i);
        parts[i].wanted = job->pinned > 0 ? sharing_limit(job)
                                          : share_curve_largest(&job->curve, job->least, job->most);
        parts[i].reason = reason_of(sharing, job, &parts[i]);
    }
}
