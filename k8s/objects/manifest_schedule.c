/* A statement by the clock: the CronJob whose pods submit it. */
#include <stdio.h>
#include <string.h>

#include "k8s/job/profile.h"
#include "k8s/objects/manifest.h"
#include "k8s/objects/manifest_metadata.h"
#include "k8s/objects/manifest_pod.h"
#include "k8s/objects/placement.h"

#define STATEMENT_KEY "statement.sql"
#define PROFILE_KEY   "profiles.json"

/* The pod that submits by the clock. */
#define SUBMIT_MEMORY ((int64_t)512 << 20)
#define SUBMIT_TRIES  3
#define CATCH_UP_S    21600 /* a time that was missed, by a cluster that was down, counts so long */

static void add_word(cJSON *arguments, const char *option, struct slice value)
{
    struct text word;

    if (value.size == 0)
        return;
    text_init(&word, KUBE_JOB_BYTES_MAX);
    text_printf(&word, "--%s=%.*s", option, SLICE_FORMAT(value));
    json_append(arguments, json_string(text_slice(&word)));
    text_deinit(&word);
}

/* The command that makes the same job; what it trains is in a file. */
static void add_submit_arguments(cJSON *container, const struct kube_job *job,
                                 const struct kube_schedule *schedule)
{
    cJSON *arguments = json_add_array(container, "args");
    char number[64];

    manifest_add_argument(arguments, "submit");
    json_append(arguments, json_string(schedule->database));
    manifest_add_argument(arguments, "-f");
    manifest_add_argument(arguments, SPEC_FOLDER "/" STATEMENT_KEY);
    add_word(arguments, "run-of", job->name);
    manifest_add_argument(arguments, "--owner=$(POD_NAME)/$(POD_UID)/$(JOB_NAME)");
    add_word(arguments, "namespace", job->kube_namespace);
    add_word(arguments, "image", job->image);
    add_word(arguments, "pull-policy", job->pull_policy);
    add_word(arguments, "service-account", job->service_account);
    add_word(arguments, "database-secret", job->database_secret);
    add_word(arguments, "priority-class", job->priority_class);
    add_word(arguments, "resource", job->slot_resource);
    if (profile_is_there(job))
        manifest_add_argument(arguments,
                              "--profile=" PROFILE_OF_RUN "@" SPEC_FOLDER "/" PROFILE_KEY);
    if (job->cpu_limit_percent > 0)
        snprintf(number, sizeof number, "%lldm:%lldm", (long long)job->cpu_m,
                 (long long)(job->cpu_m * job->cpu_limit_percent / 100));
    else
        snprintf(number, sizeof number, "%lldm", (long long)job->cpu_m);
    add_word(arguments, "cpu", slice_of(number));
    snprintf(number, sizeof number, "%lld", (long long)job->memory);
    add_word(arguments, "memory", slice_of(number));
    snprintf(number, sizeof number, "%lld", (long long)job->keep_s);
    add_word(arguments, "keep", slice_of(number));
}

static const char submit_variables[] =
    "[{\"name\":\"POD_NAME\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.name\"}}},"
    "{\"name\":\"POD_UID\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.uid\"}}},"
    "{\"name\":\"JOB_NAME\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":"
    "\"metadata.labels['batch.kubernetes.io/job-name']\"}}},"
    "{\"name\":\"PGSERVICEFILE\",\"value\":\"" MANIFEST_SERVICE_FILE "\"}]";

static void fill_submitter(cJSON *spec, const struct kube_job *job,
                           const struct kube_schedule *schedule)
{
    cJSON *container = manifest_begin_container(job, "submit"), *volumes = cJSON_CreateArray();
    char name[128];

    json_add_string(container, "terminationMessagePolicy", SLICE("FallbackToLogsOnError"));
    manifest_begin_pod(spec, job, schedule->account, true, "Never");
    manifest_add_tolerations(spec);
    add_submit_arguments(container, job, schedule);
    json_add(container, "env", manifest_literal(submit_variables));
    manifest_add_resources(container, job, kube_job_master_cpu_m(job), SUBMIT_MEMORY, SLICE(""));
    manifest_add_folders(job, STATE_FOLDER, container, volumes);
    manifest_add_mount(container, "statement", SPEC_FOLDER, NULL);
    manifest_add_volume(volumes, "statement", manifest_named(job, "-statement", name));
    manifest_add_mount(container, "service", MANIFEST_SERVICE_FOLDER, NULL);
    manifest_add_volume(volumes, "service", schedule->service_secret);
    json_append(json_add_array(spec, "containers"), container);
    json_add(spec, "volumes", volumes);
}

cJSON *manifest_cron_job(const struct kube_job *job, const struct kube_schedule *schedule)
{
    cJSON *metadata, *object = manifest_begin(job, API_CRON_JOBS, "", "submit", &metadata);
    cJSON *spec = json_add_object(object, "spec"), *inner, *template;

    json_add_string(spec, "schedule", schedule->cron);
    /* A training that lasts into the next is not disturbed by it. */
    json_add_string(spec, "concurrencyPolicy", SLICE("Forbid"));
    json_add_integer(spec, "startingDeadlineSeconds", CATCH_UP_S);
    inner = json_add_object(json_add_object(spec, "jobTemplate"), "spec");
    /* A pod that was killed, or lost its node, is followed by another; one that failed sets this to
     * 0. */
    json_add_integer(inner, "backoffLimit", SUBMIT_TRIES - 1);
    json_add_integer(inner, "ttlSecondsAfterFinished", job->keep_s);
    template = json_add_object(inner, "template");
    metadata = json_add_object(template, "metadata");
    manifest_add_labels(metadata, job, "submit");
    spec = json_add_object(template, "spec");
    fill_submitter(spec, job, schedule);
    placement_of_pod(job, false, metadata, spec);
    return object;
}

static void add_profile(cJSON *data, const struct kube_job *job)
{
    struct error err;
    struct text text;

    text_init(&text, PROFILE_FILE_BYTES_MAX);
    if (profile_write(job, &text, &err) == STATUS_OK)
        manifest_add_bytes(data, PROFILE_KEY, text_slice(&text));
    else
        json_add(data, PROFILE_KEY, NULL); /* json_print reports it */
    text_deinit(&text);
}

cJSON *manifest_statement_secret(const struct kube_job *job, struct slice statement,
                                 struct slice owner)
{
    cJSON *metadata, *object = manifest_begin(job, API_SECRETS, "-statement", "submit", &metadata);
    cJSON *data;

    if (owner.size > 0)
        manifest_add_owner(metadata, "batch/v1", "CronJob", job->name, owner, false);
    json_add_string(object, "type", SLICE("Opaque"));
    data = json_add_object(object, "data");
    manifest_add_bytes(data, STATEMENT_KEY, statement);
    if (profile_is_there(job))
        add_profile(data, job);
    return object;
}
