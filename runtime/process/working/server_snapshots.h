/*
 * server_snapshots.h - the snapshots of a parameter server, in a store that is its own:
 * server-INDEX/job.db in the job's folder. Where the job lies in tables, this file is a copy of
 * what is in the job's tables of servers (runtime/data/store/journal.h), as its master's is.
 *
 *     open: claimed --find--> the newest --read a piece, ...--> all of it is in the role --read a
 *                       ^         |                             step, ...--> it is where it was
 *                       +---------+ what is damaged is passed over: the one before it, then none
 *
 * An older process of the same index that still runs is fenced by the claim: it can store nothing
 * any more (STALE). The claim's number is the server's incarnation; it rises over all processes
 * that the index ever had, also those of an earlier supervisor.
 *
 * It is always right to begin without a snapshot: shards are counted by each server, so the master
 * has them pushed again. Where lanes take steps together, it has all servers begin anew
 * (runtime/ps/master/shard_steps.h); so each step is in a log (runtime/data/store/step_log.h) until
 * two snapshots have it.
 */
#pragma once

#include "runtime/data/store/checkpoint.h"
#include "runtime/process/working/store_sync.h"
#include "runtime/ps/server/server_role.h"
#include "runtime/record/outbox_executor.h"

struct job;

struct pgstore;

struct server_snapshots {
    const struct job *job;
    uint32_t index;                  /* the server's index */
    struct pgstore *tables;          /* NULL: there is the folder alone */
    struct outbox_executor executor; /* executes OUTBOX_PIECE and OUTBOX_FINISH */
    struct checkpoint found;
    uint64_t position; /* position of the piece to be read next */
    struct text piece;
    uint32_t tried; /* snapshots */
    struct store_sync sync;
    uint64_t pieces_end; /* sync.written behind the last piece of a snapshot */
};

/* The folder is made where it is not there; a store that is damaged is made anew. */
enum status server_snapshots_open(struct server_snapshots *snapshots, const struct job *job,
                                  uint32_t index, uint32_t incarnation, struct error *err);
/* Not while server_snapshots_is_syncing. */
void server_snapshots_close(struct server_snapshots *snapshots);

/* From now on a thread brings the store to the disk (store_sync.h). */
enum status server_snapshots_sync_beside(struct server_snapshots *snapshots, struct loop *loop,
                                         struct error *err);
static inline bool server_snapshots_is_syncing(const struct server_snapshots *snapshots)
{
    return store_sync_is_running(&snapshots->sync);
}
/* The role's outbox (loop.h). */
enum status server_snapshots_perform(void *snapshots, const struct outbox *outbox,
                                     struct error *err);
/* Is the disk far enough for more of the snapshot that the role takes? For its end, all pieces have
 * to be there. It will be: the loop is woken. */
bool server_snapshots_may_go_on(struct server_snapshots *snapshots, const struct server_role *role);

/* The newest that was not tried yet. False: there is none; those that are damaged are removed. */
bool server_snapshots_find(struct server_snapshots *snapshots);
/* A piece of it into a role that had all before, *is_last. An error, which is logged: this one is
 * of no use, and neither is what is in the role. LIMIT: it is more than the role may have. */
enum status server_snapshots_read(struct server_snapshots *snapshots, struct server_role *role,
                                  bool *is_last, struct error *err);

/* The next entry of the log, into the role that has all before. NOT_FOUND: there is none that fits.
 * LIMIT and NO_MEMORY as above. */
enum status server_snapshots_read_log(struct server_snapshots *snapshots, struct server_role *role,
                                      struct error *err);
