/*
 * host.h - the seam between the engine and the database it runs in.
 *
 *     session     the session that runs the statement, and how it makes jobs
 *     rows        queries of the user's            models   models as tables
 *     tables      tables that statements write     jobs     what a server asks of its jobs
 *     kept_rows   rows that stay with the host while workers score them
 *     marks       tables that another process than the session writes
 *     cluster     jobs whose processes are Pods (cluster_job.h)
 *
 * Filled by extension/sqlite and extension/postgres. The engine speaks of models, queries and
 * tables; how a model table is declared, quoted, locked and versioned is the host's. Everything
 * happens in the caller's session: its rights, its temporary tables, its open transaction. All
 * functions but the cluster's get host.self.
 *
 * A schema of size 0 means the host's own search order, or for a table that
 * is to be made the place where the host makes tables.
 */
#pragma once

#include "extension/engine/host/sink.h"
#include "k8s/job/kube_job.h"
#include "planner/plan/catalog.h"
#include "runtime/data/spool/spool.h"
#include "runtime/data/store/jobstore.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "scoring/tables/model_table.h"

/* How much memory the arena of one loaded model may take. */
#define MODEL_ARENA_MAX ((size_t)16 << 30)

/* ----- what passes through the seam ----- */

/* The kind of a table that a statement writes. The statement may replace a table of the same kind
 * that an earlier statement wrote. */
enum target_kind {
    TARGET_MODEL,       /* TRAIN INTO */
    TARGET_PREDICTIONS, /* TO PREDICT; marked as such when it is made */
    TARGET_METRICS,     /* EVALUATE INTO; marked as such when it is made */
    TARGET_DEFINITION,  /* DEFINE MODEL; the writer knows whether the table is one */
    TARGET_BAD_ROWS     /* *.bad_rows = 'quarantine'; its last column is QUARANTINE_REASON */
};

/* A table that a statement is to write. */
struct table_target {
    struct slice schema, name;
    enum target_kind kind;
    bool replaces_any;       /* the user permits to replace any ordinary table but a model */
    struct slice mark;       /* for host_marks; letters, digits, spaces and -:. size 0: none */
    const struct sink *sink; /* for notices; NULL: nobody would see them */
};

/* A trained model on its way into the database. The host gives it its id (kept
 * from the model that it replaces), version and creation time. */
struct publication {
    struct model *model;
    int64_t job;
    struct jobstore *store;  /* its metrics go to totrain_metrics; NULL: it was not learned here */
    const struct sink *sink; /* for notices; NULL: nobody would see them */
    bool has_pieces;         /* by host_cluster.write_pieces */
};

/*
 * Rows that go into a spool from several threads at once, in no order. Cell i of
 * the spool is column columns[i] of the query. A cell of the spool's own type
 * may be put as it is; `put` takes any, and is called by any thread.
 */
struct scan {
    void *self;
    enum status (*put)(void *self, size_t i, const struct cell *cell, struct spool_writer *writer,
                       struct error *err);
    const enum spool_type *types;
    const int *columns; /* behind those of the query the elements of its vectors; behind `count` of
                           them those whose cells are counted alone (order.counted) */
    size_t count;
    struct vectors vectors;
    const struct spool_column *spooled; /* (count): with names, for messages */
    const char *path;                   /* the spool's file */
    uint32_t threads;                   /* at most */
    struct spool_order order;           /* in which the spool lies */
    struct spool_writer *writer;        /* the readers' branches are joined into it */
};

/* The same scan in another process, which has received names, types and columns. It has `put` and
 * what that needs, in the arena; the caller sets the rest. */
enum status scan_restore(const struct spool_column *spooled, const int *columns, size_t count,
                         struct arena *arena, struct scan *scan, struct error *err);

/* A row of the query into the spool, by put. `room` is of scan_room_bytes, aligned for
 * doubles, and zeroed at first. */
