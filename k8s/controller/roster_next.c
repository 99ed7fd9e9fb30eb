#include "k8s/controller/roster_next.h"

#include <stdio.h>
#include <string.h>

#include "k8s/controller/roster.h"

static bool is_staying(const struct roster_place *place)
{
    return place->state == ROSTER_ASKED || place->state == ROSTER_PENDING ||
           place->state == ROSTER_RUNNING;
}

static uint32_t count_staying(const struct roster *roster)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < roster->most; i++)
        count += is_staying(&roster->places[i]);
    return count;
}

uint32_t roster_running(const struct roster *roster)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < roster->most; i++)
        count += roster->places[i].state == ROSTER_RUNNING;
    return count;
}

bool roster_is_empty(const struct roster *roster)
{
    for (uint32_t i = 0; i < roster->most; i++)
        if (roster->places[i].state != ROSTER_EMPTY)
            return false;
    return roster->is_synced && roster->old_count == 0 && roster->calls == 0;
}

static bool is_due(int64_t at_ms, int64_t now_ms, int64_t *due_ms)
{
    if (at_ms <= now_ms)
        return true;
    if (at_ms < *due_ms)
        *due_ms = at_ms;
    return false;
}

/* The pod to delete when there are too many: the highest index of those that do not run, else the
 * highest. A pod whose creation is under way may appear at any moment, and is left until it does.
 */
static struct roster_place *choose_surplus(struct roster *roster)
{
    struct roster_place *chosen = NULL;

    for (uint32_t i = 0; i < roster->most; i++) {
        struct roster_place *place = &roster->places[i];

        if (place->state == ROSTER_PENDING ||
            (place->state == ROSTER_RUNNING && (!chosen || chosen->state == ROSTER_RUNNING)))
            chosen = place;
    }
    return chosen;
}

static void shrink(struct roster *roster, int64_t now_ms)
{
    uint32_t staying = count_staying(roster);
    struct roster_place *place;

    while (staying > roster->wanted && (place = choose_surplus(roster)) != NULL) {
        place->state = ROSTER_LEAVING;
        place->due_ms = now_ms;
        staying--;
    }
}

static struct roster_step delete_place(struct roster *roster, uint32_t index)
{
    struct roster_place *place = &roster->places[index];
    struct roster_step step = {
        .action = ROSTER_DELETE, .index = index, .incarnation = place->incarnation, .grace_s = -1};

    memcpy(step.uid, place->uid, sizeof step.uid);
    place->call = ROSTER_DELETE;
    return step;
}

static struct roster_step delete_old(struct roster_old *old)
{
    struct roster_step step = {.action = ROSTER_DELETE,
                               .index = old->index,
                               .incarnation = old->incarnation,
                               .grace_s = old->is_lost ? 0 : -1};

    memcpy(step.uid, old->uid, sizeof step.uid);
    old->is_calling = true;
    return step;
}

static struct roster_step create(struct roster *roster, uint32_t index, int64_t now_ms)
{
    struct roster_place *place = &roster->places[index];

    place->state = ROSTER_ASKED;
    place->call = ROSTER_CREATE;
    place->due_ms = now_ms + ROSTER_UNSEEN_MS;
    return (struct roster_step){.action = ROSTER_CREATE,
                                .index = index,
                                .incarnation = place->incarnation,
                                .memory = place->memory};
}

static void give_up_stuck(struct roster *roster, int64_t now_ms, int64_t *due_ms)
{
    for (uint32_t i = 0; i < roster->most; i++) {
        const struct roster_place *place = &roster->places[i];

        if (place->state == ROSTER_LEAVING && place->is_deleted && place->call == ROSTER_NOTHING &&
            is_due(place->due_ms, now_ms, due_ms))
            roster_on_lost(roster, now_ms, i, place->incarnation);
    }
}

static bool is_missed(const struct roster_place *place, int64_t now_ms, int64_t *due_ms)
{
    if (place->state == ROSTER_PENDING)
        return place->unheard_ms != 0 &&
               is_due(place->unheard_ms + ROSTER_UNHEARD_MS, now_ms, due_ms);
    if (place->state != ROSTER_RUNNING || place->is_here)
        return false;
    return place->is_silent ||
           (place->missed_ms != 0 && is_due(place->missed_ms + ROSTER_MISSED_MS, now_ms, due_ms));
}

static void give_up_missed(struct roster *roster, int64_t now_ms, int64_t *due_ms)
{
    for (uint32_t i = 0; i < roster->most; i++)
        if (is_missed(&roster->places[i], now_ms, due_ms))
            roster_on_lost(roster, now_ms, i, roster->places[i].incarnation);
}

