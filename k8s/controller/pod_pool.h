/*
 * pod_pool.h - the workers of a job as Pods: what is wanted against what is there. Its parameter
 * servers have a pool of their own.
 *
 *     wanted number ----+                        create, delete
 *     pods, by watcher -+--> pod_pool --pod_pool_next--------------> API
 *     answers ----------+       \---> problem, failure --------> session
 *
 * A place for each index that a worker can have:
 *
 *     EMPTY --create--> ASKED --it is seen--> PENDING --it runs--> RUNNING
 *       ^                 |                      |                    |
 *       +--- it is gone --+-------- LEAVING <----+---- not wanted ----+
 *       +--- it is deleted from outside ---------+--------------------+
 *
 * Each pod has a new incarnation of its index, so names are never used twice and
 * the master can refuse old incarnations. (A server claims its index in the job's tables, and
 * calls itself by a greater number where these know one that the pool does not.) A pod of an older
 * incarnation than its place has is deleted, also where another process made it; one that stays
 * after its deletion is on a dead node, and is deleted with force, since its worker is refused.
 * After a master's restart nothing is done before the first whole list: existing pods are taken
 * over.
 *
 * More pods than the cluster has room for stay pending and join when there is room; when fewer are
 * wanted, those go first that do not run. The master says which indexes of servers are needed and
 * which may go, by where the rows are (pod_pool_keep).
 *
 * A pod that is deleted from outside (a drain, a preemption) is replaced when the deletion
 * is seen, not when the pod has ended: the next pod is placed and started meanwhile. The
 * scheduler ensures that no slot has two, the master that the next worker waits until the
 * one before has left. Where a quota counts both, the next is tried again when the one
 * before is gone.
 *
 * A pod that ended is replaced: at once after a disruption or a drain, with doubled memory up to a
 * cap after it ran out, later and later after crashes. A step of the job in which the worker took
 * part resets its crashes; POD_POOL_CRASHES_MAX in a row fail the job where no other worker works.
 * All servers are needed: each fails the job by itself. One whose rows have no room ends with exit
 * code 5, which counts as running out of memory. A server that may have no more, by the cap or
 * because the API refuses the Pod that has, is started again as it was, but its rows may take all
 * of it, and twice the servers are asked for, among which the rows are spread; POD_POOL_CRASHES_MAX
 * times before the rows have moved fail the job. Ends that would repeat themselves (exit codes 2,
 * 4, 5), pods that the API refuses for their contents, and images that cannot be pulled while no
 * worker runs fail it at once, with the reason.
 *
 * Pure: no clock, socket or cluster. The launcher seam's side of a cluster, as
 * worker_pool.h is of this machine.
 */
#pragma once

#include "k8s/controller/pod_view.h"
#include "k8s/job/kube_job.h"

#define POD_POOL_WORKERS_MAX  1024
#define POD_POOL_OLD_MAX      4096 /* pods under deletion */
#define POD_POOL_CALLS_MAX    16   /* requests under way at a time */
#define POD_POOL_CRASHES_MAX  3
#define POD_POOL_REFUSALS_MAX 2
#define POD_POOL_RETRY_MS_MIN 200
#define POD_POOL_RETRY_MS_MAX 10000
#define POD_POOL_UNSEEN_MS    30000 /* an answered request of which no pod is seen is made again */
#define POD_POOL_STUCK_MS     60000 /* a pod that was deleted and is still there: its node is dead */
#define POD_POOL_MISSED_MS    5000  /* the worker left the master, its pod still runs: as STUCK */
#define POD_POOL_UNHEARD_MS   10000 /* a pod that its node does not report: the same */
#define POD_POOL_UNJOINED_MS  20000 /* a worker's pod runs, and the master does not hear of it */
#define POD_POOL_AVOIDED_MAX  8     /* nodes on which workers were lost, or are slow */
#define POD_POOL_WHY_MAX      96
#define POD_POOL_AVOIDED_MS   300000 /* for so long since */
#define POD_POOL_IMAGE_MS     60000  /* an image that cannot be pulled for so long */

/* ----- places and pods ----- */

