#include "k8s/controller/pod_pool.h"
#include "k8s/controller/pod_pool_next.h"
#include "runtime/launch/exit_code.h"
#include "tests/check.h"

#define MOST 4
#define MIB  ((int64_t)1 << 20)

struct fixture {
    struct pod_pool pool;
    int64_t now_ms, due_ms;
    struct pod_pool_step step;
};

static void begin(struct fixture *f, uint32_t wanted)
{
    struct error err;

    memset(f, 0, sizeof *f);
    CHECK_OK(pod_pool_init(&f->pool, MOST, wanted, 512 * MIB, 1536 * MIB, &err));
}

static enum pod_pool_action next(struct fixture *f)
{
    f->step = pod_pool_next(&f->pool, f->now_ms, &f->due_ms);
    return f->step.action;
}

static void answer(struct fixture *f, enum status status, const char *message)
{
    struct error err;

    error_clear(&err);
    if (status != STATUS_OK)
        (void)fail(&err, status, "%s", message);
    pod_pool_on_answer(&f->pool, f->now_ms, &f->step, status, -1, &err);
}

/* The list of the pods that were there before is empty. */
static void begin_synced(struct fixture *f, uint32_t count)
{
    begin(f, count);
    pod_pool_on_synced(&f->pool);
}

/* A pod is asked for, and made. */
static void make_pod(struct fixture *f)
{
    CHECK_INT(next(f), POD_POOL_CREATE);
    answer(f, STATUS_OK, "");
}

/* A pod is asked for, and refused; it is now when it is to be asked for again. */
static void wait_after_refusal(struct fixture *f, enum status status, const char *message)
{
    CHECK_INT(next(f), POD_POOL_CREATE);
    answer(f, status, message);
    CHECK_INT(next(f), POD_POOL_NOTHING);
    f->now_ms = f->due_ms;
}

static struct pod_view pod(uint32_t index, uint32_t incarnation, enum pod_phase phase)
{
    struct pod_view view = {
        .index = index, .incarnation = incarnation, .phase = phase, .exit_code = -1};

    snprintf(view.uid, sizeof view.uid, "u%u.%u", index, incarnation);
    return view;
}

static void show(struct fixture *f, struct pod_view view)
{
    pod_pool_on_pod(&f->pool, f->now_ms, &view);
}

static void end_pod(struct fixture *f, uint32_t index, uint32_t incarnation, enum pod_end end,
                    int code)
{
    struct pod_view view = pod(index, incarnation, POD_ENDED);

    view.end = end;
    view.exit_code = code;
    snprintf(view.message, sizeof view.message, "because");
    show(f, view);
    CHECK_INT(next(f), POD_POOL_DELETE); /* the rest of it */
    CHECK(strcmp(f->step.uid, view.uid) == 0);
    answer(f, STATUS_OK, "");
    pod_pool_on_gone(&f->pool, f->now_ms, view.uid);
}

static void gone(struct fixture *f, uint32_t index, uint32_t incarnation)
{
    pod_pool_on_gone(&f->pool, f->now_ms, pod(index, incarnation, POD_ENDED).uid);
}

/* `count` workers run, the first pods of their places. */
static void begin_running(struct fixture *f, uint32_t count)
{
    begin_synced(f, count);
    for (uint32_t i = 0; i < count; i++) {
        make_pod(f);
        show(f, pod(i, 0, POD_RUNNING));
    }
    CHECK_INT(next(f), POD_POOL_NOTHING);
}

static void nothing_is_done_before_the_first_list(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, 2);
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    show(&f, pod(0, 5, POD_RUNNING)); /* the pod of an earlier master */
    show(&f, pod(0, 4, POD_RUNNING));
    show(&f, pod(1, 2, POD_PENDING));
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    pod_pool_on_synced(&f.pool);
    CHECK_INT(next(&f), POD_POOL_DELETE); /* two of one index: the older one */
    CHECK(strcmp(f.step.uid, "u0.4") == 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK_INT(pod_pool_running(&f.pool), 1);
    pod_pool_deinit(&f.pool);
}

static void surplus_stays_pending_and_the_pending_go_first(void **state)
{
    struct pod_view stuck = pod(1, 0, POD_PENDING);
    struct error problem;
    struct fixture f;
    (void)state;

    begin_synced(&f, 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_INT(next(&f), POD_POOL_CREATE);
        CHECK_INT(f.step.index, i);
        answer(&f, STATUS_OK, "");
    }
    show(&f, pod(0, 0, POD_RUNNING));
    show(&f, pod(2, 0, POD_RUNNING));
    stuck.obstacle = POD_UNSCHEDULABLE;
    snprintf(stuck.message, sizeof stuck.message, "0/2 nodes are available");
    show(&f, stuck);
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK(pod_pool_problem(&f.pool, &problem));
    CHECK(strcmp(problem.message,
                 "2 of 3 workers run; worker 1 does not: 0/2 nodes are available") == 0);
    f.now_ms += 10 * POD_POOL_IMAGE_MS; /* room is waited for, whatever it takes */
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK(f.pool.failure.status == STATUS_OK);
    pod_pool_want(&f.pool, 1);
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK(strcmp(f.step.uid, "u1.0") == 0 && f.step.grace_s == -1);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK(strcmp(f.step.uid, "u2.0") == 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    pod_pool_deinit(&f.pool);
}

static void a_place_that_leaves_is_not_filled_before_it_is_empty(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 2);
    pod_pool_want(&f.pool, 1);
    CHECK_INT(next(&f), POD_POOL_DELETE);
    answer(&f, STATUS_OK, "");
    pod_pool_want(&f.pool, 2);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.index, 2); /* 1 hands back its work */
    answer(&f, STATUS_OK, "");
    show(&f, pod(2, 0, POD_RUNNING));
    pod_pool_on_gone(&f.pool, 0, "u1.0");
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    pod_pool_want(&f.pool, 3);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK(f.step.index == 1 && f.step.incarnation == 1);
    pod_pool_deinit(&f.pool);
}

