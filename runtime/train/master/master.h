/*
 * master.h - the master of a training job: which workers form the group, how many lanes each of
 * them has, what is stored about the job, and how the job ends.
 *
 *     WAITING --HELLO of min_workers----> RUNNING --PUBLISHING--> PUBLISHING --FINISHED--> DONE
 *        ^                                   |                        |
 *        +---- fewer than min_workers left --+------------------------+
 *     any of them --FAILED from a worker, or the launcher gives up--> FAILED
 *     no worker is connected --UNABLE, and none is likely to come (unable.h)--> FAILED
 *     any of them --cancel--> CANCELLED
 *
 * Every change of membership makes a new group with a higher epoch; messages of older epochs
 * are refused. After a death or a lost connection the new group begins at once, and the phase
 * in flight is computed again. Otherwise (a worker joins, leaves, gets other lanes) it begins
 * after the phase in flight, which the old group finishes.
 *
 *     old group works --GROUP, SWITCH--> works on --SUM--> new group meets --GROUP_READY-->
 *
 * Until GROUP_READY no further change of that kind is begun. The master is not in the step path: it
 * receives the PROGRESS of rank 0.
 *
 * A worker whose successor (a younger incarnation of its index that has learned nothing) is
 * connected already is not cut off: the successor waits until the worker has left or is lost.
 * So a worker that is drained hands over its work, however early its successor was started.
 *
 * The launcher's requests are the crew's (crew.h), and master_drain (master_change.h).
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#pragma once

#include "runtime/learn/learning.h"
#include "runtime/role/crew.h"
#include "runtime/share/share_measure.h"
#include "runtime/train/group.h"

/* ----- options ----- */

/* How the master reads back what it had stored. */
struct checkpoint_store {
    void *context;
    enum status (*read_piece)(void *context, const struct checkpoint *checkpoint, uint64_t position,
                              struct text *out, struct error *err);
};

struct master_options {
    struct crew_options crew;
    uint64_t identity;  /* the job whose checkpoints are ours: runtime/role/job.h */
    int64_t hang_ms;    /* least time without progress after which a worker hangs; 0: never */
    int64_t publish_ms; /* dead_ms while rank 0 makes the model's rows */
    int64_t regroup_ms; /* from a lost connection between members to the new group */
    int64_t settle_ms;  /* a restarted master waits so long for the workers that know the state */
    int64_t gather_ms;  /* a job without a group waits so long for one more worker; 0: not at all */
    int64_t leave_ms;   /* after a drain notice, the wait for further ones; 0: none */
    int64_t apart_ms;   /* how long a worker that cannot reach another stands by; then doubled */
    int64_t try_ms;     /* after this time a worker that was too slow for a lane gets one again */
    int64_t checkpoint_ms;     /* between checkpoints; 0: time makes none */
    uint64_t checkpoint_steps; /* after so many steps one is made sooner; 0: steps make none */
    /* The model was learned elsewhere and is in the checkpoint: without one this master ends, and
     * the next one finds none and has it learned again. */
    bool needs_checkpoint;
    int64_t learn_ms;            /* after which the workers are told to end; 0: never */
    struct share_window measure; /* windows in which workers are measured; ms 0: none are */
    struct share_paces paces;    /* those of earlier jobs; count 0: none are known */
    uint32_t first;              /* so many workers are launched at first; 0: all */
    /* The newest one in the store that can be used, and the one before it. Phase 0: none. */
    struct checkpoint checkpoint, older;
    struct error refused; /* why a newer one cannot be used; OK: there is none */
    struct checkpoint_store store;
    const struct slice *metrics; /* (metric_count): that learners of the kind measure in each round,
                                    by the statement's names, or scores of several labels; names
                                    end with a zero byte and outlive all that the master puts into
                                    its outbox */
    size_t metric_count;
};

/* ----- state ----- */

/* A worker's lanes of late, and how long they took; as much as is remembered. */
struct lane_times {
    double lanes, busy_ms;
};
/* Speeds are remembered for short and for long: a worker that becomes slow shows in the first, one
 * that is a little slower than others for good in the last. */
#define MASTER_MEMORIES 3

/* A worker that has had a place among lanes, and none now, has a count of 0 at that place. */
#define MASTER_NO_LANES ((struct share){UINT32_MAX, 0})

struct master_worker {
    struct crew_member member;
    peer_id successor; /* waits until this one has left; PEER_NONE: none */
    uint32_t successor_incarnation;
    bool is_member, is_standing_by;
    bool is_old_member;   /* a member of the group that works until the new one has met */
    bool is_leaving;      /* it is being drained */
    bool has_state;       /* it took the state along into a new group */
    bool is_handing_back; /* it leaves when its state is stored */
    bool has_worked;      /* in a group that had met */
    uint64_t phase;       /* the phase last received */
    uint64_t sequence;    /* order of arrival */
    uint32_t replaced;    /* incarnations below this hung or were damaged: they do not come back */
    uint64_t rows_good;   /* the last phase at which it reported that all of its rows were good */
    struct lane_times times[MASTER_MEMORIES]; /* how fast it is (master_lanes.c) */
    struct share lanes; /* in the last group, if it was a member; else MASTER_NO_LANES */
    /* A member without lanes: when it gets one again, to measure its speed; 0: not known yet.
     * The wait doubles each time that it was still too slow. */
    int64_t try_at, try_after_ms;
    bool is_tried; /* it has a lane again, and has not reported its speed since */
    /* It stands by because it cannot reach another worker (master_pairs.c). */
    bool is_apart, was_apart;
    bool is_slow;  /* twice slower than the others, and the launcher knows */
    bool is_other; /* it runs another build than the others, and stands by (master_damage.c) */
    uint64_t build;
    int64_t apart_until, apart_ms; /* apart_ms 0: it reaches all members of its last group */
    char address[MESSAGE_ADDRESS_MAX + 1];
};

