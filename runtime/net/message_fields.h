/*
 * message_fields.h - what each message carries: the one list (base/field.h) behind the structs of
 * message.h, what is written and read, the samples of the tests and docs/messages.md.
 *
 * Fields lie in a frame in the order of their list. A change of one is a change of what runs
 * on the wire: all roles of a job are of one build (HELLO), so no older form is read.
 */
#pragma once

#include "base/bytes.h"
#include "base/field.h"
#include "runtime/net/frame.h"

#define MESSAGE_MEMBERS_MAX 1024
#define MESSAGE_ADDRESS_MAX 255
#define MESSAGE_NAME_MAX    4096
#define MESSAGE_REASON_MAX  511
#define TABLES_MAX          128  /* tables of a parameter server */
#define MESSAGE_BUCKETS_MAX 1024 /* buckets of a table (runtime/ps/rows/row_bucket.h) */

/* clang-format off */

/*    name            direction and what it carries in                    meaning */
#define MESSAGE_MAP(X) \
    X(HELLO,         hello,         "worker -> master", \
      "the worker is here, and can be a member of a group") \
    X(GROUP,         group,         "master -> worker", \
      "a group, with all members and their lanes") \
    X(SWITCH,        next_group,    "master -> rank 0, and workers that will be no members", \
      "the next group begins after the phase in flight") \
    X(GROUP_READY,   none,          "rank 0 -> master", \
      "all members of the group have said PEER_HELLO to rank 0") \
    X(DRAINED,       at_phase,      "worker -> master", \
      "the old group is done, and the worker is in no new one") \
    X(LEAVING,       at_phase,      "worker -> master", \
      "the worker was asked to end") \
    X(PHASE_ALIVE,   phase_alive,   "worker -> master", \
      "the loop of the worker runs") \
    X(PROCESS_ALIVE, process_alive, "worker -> master", \
      "the process lives: from a thread and on a connection of its own (runtime/process/role/alive_sender.h)") \
    X(PEER_LOST,     peer_lost,     "worker -> master", \
      "the connection to a member has closed") \
    X(PROGRESS,      progress,      "rank 0 -> master", \
      "how far the training is; also a part of a worker's state") \
    X(PUBLISHING,    none,          "rank 0 -> master", \
      "the model is measured and written") \
    X(MODEL_NEXT,    model_next,    "master -> rank 0", \
      "the rows of the model before this one are stored: send some from it on") \
    X(MODEL_ROWS,    model_rows,    "rank 0 -> master", \
      "some of the model's rows (scoring/tables/model_table.h), numbered in the order of model_write") \
    X(RESULT,        result,        "rank 0 -> master", \
      "one metric of the model") \
    X(FINISHED,      finished,      "rank 0 -> master", \
      "all rows of the model and all results were sent") \
    X(DAMAGED,       damage,        "worker -> master", \
      "a bit was inverted in some memory (runtime/train/worker/worker_damage.c)") \
    X(CHECK,         check,         "worker -> rank 0", \
      "a check of the state, where nothing is left to compute") \
    X(FAILED,        failure,       "worker -> master", \
      "learning failed, and would fail again") \
    X(UNABLE,        unable,        "worker -> master", \
      "the worker cannot open its rows; it ends when it gets END") \
    X(END,           none,          "master -> worker", \
      "the job has ended, or a newer process of the worker is here") \
    X(PEER_HELLO,    peer_hello,    "worker -> worker", \
      "the first message of a member to another with which it exchanges sums") \
    X(STATE_REQUEST, state_request, "worker -> worker, or rank 0 -> master for the checkpoint", \
      "send the state from there on") \
    X(STATE,         state,         "worker -> worker, master -> rank 0", \
      "a piece of a state") \
    X(STATE_REFUSED, refusal,       "rank 0 -> master", \
      "the checkpoint cannot be continued") \
    X(CHECKPOINT,    checkpoint,    "master -> worker", \
      "send one piece of the state for the checkpoint") \
    X(SNAPSHOT,      snapshot,      "worker -> master", \
      "a piece of the state for the checkpoint; the master asks for them one by one") \
    X(PARTIAL,       partial,       "worker -> worker", \
      "the sender's part of a segment, to the owner of the segment") \
    X(SUM,           sum,           "worker -> worker", \
      "a segment's totals, from its owner to everyone") \
    X(SPEED,         speed,         "worker -> master", \
      "how fast the worker computes") \
    X(LEASE,         lease,         "dispatcher -> scorer", \
      "rows of the scored table to score (runtime/score/ledger.h)") \
    X(SCORED,        scored,        "scorer -> dispatcher", \
      "the results of a lease") \
    X(PEER_PHASES,   peer_phases,   "rank 0 -> worker", \
      "all members have said PEER_HELLO to rank 0") \
    X(STAGED,        none,          "dispatcher or master -> worker", \
      "all is staged, or learned on servers: the worker sends HELLO as one that trains") \
    X(TIME_OVER,     none,          "master -> worker", \
      "the statement's time is over: learning ends with the phase in flight, or the next") \
    X(SERVER,        server,        "parameter server -> master", \
      "the server is here, with what it has") \
    X(SERVERS,       servers,       "master -> worker", \
      "where the parameter servers are; all of them, each time one is new") \
    X(RESUME,        resume,        "worker -> parameter server", \
      "the worker begins with a shard, or goes on with it over a new connection") \
    X(RESUMED,       resumed,       "parameter server -> worker", \
      "which batches of the shard are counted there") \
    X(PULL,          pull,          "worker -> parameter server", \
      "asks for rows of the server's tables (runtime/ps/rows/row_table.h)") \
    X(PULLED,        pulled,        "parameter server -> worker", \
      "the rows that were asked for") \
    X(PUSH,          push,          "worker -> parameter server", \
      "the gradients of a batch of a shard; each is counted once") \
    X(PUSHED,        resumed,       "parameter server -> worker", \
      "the batch is counted, now or before") \
    X(SHARD_DONE,    shard_done,    "worker -> master", \
      "all parameter servers have counted all batches of a shard") \
    X(FORGET,        forget,        "master -> parameter server", \
      "this worker is gone, and others need not wait for it") \
    X(LAYOUT,        layout,        "master -> parameter server", \
      "these servers have the rows; nothing else moves") \
    X(COPY,          fetch,         "master -> parameter server", \
      "copy the rows that are yours in the layout to come; batches are counted") \
    X(HOLD,          layout,        "master -> parameter server", \
      "no batch is counted until LAYOUT, or COPY, comes") \
    X(HELD,          held,          "parameter server -> master", \
      "no batch is counted any more; which are") \
    X(FETCH,         fetch,         "master -> parameter server", \
      "ask for what of these rows was pushed since they were copied") \
    X(FETCHED,       fetched,       "parameter server -> master", \
      "all of them are here, or will not be") \
    X(ROWS_WANTED,   rows_wanted,   "parameter server -> parameter server", \
      "send the rows of these buckets from there on") \
    X(ROWS,          moved_rows,    "parameter server -> parameter server", \
      "a piece of them") \
    X(LOAD,          load,          "parameter server -> master", \
      "which rows were pulled lately (runtime/ps/server/server_load.h)") \
    X(TELL,          none,          "master -> parameter server", \
      "asks for SERVER once more: how far it is")

