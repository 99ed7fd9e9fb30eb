#include "k8s/controller/pod_pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/launch/exit_code.h"

enum status pod_pool_init(struct pod_pool *pool, uint32_t most, uint32_t wanted, int64_t memory,
                          int64_t memory_max, struct error *err)
{
    memset(pool, 0, sizeof *pool);
    error_clear(&pool->failure);
    error_clear(&pool->refusal);
    if (most < 1 || most > POD_POOL_WORKERS_MAX || wanted > most || memory < 1 ||
        memory > memory_max)
        return fail(err, STATUS_INVALID, "%u of %u workers with %lld to %lld bytes", wanted, most,
                    (long long)memory, (long long)memory_max);
    pool->places = calloc(most, sizeof *pool->places);
    pool->old = calloc(POD_POOL_OLD_MAX, sizeof *pool->old);
    if (!pool->places || !pool->old) {
        pod_pool_deinit(pool);
        return fail_no_memory(err);
    }
    pool->most = most;
    pool->wanted = wanted;
    pool->memory_max = memory_max;
    for (uint32_t i = 0; i < most; i++)
        pool->places[i].memory = memory;
    return STATUS_OK;
}

void pod_pool_of_servers(struct pod_pool *pool)
{
    pool->role = KUBE_SERVER;
    pool->kept = pool->wanted;
    for (uint32_t i = 0; i < pool->most; i++)
        pool->places[i].incarnation = 1;
}

void pod_pool_deinit(struct pod_pool *pool)
{
    free(pool->places);
    free(pool->old);
    pool->places = NULL;
    pool->old = NULL;
}

void pod_pool_want(struct pod_pool *pool, uint32_t wanted)
{
    pool->wanted = wanted < pool->most ? wanted : pool->most;
}

void pod_pool_keep(struct pod_pool *pool, uint32_t least, uint32_t most)
{
    pod_pool_want(pool, least);
    pool->kept = most < pool->most ? most : pool->most;
}

void pod_pool_on_serving(struct pod_pool *pool, uint32_t serving)
{
    if (serving == pool->serving)
        return;
    pool->serving = serving;
    for (uint32_t i = 0; i < pool->most; i++)
        pool->places[i].full = 0;
}

void pod_pool_on_synced(struct pod_pool *pool)
{
    pool->is_synced = true;
}

void pod_pool_on_step(struct pod_pool *pool)
{
    for (uint32_t i = 0; i < pool->most; i++)
        if (pool->places[i].is_here)
            pool->places[i].crashes = 0;
}

/* Is it the process of the place's pod, and not of a predecessor? A later claim has a greater
 * number. */
static bool is_process_of(const struct pod_pool *pool, const struct pod_pool_place *place,
                          uint32_t incarnation)
{
    if (pool->role == KUBE_SERVER && place->state == POD_POOL_RUNNING &&
        incarnation > place->claimed)
        return incarnation >= place->incarnation;
    return incarnation == (place->claimed > 0 ? place->claimed : place->incarnation);
}

void pod_pool_on_worker(struct pod_pool *pool, int64_t now_ms, uint32_t index, uint32_t incarnation,
                        bool is_here)
{
    struct pod_pool_place *place;

    if (index >= pool->most)
        return;
    place = &pool->places[index];
    if (!is_process_of(pool, place, incarnation)) /* its successor is being created */
        return;
    if (is_here && incarnation != place->incarnation)
        place->claimed = incarnation;
    if (is_here)
        place->missed_ms = place->unjoined_ms = 0;
    else if (place->is_here)
        place->missed_ms = now_ms;
    place->is_here = is_here;
}

void pod_pool_on_killed_by_rows(struct pod_pool *pool, uint32_t index)
{
    if (index < pool->most)
        pool->places[index].crashes = 0;
}

static int64_t backoff_ms(uint32_t failures)
{
    int64_t wait_ms = (int64_t)POD_POOL_RETRY_MS_MIN << (failures < 6 ? failures : 6);

    return wait_ms < POD_POOL_RETRY_MS_MAX ? wait_ms : POD_POOL_RETRY_MS_MAX;
}

