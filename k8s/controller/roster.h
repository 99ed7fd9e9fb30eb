/*
 * roster.h - the workers of a job as Pods: what is wanted against what is there.
 *
 *     wanted number ----+                        create, delete
 *     pods, by watcher -+--> roster --roster_next--------------> API
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
 * the master can refuse old incarnations. A pod of an older incarnation than its place
 * has is deleted, also where another process made it; one that stays after its deletion
 * is on a dead node, and is deleted with force, since its worker is refused. After a
 * master's restart nothing is done before the first whole list: existing pods are taken
 * over.
 *
 * More pods than the cluster has room for stay pending and join when there is
 * room; when fewer are wanted, those go first that do not run.
 *
 * A pod that is deleted from outside (a drain, a preemption) is replaced when the deletion
 * is seen, not when the pod has ended: the next pod is placed and started meanwhile. The
 * scheduler ensures that no slot has two, the master that the next worker waits until the
 * one before has left. Where a quota counts both, the next is tried again when the one
 * before is gone.
 *
 * A pod that ended is replaced: at once after a disruption or a drain, with doubled memory
 * up to a cap after it ran out, later and later after crashes. A step of the job in which
 * the worker took part resets its crashes; ROSTER_CRASHES_MAX in a row fail the job where
 * no other worker works. Ends that would repeat themselves (exit codes 2, 4, 5), pods that
 * the API refuses for their contents, and images that cannot be pulled while no worker
 * runs fail it at once, with the reason.
 *
 * Pure: no clock, socket or cluster. The launcher seam's side of a cluster, as
 * worker_pool.h is of this machine.
 */
#ifndef K8S_CONTROLLER_ROSTER_H
#define K8S_CONTROLLER_ROSTER_H

#include "k8s/controller/pod_view.h"

#define ROSTER_WORKERS_MAX  1024
#define ROSTER_OLD_MAX      4096 /* pods under deletion */
#define ROSTER_CALLS_MAX    16   /* requests under way at a time */
#define ROSTER_CRASHES_MAX  3
#define ROSTER_REFUSALS_MAX 2
#define ROSTER_RETRY_MS_MIN 200
#define ROSTER_RETRY_MS_MAX 10000
#define ROSTER_UNSEEN_MS    30000  /* an answered request of which no pod is seen is made again */
#define ROSTER_STUCK_MS     60000  /* a pod that was deleted and is still there: its node is dead */
#define ROSTER_MISSED_MS    5000   /* the worker left the master, its pod still runs: as STUCK */
#define ROSTER_UNHEARD_MS   10000  /* a pod that its node does not report: the same */
#define ROSTER_AVOIDED_MAX  8      /* nodes on which workers were lost */
#define ROSTER_AVOIDED_MS   300000 /* for so long since */
#define ROSTER_IMAGE_MS     60000  /* an image that cannot be pulled for so long */

enum roster_action { ROSTER_NOTHING, ROSTER_CREATE, ROSTER_DELETE };
enum place_state { ROSTER_EMPTY, ROSTER_ASKED, ROSTER_PENDING, ROSTER_RUNNING, ROSTER_LEAVING };

struct roster_place {
    enum place_state state;
    uint32_t incarnation;       /* of its pod; where it is EMPTY, of the next */
    char uid[POD_UID_MAX];      /* empty: not seen yet */
    char node[POD_NODE_MAX];    /* of its pod */
    int64_t memory;             /* bytes, of the next pod */
    enum roster_action call;    /* the request about it that is under way */
    bool is_deleted;            /* its deletion was requested */
    uint32_t crashes, refusals; /* in a row */
    int64_t due_ms;             /* EMPTY, LEAVING: not before. ASKED: unseen then */
    bool is_here;               /* its worker is connected to the master */
    bool is_silent;             /* pod_view.h */
    int64_t missed_ms;          /* RUNNING: since when the master has lost it; 0: it has not */
    int64_t unheard_ms;         /* PENDING: since when its node is silent; 0: it is not */
    int64_t stuck_ms;           /* PENDING: since when it has an obstacle */
    enum pod_obstacle obstacle;
    char message[POD_MESSAGE_MAX]; /* why it does not run */
};