/* ----- a worker joins and leaves ----- */

#define MESSAGE_HELLO_FIELDS(F) \
    F(U32,  index,       FIELD_ANY, "of the worker") \
    F(U32,  incarnation, FIELD_ANY, "of its process: rises with each start") \
    F(U32,  lanes,       FIELD_ANY, "of the job") \
    F(U64,  phase,       FIELD_ANY, "the next that this worker would compute") \
    F(U64,  generation,  FIELD_ANY, "how many times states were found bad, as far as it knows") \
    F(U64,  fingerprint, FIELD_ANY, "of plan and rows: the same for all workers") \
    F(U64,  build,       FIELD_ANY, "of the program: the same for all workers") \
    F(U64,  round,       FIELD_ANY, "steps in which each row is needed once; 0: all rows are on its machine") \
    F(U32,  buckets,     FIELD_ANY, "in which the rows of a lane come, one after the other") \
    F(U32,  first_lane,  FIELD_ANY, "of those that it computed last") \
    F(U32,  lane_count,  FIELD_ANY, "0: it computed none yet") \
    F(FLAG, is_leaving,  FIELD_ANY, "it was asked to end") \
    F(FLAG, is_staging,  FIELD_ANY, "of a job that trains: it stages the rows, or pushes to parameter servers") \
    F(U32,  shards,      FIELD_ANY, "of an epoch, where weights lie on parameter servers") \
    F(U32,  epochs,      FIELD_ANY, "likewise") \
    F(U32,  batches,     FIELD_ANY, "of a shard, likewise") \
    F(U64,  rows,        FIELD_ANY, "of an epoch, likewise") \
    F(TEXT, address,     MESSAGE_ADDRESS_MAX, "where peers reach it")

