/*
 * session.h - one open database, and how its results are written.
 */
#pragma once

#include "cli/session/options.h"
#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/sql/postgres_cluster.h"
#include "extension/sqlite/host/sqlite_host.h"
#include "parser/parser.h"

#define SESSION_ROWS_SHOWN 40 /* rows of a table on a terminal, until .maxrows says otherwise */

struct script;

struct session {
    const struct host *host; /* host of `sqlite` or `postgres` */
    sqlite3 *db;             /* NULL: the database is PostgreSQL's */
    struct sqlite_host sqlite;
    struct libpq libpq;
    struct sql_host postgres;
    struct postgres_cluster cluster; /* reached through PostgreSQL */
    const struct cluster_options *cluster_options;
    char job_schema[64], job_login[64]; /* the server's settings */
    struct formatter formatter;
    struct progress progress;
    enum colour colour;          /* colour of errors */
    const struct script *script; /* the script that runs; NULL: none */
    bool is_timed;               /* print how long each statement took */
    bool is_ended;               /* .quit: nothing more is run */
};

/* A database of PostgreSQL (postgres://..., dbname=...), else an SQLite file: one that is
 * not there is made, as sqlite3 does. CONNECTION when it cannot be opened. To be closed
 * even when this fails. */
enum status session_open(struct session *session, const char *name, const struct options *options,
                         struct error *err);
void session_close(struct session *session);

/* Run the statement at text[piece->span], which is ours or the database's, and
 * write its result. err->position counts from the text's start. */
enum status session_run(struct session *session, struct slice text, const struct piece *piece,
                        struct error *err);

/* SIGTERM is what Ctrl-C is from now on: what runs is cancelled, and nothing more is run. */
void session_catch_termination(void);
/* Ends the statement that runs, as Ctrl-C does. */
void session_interrupt(void);
/* Has Ctrl-C come since the last clear? */
bool session_is_interrupted(void);
/* Forget an interrupt that was answered. */
void session_clear_interrupt(void);
