/*
 * manifest_pod.h - parts that all pods of a job have: containers, mounts, volumes, resources.
 */
#pragma once

#include "k8s/client/api.h"
#include "k8s/job/kube_job.h"

#define STATE_FOLDER  "/var/lib/totrain"
#define JOBS_FOLDER   STATE_FOLDER "/jobs"
#define SECRET_FOLDER "/etc/totrain"
#define SPEC_FOLDER   SECRET_FOLDER "/job"
#define TLS_FOLDER    SECRET_FOLDER "/tls"
#define LOGIN_FOLDER  SECRET_FOLDER "/database"

/* Environment variables, as JSON. */
extern const char manifest_pod_address[];

/* Memory is given and taken in full, so that a node that is short of it does not
 * choose us first; processors may be used where there are more, unless the job has a limit of them,
 * as some namespaces demand. */
void manifest_add_resources(cJSON *container, const struct kube_job *job, int64_t cpu_m,
                            int64_t memory, struct slice slot);
void manifest_add_mount(cJSON *container, const char *name, const char *path, const char *file);
/* Keys are readable by the pod's group alone: runtime/net/credentials.h refuses others. */
cJSON *manifest_add_volume(cJSON *volumes, const char *name, struct slice secret);
/* Returns the Secret's items: none of its other keys are in the pod. */
cJSON *manifest_add_source(cJSON *sources, struct slice secret, bool is_optional);
/* `path` is below SECRET_FOLDER. */
void manifest_add_item(cJSON *items, const char *key, const char *path);
cJSON *manifest_begin_container(const struct kube_job *job, const char *name);
/* Begins a pod within the rules of Pod Security's "restricted". */
void manifest_begin_pod(cJSON *spec, const struct kube_job *job, struct slice account,
                        bool has_token, const char *restarts);
/* The Job makes another master as soon as this one's pod is under deletion, which a dead node never
 * confirms. By default the workers would wait five minutes for that. The Job's back-off is 10 s
 * from when the node was given up, so nothing is gained by less. */
void manifest_add_tolerations(cJSON *spec);
/* `state`: where the program keeps what is a pod's own. By default both are the image's own
 * folders: kubectl drain refuses pods with an emptyDir, though what is in these is a copy of what
 * is in the database. */
void manifest_add_folders(const struct kube_job *job, const char *state, cJSON *container,
                          cJSON *volumes);
void manifest_add_argument(cJSON *arguments, const char *text);
/* Where it is, and where the job's tables are. Returns the sources of its volume of Secrets. */
cJSON *manifest_add_common(const struct kube_job *job, int port, cJSON *container, cJSON *volumes);
cJSON *manifest_add_role(cJSON *container, const struct kube_job *job, const char *role);