static void disruptions_are_never_counted(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 1);
    for (uint32_t i = 0; i < 10; i++) {
        end_pod(&f, 0, i, i % 2 ? POD_DONE : POD_DISRUPTED, i % 2 ? 0 : 137);
        CHECK_INT(next(&f), POD_POOL_CREATE); /* at once */
        CHECK_INT(f.step.incarnation, i + 1);
        CHECK(f.step.memory == 512 * MIB);
        answer(&f, STATUS_OK, "");
        show(&f, pod(0, i + 1, POD_RUNNING));
    }
    pod_pool_on_gone(&f.pool, 0, "u0.10"); /* it was deleted with force */
    CHECK_INT(next(&f), POD_POOL_CREATE);
    pod_pool_deinit(&f.pool);
}

static void crashes_in_a_row_fail_the_job_and_steps_forgive_them(void **state)
{
    struct fixture f;
    uint32_t incarnation = 0;
    (void)state;

    begin_running(&f, 1);
    for (int round = 0; round < 2; round++) {
        for (int i = 1; i < POD_POOL_CRASHES_MAX; i++) {
            end_pod(&f, 0, incarnation, POD_CRASHED, 139);
            CHECK_INT(next(&f), POD_POOL_NOTHING); /* not at once, and no other index instead */
            CHECK(f.due_ms > f.now_ms);
            f.now_ms = f.due_ms;
            CHECK_INT(next(&f), POD_POOL_CREATE);
            CHECK_INT(f.step.incarnation, ++incarnation);
            answer(&f, STATUS_OK, "");
            show(&f, pod(0, incarnation, POD_RUNNING));
        }
        pod_pool_on_worker(&f.pool, f.now_ms, 0, incarnation, round == 0);
        pod_pool_on_step(&f.pool); /* which it was there for, or not */
    }
    end_pod(&f, 0, incarnation, POD_CRASHED, 139);
    CHECK(f.pool.failure.status == STATUS_FAILED);
    CHECK(strcmp(f.pool.failure.message, "worker 0 ended 3 times with code 139: because") == 0);
    f.now_ms += 100000;
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    pod_pool_deinit(&f.pool);
}

static void a_worker_that_crashes_again_and_again_does_not_fail_the_job_of_another(void **state)
{
    struct fixture f;
    uint32_t incarnation = 0;
    int64_t waited = 0;
    (void)state;

    begin_running(&f, 2);
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, true);
    for (int i = 0; i < 2 * POD_POOL_CRASHES_MAX; i++) {
        end_pod(&f, 1, incarnation, POD_CRASHED, 3);
        CHECK_INT(next(&f), POD_POOL_NOTHING);
        CHECK(f.due_ms - f.now_ms >= waited); /* later and later, whatever steps the other takes */
        waited = f.due_ms - f.now_ms;
        pod_pool_on_step(&f.pool);
        f.now_ms = f.due_ms;
        CHECK_INT(next(&f), POD_POOL_CREATE);
        CHECK_INT(f.step.incarnation, ++incarnation);
        answer(&f, STATUS_OK, "");
        show(&f, pod(1, incarnation, POD_RUNNING));
    }
    CHECK_INT(f.pool.failure.status, STATUS_OK);
    CHECK(waited > POD_POOL_RETRY_MS_MIN << POD_POOL_CRASHES_MAX);
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, false); /* now no worker works */
    end_pod(&f, 1, incarnation, POD_CRASHED, 3);
    CHECK_INT(f.pool.failure.status, STATUS_FAILED);
    pod_pool_deinit(&f.pool);
}

static void memory_doubles_up_to_the_cap(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 1);
    end_pod(&f, 0, 0, POD_OUT_OF_MEMORY, 137);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK(f.step.memory == 1024 * MIB);
    answer(&f, STATUS_OK, "");
    end_pod(&f, 0, 1, POD_OUT_OF_MEMORY, 137);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK(f.step.memory == 1536 * MIB);
    answer(&f, STATUS_OK, "");
    end_pod(&f, 0, 2, POD_OUT_OF_MEMORY, 137);
    CHECK(f.pool.failure.status == STATUS_LIMIT);
    CHECK(strstr(f.pool.failure.message, "worker 0 ran out of the 1536 MiB"));
    CHECK(strstr(f.pool.failure.hint, "job.worker_memory): each holds the whole model"));
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    pod_pool_deinit(&f.pool);
}

static void an_end_that_would_come_again_fails_the_job_at_once(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 2);
    end_pod(&f, 0, 0, POD_REFUSED, 4);
    CHECK(strcmp(f.pool.failure.message, "worker 0 ended with code 4: because") == 0);
    CHECK_INT(next(&f), POD_POOL_DELETE); /* the other one */
    CHECK_INT(f.step.index, 1);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    pod_pool_deinit(&f.pool);
}

static void an_image_that_cannot_be_had_fails_a_job_of_which_nothing_runs(void **state)
{
    struct pod_view stuck = pod(1, 0, POD_PENDING);
    struct fixture f;
    (void)state;

    for (int runs = 0; runs < 2; runs++) {
        begin(&f, 2);
        pod_pool_on_synced(&f.pool);
        for (int i = 0; i < 2; i++) {
            make_pod(&f);
        }
        show(&f, pod(0, 0, runs ? POD_RUNNING : POD_PENDING));
        stuck.obstacle = POD_NO_IMAGE;
        snprintf(stuck.message, sizeof stuck.message, "ImagePullBackOff: not found");
        show(&f, stuck);
        CHECK_INT(next(&f), POD_POOL_NOTHING);
        CHECK(runs || f.due_ms == POD_POOL_IMAGE_MS);
        f.now_ms = POD_POOL_IMAGE_MS - 1;
        show(&f, stuck); /* saying it again does not begin the time anew */
        CHECK_INT(next(&f), POD_POOL_NOTHING);
        f.now_ms = POD_POOL_IMAGE_MS;
        (void)next(&f);
        CHECK(f.pool.failure.status == (runs ? STATUS_OK : STATUS_FAILED));
        CHECK(runs || strstr(f.pool.failure.message, "cannot be started: ImagePullBackOff"));
        pod_pool_deinit(&f.pool);
    }
}

