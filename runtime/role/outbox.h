/*
 * outbox.h - the actions that a role asks for.
 *
 * Roles are pure: a call takes the time and a message, changes the role's own
 * state and leaves its actions here, in order. The caller of the role (the
 * loop of a process, the simulator) carries them out before the next call.
 */
#pragma once

#include <stdarg.h>

#include "base/error.h"
#include "runtime/data/store/checkpoint.h"
#include "runtime/data/store/jobstore.h"
#include "runtime/net/message.h"
#include "runtime/share/share_curve.h"

/*
 * One end of a connection, as a role knows it. The driver names those that
 * were accepted, the role those that it asks for: both count upwards and never
 * use a number again, so that what belongs to a closed connection is never
 * taken for another's.
 */
typedef uint64_t peer_id;
#define PEER_NONE        ((peer_id)0)
#define PEER_FIRST_ASKED ((peer_id)1 << 32)
#define OUTBOX_BYTES_MAX ((size_t)1 << 31)

/* ----- actions ----- */

enum outbox_kind {
    OUTBOX_SEND,           /* peer, bytes: one or more frames */
    OUTBOX_CONNECT,        /* peer: its name from now on; bytes: the address, terminated */
    OUTBOX_CLOSE,          /* peer; what was sent before still goes out */
    OUTBOX_JOB,            /* store bytes: struct job_row */
    OUTBOX_WORKER,         /* store bytes: struct worker_row */
    OUTBOX_EVENT,          /* store bytes: struct event_row */
    OUTBOX_METRIC,         /* store bytes: struct metric_row */
    OUTBOX_RESULT,         /* store bytes: struct result_row */
    OUTBOX_SHARD,          /* store bytes: struct shard_head, then the results */
    OUTBOX_MODEL_ROWS,     /* store bytes aside: struct rows_head, then rows (message.h) */
    OUTBOX_MODEL,          /* the rows that lie aside are the job's model */
    OUTBOX_PIECE,          /* a piece of a checkpoint; bytes: struct piece_head, then the piece */
    OUTBOX_FINISH,         /* the checkpoint is whole; bytes: struct checkpoint */
    OUTBOX_LOG,            /* into the log (step_log.h); bytes: uint64_t number, then the entry */
    OUTBOX_CLAIM,          /* a process that another has followed ends, and says nothing more */
    OUTBOX_KEEP,           /* all checkpoints but this one are damaged; bytes: its uint64_t id */
    OUTBOX_DROP,           /* checkpoints, results of shards, rows that lie aside are of no use */
    OUTBOX_REPORT,         /* an event for the session; bytes: struct job_event */
    OUTBOX_REPLACE,        /* ask the launcher for another worker than this one of its index */
    OUTBOX_KILLED_BY_ROWS, /* for the launcher: rows killed this worker, not its program */
    OUTBOX_LANES,          /* for the launcher: more workers than `index` are of no use */
    OUTBOX_USEFUL,         /* for the launcher: that many pay; bytes: struct useful_workers */
    OUTBOX_SLOW,           /* for the launcher: a slow worker; bytes: struct slow_worker */
    OUTBOX_SERVERS,        /* for the launcher: from `least` to `most` parameter servers run */
    OUTBOX_END             /* the role has ended; status: how */
};

/* Is it a row of job.db? */
static inline bool outbox_is_row(enum outbox_kind kind)
{
    return kind >= OUTBOX_JOB && kind <= OUTBOX_MODEL;
}

/* ----- rows and heads of their bytes ----- */

/* How many workers pay, and how fast the job is with any number of them (share_measure.h). */
struct useful_workers {
    uint32_t workers;
    struct share_curve curve;
};

/* A worker whose lanes take so many times as long as those of the others. */
struct slow_worker {
    uint32_t index, incarnation;
    double times;
};

struct worker_row {
    uint32_t index, incarnation, lanes;
    const char *state;
    double rows_per_second;
};

struct event_row {
    double at_seconds;
    const char *role, *event;
    int64_t index; /* -1: none */
    char detail[256];
};

struct metric_row {
    uint32_t epoch;
    uint64_t step;
    const char *metric, *part;
    double value;
};

/* runtime/data/store/shardstore.h's row, without its results. */
struct shard_head {
    uint64_t lease, first;
    uint32_t count, worker;
    uint32_t state; /* enum shard_state */
};

struct rows_head {
    uint64_t first; /* number of the first row */
};

struct piece_head {
    uint64_t id, position;
};

struct result_row {
    char name[64];
    double train, validation;
};

struct outbox_entry {
    enum outbox_kind kind;
    union {
        peer_id peer;
        struct {
            uint32_t index, incarnation; /* KILLED_BY_ROWS: the index alone; LANES: how many */
        };
        struct {
            uint32_t least, most, serving;
        } servers;
        enum status status;
    };
    size_t offset, size; /* place of the bytes in outbox->bytes */
};

/* ----- the outbox ----- */

struct outbox {
    struct outbox_entry *entries;
    size_t count, capacity;
    struct text bytes;
    struct outbox_entry nowhere; /* written instead of a lost entry, never read */
    bool failed;                 /* memory ran out: the role cannot go on */
};

void outbox_init(struct outbox *outbox);
void outbox_deinit(struct outbox *outbox);
void outbox_clear(struct outbox *outbox);

/* ----- messages ----- */

void outbox_send(struct outbox *outbox, peer_id peer, const struct message *message);
/* The bytes of the entry added last, to one more peer. */
void outbox_send_again(struct outbox *outbox, peer_id peer);
void outbox_connect(struct outbox *outbox, peer_id peer, struct slice address);
void outbox_close(struct outbox *outbox, peer_id peer);

/* ----- rows ----- */

/* Any of the kinds that carry bytes. */
void outbox_put(struct outbox *outbox, enum outbox_kind kind, const void *bytes, size_t size);
/* Something that happened, `at_seconds` after the job's start; role: "master", "worker" or
 * "server"; an index below 0 is the master's own. The detail is cut where it does not fit its row.
 */
void outbox_put_event(struct outbox *outbox, double at_seconds, const char *role, int64_t index,
                      const char *event, const char *format, va_list arguments)
    __attribute__((format(printf, 6, 0)));
void outbox_put_piece(struct outbox *outbox, uint64_t id, uint64_t position, struct slice bytes);
void outbox_put_rows(struct outbox *outbox, uint64_t first, struct slice rows);
void outbox_put_shard(struct outbox *outbox, const struct shard_head *head, struct slice results);

/* ----- requests to the launcher, and the end of the role ----- */

void outbox_replace(struct outbox *outbox, uint32_t index, uint32_t incarnation);
void outbox_killed_by_rows(struct outbox *outbox, uint32_t index);
void outbox_lanes(struct outbox *outbox, uint32_t lanes);
void outbox_servers(struct outbox *outbox, uint32_t least, uint32_t most, uint32_t serving);
void outbox_end(struct outbox *outbox, enum status status);

/* ----- reading ----- */

struct slice outbox_bytes(const struct outbox *outbox, const struct outbox_entry *entry);
