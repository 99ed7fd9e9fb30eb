#include "k8s/controller/roster.h"
#include "k8s/controller/roster_next.h"
#include "tests/check.h"

#define MOST 4
#define MIB  ((int64_t)1 << 20)

struct fixture {
    struct roster roster;
    int64_t now_ms, due_ms;
    struct roster_step step;
};

static void begin(struct fixture *f, uint32_t wanted)
{
    struct error err;

    memset(f, 0, sizeof *f);
    CHECK_OK(roster_init(&f->roster, MOST, wanted, 512 * MIB, 1536 * MIB, &err));
}

static enum roster_action next(struct fixture *f)
{
    f->step = roster_next(&f->roster, f->now_ms, &f->due_ms);
    return f->step.action;
}

static void answer(struct fixture *f, enum status status, const char *message)
{
    struct error err;

    error_clear(&err);
    if (status != STATUS_OK)
        (void)fail(&err, status, "%s", message);
    roster_on_answer(&f->roster, f->now_ms, &f->step, status, -1, &err);
}

/* The list of the pods that were there before is empty. */
static void begin_synced(struct fixture *f, uint32_t count)
{
    begin(f, count);
    roster_on_synced(&f->roster);
}

/* A pod is asked for, and made. */
static void make_pod(struct fixture *f)
{
    CHECK_INT(next(f), ROSTER_CREATE);
    answer(f, STATUS_OK, "");
}

/* A pod is asked for, and refused; it is now when it is to be asked for again. */
static void wait_after_refusal(struct fixture *f, enum status status, const char *message)
{
    CHECK_INT(next(f), ROSTER_CREATE);
    answer(f, status, message);
    CHECK_INT(next(f), ROSTER_NOTHING);
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
    roster_on_pod(&f->roster, f->now_ms, &view);
}

static void end_pod(struct fixture *f, uint32_t index, uint32_t incarnation, enum pod_end end,
                    int code)
{
    struct pod_view view = pod(index, incarnation, POD_ENDED);

    view.end = end;
    view.exit_code = code;
    snprintf(view.message, sizeof view.message, "because");
    show(f, view);
    CHECK_INT(next(f), ROSTER_DELETE); /* what is left of it */
    CHECK(strcmp(f->step.uid, view.uid) == 0);
    answer(f, STATUS_OK, "");
    roster_on_gone(&f->roster, f->now_ms, view.uid);
}

static void gone(struct fixture *f, uint32_t index, uint32_t incarnation)
{
    roster_on_gone(&f->roster, f->now_ms, pod(index, incarnation, POD_ENDED).uid);
}

/* `count` workers run, the first pods of their places. */
static void begin_running(struct fixture *f, uint32_t count)
{
    begin_synced(f, count);
    for (uint32_t i = 0; i < count; i++) {
        make_pod(f);
        show(f, pod(i, 0, POD_RUNNING));
    }
    CHECK_INT(next(f), ROSTER_NOTHING);
}

static void nothing_is_done_before_the_first_list(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, 2);
    CHECK_INT(next(&f), ROSTER_NOTHING);
    show(&f, pod(0, 5, POD_RUNNING)); /* of the master that was here before */
    show(&f, pod(0, 4, POD_RUNNING));
    show(&f, pod(1, 2, POD_PENDING));
    CHECK_INT(next(&f), ROSTER_NOTHING);
    roster_on_synced(&f.roster);
    CHECK_INT(next(&f), ROSTER_DELETE); /* two of one index: the older one */
    CHECK(strcmp(f.step.uid, "u0.4") == 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK_INT(roster_running(&f.roster), 1);
    roster_deinit(&f.roster);
}

