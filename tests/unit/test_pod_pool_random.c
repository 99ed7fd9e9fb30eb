/*
 * A thousand histories of a model of a cluster: slots that come and go, pods that
 * crash, run out of memory, are preempted and deleted by others, nodes that die,
 * requests and answers that are late or lost, views that skip what happened in
 * between, masters that start anew while requests of their predecessors are still
 * on their way. When it comes to rest, as many workers run as are wanted and have
 * room, the rest is pending, nothing else is left, and nothing is done any more.
 * A seed as the argument plays that one alone.
 */
#include <stdlib.h>

#include "base/random.h"
#include "k8s/controller/pod_pool.h"
#include "k8s/controller/pod_pool_next.h"
#include "tests/unit/histories.h"

#define HISTORIES  1000
#define STEPS      400
#define MOST       6
#define PODS       256 /* at a time */
#define CALLS      64
#define MIB        ((int64_t)1 << 20)
#define MEMORY_MAX (2048 * MIB)

struct model_pod {
    bool exists, is_leaving, is_frozen, was_running;
    uint32_t index, incarnation, uid, changed;
    int64_t memory;
    enum pod_phase phase;
    enum pod_end end;
    int exit_code;
};

struct call {
    bool is_open, is_orphan; /* is_orphan: a call of a master that is no more */
    bool is_executed;
    struct pod_pool_step step;
    enum status status;
};

struct model {
    uint64_t seed, draws;
    int64_t now_ms;
    struct pod_pool pool;
    uint32_t wanted, slots, quota, uids, changes;
    int64_t need; /* bytes that a worker really takes */
    struct model_pod pods[PODS];
    uint32_t known[PODS]; /* changes that the master saw of each pod, by place */
    uint32_t known_uid[PODS];
    struct call calls[CALLS];
    uint64_t creates, deletes;
};

static uint32_t draw(struct model *model, uint32_t below)
{
    return (uint32_t)(random_bits(model->seed, RANDOM_SIMULATION, model->draws++, 0) % below);
}

static void check(const struct model *model, bool holds, const char *what)
{
    if (!holds)
        check_failed("seed %llu: %s", (unsigned long long)model->seed, what);
}

static void touch(struct model *model, struct model_pod *pod)
{
    pod->changed = ++model->changes;
}

static uint32_t count_pods(const struct model *model, bool (*is)(const struct model_pod *pod))
{
    uint32_t count = 0;

    for (int i = 0; i < PODS; i++)
        count += model->pods[i].exists && is(&model->pods[i]);
    return count;
}

static bool is_any(const struct model_pod *pod)
{
    return pod->exists;
}

static bool holds_slot(const struct model_pod *pod)
{
    return pod->phase == POD_RUNNING && !pod->is_frozen;
}

static bool is_well(const struct model_pod *pod)
{
    return pod->phase == POD_RUNNING && !pod->is_leaving;
}

static bool is_waiting(const struct model_pod *pod)
{
    return pod->phase == POD_PENDING && !pod->is_leaving;
}

static void end_pod(struct model *model, struct model_pod *pod, enum pod_end end, int code)
{
    pod->phase = POD_ENDED;
    pod->end = end;
    pod->exit_code = code;
    touch(model, pod);
}

/* The API server. */

static enum status create(struct model *model, const struct pod_pool_step *step)
{
    struct model_pod *place = NULL;

    for (int i = 0; i < PODS; i++) {
        struct model_pod *pod = &model->pods[i];

        if (!pod->exists)
            place = place ? place : pod;
        else if (pod->index == step->index && pod->incarnation == step->incarnation)
            return pod->is_leaving ? STATUS_BUSY : STATUS_OK; /* adopted */
    }
    if (count_pods(model, is_any) >= model->quota)
        return STATUS_LIMIT;
    check(model, place != NULL, "too many pods");
    check(model, step->memory <= MEMORY_MAX, "more memory than allowed");
    *place = (struct model_pod){.exists = true,
                                .index = step->index,
                                .incarnation = step->incarnation,
                                .uid = ++model->uids,
                                .memory = step->memory};
    touch(model, place);
    model->creates++;
    return STATUS_OK;
}