size_t scan_room_bytes(const struct scan *scan);
enum status scan_put_row(const struct scan *scan, const struct cell *cells, void *room,
                         struct spool_writer *writer, struct error *err);

struct scan_outcome {
    uint32_t readers;   /* 0: nothing was read, and query() must be asked */
    const char *reason; /* why, for people */
};

/* A table that is made anew from a query. */
struct fill {
    struct table_target target;
    struct slice create, select;
    uint64_t rows;  /* how many it has got */
    size_t outputs; /* per row of fill_rows, where the host keeps the rows; fills[0] has it */
};

/* Where rows for several tables go, as they come. `table` is an index of the fills. */
struct fill_sink {
    void *self;
    enum status (*put)(void *self, size_t table, const struct cell *cells, size_t count,
                       struct error *err);
};
typedef enum status fill_source(void *context, const struct fill_sink *sink, struct error *err);

/* A job that is ready to be started by processes that share no folder with this session. */
struct staging {
    const struct job_folder *folder; /* job.json and the rows, with a model that scores them */
    struct slice schema, table; /* the table that the job makes; schema.size 0: in the usual schema,
                                   table.size 0: none */
    bool keeps_rows;            /* the spools stay in the folder, too */
};

/* The state of a transaction that wrote a model. */
enum transaction_state {
    TRANSACTION_OPEN,
    TRANSACTION_PREPARED, /* it waits for COMMIT PREPARED */
    TRANSACTION_COMMITTED,
    TRANSACTION_ABORTED /* or it is too long ago to be known */
};

struct journal; /* runtime/data/store/journal.h */

/* Two functions that write the result of a job that ran on a cluster, from the job's journal. */
struct collection {
    /* Outside of the transaction that writes: what may be committed before it. May be NULL. */
    enum status (*prepare)(void *context, struct journal *journal, struct error *err);
    enum status (*write)(void *context, struct journal *journal, struct error *err);
    void *context;
};

/* Takes the line of a report (runtime/launch/job_event.h); false: not now, it comes again. */
struct report_reader {
    void *context;
    bool (*take)(void *context, struct slice line);
};

struct cluster_access; /* k8s/job/cluster_folder.h */
struct definition;     /* definition/definition.h */
struct direct_order;   /* extension/engine/rows/direct_order.h */
struct direct_table;
struct plan_cluster;
struct unpublished;

/* ----- the parts of a host ----- */

/* The session that a statement runs in, and how it makes jobs. */
struct host_session {
    const char *state; /* folder of the jobs; NULL: the user's own (runtime/launch/job_folder.h) */
    const char *program; /* path of `totrain` */
    uint64_t memory_max; /* bytes of each process of a job; 0: as much as there is */

    /* The folder that was made for this statement before it runs, and the lock of the process that
     * holds it, and goes on to hold it; 0: a new one is made. */
    int64_t job;
    int job_lock;

    /* Which database this is, in words that are the same in each of its sessions; none for one that
     * no other session finds. NULL: there is no database. */
    void (*database)(void *self, struct text *name);

    /* Has the user asked this session to stop? */
    bool (*interrupted)(void *self);
    /* The line that says why the job of an interrupted session counts as failed. NULL, also as the
     * answer: it counts as cancelled. */
    const char *(*failure)(void *self);
    /* From now on the session waits for a job, or does no more: for those who look at it from
     * outside. NULL: nobody does. */
    void (*show_wait)(void *self, bool waits);
};

/* Rows of the user's queries. */
struct host_rows {
    /* Columns and rows of a query of the user's, or of our scoring SQL. */
    enum status (*query)(void *self, struct slice select, const struct sink *sink,
                         struct error *err);
    /* The same rows as query(), read in parallel where that can be done. */
    enum status (*scan)(void *self, struct slice select, const struct scan *scan,
                        struct scan_outcome *outcome, struct error *err);
    /* About how many rows the query has, where that costs nothing to find out; 0: it is
     * not known. */
    uint64_t (*guess)(void *self, struct slice select);
    /* May SQL with our scoring functions be run here, and are they ours? In PostgreSQL any role may
     * own a schema of their name. */
    enum status (*check_functions)(void *self, struct error *err);
};