static void surplus_stays_pending_and_the_pending_go_first(void **state)
{
    struct pod_view stuck = pod(1, 0, POD_PENDING);
    struct error problem;
    struct fixture f;
    (void)state;

    begin_synced(&f, 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_INT(next(&f), ROSTER_CREATE);
        CHECK_INT(f.step.index, i);
        answer(&f, STATUS_OK, "");
    }
    show(&f, pod(0, 0, POD_RUNNING));
    show(&f, pod(2, 0, POD_RUNNING));
    stuck.obstacle = POD_UNSCHEDULABLE;
    snprintf(stuck.message, sizeof stuck.message, "0/2 nodes are available");
    show(&f, stuck);
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK(roster_problem(&f.roster, &problem));
    CHECK(strcmp(problem.message,
                 "2 of 3 workers run; worker 1 does not: 0/2 nodes are available") == 0);
    f.now_ms += 10 * ROSTER_IMAGE_MS; /* room is waited for, whatever it takes */
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK(f.roster.failure.status == STATUS_OK);
    roster_want(&f.roster, 1);
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK(strcmp(f.step.uid, "u1.0") == 0 && f.step.grace_s == -1);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK(strcmp(f.step.uid, "u2.0") == 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), ROSTER_NOTHING);
    roster_deinit(&f.roster);
}

static void a_place_that_leaves_is_not_filled_before_it_is_empty(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 2);
    roster_want(&f.roster, 1);
    CHECK_INT(next(&f), ROSTER_DELETE);
    answer(&f, STATUS_OK, "");
    roster_want(&f.roster, 2);
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK_INT(f.step.index, 2); /* 1 hands back its work */
    answer(&f, STATUS_OK, "");
    show(&f, pod(2, 0, POD_RUNNING));
    roster_on_gone(&f.roster, 0, "u1.0");
    CHECK_INT(next(&f), ROSTER_NOTHING);
    roster_want(&f.roster, 3);
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK(f.step.index == 1 && f.step.incarnation == 1);
    roster_deinit(&f.roster);
}

static void disruptions_are_never_counted(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 1);
    for (uint32_t i = 0; i < 10; i++) {
        end_pod(&f, 0, i, i % 2 ? POD_DONE : POD_DISRUPTED, i % 2 ? 0 : 137);
        CHECK_INT(next(&f), ROSTER_CREATE); /* at once */
        CHECK_INT(f.step.incarnation, i + 1);
        CHECK(f.step.memory == 512 * MIB);
        answer(&f, STATUS_OK, "");
        show(&f, pod(0, i + 1, POD_RUNNING));
    }
    roster_on_gone(&f.roster, 0, "u0.10"); /* somebody deleted it with force */
    CHECK_INT(next(&f), ROSTER_CREATE);
    roster_deinit(&f.roster);
}

static void crashes_in_a_row_fail_the_job_and_steps_forgive_them(void **state)
{
    struct fixture f;
    uint32_t incarnation = 0;
    (void)state;

    begin_running(&f, 1);
    for (int round = 0; round < 2; round++) {
        for (int i = 1; i < ROSTER_CRASHES_MAX; i++) {
            end_pod(&f, 0, incarnation, POD_CRASHED, 139);
            CHECK_INT(next(&f), ROSTER_NOTHING); /* not at once, and no other index instead */
            CHECK(f.due_ms > f.now_ms);
            f.now_ms = f.due_ms;
            CHECK_INT(next(&f), ROSTER_CREATE);
            CHECK_INT(f.step.incarnation, ++incarnation);
            answer(&f, STATUS_OK, "");
            show(&f, pod(0, incarnation, POD_RUNNING));
        }
        roster_on_worker(&f.roster, f.now_ms, 0, incarnation, round == 0);
        roster_on_step(&f.roster); /* which it was there for, or not */
    }
    end_pod(&f, 0, incarnation, POD_CRASHED, 139);
    CHECK(f.roster.failure.status == STATUS_FAILED);
    CHECK(strcmp(f.roster.failure.message, "worker 0 ended 3 times with code 139: because") == 0);
    f.now_ms += 100000;
    CHECK_INT(next(&f), ROSTER_NOTHING);
    roster_deinit(&f.roster);
}