struct roster_old {
    uint32_t index, incarnation;
    char uid[POD_UID_MAX];
    bool is_calling, is_deleted, is_lost;
    uint32_t refusals;
    int64_t due_ms;
};

struct roster_avoided {
    char node[POD_NODE_MAX];
    int64_t until_ms;
};

enum roster_loss_kind {
    ROSTER_LOSS_DELETED,   /* from outside */
    ROSTER_LOSS_DISRUPTED, /* by the cluster; the message has its reason */
    ROSTER_LOSS_MEMORY,
    ROSTER_LOSS_CRASH,
    ROSTER_LOSS_SILENT /* roster_on_lost, or as that */
};

/* A worker that ended, or has to, though it is wanted; another is its successor. */
struct roster_loss {
    enum roster_loss_kind kind;
    uint32_t index, incarnation;
    const char *node; /* empty: none yet */
    const char *message;
    int exit_code;
    uint32_t crashes;    /* in a row, with this one */
    int64_t memory, had; /* of the next pod, of the one that ran out of it; bytes */
};

struct roster_listener {
    void *context;
    void (*on_loss)(void *context, const struct roster_loss *loss);
};

/* Why not all wanted workers run. */
enum roster_problem_kind {
    ROSTER_NO_PROBLEM,
    ROSTER_HAS_FAILED,    /* the job has failed: `failure` */
    ROSTER_UNSCHEDULABLE, /* as the obstacles of pods */
    ROSTER_NO_IMAGE,
    ROSTER_NO_START,
    ROSTER_REFUSED /* by the API server: a quota, a right, a policy */
};

struct roster {
    struct roster_listener listener; /* to be set after roster_init; empty: none */
    uint32_t most, wanted;
    int64_t memory_max;
    bool is_synced;
    struct roster_place *places; /* (most) */
    struct roster_old *old;      /* (old_count) */
    size_t old_count;
    uint32_t calls;
    struct roster_avoided avoided[ROSTER_AVOIDED_MAX];
    struct error failure; /* not OK: the job has failed */
    struct error refusal; /* of the last create; OK after one that was taken */
};

/* Memory of each worker to begin with and at most, in bytes. INVALID, NO_MEMORY. */
enum status roster_init(struct roster *roster, uint32_t most, uint32_t wanted, int64_t memory,
                        int64_t memory_max, struct error *err);
void roster_deinit(struct roster *roster);

void roster_want(struct roster *roster, uint32_t wanted); /* 0 to most; 0: all go */

/* From the watcher. roster_on_gone: the object exists no more. */
void roster_on_pod(struct roster *roster, int64_t now_ms, const struct pod_view *view);
void roster_on_gone(struct roster *roster, int64_t now_ms, const char *uid);
void roster_on_synced(struct roster *roster);

/* The master counts this worker as dead (heartbeats): the roster does not wait for its pod. */
void roster_on_lost(struct roster *roster, int64_t now_ms, uint32_t index, uint32_t incarnation);
/* Nodes on which a worker was lost lately, which new pods should avoid: a dead node is ready, as
 * far as the cluster knows, for up to a minute, and has room since its pod was deleted; one that is
 * half dead may be ready for ever. Returns how many; the names belong to the roster. */
size_t roster_avoided(const struct roster *roster, int64_t now_ms,
                      struct slice nodes[ROSTER_AVOIDED_MAX]);
/* The master has this worker, or not any more: it reports each, also after its own restart. A pod
 * that runs while the master does not have its worker, or whose node is silent then, is lost: an
 * end that the API server does not know of closes connections, too. So is a pod that was given to a
 * node which never reports it. */
void roster_on_worker(struct roster *roster, int64_t now_ms, uint32_t index, uint32_t incarnation,
                      bool is_here);
/* The job has made a step: earlier crashes of workers that took part do not count any more. */
void roster_on_step(struct roster *roster);
/* This worker died of the rows that it scored: no crash of the program. */
void roster_on_blamed(struct roster *roster, uint32_t index);

struct roster_step {
    enum roster_action action;
    uint32_t index, incarnation;
    int64_t memory;        /* CREATE */
    char uid[POD_UID_MAX]; /* DELETE: only this one */
    int64_t grace_s;       /* DELETE: -1 as in the pod's spec; 0 for one whose node is lost */
};

#endif