#define MESSAGE_MEMBER_FIELDS(F) \
    F(U32,  index,      FIELD_ANY, "of the worker") \
    F(U32,  first_lane, FIELD_ANY, "lanes are dealt in the order of ranks, without a gap") \
    F(U32,  lane_count, FIELD_ANY, "may be 0") \
    F(TEXT, address,    MESSAGE_ADDRESS_MAX, "where the others reach it")

#define MESSAGE_GROUP_FIELDS(F) \
    F(U32,   member_count, MESSAGE_MEMBERS_MAX, "how many `members` has") \
    F(U64,   recorded,     FIELD_ANY, "the master has the records up to this phase") \
    F(U64,   after,        FIELD_ANY, "epoch of the group whose phase in flight comes first; 0: at once") \
    F(U64,   checkpoint,   FIELD_ANY, "a worker behind this phase gets its state from the master; 0: none") \
    F(U64,   rows_redone,  FIELD_ANY, "as far as the master knows") \
    F(U64,   generation,   FIELD_ANY, "how many times states were found bad") \
    F(U64,   good,         FIELD_ANY, "up to this phase they were good, the last time; 2^64-1: none was") \
    F(BYTES, members,      FRAME_PAYLOAD_MAX, "by rank, the same for all: each finds itself by its index")

#define MESSAGE_NEXT_GROUP_FIELDS(F) \
    F(U64, epoch, FIELD_ANY, "of the next group")

#define MESSAGE_AT_PHASE_FIELDS(F) \
    F(U64, phase, FIELD_ANY, "the next that this worker would compute")

#define MESSAGE_UNABLE_FIELDS(F) \
    F(U32, index,       FIELD_ANY, "of the worker") \
    F(U32, incarnation, FIELD_ANY, "of its process") \
    MESSAGE_FAILURE_FIELDS(F)

#define MESSAGE_FAILURE_FIELDS(F) \
    F(U32,  status,  FIELD_ANY, "enum status") \
    F(TEXT, message, MESSAGE_REASON_MAX, "what went wrong") \
    F(TEXT, hint,    MESSAGE_REASON_MAX, "what to do about it; may be empty")

/* ----- it is alive, and how fast ----- */

#define MESSAGE_PHASE_ALIVE_FIELDS(F) \
    F(U64, phase,     FIELD_ANY, "that it computes") \
    F(U64, rows_good, FIELD_ANY, "phase at which all of its rows were good")

#define MESSAGE_PROCESS_ALIVE_FIELDS(F) \
    F(U32,  index,        FIELD_ANY, "of the worker") \
    F(U32,  incarnation,  FIELD_ANY, "of its process") \
    F(U32,  still_ms,     FIELD_ANY, "how long its work has stood still (runtime/process/role/stall.h)") \
    F(U32,  usual_ms,     FIELD_ANY, "the longest that it stood still before") \
    F(FLAG, is_computing, FIELD_ANY, "the process uses the processor meanwhile")

#define MESSAGE_PEER_LOST_FIELDS(F) \
    F(U32, rank, FIELD_ANY, "of the member whose connection closed")

