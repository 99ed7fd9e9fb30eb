/*
 * cluster_job.h - TRAIN whose processes are Pods of a Kubernetes cluster.
 *
 *     rows --spool--> folder --stage--> tables          commit: others see them from now on
 *     supervisor --> Job on the cluster: master, workers <--> tables
 *     journal --collect--> folder --publish--> the user's table    commit
 *     (or, when it failed: discard)
 *
 * With job.wait = false the session ends after the first commit. A process of the host's follows
 * the job (cluster_follow) and ends it (collect, or discard); if that process ends, another takes
 * over: the folder stays (job_keep) until the model is published, and the Job outlives them all.
 *
 * The host fills this seam where its database can be reached by Pods, and owns its transactions.
 */
#ifndef EXTENSION_ENGINE_JOBS_CLUSTER_JOB_H
#define EXTENSION_ENGINE_JOBS_CLUSTER_JOB_H

#include "extension/engine/host/host.h"
#include "extension/engine/jobs/direct.h"
#include "jobspec/jobspec.h"
#include "k8s/job/cluster_folder.h"
#include "planner/plan.h"

/* Which jobs outlive their session. */
enum cluster_keeps {
    KEEPS_NONE,     /* it is a pod that owns them */
    KEEPS_DETACHED, /* those with job.wait = false */
    KEEPS_ALL       /* no user waits for this session */
};

struct host_cluster {
    void *self;
    /* Fills in what the administrator, or the caller, has decided: namespace, image
     * (plan->cluster.image names one of theirs), Secret, schema. The rest of *job is filled
     * already. Before any row is read. */
    enum status (*describe)(void *self, const struct plan_cluster *wanted, struct arena *arena,
                            struct kube_job *job, struct cluster_access *access, struct error *err);
    /* The rows and the spec of the folder into tables, which are committed at the latest by
     * host_jobs.rows_read: their number. */
    enum status (*stage)(void *self, const struct staging *staging, int64_t *number,
                         struct error *err);
    /* The one table whose columns, among them these, are all that the SELECT reads, where the
     * login of a job's processes may read it as the caller may. UNSUPPORTED, PERMISSION with a
     * hint that names what is missing. */
    enum status (*find_table)(void *self, struct slice select, const struct slice *columns,
                              size_t count, struct arena *arena, struct direct_table *table,
                              struct error *err);
    /* Locks the tables of the order against statements that remove rows, and exports a snapshot,
     * whose name is the result. Both last until the next collect or discard. BUSY: a table has
     * other partitions than before. */
    enum status (*hold)(void *self, const struct direct_order *order,
                        char snapshot[KUBE_JOB_SNAPSHOT_MAX + 1], struct error *err);
    /* job_collect_into of that number's journal, and its tables dropped: all or nothing. */
    enum status (*collect)(void *self, int64_t number, const struct job_folder *folder,
                           const struct sink *sink, struct error *err);
    /* Drops the tables of a job that failed. A notice names those that stay, and the reason. */
    void (*discard)(void *self, int64_t number, const struct sink *sink);
    /* Takes over a kept folder that no process holds: from now on one follows it. */
    enum status (*keep)(void *self, const struct job_folder *folder, struct error *err);
    enum cluster_keeps keeps;
};

/* What a job on a cluster is to be like, of the plan and the host. The arena's. */
struct cluster_request {
    struct kube_job job; /* of one that is staged, too, the number of its tables */
    struct cluster_access access;
    struct direct_order order; /* of job.read = 'direct' */
    char snapshot[KUBE_JOB_SNAPSHOT_MAX + 1];
};
/* Before a row is read: INVALID and UNSUPPORTED for what the cluster cannot be asked for. */
enum status cluster_check(const struct host *host, const struct plan *plan, struct arena *arena,
                          struct cluster_request *request, struct error *err);

/*
 * From job_keep to the end of what runs on the cluster, for the process that has taken over. The
 * outcome is in the job's record: PUBLISHING, or its error, or it goes on and is to be followed
 * another time.
 */
enum status cluster_follow(const struct host *host, const struct job_folder *folder,
                           const struct sink *sink, struct error *err);

#endif
