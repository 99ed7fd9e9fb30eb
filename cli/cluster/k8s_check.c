#include "cli/cluster/k8s_check.h"

#include <string.h>
#include <unistd.h>

#include "cli/session/cluster_jobs.h"
#include "cli/session/schedule.h"
#include "extension/postgres/libpq/database_libpq.h"
#include "extension/postgres/libpq/libpq.h"
#include "k8s/client/api_answer.h"
#include "k8s/client/http_exchange.h"
#include "k8s/controller/pod_view.h"
#include "k8s/job/kube_job_name.h"
#include "k8s/objects/manifest.h"
#include "k8s/objects/rights.h"
#include "runtime/data/pgstore/pg_connection.h"

#define TRIES       4
#define LOOK_MS     300
#define LOOK_MS_MAX 120000
#define REACH_MS    10000
#define FOLDER      "/etc/totrain/database"

enum status k8s_reach(const char *file, struct error *err)
{
    struct pg_connection connection;
    enum status status = pg_connection_init(&connection, file, err);

    if (status == STATUS_OK)
        status = pg_connection_ensure(&connection, pg_connection_now() + REACH_MS, err);
    if (status == STATUS_OK)
        puts("reaches the database");
    pg_connection_deinit(&connection);
    return status;
}

enum status k8s_reach_service(const char *address, struct error *err)
{
    struct libpq libpq;
    enum status status = libpq_open(&libpq, address, NULL, err);

    if (status == STATUS_OK)
        puts("reaches the database");
    libpq_close(&libpq);
    return status;
}

/* ----- the Job ----- */

/* The checks that a pod is to make, and its login. */
struct trial {
    const char *shown;        /* "a pod ..." */
    const char *arguments[3]; /* arguments of the program; NULL after the last */
    const char *account;      /* with its token; NULL: the namespace's own, without */
    struct slice secret;      /* mounted; empty: none */
    const char *folder;       /* where */
    const char *const *keys;  /* keys of the Secret, as far as it has them; NULL: all */
    const char *service_file; /* libpq's service file; NULL: none */
};

static const char pod_format[] =
    "{\"restartPolicy\":\"Never\",\"automountServiceAccountToken\":%s,%s\"securityContext\":{"
    "\"runAsNonRoot\":true,\"runAsUser\":65532,\"runAsGroup\":65532,\"fsGroup\":65532,"
    "\"seccompProfile\":{\"type\":\"RuntimeDefault\"}},\"containers\":[{\"name\":\"check\","
    "\"image\":\"%.*s\",\"imagePullPolicy\":\"%.*s\",\"terminationMessagePolicy\":"
    "\"FallbackToLogsOnError\",\"resources\":{\"requests\":{\"cpu\":\"50m\",\"memory\":\"64Mi\"},"
    "\"limits\":{\"memory\":\"64Mi\"}},\"securityContext\":{\"allowPrivilegeEscalation\":false,"
    "\"readOnlyRootFilesystem\":true,\"capabilities\":{\"drop\":[\"ALL\"]}}%s}]%s}";

static void add_arguments(cJSON *pod, const struct trial *trial)
{
    cJSON *container = cJSON_GetArrayItem(cJSON_GetObjectItem(pod, "containers"), 0);
    cJSON *arguments = json_add_array(container, "args");

    for (size_t i = 0; i < 3 && trial->arguments[i]; i++)
        json_append(arguments, json_string(slice_of(trial->arguments[i])));
}

static void append_place(struct text *mounts, struct text *volumes, const struct trial *trial)
{
    if (trial->secret.size == 0)
        return;
    text_printf(mounts,
                ",\"volumeMounts\":[{\"name\":\"secret\",\"mountPath\":\"%s\",\"readOnly\":true}]",
                trial->folder);
    if (trial->service_file)
        text_printf(mounts, ",\"env\":[{\"name\":\"PGSERVICEFILE\",\"value\":\"%s\"}]",
                    trial->service_file);
    text_printf(volumes,
                ",\"volumes\":[{\"name\":\"secret\",\"secret\":{\"secretName\":\"%.*s\","
                "\"defaultMode\":288",
                SLICE_FORMAT(trial->secret));
    for (size_t i = 0; trial->keys && trial->keys[i]; i++)
        text_printf(volumes, "%s{\"key\":\"%s\",\"path\":\"%s\"}",
                    i == 0 ? ",\"optional\":true,\"items\":[" : ",", trial->keys[i],
                    trial->keys[i]);
    text_append_string(volumes, trial->keys ? "]}}]" : "}}]");
}

