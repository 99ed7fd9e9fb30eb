/*
 * worker.h - computes the lanes of a training job and adds up sums with its group.
 *
 *     JOINING --GROUP--> MEETING --PEER_HELLOs, PEER_PHASES--> (behind: FETCHING --STATE-->)
 *                                                          |
 *          +-----------------------------------------------+
 *          v
 *     COMPUTING --own lanes done--> EXCHANGING --all sums--> apply --> COMPUTING ...
 *                                                              +-----> FINISHED
 *     any --GROUP of a newer epoch--> MEETING (the phase in flight is abandoned)
 *     apply of the phase after which the next group begins --> MEETING in it,
 *                                  or JOINING when it is no member: DRAINED
 *     any --END--> ENDED;   an error of learning --> FAILED: the job fails; but UNABLE where memory
 *                           ran out, and this worker alone ends
 *
 * The master is not in the step path: a worker that has lost it goes on with its group and tries to
 * reach it again, for search_ms; then it ends with CONNECTION.
 *
 * A worker is connected to those members with which it exchanges sums: an owner of sums (sums.h) to
 * all, others to the owners. Each says to rank 0 how far it is, and rank 0 tells everyone.
 *
 * When all members of a group are behind the checkpoint, rank 0 fetches it from
 * the master, the others from rank 0. At any time the master may ask for the
 * state, to make the next checkpoint of it.
 *
 * A worker that is drained (worker_leave: SIGTERM) sends LEAVING and works on
 * until the master has made a group without it and sends END, or until
 * grace_ms is over. When it is drained WORKER_ALONE_MS or more after it lost its master, it waits
 * only alone_ms for the next one: a master that is drained has a successor sooner, and a job that
 * was deleted while it had no master gets none.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#pragma once

#include "runtime/learn/learner.h"
#include "runtime/role/fault.h"
#include "runtime/role/outbox.h"
#include "runtime/role/search.h"
#include "runtime/train/sums.h"

#define WORKER_ALONE_MS 1000

enum worker_state {
    WORKER_JOINING,
    WORKER_MEETING,
    WORKER_FETCHING,
    WORKER_COMPUTING,
    WORKER_EXCHANGING,
    WORKER_FINISHED,
    WORKER_FAILED,
    WORKER_ENDED
};

struct worker_options {
    uint64_t job;
    uint64_t build; /* this program's (build.h) */
    uint32_t index, incarnation;
    const char *master;
    const char *address;      /* for peers; "" where none can come */
    uint32_t log_every_steps; /* a row in the metrics table; 0: only at evaluations */
    int64_t alive_ms;         /* between two PHASE_ALIVE */
    int64_t reconnect_ms, progress_ms;
    /* From a group's begin to its first SPEED; then doubled, up to alive_ms; 0: none. */
    int64_t speed_first_ms;
    int64_t search_ms;           /* without its master it ends after that; search.h */
    int64_t grace_ms;            /* so long after worker_leave it ends, whatever is missing */
    int64_t alone_ms;            /* the same where it was alone before; 0: as grace_ms */
    uint32_t segment_least;      /* reals of a sum that are worth an owner (sums.h) */
    uint32_t lanes_at_once;      /* asked of the learner in one call, at most; 0: all */
    size_t piece_bytes;          /* longer vectors go in pieces */
    size_t state_piece_bytes;    /* bytes of a state that goes to another worker */
    uint32_t state_pieces;       /* pieces for each request; 0: one */
    size_t snapshot_piece_bytes; /* bytes of a state on its way into the store */
    size_t model_bytes;          /* bytes of the model's rows that go in one message, about */
};

/* How many records are held for a master that may have missed them. Of many steps the last will do;
 * an evaluation costs a pass over the validation rows, so far more of these are held. */
#define WORKER_RECORDS_MAX     256
#define WORKER_EVALUATIONS_MAX 2048

struct record_ring {
    struct message_progress *list; /* (most) */
    uint32_t most;
    uint64_t count; /* ever made */
};

/* Another member of the group. */
struct member_peer {
    peer_id peer; /* PEER_NONE: not connected, or gone; of two that exchange no sums always */
    bool has_hello;
    /* The connection comes from an earlier group, and no HELLO for this one came over it yet. */
    bool is_kept;
    bool waits_for_state;      /* it asked for the state, which this worker does not have yet */
    bool is_missed;            /* lost; reported to the master as soon as it is needed */
    bool has_met;              /* it works in this group, so it had all HELLOs that it waits for */
    bool is_owed_state;        /* it is behind, and this worker is its source */
    bool has_been_given_state; /* it had met all others when this worker had not */
    uint64_t phase;
    uint64_t check, checked; /* its state's at phase checked - 1; checked 0: not received */
};

/*
 * The state of a worker is a run of bytes of which only the front is ever in one
 * piece of memory; the learner's body is read and written where it lies:
 *
 *     u32 size | rows, losses, records so far, the learner's head | the learner's body
 */
#define STATE_FRONT_BYTES_MAX ((size_t)1 << 20)

/* A state that comes from another worker or from the store. */
struct incoming_state {
    uint64_t total, received; /* bytes; total 0: nothing has come */
    uint64_t asked;           /* requests for all before this offset are on their way */
    struct text front;
    bool has_front;
};

/* The own state on its way into the store. Its body is read where it lies until the learner is
 * about to change it; what has not been sent by then is copied, in blocks of one piece, which are
 * freed as they are sent. */
struct outgoing_snapshot {
    struct message_snapshot head; /* total 0: there is none */
    struct text front;
    uint64_t sent;
    char **blocks; /* by piece; NULL: the body is where it lies */
};