static enum status erase(struct model *model, const struct pod_pool_step *step)
{
    for (int i = 0; i < PODS; i++) {
        struct model_pod *pod = &model->pods[i];
        char uid[POD_UID_MAX];

        snprintf(uid, sizeof uid, "%u", pod->uid);
        if (!pod->exists || strcmp(uid, step->uid) != 0)
            continue;
        model->deletes++;
        if (pod->phase != POD_RUNNING || step->grace_s == 0)
            pod->exists = false;
        pod->is_leaving = true;
        touch(model, pod);
        return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}

/* The cluster does one thing. */
static void live(struct model *model, bool is_faulty)
{
    struct model_pod *pod = &model->pods[draw(model, PODS)];

    for (int i = 0; i < PODS && !pod->exists; i++)
        pod = &model->pods[draw(model, PODS)];
    if (!pod->exists)
        return;
    if (pod->phase == POD_PENDING && pod->is_leaving) {
        pod->exists = false;
    } else if (pod->phase == POD_PENDING && count_pods(model, holds_slot) < model->slots) {
        pod->phase = POD_RUNNING;
        pod->was_running = true;
        touch(model, pod);
    } else if (pod->phase == POD_RUNNING && pod->is_leaving && !pod->is_frozen) {
        if (draw(model, 2))
            end_pod(model, pod, POD_DISRUPTED, 137);
        else
            end_pod(model, pod, POD_DONE, 0);
        if (draw(model, 2))
            pod->exists = false;
    } else if (pod->phase == POD_ENDED && pod->is_leaving) {
        pod->exists = false;
    } else if (pod->phase == POD_RUNNING && !pod->is_frozen &&
               count_pods(model, holds_slot) > model->slots) { /* a pod of higher priority */
        pod->is_leaving = true;
        touch(model, pod);
    } else if (pod->phase == POD_RUNNING && pod->memory < model->need && !pod->is_frozen) {
        end_pod(model, pod, POD_OUT_OF_MEMORY, 137);
    } else if (is_faulty && pod->phase == POD_RUNNING && !pod->is_frozen) {
        switch (draw(model, 12)) {
        case 0:
            end_pod(model, pod, POD_CRASHED, 139);
            break;
        case 1:
            end_pod(model, pod, POD_DISRUPTED, -1); /* evicted */
            break;
        case 2:
            pod->is_leaving = true; /* preempted, or by a user with kubectl */
            touch(model, pod);
            break;
        case 3:
            pod->is_frozen = true; /* its node is dead */
            break;
        case 4:
            pod->exists = false; /* with force */
            break;
        default:
            break;
        }
    }
}

/* The master's side. */

static struct pod_view view_of(const struct model_pod *pod)
{
    struct pod_view view = {.index = pod->index,
                            .incarnation = pod->incarnation,
                            .memory = pod->memory,
                            .is_leaving = pod->is_leaving,
                            .phase = pod->phase,
                            .end = pod->end,
                            .exit_code = pod->exit_code};