static struct roster_step find_deletion(struct roster *roster, int64_t now_ms, int64_t *due_ms)
{
    for (size_t i = 0; i < roster->old_count; i++) {
        struct roster_old *old = &roster->old[i];

        if (old->is_calling || !is_due(old->due_ms, now_ms, due_ms))
            continue;
        old->is_lost = old->is_lost || old->is_deleted;
        return delete_old(old);
    }
    for (uint32_t i = 0; i < roster->most; i++) {
        struct roster_place *place = &roster->places[i];

        if (place->state == ROSTER_LEAVING && place->call == ROSTER_NOTHING && !place->is_deleted &&
            is_due(place->due_ms, now_ms, due_ms))
            return delete_place(roster, i);
    }
    return (struct roster_step){.action = ROSTER_NOTHING};
}

/* Places that wait before they try again are taken: another index would only be
 * a way around the wait. */
static uint32_t count_waiting(const struct roster *roster, int64_t now_ms)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < roster->most; i++)
        count += roster->places[i].state == ROSTER_EMPTY && roster->places[i].due_ms > now_ms;
    return count;
}

static struct roster_step find_creation(struct roster *roster, int64_t now_ms, int64_t *due_ms)
{
    uint32_t taken = count_staying(roster) + count_waiting(roster, now_ms);

    for (uint32_t i = 0; i < roster->most; i++) {
        struct roster_place *place = &roster->places[i];

        if (place->state == ROSTER_ASKED && place->call == ROSTER_NOTHING &&
            is_due(place->due_ms, now_ms, due_ms))
            return create(roster, i, now_ms); /* the same again */
    }
    for (uint32_t i = 0; i < roster->most; i++) {
        struct roster_place *place = &roster->places[i];

        if (place->state == ROSTER_EMPTY && is_due(place->due_ms, now_ms, due_ms) &&
            taken < roster->wanted)
            return create(roster, i, now_ms);
    }
    return (struct roster_step){.action = ROSTER_NOTHING};
}

/* An image that cannot be had is the job's end only while nothing of it runs:
 * otherwise one node's registry is in the way, and the job goes on without. */
static void judge_obstacles(struct roster *roster, int64_t now_ms, int64_t *due_ms)
{
    if (roster_running(roster) > 0)
        return;
    for (uint32_t i = 0; i < roster->most; i++) {
        const struct roster_place *place = &roster->places[i];

        if (place->state != ROSTER_PENDING || place->obstacle < POD_NO_IMAGE ||
            !is_due(place->stuck_ms + ROSTER_IMAGE_MS, now_ms, due_ms) ||
            roster->failure.status != STATUS_OK)
            continue;
        fail(&roster->failure, STATUS_FAILED, "worker %u cannot be started: %s", i, place->message);
        error_hint(&roster->failure, place->obstacle == POD_NO_IMAGE
                                         ? "Is the name of the image right, and may the nodes pull "
                                           "it?"
                                         : "kubectl describe pod tells more.");
    }
}

struct roster_step roster_next(struct roster *roster, int64_t now_ms, int64_t *due_ms)
{
    struct roster_step step = {.action = ROSTER_NOTHING};

    *due_ms = INT64_MAX;
    if (!roster->is_synced)
        return step;
    judge_obstacles(roster, now_ms, due_ms);
    give_up_stuck(roster, now_ms, due_ms);
    give_up_missed(roster, now_ms, due_ms);
    if (roster->failure.status != STATUS_OK)
        roster->wanted = 0;
    shrink(roster, now_ms);
    if (roster->calls == ROSTER_CALLS_MAX)
        return step;
    step = find_deletion(roster, now_ms, due_ms);
    if (step.action == ROSTER_NOTHING)
        step = find_creation(roster, now_ms, due_ms);
    roster->calls += step.action != ROSTER_NOTHING;
    return step;
}

static int64_t wait_ms(uint32_t refusals, int64_t retry_after_ms)
{
    int64_t wait = (int64_t)ROSTER_RETRY_MS_MIN << (refusals < 6 ? refusals : 6);

    if (wait > ROSTER_RETRY_MS_MAX)
        wait = ROSTER_RETRY_MS_MAX;
    return retry_after_ms > wait ? retry_after_ms : wait;
}

/* What would be refused again and again, whatever the cluster's state. Rights
 * and tokens may be changed meanwhile, so a job that runs waits for them. */
static bool is_final(const struct roster *roster, const struct roster_place *place,
                     enum status status)
{
    if (status == STATUS_INVALID || status == STATUS_UNSUPPORTED)
        return true;
    return (status == STATUS_PERMISSION || status == STATUS_NOT_FOUND) &&
           roster_running(roster) == 0 && place->refusals >= ROSTER_REFUSALS_MAX;
}