#define MESSAGE_SPEED_FIELDS(F) \
    F(U32, lanes,   FIELD_ANY, "computed since the last message") \
    F(U32, busy_ms, FIELD_ANY, "that they took")

/* ----- the phases of a group ----- */

#define MESSAGE_PEER_HELLO_FIELDS(F) \
    F(U32, rank,  FIELD_ANY, "of the sender") \
    F(U64, phase, FIELD_ANY, "the next that it would compute")

#define MESSAGE_PEER_PHASES_FIELDS(F) \
    F(INT64S, phases, MESSAGE_MEMBERS_MAX * sizeof(int64_t), "by rank: the next that each member would compute")

#define MESSAGE_PARTIAL_FIELDS(F) \
    F(U64,    phase,    FIELD_ANY, "") \
    F(U32,    first,    FIELD_ANY, "element that `fixed` begins with") \
    F(U64,    check,    FIELD_ANY, "the check (learner.h) of the sender's state") \
    F(INT64S, integers, FRAME_PAYLOAD_MAX, "of its lanes: to rank 0, in the first piece") \
    F(INT64S, fixed,    FRAME_PAYLOAD_MAX, "owned integers, then fixed point; need not be aligned") \
    F(U32,    rows_left, FIELD_ANY, "touched rows of the table that come in later pieces") \
    F(U32S,   rows,      FRAME_PAYLOAD_MAX, "of the table, in ascending order, behind all elements") \
    F(INT64S, row_sums,  FRAME_PAYLOAD_MAX, "of these rows, in fixed point; need not be aligned")

#define MESSAGE_SUM_FIELDS(F) \
    F(U64,    phase,      FIELD_ANY, "") \
    F(U32,    first,      FIELD_ANY, "element whose total `reals` begins with") \
    F(U64,    next_epoch, FIELD_ANY, "of rank 0: the group that has the next phase; 0: this one") \
    F(INT64S, integers,   FRAME_PAYLOAD_MAX, "of all lanes: of rank 0, in the first piece") \
    F(FLOATS, reals,      FRAME_PAYLOAD_MAX, "totals, an owned integer as two; need not be aligned") \
    F(U32,    rows_left,  FIELD_ANY, "touched rows of the table that come in later pieces") \
    F(U32S,   rows,       FRAME_PAYLOAD_MAX, "of the table, in ascending order, behind all totals") \
    F(FLOATS, row_totals, FRAME_PAYLOAD_MAX, "of these rows; need not be aligned")

#define MESSAGE_CHECK_FIELDS(F) \
    F(U64, phase, FIELD_ANY, "that the state begins") \
    F(U64, value, FIELD_ANY, "the check (learner.h) of the sender's state")

#define MESSAGE_DAMAGE_FIELDS(F) \
    F(U32,  index,       FIELD_ANY, "of the worker that reports it") \
    F(U32,  incarnation, FIELD_ANY, "of its process") \
    F(U32,  rank,        FIELD_ANY, "of the member that is wrong; 2^32-1: not known, or is_own") \
    F(FLAG, is_own,      FIELD_ANY, "the worker that reports it is wrong") \
    F(U64,  good,        FIELD_ANY, "states that begin this phase, or an earlier one, are good; 2^64-1: none is") \
    F(TEXT, reason,      MESSAGE_REASON_MAX, "")

/* ----- states and checkpoints ----- */

#define MESSAGE_STATE_REQUEST_FIELDS(F) \
    F(U64, phase,  FIELD_ANY, "that the state begins") \
    F(U64, offset, FIELD_ANY, "in the state")

#define MESSAGE_STATE_FIELDS(F) \
    F(U64,   phase,  FIELD_ANY, "that the state begins") \
    F(U64,   total,  FIELD_ANY, "bytes of the state") \
    F(U64,   offset, FIELD_ANY, "of the piece") \
    F(BYTES, bytes,  FRAME_PAYLOAD_MAX, "within the total")

