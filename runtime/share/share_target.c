#include "runtime/share/share_target.h"

#include <string.h>

/* ----- minimums ----- */

/* Whether an empty cluster has room for it: what never fits must not be waited for. */
static bool would_fit(struct sharing *sharing, size_t index)
{
    bool fits;

    share_packing_clear(&sharing->packing, sharing->cluster, sharing->count);
    fits = share_packing_begin(&sharing->packing, &sharing->jobs[index], index);
    share_packing_clear(&sharing->packing, sharing->cluster, sharing->count);
    return fits;
}

/* The place in the order of the first job that has waited for too long; `count`: none. Nobody who
 * does not run yet may pass it. */
static size_t find_patient(struct sharing *sharing)
{
    for (size_t i = 0; i < sharing->count; i++) {
        const struct share_job *job = &sharing->jobs[sharing->order[i]];

        if (!job->is_running && job->seconds_waited > SHARE_PATIENCE_S &&
            would_fit(sharing, sharing->order[i]))
            return i;
    }
    return sharing->count;
}

/* It holds fewer workers than it needs, and the scheduler has no place for more. */
static bool is_stuck(const struct share_job *job)
{
    return !job->is_running && job->cap > 0 && job->cap < job->least;
}

static void place_minimums(struct sharing *sharing)
{
    const size_t patient = find_patient(sharing);
    bool waits = false, is_any_stuck = false;

    share_packing_clear(&sharing->packing, sharing->cluster, sharing->count);
    for (size_t i = 0; i < sharing->count; i++) {
        const size_t index = sharing->order[i];
        const struct share_job *job = &sharing->jobs[index];
        const bool holds_in_vain = is_stuck(job) && is_any_stuck;
        const bool may_begin = job->is_running || (!waits && !holds_in_vain);

        if (may_begin && share_packing_begin(&sharing->packing, job, index)) {
            sharing->targets[index] = job->least;
            is_any_stuck = is_any_stuck || is_stuck(job); /* one that has no room is passed over */
        } else if (i == patient) {
            waits = true;
        }
    }
}

/* ----- extras ----- */

static bool grow(struct sharing *sharing, size_t index, uint32_t limit)
{
    const struct share_job *job = &sharing->jobs[index];
    const uint32_t next = sharing_next(job, sharing->targets[index], limit);

    if (next == 0 || !share_packing_grow(&sharing->packing, job, index, next))
        return false;
    sharing->targets[index] = next;
    return true;
}

static void grow_to(struct sharing *sharing, size_t index, uint32_t limit)
{
    while (grow(sharing, index, limit))
        ;
}

/* The user's numbers, and what those have that end soon. */
static void place_firm(struct sharing *sharing)
{
    for (size_t i = 0; i < sharing->count; i++) {
        const size_t index = sharing->order[i];
        const struct share_job *job = &sharing->jobs[index];

        if (sharing->targets[index] == 0)
            continue;
        if (job->pinned > 0)
            grow_to(sharing, index, sharing_limit(job));
        else if (sharing_ends_soon(job))
            grow_to(sharing, index, sharing_kept(job));
        else
            continue;
        sharing->is_out[index] = true;
    }
}

/* Evenly, until only so many millis are free. */
static void place_evenly(struct sharing *sharing, size_t from, size_t to, int64_t leave)
{
    while (share_packing_free(&sharing->packing) > leave) {
        size_t next = sharing->count;

        for (size_t i = from; i < to; i++) {
            const size_t index = sharing->order[i];

            if (!sharing->is_out[index] &&
                (next == sharing->count ||
                 sharing_is_poorer(sharing, index, sharing->targets[index], next,
                                   sharing->targets[next])))
                next = index;
        }
        if (next == sharing->count)
            return;
        if (!grow(sharing, next, sharing_limit(&sharing->jobs[next])))
            sharing->is_out[next] = true;
    }
}

/* All that is left to who has the least left to do. */
static void place_by_end(struct sharing *sharing, size_t from, size_t to)
{
    for (;;) {
        size_t next = sharing->count;

        for (size_t i = from; i < to; i++) {
            const size_t index = sharing->order[i];
            const double left = sharing->jobs[index].seconds_left;

            if (!sharing->is_out[index] && left >= 0 &&
                (next == sharing->count || left < sharing->jobs[next].seconds_left))
                next = index;
        }
        if (next == sharing->count)
            return;
        grow_to(sharing, next, sharing_limit(&sharing->jobs[next]));
        sharing->is_out[next] = true;
    }
}

static void place_extras(struct sharing *sharing, size_t from, size_t to)
{
    const int64_t room = share_packing_free(&sharing->packing);

    if (sharing->cluster->rule == SHARE_MIXED)
        place_evenly(sharing, from, to, room - room / 2);
    if (sharing->cluster->rule != SHARE_EVEN)
        place_by_end(sharing, from, to);
    place_evenly(sharing, from, to, 0);
}

void sharing_find_targets(struct sharing *sharing)
{
    memset(sharing->targets, 0, sharing->count * sizeof *sharing->targets);
    place_minimums(sharing);
    for (size_t i = 0; i < sharing->count; i++)
        sharing->is_out[i] = sharing->targets[i] == 0;
    place_firm(sharing);
    for (size_t from = 0, to; from < sharing->count; from = to) {
        const int32_t band = sharing->jobs[sharing->order[from]].band;

        for (to = from; to < sharing->count && sharing->jobs[sharing->order[to]].band == band; to++)
            ;
        place_extras(sharing, from, to);
    }
}
