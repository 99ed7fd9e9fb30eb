#include "k8s/controller/pod_pool_next.h"

#include <stdio.h>
#include <string.h>

#include "k8s/controller/pod_pool.h"

static bool is_staying(const struct pod_pool_place *place)
{
    return place->state == POD_POOL_ASKED || place->state == POD_POOL_PENDING ||
           place->state == POD_POOL_RUNNING;
}

uint32_t pod_pool_staying(const struct pod_pool *pool)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < pool->most; i++)
        count += is_staying(&pool->places[i]);
    return count;
}

uint32_t pod_pool_running(const struct pod_pool *pool)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < pool->most; i++)
        count += pool->places[i].state == POD_POOL_RUNNING;
    return count;
}

bool pod_pool_is_empty(const struct pod_pool *pool)
{
    for (uint32_t i = 0; i < pool->most; i++)
        if (pool->places[i].state != POD_POOL_EMPTY)
            return false;
    return pool->is_synced && pool->old_count == 0 && pool->calls == 0;
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
static struct pod_pool_place *choose_surplus(struct pod_pool *pool)
{
    struct pod_pool_place *chosen = NULL;

    for (uint32_t i = 0; i < pool->most; i++) {
        struct pod_pool_place *place = &pool->places[i];

        if (place->state == POD_POOL_PENDING ||
            (place->state == POD_POOL_RUNNING && (!chosen || chosen->state == POD_POOL_RUNNING)))
            chosen = place;
    }
    return chosen;
}

static void let_go(struct pod_pool_place *place, int64_t now_ms)
{
    place->state = POD_POOL_LEAVING;
    place->due_ms = now_ms;
}

static void shrink_servers(struct pod_pool *pool, int64_t now_ms)
{
    for (uint32_t i = pool->kept; i < pool->most; i++)
        if (pool->places[i].state == POD_POOL_PENDING || pool->places[i].state == POD_POOL_RUNNING)
            let_go(&pool->places[i], now_ms);
}

static void shrink(struct pod_pool *pool, int64_t now_ms)
{
    uint32_t staying = pod_pool_staying(pool);
    struct pod_pool_place *place;

    if (pool->role == KUBE_SERVER) {
        shrink_servers(pool, now_ms);
        return;
    }
    while (staying > pool->wanted && (place = choose_surplus(pool)) != NULL) {
        let_go(place, now_ms);
        staying--;
    }
}

static struct pod_pool_step delete_place(struct pod_pool *pool, uint32_t index)
{
    struct pod_pool_place *place = &pool->places[index];
    struct pod_pool_step step = {.action = POD_POOL_DELETE,
                                 .role = pool->role,
                                 .index = index,
                                 .incarnation = place->incarnation,
                                 .grace_s = -1};

    memcpy(step.uid, place->uid, sizeof step.uid);
    place->call = POD_POOL_DELETE;
    return step;
}

static struct pod_pool_step delete_old(const struct pod_pool *pool, struct pod_pool_old *old)
{
    struct pod_pool_step step = {.action = POD_POOL_DELETE,
                                 .role = pool->role,
                                 .index = old->index,
                                 .incarnation = old->incarnation,
                                 .grace_s = old->is_lost ? 0 : -1};

    memcpy(step.uid, old->uid, sizeof step.uid);
    old->is_calling = true;
    return step;
}

static struct pod_pool_step create(struct pod_pool *pool, uint32_t index, int64_t now_ms)
{
    struct pod_pool_place *place = &pool->places[index];

    place->state = POD_POOL_ASKED;
    place->call = POD_POOL_CREATE;
    place->due_ms = now_ms + POD_POOL_UNSEEN_MS;
    return (struct pod_pool_step){.action = POD_POOL_CREATE,
                                  .role = pool->role,
                                  .index = index,
                                  .incarnation = place->incarnation,
                                  .memory = place->memory,
                                  .is_full = place->full > 0};
}

static void give_up_stuck(struct pod_pool *pool, int64_t now_ms, int64_t *due_ms)
{
    for (uint32_t i = 0; i < pool->most; i++) {
        const struct pod_pool_place *place = &pool->places[i];

        if (place->state == POD_POOL_LEAVING && place->is_deleted &&
            place->call == POD_POOL_NOTHING && is_due(place->due_ms, now_ms, due_ms))
            pod_pool_on_lost(pool, now_ms, i, place->incarnation);
    }
}

static bool is_missed(const struct pod_pool_place *place, int64_t now_ms, int64_t *due_ms)
{
    if (place->state == POD_POOL_PENDING)
        return place->unheard_ms != 0 &&
               is_due(place->unheard_ms + POD_POOL_UNHEARD_MS, now_ms, due_ms);
    if (place->state != POD_POOL_RUNNING || place->is_here)
        return false;
    return place->is_silent ||
           (place->missed_ms != 0 && is_due(place->missed_ms + POD_POOL_MISSED_MS, now_ms, due_ms));
}

static void give_up_missed(struct pod_pool *pool, int64_t now_ms, int64_t *due_ms)
{
    for (uint32_t i = 0; i < pool->most; i++)
        if (is_missed(&pool->places[i], now_ms, due_ms))
            pod_pool_on_lost(pool, now_ms, i, pool->places[i].incarnation);
}

/* It is not given up: its network may come back, and one that ends is replaced. */
static void tell_unjoined(struct pod_pool *pool, int64_t now_ms, int64_t *due_ms)
{
    for (uint32_t i = 0; i < pool->most && pool->listener.on_unjoined; i++) {
        struct pod_pool_place *place = &pool->places[i];

        if (place->state != POD_POOL_RUNNING || place->unjoined_ms == 0 ||
            place->is_unjoined_told ||
            !is_due(place->unjoined_ms + POD_POOL_UNJOINED_MS, now_ms, due_ms))
            continue;
        place->is_unjoined_told = true;
        pool->listener.on_unjoined(pool->listener.context, pool->role, i, place->incarnation,
                                   place->node);
    }
}

static struct pod_pool_step find_deletion(struct pod_pool *pool, int64_t now_ms, int64_t *due_ms)
{
    for (size_t i = 0; i < pool->old_count; i++) {
        struct pod_pool_old *old = &pool->old[i];

        if (old->is_calling || !is_due(old->due_ms, now_ms, due_ms))
            continue;
        old->is_lost = old->is_lost || old->is_deleted;
        return delete_old(pool, old);
    }
    for (uint32_t i = 0; i < pool->most; i++) {
        struct pod_pool_place *place = &pool->places[i];

        if (place->state == POD_POOL_LEAVING && place->call == POD_POOL_NOTHING &&
            !place->is_deleted && is_due(place->due_ms, now_ms, due_ms))
            return delete_place(pool, i);
    }
    return (struct pod_pool_step){.action = POD_POOL_NOTHING};
}

/* Places that wait before they try again are taken: another index would only be
 * a way around the wait. */
static uint32_t count_waiting(const struct pod_pool *pool, int64_t now_ms)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < pool->most; i++)
        count += pool->places[i].state == POD_POOL_EMPTY && pool->places[i].due_ms > now_ms;
    return count;
}

