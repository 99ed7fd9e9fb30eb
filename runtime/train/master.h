/*
 * master.h - membership, lanes, the job's rows, the end.
 *
 *     WAITING --min_workers said HELLO--> RUNNING --PUBLISHING--> PUBLISHING --FINISHED--> DONE
 *        ^                                   |                        |
 *        +---- fewer than min_workers left --+------------------------+
 *     any of them --FAILED from a worker, or the launcher gives up--> FAILED
 *     no worker is here --UNABLE, and nobody is likely to come (unable.h)--> FAILED
 *     any of them --cancel--> CANCELLED
 *
 * Every change of membership makes a new group, whose epoch fences off all
 * that went before. After a death or a lost connection it begins at once, and
 * the phase in flight is done again; otherwise (somebody joins, leaves, gets
 * other lanes) after the phase in flight, which the old group finishes.
 *
 *     old group works --GROUP, SWITCH--> works on --SUM--> new group meets --GROUP_READY-->
 *
 * Until GROUP_READY no further change of that kind is begun. The master is not in the
 * step path: it learns of steps from the PROGRESS of rank 0.
 *
 * A worker whose successor (a younger incarnation of its index, with nothing to lose)
 * is here already is not cut off: the successor waits until it has left, or is lost.
 * So who is asked to go hands over its work, however early the next one was started.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#ifndef RUNTIME_TRAIN_MASTER_H
#define RUNTIME_TRAIN_MASTER_H

#include "runtime/learn/learner.h"
#include "runtime/role/outbox.h"
#include "runtime/role/unable.h"
#include "runtime/role/usage.h"
#include "runtime/train/group.h"

/* How the master reads back what it had stored. */
struct checkpoint_store {
    void *context;
    enum status (*read_piece)(void *context, const struct checkpoint *checkpoint, uint64_t position,
                              struct text *out, struct error *err);
};

struct master_options {
    uint64_t job, identity; /* whose checkpoints are ours: runtime/role/job.h */
    uint32_t incarnation;   /* grows with every restart: so do the epochs of its groups */
    uint32_t min_workers, max_workers, epochs;
    int64_t dead_ms;    /* silence after which a worker is dead; 0: never */
    int64_t hang_ms;    /* standing still after which a worker hangs, at least; 0: never */
    int64_t publish_ms; /* dead_ms while rank 0 makes the model's rows */
    int64_t regroup_ms; /* from a lost connection between members to the new group */
    int64_t settle_ms;  /* a restarted master waits so long for the workers that know the state */
    int64_t report_ms;  /* between progress rows */
    int64_t gather_ms;  /* a job without a group waits so long for one more worker; 0: not at all */
    int64_t leave_ms;   /* who goes waits so long for others who go; 0: not at all */
    int64_t apart_ms;   /* who cannot reach another stands by so long; then twice as long */
    int64_t try_ms;     /* who was too slow for a lane is given one after this time */
    int64_t checkpoint_ms;        /* between checkpoints, at least; 0: none are made */
    struct checkpoint checkpoint; /* the newest that the store has and that can be used; phase 0:
                                     none */
    struct checkpoint older;      /* the one before it; phase 0: none */
    struct error refused;         /* why a newer one cannot be used; OK: there is none */
    struct checkpoint_store store;
    const struct job_row *previous; /* the books of the master before; NULL: the first one */
    struct slice statement, model;
    const char *started_at; /* RFC 3339 */
    const char *metrics;    /* HOST:PORT; NULL: not served */
    int64_t supervisor;     /* process id */
};

struct master_worker {
    peer_id peer; /* PEER_NONE: not here */
    uint32_t incarnation;
    peer_id successor; /* waits until this one is gone; PEER_NONE: nobody does */
    uint32_t successor_incarnation;
    bool was_seen, is_member, is_standing_by;
    bool is_old_member;   /* of the group that works until the new one has met */
    bool is_leaving;      /* was asked to go; hands its work back */
    bool has_state;       /* it went through a change of groups with the state */
    bool is_handing_back; /* it leaves when its state is stored */
    bool has_worked;      /* in a group that had met */
    uint64_t phase;       /* as last heard */
    uint64_t sequence;    /* order of arrival */
    int64_t heard_at;
    uint32_t replaced;  /* incarnations below this hung or were damaged: they do not come back */
    uint64_t rows_good; /* the phase at which all of its rows were good, as last heard */
    double lanes_timed, busy_ms; /* how fast it is, of late (master_lanes.c) */
    /* A member without lanes: when it is given one again to see how fast it is; 0: not
     * known yet. Each time that it was still too slow it waits longer. */
    int64_t try_at, try_after_ms;
    bool is_tried; /* it has a lane, and has not told its speed since */
    /* It stands by because it cannot reach another worker (master_pairs.c). */
    bool is_apart, was_apart;
    bool is_other; /* it runs another build than the others, and stands by (master_damage.c) */
    uint64_t build;
    int64_t apart_until, apart_ms; /* apart_ms 0: it reaches all with whom it worked last */
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
    uint32_t index;             /* of the worker that sends it */
    struct checkpoint head;
    uint64_t received;         /* bytes */
    int64_t begun_at, came_at; /* the request, the last piece */
};

/* The process that sends the rows of the model. */
struct model_sender {
    uint32_t index, incarnation;
};