static void fail_job(struct pod_pool *pool, enum status status, uint32_t index, const char *what,
                     const char *why)
{
    if (pool->failure.status == STATUS_OK)
        fail(&pool->failure, status, "%s %u %s%s%s", kube_role_title(pool->role), index, what,
             *why ? ": " : "", why);
}

/* The next pod of a place is another incarnation. */
static void empty(struct pod_pool_place *place, int64_t due_ms)
{
    place->state = POD_POOL_EMPTY;
    place->incarnation++;
    place->claimed = 0;
    place->uid[0] = place->node[0] = '\0';
    place->call = POD_POOL_NOTHING;
    place->is_deleted = false;
    place->is_here = place->is_silent = place->is_unjoined_told = false;
    place->missed_ms = place->unheard_ms = place->unjoined_ms = 0;
    place->obstacle = POD_NO_OBSTACLE;
    place->due_ms = due_ms;
}

/* A pod that is not, or no longer, the one of its place. A full table forgets it; the next list
 * brings it back. */
static struct pod_pool_old *retire(struct pod_pool *pool, int64_t now_ms, uint32_t index,
                                   uint32_t incarnation, const char *uid)
{
    static struct pod_pool_old nowhere; /* never read */
    struct pod_pool_old *old;

    for (size_t i = 0; i < pool->old_count; i++)
        if (strcmp(pool->old[i].uid, uid) == 0)
            return &pool->old[i];
    if (pool->old_count == POD_POOL_OLD_MAX)
        return &nowhere;
    old = &pool->old[pool->old_count++];
    *old = (struct pod_pool_old){.index = index, .incarnation = incarnation, .due_ms = now_ms};
    memcpy(old->uid, uid, sizeof old->uid);
    return old;
}

static void note_deleted(struct pod_pool_old *old, int64_t now_ms)
{
    if (!old->is_deleted)
        old->due_ms = now_ms + POD_POOL_STUCK_MS;
    old->is_deleted = true;
}

/* With the request to delete it, if one is under way. */
static struct pod_pool_old *retire_place(struct pod_pool *pool, int64_t now_ms, uint32_t index)
{
    struct pod_pool_place *place = &pool->places[index];
    struct pod_pool_old *old = retire(pool, now_ms, index, place->incarnation, place->uid);

    old->is_calling = place->call == POD_POOL_DELETE;
    if (place->is_deleted)
        note_deleted(old, now_ms);
    return old;
}

static void retire_view(struct pod_pool *pool, int64_t now_ms, const struct pod_view *view)
{
    struct pod_pool_old *old = retire(pool, now_ms, view->index, view->incarnation, view->uid);

    if (view->is_leaving && !old->is_lost)
        note_deleted(old, now_ms);
}

static void tell_loss(const struct pod_pool *pool, const struct pod_pool_place *place,
                      enum pod_pool_loss_kind kind, const struct pod_view *view, int64_t had)
{
    const struct pod_pool_loss loss = {.kind = kind,
                                       .role = pool->role,
                                       .index = (uint32_t)(place - pool->places),
                                       .incarnation = place->incarnation,
                                       .node = place->node,
                                       .message = view ? view->message : "",
                                       .exit_code = view ? view->exit_code : -1,
                                       .crashes = place->crashes,
                                       .memory = place->memory,
                                       .had = had};

    if (pool->listener.on_loss && pool->wanted > 0)
        pool->listener.on_loss(pool->listener.context, &loss);
}