enum pod_pool_action { POD_POOL_NOTHING, POD_POOL_CREATE, POD_POOL_DELETE };
enum place_state {
    POD_POOL_EMPTY,
    POD_POOL_ASKED,
    POD_POOL_PENDING,
    POD_POOL_RUNNING,
    POD_POOL_LEAVING
};

struct pod_pool_place {
    enum place_state state;
    uint32_t incarnation;  /* incarnation of its pod; where it is EMPTY, of the next */
    uint32_t claimed;      /* incarnation that its server has claimed; 0: not known, or the same */
    char uid[POD_UID_MAX]; /* empty: not seen yet */
    char node[POD_NODE_MAX];    /* node of its pod */
    int64_t memory;             /* bytes, of the next pod */
    int64_t had;                /* memory of the pod that ran out of it last; 0: none has */
    uint32_t full;              /* times that a server has run out of all that it may have, since
                                   the rows have moved last */
    enum pod_pool_action call;  /* the request about it that is under way */
    bool is_deleted;            /* its deletion was requested */
    uint32_t crashes, refusals; /* in a row */
    int64_t due_ms;             /* EMPTY, LEAVING: not before. ASKED: unseen then */
    bool is_here;               /* its worker is connected to the master */
    bool is_silent;             /* pod_view.h */
    int64_t missed_ms;          /* RUNNING: since when the master has lost it; 0: it has not */
    int64_t unjoined_ms; /* RUNNING: since when the master waits for its worker; 0: it has come */
    bool is_unjoined_told;
    int64_t unheard_ms; /* PENDING: since when its node is silent; 0: it is not */
    int64_t stuck_ms;   /* PENDING: since when it has an obstacle */
    enum pod_obstacle obstacle;
    char message[POD_MESSAGE_MAX]; /* why it does not run */
};

struct pod_pool_old {
    uint32_t index, incarnation;
    char uid[POD_UID_MAX];
    bool is_calling, is_deleted, is_lost;
    uint32_t refusals;
    int64_t due_ms;
};

struct pod_pool_avoided {
    char node[POD_NODE_MAX];
    int64_t until_ms;
};

/* ----- what it reports ----- */

enum pod_pool_loss_kind {
    POD_POOL_LOSS_DELETED,   /* from outside */
    POD_POOL_LOSS_DISRUPTED, /* by the cluster; the message has its reason */
    POD_POOL_LOSS_MEMORY,
    POD_POOL_LOSS_CRASH,
    POD_POOL_LOSS_SILENT /* pod_pool_on_lost, or as that */
};

/* A worker or server that ended, or has to, though it is wanted; another is its successor. */
struct pod_pool_loss {
    enum pod_pool_loss_kind kind;
    enum kube_role role;
    uint32_t index, incarnation;
    const char *node; /* empty: none yet */
    const char *message;
    int exit_code;
    uint32_t crashes;    /* in a row, with this one */
    int64_t memory, had; /* bytes of the next pod, and of the one that ran out of them */
};

struct pod_pool_listener {
    void *context;
    void (*on_loss)(void *context, const struct pod_pool_loss *loss);
    /* From now on new pods avoid the node, as `why` says. */
    void (*on_avoided)(void *context, const char *node, const char *why);
    /* This worker's pod has been running for a while, and the master has not heard of it: once for
     * each pod. */
    void (*on_unjoined)(void *context, enum kube_role role, uint32_t index, uint32_t incarnation,
                        const char *node);
};

/* Why not all wanted workers run. */
enum pod_pool_problem_kind {
    POD_POOL_NO_PROBLEM,
    POD_POOL_HAS_FAILED,    /* the job has failed: `failure` */
    POD_POOL_UNSCHEDULABLE, /* this one and the next two: obstacles of pods */
    POD_POOL_NO_IMAGE,
    POD_POOL_NO_START,
    POD_POOL_REFUSED /* by the API server: a quota, a right, a policy */
};

/* ----- the pool ----- */

