/*
 * roster.h - the workers of a job as Pods: what is wanted against what is there.
 *
 *     wanted number ----+                        create, delete
 *     pods, by watcher -+--> roster --roster_next--------------> API
 *     answers ----------+       \---> problem, verdict --------> session
 *
 * A place for each index that a worker can have:
 *
 *     EMPTY --create--> ASKED --it is seen--> PENDING --it runs--> RUNNING
 *       ^                 |                      |                    |
 *       +--- it is gone --+-------- LEAVING <----+---- not wanted ----+
 *       +--- somebody else deletes it -----------+--------------------+
 *
 * Each pod has a new incarnation of its index, so names are never used twice and
 * the master's fences hold. A pod of an older incarnation than its place has is
 * deleted, whoever made it; one that stays when it was deleted is on a dead node,
 * and is deleted with force, since its worker is fenced. After a master's restart nothing is done
 * before the first whole list: the pods that are there are taken over.
 *
 * More pods than the cluster has room for stay pending and join when there is
 * room; when fewer are wanted, those go first that do not run.
 *
 * What somebody else deletes (a drain, a preemption) is replaced when it is heard of, not when
 * it has ended: the next pod is placed and started meanwhile, the scheduler sees to it that no
 * slot has two, and the master that the next worker waits until the one before has left.
 * Where a quota counts both, it is tried again when the one before is gone.
 *
 * What ended comes again: at once after a disruption and after leave, with
 * doubled memory up to a cap after it ran out, later and later after crashes. Steps of the job
 * that it was there for forgive them; ROSTER_CRASHES_MAX in a row fail the job where no other
 * worker works. Ends that would come again as they are (exit codes 2, 4, 5), pods that
 * the API refuses for what they are, and images that nobody can pull while no
 * worker runs fail it at once, with the reason.
 *
 * Pure: no clock, socket or cluster. The launcher seam's side of a cluster, as
 * staffing.h is of this machine.
 */
#ifndef K8S_CONTROLLER_ROSTER_H
#define K8S_CONTROLLER_ROSTER_H

#include "k8s/controller/pod_view.h"

#define ROSTER_WORKERS_MAX  1024
#define ROSTER_OLD_MAX      4096 /* pods that are on their way out */
#define ROSTER_CALLS_MAX    16   /* requests under way at a time */
#define ROSTER_CRASHES_MAX  3
#define ROSTER_REFUSALS_MAX 2
#define ROSTER_RETRY_MS_MIN 200
#define ROSTER_RETRY_MS_MAX 10000
#define ROSTER_UNSEEN_MS    30000 /* an answered request of which no pod is seen is made again */
#define ROSTER_STUCK_MS     60000 /* a pod that was deleted and is still there: its node is dead */
#define ROSTER_MISSED_MS                                                                           \
    5000 /* a worker that left the master and whose pod still runs: as STUCK                       \
          */
#define ROSTER_UNHEARD_MS  10000  /* a pod of which its node says nothing: the same */
#define ROSTER_AVOIDED_MAX 8      /* nodes on which workers were lost */
#define ROSTER_AVOIDED_MS  300000 /* for so long since */
#define ROSTER_IMAGE_MS    60000  /* an image that cannot be pulled for so long */

enum roster_action { ROSTER_NOTHING, ROSTER_CREATE, ROSTER_DELETE };
enum place_state { ROSTER_EMPTY, ROSTER_ASKED, ROSTER_PENDING, ROSTER_RUNNING, ROSTER_LEAVING };