/* In the place of the same node's, or of what is over first. */
static void avoid(struct pod_pool *pool, int64_t now_ms, const char *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void avoid(struct pod_pool *pool, int64_t now_ms, const char *node, const char *format, ...)
{
    struct pod_pool_avoided *chosen = &pool->avoided[0];
    char why[POD_POOL_WHY_MAX];
    va_list arguments;
    bool is_known;

    if (!*node)
        return;
    for (size_t i = 0; i < POD_POOL_AVOIDED_MAX; i++) {
        struct pod_pool_avoided *avoided = &pool->avoided[i];

        if (strcmp(avoided->node, node) == 0) {
            chosen = avoided;
            break;
        }
        if (avoided->until_ms < chosen->until_ms)
            chosen = avoided;
    }
    is_known = strcmp(chosen->node, node) == 0 && chosen->until_ms > now_ms;
    memmove(chosen->node, node, strlen(node) + 1);
    chosen->until_ms = now_ms + POD_POOL_AVOIDED_MS;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (!is_known && pool->listener.on_avoided)
        pool->listener.on_avoided(pool->listener.context, node, why);
}

/* False: there may be no more servers either, or this one was full too often already. */
static bool ask_for_servers(struct pod_pool *pool, struct pod_pool_place *place)
{
    const uint32_t twice = pool->serving * 2 < pool->most ? pool->serving * 2 : pool->most;

    if (pool->role != KUBE_SERVER || twice <= pool->serving ||
        ++place->full >= POD_POOL_CRASHES_MAX)
        return false;
    if (pool->asked < twice)
        pool->asked = twice;
    return true;
}

static void fail_for_memory(struct pod_pool *pool, uint32_t index)
{
    if (pool->failure.status != STATUS_OK)
        return;
    fail(&pool->failure, STATUS_LIMIT, "%s %u ran out of the %lld MiB that a %s may have",
         kube_role_title(pool->role), index, (long long)(pool->memory_max >> 20),
         kube_role_title(pool->role));
    error_hint(&pool->failure, "%s",
               pool->role == KUBE_SERVER
                   ? "Give each parameter server more (job.ps_memory), or the job more (job.ps)."
                   : "Give each worker more (job.worker_memory): each holds the whole model. More "
                     "workers share nothing but the rows.");
}

bool pod_pool_refuses_memory(struct pod_pool *pool, uint32_t index, enum status status)
{
    struct pod_pool_place *place = &pool->places[index];

    if (pool->role != KUBE_SERVER || place->had == 0 || place->memory <= place->had ||
        (status != STATUS_PERMISSION && status != STATUS_INVALID))
        return false;
    place->memory = pool->memory_max = place->had;
    if (!ask_for_servers(pool, place))
        fail_for_memory(pool, index);
    return true;
}

/* The pod may be a predecessor's, with less than its place would give by now. */
static void out_of_memory(struct pod_pool *pool, struct pod_pool_place *place,
                          const struct pod_view *view)
{
    int64_t had = view->memory > 0 ? view->memory : place->memory;
    int64_t next = had > pool->memory_max / 2 ? pool->memory_max : had * 2;

    if (had < pool->memory_max)
        place->memory = place->memory > next ? place->memory : next;
    place->had = had;
    tell_loss(pool, place, POD_POOL_LOSS_MEMORY, view, had);
    if (had >= pool->memory_max && !ask_for_servers(pool, place))
        fail_for_memory(pool, view->index);
}

/* The master has another worker, which has not crashed as often itself. No server stands for
 * another one. */
static bool another_works(const struct pod_pool *pool, const struct pod_pool_place *but)
{
    if (pool->role == KUBE_SERVER)
        return false;
    for (uint32_t i = 0; i < pool->most; i++) {
        const struct pod_pool_place *place = &pool->places[i];

        if (place != but && place->is_here && place->crashes < POD_POOL_CRASHES_MAX)
            return true;
    }
    return false;
}

static void crashed(struct pod_pool *pool, struct pod_pool_place *place, uint32_t index,
                    const struct pod_view *view)
{
    const bool is_unsound = view->exit_code == EXIT_UNSOUND;
    char what[96];

    if (++place->crashes < POD_POOL_CRASHES_MAX || another_works(pool, place))
        return;
    snprintf(what, sizeof what, "ended %u times with code %d%s", place->crashes, view->exit_code,
             is_unsound ? ", as its machine computes wrongly" : "");
    fail_job(pool, STATUS_FAILED, index, what, view->message);
}

/* A server keeps its rows' limit by itself, and ends when they need more. */
static bool rows_need_more(const struct pod_pool *pool, const struct pod_view *view)
{
    return pool->role == KUBE_SERVER && view->end == POD_REFUSED &&
           view->exit_code == status_exit_code(STATUS_LIMIT);
}

/* Its rows are elsewhere: the master told it to end. */
static bool is_dismissed(const struct pod_pool *pool, uint32_t index)
{
    return pool->role == KUBE_SERVER && index >= pool->kept;
}

/* The pod of a place ended: what that means, and when the next may come. */
static void judge_end(struct pod_pool *pool, int64_t now_ms, struct pod_pool_place *place,
                      const struct pod_view *view)
{
    uint32_t index = view->index;
    char what[64];

    if (place->state == POD_POOL_LEAVING || is_dismissed(pool, index)) /* asked to end */
        return;
    if (view->end == POD_OUT_OF_MEMORY || rows_need_more(pool, view)) {
        out_of_memory(pool, place, view);
    } else if (view->end == POD_DISRUPTED) {
        tell_loss(pool, place, POD_POOL_LOSS_DISRUPTED, view, 0);
    } else if (view->end == POD_CRASHED) {
        crashed(pool, place, index, view);
        tell_loss(pool, place, POD_POOL_LOSS_CRASH, view, 0);
        if (view->exit_code == EXIT_UNSOUND)
            avoid(pool, now_ms, place->node, "it computes wrongly, as the self-test of %s %u says",
                  kube_role_title(pool->role), index);
        place->due_ms = now_ms + backoff_ms(place->crashes);
    } else if (view->end == POD_REFUSED) {
        snprintf(what, sizeof what, "ended with code %d", view->exit_code);
        fail_job(pool, STATUS_FAILED, index, what, view->message);
    }
}

static void end_place(struct pod_pool *pool, int64_t now_ms, struct pod_pool_place *place,
                      const struct pod_view *view)
{
    place->due_ms = now_ms;
    judge_end(pool, now_ms, place, view);
    (void)retire_place(pool, now_ms, view->index);
    retire_view(pool, now_ms, view);
    empty(place, place->due_ms);
}

static void take_obstacle(struct pod_pool_place *place, int64_t now_ms, const struct pod_view *view)
{
    if (view->obstacle != place->obstacle)
        place->stuck_ms = now_ms;
    place->obstacle = view->obstacle;
    memcpy(place->message, view->message, sizeof place->message);
}

static void update_place(struct pod_pool *pool, int64_t now_ms, struct pod_pool_place *place,
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
        end_place(pool, now_ms, place, view);
        return;
    }
    if (view->is_leaving && place->state != POD_POOL_LEAVING) { /* deleted from outside */
        place->is_deleted = true;
        tell_loss(pool, place, view->is_disrupted ? POD_POOL_LOSS_DISRUPTED : POD_POOL_LOSS_DELETED,
                  view, 0);
        (void)retire_place(pool, now_ms, view->index);
        empty(place, now_ms);
        return;
    }
    if (place->state != POD_POOL_LEAVING) {
        if (view->phase == POD_RUNNING && place->state != POD_POOL_RUNNING && !place->is_here)
            place->unjoined_ms = now_ms;
        place->state = view->phase == POD_RUNNING ? POD_POOL_RUNNING : POD_POOL_PENDING;
    }
    take_obstacle(place, now_ms, view);
}