/* Models as tables of the database. */
struct host_models {
    /* In one transaction: readers see the old model or the new one. */
    enum status (*publish)(void *self, struct slice schema, struct slice name,
                           struct publication *publication, struct error *err);
    /* Where another session would find the place that a model would be written to now: `database`
     * and `schema` of *unpublished. */
    enum status (*find_place)(void *self, struct slice schema, struct unpublished *unpublished,
                              struct error *err);
    /* NOT_FOUND, CORRUPT. The model lives in the arena. Statements ask by stored_model.h, which
     * looks first whether there is room for it. */
    enum status (*load)(void *self, struct slice schema, struct slice name, struct arena *arena,
                        struct model *model, struct error *err);
    /* Its rows as they are, in any order, or its meta row alone. A CORRUPT of `each` becomes one of
     * this model. */
    enum status (*each_row)(void *self, struct slice schema, struct slice name, bool only_meta,
                            model_row_sink *each, void *context, struct error *err);
    /* The meta row alone: layers and vocabularies are empty. */
    enum status (*load_meta)(void *self, struct slice schema, struct slice name,
                             struct arena *arena, struct model *model, struct error *err);
    /* Is the caller the owner of the model's table, and so of the statement in it? Always in
     * SQLite, and where there is no such model. */
    enum status (*is_callers)(void *self, struct slice schema, struct slice name, bool *is_callers,
                              struct error *err);
    /* STORED_MODEL_COLUMNS of every model (stored.h); without `sizes` the last two are NULL. */
    enum status (*list)(void *self, bool sizes, const struct sink *sink, struct error *err);
    /* version, digest, created_at, state ('current', 'kept'). */
    enum status (*list_versions)(void *self, struct slice schema, struct slice name,
                                 const struct sink *sink, struct error *err);
    /* epoch, step, metric, part, value of one version, in this order. */
    enum status (*list_metrics)(void *self, struct slice schema, struct slice name,
                                const struct model *model, const struct sink *sink,
                                struct error *err);
    /* Swap a kept version in; the current one is kept instead. `version` is a
     * number or the beginning of a digest. */
    enum status (*restore)(void *self, struct slice schema, struct slice name, struct slice version,
                           int64_t *restored, struct error *err);
};

/* Definitions of models as tables of the columns of a model (stored_definition.h). */
struct host_definitions {
    /* In one transaction. INVALID where the name is taken, by a definition without `replaces`. */
    enum status (*define)(void *self, struct slice schema, const struct definition *definition,
                          bool replaces, int64_t *version, struct error *err);
    /* NOT_FOUND, PERMISSION, CORRUPT where the table is no definition. */
    enum status (*drop)(void *self, struct slice schema, struct slice name, struct error *err);
    /* The name as it would be written here, and without its schema, version, created_at and
     * statement of each that is stored. */
    enum status (*list)(void *self, const struct sink *sink, struct error *err);
};

/* Tables that statements write. What replaces a table does so in one transaction; INVALID, and
 * nothing is dropped, where the name meanwhile belongs to something that the target may not
 * replace. */
struct host_tables {
    /* Could this table be written at the end? Asked before hours of training:
     * the schema exists and is writable, the name is free or of a table that the
     * target may replace, and no other statement of this session would block it. */
    enum status (*check_target)(void *self, const struct table_target *target, struct error *err);
    /* Drop each table, make it with `create` and fill it from `select`. Where there is a `stage`,
     * its rows are kept in a temporary table meanwhile, for the selects to read.
     * stage, or the select of a single table without one, may read the old tables. */
    enum status (*fill)(void *self, struct slice stage, struct fill *fills, size_t count,
                        struct error *err);
    /* The same from rows that `source` puts, instead of selects. */
    enum status (*fill_rows)(void *self, struct fill *fills, size_t count, fill_source *source,
                             void *context, struct error *err);
    /* The same with rows of cells (rows, columns). A column is of the type of its first cell that
     * is not NULL. */
    enum status (*write_rows)(void *self, const struct table_target *target,
                              const struct slice *names, size_t columns, const struct cell *cells,
                              size_t rows, struct error *err);
};

