#include "k8s/controller/pod_view.h"

#include "tests/check.h"

#define POD(status)                                                                                \
    "{\"metadata\":{\"uid\":\"u1\",\"labels\":{\"totrain.dev/index\":\"3\","                       \
    "\"totrain.dev/incarnation\":\"7\"}},\"spec\":{\"containers\":[{\"resources\":{"               \
    "\"limits\":{\"memory\":\"512Mi\"}}}]},\"status\":" status "}"
#define LEAVING(status)                                                                            \
    "{\"metadata\":{\"uid\":\"u1\",\"deletionTimestamp\":\"now\",\"labels\":{"                     \
    "\"totrain.dev/index\":\"3\",\"totrain.dev/incarnation\":\"7\"}},\"status\":" status "}"
#define STATE(phase, state)                                                                        \
    "{\"phase\":\"" phase "\",\"containerStatuses\":[{\"state\":" state "}]}"
#define ENDED(reason, code)                                                                        \
    STATE("Failed", "{\"terminated\":{\"exitCode\":" #code ",\"reason\":\"" reason "\"}}")

static enum status view_of(const char *text, struct pod_view *view, struct error *err)
{
    cJSON *pod;
    enum status status = json_parse(slice_of(text), 4096, &pod, err);

    if (status == STATUS_OK)
        status = pod_view_read(pod, view, err);
    cJSON_Delete(pod);
    return status;
}

static const struct {
    const char *pod;
    enum pod_phase phase;
    enum pod_obstacle obstacle;
    const char *message;
} pending[] = {
    {POD("{\"phase\":\"Pending\"}"), POD_PENDING, POD_NO_OBSTACLE, ""},
    {POD("{}"), POD_PENDING, POD_NO_OBSTACLE, ""},
    {POD("{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
         "\"reason\":\"Unschedulable\",\"message\":\"0/2 nodes are available\\nmore\"}]}"),
     POD_PENDING, POD_UNSCHEDULABLE, "Unschedulable: 0/2 nodes are available"},
    {POD(STATE("Pending", "{\"waiting\":{\"reason\":\"ContainerCreating\"}}")), POD_PENDING,
     POD_NO_OBSTACLE, ""},
    {POD(STATE("Pending",
               "{\"waiting\":{\"reason\":\"ImagePullBackOff\",\"message\":\"not found\"}}")),
     POD_PENDING, POD_NO_IMAGE, "ImagePullBackOff: not found"},
    {POD(STATE("Pending", "{\"waiting\":{\"reason\":\"CreateContainerConfigError\"}}")),
     POD_PENDING, POD_NO_START, "CreateContainerConfigError"},
    {POD(STATE("Running", "{\"running\":{}}")), POD_RUNNING, POD_NO_OBSTACLE, ""},
};

static void a_pod_that_does_not_run_says_why(void **state)
{
    struct pod_view view;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof pending / sizeof *pending; i++) {
        CHECK_OK(view_of(pending[i].pod, &view, &err));
        CHECK_INT(view.index, 3);
        CHECK_INT(view.incarnation, 7);
        CHECK_INT(view.memory, 512 << 20);
        CHECK_INT(view.phase, pending[i].phase);
        CHECK_INT(view.obstacle, pending[i].obstacle);
        CHECK_SLICE(slice_of(view.message), pending[i].message);
    }
}

static void what_only_the_user_can_change_is_known(void **state)
{
    struct pod_view view;
    struct error err;
    (void)state;

    CHECK_OK(
        view_of(POD(STATE("Pending", "{\"waiting\":{\"reason\":\"CreateContainerConfigError\"}}")),
                &view, &err));
    CHECK(pod_view_needs_user(&view));
    CHECK_OK(view_of(POD(STATE("Pending", "{\"waiting\":{\"reason\":\"CreateContainerError\","
                                          "\"message\":\"context deadline exceeded\"}}")),
                     &view, &err));
    CHECK_INT(view.obstacle, POD_NO_START);
    CHECK(!pod_view_needs_user(&view));
}