/* The names are checked: they can stand in a text of JSON. */
static cJSON *pod_of(const struct kube_job *wanted, const struct trial *trial)
{
    struct text json, account, mounts, volumes;
    cJSON *pod;

    text_init(&json, KUBE_JOB_BYTES_MAX);
    text_init(&account, KUBE_JOB_BYTES_MAX);
    text_init(&mounts, KUBE_JOB_BYTES_MAX);
    text_init(&volumes, KUBE_JOB_BYTES_MAX);
    if (trial->account)
        text_printf(&account, "\"serviceAccountName\":\"%s\",", trial->account);
    append_place(&mounts, &volumes, trial);
    text_printf(&json, pod_format, trial->account ? "true" : "false", text_string(&account),
                SLICE_FORMAT(wanted->image), SLICE_FORMAT(wanted->pull_policy),
                text_string(&mounts), text_string(&volumes));
    pod = cJSON_Parse(text_string(&json));
    add_arguments(pod, trial);
    text_deinit(&volumes);
    text_deinit(&mounts);
    text_deinit(&account);
    text_deinit(&json);
    return pod;
}

static cJSON *job_of(const struct kube_job *wanted, const struct trial *trial)
{
    cJSON *job = cJSON_CreateObject(), *metadata, *spec, *template;

    json_add_string(job, "apiVersion", SLICE("batch/v1"));
    json_add_string(job, "kind", SLICE("Job"));
    metadata = json_add_object(job, "metadata");
    json_add_string(metadata, "name", wanted->name);
    json_add_string(json_add_object(metadata, "labels"), "totrain.dev/check", wanted->name);
    spec = json_add_object(job, "spec");
    json_add_integer(spec, "backoffLimit", 0);
    json_add_integer(spec, "ttlSecondsAfterFinished", 60);
    template = json_add_object(spec, "template");
    json_add_string(json_add_object(json_add_object(template, "metadata"), "labels"),
                    "totrain.dev/check", wanted->name);
    json_add(template, "spec", pod_of(wanted, trial));
    return job;
}

static enum status ask(struct http *http, struct http_request *request, const char *what,
                       struct api_answer *answer, enum status built, struct error *err)
{
    enum status status =
        built == STATUS_OK ? http_exchange_again(http, request, what, TRIES, answer, err) : built;

    http_request_deinit(request);
    return status;
}

static enum status create(struct http *http, const struct kube_job *wanted,
                          const struct trial *trial, struct error *err)
{
    struct api_target target = {.kind = API_JOBS, .kube_namespace = wanted->kube_namespace};
    struct api_answer answer = {.retry_after_ms = -1};
    cJSON *job = job_of(wanted, trial);
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_create(&request, &target, job, err);
    status = ask(http, &request, "create a Job", &answer, status, err);
    api_answer_deinit(&answer);
    cJSON_Delete(job);
    return status;
}

static void remove_job(struct http *http, const struct kube_job *wanted)
{
    struct api_target target = {
        .kind = API_JOBS, .kube_namespace = wanted->kube_namespace, .name = wanted->name};
    struct api_deletion deletion = {.propagation = "Background", .grace_s = -1};
    struct api_answer answer = {.retry_after_ms = -1};
    struct http_request request;
    struct error ignored;

    error_clear(&ignored);
    http_request_init(&request);
    (void)ask(http, &request, "delete the Job", &answer,
              api_delete(&request, &target, &deletion, &ignored), &ignored);
    api_answer_deinit(&answer);
}

/* ----- its pod ----- */

static enum status judge(const cJSON *pod, struct pod_view *view, bool *is_over, struct error *err)
{
    if (!pod)
        return STATUS_OK;
    TRY(pod_view_read_master(pod, view, err));
    *is_over = view->phase == POD_ENDED || view->obstacle == POD_NO_IMAGE ||
               (view->obstacle == POD_NO_START && pod_view_needs_user(view));
    if (view->phase == POD_ENDED && view->end == POD_DONE)
        return STATUS_OK;
    return *is_over ? fail(err, STATUS_FAILED, "%s", view->message) : STATUS_OK;
}