static bool is_old(const struct pod_pool *pool, const char *uid)
{
    for (size_t i = 0; i < pool->old_count; i++)
        if (strcmp(pool->old[i].uid, uid) == 0)
            return true;
    return false;
}

/* The pod before is no more: what was refused beside it may be granted now. */
static void note_room(struct pod_pool *pool, int64_t now_ms, uint32_t index)
{
    struct pod_pool_place *place;

    if (index >= pool->most)
        return;
    place = &pool->places[index];
    if (place->state != POD_POOL_EMPTY || place->refusals == 0)
        return;
    place->refusals = 0;
    place->due_ms = now_ms;
}

void pod_pool_on_pod(struct pod_pool *pool, int64_t now_ms, const struct pod_view *view)
{
    struct pod_pool_place *place;

    if (view->index >= pool->most || is_old(pool, view->uid)) {
        /* The event is repeated, or the job had more workers before. */
        retire_view(pool, now_ms, view);
        if (view->phase == POD_ENDED)
            note_room(pool, now_ms, view->index);
        return;
    }
    place = &pool->places[view->index];
    if (view->incarnation < place->incarnation) {
        retire_view(pool, now_ms, view);
        return;
    }
    if (view->incarnation > place->incarnation || place->state == POD_POOL_EMPTY) {
        /* A predecessor's. */
        if (place->uid[0])
            (void)retire_place(pool, now_ms, view->index);
        place->incarnation = view->incarnation;
        place->claimed = 0;
        place->state = POD_POOL_PENDING;
        if (view->memory > place->memory && view->memory <= pool->memory_max)
            place->memory = view->memory;
        place->call = POD_POOL_NOTHING;
        place->is_deleted = false;
        place->obstacle = POD_NO_OBSTACLE;
    }
    update_place(pool, now_ms, place, view);
}

