/*
 * server_steps.h - steps that all lanes take together, on a parameter server (server_role.h).
 *
 *     shard  0 1 2 | 3 4 5 | ...      lane: its place in its group, here of three
 *     step   0..B-1| B..2B-1          of all lanes: their batch of this number, 0 to B - 1
 *
 *     PULL of step s --> the rows before s, where s is at most the clock; else it waits
 *     PUSH of a lane --> kept, until all lanes of the step have come --> one step of the optimizer,
 *                        by the sum of their gradients in the order of lanes
 *
 * So what a row becomes depends neither on who computed a lane, nor on how many workers and servers
 * there are, nor on the order in which pushes come: float sums have one order. The clock counts
 * steps, and there is one state of the rows at each clock, whatever has happened.
 *
 * All servers are at the same step, or some of them one further: a lane pulls from all of them
 * before it pushes to any. A server keeps what the rows of its last step were before it, so that
 * a lane of which another server has lost the push can be computed again: it pulls step s from
 * servers that are at s, or at s + 1. The pushes of a step that is not whole are in memory alone.
 *
 * A step that is counted goes into a log (OUTBOX_LOG) before anybody pulls the next: a later
 * process counts it again, behind its snapshot, and is where this one was. Where logs are lost, and
 * servers are further apart, the master begins anew (shard_steps.h).
 *
 * What lanes push, their sum and what the rows were count as memory of the server's rows
 * (row_bucket.h): with them its limit is reached earlier.
 *
 * The entry of a step, after its size: u64 layout | sized counts, ids, seen, gradients, each array
 * as of PUSH.
 */
#pragma once

#include "base/text.h"
#include "runtime/net/message.h"
#include "runtime/ps/rows/row_table.h"
#include "runtime/ps/rows/step_rows.h"
#include "runtime/role/outbox.h"

#define SERVER_LANES_MAX 64

struct server_role;

struct server_steps {
    struct step_rows
        *lanes;    /* (options.lanes): pushes of this step; NULL: workers go by themselves */
    bool *is_here; /* (options.lanes) */
    uint32_t here;
    uint32_t widths[TABLES_MAX]; /* floats of a row, by table */
    struct step_rows sum;
    struct step_rows before; /* the rows before the last step; seen: not used */
    bool has_before;
    struct text entry;
    uint64_t memory; /* bytes of all of these, as counted with the server's rows */
};

enum status server_steps_init(struct server_role *role, struct error *err);
void server_steps_deinit(struct server_role *role);

/* The step that a batch of a shard belongs to. */
uint64_t server_step_of(const struct server_role *role, uint64_t shard, uint32_t batch);

/* Pulled values (of rows in the order of counts and ids, as the rows are now) become those before
 * the last step. */
void server_steps_go_back(const struct server_role *role, const uint32_t *counts,
                          const uint64_t *ids, float *values);
/* The push that was read into the role, of which nothing is missing: kept, or of a step that is
 * counted. */
enum status server_steps_push(struct server_role *role, const struct message_push *push,
                              const uint32_t *counts, struct error *err);
/* Takes the step of which all lanes are here; does nothing before. LIMIT, NO_MEMORY: nothing has
 * changed, and it may be called again when there is more room. */
enum status server_steps_take(struct server_role *role, struct outbox *outbox, struct error *err);
/* The pushes of a step that is not whole are dropped, as their workers are. */
void server_steps_drop_pushes(struct server_role *role);
/* With all rows: there is no step before. */
void server_steps_forget(struct server_role *role);

/* For a snapshot: what the rows of the last step were. */
void server_steps_put(const struct server_role *role, struct text *out);
enum status server_steps_read(struct server_role *role, struct slice bytes, struct error *err);

/* Which layout it was taken in. False: it is no entry of a step. */
bool server_steps_layout(struct slice entry, uint64_t *layout);
/* The entry of the step that the clock is at, of the log. NOT_FOUND: it was written for another
 * layout, or its bytes are no entry of this job. */
enum status server_steps_count_again(struct server_role *role, struct slice entry,
                                     struct error *err);
