#include "k8s/objects/successor.h"

#include <stdio.h>

#include "k8s/client/api_answer.h"
#include "k8s/objects/manifest.h"

/* A finalizer: the pod stays until the Job's controller has counted it. */
#define TRACKING "batch.kubernetes.io/job-tracking"
/* Bytes of a uid in a name: its first part is random enough. */
#define UID_USED 8

const cJSON *job_condition(const cJSON *job, const char *type)
{
    const cJSON *condition = api_condition(job, type);

    return slice_is(API_TEXT(condition, "status"), "True") ? condition : NULL;
}

enum job_future job_future(const cJSON *job, struct slice uid)
{
    static const char *const ends[] = {"Complete", "SuccessCriteriaMet", "Failed", "FailureTarget"};
    const struct slice found = API_TEXT(job, "metadata", "uid");

    /* Deleted in the foreground, it stays until all that it owns has gone. */
    if (!slice_equal(found, uid) || API_MEMBER(job, "metadata", "deletionTimestamp"))
        return JOB_IS_GONE;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (job_condition(job, ends[i]))
            return JOB_RESTS;
    return cJSON_IsTrue(API_MEMBER(job, "spec", "suspend")) ? JOB_RESTS : JOB_GOES_ON;
}

static void add_name(cJSON *metadata, struct slice job, struct slice before)
{
    char name[254];

    if (before.size > UID_USED)
        before.size = UID_USED;
    snprintf(name, sizeof name, "%.*s-%.*s", SLICE_FORMAT(job), SLICE_FORMAT(before));
    json_add_string(metadata, "name", slice_of(name));
}

/* Adds the Job as the owner that is the controller: else its controller would have to adopt the pod
 * first. */
static void add_controller(cJSON *metadata, const cJSON *job)
{
    cJSON *owner = cJSON_CreateObject();

    json_add_string(owner, "apiVersion", SLICE("batch/v1"));
    json_add_string(owner, "kind", SLICE("Job"));
    json_add_string(owner, "name", API_TEXT(job, "metadata", "name"));
    json_add_string(owner, "uid", API_TEXT(job, "metadata", "uid"));
    json_add_boolean(owner, "controller", true);
    json_append(json_add_array(metadata, "ownerReferences"), owner);
}

static cJSON *pod_of(const cJSON *job, struct slice before, cJSON **metadata)
{
    const cJSON *template = API_MEMBER(job, "spec", "template");
    const cJSON *annotations = API_MEMBER(template, "metadata", "annotations");
    cJSON *object = cJSON_CreateObject();

    json_add_string(object, "apiVersion", SLICE("v1"));
    json_add_string(object, "kind", SLICE("Pod"));
    *metadata = json_add_object(object, "metadata");
    add_name(*metadata, API_TEXT(job, "metadata", "name"), before);
    json_add_string(*metadata, "namespace", API_TEXT(job, "metadata", "namespace"));
    json_add(*metadata, "labels",
             cJSON_Duplicate(API_MEMBER(template, "metadata", "labels"), true));
    if (annotations)
        json_add(*metadata, "annotations", cJSON_Duplicate(annotations, true));
    json_add(object, "spec", cJSON_Duplicate(API_MEMBER(template, "spec"), true));
    return object;
}

cJSON *successor_trial(const cJSON *job)
{
    cJSON *metadata;

    return pod_of(job, SLICE("trial"), &metadata);
}

cJSON *successor_pod(const cJSON *job, struct slice before, struct slice avoided)
{
    cJSON *metadata, *object = pod_of(job, before, &metadata);

    json_append(json_add_array(metadata, "finalizers"), json_string(SLICE(TRACKING)));
    add_controller(metadata, job);
    manifest_avoid(cJSON_GetObjectItemCaseSensitive(object, "spec"), &avoided, avoided.size > 0);
    return object;
}
