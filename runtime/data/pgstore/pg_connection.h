/*
 * pg_connection.h - a job's own connection to PostgreSQL, which may be cut at any time.
 *
 * Server and login come from a file (a mounted Secret): one conninfo string or URI. It may hold a
 * password, so a file that every user may read is refused, and nothing of it is ever in an
 * argument, the environment or the log.
 *
 * While a server restarts, or a network is cut, calls are tried again until a deadline. A wrong
 * password, an unknown database or a certificate that does not fit is an error at once.
 */
#pragma once

#include "base/error.h"
#include "lazy/pq.h"

#define PGSTORE_FILE_BYTES_MAX ((size_t)64 << 10)
#define PGSTORE_PATIENCE_MS    60000 /* patience for what must be done */

struct pg_connection {
    PGconn *connection;  /* NULL, or lost: made again by pg_connection_ensure */
    struct text address; /* connection string of the file: wiped when it is closed */
    bool only_reads;     /* statements have an end on the server, too */
    bool has_pooler;     /* in between, which refuses options of the connection */
    int64_t answer_ms;   /* longest wait for an answer; 0: 30 s */
};

/* Reads the file, connects to nothing. PERMISSION, IO, INVALID with the file's name. */
enum status pg_connection_init(struct pg_connection *connection, const char *file,
                               struct error *err);
void pg_connection_deinit(struct pg_connection *connection);
/* Another one to the same place, by which pieces are read and nothing is written. */
enum status pg_connection_init_again(struct pg_connection *connection,
                                     const struct pg_connection *first, struct error *err);

/* The time in milliseconds by the clock that deadlines count by. */
int64_t pg_connection_now(void);

/* Connects where it is not, until the deadline. CONNECTION, or PERMISSION for what no waiting
 * helps against. */
enum status pg_connection_ensure(struct pg_connection *connection, int64_t deadline,
                                 struct error *err);
/* Gives the connection up: what ran there may or may not have been done. */
void pg_connection_drop(struct pg_connection *connection);

/* One statement; parameters and result as text unless is_binary. The result is the caller's to
 * PQclear. CONNECTION: it is not known whether it was done, and the connection is dropped. What
 * the server refuses has the status of its SQLSTATE, which `state` (may be NULL) gets. */
struct pg_call {
    const char *sql;
    const char *const *parameters;
    int count;
    bool is_binary;
};
enum status pg_connection_call(struct pg_connection *connection, const struct pg_call *call,
                               PGresult **result, char state[6], struct error *err);
/* The same, where nothing is wrong with doing it again after a cut: until the deadline. */
enum status pg_connection_call_again(struct pg_connection *connection, const struct pg_call *call,
                                     int64_t deadline, PGresult **result, struct error *err);

/* Statements without parameters, one after the other until one is refused; as pg_connection_call.
 */
enum status pg_connection_run(struct pg_connection *connection, const char *sql, char state[6],
                              struct error *err);

/* COPY ... FROM STDIN with these bytes; as pg_connection_call. */
enum status pg_connection_copy(struct pg_connection *connection, const char *sql,
                               struct slice bytes, char state[6], struct error *err);
/* The same bit by bit. A caller that cannot send the rest drops the connection: then nothing is
 * copied. An error of the server on the way is returned by the end. */
enum status pg_connection_copy_begin(struct pg_connection *connection, const char *sql,
                                     char state[6], struct error *err);
enum status pg_connection_copy_put(struct pg_connection *connection, struct slice bytes,
                                   struct error *err);
enum status pg_connection_copy_end(struct pg_connection *connection, char state[6],
                                   struct error *err);