static void a_worker_that_crashes_again_and_again_does_not_fail_the_job_of_another(void **state)
{
    struct fixture f;
    uint32_t incarnation = 0;
    int64_t waited = 0;
    (void)state;

    begin_running(&f, 2);
    roster_on_worker(&f.roster, f.now_ms, 0, 0, true);
    for (int i = 0; i < 2 * ROSTER_CRASHES_MAX; i++) {
        end_pod(&f, 1, incarnation, POD_CRASHED, 3);
        CHECK_INT(next(&f), ROSTER_NOTHING);
        CHECK(f.due_ms - f.now_ms >= waited); /* later and later, whatever steps the other takes */
        waited = f.due_ms - f.now_ms;
        roster_on_step(&f.roster);
        f.now_ms = f.due_ms;
        CHECK_INT(next(&f), ROSTER_CREATE);
        CHECK_INT(f.step.incarnation, ++incarnation);
        answer(&f, STATUS_OK, "");
        show(&f, pod(1, incarnation, POD_RUNNING));
    }
    CHECK_INT(f.roster.failure.status, STATUS_OK);
    CHECK(waited > ROSTER_RETRY_MS_MIN << ROSTER_CRASHES_MAX);
    roster_on_worker(&f.roster, f.now_ms, 0, 0, false); /* now nobody works */
    end_pod(&f, 1, incarnation, POD_CRASHED, 3);
    CHECK_INT(f.roster.failure.status, STATUS_FAILED);
    roster_deinit(&f.roster);
}

static void memory_doubles_up_to_the_cap(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 1);
    end_pod(&f, 0, 0, POD_OUT_OF_MEMORY, 137);
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK(f.step.memory == 1024 * MIB);
    answer(&f, STATUS_OK, "");
    end_pod(&f, 0, 1, POD_OUT_OF_MEMORY, 137);
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK(f.step.memory == 1536 * MIB);
    answer(&f, STATUS_OK, "");
    end_pod(&f, 0, 2, POD_OUT_OF_MEMORY, 137);
    CHECK(f.roster.failure.status == STATUS_LIMIT);
    CHECK(strstr(f.roster.failure.message, "worker 0 ran out of the 1536 MiB"));
    CHECK_INT(next(&f), ROSTER_NOTHING);
    roster_deinit(&f.roster);
}

static void an_end_that_would_come_again_fails_the_job_at_once(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 2);
    end_pod(&f, 0, 0, POD_REFUSED, 4);
    CHECK(strcmp(f.roster.failure.message, "worker 0 ended with code 4: because") == 0);
    CHECK_INT(next(&f), ROSTER_DELETE); /* the other one */
    CHECK_INT(f.step.index, 1);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), ROSTER_NOTHING);
    roster_deinit(&f.roster);
}

static void an_image_that_cannot_be_had_fails_a_job_of_which_nothing_runs(void **state)
{
    struct pod_view stuck = pod(1, 0, POD_PENDING);
    struct fixture f;
    (void)state;

    for (int runs = 0; runs < 2; runs++) {
        begin(&f, 2);
        roster_on_synced(&f.roster);
        for (int i = 0; i < 2; i++) {
            make_pod(&f);
        }
        show(&f, pod(0, 0, runs ? POD_RUNNING : POD_PENDING));
        stuck.obstacle = POD_NO_IMAGE;
        snprintf(stuck.message, sizeof stuck.message, "ImagePullBackOff: not found");
        show(&f, stuck);
        CHECK_INT(next(&f), ROSTER_NOTHING);
        CHECK(runs || f.due_ms == ROSTER_IMAGE_MS);
        f.now_ms = ROSTER_IMAGE_MS - 1;
        show(&f, stuck); /* saying it again does not begin the time anew */
        CHECK_INT(next(&f), ROSTER_NOTHING);
        f.now_ms = ROSTER_IMAGE_MS;
        (void)next(&f);
        CHECK(f.roster.failure.status == (runs ? STATUS_OK : STATUS_FAILED));
        CHECK(runs || strstr(f.roster.failure.message, "cannot be started: ImagePullBackOff"));
        roster_deinit(&f.roster);
    }
}

