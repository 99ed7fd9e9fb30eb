#include "k8s/controller/pod_view.h"

#include <stdio.h>
#include <string.h>

#include "k8s/client/api_answer.h"
#include "k8s/job/kube_job.h"

/* Notes the first line of a message, which is enough, also of a pod that never ran. */
static void say(struct pod_view *view, struct slice reason, struct slice message)
{
    const char *newline = message.size > 0 ? memchr(message.data, '\n', message.size) : NULL;

    if (newline)
        message.size = (size_t)(newline - message.data);
    if (message.size > 160)
        message.size = 160;
    if (reason.size > 64)
        reason.size = 64;
    snprintf(view->message, sizeof view->message, "%.*s%s%.*s", SLICE_FORMAT(reason),
             reason.size > 0 && message.size > 0 ? ": " : "", SLICE_FORMAT(message));
}

static bool read_number(struct slice text, uint32_t *number)
{
    int64_t value;

    if (!slice_to_integer(text, &value) || value < 0 || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

/* The state of its one container: "waiting", "running", "terminated". */
static const cJSON *container_state(const cJSON *pod, const char *name)
{
    const cJSON *containers = API_MEMBER(pod, "status", "containerStatuses");

    return API_MEMBER(cJSON_GetArrayItem(containers, 0), "state", name);
}

static bool is_one_of(struct slice reason, const char *const *reasons)
{
    for (; *reasons; reasons++)
        if (slice_is(reason, *reasons))
            return true;
    return false;
}

static void read_pending(const cJSON *pod, struct pod_view *view)
{
    static const char *const no_image[] = {"ErrImagePull", "ImagePullBackOff",
                                           "RegistryUnavailable", NULL};
    static const char *const no_start[] = {
        "ErrImageNeverPull",    "InvalidImageName",          "ImageInspectError",
        "CreateContainerError", "RunContainerError",         "CreateContainerConfigError",
        "PreStartHookError",    "SignatureValidationFailed", NULL};
    const cJSON *waiting = container_state(pod, "waiting");
    const cJSON *scheduled = api_condition(pod, "PodScheduled");
    struct slice reason = API_TEXT(waiting, "reason");

    if (is_one_of(reason, no_image))
        view->obstacle = POD_NO_IMAGE;
    else if (is_one_of(reason, no_start))
        view->obstacle = POD_NO_START;
    if (view->obstacle != POD_NO_OBSTACLE) {
        say(view, reason, API_TEXT(waiting, "message"));
    } else if (slice_is(API_TEXT(scheduled, "status"), "False")) {
        view->obstacle = POD_UNSCHEDULABLE;
        say(view, API_TEXT(scheduled, "reason"), API_TEXT(scheduled, "message"));
    }
}

static bool is_disrupted(const cJSON *pod)
{
    static const char *const reasons[] = {"Evicted",
                                          "Preempting",
                                          "Preempted",
                                          "NodeLost",
                                          "NodeShutdown",
                                          "Terminated",
                                          "NodeAffinity",
                                          "Shutdown",
                                          "UnexpectedAdmissionError",
                                          "OutOfcpu",
                                          "OutOfmemory",
                                          "OutOfpods",
                                          NULL};

    return slice_is(API_TEXT(api_condition(pod, "DisruptionTarget"), "status"), "True") ||
           is_one_of(API_TEXT(pod, "status", "reason"), reasons);
}

static void read_disruption(const cJSON *pod, struct pod_view *view)
{
    const cJSON *target = api_condition(pod, "DisruptionTarget");

    if (target)
        say(view, API_TEXT(target, "reason"), API_TEXT(target, "message"));
}

static enum pod_end end_of_code(int code)
{
    switch (code) {
    case 0:
        return POD_DONE;
    case 2:
    case 4:
    case 5:
        return POD_REFUSED;
    default:
        return POD_CRASHED;
    }
}

static void read_end(const cJSON *pod, struct pod_view *view)
{
    const cJSON *terminated = container_state(pod, "terminated");
    const cJSON *code = API_MEMBER(terminated, "exitCode");
    struct slice reason = API_TEXT(terminated, "reason");

    if (cJSON_IsNumber(code))
        view->exit_code = code->valueint;
    if (slice_is(reason, "OOMKilled"))
        view->end = POD_OUT_OF_MEMORY;
    else if (view->exit_code == 0)
        view->end = POD_DONE;
    else if (view->is_disrupted || view->is_leaving)
        view->end = POD_DISRUPTED;
    else
        view->end = end_of_code(view->exit_code);
    if (terminated)
        say(view, reason, API_TEXT(terminated, "message"));
    else
        say(view, API_TEXT(pod, "status", "reason"), API_TEXT(pod, "status", "message"));
}

/* The node controller withdraws that the pod is ready; that its container is, only the node itself
 * could withdraw. */
static bool is_silent(const cJSON *pod)
{
    const cJSON *containers = API_MEMBER(pod, "status", "containerStatuses");

    return cJSON_IsTrue(API_MEMBER(cJSON_GetArrayItem(containers, 0), "ready")) &&
           slice_is(API_TEXT(api_condition(pod, "Ready"), "status"), "False");
}

static int64_t memory_of(const cJSON *pod)
{
    const cJSON *container = cJSON_GetArrayItem(API_MEMBER(pod, "spec", "containers"), 0);
    struct slice limit = API_TEXT(container, "resources", "limits", "memory");
    int64_t bytes = 0;
    struct error ignored;

    return quantity_read_memory(limit, &bytes, &ignored) == STATUS_OK ? bytes : 0;
}

static enum status read_uid(const cJSON *pod, struct pod_view *view, struct error *err)
{
    struct slice uid = API_TEXT(pod, "metadata", "uid");

    if (uid.size == 0 || uid.size >= POD_UID_MAX)
        return fail(err, STATUS_PROTOCOL, "a pod without uid");
    memcpy(view->uid, uid.data, uid.size);
    return STATUS_OK;
}

static void read_status(const cJSON *pod, struct pod_view *view)
{
    struct slice phase = API_TEXT(pod, "status", "phase");

    view->memory = memory_of(pod);
    slice_copy(API_TEXT(pod, "spec", "nodeName"), view->node, sizeof view->node);
    view->is_leaving = API_MEMBER(pod, "metadata", "deletionTimestamp") != NULL;
    if (slice_is(phase, "Succeeded") || slice_is(phase, "Failed") ||
        container_state(pod, "terminated"))
        view->phase = POD_ENDED;
    else if (container_state(pod, "running"))
        view->phase = POD_RUNNING;
    view->is_silent = view->phase == POD_RUNNING && is_silent(pod);
    view->is_unheard = view->phase == POD_PENDING && API_MEMBER(pod, "spec", "nodeName") &&
                       !API_MEMBER(pod, "status", "startTime");
    view->is_disrupted = is_disrupted(pod);
    if (view->phase == POD_ENDED)
        read_end(pod, view);
    else if (view->phase == POD_PENDING)
        read_pending(pod, view);
    if (view->phase != POD_ENDED && view->is_disrupted)
        read_disruption(pod, view);
}

enum status pod_view_read(const cJSON *pod, struct pod_view *view, struct error *err)
{
    memset(view, 0, sizeof *view);
    view->exit_code = -1;
    if (!read_number(API_TEXT(pod, "metadata", "labels", "totrain.dev/index"), &view->index) ||
        !read_number(API_TEXT(pod, "metadata", "labels", "totrain.dev/incarnation"),
                     &view->incarnation))
        return fail(err, STATUS_PROTOCOL, "a pod without index or incarnation");
    if (slice_is(API_TEXT(pod, "metadata", "labels", "totrain.dev/role"),
                 kube_role_name(KUBE_SERVER)))
        view->role = KUBE_SERVER;
    TRY(read_uid(pod, view, err));
    read_status(pod, view);
    return STATUS_OK;
}

enum status pod_view_read_master(const cJSON *pod, struct pod_view *view, struct error *err)
{
    memset(view, 0, sizeof *view);
    view->exit_code = -1;
    TRY(read_uid(pod, view, err));
    read_status(pod, view);
    return STATUS_OK;
}

bool pod_view_needs_user(const struct pod_view *view)
{
    static const char *const reasons[] = {"ImagePullBackOff",
                                          "ErrImageNeverPull",
                                          "InvalidImageName",
                                          "ImageInspectError",
                                          "CreateContainerConfigError",
                                          "SignatureValidationFailed",
                                          NULL};

    for (size_t i = 0; reasons[i]; i++)
        if (strncmp(view->message, reasons[i], strlen(reasons[i])) == 0)
            return true;
    return false;
}