static void a_quota_is_waited_for_and_named(void **state)
{
    struct error problem;
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    for (int i = 0; i < 20; i++) {
        CHECK_INT(next(&f), POD_POOL_CREATE);
        CHECK_INT(f.step.incarnation, 0);
        answer(&f, STATUS_LIMIT, "exceeded quota: totrain");
        CHECK_INT(next(&f), POD_POOL_NOTHING);
        CHECK(f.due_ms > f.now_ms && f.due_ms <= f.now_ms + POD_POOL_RETRY_MS_MAX);
        f.now_ms = f.due_ms;
        CHECK(pod_pool_problem(&f.pool, &problem));
        CHECK(strcmp(problem.message, "exceeded quota: totrain") == 0);
    }
    make_pod(&f);
    CHECK(!pod_pool_problem(&f.pool, &problem));
    pod_pool_deinit(&f.pool);
}

static void what_the_api_will_never_take_fails_the_job(void **state)
{
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    answer(&f, STATUS_INVALID, "spec.containers[0].image: Required value");
    CHECK(strcmp(f.pool.failure.message,
                 "worker 0 cannot be created: spec.containers[0].image: Required value") == 0);
    pod_pool_deinit(&f.pool);
    begin_synced(&f, 1);
    for (int i = 0; i <= POD_POOL_REFUSALS_MAX; i++) { /* a role may be a moment late */
        CHECK(f.pool.failure.status == STATUS_OK);
        wait_after_refusal(&f, STATUS_PERMISSION, "pods is forbidden");
    }
    CHECK(f.pool.failure.status == STATUS_PERMISSION);
    pod_pool_deinit(&f.pool);
}

static void an_answer_that_was_lost_is_asked_for_under_the_same_name(void **state)
{
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    wait_after_refusal(&f, STATUS_CONNECTION, "cut");
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.incarnation, 0);
    show(&f, pod(0, 0, POD_PENDING)); /* it was created the first time, and is seen now */
    answer(&f, STATUS_OK, "");        /* adopted */
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK(f.due_ms == INT64_MAX);
    pod_pool_deinit(&f.pool);
}

static void a_name_that_is_taken_is_left_for_the_next(void **state)
{
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    wait_after_refusal(&f, STATUS_BUSY, "Pod \"x\" of before is still being deleted");
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.incarnation, 1);
    pod_pool_deinit(&f.pool);
}

static void a_pod_that_is_never_seen_is_asked_for_again(void **state)
{
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    make_pod(&f);
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK(f.due_ms == POD_POOL_UNSEEN_MS);
    f.now_ms = f.due_ms;
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.incarnation, 0);
    pod_pool_deinit(&f.pool);
}

static void a_lost_worker_is_replaced_at_once_and_its_pod_deleted_with_force(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 2);
    pod_pool_on_lost(&f.pool, 0, 0, 0);
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK(strcmp(f.step.uid, "u0.0") == 0 && f.step.grace_s == 0);
    answer(&f, STATUS_CONNECTION, "cut");
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK(f.step.index == 0 && f.step.incarnation == 1);
    answer(&f, STATUS_OK, "");
    show(&f, pod(0, 1, POD_RUNNING));
    show(&f, pod(0, 0, POD_RUNNING)); /* the node is back for a moment */
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    f.now_ms = f.due_ms;
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK(strcmp(f.step.uid, "u0.0") == 0 && f.step.grace_s == 0);
    answer(&f, STATUS_NOT_FOUND, "");
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK_INT(pod_pool_running(&f.pool), 2);
    pod_pool_deinit(&f.pool);
}

static void a_predecessors_pod_with_less_memory_is_no_reason_to_give_up(void **state)
{
    struct pod_view view = pod(0, 2, POD_ENDED);
    struct fixture f;
    (void)state;

    begin_running(&f, 1);
    end_pod(&f, 0, 0, POD_OUT_OF_MEMORY, 137);
    make_pod(&f);
    end_pod(&f, 0, 1, POD_OUT_OF_MEMORY, 137);
    view.end = POD_OUT_OF_MEMORY; /* a request that was long on its way */
    view.memory = 512 * MIB;
    show(&f, view);
    CHECK(f.pool.failure.status == STATUS_OK);
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK(f.step.memory == 1536 * MIB);
    pod_pool_deinit(&f.pool);
}

static struct pod_view leaving(uint32_t index, uint32_t incarnation)
{
    struct pod_view view = pod(index, incarnation, POD_RUNNING);

    view.is_leaving = true;
    return view;
}

static void a_pod_that_does_not_go_is_given_up(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 1);
    show(&f, leaving(0, 0)); /* by the node's controller */
    make_pod(&f);
    show(&f, pod(0, 1, POD_RUNNING));
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK(f.due_ms == POD_POOL_STUCK_MS);
    f.now_ms = f.due_ms;
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK(strcmp(f.step.uid, "u0.0") == 0 && f.step.grace_s == 0);
    pod_pool_deinit(&f.pool);
}

static void what_somebody_deletes_is_replaced_while_it_ends(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, MOST); /* no other index is free */
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, true);
    show(&f, leaving(0, 0));
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK(f.step.index == 0 && f.step.incarnation == 1);
    answer(&f, STATUS_OK, "");
    show(&f, pod(0, 1, POD_PENDING));
    show(&f, leaving(0, 0)); /* its status changes */
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    f.now_ms = 2 * POD_POOL_MISSED_MS;
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, true); /* it works on: another group */
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, false);
    show(&f, pod(0, 1, POD_RUNNING)); /* the report was about the pod before */
    f.now_ms += 2 * POD_POOL_MISSED_MS;
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    gone(&f, 0, 0);
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK_INT(pod_pool_running(&f.pool), MOST);
    pod_pool_deinit(&f.pool);
}

