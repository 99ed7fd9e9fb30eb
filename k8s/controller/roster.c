#include "k8s/controller/roster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status roster_init(struct roster *roster, uint32_t most, uint32_t wanted, int64_t memory,
                        int64_t memory_max, struct error *err)
{
    memset(roster, 0, sizeof *roster);
    error_clear(&roster->failure);
    error_clear(&roster->refusal);
    if (most < 1 || most > ROSTER_WORKERS_MAX || wanted > most || memory < 1 || memory > memory_max)
        return fail(err, STATUS_INVALID, "%u of %u workers with %lld to %lld bytes", wanted, most,
                    (long long)memory, (long long)memory_max);
    roster->places = calloc(most, sizeof *roster->places);
    roster->old = calloc(ROSTER_OLD_MAX, sizeof *roster->old);
    if (!roster->places || !roster->old) {
        roster_deinit(roster);
        return fail_no_memory(err);
    }
    roster->most = most;
    roster->wanted = wanted;
    roster->memory_max = memory_max;
    for (uint32_t i = 0; i < most; i++)
        roster->places[i].memory = memory;
    return STATUS_OK;
}

void roster_deinit(struct roster *roster)
{
    free(roster->places);
    free(roster->old);
    roster->places = NULL;
    roster->old = NULL;
}

void roster_want(struct roster *roster, uint32_t wanted)
{
    roster->wanted = wanted < roster->most ? wanted : roster->most;
}

void roster_on_synced(struct roster *roster)
{
    roster->is_synced = true;
}

void roster_on_step(struct roster *roster)
{
    for (uint32_t i = 0; i < roster->most; i++)
        if (roster->places[i].is_here)
            roster->places[i].crashes = 0;
}

void roster_on_worker(struct roster *roster, int64_t now_ms, uint32_t index, uint32_t incarnation,
                      bool is_here)
{
    struct roster_place *place;

    if (index >= roster->most)
        return;
    place = &roster->places[index];
    if (place->incarnation != incarnation) /* a predecessor, whose successor is being created */
        return;
    if (is_here)
        place->missed_ms = 0;
    else if (place->is_here)
        place->missed_ms = now_ms;
    place->is_here = is_here;
}

void roster_on_blamed(struct roster *roster, uint32_t index)
{
    if (index < roster->most)
        roster->places[index].crashes = 0;
}

static int64_t backoff_ms(uint32_t failures)
{
    int64_t wait_ms = (int64_t)ROSTER_RETRY_MS_MIN << (failures < 6 ? failures : 6);

    return wait_ms < ROSTER_RETRY_MS_MAX ? wait_ms : ROSTER_RETRY_MS_MAX;
}

static void fail_job(struct roster *roster, enum status status, uint32_t index, const char *what,
                     const char *why)
{
    if (roster->failure.status == STATUS_OK)
        fail(&roster->failure, status, "worker %u %s%s%s", index, what, *why ? ": " : "", why);
}

/* The next pod of a place is another incarnation. */
static void empty(struct roster_place *place, int64_t due_ms)
{
    place->state = ROSTER_EMPTY;
    place->incarnation++;
    place->uid[0] = place->node[0] = '\0';
    place->call = ROSTER_NOTHING;
    place->is_deleted = false;
    place->is_here = place->is_silent = false;
    place->missed_ms = place->unheard_ms = 0;
    place->obstacle = POD_NO_OBSTACLE;
    place->due_ms = due_ms;
}

/* A pod that is not, or no longer, the one of its place. A full table forgets it; the next list
 * brings it back. */
static struct roster_old *retire(struct roster *roster, int64_t now_ms, uint32_t index,
                                 uint32_t incarnation, const char *uid)
{
    static struct roster_old nowhere; /* never read */
    struct roster_old *old;

    for (size_t i = 0; i < roster->old_count; i++)
        if (strcmp(roster->old[i].uid, uid) == 0)
            return &roster->old[i];
    if (roster->old_count == ROSTER_OLD_MAX)
        return &nowhere;
    old = &roster->old[roster->old_count++];
    *old = (struct roster_old){.index = index, .incarnation = incarnation, .due_ms = now_ms};
    memcpy(old->uid, uid, sizeof old->uid);
    return old;
}

static void note_deleted(struct roster_old *old, int64_t now_ms)
{
    if (!old->is_deleted)
        old->due_ms = now_ms + ROSTER_STUCK_MS;
    old->is_deleted = true;
}

/* With the request to delete it, if one is under way. */
static struct roster_old *retire_place(struct roster *roster, int64_t now_ms, uint32_t index)
{
    struct roster_place *place = &roster->places[index];
    struct roster_old *old = retire(roster, now_ms, index, place->incarnation, place->uid);

    old->is_calling = place->call == ROSTER_DELETE;
    if (place->is_deleted)
        note_deleted(old, now_ms);
    return old;
}

