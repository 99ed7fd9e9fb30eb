/*
 * manifest.h - a job as Kubernetes objects.
 *
 *     Job NAME (suspended until all is there; restarts the master)
 *      +-- owns Secret NAME-job          cluster.json: struct kube_job
 *      +-- owns Secret NAME-master       the master's ca.crt, tls.crt, tls.key
 *      +-- owns Secret NAME-workers-K    the same for workers 256 K to 256 K + 255
 *      +-- owns Secret NAME-ps-0         the same for parameter servers, where there are any: of
 * all |                                 that there may be, as their number may change
 *      +-- owns Service NAME-master      a name for the master
 *      +-- owns Pod NAME-worker-I-N      worker I, incarnation N; made by the master; its
 *      |                                 controller is the Secret NAME-job
 *      +-- owns Pod NAME-ps-I-N          parameter server I, incarnation N; the same
 *
 * Deleting the Job deletes everything. Rows, spec and model are in tables of PostgreSQL
 * (docs/kubernetes.md), which the processes reach with the login of `database_secret`. The
 * submitter is the job's authority (runtime/net/authority.h) and issues the credentials of all
 * workers and servers that there may be, so that its key is in no object, and their Pods mount
 * their own files of the Secret alone, in one volume with all that it has of Secrets. Only the
 * master has an API token.
 *
 * Pure: values in, JSON out. Objects are built as base/json.h describes: what did
 * not fit into memory shows in json_print. The caller frees them.
 */
#pragma once

#include "k8s/client/api.h"
#include "k8s/job/kube_job.h"

#define MANIFEST_WORKERS_PER_SECRET 256  /* a Secret holds 1 MiB */
#define MANIFEST_METRICS_PORT       9464 /* the sharer's */
#define MANIFEST_MASTER_PORT        7070
#define MANIFEST_WORKER_PORT        7071
#define MANIFEST_HEALTH_PORT        7072 /* the master's */
#define MANIFEST_MASTER_TRIES       50 /* the Job's; the master's pod may be deleted and preempted */
#define MANIFEST_AWAY_S             8  /* a silent node loses the master's pod after this */
#define MANIFEST_GRACE_S            30      /* a worker hands its work over in 25 at most */
#define MANIFEST_LOGIN_KEY          "login" /* in database_secret: a line, a connection string */
/* The keys of database_secret that a pod sees, where they exist; all but the first for libpq's
 * sslrootcert, sslcert and sslkey. */
#define MANIFEST_LOGIN_KEYS MANIFEST_LOGIN_KEY, "ca.crt", "tls.crt", "tls.key"
/* An annotation of the Job: how many workers are wanted, where `totrain scale` or kubectl
 * set it. */
#define MANIFEST_WORKERS "totrain.dev/workers"
#define MANIFEST_SERVERS "totrain.dev/servers" /* likewise of parameter servers */
#define MANIFEST_USE     "totrain.dev/use"     /* share_report.h */
#define MANIFEST_JOB_KEY "cluster.json"

/* The Job's release: its template's annotation has the uid of the Secret NAME-job, the controller
 * of all Pods that the master makes. kubectl drain refuses Pods that have none, and the Job's
 * controller would give up those that its selector does not match. */
#define MANIFEST_CONTROLLER "totrain.dev/controller"
/* Where a profile names a queue, its label leaves the release to Kueue. */
cJSON *manifest_release(const struct kube_job *job, struct slice controller);

/* The Job with the master's pod in it. */
cJSON *manifest_job(const struct kube_job *job);

/* The three files of credentials, PEM. */
struct manifest_credentials {
    struct slice authority, certificate, key;
};
/* `owner` is the uid of the Job; empty: not known yet, as in a dry run. */
cJSON *manifest_job_secret(const struct kube_job *job, struct slice owner);
cJSON *manifest_master_secret(const struct kube_job *job,
                              const struct manifest_credentials *credentials, struct slice owner);
/* Secret number `part`; of its workers only those below workers_max, of its servers those below
 * servers_max. credentials[i] belongs to member part * MANIFEST_WORKERS_PER_SECRET + i. */
cJSON *manifest_members_secret(const struct kube_job *job, enum kube_role role, uint32_t part,
                               const struct manifest_credentials *credentials, struct slice owner);
/* The suffix of the Secret that has the credentials of these members. */
void manifest_secret_suffix(enum kube_role role, uint32_t part, char suffix[64]);
/* How many such Secrets there are, and how many members. */
uint32_t manifest_member_secrets(const struct kube_job *job, enum kube_role role);
uint32_t manifest_members_most(const struct kube_job *job, enum kube_role role);
cJSON *manifest_service(const struct kube_job *job, struct slice owner);

/* A worker, or a parameter server. */
struct kube_member {
    enum kube_role role;
    uint32_t index, incarnation;
    int64_t memory;              /* bytes; more than the job's after it ran out */
    bool is_surplus;             /* a worker that the job can do without */
    bool is_full;                /* a server's rows may take what its snapshots would */
    struct slice master;         /* "tcp:HOST:PORT" */
    struct slice controller;     /* uid of the Secret NAME-job; empty: not known */
    const struct slice *avoided; /* nodes to be avoided, as a preference */
    size_t avoided_count;
};
cJSON *manifest_member(const struct kube_job *job, const struct kube_member *member,
                       struct slice owner);
/* A preference of the scheduler: a pod of this spec is on one of these nodes only where there is no
 * room elsewhere. */
void manifest_avoid(cJSON *spec, const struct slice *nodes, size_t count);
/* The master's address, by the Service's name. */
struct slice manifest_master_address(const struct kube_job *job, struct arena *arena);

/*
 * A statement on a schedule (docs/decisions/0027-kubernetes-objects.md).
 *
 *     CronJob NAME --owns--> Secret NAME-statement     where the program made them; statement.sql
 *        +-- Job --> Pod: `totrain submit`, with an account of its own
 *                      +-- owns the Job of the training, labelled MANIFEST_SCHEDULE=NAME
 *
 * The pod knows the database by a service file of libpq in a Secret that is there already.
 */
#define MANIFEST_SERVICE_KEY    "pg_service.conf"
#define MANIFEST_SERVICE_FOLDER "/etc/totrain/service"
#define MANIFEST_SERVICE_FILE   MANIFEST_SERVICE_FOLDER "/" MANIFEST_SERVICE_KEY
#define MANIFEST_SCHEDULE       "totrain.dev/schedule" /* label of a training: the schedule's name */
#define MANIFEST_TABLES         "totrain.dev/tables"   /* annotation of one: their number */
struct kube_schedule {
    struct slice cron;
    struct slice database;       /* "service=NAME" */
    struct slice service_secret; /* with MANIFEST_SERVICE_KEY */
    struct slice account;
};
/* `job` is the model of each training's job; its name is the schedule's. */
cJSON *manifest_cron_job(const struct kube_job *job, const struct kube_schedule *schedule);
/* `owner`: uid of the CronJob; empty: not known. */
cJSON *manifest_statement_secret(const struct kube_job *job, struct slice statement,
                                 struct slice owner);

/* NAME-worker-I-N, NAME-ps-I-N. */
void manifest_member_name(const struct kube_job *job, enum kube_role role, uint32_t index,
                          uint32_t incarnation, char name[128]);
/* Label selector of all pods of the job's workers and servers. */
void manifest_member_selector(const struct kube_job *job, struct text *out);