static void a_worker_that_is_lost_while_it_leaves_takes_its_successor_not_along(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, MOST);
    show(&f, leaving(0, 0));
    make_pod(&f);
    show(&f, pod(0, 1, POD_RUNNING));
    pod_pool_on_lost(&f.pool, f.now_ms, 0, 0);
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK(strcmp(f.step.uid, "u0.0") == 0 && f.step.grace_s == 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    pod_pool_deinit(&f.pool);
}

static void a_quota_that_counts_the_one_before_is_tried_again_when_it_is_gone(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, MOST);
    show(&f, leaving(0, 0));
    for (int i = 0; i < 5; i++) {
        CHECK_INT(next(&f), POD_POOL_CREATE);
        answer(&f, STATUS_LIMIT, "exceeded quota");
        CHECK_INT(next(&f), POD_POOL_NOTHING);
        CHECK(f.due_ms > f.now_ms);
        f.now_ms = f.due_ms;
    }
    CHECK_INT(next(&f), POD_POOL_CREATE);
    answer(&f, STATUS_LIMIT, "exceeded quota");
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    gone(&f, 0, 0);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK(f.step.index == 0 && f.step.incarnation == 1);
    CHECK(f.pool.failure.status == STATUS_OK);
    pod_pool_deinit(&f.pool);
}

static void requests_under_way_have_a_limit(void **state)
{
    struct pod_pool pool;
    struct error err;
    int64_t due_ms;
    (void)state;

    CHECK_OK(pod_pool_init(&pool, 100, 100, MIB, MIB, &err));
    pod_pool_on_synced(&pool);
    for (int i = 0; i < POD_POOL_CALLS_MAX; i++)
        CHECK_INT(pod_pool_next(&pool, 0, &due_ms).action, POD_POOL_CREATE);
    CHECK_INT(pod_pool_next(&pool, 0, &due_ms).action, POD_POOL_NOTHING);
    pod_pool_deinit(&pool);
    CHECK_FAILS(pod_pool_init(&pool, 2, 3, MIB, MIB, &err), STATUS_INVALID, "3 of 2 workers");
}

static void a_worker_that_rows_killed_did_not_crash(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 1);
    for (uint32_t incarnation = 0; incarnation < 3 * POD_POOL_CRASHES_MAX; incarnation++) {
        if (incarnation > 0) {
            f.now_ms += POD_POOL_RETRY_MS_MAX;
            make_pod(&f);
            show(&f, pod(0, incarnation, POD_RUNNING));
        }
        end_pod(&f, 0, incarnation, POD_CRASHED, 139);
        pod_pool_on_killed_by_rows(&f.pool, 0);
        pod_pool_on_killed_by_rows(&f.pool, MOST); /* no such worker */
    }
    CHECK_INT(f.pool.failure.status, STATUS_OK);
    pod_pool_deinit(&f.pool);
}

static void it_is_empty_when_the_last_pod_is_gone(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, 0);
    CHECK(!pod_pool_is_empty(&f.pool));
    pod_pool_on_synced(&f.pool);
    CHECK(pod_pool_is_empty(&f.pool));
    pod_pool_deinit(&f.pool);

    begin_running(&f, 1);
    pod_pool_want(&f.pool, 0);
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK(!pod_pool_is_empty(&f.pool));
    answer(&f, STATUS_OK, "");
    CHECK(!pod_pool_is_empty(&f.pool));
    pod_pool_on_gone(&f.pool, f.now_ms, "u0.0");
    CHECK(pod_pool_is_empty(&f.pool));
    pod_pool_deinit(&f.pool);
}

/* The node dies and its connections are closed, while the API server says that the pod runs. */
static void a_pod_that_runs_without_its_worker_is_lost(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 2);
    f.now_ms = 1000;
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, true);
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, false);
    pod_pool_on_worker(&f.pool, f.now_ms, MOST, 0, false); /* no such worker */
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK_INT(f.due_ms, f.now_ms + POD_POOL_MISSED_MS);
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, true); /* it was only cut off */
    f.now_ms += POD_POOL_MISSED_MS;
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, false);
    f.now_ms += POD_POOL_MISSED_MS;
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK_INT(f.step.grace_s, 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.incarnation, 1);
    pod_pool_deinit(&f.pool);
}

static void a_worker_on_a_silent_node_is_lost_if_the_master_does_not_have_it(void **state)
{
    struct fixture f;
    struct pod_view silent = pod(0, 0, POD_RUNNING);
    (void)state;

    silent.is_silent = true;
    begin_running(&f, 1);
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, true);
    show(&f, silent);
    CHECK_INT(next(&f), POD_POOL_NOTHING); /* it is the API server that does not hear it */
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 0, false);
    CHECK_INT(next(&f), POD_POOL_DELETE);
    pod_pool_deinit(&f.pool);
}

static void a_pod_that_its_node_does_not_know_is_made_again(void **state)
{
    struct fixture f;
    struct pod_view unheard = pod(0, 0, POD_PENDING);
    (void)state;

    begin(&f, 1);
    f.now_ms = 1000;
    pod_pool_on_synced(&f.pool);
    make_pod(&f);
    unheard.is_unheard = true;
    show(&f, unheard);
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    f.now_ms += POD_POOL_UNHEARD_MS / 2;
    show(&f, unheard);
    f.now_ms += POD_POOL_UNHEARD_MS / 2 - 1;
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK_INT(f.due_ms, f.now_ms + 1);
    f.now_ms++;
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK_INT(f.step.grace_s, 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.incarnation, 1);
    pod_pool_deinit(&f.pool);
}