#define MESSAGE_REFUSAL_FIELDS(F) \
    F(U64,  phase,  FIELD_ANY, "of the checkpoint") \
    F(TEXT, reason, MESSAGE_REASON_MAX, "")

#define MESSAGE_CHECKPOINT_FIELDS(F) \
    F(U64, id,     FIELD_ANY, "of the checkpoint") \
    F(U64, offset, FIELD_ANY, "of the piece; 0: of the state as it is now")

#define MESSAGE_SNAPSHOT_FIELDS(F) \
    F(U64,   id,        FIELD_ANY, "of the checkpoint") \
    F(U64,   phase,     FIELD_ANY, "that the state begins") \
    F(U64,   step,      FIELD_ANY, "") \
    F(U64,   rows_done, FIELD_ANY, "") \
    F(U64,   total,     FIELD_ANY, "bytes of the state; 0: there is none, or not any more") \
    F(U64,   offset,    FIELD_ANY, "of the piece") \
    F(BYTES, bytes,     FRAME_PAYLOAD_MAX, "within the total")

/* ----- what comes of the training ----- */

#define MESSAGE_PROGRESS_FIELDS(F) \
    F(U64,  phase,            FIELD_ANY, "") \
    F(U64,  step,             FIELD_ANY, "") \
    F(U64,  steps,            FIELD_ANY, "in all; 0: not known") \
    F(U64,  rows_done,        FIELD_ANY, "") \
    F(U64,  rows_redone,      FIELD_ANY, "") \
    F(U32,  epoch,            FIELD_ANY, "") \
    F(U32,  epochs,           FIELD_ANY, "in all; 0: the learner has none") \
    F(FLAG, is_record,        FIELD_ANY, "belongs into the table of metrics; otherwise for the eye only") \
    F(FLAG, evaluated,        FIELD_ANY, "the validation rows were scored") \
    F(F64,  loss,             FIELD_ANY, "NaN: none") \
    F(F64,  validation_loss,  FIELD_ANY, "NaN: none") \
    F(F64,  validation_score, FIELD_ANY, "NaN: none") \
    F(REALS, metrics,         FIELD_REALS_MAX, "named, or scores of labels: of training rows, then of those held out; NaN: none")

#define MESSAGE_MODEL_NEXT_FIELDS(F) \
    F(U64, row, FIELD_ANY, "")

#define MESSAGE_MODEL_ROWS_FIELDS(F) \
    F(U64,   first, FIELD_ANY, "number of the first row") \
    F(BYTES, rows,  FRAME_PAYLOAD_MAX, "the rows, one behind the other")

#define MESSAGE_MODEL_ROW_FIELDS(F) \
    F(TEXT,  part,         FRAME_PAYLOAD_MAX, "") \
    F(TEXT,  name,         FRAME_PAYLOAD_MAX, "") \
    F(I64,   position,     FIELD_ANY, "") \
    F(FLAG,  has_value,    FIELD_ANY, "") \
    F(F64,   value,        FIELD_ANY, "0 where there is none") \
    F(FLAG,  has_data,     FIELD_ANY, "") \
    F(FLAG,  data_is_text, FIELD_ANY, "not set where there is none") \
    F(BYTES, data,         FRAME_PAYLOAD_MAX, "empty where there is none")

#define MESSAGE_RESULT_FIELDS(F) \
    F(TEXT, name,       MESSAGE_NAME_MAX, "of the metric") \
    F(F64,  train,      FIELD_ANY, "NaN: none") \
    F(F64,  validation, FIELD_ANY, "NaN: none")

#define MESSAGE_FINISHED_FIELDS(F) \
    F(TEXT, digest,     MESSAGE_NAME_MAX, "of the model") \
    F(U64,  step,       FIELD_ANY, "the last") \
    F(U64,  rows,       FIELD_ANY, "that it learned from") \
    F(U64,  model_rows, FIELD_ANY, "rows of the model")

/* ----- a table is scored ----- */

#define MESSAGE_LEASE_FIELDS(F) \
    F(U64, id,    FIELD_ANY, "of the lease") \
    F(U64, first, FIELD_ANY, "row of the table") \
    F(U32, slot,  FIELD_ANY, "of the lease, in the scorer") \
    F(U32, count, FIELD_ANY, "rows")

