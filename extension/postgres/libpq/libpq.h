/*
 * libpq.h - a connection of our own to PostgreSQL, behind the seam database.h.
 *
 * How the server is found is libpq's business: a URI or a conninfo string, the PG*
 * variables, the service file, .pgpass. Rows of PG_DATA come by COPY in binary, those of
 * PG_SHOWN one by one as text.
 *
 *     libpq_query.c      a statement's rows      libpq_wait.c  answers, errors, Ctrl-C
 *     libpq_describe.c   a query's columns       libpq_scan.c  a table by several connections
 *     libpq_prepared.c   many rows of parameters libpq_host.c  delivery of models
 *     libpq_direct.c     rows for a job's worker
 *
 * One of these is used by one thread at a time.
 */
#ifndef EXTENSION_POSTGRES_LIBPQ_LIBPQ_H
#define EXTENSION_POSTGRES_LIBPQ_LIBPQ_H

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>

#include "extension/postgres/sql/host.h"
#include "lazy/pq.h"

#define LIBPQ_ENUMS_MAX 256 /* types that were asked about and are enums */

struct libpq {
    PGconn *connection;
    PGcancel *cancel; /* its handle for other threads: they may not look at the connection */
    const volatile sig_atomic_t *interrupts; /* the program's SIGINT counter; NULL: none */
    const atomic_bool *stops;                /* set by another thread; NULL: by none */
    /* Receives the server's messages beside results ("NOTICE", "WARNING"). NULL: they are
     * dropped. */
    void (*notice)(void *self, const char *severity, const char *message);
    void *notice_self;
    uint32_t enums[LIBPQ_ENUMS_MAX];
    size_t enum_count;
    bool is_ending;       /* what ends a transaction is not interrupted */
    struct text delivery; /* the address under which the model of a job is to be written */
    struct pg_database database;
};

/* postgres://..., postgresql://..., or words of a conninfo string (dbname=...)? */
bool libpq_is_address(const char *text);

/* `password` is NULL where libpq is to find it. CONNECTION, with libpq's reason. To be closed even
 * when this fails. The struct must not move afterwards. */
enum status libpq_open(struct libpq *libpq, const char *address, const char *password,
                       struct error *err);
/* True where the server refused because it wants a password and libpq found none. An interactive
 * caller may ask the user for it, and closes and opens the connection again. */
bool libpq_needs_password(const struct libpq *libpq);
/* One more connection as the same user to the same database. */
enum status libpq_open_again(struct libpq *libpq, const struct libpq *first, struct error *err);
void libpq_close(struct libpq *libpq);
/* Takes over a connection that another module has made. */
enum status libpq_adopt(struct libpq *libpq, PGconn *connection, struct error *err);

/* The host over this connection, with what libpq adds to it: where a detached job finds
 * the database, and reading in parallel. */
void libpq_host_init(struct postgres_host *host, struct libpq *libpq, const char *program);

/* A conninfo string that leads to the same database as the same user, without a
 * password: a process that connects later gets it from where libpq finds it. New tables are
 * made in `schema`, and belong to `role` where it is not empty. */
enum status libpq_address(const struct libpq *libpq, struct slice schema, struct slice role,
                          struct text *address, struct error *err);

/* ----- what the files of libpq share ----- */

/* The error of a result or, where that is NULL, of the connection. `skipped` bytes of
 * the SQL were sent before the caller's. */
enum status libpq_fail(struct libpq *libpq, const PGresult *result, struct slice sql,
                       size_t skipped, struct error *err);

/* Send, and wait for each result in turn, NULL after the last one; the user's interrupt
 * cancels what runs, whose results must be taken all the same. */
PGresult *libpq_next_result(struct libpq *libpq);
/* A row of COPY, NULL at its end; then libpq_next_result returns its outcome. */
bool libpq_next_copied(struct libpq *libpq, struct slice *row, char **owned);
/* True once the user, or the caller that started this thread, has asked to stop. */
bool libpq_interrupted(const struct libpq *libpq);
/* Ask the server to end what runs there. From any thread. */
void libpq_cancel(const struct libpq *libpq);
/* Nobody wants the rest: it is cancelled, and what is under way thrown away. */
void libpq_drain(struct libpq *libpq);

/* INTERRUPTED when the user has asked to stop, INVALID for SQL that cannot be sent. */
enum status libpq_check_ready(struct libpq *libpq, struct slice sql, struct error *err);
/* What a statement was, besides one that failed. */
enum status libpq_check_result(struct libpq *libpq, const PGresult *result, struct slice sql,
                               size_t skipped, struct error *err);
/* All results of what was sent are taken; the first error counts. Where it is OK and
 * `last` is not NULL, the last result is the caller's. */
enum status libpq_finish_sent(struct libpq *libpq, struct slice sql, size_t skipped,
                              PGresult **last, struct error *err);

/* Do one thing with no parameters and no rows. */
enum status libpq_execute(struct libpq *libpq, const char *sql, struct error *err);

/* With the enums that were asked about. */
enum pg_kind libpq_kind_of(const struct libpq *libpq, Oid type);

/* The functions of database.h. */
enum status libpq_query(void *self, const struct pg_statement *statement,
                        const struct pg_rows *rows, uint64_t *affected, struct error *err);
enum status libpq_prepare(void *self, struct slice sql, const enum cell_type *types, size_t count,
                          struct pg_prepared **prepared, struct error *err);
enum status libpq_execute_prepared(void *self, struct pg_prepared *prepared,
                                   const struct cell *cells, struct error *err);
enum status libpq_finish_prepared(void *self, struct pg_prepared *prepared, struct error *err);
enum status libpq_describe(void *self, struct slice sql, struct arena *arena,
                           struct pg_column **columns, size_t *count, struct error *err);

enum status libpq_read_model(void *self, const struct pg_model_read *read,
                             const struct pg_rows *rows, struct error *err);

/* The rows of a query by COPY, as cells of these columns' kinds. */
enum status libpq_copy(struct libpq *libpq, struct slice sql, const struct pg_column *columns,
                       size_t count, const struct pg_rows *rows, struct error *err);

/* libpq_scan.c: the host's scan(), see extension/engine/host/host.h. */
enum status libpq_scan(void *self, struct slice select, const struct scan *scan,
                       struct scan_outcome *outcome, struct error *err);

/* The same rows under a snapshot that is there already, for as long as that is there:
 * `tables` and `columns` as they are to be read. Several connections like the host's. */
struct table_scan;
enum status libpq_scan_shared(struct postgres_host *host, const struct scan *scan,
                              const struct table_scan *tables, const struct pg_column *columns,
                              size_t count, struct slice snapshot, struct error *err);

/*
 * libpq_direct.c: the spools that an order asks for (extension/engine/jobs/direct.h), into the
 * folder. INVALID: the snapshot is gone, or the owner of the journal may not read the table.
 */
struct direct_reading {
    const char *folder; /* of the job: of the worker alone */
    struct slice snapshot;
    struct slice schema, journal; /* the job's table, whose owner ordered it */
};
enum status libpq_read_directly(struct libpq *libpq, const struct direct_reading *reading,
                                const struct direct_order *order, struct error *err);

#endif