/* Any index does for a worker; the rows of a server are of its index. */
static bool is_missing(const struct pod_pool *pool, uint32_t index, uint32_t taken)
{
    return pool->role == KUBE_SERVER ? index < pool->wanted : taken < pool->wanted;
}

static struct pod_pool_step find_creation(struct pod_pool *pool, int64_t now_ms, int64_t *due_ms)
{
    uint32_t taken = pod_pool_staying(pool) + count_waiting(pool, now_ms);

    for (uint32_t i = 0; i < pool->most; i++) {
        struct pod_pool_place *place = &pool->places[i];

        if (place->state == POD_POOL_ASKED && place->call == POD_POOL_NOTHING &&
            is_due(place->due_ms, now_ms, due_ms))
            return create(pool, i, now_ms); /* the same again */
    }
    for (uint32_t i = 0; i < pool->most; i++) {
        struct pod_pool_place *place = &pool->places[i];

        if (place->state == POD_POOL_EMPTY && is_due(place->due_ms, now_ms, due_ms) &&
            is_missing(pool, i, taken))
            return create(pool, i, now_ms);
    }
    return (struct pod_pool_step){.action = POD_POOL_NOTHING};
}

/* An image that cannot be had is the job's end only while nothing of it runs:
 * otherwise one node's registry is in the way, and the job goes on without. */
