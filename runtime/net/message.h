/*
 * message.h - what the roles say to each other.
 *
 *     worker --HELLO--> master --GROUP--> workers --PEER_HELLO--> workers
 *     each phase, among workers:   PARTIAL to the owner of each segment,
 *                                  SUM from the owner to everyone
 *     rank 0 --PROGRESS, PUBLISHING--> master --MODEL_NEXT--> rank 0 --MODEL_ROWS--> master ...
 *     rank 0 --RESULT, FINISHED--> master --END--> workers
 *
 * Where a table is scored (PREDICT, EVALUATE) there are no groups:
 *     scorer --HELLO--> dispatcher --LEASE--> scorer --SCORED--> dispatcher --END--> scorers
 *
 * A change that nobody died of loses no work: the master sends GROUP to those
 * who will be members and SWITCH to the old group's rank 0, which says in the
 * SUM of a phase that the next phase is the new group's. Everybody needs that
 * SUM, so everybody changes between the same two phases; who is no member of
 * the new group then says DRAINED, and the new rank 0 GROUP_READY when all are there.
 * (SWITCH goes to them too: after the last phase there is no SUM.)
 *
 * The epoch in every frame is the group epoch: (master incarnation << 32) plus
 * a counter, so that a newer master's groups are always newer. A message of an
 * older group is refused. docs/runtime.md says what each role does on each.
 */
#ifndef RUNTIME_NET_MESSAGE_H
#define RUNTIME_NET_MESSAGE_H

#include "base/bytes.h"
#include "runtime/net/frame.h"

/*    name           direction             carries                                        */
#define MESSAGE_MAP(X)                                                                             \
    X(HELLO, "worker -> master",                                                                   \
      "index, incarnation, lanes of the job, phase, generation, fingerprint, build, leaving, "     \
      "address")                                                                                   \
    X(GROUP, "master -> worker",                                                                   \
      "rank, recorded phase, epoch of the group after whose phase it begins, phase of the "        \
      "checkpoint, rows redone, generation, phase up to which states are good, members: index, "   \
      "lanes, "                                                                                    \
      "address")                                                                                   \
    X(SWITCH, "master -> rank 0 and who will be no member",                                        \
      "epoch of the next group: after the phase in flight")                                        \
    X(GROUP_READY, "rank 0 -> master", "nothing: all members of the group are connected")          \
    X(DRAINED, "worker -> master", "phase: the old group is done, and I am in no new one")         \
    X(LEAVING, "worker -> master", "phase: I was asked to go")                                     \
    X(PHASE_ALIVE, "worker -> master", "phase, phase at which all of its rows were good")          \
    X(PROCESS_ALIVE, "worker -> master",                                                           \
      "index, incarnation, how long its work has stood still: the process lives")                  \
    X(PEER_LOST, "worker -> master", "rank of a member whose connection closed")                   \
    X(PROGRESS, "rank 0 -> master", "step, epoch, rows, losses")                                   \
    X(PUBLISHING, "rank 0 -> master", "nothing: the model is being made")                          \
    X(MODEL_NEXT, "master -> rank 0", "row: those before it are stored, send some from it on")     \
    X(MODEL_ROWS, "rank 0 -> master",                                                              \
      "number of the first, rows: part, name, position, value, data")                              \
    X(RESULT, "rank 0 -> master", "metric, train, validation")                                     \
    X(FINISHED, "rank 0 -> master", "digest, step, rows learned from, rows of the model")          \
    X(DAMAGED, "worker -> master",                                                                 \
      "index, incarnation, rank of the worker that is wrong, phase up to which states are good, "  \
      "reason")                                                                                    \
    X(CHECK, "worker -> rank 0", "phase, check of the state: nothing is left to compute")          \
    X(FAILED, "worker -> master", "status, message, hint")                                         \
    X(UNABLE, "worker -> master",                                                                  \
      "index, incarnation, status, message, hint: it cannot open its rows, and ends with END")     \
    X(END, "master -> worker", "nothing: the job has ended, or a newer worker has the index")      \
    X(PEER_HELLO, "worker -> worker", "rank, phase")                                               \
    X(STATE_REQUEST, "worker -> worker, or rank 0 -> master for the checkpoint", "phase, offset")  \
    X(STATE, "worker -> worker, master -> rank 0", "phase, total bytes, offset, bytes")            \
    X(STATE_REFUSED, "rank 0 -> master", "phase, reason: the checkpoint cannot be continued")      \
    X(CHECKPOINT, "master -> worker", "id, offset: send your state from here on, one piece")       \
    X(SNAPSHOT, "worker -> master", "id, phase, step, rows, total bytes, offset, bytes")           \
    X(PARTIAL, "worker -> worker", "phase, first, check of the state, integers, fixed-point sums") \
    X(SUM, "worker -> worker", "phase, first, epoch of the next group, integers, reals")           \
    X(SPEED, "worker -> master", "lanes computed since the last, milliseconds that they took")     \
    X(LEASE, "dispatcher -> scorer", "lease, its slot, first row, rows")                           \
    X(SCORED, "scorer -> dispatcher", "lease, its slot, the results of its rows")

enum message_type {
#define X(name, direction, carries) MESSAGE_##name,
    MESSAGE_MAP(X)
#undef X
        MESSAGE_TYPES
};

#define MESSAGE_MEMBERS_MAX 1024
#define MESSAGE_ADDRESS_MAX 255
#define MESSAGE_NAME_MAX    4096
/* Longer vectors and states go in pieces of this size: about what a Unix socket
 * holds, so that the receiver adds one piece up while the next is being sent. */
#define MESSAGE_PIECE_BYTES ((size_t)128 << 10)

