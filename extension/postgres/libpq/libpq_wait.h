/*
 * libpq_wait.h - waiting for the server's answers, so that Ctrl-C ends what runs there; what they
 * mean.
 */
#pragma once

#include "extension/postgres/libpq/libpq.h"

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
/* The rest is not wanted: the statement is cancelled, and its rows on the way are dropped. */
void libpq_drain(struct libpq *libpq);

/* INTERRUPTED when the user has asked to stop, INVALID for SQL that cannot be sent. */
enum status libpq_check_ready(struct libpq *libpq, struct slice sql, struct error *err);
/* The error of a statement that has failed; UNSUPPORTED for COPY. */
enum status libpq_check_result(struct libpq *libpq, const PGresult *result, struct slice sql,
                               size_t skipped, struct error *err);
/* All results of what was sent are taken; the first error counts. Where it is OK and
 * `last` is not NULL, the last result is the caller's. */
enum status libpq_finish_sent(struct libpq *libpq, struct slice sql, size_t skipped,
                              PGresult **last, struct error *err);

/* Do one thing with no parameters and no rows. */
enum status libpq_execute(struct libpq *libpq, const char *sql, struct error *err);
