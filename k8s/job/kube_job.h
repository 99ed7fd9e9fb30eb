/*
 * kube_job.h - what a job on Kubernetes is to be like, as values.
 *
 *     door: statement, settings, options --> struct kube_job --cluster.json--> submitter
 *                                                                  |
 *                                        manifest.h: objects <-----+--Secret--> master
 *
 * Linked into the databases: no client of the API, no TLS, no YAML.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "runtime/share/share.h"

#define MANIFEST_NAME_BYTES_MAX 40 /* with -worker-1023-4294967295 it is still a label */
#define MANIFEST_WORKERS_MAX    1024
#define MANIFEST_SERVERS_MAX    64
#define KUBE_JOB_BYTES_MAX      ((size_t)16 << 10)
#define KUBE_JOB_PODS_MAX       ((size_t)8 << 10)
#define KUBE_JOB_SNAPSHOT_MAX   63
#define KUBE_JOB_SECONDS_MAX    ((int64_t)10 * 365 * 24 * 3600)
#define KUBE_JOB_ORIGIN_MAX     255 /* bytes of a model's, a database's and a user's name */

/* Roles with an index, which may be there several times. */
enum kube_role { KUBE_WORKER, KUBE_SERVER };

/* Label and first argument of their Pods: "worker", "ps". For people: "worker", "server". */
const char *kube_role_name(enum kube_role role);
const char *kube_role_title(enum kube_role role);

struct kube_job {
    struct slice name, kube_namespace, image;
    struct slice pull_policy;     /* "IfNotPresent", "Always", "Never" */
    struct slice service_account; /* the master's; workers have it without its token */
    struct slice priority_class;  /* empty: none */
    struct slice
        database_secret;   /* login of the database, named by the administrator; empty: none */
    struct slice schema;   /* schema of the job's tables; empty: the program looks by itself */
    struct slice snapshot; /* under which workers read a table themselves; empty: they read none */
    struct slice slot_resource;        /* each worker asks for one of it; empty: none */
    struct slice schedule;             /* schedule that it is a run of; empty: none */
    struct slice owner_pod, owner_uid; /* for such a run: the pod that submits it */
    struct slice statement, model;     /* "TRAIN", ... and the model that it makes or reads */
    struct slice database, user;       /* where it came from; each of the four may be empty */
    struct slice pods;                 /* JSON, more of its Pods (profile.h); empty: nothing */
    bool has_read_only_root;           /* its pods' root, with an emptyDir for each folder */
    int64_t job;   /* its number, by which its tables are named; 0: not staged yet */
    int64_t cpu_m; /* thousandths of a core, of each worker */
    /* Limit of processors of each pod, in hundredths of what it asks for; 0: none. */
    int64_t cpu_limit_percent;
    int64_t memory;     /* bytes, of each worker */
    int64_t memory_max; /* bytes, of one that ran out of memory before */
    uint32_t workers_max;
    uint32_t servers;      /* parameter servers; without them the four that follow are 0 */
    uint32_t servers_max;  /* most servers while it runs: each has credentials */
    int64_t server_cpu_m;  /* processors of each, as of each worker */
    int64_t server_memory; /* the Pod's: more than its rows may take (kube_job_server_rows) */
    int64_t server_memory_max;
    int64_t keep_s;                      /* a finished Job is deleted then */
    int64_t deadline_s;                  /* one that has run for longer fails; 0: none */
    int64_t master_cpu_m, master_memory; /* 0: KUBE_JOB_MASTER_CPU_M, KUBE_JOB_MASTER_MEMORY */
};

/* The defaults of every job. */
#define KUBE_JOB_NAMESPACE     "totrain"
#define KUBE_JOB_ACCOUNT       "totrain" /* the master's */
#define KUBE_JOB_CPU_M         1000
#define KUBE_JOB_MEMORY        ((int64_t)1 << 30)
#define KUBE_JOB_MASTER_CPU_M  100
#define KUBE_JOB_MASTER_MEMORY ((int64_t)256 << 20)
#define KUBE_JOB_MEMORY_GROWTH                                                                     \
    4 /* times as much for a worker that runs out of it again and again */
#define KUBE_JOB_KEEP_S                86400
#define KUBE_JOB_CPU_LIMIT_PERCENT_MAX 10000

/* So many servers at first, each of which may have rows of so many bytes (0: by default) and so
 * many thousandths of a processor (0: by default). */
void kube_job_set_servers(struct kube_job *job, uint32_t servers, uint64_t row_bytes,
                          int64_t cpu_m);
/* The master's size. */
int64_t kube_job_master_cpu_m(const struct kube_job *job);
int64_t kube_job_master_memory(const struct kube_job *job);
/* Bytes that the rows of a server may take in a Pod of so much memory. The Pod has twice as much,
 * since rows that change while a snapshot is taken are kept as they were, and
 * KUBE_JOB_SERVER_ALONE. */
int64_t kube_job_server_rows(int64_t memory);
/* And what they may take in all, while they are on their way to more servers. */
int64_t kube_job_server_rows_most(int64_t memory);
#define KUBE_JOB_SERVER_ALONE ((int64_t)64 << 20) /* the process without rows */

/* PriorityClasses that `totrain k8s rbac classes` prints: the first for master, servers and as many
 * workers as the job cannot do without, the other for more workers. Each has a band, by the end of
 * its name: -low, none, -high. */
#define KUBE_JOB_FIRST "totrain-first"
#define KUBE_JOB_MORE  "totrain-more"
/* -1, 0, 1 by its class; 0 for classes of others. */
int kube_job_band(const struct kube_job *job);
/* The class of the workers beyond the job's least number; empty: that of all. */
struct slice kube_job_more_class(const struct kube_job *job, char out[64]);

/* Its pods, and the least that it may use: what is known of a job before its master runs. */
struct share_job kube_job_use(const struct kube_job *job);

/* INVALID, naming the member, for what the API would refuse or what could be
 * read as something else. */
enum status kube_job_check(const struct kube_job *job, struct error *err);

/* Only a name of a Secret; `what` it is. */
enum status kube_job_check_secret(const char *what, struct slice name, struct error *err);

/* Five fields of cron, or @daily and the like; the API server reads them. INVALID. */
enum status schedule_check(struct slice schedule, struct error *err);

/* "2", "1.5", "500m": thousandths. "512Mi", "2G", "1073741824": bytes. INVALID. */
enum status quantity_read_cpu(struct slice text, int64_t *cpu_m, struct error *err);
enum status quantity_read_memory(struct slice text, int64_t *bytes, struct error *err);