static void refused(struct roster *roster, struct roster_place *place, int64_t now_ms,
                    const struct roster_step *step, enum status status, int64_t retry_after_ms,
                    const struct error *err)
{
    roster->refusal = *err;
    roster->refusal.status = status;
    if (is_final(roster, place, status) && roster->failure.status == STATUS_OK) {
        fail(&roster->failure, status, "worker %u cannot be created: %s", step->index,
             err->message);
        memcpy(roster->failure.hint, err->hint, sizeof roster->failure.hint);
    }
    if (place->state != ROSTER_ASKED) /* it was seen all the same */
        return;
    place->due_ms = now_ms + wait_ms(place->refusals++, retry_after_ms);
    if (status == STATUS_CONNECTION) /* perhaps it was created: the same name again */
        return;
    place->state = ROSTER_EMPTY;
    if (status == STATUS_BUSY && retry_after_ms < 0) /* the name is taken, or on its way out */
        place->incarnation++;
}

static void on_created(struct roster *roster, int64_t now_ms, const struct roster_step *step,
                       enum status status, int64_t retry_after_ms, const struct error *err)
{
    struct roster_place *place = &roster->places[step->index];

    if (place->incarnation != step->incarnation)
        return; /* it came, was seen, and went */
    place->call = ROSTER_NOTHING;
    if (status != STATUS_OK) {
        refused(roster, place, now_ms, step, status, retry_after_ms, err);
        return;
    }
    place->refusals = 0;
    error_clear(&roster->refusal);
    if (place->state == ROSTER_ASKED)
        place->due_ms = now_ms + ROSTER_UNSEEN_MS;
}

static void on_deleted(struct roster *roster, int64_t now_ms, const struct roster_step *step,
                       enum status status, int64_t retry_after_ms)
{
    bool is_done = status == STATUS_OK || status == STATUS_NOT_FOUND ||
                   (status == STATUS_BUSY && retry_after_ms < 0);

    if (step->index < roster->most && strcmp(roster->places[step->index].uid, step->uid) == 0) {
        struct roster_place *place = &roster->places[step->index];

        place->call = ROSTER_NOTHING;
        place->is_deleted = is_done;
        place->due_ms = is_done ? now_ms + ROSTER_STUCK_MS
                                : now_ms + wait_ms(place->refusals++, retry_after_ms);
        return;
    }
    for (size_t i = 0; i < roster->old_count; i++) {
        struct roster_old *old = &roster->old[i];

        if (strcmp(old->uid, step->uid) != 0)
            continue;
        old->is_calling = false;
        old->is_deleted = is_done && (!old->is_lost || step->grace_s == 0);
        old->due_ms = old->is_deleted ? now_ms + ROSTER_STUCK_MS
                      : is_done       ? now_ms
                                      : now_ms + wait_ms(old->refusals++, retry_after_ms);
        return;
    }
}

void roster_on_answer(struct roster *roster, int64_t now_ms, const struct roster_step *step,
                      enum status status, int64_t retry_after_ms, const struct error *err)
{
    roster->calls--;
    if (step->action == ROSTER_CREATE)
        on_created(roster, now_ms, step, status, retry_after_ms, err);
    else
        on_deleted(roster, now_ms, step, status, retry_after_ms);
}

static const struct roster_place *find_worst(const struct roster *roster)
{
    const struct roster_place *worst = NULL;

    for (uint32_t i = 0; i < roster->most; i++) {
        const struct roster_place *place = &roster->places[i];

        if (place->state == ROSTER_PENDING && place->obstacle != POD_NO_OBSTACLE &&
            (!worst || place->obstacle > worst->obstacle))
            worst = place;
    }
    return worst;
}

enum roster_problem_kind roster_problem_kind(const struct roster *roster)
{
    static const enum roster_problem_kind kinds[] = {[POD_UNSCHEDULABLE] = ROSTER_UNSCHEDULABLE,
                                                     [POD_NO_IMAGE] = ROSTER_NO_IMAGE,
                                                     [POD_NO_START] = ROSTER_NO_START};
    const struct roster_place *worst = find_worst(roster);

    if (roster->failure.status != STATUS_OK)
        return ROSTER_HAS_FAILED;
    if (worst)
        return kinds[worst->obstacle];
    return roster->refusal.status != STATUS_OK && roster_running(roster) < roster->wanted
               ? ROSTER_REFUSED
               : ROSTER_NO_PROBLEM;
}

bool roster_problem(const struct roster *roster, struct error *problem)
{
    const struct roster_place *worst = find_worst(roster);

    switch (roster_problem_kind(roster)) {
    case ROSTER_NO_PROBLEM:
        return false;
    case ROSTER_HAS_FAILED:
        *problem = roster->failure;
        return true;
    case ROSTER_REFUSED:
        *problem = roster->refusal;
        return true;
    default:
        break;
    }
    fail(problem, worst->obstacle == POD_UNSCHEDULABLE ? STATUS_LIMIT : STATUS_FAILED,
         "%u of %u workers run; worker %u does not: %s", roster_running(roster), roster->wanted,
         (unsigned)(worst - roster->places), worst->message);
    return true;
}
