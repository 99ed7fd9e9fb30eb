/*
 * cluster_folder.h - a job's folder whose processes are on a cluster.
 *
 *     door --cluster.json, access.json--> FOLDER --> `totrain supervise FOLDER`
 *
 * With these two files the supervisor starts no processes but a Job, and follows that. Nothing
 * in them is secret: who we are at the API server is in the kubeconfig that is named.
 */
#ifndef K8S_JOB_CLUSTER_FOLDER_H
#define K8S_JOB_CLUSTER_FOLDER_H

#include "k8s_job/kube_job.h"

/* How the supervisor reaches the API server (k8s/access_find.h). Empty: not said. */
struct cluster_access {
    struct slice kubeconfig, context;
    bool allows_exec, allows_insecure;
};

/* IO, NO_MEMORY; INVALID as kube_job_check says. */
enum status cluster_folder_write(const char *folder, const struct kube_job *job,
                                 const struct cluster_access *access, struct error *err);
bool cluster_folder_is(const char *folder);
/* What was written, in the arena. */
enum status cluster_folder_read(const char *folder, struct arena *arena, struct kube_job *job,
                                struct cluster_access *access, struct error *err);

#endif