static struct pod_view pod_on(uint32_t index, uint32_t incarnation, const char *node)
{
    struct pod_view view = pod(index, incarnation, POD_RUNNING);

    snprintf(view.node, sizeof view.node, "%s", node);
    return view;
}

static void a_node_that_lost_a_worker_is_avoided_for_a_while(void **state)
{
    struct slice nodes[POD_POOL_AVOIDED_MAX];
    struct fixture f;
    char name[32];
    (void)state;

    begin_running(&f, 2);
    show(&f, pod_on(0, 0, "a"));
    show(&f, pod_on(1, 0, "b"));
    CHECK_INT(pod_pool_avoided(&f.pool, 0, nodes), 0);
    end_pod(&f, 1, 0, POD_CRASHED, 139); /* nothing is wrong with its node */
    CHECK_INT(pod_pool_avoided(&f.pool, 0, nodes), 0);
    pod_pool_on_lost(&f.pool, 0, 0, 0);
    CHECK_INT(pod_pool_avoided(&f.pool, 0, nodes), 1);
    CHECK_SLICE(nodes[0], "a");
    CHECK_INT(pod_pool_avoided(&f.pool, POD_POOL_AVOIDED_MS - 1, nodes), 1);
    CHECK_INT(pod_pool_avoided(&f.pool, POD_POOL_AVOIDED_MS, nodes), 0);
    for (uint32_t i = 1; i <= 2 * POD_POOL_AVOIDED_MAX; i++) { /* the last ones, each once */
        snprintf(name, sizeof name, "n%u", i / 2);
        show(&f, pod_on(0, i, name));
        pod_pool_on_lost(&f.pool, i, 0, i);
    }
    CHECK_INT(pod_pool_avoided(&f.pool, 100, nodes), POD_POOL_AVOIDED_MAX);
    for (size_t i = 0; i < POD_POOL_AVOIDED_MAX; i++)
        CHECK(!slice_is(nodes[i], "a"));
    pod_pool_deinit(&f.pool);
}

struct avoided {
    char node[POD_NODE_MAX], why[POD_POOL_WHY_MAX];
    int count;
};

static void hear_avoided(void *context, const char *node, const char *why)
{
    struct avoided *avoided = context;

    snprintf(avoided->node, sizeof avoided->node, "%s", node);
    snprintf(avoided->why, sizeof avoided->why, "%s", why);
    avoided->count++;
}

static void a_machine_that_computes_wrongly_is_said_to_do_so(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 1);
    for (uint32_t i = 0; i < POD_POOL_CRASHES_MAX; i++) {
        if (i > 0) {
            CHECK_INT(next(&f), POD_POOL_NOTHING);
            f.now_ms = f.due_ms;
            CHECK_INT(next(&f), POD_POOL_CREATE);
            answer(&f, STATUS_OK, "");
            show(&f, pod(0, i, POD_RUNNING));
        }
        end_pod(&f, 0, i, POD_CRASHED, EXIT_UNSOUND);
    }
    assert_string_equal(f.pool.failure.message,
                        "worker 0 ended 3 times with code 6, as its machine "
                        "computes wrongly: because");
    pod_pool_deinit(&f.pool);
}

static void nodes_that_are_slow_or_compute_wrongly_are_avoided_with_a_reason(void **state)
{
    struct avoided heard = {.count = 0};
    struct pod_view view;
    struct slice nodes[POD_POOL_AVOIDED_MAX];
    struct fixture f;
    (void)state;

    begin_running(&f, 3);
    f.pool.listener = (struct pod_pool_listener){&heard, NULL, hear_avoided, NULL};
    show(&f, pod_on(0, 0, "a"));
    show(&f, pod_on(1, 0, "b"));
    show(&f, pod_on(2, 0, "c"));
    pod_pool_on_slow(&f.pool, 0, 0, 0, 2.44);
    assert_string_equal(heard.node, "a");
    assert_string_equal(heard.why, "worker 0 there takes 2.4 times as long as the others");
    pod_pool_on_slow(&f.pool, 1, 0, 0, 3); /* it is avoided already */
    CHECK_INT(heard.count, 1);
    pod_pool_on_slow(&f.pool, 1, 1, 7, 3); /* an older incarnation, or no worker at all */
    pod_pool_on_slow(&f.pool, 1, 9, 0, 3);
    CHECK_INT(heard.count, 1);
    CHECK_INT(pod_pool_avoided(&f.pool, POD_POOL_AVOIDED_MS, nodes), 1); /* since the second time */
    view = pod_on(1, 0, "b");
    view.phase = POD_ENDED;
    view.end = POD_CRASHED;
    view.exit_code = EXIT_UNSOUND;
    show(&f, view);
    assert_string_equal(heard.node, "b");
    assert_string_equal(heard.why, "it computes wrongly, as the self-test of worker 1 says");
    pod_pool_on_lost(&f.pool, 1, 2, 0);
    assert_string_equal(heard.node, "c");
    assert_string_equal(heard.why, "worker 2 there no longer answers");
    CHECK_INT(pod_pool_avoided(&f.pool, 2, nodes), 3);
    CHECK_INT(f.pool.failure.status, STATUS_OK);
    pod_pool_on_slow(&f.pool, POD_POOL_AVOIDED_MS + 1, 0, 0, 3); /* it was forgotten meanwhile */
    CHECK_INT(heard.count, 4);
    pod_pool_deinit(&f.pool);
}

struct unjoined {
    enum kube_role role;
    uint32_t index, incarnation;
    char node[POD_NODE_MAX];
    int count;
};

static void hear_unjoined(void *context, enum kube_role role, uint32_t index, uint32_t incarnation,
                          const char *node)
{
    struct unjoined *unjoined = context;

    unjoined->role = role;
    unjoined->index = index;
    unjoined->incarnation = incarnation;
    snprintf(unjoined->node, sizeof unjoined->node, "%s", node);
    unjoined->count++;
}