static const struct {
    const char *pod;
    enum pod_end end;
    int exit_code;
} ended[] = {
    {POD(ENDED("Completed", 0)), POD_DONE, 0},
    {POD(ENDED("Error", 1)), POD_CRASHED, 1},
    {POD(ENDED("Error", 2)), POD_REFUSED, 2},
    {POD(ENDED("Error", 3)), POD_CRASHED, 3},
    {POD(ENDED("Error", 4)), POD_REFUSED, 4},
    {POD(ENDED("Error", 5)), POD_REFUSED, 5},
    {POD(ENDED("Error", 139)), POD_CRASHED, 139},
    {POD(ENDED("OOMKilled", 137)), POD_OUT_OF_MEMORY, 137},
    {LEAVING(ENDED("Error", 137)), POD_DISRUPTED, 137},
    {LEAVING(ENDED("OOMKilled", 137)), POD_OUT_OF_MEMORY, 137},
    {LEAVING(ENDED("Completed", 0)), POD_DONE, 0},
    {POD("{\"phase\":\"Failed\",\"reason\":\"Evicted\",\"message\":\"disk\"}"), POD_DISRUPTED, -1},
    {POD("{\"phase\":\"Failed\",\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\"}"
         "],"
         "\"containerStatuses\":[{\"state\":{\"terminated\":{\"exitCode\":137}}}]}"),
     POD_DISRUPTED, 137},
    {POD("{\"phase\":\"Failed\"}"), POD_CRASHED, -1},
    /* The container has ended, the pod's phase comes later. */
    {POD(STATE("Running", "{\"terminated\":{\"exitCode\":1}}")), POD_CRASHED, 1},
};

static void an_end_has_a_class(void **state)
{
    struct pod_view view;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++) {
        CHECK_OK(view_of(ended[i].pod, &view, &err));
        CHECK_INT(view.phase, POD_ENDED);
        if (view.end != ended[i].end || view.exit_code != ended[i].exit_code)
            check_failed("%s: %d %d", ended[i].pod, (int)view.end, view.exit_code);
    }
}

static void a_pod_of_a_silent_node_says_so(void **state)
{
#define RUNS(ready, condition)                                                                     \
    POD("{\"phase\":\"Running\",\"containerStatuses\":[{\"ready\":" ready                          \
        ",\"state\":{\"running\":{}}}],\"conditions\":[{\"type\":\"Ready\",\"status\":"            \
        "\"" condition "\"}]}")
    struct pod_view view;
    struct error err;
    (void)state;

    CHECK_OK(view_of(RUNS("true", "False"), &view, &err));
    CHECK(view.is_silent);
    CHECK_OK(view_of(RUNS("true", "True"), &view, &err));
    CHECK(!view.is_silent);
    CHECK_OK(view_of(RUNS("false", "False"), &view, &err)); /* it starts */
    CHECK(!view.is_silent);
}

static void a_pod_says_whether_it_is_a_worker_or_a_server(void **state)
{
    struct pod_view view;
    struct error err;
    (void)state;

    CHECK_OK(view_of(POD("{}"), &view, &err));
    CHECK_INT(view.role, KUBE_WORKER);
    CHECK_OK(view_of("{\"metadata\":{\"uid\":\"u1\",\"labels\":{\"totrain.dev/index\":\"1\","
                     "\"totrain.dev/role\":\"ps\",\"totrain.dev/incarnation\":\"0\"}}}",
                     &view, &err));
    CHECK_INT(view.role, KUBE_SERVER);
}

static void a_pod_that_is_not_ours_is_refused(void **state)
{
    static const char *const others[] = {
        "{}",
        "{\"metadata\":{\"uid\":\"u1\"}}",
        "{\"metadata\":{\"uid\":\"u1\",\"labels\":{\"totrain.dev/index\":\"-1\","
        "\"totrain.dev/incarnation\":\"0\"}}}",
        "{\"metadata\":{\"labels\":{\"totrain.dev/index\":\"1\",\"totrain.dev/"
        "incarnation\":\"0\"}}}",
    };
    struct pod_view view;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK_FAILS(view_of(others[i], &view, &err), STATUS_PROTOCOL, "a pod without");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pod_that_does_not_run_says_why),
        cmocka_unit_test(what_only_the_user_can_change_is_known),
        cmocka_unit_test(an_end_has_a_class),
        cmocka_unit_test(a_pod_of_a_silent_node_says_so),
        cmocka_unit_test(a_pod_says_whether_it_is_a_worker_or_a_server),
        cmocka_unit_test(a_pod_that_is_not_ours_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
