/*
 * cluster_job.h - jobs whose processes are Pods of a Kubernetes cluster.
 *
 *     rows --spool--> folder --stage--> tables          commit: others see them from now on
 *     supervisor --> Job on the cluster: master, workers <--> tables
 *     journal --collect--> folder --publish, fill--> the user's table    commit
 *     (or, when it failed: discard)
 *
 * With job.wait = false the session ends after the first commit. A process of the host's follows
 * the job (cluster_follow) and ends it (collect, or discard); if that process ends, another takes
 * over: the folder stays (job_keep) until the model is published, and the Job outlives them all.
 *
 * The host fills struct host_cluster (extension/engine/host/host.h) where Pods can reach its
 * database, and owns the transactions.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "extension/engine/rows/direct_order.h"
#include "k8s/job/cluster_folder.h"
#include "planner/plan/plan.h"

/* A job on a cluster as plan and host want it. Its texts are the arena's. */
struct cluster_request {
    struct kube_job job; /* when it is staged, with the number of its tables */
    struct cluster_access access;
    struct direct_order order; /* for job.read = 'direct' */
    char snapshot[KUBE_JOB_SNAPSHOT_MAX + 1];
};
/* Before a row is read: INVALID and UNSUPPORTED for what the cluster cannot be asked for. */
enum status cluster_check(const struct host *host, const struct plan *plan, struct arena *arena,
                          struct cluster_request *request, struct error *err);

/*
 * From job_keep to the end of what runs on the cluster, for the process that has taken over. The
 * outcome is in the job's record: PUBLISHING, or its error, or it goes on and is to be followed
 * another time. `number`: of its tables, whose journal host.cluster reads; 0: it is not read, as
 * that of a job which is to end.
 */
enum status cluster_follow(const struct host *host, const struct job_folder *folder, int64_t number,
                           const struct sink *sink, struct error *err);