/* Two workers, by index. */
struct master_pair {
    uint8_t failures; /* groups in a row in which the connection between them failed */
    uint8_t counted;  /* the last of these groups: low bits of its counter */
};

/* A checkpoint on its way into the store. */
struct writing {
    bool is_active, is_storing; /* storing: all pieces are here */
    uint32_t index;             /* index of the worker that sends it */
    struct checkpoint head;
    uint64_t received;         /* bytes */
    int64_t begun_at, came_at; /* the request, the last piece */
};

/* The process that sends the rows of the model. */
struct model_sender {
    uint32_t index, incarnation;
};

struct master {
    struct crew crew;
    struct master_options options;
    char finished[160]; /* digest and rows of the model */
    int64_t woke_at;
    bool has_started; /* a first group was made */

    struct master_worker *workers; /* the crew's members */
    uint64_t next_sequence;
    int64_t first_joined_at, joined_at; /* the first and the last HELLO; 0: none */
    uint32_t lanes; /* lanes of the job, from the first HELLO; 0: not known yet */

    struct group group;
    uint32_t counter;          /* low half of the next group's epoch */
    int64_t regroup_at;        /* 0: no regrouping is due */
    int64_t lost_at;           /* when a loss made a new group at once, last */
    uint64_t lost_epoch;       /* the group whose lost connection made it due */
    struct master_pair *pairs; /* (max_workers, max_workers): [lower index][higher index] */
    bool any_failures;         /* some pair has failed, ever */
    bool has_done_phase;       /* the group has finished a phase */
    uint32_t idle_groups;      /* groups in a row that lost a member before that */
    uint64_t idle_epoch;       /* the last of them */
    uint64_t phase_most;       /* the highest that was reported */
    bool has_met;              /* all members of the group have said PEER_HELLO to rank 0 */
    uint64_t old_epoch;        /* the group that works until the new one has met; 0: none */
    uint32_t *old_members;     /* (max_workers): their indexes by rank */
    uint32_t old_count;        /* 0: there never was one */
    bool old_has_done_phase;   /* it has finished a phase */
    bool must_change;          /* the group must change as soon as it has met */
    /* The latest drain notice of a worker that is still a member (0: none), and the deadline
     * after which such workers leave without waiting for further notices. */
    int64_t drain_at, drain_until;
    bool must_deal;               /* the lanes are to be distributed again */
    uint32_t must_deal_by;        /* 1 + the memory of speeds that is the reason; 0: none is */
    uint64_t dealt_at_step;       /* when they moved last because of speeds */
    struct learner_course course; /* the course of the rows, from HELLO */
    int64_t balance_at;           /* when the speeds are compared next */
    uint32_t better_dealings;     /* how often in a row another distribution was worth a change */

    /* master_size.c */
    struct share_measure measure;
    uint64_t measured_epoch; /* group of the window under way */
    uint32_t members_most;   /* while half of the workers is measured; 0: all with lanes */
    bool must_widen;         /* the half was measured, and no group of all has followed */
    uint32_t useful;         /* the launcher was told last that so many pay; 0: not yet */
    double start_seconds;    /* workers need so long to start */

    /* master_damage.c */
    uint64_t generation, good; /* GROUP's */
    uint64_t given_up_epoch;   /* the newest group when states were given up; 0: never */
    uint64_t tie_phase;
    uint32_t ties;                 /* at this phase, or before it */
    uint64_t fingerprint, dissent; /* the workers' here; the last other one */
    uint32_t votes, dissenting_votes;
    bool has_noticed_build;

    struct checkpoint stored; /* phase 0: none */
    struct checkpoint older;  /* the one before, should `stored` be damaged */
    struct writing writing;
    uint32_t writings;              /* ever begun by this master */
    int64_t checkpoint_at;          /* when the next is due */
    int64_t checkpoint_least_at;    /* and when at least, whatever is due */
    uint64_t time_over_epoch;       /* the group that was told that the time is over */
    bool has_noticed_no_checkpoint; /* a notice went to the user since the last one that was made */

    uint64_t model_next;        /* the model's rows before this one are stored, aside */
    struct model_sender sender; /* the process that sent them */
    bool any_rows_aside; /* some sender has rows aside: to be dropped when the job has no model */
    struct result_row results[LEARNER_METRICS_MAX]; /* results of the reporting worker */
    size_t result_count;

    struct message_progress progress; /* the last one */
    struct field_reals metrics;       /* metrics of the last round that was measured */
    uint64_t recorded_phase, rows_redone;
    double loss, validation_loss, validation_score;
    bool has_rate_base; /* crew.rate_rows were done at crew.rate_at */
};

/* ----- life ----- */

enum status master_init(struct master *master, const struct master_options *options, int64_t now_ms,
                        struct outbox *outbox, struct error *err);
void master_deinit(struct master *master);

/* ----- messages and time ----- */

void master_on_message(struct master *master, int64_t now_ms, peer_id from,
                       const struct message *message, struct outbox *outbox);
void master_on_disconnect(struct master *master, int64_t now_ms, peer_id peer,
                          struct outbox *outbox);
void master_on_tick(struct master *master, int64_t now_ms, struct outbox *outbox);