#define MESSAGE_SCORED_FIELDS(F) \
    F(U64,   id,      FIELD_ANY, "of the lease") \
    F(U32,   slot,    FIELD_ANY, "of the lease") \
    F(BYTES, results, FRAME_PAYLOAD_MAX, "of its rows (runtime/data/store/shard_results.h)")

/*                struct message_NAME  its fields */
/* ----- parameter servers ----- */

#define MESSAGE_SERVER_FIELDS(F) \
    F(U32,  index,       FIELD_ANY, "of the server") \
    F(U32,  incarnation, FIELD_ANY, "of its process") \
    F(U32S, counted,     FRAME_PAYLOAD_MAX, "by shard: how many of its batches are counted; 0 of those behind") \
    F(TEXT, address,     MESSAGE_ADDRESS_MAX, "where workers reach it") \
    F(U64,  layout,      FIELD_ANY, "in which it has its rows (runtime/ps/server/server_layout.h)") \
    F(U32,  serving,     FIELD_ANY, "servers of that layout") \
    F(U32S, map,         MESSAGE_BUCKETS_MAX * sizeof(uint32_t), "of that layout: runs of buckets; empty: equal parts") \
    F(U64,  next_layout, FIELD_ANY, "that it was told to prepare; 0: none") \
    F(U32,  next_serving, FIELD_ANY, "servers of that one") \
    F(U64,  clock,       FIELD_ANY, "batches that are counted; where all lanes take steps together, steps") \
    F(U64,  least,       FIELD_ANY, "the first of them before which it knows its rows")

#define MESSAGE_SERVERS_FIELDS(F) \
    F(U64,   roster,       FIELD_ANY, "rises with each new process of a server, and each layout") \
    F(U32,   server_count, MESSAGE_MEMBERS_MAX, "how many `servers` has: those that have rows") \
    F(BYTES, servers,      FRAME_PAYLOAD_MAX, "by index: incarnation and address of each") \
    F(U64,   layout,       FIELD_ANY, "of the rows") \
    F(U32S,  map,          MESSAGE_BUCKETS_MAX * sizeof(uint32_t), "of that layout, as of SERVER") \
    F(FLAG,  is_paused,    FIELD_ANY, "leases are given back, each as soon as all servers are even for its shard")

#define MESSAGE_SERVER_PLACE_FIELDS(F) \
    F(U32,  incarnation, FIELD_ANY, "of the server's process") \
    F(TEXT, address,     MESSAGE_ADDRESS_MAX, "where workers reach it; empty: it is not here now")

#define MESSAGE_RESUME_FIELDS(F) \
    F(U32, index,       FIELD_ANY, "of the worker") \
    F(U32, incarnation, FIELD_ANY, "of its process") \
    F(U64, shard,       FIELD_ANY, "of rows, counted over all epochs") \
    F(U64, layout,      FIELD_ANY, "of SERVERS: a server of another one closes the connection")

#define MESSAGE_RESUMED_FIELDS(F) \
    F(U64, shard, FIELD_ANY, "") \
    F(U32, next,  FIELD_ANY, "batches of it that are counted: the next has this number") \
    F(U64, step,  FIELD_ANY, "where all lanes take steps together: that the server is at")

#define MESSAGE_PULL_FIELDS(F) \
    F(U64,    request, FIELD_ANY, "of this worker; rises") \
    F(U64,    step,    FIELD_ANY, "where all lanes take steps together: the rows as this one finds them") \
    F(FLAG,   is_reading, FIELD_ANY, "no push follows: it does not wait, and nobody waits for it") \
    F(U32S,   counts,  TABLES_MAX * sizeof(uint32_t), "rows of each table") \
    F(INT64S, ids,     FRAME_PAYLOAD_MAX, "of the rows, table by table, ascending; need not be aligned")

#define MESSAGE_PULLED_FIELDS(F) \
    F(U64,    request, FIELD_ANY, "that this answers") \
    F(FLOATS, values,  FRAME_PAYLOAD_MAX, "of the rows, in the order of their ids; need not be aligned")

