/*
 * roles.h - the options of `totrain supervise`, `master`, `worker` and `ps`. What they run is
 * run_supervise, run_master (master_process.h), run_worker (worker_process.h) and run_server
 * (server_process.h); each returns the exit code.
 *
 *     door --lifeline, events--> supervise --lifelines--> master
 *                                                    +--> worker 0, 1, ...
 *                                                    +--> parameter server 0, 1, ... (job.ps)
 *
 * The supervisor is the parent of all. Each role's descriptor 0 is its lifeline, where it is not
 * /dev/null, as in a container: a socket on which the supervisor may send `cancel` or `fail TEXT`,
 * to a worker `cores N`, the processors that the job has, and whose closing ends the role at once.
 * The master sends event lines, `replace INDEX`, `killed_by_rows INDEX` and, every second, `alive`
 * on it. Each role sends `leaving` when it received SIGTERM: it is drained, its end does not count
 * as a failure, and another takes its place. A job in one process has no children: both roles live
 * in the supervisor, on the same loop and with the same messages.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct job;
struct launcher;

/* Rows that are in a user's table, which the workers read and stage: where the order to do so lies
 * (extension/engine/rows/direct_order.h), and where the parts of spools are wanted. */
struct rows_reading {
    const char *folder;
    const struct jobspec *spec;
    const char *database, *schema; /* the database that has the table; the schema for the job */
    uint64_t job;
    const char *snapshot; /* NULL: none was named */
};

struct spool_column;
struct text;

/* A spool of which each shard is a part. */
struct staged_spool {
    const char *name; /* "train" or "validation" */
    const struct spool_column *columns;
    size_t column_count;
    uint32_t counted; /* see struct spool_order */
    const bool *are_keys;
    uint32_t shards;
};
#define STAGED_SPOOLS_MAX 2

/* Reads shards; cli/cluster/table_reading.c. One of these is used by one thread at a time. */
struct table_reader {
    /* Reads the order. *reading outlives it. */
    enum status (*open)(const struct rows_reading *reading, void **self, struct error *err);
    size_t (*spools)(const void *self, struct staged_spool spools[STAGED_SPOOLS_MAX]);
    /* Which tables, as JSON. Borrowed until the reader is closed, as the snapshot below. */
    struct slice (*order)(const void *self);
    /* These two connect, the first time. CONNECTION: it may be tried again, by another reader;
     * INVALID: the snapshot is gone. */
    /* The snapshot for another transaction, in which the server reads and stores a shard itself. */
    enum status (*snapshot)(void *self, struct slice *snapshot, struct error *err);
    /* A shard of one of these spools, as the part of its number; appends the part's index. */
    enum status (*read)(void *self, uint32_t spool, uint32_t shard, struct text *index,
                        struct error *err);
    void (*close)(void *self);
};

struct role_options {
    const char *folder; /* the job's folder */
    const char *listen; /* address; the supervisor's: NULL, or TCP for the whole job */
    const char *master; /* address; of a worker, of a parameter server */
    const char
        *tls; /* folder of credentials (runtime/net/credentials.h); NULL: Unix sockets only */
    /* A file with the connection string of the database that has the job's tables, and their
     * schema (NULL: pgstore.h's); the folder is then the role's alone. NULL: all is in it. */
    const char *database, *schema;
    /* Members for a worker that stages rows of a table: the snapshot under which they are read. */
    const char *snapshot;
    const struct table_reader *table_reader; /* NULL: this program reads no tables */
    const struct launcher
        *launcher;      /* for a master on a cluster (launcher.h); NULL: the supervisor */
    const char *health; /* address of a master on a cluster for probes (health.h); NULL: none */
    uint32_t index, incarnation;
    uint32_t cpus;       /* a worker's own processors; 0: it shares the machine with its group */
    uint64_t row_memory; /* a parameter server's memory in bytes; 0: the job says */
    uint64_t row_memory_moving; /* likewise while rows move to more servers; 0: the same */
    uint32_t patience_seconds;  /* so long it looks for its master, then it ends; 0: for ever */
    bool is_detached;           /* a supervisor that outlives its session, and publishes */
    /* Supervises a job that runs elsewhere; NULL: it runs here. Returns the exit code. */
    int (*run_elsewhere)(const struct job *job, const char *sockets, bool is_detached);
};

int run_supervise(const struct role_options *options);