struct pod_pool {
    struct pod_pool_listener listener; /* to be set after pod_pool_init; empty: none */
    enum kube_role role;               /* pod_pool_of_servers */
    uint32_t most, wanted;
    uint32_t kept; /* least number of servers: those of lower indexes stay while they are there */
    uint32_t serving; /* servers that have the rows, as far as is known */
    uint32_t asked;   /* servers that are needed, as one may have no more memory; 0: none are */
    int64_t memory_max;
    bool is_synced;
    struct pod_pool_place *places; /* (most) */
    struct pod_pool_old *old;      /* (old_count) */
    size_t old_count;
    uint32_t calls;
    struct pod_pool_avoided avoided[POD_POOL_AVOIDED_MAX];
    struct error failure; /* not OK: the job has failed */
    struct error refusal; /* error of the last create; OK after one that was taken */
};

/* Memory of each worker to begin with and at most, in bytes. INVALID, NO_MEMORY. */
enum status pod_pool_init(struct pod_pool *pool, uint32_t most, uint32_t wanted, int64_t memory,
                          int64_t memory_max, struct error *err);
/* Right after it: they are servers. Their incarnations are those of their claims, which count from
 * 1. */
void pod_pool_of_servers(struct pod_pool *pool);
void pod_pool_deinit(struct pod_pool *pool);

void pod_pool_want(struct pod_pool *pool, uint32_t wanted); /* 0 to most; 0: all go */
/* Makes the servers below `least`, and lets those from `most` on go. */
void pod_pool_keep(struct pod_pool *pool, uint32_t least, uint32_t most);
/* So many of them have the rows. */
void pod_pool_on_serving(struct pod_pool *pool, uint32_t serving);

/* ----- events: from the watcher, and from the master ----- */

/* From the watcher. pod_pool_on_gone: the object exists no more. */
void pod_pool_on_pod(struct pod_pool *pool, int64_t now_ms, const struct pod_view *view);
void pod_pool_on_gone(struct pod_pool *pool, int64_t now_ms, const char *uid);
void pod_pool_on_synced(struct pod_pool *pool);

/* The master counts this worker as dead (it is silent): the pool does not wait for its pod. */
void pod_pool_on_lost(struct pod_pool *pool, int64_t now_ms, uint32_t index, uint32_t incarnation);
/* The master finds it so many times slower than the others: its pod stays. */
void pod_pool_on_slow(struct pod_pool *pool, int64_t now_ms, uint32_t index, uint32_t incarnation,
                      double times);
/* Nodes on which a worker was lost lately, or computes slowly or wrongly, which new pods should
 * avoid: a dead node is ready, as far as the cluster knows, for up to a minute, and has room since
 * its pod was deleted; one that is half dead may be ready for ever. Returns how many; the names
 * belong to the pool. */
size_t pod_pool_avoided(const struct pod_pool *pool, int64_t now_ms,
                        struct slice nodes[POD_POOL_AVOIDED_MAX]);
/* The master has this worker, or not any more: it reports each, also after its own restart. A pod
 * that runs while the master does not have its worker, or whose node is silent then, is lost: an
 * end that the API server does not know of closes connections, too. So is a pod that was given to a
 * node which never reports it. */
void pod_pool_on_worker(struct pod_pool *pool, int64_t now_ms, uint32_t index, uint32_t incarnation,
                        bool is_here);
/* The job has made a step: earlier crashes of workers that took part do not count any more. */
void pod_pool_on_step(struct pod_pool *pool);
/* This worker died of the rows that it scored: no crash of the program. */
void pod_pool_on_killed_by_rows(struct pod_pool *pool, uint32_t index);

/* The API refuses this server's Pod. Was one with less memory taken before? Then the next has that
 * again. */
bool pod_pool_refuses_memory(struct pod_pool *pool, uint32_t index, enum status status);

/* ----- a request to make: pod_pool_next.h ----- */

struct pod_pool_step {
    enum pod_pool_action action;
    enum kube_role role;
    uint32_t index, incarnation;
    int64_t memory;        /* CREATE */
    bool is_full;          /* CREATE: a server's rows may take all of it */
    char uid[POD_UID_MAX]; /* DELETE: only this one */
    int64_t grace_s;       /* DELETE: -1 as in the pod's spec; 0 for one whose node is lost */
};
