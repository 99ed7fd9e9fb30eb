#include "k8s/objects/placement.h"

#include <string.h>

#define NAME_OF_JOB "{job}"

static cJSON *parse(const struct kube_job *job)
{
    struct error ignored;
    cJSON *json = NULL;

    error_clear(&ignored);
    if (job->pods.size > 0)
        (void)json_parse(job->pods, KUBE_JOB_PODS_MAX, &json, &ignored); /* kube_job_check has */
    return json;
}

static cJSON *member_of(cJSON *object, const char *name)
{
    cJSON *there = cJSON_GetObjectItemCaseSensitive(object, name);

    return there ? there : json_add_object(object, name);
}

/* {job} becomes the job's name, as for the application's id of a scheduler. */
static cJSON *fill_in(const struct kube_job *job, const char *value)
{
    struct text text;
    const char *found;
    cJSON *filled;

    text_init(&text, KUBE_JOB_PODS_MAX * 2);
    while ((found = strstr(value, NAME_OF_JOB))) {
        text_append(&text, (struct slice){value, (size_t)(found - value)});
        text_append(&text, job->name);
        value = found + strlen(NAME_OF_JOB);
    }
    text_append_string(&text, value);
    filled = text.failed ? NULL : json_string(text_slice(&text));
    text_deinit(&text);
    return filled;
}

static void add_texts(const struct kube_job *job, const cJSON *pods, const char *name,
                      cJSON *object, const char *into)
{
    const cJSON *texts = cJSON_GetObjectItemCaseSensitive(pods, name), *text;

    if (!texts)
        return;
    object = member_of(object, into);
    cJSON_ArrayForEach(text, texts)
    {
        if (!cJSON_GetObjectItemCaseSensitive(object, text->string))
            json_add(object, text->string, fill_in(job, text->valuestring));
    }
}

static void add_metadata(const struct kube_job *job, const cJSON *pods, cJSON *metadata)
{
    add_texts(job, pods, "labels", metadata, "labels");
    add_texts(job, pods, "annotations", metadata, "annotations");
}

void placement_of_object(const struct kube_job *job, cJSON *metadata)
{
    cJSON *pods = parse(job);

    add_metadata(job, pods, metadata);
    cJSON_Delete(pods);
}

static void add_copy(const cJSON *pods, const char *name, cJSON *spec, const char *into)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(pods, name);

    if (value)
        json_add(spec, into, cJSON_Duplicate(value, true));
}

static void add_tolerations(const cJSON *pods, cJSON *spec)
{
    const cJSON *tolerations = cJSON_GetObjectItemCaseSensitive(pods, "tolerations"), *one;
    cJSON *there = cJSON_GetObjectItemCaseSensitive(spec, "tolerations");

    if (!there && tolerations)
        there = json_add_array(spec, "tolerations");
    cJSON_ArrayForEach(one, tolerations) json_append(there, cJSON_Duplicate(one, true));
}

static void add_pull_secrets(const cJSON *pods, cJSON *spec)
{
    const cJSON *secrets = cJSON_GetObjectItemCaseSensitive(pods, "pull_secrets"), *name;
    cJSON *array = secrets ? json_add_array(spec, "imagePullSecrets") : NULL;

    cJSON_ArrayForEach(name, secrets)
    {
        cJSON *secret = cJSON_CreateObject();

        json_add_string(secret, "name", slice_of(name->valuestring));
        json_append(array, secret);
    }
}

static bool add_queue(const cJSON *pods, cJSON *metadata)
{
    const cJSON *queue = cJSON_GetObjectItemCaseSensitive(pods, "queue");

    if (queue)
        json_add_string(member_of(metadata, "labels"), PLACEMENT_QUEUE,
                        slice_of(queue->valuestring));
    return queue;
}

void placement_of_pod(const struct kube_job *job, bool is_queued, cJSON *metadata, cJSON *spec)
{
    cJSON *pods = parse(job);

    add_metadata(job, pods, metadata);
    if (is_queued)
        (void)add_queue(pods, metadata);
    add_texts(job, pods, "node_selector", spec, "nodeSelector");
    add_tolerations(pods, spec);
    add_pull_secrets(pods, spec);
    add_copy(pods, "affinity", spec, "affinity");
    add_copy(pods, "runtime_class", spec, "runtimeClassName");
    add_copy(pods, "scheduler", spec, "schedulerName");
    cJSON_Delete(pods);
}

bool placement_add_queue(const struct kube_job *job, cJSON *metadata)
{
    cJSON *pods = parse(job);
    const bool is_queued = add_queue(pods, metadata);

    cJSON_Delete(pods);
    return is_queued;
}