struct roster_place {
    enum place_state state;
    uint32_t incarnation;       /* of its pod; where it is EMPTY, of the next */
    char uid[POD_UID_MAX];      /* empty: not seen yet */
    char node[POD_NODE_MAX];    /* of its pod */
    int64_t memory;             /* bytes, of the next pod */
    enum roster_action call;    /* the request about it that is under way */
    bool is_deleted;            /* was asked to go */
    uint32_t crashes, refusals; /* in a row */
    int64_t due_ms;             /* EMPTY, LEAVING: not before. ASKED: unseen then */
    bool is_here;               /* the master has it */
    bool is_silent;             /* pod_view.h */
    int64_t missed_ms;          /* RUNNING: it was here, and is not since; 0: no */
    int64_t unheard_ms;         /* PENDING: its node says nothing since; 0: no */
    int64_t stuck_ms;           /* PENDING with an obstacle: since */
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
    ROSTER_LOSS_DELETED,   /* by somebody */
    ROSTER_LOSS_DISRUPTED, /* by the cluster; the message says how */
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

/* Why not all that are wanted run. */
enum roster_problem_kind {
    ROSTER_NO_PROBLEM,
    ROSTER_HAS_FAILED,    /* the verdict */
    ROSTER_UNSCHEDULABLE, /* as the obstacles of pods */
    ROSTER_NO_IMAGE,
    ROSTER_NO_START,
    ROSTER_REFUSED /* by the API server: a quota, a right, a policy */
};

struct roster {
    struct roster_listener listener; /* to be set after roster_init; empty: nobody */
    uint32_t most, wanted;
    int64_t memory_max;
    bool is_synced;
    struct roster_place *places; /* (most) */
    struct roster_old *old;      /* (old_count) */
    size_t old_count;
    uint32_t calls;
    struct roster_avoided avoided[ROSTER_AVOIDED_MAX];
    struct error verdict; /* not OK: the job has failed */
    struct error refusal; /* of the last create; OK after one that was taken */
};

/* Memory of each worker to begin with and at most, in bytes. INVALID, NO_MEMORY. */
enum status roster_init(struct roster *roster, uint32_t most, uint32_t wanted, int64_t memory,
                        int64_t memory_max, struct error *err);
void roster_deinit(struct roster *roster);

void roster_want(struct roster *roster, uint32_t wanted); /* 0 to most; 0: all go */

/* From the watcher. Gone: the object is no more; `view` is the last one known. */
void roster_on_pod(struct roster *roster, int64_t now_ms, const struct pod_view *view);
void roster_on_gone(struct roster *roster, int64_t now_ms, const char *uid);
void roster_on_synced(struct roster *roster);

/* The master counts this worker dead (heartbeats): its pod is not waited for. */
void roster_on_lost(struct roster *roster, int64_t now_ms, uint32_t index, uint32_t incarnation);
/* Nodes on which a worker was lost lately: a new pod would rather be elsewhere. A dead node is
 * ready, as far as the cluster knows, for up to a minute, and has room since its pod was deleted;
 * one that is half dead may be so for ever. How many; the names are the roster's. */
size_t roster_avoided(const struct roster *roster, int64_t now_ms,
                      struct slice nodes[ROSTER_AVOIDED_MAX]);
/* The master has this worker, or not any more: it says so of each, also after its restart. A
 * pod that runs without its worker, or on a node that says nothing, while the master does not
 * have it, is lost: an end that the API server knows nothing of closes connections, too.
 * So is one that was given to a node which never says anything about it. */
void roster_on_worker(struct roster *roster, int64_t now_ms, uint32_t index, uint32_t incarnation,
                      bool is_here);
/* The job has made a step: crashes before it are forgiven. */
void roster_on_step(struct roster *roster);
/* Rows killed this worker, and it is known which: no crash of the program. */
void roster_on_blamed(struct roster *roster, uint32_t index);

struct roster_step {
    enum roster_action action;
    uint32_t index, incarnation;
    int64_t memory;        /* CREATE */
    char uid[POD_UID_MAX]; /* DELETE: only this one */
    int64_t grace_s;       /* DELETE: -1 as the pod says; 0 for one whose node is lost */
};

/* Do this, and tell how it went; until there is nothing to do. *due_ms: when to
 * ask again at the latest, INT64_MAX: when something happened. */
struct roster_step roster_next(struct roster *roster, int64_t now_ms, int64_t *due_ms);

/*
 * How a step went. For CREATE, an object that was there already and is ours
 * (api_may_adopt) is OK; one that is not is BUSY. For DELETE, NOT_FOUND and BUSY
 * (another uid) are as good as OK. retry_after_ms: -1 where nothing was said.
 */
void roster_on_answer(struct roster *roster, int64_t now_ms, const struct roster_step *step,
                      enum status status, int64_t retry_after_ms, const struct error *err);

uint32_t roster_running(const struct roster *roster);
/* No pod is known, and none is being asked for. */
bool roster_is_empty(const struct roster *roster);
/* False: all that are wanted run. Otherwise why not, for the user's session. */
bool roster_problem(const struct roster *roster, struct error *problem);
enum roster_problem_kind roster_problem_kind(const struct roster *roster);

#endif