static void judge_obstacles(struct pod_pool *pool, int64_t now_ms, int64_t *due_ms)
{
    if (pod_pool_running(pool) > 0)
        return;
    for (uint32_t i = 0; i < pool->most; i++) {
        const struct pod_pool_place *place = &pool->places[i];

        if (place->state != POD_POOL_PENDING || place->obstacle < POD_NO_IMAGE ||
            !is_due(place->stuck_ms + POD_POOL_IMAGE_MS, now_ms, due_ms) ||
            pool->failure.status != STATUS_OK)
            continue;
        fail(&pool->failure, STATUS_FAILED, "%s %u cannot be started: %s",
             kube_role_title(pool->role), i, place->message);
        error_hint(&pool->failure, place->obstacle == POD_NO_IMAGE
                                       ? "Is the name of the image right, and may the nodes pull "
                                         "it?"
                                       : "kubectl describe pod shows more.");
    }
}

struct pod_pool_step pod_pool_next(struct pod_pool *pool, int64_t now_ms, int64_t *due_ms)
{
    struct pod_pool_step step = {.action = POD_POOL_NOTHING};

    *due_ms = INT64_MAX;
    if (!pool->is_synced)
        return step;
    judge_obstacles(pool, now_ms, due_ms);
    give_up_stuck(pool, now_ms, due_ms);
    give_up_missed(pool, now_ms, due_ms);
    tell_unjoined(pool, now_ms, due_ms);
    if (pool->failure.status != STATUS_OK)
        pool->wanted = pool->kept = 0;
    shrink(pool, now_ms);
    if (pool->calls == POD_POOL_CALLS_MAX)
        return step;
    step = find_deletion(pool, now_ms, due_ms);
    if (step.action == POD_POOL_NOTHING)
        step = find_creation(pool, now_ms, due_ms);
    pool->calls += step.action != POD_POOL_NOTHING;
    return step;
}

static int64_t wait_ms(uint32_t refusals, int64_t retry_after_ms)
{
    int64_t wait = (int64_t)POD_POOL_RETRY_MS_MIN << (refusals < 6 ? refusals : 6);

    if (wait > POD_POOL_RETRY_MS_MAX)
        wait = POD_POOL_RETRY_MS_MAX;
    return retry_after_ms > wait ? retry_after_ms : wait;
}

/* Whether a refusal would come again and again, whatever the cluster's state. Rights and tokens may
 * be changed meanwhile, so a job that runs waits for them. */
static bool is_final(const struct pod_pool *pool, const struct pod_pool_place *place,
                     enum status status)
{
    if (status == STATUS_INVALID || status == STATUS_UNSUPPORTED)
        return true;
    return (status == STATUS_PERMISSION || status == STATUS_NOT_FOUND) &&
           pod_pool_running(pool) == 0 && place->refusals >= POD_POOL_REFUSALS_MAX;
}

static void refused(struct pod_pool *pool, struct pod_pool_place *place, int64_t now_ms,
                    const struct pod_pool_step *step, enum status status, int64_t retry_after_ms,
                    const struct error *err)
{
    pool->refusal = *err;
    pool->refusal.status = status;
    if (pod_pool_refuses_memory(pool, step->index, status)) {
        if (place->state == POD_POOL_ASKED)
            place->state = POD_POOL_EMPTY;
        place->due_ms = now_ms;
        return;
    }
    if (is_final(pool, place, status) && pool->failure.status == STATUS_OK) {
        fail(&pool->failure, status, "%s %u cannot be created: %s", kube_role_title(pool->role),
             step->index, err->message);
        memcpy(pool->failure.hint, err->hint, sizeof pool->failure.hint);
    }
    if (place->state != POD_POOL_ASKED) /* it was seen all the same */
        return;
    place->due_ms = now_ms + wait_ms(place->refusals++, retry_after_ms);
    if (status == STATUS_CONNECTION) /* perhaps it was created: the same name again */
        return;
    place->state = POD_POOL_EMPTY;
    if (status == STATUS_BUSY && retry_after_ms < 0) /* the name is taken, or on its way out */
        place->incarnation++;
}

static void on_created(struct pod_pool *pool, int64_t now_ms, const struct pod_pool_step *step,
                       enum status status, int64_t retry_after_ms, const struct error *err)
{
    struct pod_pool_place *place = &pool->places[step->index];