static void a_quota_is_waited_for_and_named(void **state)
{
    struct error problem;
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    for (int i = 0; i < 20; i++) {
        CHECK_INT(next(&f), ROSTER_CREATE);
        CHECK_INT(f.step.incarnation, 0);
        answer(&f, STATUS_LIMIT, "exceeded quota: totrain");
        CHECK_INT(next(&f), ROSTER_NOTHING);
        CHECK(f.due_ms > f.now_ms && f.due_ms <= f.now_ms + ROSTER_RETRY_MS_MAX);
        f.now_ms = f.due_ms;
        CHECK(roster_problem(&f.roster, &problem));
        CHECK(strcmp(problem.message, "exceeded quota: totrain") == 0);
    }
    make_pod(&f);
    CHECK(!roster_problem(&f.roster, &problem));
    roster_deinit(&f.roster);
}

static void what_the_api_will_never_take_fails_the_job(void **state)
{
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    CHECK_INT(next(&f), ROSTER_CREATE);
    answer(&f, STATUS_INVALID, "spec.containers[0].image: Required value");
    CHECK(strcmp(f.roster.failure.message,
                 "worker 0 cannot be created: spec.containers[0].image: Required value") == 0);
    roster_deinit(&f.roster);
    begin_synced(&f, 1);
    for (int i = 0; i <= ROSTER_REFUSALS_MAX; i++) { /* a role may be a moment late */
        CHECK(f.roster.failure.status == STATUS_OK);
        wait_after_refusal(&f, STATUS_PERMISSION, "pods is forbidden");
    }
    CHECK(f.roster.failure.status == STATUS_PERMISSION);
    roster_deinit(&f.roster);
}

static void an_answer_that_was_lost_is_asked_for_under_the_same_name(void **state)
{
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    wait_after_refusal(&f, STATUS_CONNECTION, "cut");
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK_INT(f.step.incarnation, 0);
    show(&f, pod(0, 0, POD_PENDING)); /* it was created the first time, and is seen now */
    answer(&f, STATUS_OK, "");        /* adopted */
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK(f.due_ms == INT64_MAX);
    roster_deinit(&f.roster);
}

static void a_name_that_is_taken_is_left_for_the_next(void **state)
{
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    wait_after_refusal(&f, STATUS_BUSY, "Pod \"x\" of before is still being deleted");
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK_INT(f.step.incarnation, 1);
    roster_deinit(&f.roster);
}

static void a_pod_that_is_never_seen_is_asked_for_again(void **state)
{
    struct fixture f;
    (void)state;

    begin_synced(&f, 1);
    make_pod(&f);
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK(f.due_ms == ROSTER_UNSEEN_MS);
    f.now_ms = f.due_ms;
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK_INT(f.step.incarnation, 0);
    roster_deinit(&f.roster);
}

static void a_lost_worker_is_replaced_at_once_and_its_pod_deleted_with_force(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 2);
    roster_on_lost(&f.roster, 0, 0, 0);
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK(strcmp(f.step.uid, "u0.0") == 0 && f.step.grace_s == 0);
    answer(&f, STATUS_CONNECTION, "cut");
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK(f.step.index == 0 && f.step.incarnation == 1);
    answer(&f, STATUS_OK, "");
    show(&f, pod(0, 1, POD_RUNNING));
    show(&f, pod(0, 0, POD_RUNNING)); /* the node is back for a moment */
    CHECK_INT(next(&f), ROSTER_NOTHING);
    f.now_ms = f.due_ms;
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK(strcmp(f.step.uid, "u0.0") == 0 && f.step.grace_s == 0);
    answer(&f, STATUS_NOT_FOUND, "");
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK_INT(roster_running(&f.roster), 2);
    roster_deinit(&f.roster);
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
    CHECK(f.roster.failure.status == STATUS_OK);
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK(f.step.memory == 1536 * MIB);
    roster_deinit(&f.roster);
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
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK(f.due_ms == ROSTER_STUCK_MS);
    f.now_ms = f.due_ms;
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK(strcmp(f.step.uid, "u0.0") == 0 && f.step.grace_s == 0);
    roster_deinit(&f.roster);
}