static void retire_view(struct roster *roster, int64_t now_ms, const struct pod_view *view)
{
    struct roster_old *old = retire(roster, now_ms, view->index, view->incarnation, view->uid);

    if (view->is_leaving && !old->is_lost)
        note_deleted(old, now_ms);
}

static void tell_loss(const struct roster *roster, const struct roster_place *place,
                      enum roster_loss_kind kind, const struct pod_view *view, int64_t had)
{
    const struct roster_loss loss = {.kind = kind,
                                     .index = (uint32_t)(place - roster->places),
                                     .incarnation = place->incarnation,
                                     .node = place->node,
                                     .message = view ? view->message : "",
                                     .exit_code = view ? view->exit_code : -1,
                                     .crashes = place->crashes,
                                     .memory = place->memory,
                                     .had = had};

    if (roster->listener.on_loss && roster->wanted > 0)
        roster->listener.on_loss(roster->listener.context, &loss);
}

/* The pod may be a predecessor's, with less than its place would give by now. */
static void out_of_memory(struct roster *roster, struct roster_place *place,
                          const struct pod_view *view)
{
    int64_t had = view->memory > 0 ? view->memory : place->memory;
    int64_t next = had > roster->memory_max / 2 ? roster->memory_max : had * 2;

    if (had < roster->memory_max)
        place->memory = place->memory > next ? place->memory : next;
    tell_loss(roster, place, ROSTER_LOSS_MEMORY, view, had);
    if (had < roster->memory_max || roster->failure.status != STATUS_OK)
        return;
    fail(&roster->failure, STATUS_LIMIT, "worker %u ran out of the %lld MiB that a worker may have",
         view->index, (long long)(roster->memory_max >> 20));
    error_hint(&roster->failure, "Give each worker more, or the job more workers.");
}

/* The master has another worker, which has not crashed as often itself. */
static bool another_works(const struct roster *roster, const struct roster_place *but)
{
    for (uint32_t i = 0; i < roster->most; i++) {
        const struct roster_place *place = &roster->places[i];

        if (place != but && place->is_here && place->crashes < ROSTER_CRASHES_MAX)
            return true;
    }
    return false;
}

static void crashed(struct roster *roster, struct roster_place *place, uint32_t index,
                    const struct pod_view *view)
{
    char what[64];

    if (++place->crashes < ROSTER_CRASHES_MAX || another_works(roster, place))
        return;
    snprintf(what, sizeof what, "ended %u times with code %d", place->crashes, view->exit_code);
    fail_job(roster, STATUS_FAILED, index, what, view->message);
}

/* The pod of a place ended: what that means, and when the next may come. */
static void judge_end(struct roster *roster, int64_t now_ms, struct roster_place *place,
                      const struct pod_view *view)
{
    uint32_t index = view->index;
    char what[64];

    if (place->state == ROSTER_LEAVING) /* as it was asked to */
        return;
    if (view->end == POD_OUT_OF_MEMORY) {
        out_of_memory(roster, place, view);
    } else if (view->end == POD_DISRUPTED) {
        tell_loss(roster, place, ROSTER_LOSS_DISRUPTED, view, 0);
    } else if (view->end == POD_CRASHED) {
        crashed(roster, place, index, view);
        tell_loss(roster, place, ROSTER_LOSS_CRASH, view, 0);
        place->due_ms = now_ms + backoff_ms(place->crashes);
    } else if (view->end == POD_REFUSED) {
        snprintf(what, sizeof what, "ended with code %d", view->exit_code);
        fail_job(roster, STATUS_FAILED, index, what, view->message);
    }
}

static void end_place(struct roster *roster, int64_t now_ms, struct roster_place *place,
                      const struct pod_view *view)
{
    place->due_ms = now_ms;
    judge_end(roster, now_ms, place, view);
    (void)retire_place(roster, now_ms, view->index);
    retire_view(roster, now_ms, view);
    empty(place, place->due_ms);
}

static void take_obstacle(struct roster_place *place, int64_t now_ms, const struct pod_view *view)
{
    if (view->obstacle != place->obstacle)
        place->stuck_ms = now_ms;
    place->obstacle = view->obstacle;
    memcpy(place->message, view->message, sizeof place->message);
}

static void update_place(struct roster *roster, int64_t now_ms, struct roster_place *place,
                         const struct pod_view *view)
{
    memcpy(place->uid, view->uid, sizeof place->uid);
    memcpy(place->node, view->node, sizeof place->node);
    place->is_silent = view->is_silent;
    if (!view->is_unheard)
        place->unheard_ms = 0;
    else if (place->unheard_ms == 0)
        place->unheard_ms = now_ms;
    if (view->phase == POD_ENDED) {
        end_place(roster, now_ms, place, view);
        return;
    }
    if (view->is_leaving && place->state != ROSTER_LEAVING) { /* deleted from outside */
        place->is_deleted = true;
        tell_loss(roster, place, view->is_disrupted ? ROSTER_LOSS_DISRUPTED : ROSTER_LOSS_DELETED,
                  view, 0);
        (void)retire_place(roster, now_ms, view->index);
        empty(place, now_ms);
        return;
    }
    if (place->state != ROSTER_LEAVING)
        place->state = view->phase == POD_RUNNING ? ROSTER_RUNNING : ROSTER_PENDING;
    take_obstacle(place, now_ms, view);
}