static enum status look(struct http *http, const struct kube_job *wanted, struct pod_view *view,
                        bool *is_over, struct error *err)
{
    struct api_target target = {.kind = API_PODS, .kube_namespace = wanted->kube_namespace};
    struct api_answer answer = {.retry_after_ms = -1};
    struct http_request request;
    struct text selector;
    enum status status;

    text_init(&selector, 256);
    text_printf(&selector, "totrain.dev/check=%.*s", SLICE_FORMAT(wanted->name));
    http_request_init(&request);
    status = api_list(&request, &target, text_slice(&selector), SLICE(""), err);
    status = ask(http, &request, "list pods", &answer, status, err);
    if (status == STATUS_OK)
        status =
            judge(cJSON_GetArrayItem(API_MEMBER(answer.object, "items"), 0), view, is_over, err);
    api_answer_deinit(&answer);
    text_deinit(&selector);
    return status;
}

static enum status follow(struct http *http, const struct kube_job *wanted, struct error *err)
{
    struct pod_view view = {.message = ""};
    bool is_over = false;

    for (int64_t waited = 0; waited < LOOK_MS_MAX; waited += LOOK_MS) {
        TRY(look(http, wanted, &view, &is_over, err));
        if (is_over)
            return STATUS_OK;
        TRY(http_run(http, LOOK_MS, err));
    }
    return fail(err, STATUS_FAILED, "its pod did not run within %d s%s%s", LOOK_MS_MAX / 1000,
                view.message[0] ? ": " : "", view.message);
}

static enum status run_trial(struct http *http, struct kube_job *wanted, const struct trial *trial,
                             struct error *err)
{
    struct arena arena;
    enum status status;

    arena_init(&arena, 1 << 16);
    TRY_OR(done, status, kube_job_invent_name(SLICE("totrain-check"), &arena, &wanted->name, err));
    TRY_OR(done, status, kube_job_check(wanted, err));
    status = create(http, wanted, trial, err);
    if (status == STATUS_OK)
        status = follow(http, wanted, err);
    remove_job(http, wanted);
    printf("%-4s %s\n", status == STATUS_OK ? "yes" : "NO", trial->shown);
done:
    arena_deinit(&arena);
    return status;
}

static void begin_job(struct slice kube_namespace, const struct cluster_options *options,
                      struct kube_job *wanted)
{
    cluster_job_begin(wanted);
    wanted->kube_namespace = kube_namespace;
    wanted->image = slice_of(options->image);
    if (options->pull_policy)
        wanted->pull_policy = slice_of(options->pull_policy);
    wanted->memory_max = wanted->memory;
    wanted->workers_max = 1;
}

enum status k8s_check_pod(struct http *http, struct slice kube_namespace,
                          const struct cluster_options *options, struct error *err)
{
    static const char *const keys[] = {MANIFEST_LOGIN_KEYS, NULL};
    struct trial trial = {.shown = "a pod runs the image", .arguments = {"--version"}};
    struct kube_job wanted;

    begin_job(kube_namespace, options, &wanted);
    if (options->database_secret) {
        wanted.database_secret = slice_of(options->database_secret);
        trial = (struct trial){.shown = "a pod reaches the database",
                               .arguments = {"k8s", "reach", FOLDER "/" MANIFEST_LOGIN_KEY},
                               .secret = wanted.database_secret,
                               .folder = FOLDER,
                               .keys = keys};
    }
    return run_trial(http, &wanted, &trial, err);
}

enum status k8s_check_schedule(struct http *http, struct slice kube_namespace,
                               const struct cluster_options *options, const char *address,
                               struct error *err)
{
    const struct trial trial = {.shown = "the pod of a schedule has its rights and its database",
                                .arguments = {"k8s", "scheduled", address},
                                .account = RIGHTS_SCHEDULE,
                                .secret = slice_of(options->service_secret),
                                .folder = MANIFEST_SERVICE_FOLDER,
                                .service_file = MANIFEST_SERVICE_FILE};
    struct kube_job wanted;

    TRY(schedule_check_database(address, err));
    TRY(kube_job_check_secret("the service's Secret", trial.secret, err));
    begin_job(kube_namespace, options, &wanted);
    return run_trial(http, &wanted, &trial, err);
}