#define MESSAGE_PUSH_FIELDS(F) \
    F(U64,    shard,    FIELD_ANY, "") \
    F(U32,    batch,    FIELD_ANY, "of the shard; they come in order, also those without rows here") \
    F(U32S,   counts,   TABLES_MAX * sizeof(uint32_t), "rows of each table") \
    F(INT64S, ids,      FRAME_PAYLOAD_MAX, "as of PULL; need not be aligned") \
    F(U32S,   seen,     FRAME_PAYLOAD_MAX, "rows of data that selected each") \
    F(FLOATS, gradient, FRAME_PAYLOAD_MAX, "of the rows, in the order of their ids; need not be aligned")

#define MESSAGE_SHARD_DONE_FIELDS(F) \
    F(U64, id,     FIELD_ANY, "of the lease") \
    F(U64, shard,  FIELD_ANY, "") \
    F(U64, roster, FIELD_ANY, "of the SERVERS that have counted them") \
    F(U64, rows,   FIELD_ANY, "of data that this worker computed for it") \
    F(F64, loss,   FIELD_ANY, "summed over them") \
    F(FLAG, is_even, FIELD_ANY, "it is not done: the lease is given back, as SERVERS asks for")

#define MESSAGE_FORGET_FIELDS(F) \
    F(U32, index,       FIELD_ANY, "of the worker") \
    F(U32, incarnation, FIELD_ANY, "of its process: this one, and those before it")

#define MESSAGE_LAYOUT_FIELDS(F) \
    F(U64, layout,  FIELD_ANY, "rises with each") \
    F(U32, serving, FIELD_ANY, "the servers that have rows: those below it") \
    F(U32S, map,    MESSAGE_BUCKETS_MAX * sizeof(uint32_t), "as of SERVER") \
    F(FLAG, is_anew, FIELD_ANY, "nothing is counted any more: all begins with the first step")

#define MESSAGE_HELD_FIELDS(F) \
    F(U64,  layout,  FIELD_ANY, "of HOLD") \
    F(U32S, counted, FRAME_PAYLOAD_MAX, "as of SERVER")

#define MESSAGE_FETCH_FIELDS(F) \
    F(U64,   layout,       FIELD_ANY, "to come") \
    F(U32,   serving,      FIELD_ANY, "servers of it") \
    F(U32S,  map,          MESSAGE_BUCKETS_MAX * sizeof(uint32_t), "of it, as of SERVER") \
    F(U32,   server_count, MESSAGE_MEMBERS_MAX, "how many `servers` has: those that have the rows now") \
    F(BYTES, servers,      FRAME_PAYLOAD_MAX, "as of SERVERS")

#define MESSAGE_FETCHED_FIELDS(F) \
    F(U64, layout, FIELD_ANY, "of COPY or FETCH") \
    MESSAGE_FAILURE_FIELDS(F)

#define MESSAGE_ROWS_WANTED_FIELDS(F) \
    F(U32, index,  FIELD_ANY, "of the server that asks") \
    F(U64, layout, FIELD_ANY, "to come") \
    F(INT64S, buckets, MESSAGE_BUCKETS_MAX / 8, "a bit for each (runtime/ps/rows/bucket_set.h); need not be aligned") \
    F(U64, since,  FIELD_ANY, "rows that were pushed later than this clock; 0: all") \
    F(U64, offset, FIELD_ANY, "in the images of these buckets, one behind the other, table by table")

#define MESSAGE_MOVED_ROWS_FIELDS(F) \
    F(U64,   layout,  FIELD_ANY, "to come") \
    F(U64,   clock,   FIELD_ANY, "batches that were counted when the first piece was asked for") \
    F(U64,   offset,  FIELD_ANY, "of the piece") \
    F(FLAG,  is_held, FIELD_ANY, "no batch is counted there: nothing will be pushed after it") \
    F(FLAG,  is_last, FIELD_ANY, "it ends the images") \
    F(U32S,  counted, FRAME_PAYLOAD_MAX, "with the first piece: as of SERVER") \
    F(BYTES, bytes,   FRAME_PAYLOAD_MAX, "images, each behind its size (runtime/ps/rows/row_snapshot.h)")