static void a_worker_that_never_joins_is_told_of_once(void **state)
{
    struct unjoined heard = {.count = 0};
    struct pod_view view;
    struct fixture f;
    int64_t due_ms;
    (void)state;

    begin_synced(&f, 2);
    f.pool.listener = (struct pod_pool_listener){&heard, NULL, NULL, hear_unjoined};
    for (uint32_t i = 0; i < 2; i++) {
        make_pod(&f);
        view = pod_on(i, 0, i == 0 ? "a" : "b");
        pod_pool_on_pod(&f.pool, 5, &view);
        pod_pool_on_pod(&f.pool, 6, &view); /* it was running already */
    }
    pod_pool_on_worker(&f.pool, 10, 0, 0, true);
    (void)pod_pool_next(&f.pool, 11, &due_ms);
    CHECK_INT(heard.count, 0);
    CHECK_INT(due_ms, 5 + POD_POOL_UNJOINED_MS);
    for (int again = 0; again < 2; again++)
        (void)pod_pool_next(&f.pool, 5 + POD_POOL_UNJOINED_MS, &due_ms);
    CHECK_INT(heard.count, 1);
    CHECK_INT(heard.role, KUBE_WORKER);
    CHECK_INT(heard.index, 1);
    CHECK_INT(heard.incarnation, 0);
    assert_string_equal(heard.node, "b");
    CHECK_INT(f.pool.places[1].state, POD_POOL_RUNNING); /* it stays */
    pod_pool_on_worker(&f.pool, 100000, 1, 0, true);
    pod_pool_on_worker(&f.pool, 100001, 1, 0, false); /* a loss: it came before */
    CHECK_INT(f.pool.places[1].unjoined_ms, 0);
    pod_pool_deinit(&f.pool);
}

struct losses {
    struct pod_pool_loss last;
    int count;
};

static void hear_loss(void *context, const struct pod_pool_loss *loss)
{
    struct losses *losses = context;

    losses->last = *loss;
    losses->count++;
}

static void each_loss_is_told_once_with_its_reason(void **state)
{
    struct losses losses = {.count = 0};
    struct pod_view view;
    struct fixture f;
    (void)state;

    begin_running(&f, 4);
    f.pool.listener = (struct pod_pool_listener){&losses, hear_loss, NULL, NULL};
    end_pod(&f, 0, 0, POD_OUT_OF_MEMORY, 137);
    CHECK_INT(losses.last.kind, POD_POOL_LOSS_MEMORY);
    CHECK_INT(losses.last.had / MIB, 512);
    CHECK_INT(losses.last.memory / MIB, 1024);
    view = pod(1, 0, POD_RUNNING);
    view.is_leaving = true;
    show(&f, view);
    CHECK_INT(losses.last.kind, POD_POOL_LOSS_DELETED);
    show(&f, view);
    view.phase = POD_ENDED;
    view.end = POD_DISRUPTED;
    show(&f, view);
    CHECK_INT(losses.count, 2);
    view = pod(2, 0, POD_RUNNING);
    view.is_leaving = view.is_disrupted = true;
    show(&f, view);
    CHECK_INT(losses.last.kind, POD_POOL_LOSS_DISRUPTED);
    CHECK_INT(losses.last.index, 2);
    pod_pool_on_lost(&f.pool, f.now_ms, 3, 0);
    CHECK_INT(losses.last.kind, POD_POOL_LOSS_SILENT);
    CHECK_INT(losses.count, 4);
    pod_pool_deinit(&f.pool);
}

static void who_leaves_as_it_should_is_no_loss(void **state)
{
    struct losses losses = {.count = 0};
    struct pod_view view;
    struct fixture f;
    (void)state;

    begin_running(&f, 3);
    f.pool.listener = (struct pod_pool_listener){&losses, hear_loss, NULL, NULL};
    pod_pool_want(&f.pool, 2);
    CHECK_INT(next(&f), POD_POOL_DELETE);
    answer(&f, STATUS_OK, "");
    view = pod(2, 0, POD_RUNNING);
    view.is_leaving = true;
    show(&f, view);
    f.now_ms += POD_POOL_STUCK_MS; /* it stays: its node is dead */
    CHECK_INT(next(&f), POD_POOL_DELETE);
    pod_pool_want(&f.pool, 0); /* the job is over */
    view = pod(0, 0, POD_RUNNING);
    view.is_leaving = true;
    show(&f, view);
    CHECK_INT(losses.count, 0);
    pod_pool_deinit(&f.pool);
}

/* ----- parameter servers ----- */

static void begin_servers(struct fixture *f, uint32_t count)
{
    begin_synced(f, count);
    pod_pool_of_servers(&f->pool);
    for (uint32_t i = 0; i < count; i++) {
        make_pod(f);
        CHECK_INT(f->step.role, KUBE_SERVER);
        show(f, pod(i, 1, POD_RUNNING));
        pod_pool_on_worker(&f->pool, f->now_ms, i, 1, true);
    }
    CHECK_INT(next(f), POD_POOL_NOTHING);
}

static void no_server_stands_for_another_one(void **state)
{
    struct fixture f;
    (void)state;

    begin_servers(&f, 2);
    for (uint32_t crash = 0; crash < POD_POOL_CRASHES_MAX; crash++) {
        end_pod(&f, 0, crash + 1, POD_CRASHED, 139);
        if (next(&f) == POD_POOL_NOTHING)
            f.now_ms = f.due_ms;
        if (crash + 1 == POD_POOL_CRASHES_MAX)
            break;
        if (f.step.action == POD_POOL_NOTHING)
            CHECK_INT(next(&f), POD_POOL_CREATE);
        answer(&f, STATUS_OK, "");
        show(&f, pod(0, crash + 2, POD_RUNNING));
    }
    CHECK(strcmp(f.pool.failure.message, "server 0 ended 3 times with code 139: because") == 0);
    pod_pool_deinit(&f.pool);
}