struct master {
    struct master_options options;
    enum job_state state;
    struct error failure;
    char finished[160]; /* digest and rows of the model */
    int64_t started_at; /* of the job: earlier masters' time counted */
    int64_t woke_at, ticked_at, waiting_since, waited_ms;
    bool has_started; /* a first group was made */

    struct master_worker *workers; /* by index, (options.max_workers) */
    uint32_t *hints;               /* by the last bits of a peer: whose it was last */
    uint32_t hint_mask;
    uint32_t live, wanted; /* who is here; how many the launcher tries to keep here */
    uint64_t wanted_version;
    uint64_t next_sequence;
    int64_t first_joined_at, joined_at; /* the first and the last HELLO; 0: none */
    uint32_t lanes;                     /* 0: no worker has said it yet */

    struct group group;
    uint32_t counter;          /* low half of the next group's epoch */
    int64_t regroup_at;        /* 0: no regrouping is due */
    int64_t lost_at;           /* when a loss made a new group at once, last */
    uint64_t lost_epoch;       /* the group whose lost connection made it due */
    struct master_pair *pairs; /* (max_workers, max_workers): [lower index][higher index] */
    bool any_failures;         /* of any pair, ever */
    bool has_done_phase;       /* the group has been through a phase */
    uint32_t idle_groups;      /* groups in a row that lost a member before that */
    uint64_t idle_epoch;       /* the last of them */
    uint64_t phase_most;       /* that the master has heard of */
    bool has_met;              /* all members of the group are connected to each other */
    uint64_t old_epoch;        /* the group that works until the new one has met; 0: none */
    uint32_t *old_members;     /* (max_workers): their indexes by rank */
    uint32_t old_count;        /* 0: there never was one */
    bool old_has_done_phase;   /* it has been through a phase */
    bool must_change;          /* as soon as the group has met */
    /* When the last was announced who is still in, 0: none; when they go whoever else comes. */
    int64_t announced_at, announced_until;
    bool must_deal;           /* the lanes are to be dealt again */
    int64_t balance_at;       /* when the speeds are looked at next */
    uint32_t better_dealings; /* how often in a row one was worth a change */

    /* master_damage.c */
    uint64_t generation, good; /* of GROUP */
    uint64_t tie_phase;
    uint32_t ties;                 /* at this phase, or before it */
    uint64_t fingerprint, dissent; /* of the workers here; the last other one */
    uint32_t votes, dissenting_votes;
    bool has_noticed_build;

    struct checkpoint stored; /* phase 0: none */
    struct checkpoint older;  /* the one before, should `stored` be damaged */
    struct writing writing;
    uint32_t writings;           /* ever begun by this master */
    int64_t checkpoint_at;       /* when the next is due */
    bool has_told_no_checkpoint; /* the user, since the last that was made */

    uint64_t model_next;        /* the model's rows before this one are stored, aside */
    struct model_sender sender; /* whose rows they are */
    bool any_rows_aside;        /* of whomever: to be dropped when the job has no model */
    struct result_row results[LEARNER_METRICS_MAX]; /* of the reporting worker */
    size_t result_count;

    struct message_progress progress; /* the last one */
    uint64_t recorded_phase, rows_redone;
    double loss, validation_loss, validation_score, rows_per_second;
    struct usage usage;
    struct unable unable;
    int64_t reported_at, rate_at;
    uint64_t rate_rows;
    bool has_rate_base; /* rate_rows is what there was at rate_at */
};

enum status master_init(struct master *master, const struct master_options *options, int64_t now_ms,
                        struct outbox *outbox, struct error *err);
void master_deinit(struct master *master);

void master_on_message(struct master *master, int64_t now_ms, peer_id from,
                       const struct message *message, struct outbox *outbox);
void master_on_disconnect(struct master *master, int64_t now_ms, peer_id peer,
                          struct outbox *outbox);
void master_on_tick(struct master *master, int64_t now_ms, struct outbox *outbox);

/* END to everybody, and not a word in the books: whatever becomes of these, nobody is to wait
 * for this master or the next. master_cancel follows, or nothing. */
void master_dismiss(struct master *master, struct outbox *outbox);
/* From the launcher: the user asked, or a role cannot be kept alive. */
void master_cancel(struct master *master, int64_t now_ms, struct outbox *outbox);
/* How many workers are wanted from now on; an older version than is known does not
 * count. The launcher starts and stops them. */
void master_want(struct master *master, int64_t now_ms, uint64_t version, uint32_t workers,
                 struct outbox *outbox);
/* This worker will be asked to go, or is being asked just now: the launcher knows first. It goes
 * as after LEAVING, with those that are announced in the next moments; it may be gone before
 * SIGTERM reaches it. */
void master_announce(struct master *master, int64_t now_ms, uint32_t index, uint32_t incarnation,
                     struct outbox *outbox);
/* The role goes, the job does not: the next incarnation continues. */
void master_leave(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_fail(struct master *master, int64_t now_ms, const struct error *err,
                 struct outbox *outbox);

/* From the store, some time after OUTBOX_FINISH or _PIECE: whether it worked. */
void master_on_stored(struct master *master, int64_t now_ms, uint64_t id, const struct error *why,
                      struct outbox *outbox);

bool master_has_ended(const struct master *master);
/* The job's row as it would be stored now. */
struct job_row master_books(const struct master *master, int64_t now_ms);

#endif