    if (place->incarnation != step->incarnation)
        return; /* it came, was seen, and went */
    place->call = POD_POOL_NOTHING;
    if (status != STATUS_OK) {
        refused(pool, place, now_ms, step, status, retry_after_ms, err);
        return;
    }
    place->refusals = 0;
    error_clear(&pool->refusal);
    if (place->state == POD_POOL_ASKED)
        place->due_ms = now_ms + POD_POOL_UNSEEN_MS;
}

static void on_deleted(struct pod_pool *pool, int64_t now_ms, const struct pod_pool_step *step,
                       enum status status, int64_t retry_after_ms)
{
    bool is_done = status == STATUS_OK || status == STATUS_NOT_FOUND ||
                   (status == STATUS_BUSY && retry_after_ms < 0);

    if (step->index < pool->most && strcmp(pool->places[step->index].uid, step->uid) == 0) {
        struct pod_pool_place *place = &pool->places[step->index];

        place->call = POD_POOL_NOTHING;
        place->is_deleted = is_done;
        place->due_ms = is_done ? now_ms + POD_POOL_STUCK_MS
                                : now_ms + wait_ms(place->refusals++, retry_after_ms);
        return;
    }
    for (size_t i = 0; i < pool->old_count; i++) {
        struct pod_pool_old *old = &pool->old[i];

        if (strcmp(old->uid, step->uid) != 0)
            continue;
        old->is_calling = false;
        old->is_deleted = is_done && (!old->is_lost || step->grace_s == 0);
        old->due_ms = old->is_deleted ? now_ms + POD_POOL_STUCK_MS
                      : is_done       ? now_ms
                                      : now_ms + wait_ms(old->refusals++, retry_after_ms);
        return;
    }
}

void pod_pool_on_answer(struct pod_pool *pool, int64_t now_ms, const struct pod_pool_step *step,
                        enum status status, int64_t retry_after_ms, const struct error *err)
{
    pool->calls--;
    if (step->action == POD_POOL_CREATE)
        on_created(pool, now_ms, step, status, retry_after_ms, err);
    else
        on_deleted(pool, now_ms, step, status, retry_after_ms);
}

static const struct pod_pool_place *find_worst(const struct pod_pool *pool)
{
    const struct pod_pool_place *worst = NULL;

    for (uint32_t i = 0; i < pool->most; i++) {
        const struct pod_pool_place *place = &pool->places[i];

        if (place->state == POD_POOL_PENDING && place->obstacle != POD_NO_OBSTACLE &&
            (!worst || place->obstacle > worst->obstacle))
            worst = place;
    }
    return worst;
}

enum pod_pool_problem_kind pod_pool_problem_kind(const struct pod_pool *pool)
{
    static const enum pod_pool_problem_kind kinds[] = {[POD_UNSCHEDULABLE] = POD_POOL_UNSCHEDULABLE,
                                                       [POD_NO_IMAGE] = POD_POOL_NO_IMAGE,
                                                       [POD_NO_START] = POD_POOL_NO_START};
    const struct pod_pool_place *worst = find_worst(pool);

    if (pool->failure.status != STATUS_OK)
        return POD_POOL_HAS_FAILED;
    if (worst)
        return kinds[worst->obstacle];
    return pool->refusal.status != STATUS_OK && pod_pool_running(pool) < pool->wanted
               ? POD_POOL_REFUSED
               : POD_POOL_NO_PROBLEM;
}

bool pod_pool_problem(const struct pod_pool *pool, struct error *problem)
{
    const struct pod_pool_place *worst = find_worst(pool);

    switch (pod_pool_problem_kind(pool)) {
    case POD_POOL_NO_PROBLEM:
        return false;
    case POD_POOL_HAS_FAILED:
        *problem = pool->failure;
        return true;
    case POD_POOL_REFUSED:
        *problem = pool->refusal;
        return true;
    default:
        break;
    }
    fail(problem, worst->obstacle == POD_UNSCHEDULABLE ? STATUS_LIMIT : STATUS_FAILED,
         "%u of %u %ss run; %s %u does not: %s", pod_pool_running(pool), pool->wanted,
         kube_role_title(pool->role), kube_role_title(pool->role), (unsigned)(worst - pool->places),
         worst->message);
    return true;
}