static void a_server_whose_rows_have_no_room_gets_more(void **state)
{
    struct fixture f;
    (void)state;

    begin_servers(&f, 2);
    end_pod(&f, 1, 1, POD_REFUSED, status_exit_code(STATUS_LIMIT));
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.memory, 1024 * MIB);
    answer(&f, STATUS_OK, "");
    show(&f, pod(1, 2, POD_RUNNING));
    end_pod(&f, 1, 2, POD_OUT_OF_MEMORY, 137);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.memory, 1536 * MIB);
    answer(&f, STATUS_OK, "");
    show(&f, pod(1, 3, POD_RUNNING));
    end_pod(&f, 1, 3, POD_REFUSED, status_exit_code(STATUS_LIMIT));
    CHECK_INT(f.pool.failure.status, STATUS_LIMIT);
    CHECK(strstr(f.pool.failure.message, "server 1 ran out of the 1536 MiB"));
    CHECK(strstr(f.pool.failure.hint, "job.ps_memory"));
    pod_pool_deinit(&f.pool);
}

/* Its index was claimed more often than this master's pool knows. */
static void a_server_may_call_itself_by_a_greater_number(void **state)
{
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    pod_pool_of_servers(&f.pool);
    make_pod(&f);
    show(&f, pod(0, 1, POD_RUNNING));
    pod_pool_on_worker(&f.pool, f.now_ms, 0, 7, true);
    pod_pool_on_lost(&f.pool, f.now_ms, 0, 6); /* the one before */
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    pod_pool_on_lost(&f.pool, f.now_ms, 0, 7);
    CHECK_INT(next(&f), POD_POOL_DELETE);
    CHECK_INT(f.step.grace_s, 0);
    answer(&f, STATUS_OK, "");
    make_pod(&f);
    CHECK_INT(f.step.incarnation, 2);
    pod_pool_deinit(&f.pool);
}

/* The rows of a server are of its index. */
static void the_master_says_which_servers_are_needed_and_which_go(void **state)
{
    struct losses losses = {.count = 0};
    struct fixture f;
    (void)state;

    begin_servers(&f, 2);
    f.pool.listener = (struct pod_pool_listener){&losses, hear_loss, NULL, NULL};
    pod_pool_keep(&f.pool, 4, 4);
    for (uint32_t i = 2; i < 4; i++) {
        make_pod(&f);
        CHECK_INT(f.step.index, i);
        show(&f, pod(i, 1, POD_RUNNING));
    }
    pod_pool_keep(&f.pool, 1, 4); /* it is not known where the rows are */
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    end_pod(&f, 0, 1, POD_DISRUPTED, 137);
    losses.count = 0;
    pod_pool_keep(&f.pool, 2, 2); /* server 0 is not here, and yet not one of those that go */
    for (uint32_t i = 2; i < 4; i++) {
        CHECK_INT(next(&f), POD_POOL_DELETE);
        CHECK_INT(f.step.index, i);
        answer(&f, STATUS_OK, "");
    }
    make_pod(&f);
    CHECK_INT(f.step.index, 0);
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK_INT(losses.count, 0);
    pod_pool_deinit(&f.pool);
}

/* After END a server may have ended before its Pod is deleted. */
static void a_server_that_was_dismissed_may_end_as_it_likes(void **state)
{
    struct fixture f;
    (void)state;

    begin_servers(&f, 2);
    pod_pool_keep(&f.pool, 1, 1);
    end_pod(&f, 1, 1, POD_REFUSED, 2);
    CHECK_INT(next(&f), POD_POOL_NOTHING);
    CHECK_INT(f.pool.failure.status, STATUS_OK);
    pod_pool_keep(&f.pool, 2, 2);
    make_pod(&f);
    CHECK_INT(f.step.incarnation, 2);
    pod_pool_deinit(&f.pool);
}

/* Server 1 has as much as the cap allows, and needs more. */
static void fill_server(struct fixture *f, uint32_t incarnation)
{
    end_pod(f, 1, incarnation, POD_REFUSED, status_exit_code(STATUS_LIMIT));
    if (f->pool.failure.status != STATUS_OK)
        return;
    CHECK_INT(next(f), POD_POOL_CREATE);
    CHECK_INT(f->step.memory, 1536 * MIB);
    CHECK(f->step.is_full);
    answer(f, STATUS_OK, "");
    show(f, pod(1, incarnation + 1, POD_RUNNING));
}

static void begin_with_room_for_servers(struct fixture *f, int64_t memory)
{
    begin_servers(f, 2);
    pod_pool_keep(&f->pool, 2, MOST);
    pod_pool_on_serving(&f->pool, 2);
    f->pool.places[1].memory = memory;
}

static void twice_the_servers_are_asked_for_where_one_may_have_no_more(void **state)
{
    struct fixture f;
    (void)state;

    begin_with_room_for_servers(&f, 1536 * MIB);
    fill_server(&f, 1);
    CHECK_INT(f.pool.asked, 4);
    fill_server(&f, 2); /* before the rows have moved */
    CHECK_INT(f.pool.asked, 4);
    CHECK_INT(f.pool.failure.status, STATUS_OK);
    pod_pool_on_step(&f.pool); /* steps that are done again are no way out */
    fill_server(&f, 3);
    CHECK(strstr(f.pool.failure.message, "server 1 ran out of the 1536 MiB"));
    pod_pool_deinit(&f.pool);
}