static void what_somebody_deletes_is_replaced_while_it_ends(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, MOST); /* no other index is free */
    roster_on_worker(&f.roster, f.now_ms, 0, 0, true);
    show(&f, leaving(0, 0));
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK(f.step.index == 0 && f.step.incarnation == 1);
    answer(&f, STATUS_OK, "");
    show(&f, pod(0, 1, POD_PENDING));
    show(&f, leaving(0, 0)); /* its status changes */
    CHECK_INT(next(&f), ROSTER_NOTHING);
    f.now_ms = 2 * ROSTER_MISSED_MS;
    roster_on_worker(&f.roster, f.now_ms, 0, 0, true); /* it works on: another group */
    roster_on_worker(&f.roster, f.now_ms, 0, 0, false);
    show(&f, pod(0, 1, POD_RUNNING)); /* what is said of the one before is not said of it */
    f.now_ms += 2 * ROSTER_MISSED_MS;
    CHECK_INT(next(&f), ROSTER_NOTHING);
    gone(&f, 0, 0);
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK_INT(roster_running(&f.roster), MOST);
    roster_deinit(&f.roster);
}

static void a_worker_that_is_lost_while_it_leaves_takes_its_successor_not_along(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, MOST);
    show(&f, leaving(0, 0));
    make_pod(&f);
    show(&f, pod(0, 1, POD_RUNNING));
    roster_on_lost(&f.roster, f.now_ms, 0, 0);
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK(strcmp(f.step.uid, "u0.0") == 0 && f.step.grace_s == 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), ROSTER_NOTHING);
    roster_deinit(&f.roster);
}

static void a_quota_that_counts_the_one_before_is_tried_again_when_it_is_gone(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, MOST);
    show(&f, leaving(0, 0));
    for (int i = 0; i < 5; i++) {
        CHECK_INT(next(&f), ROSTER_CREATE);
        answer(&f, STATUS_LIMIT, "exceeded quota");
        CHECK_INT(next(&f), ROSTER_NOTHING);
        CHECK(f.due_ms > f.now_ms);
        f.now_ms = f.due_ms;
    }
    CHECK_INT(next(&f), ROSTER_CREATE);
    answer(&f, STATUS_LIMIT, "exceeded quota");
    CHECK_INT(next(&f), ROSTER_NOTHING);
    gone(&f, 0, 0);
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK(f.step.index == 0 && f.step.incarnation == 1);
    CHECK(f.roster.failure.status == STATUS_OK);
    roster_deinit(&f.roster);
}

static void requests_under_way_have_a_limit(void **state)
{
    struct roster roster;
    struct error err;
    int64_t due_ms;
    (void)state;

    CHECK_OK(roster_init(&roster, 100, 100, MIB, MIB, &err));
    roster_on_synced(&roster);
    for (int i = 0; i < ROSTER_CALLS_MAX; i++)
        CHECK_INT(roster_next(&roster, 0, &due_ms).action, ROSTER_CREATE);
    CHECK_INT(roster_next(&roster, 0, &due_ms).action, ROSTER_NOTHING);
    roster_deinit(&roster);
    CHECK_FAILS(roster_init(&roster, 2, 3, MIB, MIB, &err), STATUS_INVALID, "3 of 2 workers");
}

static void a_worker_that_rows_killed_did_not_crash(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 1);
    for (uint32_t incarnation = 0; incarnation < 3 * ROSTER_CRASHES_MAX; incarnation++) {
        if (incarnation > 0) {
            f.now_ms += ROSTER_RETRY_MS_MAX;
            make_pod(&f);
            show(&f, pod(0, incarnation, POD_RUNNING));
        }
        end_pod(&f, 0, incarnation, POD_CRASHED, 139);
        roster_on_blamed(&f.roster, 0);
        roster_on_blamed(&f.roster, MOST); /* nobody */
    }
    CHECK_INT(f.roster.failure.status, STATUS_OK);
    roster_deinit(&f.roster);
}

