/*
 * cluster_folder.h - the folder of a job whose processes are on a cluster.
 *
 *     door --cluster.json, access.json--> FOLDER --> `totrain supervise FOLDER`
 *
 * With these two files the supervisor starts no processes but creates a Job, and follows it.
 * Nothing in them is secret: the credentials are in the kubeconfig that they name.
 *
 * A job that is kept (job_keep) outlives its supervisor, and the next one is to find the same Job.
 * So access.json has a number by which the Job is known as this folder's, in a label of it, and
 * once the Job is released its uid is in the file job.uid: from then on it is followed and not
 * made.
 */
#pragma once

#include "k8s/job/kube_job.h"

/* How the supervisor reaches the API server (k8s/client/access_find.h). Empty: not given. */
struct cluster_access {
    struct slice kubeconfig, context;
    bool allows_exec, allows_insecure;
    struct slice submission; /* by which a Job is known as this folder's; read, not written */
};

/* IO, NO_MEMORY; INVALID as from kube_job_check. */
enum status cluster_folder_write(const char *folder, const struct kube_job *job,
                                 const struct cluster_access *access, struct error *err);
bool cluster_folder_is(const char *folder);
/* Reads the job and its access, into the arena. */
enum status cluster_folder_read(const char *folder, struct arena *arena, struct kube_job *job,
                                struct cluster_access *access, struct error *err);
/* Gives the Job another name; a kill meanwhile leaves one of the two. */
enum status cluster_folder_rename(const char *folder, const struct kube_job *job,
                                  struct error *err);

#define CLUSTER_UID_BYTES_MAX 64
enum status cluster_folder_release(const char *folder, struct slice uid, struct error *err);
/* Empty: not released, as far as is known. */
void cluster_folder_released(const char *folder, char uid[CLUSTER_UID_BYTES_MAX]);