static void what_was_full_counts_no_more_when_rows_have_moved(void **state)
{
    struct fixture f;
    (void)state;

    begin_with_room_for_servers(&f, 1536 * MIB);
    fill_server(&f, 1);
    fill_server(&f, 2);
    f.pool.asked = 0;
    pod_pool_on_serving(&f.pool, 3);
    end_pod(&f, 1, 3, POD_DISRUPTED, 137);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK(!f.step.is_full);
    answer(&f, STATUS_OK, "");
    show(&f, pod(1, 4, POD_RUNNING));
    fill_server(&f, 4);
    CHECK_INT(f.pool.asked, 4); /* the most that there may be */
    CHECK_INT(f.pool.failure.status, STATUS_OK);
    pod_pool_on_serving(&f.pool, 4);
    fill_server(&f, 5);
    CHECK_INT(f.pool.failure.status, STATUS_LIMIT);
    pod_pool_deinit(&f.pool);
}

/* A LimitRange of the namespace. */
static void memory_that_the_api_refuses_is_not_asked_for_again(void **state)
{
    struct fixture f;
    (void)state;

    begin_with_room_for_servers(&f, 512 * MIB);
    end_pod(&f, 1, 1, POD_OUT_OF_MEMORY, 137);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.memory, 1024 * MIB);
    CHECK(!f.step.is_full);
    answer(&f, STATUS_PERMISSION, "maximum memory usage per Container is 512Mi, but limit is 1Gi");
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.memory, 512 * MIB);
    CHECK(f.step.is_full);
    CHECK_INT(f.pool.asked, 4);
    answer(&f, STATUS_OK, "");
    show(&f, pod(1, 2, POD_RUNNING));
    end_pod(&f, 0, 1, POD_OUT_OF_MEMORY, 137);
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.memory, 512 * MIB);
    CHECK(f.step.is_full);
    CHECK_INT(f.pool.failure.status, STATUS_OK);
    pod_pool_deinit(&f.pool);
}

/* Twice the servers would need more of it than twice the memory of one. */
static void a_quota_is_no_reason_for_more_servers(void **state)
{
    struct fixture f;
    (void)state;

    begin_with_room_for_servers(&f, 512 * MIB);
    end_pod(&f, 1, 1, POD_OUT_OF_MEMORY, 137);
    wait_after_refusal(&f, STATUS_LIMIT, "exceeded quota");
    CHECK_INT(next(&f), POD_POOL_CREATE);
    CHECK_INT(f.step.memory, 1024 * MIB);
    CHECK_INT(f.pool.asked, 0);
    pod_pool_deinit(&f.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_lost_a_worker_is_avoided_for_a_while),
        cmocka_unit_test(a_machine_that_computes_wrongly_is_said_to_do_so),
        cmocka_unit_test(a_worker_that_never_joins_is_told_of_once),
        cmocka_unit_test(nodes_that_are_slow_or_compute_wrongly_are_avoided_with_a_reason),
        cmocka_unit_test(nothing_is_done_before_the_first_list),
        cmocka_unit_test(no_server_stands_for_another_one),
        cmocka_unit_test(a_server_whose_rows_have_no_room_gets_more),
        cmocka_unit_test(a_server_may_call_itself_by_a_greater_number),
        cmocka_unit_test(the_master_says_which_servers_are_needed_and_which_go),
        cmocka_unit_test(a_server_that_was_dismissed_may_end_as_it_likes),
        cmocka_unit_test(twice_the_servers_are_asked_for_where_one_may_have_no_more),
        cmocka_unit_test(what_was_full_counts_no_more_when_rows_have_moved),
        cmocka_unit_test(memory_that_the_api_refuses_is_not_asked_for_again),
        cmocka_unit_test(a_quota_is_no_reason_for_more_servers),
        cmocka_unit_test(each_loss_is_told_once_with_its_reason),
        cmocka_unit_test(who_leaves_as_it_should_is_no_loss),
        cmocka_unit_test(surplus_stays_pending_and_the_pending_go_first),
        cmocka_unit_test(a_place_that_leaves_is_not_filled_before_it_is_empty),
        cmocka_unit_test(disruptions_are_never_counted),
        cmocka_unit_test(crashes_in_a_row_fail_the_job_and_steps_forgive_them),
        cmocka_unit_test(a_worker_that_crashes_again_and_again_does_not_fail_the_job_of_another),
        cmocka_unit_test(memory_doubles_up_to_the_cap),
        cmocka_unit_test(an_end_that_would_come_again_fails_the_job_at_once),
        cmocka_unit_test(an_image_that_cannot_be_had_fails_a_job_of_which_nothing_runs),
        cmocka_unit_test(a_quota_is_waited_for_and_named),
        cmocka_unit_test(what_the_api_will_never_take_fails_the_job),
        cmocka_unit_test(an_answer_that_was_lost_is_asked_for_under_the_same_name),
        cmocka_unit_test(a_name_that_is_taken_is_left_for_the_next),
        cmocka_unit_test(a_pod_that_is_never_seen_is_asked_for_again),
        cmocka_unit_test(a_lost_worker_is_replaced_at_once_and_its_pod_deleted_with_force),
        cmocka_unit_test(a_predecessors_pod_with_less_memory_is_no_reason_to_give_up),
        cmocka_unit_test(a_pod_that_does_not_go_is_given_up),
        cmocka_unit_test(what_somebody_deletes_is_replaced_while_it_ends),
        cmocka_unit_test(a_worker_that_is_lost_while_it_leaves_takes_its_successor_not_along),
        cmocka_unit_test(a_quota_that_counts_the_one_before_is_tried_again_when_it_is_gone),
        cmocka_unit_test(requests_under_way_have_a_limit),
        cmocka_unit_test(a_worker_that_rows_killed_did_not_crash),
        cmocka_unit_test(it_is_empty_when_the_last_pod_is_gone),
        cmocka_unit_test(a_pod_that_runs_without_its_worker_is_lost),
        cmocka_unit_test(a_worker_on_a_silent_node_is_lost_if_the_master_does_not_have_it),
        cmocka_unit_test(a_pod_that_its_node_does_not_know_is_made_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