struct message_hello {
    uint32_t index, incarnation, lanes;
    uint64_t phase; /* the next that this worker would compute */
    bool is_leaving;
    struct slice address;        /* where peers reach it */
    uint64_t generation;         /* the last time that it heard of bad states */
    uint64_t fingerprint, build; /* of plan and rows, of the program: the same for all workers */
};

/* On a connection of its own, from a thread of its own (pulse.h). */
struct message_pulse {
    uint32_t index, incarnation;
    uint32_t still_ms, usual_ms; /* runtime/process/stall.h */
    bool is_computing;
};

struct message_speed {
    uint32_t lanes, busy_ms;
};

struct message_member {
    uint32_t index, first_lane, lane_count;
    struct slice address;
};

struct message_group {
    uint32_t member_count;
    uint64_t recorded;    /* the master has the records up to this phase */
    uint64_t after;       /* epoch of the group whose phase in flight comes first; 0: at once */
    uint64_t checkpoint;  /* who is behind this phase gets its state from the master; 0: none */
    uint64_t rows_redone; /* as far as the master knows */
    struct slice members; /* encoded; message_next_member reads them in rank order. The same
                             for all: a member finds itself by its index. */
    uint64_t generation;  /* how often states were found to be bad */
    uint64_t good;        /* up to this phase they were good, the last time; UINT64_MAX: none was */
};

struct message_progress {
    uint64_t phase, step, steps, rows_done, rows_redone;
    uint32_t epoch;
    bool is_record; /* belongs into the metrics table; otherwise for the eye only */
    bool evaluated;
    double loss, validation_loss, validation_score; /* NaN: none */
};

/* Some of the model's rows (scoring/model_table.h), which are numbered in the order of
 * model_write. */
struct message_model_rows {
    uint64_t first;
    struct slice rows; /* encoded; message_next_model_row reads them in order */
};

struct message_model_row {
    struct slice part, name;
    int64_t position;
    bool has_value, has_data, data_is_text;
    double value;
    struct slice data;
};

struct message_result {
    struct slice name;
    double train, validation;
};

struct message_finished {
    struct slice digest;
    uint64_t step, rows, model_rows;
};

struct message_failure {
    uint32_t status;
    struct slice message, hint;
};

struct message_unable {
    uint32_t index, incarnation;
    struct message_failure failure;
};

struct message_state {
    uint64_t phase, total, offset;
    struct slice bytes;
};

struct message_refusal {
    uint64_t phase;
    struct slice reason;
};

/* A state at rest, on its way into the store. Pieces are pulled one by one. */
struct message_snapshot {
    uint64_t id, phase, step, rows_done;
    uint64_t total, offset; /* total 0: it cannot be made */
    struct slice bytes;
};

/* Rows first to first + count - 1 of the table that is scored (runtime/score/ledger.h). */
struct message_lease {
    uint64_t id, first;
    uint32_t slot, count;
};

struct message_scored {
    uint64_t id;
    uint32_t slot;
    struct slice results; /* runtime/data/shard_results.h */
};

/* A bit was inverted in some memory (runtime/train/worker_damage.c). */
struct message_damage {
    uint32_t index, incarnation; /* who says so */
    uint32_t rank;               /* who is wrong, in the group; UINT32_MAX: not known, or is_own */
    bool is_own;                 /* the one who says so */
    uint64_t good;               /* states that begin this phase, or an earlier one, are good;
                                    UINT64_MAX: none is */
    struct slice reason;
};

/* Arrays are little-endian and need not be aligned. */
struct message_sums {
    uint64_t phase;
    uint32_t first;        /* element of the fixed-point part */
    uint64_t next_epoch;   /* SUM of rank 0: the group that has the next phase; 0: this one */
    struct slice integers; /* int64 */
    struct slice elements; /* PARTIAL: int64, SUM: float */
    uint64_t check;        /* PARTIAL: learner_check of the sender's state */
};

struct message {
    enum message_type type;
    uint64_t job, epoch;
    union {
        struct message_hello hello;
        struct message_group group;
        struct message_progress progress;
        struct message_model_rows model_rows;
        uint64_t model_next;
        struct message_result result;
        struct message_finished finished;
        struct message_failure failure;
        struct message_unable unable;
        struct message_state state;
        struct message_refusal refusal;
        struct message_snapshot snapshot;
        struct {
            uint64_t phase, offset;
        } state_request;
        struct {
            uint64_t id, offset;
        } checkpoint;
        struct message_sums sums;
        struct {
            uint32_t rank;
            uint64_t phase;
        } peer_hello;
        struct {
            uint64_t phase, value;
        } check;
        struct message_damage damage;
        struct message_pulse pulse;
        struct message_speed speed;
        struct message_lease lease;
        struct message_scored scored;
        uint32_t lost_rank;
        struct {
            uint64_t phase, rows_good;
        } heartbeat;
        uint64_t phase;      /* DRAINED, LEAVING */
        uint64_t next_epoch; /* SWITCH */
    };
};

const char *message_name(uint32_t type); /* "HELLO"; "unknown" */

/* Append the message as one frame. */
enum status message_write(const struct message *message, struct text *out, struct error *err);

/* Read one whole frame. Slices borrow from it. PROTOCOL for anything that
 * message_write does not produce: reading and writing again gives the same bytes. */
enum status message_read(struct slice frame, struct message *message, struct error *err);

/* Also part of a worker's state. */
void message_put_progress(struct text *out, const struct message_progress *progress);
void message_read_progress(struct byte_reader *reader, struct message_progress *progress);

void message_put_member(struct text *members, const struct message_member *member);
bool message_next_member(struct byte_reader *members, struct message_member *member);

void message_put_model_row(struct text *rows, const struct message_model_row *row);
bool message_next_model_row(struct byte_reader *rows, struct message_model_row *row);

#endif