/*
 * Rows that stay with the host while a job scores them, in the temporary table totrain_kept and
 * numbered from 0, when cells would not bring back what they were: types, digits. Jobs read
 * them there (lower_kept), `create` of fill_rows is a SELECT that joins them, and a row of
 * fill_rows is its number, the reason that it is bad for or NULL, and its outputs.
 */
struct host_kept_rows {
    /* Instead of those of an earlier SELECT. */
    enum status (*keep)(void *self, struct slice select, struct error *err);
    enum status (*forget)(void *self, struct error *err);
    /* Puts into the sink what the select of `shown` makes of the kept rows and of the rows that
     * `source` puts (as for fill_rows); with the columns of that select, or as the sink's query.
     * Then the kept rows are forgotten. */
    enum status (*show)(void *self, const struct fill *shown, fill_source *source, void *context,
                        const struct sink *sink, struct error *err);
    /* The kept rows into a file, which is made. UNSUPPORTED for a type whose values cannot be read
     * back without running what another role has made. */
    enum status (*save)(void *self, const char *path, struct error *err);
    /* Those of such a file, in another session, instead of what is kept there. */
    enum status (*restore)(void *self, const char *path, struct error *err);
};

/*
 * Tables that are written by another process than the session that asked for them, and perhaps by
 * a second one after the first was killed: they carry the mark of the target.
 */
struct host_marks {
    /* Has a table of this name been made by fill_rows or write_rows with this mark? It is kept as
     * long as the table is. */
    bool (*has)(void *self, struct slice schema, struct slice table, struct slice mark);
};

/* A session inside a server, which limits jobs, and whose statements are part of transactions that
 * end after them. */
struct host_jobs {
    /* A job is about to begin in this folder; where the host refuses, it goes again. */
    enum status (*admit)(void *self, const struct job_folder *folder, struct error *err);
    /* The rows are in the spool, and what comes next takes long: locks are let go of. */
    enum status (*rows_read)(void *self, struct error *err);
    /* The model or the table of this folder's job is written, and the transaction is still open:
     * its number goes into unpublished.json or unwritten.json, and with its end the file. */
    enum status (*written)(void *self, const struct job_folder *folder, enum target_kind kind,
                           struct error *err);
    /* Takes over a kept folder that no process holds: from now on a process of the server's
     * follows it. */
    enum status (*keep)(void *self, const struct job_folder *folder, struct error *err);
    /* The outcome of the transaction of that number; `who` (of `size`) gets a description of the
     * session that holds it. Needs no self. */
    enum transaction_state (*transaction_state)(void *self, const char *transaction, char *who,
                                                size_t size);
};

/* Which jobs on a cluster outlive their session. */
enum cluster_keeps {
    KEEPS_NONE,     /* it is a pod that owns them */
    KEEPS_DETACHED, /* those with job.wait = false */
    KEEPS_ALL       /* no user waits for this session */
};