void pod_pool_on_gone(struct pod_pool *pool, int64_t now_ms, const char *uid)
{
    for (size_t i = 0; i < pool->old_count; i++)
        if (strcmp(pool->old[i].uid, uid) == 0) {
            note_room(pool, now_ms, pool->old[i].index);
            pool->old[i] = pool->old[--pool->old_count];
            return;
        }
    for (uint32_t i = 0; i < pool->most; i++)
        if (strcmp(pool->places[i].uid, uid) == 0) {
            empty(&pool->places[i], now_ms);
            return;
        }
}

size_t pod_pool_avoided(const struct pod_pool *pool, int64_t now_ms,
                        struct slice nodes[POD_POOL_AVOIDED_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < POD_POOL_AVOIDED_MAX; i++)
        if (pool->avoided[i].until_ms > now_ms)
            nodes[count++] = slice_of(pool->avoided[i].node);
    return count;
}

static void lose_old(struct pod_pool_old *old, int64_t now_ms)
{
    old->is_lost = true;
    old->is_deleted = false;
    old->due_ms = now_ms;
}

void pod_pool_on_lost(struct pod_pool *pool, int64_t now_ms, uint32_t index, uint32_t incarnation)
{
    struct pod_pool_place *place;

    if (index >= pool->most)
        return;
    for (size_t i = 0; i < pool->old_count; i++)
        if (pool->old[i].index == index && pool->old[i].incarnation == incarnation)
            lose_old(&pool->old[i], now_ms);
    place = &pool->places[index];
    if (!is_process_of(pool, place, incarnation) || place->state == POD_POOL_EMPTY ||
        !place->uid[0])
        return;
    if (place->state != POD_POOL_LEAVING)
        tell_loss(pool, place, POD_POOL_LOSS_SILENT, NULL, 0);
    avoid(pool, now_ms, place->node, "%s %u there no longer answers", kube_role_title(pool->role),
          index);
    lose_old(retire_place(pool, now_ms, index), now_ms);
    empty(place, now_ms);
}

void pod_pool_on_slow(struct pod_pool *pool, int64_t now_ms, uint32_t index, uint32_t incarnation,
                      double times)
{
    const struct pod_pool_place *place;

    if (index >= pool->most)
        return;
    place = &pool->places[index];
    if (is_process_of(pool, place, incarnation) && place->state == POD_POOL_RUNNING)
        avoid(pool, now_ms, place->node, "%s %u there takes %.1f times as long as the others",
              kube_role_title(pool->role), index, times);
}