/* A peer that sent PEER_HELLO for a group whose GROUP the master has not sent here yet. */
struct early_peer {
    peer_id peer;
    uint64_t epoch, phase;
    uint32_t rank;
};

/*
 * The finished model on its way from rank 0 to the master: measured once, then sent by pieces, each
 * when the master has stored those before it. In a new group it goes on with the row that the
 * master asks it for: the first, if another was rank 0 before.
 */
struct publication {
    bool is_due;      /* rank 0 of a group that has finished is to publish */
    bool is_measured; /* the fields below are known */
    bool is_asked;    /* for rows from `next` on */
    uint64_t next;
    char digest[DIGEST_BYTES];
    uint64_t rows; /* learned from */
    struct result_metric metrics[LEARNER_METRICS_MAX];
    size_t metric_count;
};

struct damage {
    bool is_own;  /* this worker has failed of it */
    bool is_told; /* the members of this group differ, and DAMAGED was sent to the master */
    uint64_t good;
    /* Members for the difference that was sent last, until a group of this generation comes: a
     * master that dies meanwhile loses it, and it is sent again to its successor. */
    uint64_t awaited;          /* generation; not beyond the worker's own: nothing is awaited */
    uint64_t phase, agreed_on; /* where the states differ, and up to where they did not */
};

struct worker {
    struct worker_options options;
    struct learner *learner;
    enum worker_state state;
    struct error failure;
    bool is_unable; /* FAILED without rows or memory: reported by UNABLE, and the process ends */

    peer_id master, next_peer;
    struct search search; /* search for the master */
    int64_t connected_at, alive_at, progress_at;

    int64_t computing_at; /* when the lanes from next_untimed on were begun */
    int64_t waited_ms;    /* since then, for rows that come from elsewhere */
    uint32_t next_untimed;
    uint32_t lanes_timed, busy_ms; /* since the last SPEED */
    int64_t speed_at, speed_every_ms;

    struct group group;
    struct member_peer *peers; /* (group.count), the own one unused */
    uint32_t owners;           /* most owners of sums in this group: the ranks below (sums.h) */
    bool has_phases;           /* phases of all members are known, from rank 0 */
    bool all_have_met;         /* a SUM came, or a phase is done: all members took part */
    struct early_peer *early_peers;
    uint32_t early_peer_count, early_peer_capacity;

    struct text next_group; /* GROUP for after the phase in flight; empty: none */
    uint64_t switch_asked;  /* epoch of the next group, which rank 0 names in its next SUM */
    uint64_t switch_epoch;  /* named in a SUM of the phase in flight; 0: none */
    bool is_leaving;
    int64_t leave_asked_at;
    bool was_alone; /* it had been without a master for WORKER_ALONE_MS when it was drained */

    uint64_t target; /* MEETING, FETCHING: the phase that all will compute */
    uint32_t source; /* FETCHING: the rank that sends the state, or SOURCE_MASTER */
    struct incoming_state incoming;
    struct text front;    /* head of the own state, when it was asked for */
    uint64_t front_phase; /* for which it was made */
    uint64_t checkpoint;  /* phase of the one that the master has; 0: none */

    struct outgoing_snapshot snapshot;

    struct sums sums;
    uint32_t next_lane;    /* next one of the own lanes */
    struct share lanes;    /* the own ones, in the last phase that was begun */
    uint32_t lanes_opened; /* lanes for which the learner has its memory (lane_open) */
    bool own_segment_is_sent;
    struct text held; /* PARTIALs that came a phase early: rank, frame, ... */

    uint64_t check;      /* fingerprint of the state at the beginning of the phase */
    uint64_t agreed;     /* the last phase at whose begin all members had the same state */
    uint64_t generation; /* GROUP's */
    struct damage damage;
    uint64_t rows_good; /* the last phase at which all rows were checked and good */
    uint64_t rows_begun, rows_position;
    int64_t rows_at;

    uint64_t rows_done, rows_redone;
    uint64_t rows_before;                     /* done when a bad state was given up; 0: none */
    uint64_t abandoned_phase, abandoned_rows; /* begun in a group that is past; rows 0: none */
    double loss_total;                        /* since the last record: sums of loss x rows */
    uint64_t loss_rows;
    struct record_ring records, evaluations;
    uint64_t recorded; /* the master has those before this phase */
    struct publication publication;
    struct fault fault;
    bool flips_message; /* a fault: the next frame of sums is flipped */
    bool is_starved;    /* a fault: the next step finds no memory */
};

/* `failure`: the learner could not be opened; the worker then only reports it (UNABLE), and ends
 * with CONNECTION when the master has answered (learning may be empty). Otherwise NULL. */
void worker_init(struct worker *worker, const struct worker_options *options,
                 struct learner *learner, const struct error *failure);
void worker_deinit(struct worker *worker);

void worker_start(struct worker *worker, int64_t now_ms, struct outbox *outbox);
void worker_on_message(struct worker *worker, int64_t now_ms, peer_id from,
                       const struct message *message, struct outbox *outbox);
void worker_on_disconnect(struct worker *worker, int64_t now_ms, peer_id peer,
                          struct outbox *outbox);
void worker_on_tick(struct worker *worker, int64_t now_ms, struct outbox *outbox);
/* It is being drained, and no master is connected that could take its work. */
bool worker_is_stuck(const struct worker *worker);

/* Whether there is something to compute now, and one bounded piece of it: a
 * lane's contribution, the measuring of the model, or some of its rows. */
bool worker_has_work(const struct worker *worker);
/* Sums of the others will come soon: they have as many lanes to compute as this worker had. */
bool worker_expects_soon(const struct worker *worker);
void worker_work(struct worker *worker, int64_t now_ms, struct outbox *outbox);