static void it_is_empty_when_the_last_pod_is_gone(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, 0);
    CHECK(!roster_is_empty(&f.roster));
    roster_on_synced(&f.roster);
    CHECK(roster_is_empty(&f.roster));
    roster_deinit(&f.roster);

    begin_running(&f, 1);
    roster_want(&f.roster, 0);
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK(!roster_is_empty(&f.roster));
    answer(&f, STATUS_OK, "");
    CHECK(!roster_is_empty(&f.roster));
    roster_on_gone(&f.roster, f.now_ms, "u0.0");
    CHECK(roster_is_empty(&f.roster));
    roster_deinit(&f.roster);
}

/* As when its node dies and its connections are closed: the API server says it runs. */
static void a_pod_that_runs_without_its_worker_is_lost(void **state)
{
    struct fixture f;
    (void)state;

    begin_running(&f, 2);
    f.now_ms = 1000;
    roster_on_worker(&f.roster, f.now_ms, 0, 0, true);
    roster_on_worker(&f.roster, f.now_ms, 0, 0, false);
    roster_on_worker(&f.roster, f.now_ms, MOST, 0, false); /* nobody */
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK_INT(f.due_ms, f.now_ms + ROSTER_MISSED_MS);
    roster_on_worker(&f.roster, f.now_ms, 0, 0, true); /* it was only cut off */
    f.now_ms += ROSTER_MISSED_MS;
    CHECK_INT(next(&f), ROSTER_NOTHING);
    roster_on_worker(&f.roster, f.now_ms, 0, 0, false);
    f.now_ms += ROSTER_MISSED_MS;
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK_INT(f.step.grace_s, 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK_INT(f.step.incarnation, 1);
    roster_deinit(&f.roster);
}

static void a_worker_on_a_silent_node_is_lost_if_the_master_does_not_have_it(void **state)
{
    struct fixture f;
    struct pod_view silent = pod(0, 0, POD_RUNNING);
    (void)state;

    silent.is_silent = true;
    begin_running(&f, 1);
    roster_on_worker(&f.roster, f.now_ms, 0, 0, true);
    show(&f, silent);
    CHECK_INT(next(&f), ROSTER_NOTHING); /* it is the API server that does not hear it */
    roster_on_worker(&f.roster, f.now_ms, 0, 0, false);
    CHECK_INT(next(&f), ROSTER_DELETE);
    roster_deinit(&f.roster);
}

static void a_pod_that_its_node_does_not_know_is_made_again(void **state)
{
    struct fixture f;
    struct pod_view unheard = pod(0, 0, POD_PENDING);
    (void)state;

    begin(&f, 1);
    f.now_ms = 1000;
    roster_on_synced(&f.roster);
    make_pod(&f);
    unheard.is_unheard = true;
    show(&f, unheard);
    CHECK_INT(next(&f), ROSTER_NOTHING);
    f.now_ms += ROSTER_UNHEARD_MS / 2;
    show(&f, unheard);
    f.now_ms += ROSTER_UNHEARD_MS / 2 - 1;
    CHECK_INT(next(&f), ROSTER_NOTHING);
    CHECK_INT(f.due_ms, f.now_ms + 1);
    f.now_ms++;
    CHECK_INT(next(&f), ROSTER_DELETE);
    CHECK_INT(f.step.grace_s, 0);
    answer(&f, STATUS_OK, "");
    CHECK_INT(next(&f), ROSTER_CREATE);
    CHECK_INT(f.step.incarnation, 1);
    roster_deinit(&f.roster);
}

static struct pod_view pod_on(uint32_t index, uint32_t incarnation, const char *node)
{
    struct pod_view view = pod(index, incarnation, POD_RUNNING);

    snprintf(view.node, sizeof view.node, "%s", node);
    return view;
}

static void a_node_that_lost_a_worker_is_avoided_for_a_while(void **state)
{
    struct slice nodes[ROSTER_AVOIDED_MAX];
    struct fixture f;
    char name[32];
    (void)state;

    begin_running(&f, 2);
    show(&f, pod_on(0, 0, "a"));
    show(&f, pod_on(1, 0, "b"));
    CHECK_INT(roster_avoided(&f.roster, 0, nodes), 0);
    end_pod(&f, 1, 0, POD_CRASHED, 139); /* nothing is wrong with its node */
    CHECK_INT(roster_avoided(&f.roster, 0, nodes), 0);
    roster_on_lost(&f.roster, 0, 0, 0);
    CHECK_INT(roster_avoided(&f.roster, 0, nodes), 1);
    CHECK_SLICE(nodes[0], "a");
    CHECK_INT(roster_avoided(&f.roster, ROSTER_AVOIDED_MS - 1, nodes), 1);
    CHECK_INT(roster_avoided(&f.roster, ROSTER_AVOIDED_MS, nodes), 0);
    for (uint32_t i = 1; i <= 2 * ROSTER_AVOIDED_MAX; i++) { /* the last ones, each once */
        snprintf(name, sizeof name, "n%u", i / 2);
        show(&f, pod_on(0, i, name));
        roster_on_lost(&f.roster, i, 0, i);
    }
    CHECK_INT(roster_avoided(&f.roster, 100, nodes), ROSTER_AVOIDED_MAX);
    for (size_t i = 0; i < ROSTER_AVOIDED_MAX; i++)
        CHECK(!slice_is(nodes[i], "a"));
    roster_deinit(&f.roster);
}

struct losses {
    struct roster_loss last;
    int count;
};

static void hear_loss(void *context, const struct roster_loss *loss)
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
    f.roster.listener = (struct roster_listener){&losses, hear_loss};
    end_pod(&f, 0, 0, POD_OUT_OF_MEMORY, 137);
    CHECK_INT(losses.last.kind, ROSTER_LOSS_MEMORY);
    CHECK_INT(losses.last.had / MIB, 512);
    CHECK_INT(losses.last.memory / MIB, 1024);
    view = pod(1, 0, POD_RUNNING);
    view.is_leaving = true;
    show(&f, view);
    CHECK_INT(losses.last.kind, ROSTER_LOSS_DELETED);
    show(&f, view);
    view.phase = POD_ENDED;
    view.end = POD_DISRUPTED;
    show(&f, view);
    CHECK_INT(losses.count, 2);
    view = pod(2, 0, POD_RUNNING);
    view.is_leaving = view.is_disrupted = true;
    show(&f, view);
    CHECK_INT(losses.last.kind, ROSTER_LOSS_DISRUPTED);
    CHECK_INT(losses.last.index, 2);
    roster_on_lost(&f.roster, f.now_ms, 3, 0);
    CHECK_INT(losses.last.kind, ROSTER_LOSS_SILENT);
    CHECK_INT(losses.count, 4);
    roster_deinit(&f.roster);
}

static void who_leaves_as_it_should_is_no_loss(void **state)
{
    struct losses losses = {.count = 0};
    struct pod_view view;
    struct fixture f;
    (void)state;

    begin_running(&f, 3);
    f.roster.listener = (struct roster_listener){&losses, hear_loss};
    roster_want(&f.roster, 2);
    CHECK_INT(next(&f), ROSTER_DELETE);
    answer(&f, STATUS_OK, "");
    view = pod(2, 0, POD_RUNNING);
    view.is_leaving = true;
    show(&f, view);
    f.now_ms += ROSTER_STUCK_MS; /* it stays: its node is dead */
    CHECK_INT(next(&f), ROSTER_DELETE);
    roster_want(&f.roster, 0); /* the job is over */
    view = pod(0, 0, POD_RUNNING);
    view.is_leaving = true;
    show(&f, view);
    CHECK_INT(losses.count, 0);
    roster_deinit(&f.roster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_lost_a_worker_is_avoided_for_a_while),
        cmocka_unit_test(nothing_is_done_before_the_first_list),
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