static bool is_old(const struct roster *roster, const char *uid)
{
    for (size_t i = 0; i < roster->old_count; i++)
        if (strcmp(roster->old[i].uid, uid) == 0)
            return true;
    return false;
}

/* The pod before is no more: what was refused beside it may be granted now. */
static void note_room(struct roster *roster, int64_t now_ms, uint32_t index)
{
    struct roster_place *place;

    if (index >= roster->most)
        return;
    place = &roster->places[index];
    if (place->state != ROSTER_EMPTY || place->refusals == 0)
        return;
    place->refusals = 0;
    place->due_ms = now_ms;
}

void roster_on_pod(struct roster *roster, int64_t now_ms, const struct pod_view *view)
{
    struct roster_place *place;

    if (view->index >= roster->most || is_old(roster, view->uid)) {
        /* Of a job that had more workers; or a repeated event. */
        retire_view(roster, now_ms, view);
        if (view->phase == POD_ENDED)
            note_room(roster, now_ms, view->index);
        return;
    }
    place = &roster->places[view->index];
    if (view->incarnation < place->incarnation) {
        retire_view(roster, now_ms, view);
        return;
    }
    if (view->incarnation > place->incarnation || place->state == ROSTER_EMPTY) {
        /* A predecessor's. */
        if (place->uid[0])
            (void)retire_place(roster, now_ms, view->index);
        place->incarnation = view->incarnation;
        place->state = ROSTER_PENDING;
        if (view->memory > place->memory && view->memory <= roster->memory_max)
            place->memory = view->memory;
        place->call = ROSTER_NOTHING;
        place->is_deleted = false;
        place->obstacle = POD_NO_OBSTACLE;
    }
    update_place(roster, now_ms, place, view);
}

void roster_on_gone(struct roster *roster, int64_t now_ms, const char *uid)
{
    for (size_t i = 0; i < roster->old_count; i++)
        if (strcmp(roster->old[i].uid, uid) == 0) {
            note_room(roster, now_ms, roster->old[i].index);
            roster->old[i] = roster->old[--roster->old_count];
            return;
        }
    for (uint32_t i = 0; i < roster->most; i++)
        if (strcmp(roster->places[i].uid, uid) == 0) {
            empty(&roster->places[i], now_ms);
            return;
        }
}

/* In the place of the same node's, or of what is over first. */
static void avoid(struct roster *roster, int64_t now_ms, const char *node)
{
    struct roster_avoided *chosen = &roster->avoided[0];

    if (!*node)
        return;
    for (size_t i = 0; i < ROSTER_AVOIDED_MAX; i++) {
        struct roster_avoided *avoided = &roster->avoided[i];

        if (strcmp(avoided->node, node) == 0) {
            chosen = avoided;
            break;
        }
        if (avoided->until_ms < chosen->until_ms)
            chosen = avoided;
    }
    memcpy(chosen->node, node, sizeof chosen->node);
    chosen->until_ms = now_ms + ROSTER_AVOIDED_MS;
}

size_t roster_avoided(const struct roster *roster, int64_t now_ms,
                      struct slice nodes[ROSTER_AVOIDED_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < ROSTER_AVOIDED_MAX; i++)
        if (roster->avoided[i].until_ms > now_ms)
            nodes[count++] = slice_of(roster->avoided[i].node);
    return count;
}

static void lose_old(struct roster_old *old, int64_t now_ms)
{
    old->is_lost = true;
    old->is_deleted = false;
    old->due_ms = now_ms;
}

void roster_on_lost(struct roster *roster, int64_t now_ms, uint32_t index, uint32_t incarnation)
{
    struct roster_place *place;

    if (index >= roster->most)
        return;
    for (size_t i = 0; i < roster->old_count; i++)
        if (roster->old[i].index == index && roster->old[i].incarnation == incarnation)
            lose_old(&roster->old[i], now_ms);
    place = &roster->places[index];
    if (place->incarnation != incarnation || place->state == ROSTER_EMPTY || !place->uid[0])
        return;
    if (place->state != ROSTER_LEAVING)
        tell_loss(roster, place, ROSTER_LOSS_SILENT, NULL, 0);
    avoid(roster, now_ms, place->node);
    lose_old(retire_place(roster, now_ms, index), now_ms);
    empty(place, now_ms);
}