    snprintf(view.uid, sizeof view.uid, "%u", pod->uid);
    return view;
}

/* Looks like the watcher after a relist: first at pods that are gone, then at those that
 * changed. */
static void look(struct model *model)
{
    for (int i = 0; i < PODS; i++) {
        struct model_pod *pod = &model->pods[i];
        char uid[POD_UID_MAX];

        if (model->known_uid[i] && (!pod->exists || pod->uid != model->known_uid[i])) {
            snprintf(uid, sizeof uid, "%u", model->known_uid[i]);
            pod_pool_on_gone(&model->pool, model->now_ms, uid);
            model->known_uid[i] = 0;
        }
        if (pod->exists && (model->known_uid[i] == 0 || model->known[i] != pod->changed)) {
            struct pod_view view = view_of(pod);

            pod_pool_on_pod(&model->pool, model->now_ms, &view);
            model->known_uid[i] = pod->uid;
            model->known[i] = pod->changed;
        }
    }
    pod_pool_on_synced(&model->pool);
}

/* Heartbeats that stopped: the master knows only workers that it has seen. */
static void miss(struct model *model)
{
    for (int i = 0; i < PODS; i++) {
        const struct model_pod *pod = &model->pods[i];

        if (pod->exists && pod->is_frozen && pod->was_running)
            pod_pool_on_lost(&model->pool, model->now_ms, pod->index, pod->incarnation);
    }
}

static void start_calls(struct model *model)
{
    struct pod_pool_step step;
    int64_t due_ms;

    for (;;) {
        struct call *call = model->calls;

        while (call < model->calls + CALLS && call->is_open)
            call++;
        if (call == model->calls + CALLS) /* orphans hold them all */
            return;
        step = pod_pool_next(&model->pool, model->now_ms, &due_ms);
        if (step.action == POD_POOL_NOTHING)
            return;
        *call = (struct call){.is_open = true, .step = step};
    }
}

static void answer(struct model *model, struct call *call, bool is_faulty)
{
    enum status status = call->status;
    struct error err;

    error_clear(&err);
    if (is_faulty && draw(model, 5) == 0)
        status = STATUS_CONNECTION;
    if (status != STATUS_OK)
        (void)fail(&err, status, "no");
    call->is_open = false;
    if (!call->is_orphan)
        pod_pool_on_answer(&model->pool, model->now_ms, &call->step, status, -1, &err);
}

/* A request reaches the server, or not; later its answer reaches the master. */
static void carry(struct model *model, bool is_faulty)
{
    struct call *call = &model->calls[draw(model, CALLS)];

    for (int i = 0; i < CALLS && !call->is_open; i++)
        call = &model->calls[i];
    if (!call->is_open)
        return;
    if (call->is_executed) {
        answer(model, call, is_faulty);
        return;
    }
    call->is_executed = true;
    if (is_faulty && draw(model, 6) == 0)
        call->status = STATUS_CONNECTION;
    else
        call->status = call->step.action == POD_POOL_CREATE ? create(model, &call->step)
                                                            : erase(model, &call->step);
}

static void start_master(struct model *model)
{
    struct error err;

    for (int i = 0; i < CALLS; i++)
        model->calls[i].is_orphan = true;
    pod_pool_deinit(&model->pool);
    memset(model->known_uid, 0, sizeof model->known_uid);
    CHECK_OK(pod_pool_init(&model->pool, MOST, model->wanted, 512 * MIB, MEMORY_MAX, &err));
}

/* A step that all were there for, also those that were not yet seen to run: what
 * crashed before it has not crashed in a row. */
static void work(struct model *model)
{
    for (uint32_t i = 0; i < MOST; i++) {
        struct pod_pool_place *place = &model->pool.places[i];
        const bool was_here = place->is_here;

        place->is_here = true;
        pod_pool_on_step(&model->pool);
        place->is_here = was_here;
    }
}

static void step(struct model *model, bool is_faulty)
{
    model->now_ms += draw(model, is_faulty ? 300 : 2000);
    for (uint32_t i = draw(model, 6); i > 0; i--)
        live(model, is_faulty);
    for (uint32_t i = draw(model, 6); i > 0; i--)
        carry(model, is_faulty);
    if (draw(model, 2))
        look(model);
    if (draw(model, 4) == 0)
        miss(model);
    if (draw(model, 3) == 0)
        work(model);
    if (is_faulty && draw(model, 40) == 0)
        start_master(model);
    if (is_faulty && draw(model, 20) == 0)
        pod_pool_want(&model->pool, model->wanted = draw(model, MOST) + 1);
    if (is_faulty && draw(model, 20) == 0)
        model->slots = draw(model, MOST + 2);
    start_calls(model);
    check(model, model->pool.failure.status == STATUS_OK, model->pool.failure.message);
}

static void check_at_rest(struct model *model)
{
    uint32_t running = model->wanted < model->slots ? model->wanted : model->slots;

    check(model, count_pods(model, is_well) == running, "another number runs");
    check(model, count_pods(model, is_waiting) == model->wanted - running, "another number waits");
    check(model, count_pods(model, is_any) == model->wanted, "something else is left");
    check(model, pod_pool_running(&model->pool) == running, "the master counts another number");
}

static void play(uint64_t seed)
{
    struct model *model = calloc(1, sizeof *model);
    uint64_t creates, deletes;

    CHECK(model);
    model->seed = seed;
    model->wanted = draw(model, MOST) + 1;
    model->slots = draw(model, MOST + 2);
    model->quota = MOST + draw(model, 30);
    model->need = (int64_t)(256 + draw(model, 1700)) * MIB;
    start_master(model);
    for (int i = 0; i < STEPS; i++)
        step(model, true);
    model->quota = PODS;
    for (int i = 0; i < STEPS; i++)
        step(model, false);
    check_at_rest(model);
    creates = model->creates;
    deletes = model->deletes;
    for (int i = 0; i < STEPS / 4; i++)
        step(model, false);
    check(model, creates == model->creates && deletes == model->deletes,
          "it does not come to rest");
    pod_pool_deinit(&model->pool);
    free(model);
}

int main(int argc, char **argv)
{
    return run_histories(argc, argv, "after_any_history_those_run_who_are_wanted", play, HISTORIES);
}
