#include "extension/postgres/libpq/libpq_wait.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/sql/kinds.h"

/* A request to cancel may arrive before the statement has begun, and is lost then. */
#define CANCEL_AGAIN_MS 1000

bool libpq_interrupted(const struct libpq *libpq)
{
    return (libpq->interrupts && *libpq->interrupts > 0) ||
           (libpq->stops && atomic_load(libpq->stops));
}

static bool is_interrupted(const struct libpq *libpq)
{
    return !libpq->is_ending && libpq_interrupted(libpq);
}

void libpq_cancel(const struct libpq *libpq)
{
    char ignored[256];

    PQcancel(libpq->cancel, ignored, sizeof ignored);
}

/* SIGINT gets in while it is waited for and at no other moment, so that none is
 * missed between looking and waiting. */
static void wait_for_server(struct libpq *libpq, bool *is_cancelled)
{
    struct pollfd socket = {.fd = PQsocket(libpq->connection), .events = POLLIN};
    const struct timespec again = {.tv_sec = CANCEL_AGAIN_MS / 1000};
    sigset_t blocked, before, during;
    bool is_asked;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    during = before;
    sigdelset(&during, SIGINT);
    is_asked = is_interrupted(libpq);
    if (is_asked) {
        libpq_cancel(libpq);
        *is_cancelled = true;
    }
    ppoll(&socket, 1, is_asked ? &again : NULL, &during);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool take_input(struct libpq *libpq)
{
    bool is_cancelled = false;

    while (PQisBusy(libpq->connection)) {
        wait_for_server(libpq, &is_cancelled);
        if (!PQconsumeInput(libpq->connection))
            return false;
    }
    return true;
}

PGresult *libpq_next_result(struct libpq *libpq)
{
    take_input(libpq); /* a lost connection is then reported by PQgetResult */
    return PQgetResult(libpq->connection);
}

bool libpq_next_copied(struct libpq *libpq, struct slice *row, char **owned)
{
    bool is_cancelled = false;
    int size;

    while ((size = PQgetCopyData(libpq->connection, owned, 1)) == 0) {
        wait_for_server(libpq, &is_cancelled);
        if (!PQconsumeInput(libpq->connection))
            return false;
    }
    if (size < 0)
        return false;
    *row = (struct slice){*owned, (size_t)size};
    return true;
}

void libpq_drain(struct libpq *libpq)
{
    PGresult *result;
    char *row;

    libpq_cancel(libpq);
    while ((result = PQgetResult(libpq->connection))) {
        ExecStatusType status = PQresultStatus(result);
        PQclear(result);
        if (status == PGRES_COPY_IN)
            PQputCopyEnd(libpq->connection, "cancelled");
        while (status == PGRES_COPY_OUT && PQgetCopyData(libpq->connection, &row, 0) > 0)
            PQfreemem(row);
        if (PQstatus(libpq->connection) == CONNECTION_BAD)
            break;
    }
}

/* The server counts characters from 1. */
static int byte_of_character(struct slice sql, long character)
{
    size_t at = 0;

    for (; character > 1 && at < sql.size; character--)
        for (at++; at < sql.size && (sql.data[at] & 0xC0) == 0x80;)
            at++;
    return (int)at;
}

/* One line, as libpq ends it: without what stands behind the first. */
static enum status lost(const struct libpq *libpq, struct error *err)
{
    const char *message = PQerrorMessage(libpq->connection);

    return fail(err, STATUS_CONNECTION, "%.*s", (int)strcspn(message, "\n"), message);
}

static void put_hint(const PGresult *result, struct error *err)
{
    const char *detail = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
    const char *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);

    if (detail && hint)
        error_hint(err, "%s %s", detail, hint);
    else if (detail || hint)
        error_hint(err, "%s", detail ? detail : hint);
}

enum status libpq_fail(struct libpq *libpq, const PGresult *result, struct slice sql,
                       size_t skipped, struct error *err)
{
    const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    const char *message = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    const char *place = result ? PQresultErrorField(result, PG_DIAG_STATEMENT_POSITION) : NULL;

    if (!state || !message)
        return lost(libpq, err);
    fail(err, pg_status_of(state), "%s", message);
    if (err->status == STATUS_INTERRUPTED && is_interrupted(libpq))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    if (err->status == STATUS_INTERRUPTED) /* statement_timeout, or pg_cancel_backend */
        err->status = STATUS_DATABASE;
    put_hint(result, err);
    if (place) {
        err->position = byte_of_character(sql, strtol(place, NULL, 10) - (long)skipped);
    }
    return err->status;
}

/* ----- the results of what was sent ----- */

/* The error of a statement that has failed; UNSUPPORTED for COPY. */
enum status libpq_check_result(struct libpq *libpq, const PGresult *result, struct slice sql,
                               size_t skipped, struct error *err)
{
    switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_SINGLE_TUPLE:
    case PGRES_EMPTY_QUERY:
        return STATUS_OK;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
        fail(err, STATUS_UNSUPPORTED,
             "COPY between the server and a program is not supported here");
        return error_hint(err, "psql's \\copy does that.");
    default:
        return libpq_fail(libpq, result, sql, skipped, err);
    }
}

enum status libpq_check_ready(struct libpq *libpq, struct slice sql, struct error *err)
{
    if (is_interrupted(libpq))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    if (sql.size > 0 && memchr(sql.data, '\0', sql.size))
        return fail(err, STATUS_INVALID, "the statement holds a zero byte");
    return STATUS_OK;
}

/* All results of what was sent are taken; the first error counts. Where it is OK the
 * last result is the caller's. */
enum status libpq_finish_sent(struct libpq *libpq, struct slice sql, size_t skipped,
                              PGresult **last, struct error *err)
{
    enum status status = STATUS_OK;
    PGresult *result, *kept = NULL;

    while ((result = libpq_next_result(libpq))) {
        if (status == STATUS_OK)
            status = libpq_check_result(libpq, result, sql, skipped, err);
        PQclear(kept);
        kept = result;
        if (status == STATUS_UNSUPPORTED)
            libpq_drain(libpq);
    }
    if (status == STATUS_OK && !kept)
        status = libpq_fail(libpq, NULL, sql, skipped, err);
    if (status == STATUS_OK && last) {
        *last = kept;
        return STATUS_OK;
    }
    PQclear(kept);
    return status;
}

enum status libpq_execute(struct libpq *libpq, const char *sql, struct error *err)
{
    TRY(libpq_check_ready(libpq, slice_of(sql), err));
    if (!PQsendQueryParams(libpq->connection, sql, 0, NULL, NULL, NULL, NULL, 0))
        return libpq_fail(libpq, NULL, slice_of(sql), 0, err);
    if (libpq_finish_sent(libpq, slice_of(sql), 0, NULL, err) != STATUS_OK)
        err->position = -1;
    return err->status;
}
