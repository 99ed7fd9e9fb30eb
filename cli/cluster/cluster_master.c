#include "cli/cluster/cluster_master.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/process/log.h"
#include "base/whole_file.h"
#include "k8s/client/kubeconfig.h"
#include "k8s/client/kubeconfig_choose.h"
#include "k8s/job/kube_job_json.h"
#include "k8s/loop/pods.h"
#include "runtime/process/leading/master_process.h"

struct cluster {
    struct arena arena;
    struct kube_job job;
    struct kube_access access;
    struct pods *pods;
};

static enum status read_job(struct cluster *cluster, const char *file, struct error *err)
{
    struct text json;
    enum status status;

    text_init(&json, KUBE_JOB_BYTES_MAX);
    status = whole_file_read(file, &json, err);
    if (status == STATUS_OK)
        status = kube_job_read(text_slice(&json), &cluster->arena, &cluster->job, err);
    text_deinit(&json);
    return status;
}

static enum status find_access(struct cluster *cluster, const char *kubeconfig, struct error *err)
{
    struct kubeconfig_choice choice = {.context = NULL};
    struct kubeconfig config = {.clusters = NULL};

    if (!kubeconfig)
        return access_in_cluster(ACCESS_POD_FOLDER, getenv("KUBERNETES_SERVICE_HOST"),
                                 getenv("KUBERNETES_SERVICE_PORT"), &cluster->arena,
                                 &cluster->access, err);
    TRY(kubeconfig_load(kubeconfig, &cluster->arena, &config, err));
    return kubeconfig_choose(&config, &choice, &cluster->arena, &cluster->access, err);
}

static enum status open_cluster(struct cluster *cluster, const char *file, const char *kubeconfig,
                                struct error *err)
{
    const char *owner = getenv("JOB_UID"), *controller = getenv("CONTROLLER_UID");

    TRY(read_job(cluster, file, err));
    TRY(find_access(cluster, kubeconfig, err));
    return pods_new(&cluster->access, &cluster->job, slice_of(owner ? owner : ""),
                    slice_of(controller ? controller : ""), &cluster->pods, err);
}

int cluster_master(const struct role_options *options, const char *file, const char *kubeconfig)
{
    struct cluster cluster = {.pods = NULL};
    struct role_options own = *options;
    struct error err;
    int code;

    error_clear(&err);
    log_open("master", LOG_INFO);
    arena_init(&cluster.arena, ARENA_MAXIMUM);
    if (open_cluster(&cluster, file, kubeconfig, &err) == STATUS_OK) {
        own.launcher = pods_launcher(cluster.pods);
        code = run_master(&own);
    } else {
        log_error("%s: %s", file, err.message);
        code = status_exit_code(err.status);
    }
    pods_free(cluster.pods);
    arena_deinit(&cluster.arena);
    return code;
}
