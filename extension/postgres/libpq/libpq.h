/*
 * libpq.h - a connection of our own to PostgreSQL, behind the seam database.h.
 *
 * How the server is found is libpq's business: a URI or a conninfo string, the PG*
 * variables, the service file, .pgpass. Rows of FORM_DATA come by COPY in binary, those of
 * FORM_SHOWN one by one as text.
 *
 *     libpq_query.c      a statement's rows      libpq_wait.c  answers, errors, Ctrl-C
 *     libpq_describe.c   a query's columns       libpq_scan.c  a table by several connections
 *     libpq_prepared.c   many rows of parameters libpq_host.c  delivery of models
 *     libpq_direct.c     rows for a job's worker   libpq_snapshot.c   for several connections
 *
 * One of these is used by one thread at a time.
 */
#pragma once

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>

#include "extension/sql/sql_host.h"
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
    bool is_ending;       /* the end of a transaction is not interrupted */
    struct text delivery; /* the address under which the model of a job is to be written */
    struct database database;
};