#define MESSAGE_LOAD_FIELDS(F) \
    F(U64,  layout,  FIELD_ANY, "of the rows") \
    F(U64,  ms,      FIELD_ANY, "how long they were counted") \
    F(U64,  busy_us, FIELD_ANY, "that serving took meanwhile; 0: it does not know") \
    F(U32S, rows,    MESSAGE_BUCKETS_MAX * sizeof(uint32_t), "that were pulled, by bucket; wide ones count as several")

#define MESSAGE_BODY_MAP(X) \
    X(hello,         MESSAGE_HELLO_FIELDS) \
    X(group,         MESSAGE_GROUP_FIELDS) \
    X(next_group,    MESSAGE_NEXT_GROUP_FIELDS) \
    X(at_phase,      MESSAGE_AT_PHASE_FIELDS) \
    X(phase_alive,   MESSAGE_PHASE_ALIVE_FIELDS) \
    X(process_alive, MESSAGE_PROCESS_ALIVE_FIELDS) \
    X(peer_lost,     MESSAGE_PEER_LOST_FIELDS) \
    X(progress,      MESSAGE_PROGRESS_FIELDS) \
    X(model_next,    MESSAGE_MODEL_NEXT_FIELDS) \
    X(model_rows,    MESSAGE_MODEL_ROWS_FIELDS) \
    X(result,        MESSAGE_RESULT_FIELDS) \
    X(finished,      MESSAGE_FINISHED_FIELDS) \
    X(damage,        MESSAGE_DAMAGE_FIELDS) \
    X(check,         MESSAGE_CHECK_FIELDS) \
    X(failure,       MESSAGE_FAILURE_FIELDS) \
    X(unable,        MESSAGE_UNABLE_FIELDS) \
    X(peer_hello,    MESSAGE_PEER_HELLO_FIELDS) \
    X(peer_phases,   MESSAGE_PEER_PHASES_FIELDS) \
    X(state_request, MESSAGE_STATE_REQUEST_FIELDS) \
    X(state,         MESSAGE_STATE_FIELDS) \
    X(refusal,       MESSAGE_REFUSAL_FIELDS) \
    X(checkpoint,    MESSAGE_CHECKPOINT_FIELDS) \
    X(snapshot,      MESSAGE_SNAPSHOT_FIELDS) \
    X(partial,       MESSAGE_PARTIAL_FIELDS) \
    X(sum,           MESSAGE_SUM_FIELDS) \
    X(speed,         MESSAGE_SPEED_FIELDS) \
    X(lease,         MESSAGE_LEASE_FIELDS) \
    X(scored,        MESSAGE_SCORED_FIELDS) \
    X(server,        MESSAGE_SERVER_FIELDS) \
    X(servers,       MESSAGE_SERVERS_FIELDS) \
    X(resume,        MESSAGE_RESUME_FIELDS) \
    X(resumed,       MESSAGE_RESUMED_FIELDS) \
    X(pull,          MESSAGE_PULL_FIELDS) \
    X(pulled,        MESSAGE_PULLED_FIELDS) \
    X(push,          MESSAGE_PUSH_FIELDS) \
    X(shard_done,    MESSAGE_SHARD_DONE_FIELDS) \
    X(forget,        MESSAGE_FORGET_FIELDS) \
    X(layout,        MESSAGE_LAYOUT_FIELDS) \
    X(held,          MESSAGE_HELD_FIELDS) \
    X(fetch,         MESSAGE_FETCH_FIELDS) \
    X(fetched,       MESSAGE_FETCHED_FIELDS) \
    X(rows_wanted,   MESSAGE_ROWS_WANTED_FIELDS) \
    X(moved_rows,    MESSAGE_MOVED_ROWS_FIELDS) \
    X(load,          MESSAGE_LOAD_FIELDS)

/* clang-format on */