/* Jobs whose processes are Pods (extension/engine/jobs/cluster_job.h); `self` is its own. */
struct host_cluster {
    void *self;
    /* Fills in what the administrator, or the caller, has decided: namespace, image
     * (plan->cluster.image names one of theirs), Secret, schema. The rest of *job is filled
     * already. Before any row is read. */
    enum status (*describe)(void *self, const struct plan_cluster *wanted, struct arena *arena,
                            struct kube_job *job, struct cluster_access *access, struct error *err);
    /* The rows and the spec of the folder into tables, which are committed at the latest by
     * host_jobs.rows_read: their number. */
    enum status (*stage)(void *self, const struct staging *staging, int64_t *number,
                         struct error *err);
    /* The one table whose columns, among them these, are all that the SELECT reads, where the
     * login of a job's processes may read it as the caller may. UNSUPPORTED, PERMISSION with a
     * hint that names what is missing. */
    enum status (*find_table)(void *self, struct slice select, const struct slice *columns,
                              size_t count, struct arena *arena, struct direct_table *table,
                              struct error *err);
    /* Locks the tables of the order against statements that remove rows, and exports a snapshot,
     * whose name is the result. Both last until let_go, collect or discard. BUSY: a table has
     * other partitions than before. */
    enum status (*hold)(void *self, const struct direct_order *order,
                        char snapshot[KUBE_JOB_SNAPSHOT_MAX + 1], struct error *err);
    /* The rows are staged. Nothing, where nothing is held. */
    enum status (*let_go)(void *self, struct error *err);
    /* Appends a file that the job's workers have staged (runtime/data/staged/staged_pieces.h);
     * after let_go. NOT_FOUND. */
    enum status (*read_staged)(void *self, int64_t number, const char *file, struct text *bytes,
                               struct error *err);
    /* Notes the verdict about the job's columns (extension/engine/rows/direct_verdict.h), for who
     * reads its journal; it is committed when this returns. */
    enum status (*keep_verdict)(void *self, int64_t number, struct slice json, struct error *err);
    /* The reports behind entry *after of the journal of that number, in order, until one is not
     * taken; *after: as far as the journal was read. Nothing stays locked but by hold. A host that
     * only follows jobs fills this alone. */
    enum status (*read_reports)(void *self, int64_t number, int64_t *after,
                                const struct report_reader *reader, struct error *err);
    /* Lets the collection write what that number's journal holds, and drops the job's tables: all
     * or nothing. Notices go to the sink. */
    enum status (*collect)(void *self, int64_t number, const struct collection *collection,
                           const struct sink *sink, struct error *err);
    /* Where no transaction is open that others would wait for: of a large model all that can be
     * committed before it is published, so that who is killed leaves it to the next. */
    enum status (*write_pieces)(void *self, struct slice schema, struct slice name,
                                struct publication *publication, struct error *err);
    /* Drops the tables of a job that failed. A notice names those that stay, and the reason. */
    void (*discard)(void *self, int64_t number, const struct sink *sink);
    /* The session waits for the job of these tables, with this folder: should it die, they are to
     * go as soon as the job has ended. folder NULL: it waits no more. NULL: the host cannot. */
    void (*watch)(void *self, int64_t number, const struct job_folder *folder);
    /* The same as host_jobs.keep, for a host that is no server; else NULL. */
    enum status (*keep)(void *self, const struct job_folder *folder, struct error *err);
    enum cluster_keeps keeps;
};

/* ----- the host ----- */

/* Each part is whole: a host that has it fills all of it. */
struct host {
    void *self;
    struct catalog catalog;
    struct host_session session;
    const struct host_rows *rows;     /* NULL in a host that only writes or looks at jobs */
    const struct host_models *models; /* NULL in a host that only looks at jobs */
    const struct host_definitions *definitions; /* NULL with models */
    const struct host_tables *tables;           /* NULL with models */
    const struct host_kept_rows *kept_rows;     /* NULL: rows travel through the job */
    const struct host_marks *marks;             /* NULL in a host that only looks at jobs */
    const struct host_jobs *jobs;               /* NULL: no server; what is written is committed */
    const struct host_cluster *cluster;         /* Jobs on Kubernetes; NULL: there are
                                                   none. catalog.limits says why. */
};

/* host_jobs.rows_read, where there is a server to ask. */
static inline enum status host_rows_read(const struct host *host, struct error *err)
{
    return host->jobs ? host->jobs->rows_read(host->self, err) : STATUS_OK;
}
