#include "runtime/data/pgstore/pg_connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/data/store/database_words.h"

#define CONNECT_MS  10000 /* one attempt */
#define ANSWER_MS   30000 /* answer of a server that is there */
#define RETRY_MS    250
#define ONLY_RETRY  "57P03" /* cannot_connect_now: it starts or ends */
#define TOO_MANY    "53300"
#define SHUTS_DOWN  "57P0" /* 1: admin_shutdown, 2: crash_shutdown, 5: idle_session_timeout */
#define SERIALISING "40"
#define CANCELED    "57014"    /* by a timeout of the server's */
#define SILENT      "failed: " /* the end of libpq's message where nothing came */

int64_t pg_connection_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ----- the file ----- */

static enum status check_file(int file, const char *path, struct error *err)
{
    struct stat found;

    if (fstat(file, &found) != 0)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    if (!S_ISREG(found.st_mode))
        return fail(err, STATUS_INVALID, "%s is no ordinary file", path);
    if ((found.st_mode & S_IRWXO) == 0)
        return STATUS_OK;
    fail(err, STATUS_PERMISSION, "all users may read %s, which may hold a password (mode %04o)",
         path, (unsigned)found.st_mode & 07777);
    return error_hint(err, "Give it mode 0600; on Kubernetes, defaultMode 0400 or 0440.");
}

static enum status read_all(int file, const char *path, struct text *out, struct error *err)
{
    char bytes[4096];
    ssize_t size;

    while ((size = read(file, bytes, sizeof bytes)) != 0) {
        if (size > 0)
            text_append(out, (struct slice){bytes, (size_t)size});
        else if (errno != EINTR)
            return fail_errno(err, STATUS_IO, "cannot read %s", path);
        if (out->failed)
            return fail(err, STATUS_LIMIT, "%s is larger than %zu bytes", path, out->maximum);
    }
    return STATUS_OK;
}

/* libpq's message quotes the text, and with it a password. */
static enum status check_address(const struct text *address, const char *path, struct error *err)
{
    char *ignored = NULL;
    PQconninfoOption *options = NULL;
    const bool has_zero = memchr(address->data, '\0', address->size) != NULL;

    if (!has_zero)
        options = PQconninfoParse(text_string(address), &ignored);
    PQfreemem(ignored);
    if (!options) {
        fail(err, STATUS_INVALID, "%s is no connection string of PostgreSQL", path);
        return error_hint(err, "One line, as host=db.example dbname=app user=totrain_pods "
                               "password=... sslmode=verify-full sslrootcert=/path/ca.crt.");
    }
    PQconninfoFree(options);
    return STATUS_OK;
}

static enum status read_address(const char *path, struct text *address, struct error *err)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    enum status status;

    if (file < 0)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    status = check_file(file, path, err);
    if (status == STATUS_OK)
        status = read_all(file, path, address, err);
    close(file);
    TRY(status);
    while (address->size > 0 && strchr(" \t\r\n", address->data[address->size - 1]))
        address->data[--address->size] = '\0';
    if (address->size == 0)
        return fail(err, STATUS_INVALID, "%s is empty", path);
    return check_address(address, path, err);
}

enum status pg_connection_init(struct pg_connection *connection, const char *file,
                               struct error *err)
{
    enum status status;

    *connection = (struct pg_connection){.connection = NULL};
    text_init(&connection->address, PGSTORE_FILE_BYTES_MAX);
    TRY(lazy_pq_load(err));
    status = read_address(file, &connection->address, err);
    if (status != STATUS_OK)
        pg_connection_deinit(connection);
    return status;
}

enum status pg_connection_init_again(struct pg_connection *connection,
                                     const struct pg_connection *first, struct error *err)
{
    *connection = (struct pg_connection){.connection = NULL};
    connection->only_reads = true;
    connection->has_pooler = first->has_pooler;
    text_init(&connection->address, PGSTORE_FILE_BYTES_MAX);
    text_append(&connection->address, text_slice(&first->address));
    return connection->address.failed ? fail_no_memory(err) : STATUS_OK;
}

void pg_connection_drop(struct pg_connection *connection)
{
    if (connection->connection)
        PQfinish(connection->connection);
    connection->connection = NULL;
}

void pg_connection_deinit(struct pg_connection *connection)
{
    pg_connection_drop(connection);
    if (connection->address.data)
        explicit_bzero(connection->address.data, connection->address.capacity);
    text_deinit(&connection->address);
}

/* ----- waiting ----- */

/* False: not within the time. */
static bool wait_for(PGconn *connection, short events, int64_t deadline)
{
    struct pollfd socket = {.fd = PQsocket(connection), .events = events};

    for (;;) {
        const int64_t left = deadline - pg_connection_now();
        int found;

        if (left <= 0 || socket.fd < 0)
            return false;
        found = poll(&socket, 1, (int)left);
        if (found > 0)
            return true;
        if (found < 0 && errno != EINTR)
            return false;
    }
}

static PGresult *next_result(PGconn *connection, int64_t deadline)
{
    while (PQisBusy(connection))
        if (!wait_for(connection, POLLIN, deadline) || !PQconsumeInput(connection))
            return NULL;
    return PQgetResult(connection);
}

/* ----- connecting ----- */

/*
 * The server's own end of the network's silence. A role whose machine was cut off leaves a backend
 * that waits for it, with the locks of what it ran, for a quarter of an hour by the kernel's
 * defaults, or two hours where it is idle. As options, so that a session has them from its first
 * moment, and by SET, since a login may have options of its own and a pooler may refuse ours.
 */
#define SERVER_OPTIONS                                                                             \
    "-c tcp_user_timeout=15000 -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 "             \
    "-c tcp_keepalives_count=3"
#define SERVER_TIMEOUTS                                                                            \
    "SET tcp_user_timeout = 15000; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; " \
    "SET tcp_keepalives_count = 3; "
#define REFUSED_OPTIONS "startup parameter" /* in PgBouncer's message */

/* The address, with what a role cannot do without: the network's silence has an end, and
 * errors are in English and of one encoding. What stands before the address gives way to it. */
static PGconn *start(const struct pg_connection *connection)
{
    static const char *const keywords[] = {"options",
                                           "dbname",
                                           "fallback_application_name",
                                           "client_encoding",
                                           "connect_timeout",
                                           "keepalives_idle",
                                           "keepalives_interval",
                                           "keepalives_count",
                                           "tcp_user_timeout",
                                           NULL};
    const char *const values[] = {connection->has_pooler ? NULL : SERVER_OPTIONS,
                                  text_string(&connection->address),
                                  "totrain",
                                  "UTF8",
                                  "10",
                                  "5",
                                  "2",
                                  "3",
                                  "15000",
                                  NULL};

    return PQconnectStartParams(keywords, values, 1);
}

static bool poll_connection(PGconn *connection, int64_t deadline)
{
    PostgresPollingStatusType step = PGRES_POLLING_WRITING;

    while (step == PGRES_POLLING_READING || step == PGRES_POLLING_WRITING) {
        if (!wait_for(connection, step == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline))
            return false;
        step = PQconnectPoll(connection);
    }
    return step == PGRES_POLLING_OK;
}

/* The SQLSTATE in "FATAL:  28P01: password ...", the form of PQERRORS_VERBOSE; "" for messages that
 * are not the server's. *text: what follows it. */
static void find_state(const char *message, char state[6], const char **text)
{
    const char *at = message;

    state[0] = '\0';
    *text = message;
    while ((at = strstr(at, ":  "))) {
        at += 3;
        if (strspn(at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5 && at[5] == ':') {
            memcpy(state, at, 5);
            state[5] = '\0';
            *text = at + 6 + strspn(at + 6, " ");
            return;
        }
    }
}

static bool is_passing(const char *state, const char *message)
{
    if (state[0])
        return strcmp(state, ONLY_RETRY) == 0 || strcmp(state, TOO_MANY) == 0 ||
               strncmp(state, SHUTS_DOWN, 4) == 0;
    return !strstr(message, "certificate") && !strstr(message, "does not support SSL") &&
           !strstr(message, "no password supplied") && !strstr(message, "sslmode");
}

/* One line; is_passing_out: waiting may help. */
static enum status connect_failed(PGconn *connection, bool *is_passing_out, struct error *err)
{
    const char *message = connection ? PQerrorMessage(connection) : "out of memory", *text;
    char state[6];
    bool has_reason;
    size_t size;

    find_state(message, state, &text);
    if (strncmp(text, "connection to ", 14) != 0 && !message[0])
        text = "the server does not answer";
    size = strcspn(text, "\n");
    has_reason = size < sizeof SILENT - 1 ||
                 memcmp(text + size + 1 - sizeof SILENT, SILENT, sizeof SILENT - 1) != 0;
    *is_passing_out = is_passing(state, message);
    return fail(err, *is_passing_out ? STATUS_CONNECTION : STATUS_PERMISSION,
                DATABASE_OF_JOB "%.*s%s", (int)size, text,
                has_reason ? "" : "no answer: the network may drop what is sent there");
}

static enum status finish(struct pg_connection *connection, PGresult **kept, char *state,
                          struct error *err);
static enum status lost(struct pg_connection *connection, struct error *err);

static enum status set_timeouts(struct pg_connection *connection, bool *is_passing_out,
                                struct error *err)
{
    char sql[sizeof SERVER_TIMEOUTS + 64];
    enum status status;

    /* An answer to a reading statement is waited for no longer than this, and the statement may end
     * on the server as well. A writing statement takes as long as its bytes need. */
    snprintf(sql, sizeof sql, SERVER_TIMEOUTS "SET statement_timeout = %d",
             connection->only_reads ? ANSWER_MS : 0);
    if (!PQsendQuery(connection->connection, sql))
        status = lost(connection, err);
    else
        status = finish(connection, NULL, NULL, err);
    *is_passing_out = status == STATUS_CONNECTION;
    if (status != STATUS_OK)
        pg_connection_drop(connection);
    return status;
}

static enum status connect_once(struct pg_connection *connection, int64_t deadline,
                                bool *is_passing_out, struct error *err)
{
    const int64_t until = pg_connection_now() + CONNECT_MS;
    PGconn *made = start(connection);

    *is_passing_out = false;
    if (made)
        PQsetErrorVerbosity(made, PQERRORS_VERBOSE);
    if (made && PQstatus(made) != CONNECTION_BAD &&
        poll_connection(made, until < deadline ? until : deadline)) {
        PQsetErrorVerbosity(made, PQERRORS_DEFAULT);
        connection->connection = made;
        return set_timeouts(connection, is_passing_out, err);
    }
    connect_failed(made, is_passing_out, err);
    if (made && !connection->has_pooler && strstr(PQerrorMessage(made), REFUSED_OPTIONS))
        connection->has_pooler = *is_passing_out = true; /* without them it will do */
    PQfinish(made);
    return err->status;
}

static void pause_until(int64_t deadline)
{
    const int64_t left = deadline - pg_connection_now();
    const int64_t wait = left < RETRY_MS ? left : RETRY_MS;

    if (wait > 0)
        poll(NULL, 0, (int)wait);
}

/* Clears the error of attempts before this one: callers may look at the error alone. */
static enum status forget_failures(struct error *err)
{
    if (err)
        error_clear(err);
    return STATUS_OK;
}

enum status pg_connection_ensure(struct pg_connection *connection, int64_t deadline,
                                 struct error *err)
{
    bool is_passing_out = true, is_said = false;

    if (connection->connection && PQstatus(connection->connection) == CONNECTION_OK)
        return STATUS_OK;
    pg_connection_drop(connection);
    for (;;) {
        enum status status = connect_once(connection, deadline, &is_passing_out, err);

        if (status == STATUS_OK)
            return forget_failures(err);
        if (!is_passing_out || pg_connection_now() >= deadline)
            return status;
        if (!is_said)
            log_warning("%s" DATABASE_TRYING_AGAIN, err->message);
        is_said = true;
        pause_until(deadline);
    }
}

/* ----- statements ----- */

static enum status lost(struct pg_connection *connection, struct error *err)
{
    const char *message = PQerrorMessage(connection->connection);

    fail(err, STATUS_CONNECTION, "the job's database: %.*s",
         message[0] ? (int)strcspn(message, "\n") : 26,
         message[0] ? message : "the server does not answer");
    pg_connection_drop(connection);
    return STATUS_CONNECTION;
}

static enum status status_of(const char *state)
{
    if (strcmp(state, "42501") == 0 || strncmp(state, "28", 2) == 0)
        return STATUS_PERMISSION;
    if (strncmp(state, "53", 2) == 0)
        return STATUS_LIMIT;
    return strcmp(state, "42P01") == 0 || strcmp(state, "3F000") == 0 ? STATUS_NOT_FOUND
                                                                      : STATUS_DATABASE;
}

static bool is_a_cut(const char *state)
{
    return strncmp(state, SHUTS_DOWN, 4) == 0 || strncmp(state, "08", 2) == 0 ||
           strncmp(state, SERIALISING, 2) == 0 || strcmp(state, CANCELED) == 0;
}

static enum status refused(struct pg_connection *connection, PGresult *result, char *state,
                           struct error *err)
{
    const char *found = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (!found || strlen(found) != 5 || !message)
        return lost(connection, err);
    if (state)
        memcpy(state, found, 6);
    if (status_of(found) == STATUS_NOT_FOUND)
        return fail(err, STATUS_NOT_FOUND, "the job is over, since its tables are gone: %s",
                    message);
    if (!is_a_cut(found))
        return fail(err, status_of(found), "the job's database: %s", message);
    fail(err, STATUS_CONNECTION, "the job's database: %s", message);
    pg_connection_drop(connection);
    return STATUS_CONNECTION;
}

/* All results are taken; the first that is no success counts. */
static enum status finish(struct pg_connection *connection, PGresult **kept, char *state,
                          struct error *err)
{
    const int64_t answer_ms = connection->answer_ms > 0 ? connection->answer_ms : ANSWER_MS;
    const int64_t deadline = pg_connection_now() + answer_ms;
    enum status status = STATUS_OK;
    PGresult *result;

    for (;;) {
        result = next_result(connection->connection, deadline);
        if (!result)
            break;
        if (PQresultStatus(result) != PGRES_COMMAND_OK &&
            PQresultStatus(result) != PGRES_TUPLES_OK) {
            if (status == STATUS_OK)
                status = refused(connection, result, state, err);
            PQclear(result);
            if (!connection->connection)
                return status;
        } else if (kept && !*kept) {
            *kept = result;
        } else {
            PQclear(result);
        }
    }
    /* NULL also stands for a server that has not answered. */
    if (status == STATUS_OK &&
        (PQisBusy(connection->connection) || PQstatus(connection->connection) != CONNECTION_OK))
        status = lost(connection, err);
    return status;
}

enum status pg_connection_call(struct pg_connection *connection, const struct pg_call *call,
                               PGresult **result, char state[6], struct error *err)
{
    enum status status;

    *result = NULL;
    if (state)
        state[0] = '\0';
    if (!PQsendQueryParams(connection->connection, call->sql, call->count, NULL, call->parameters,
                           NULL, NULL, call->is_binary))
        return lost(connection, err);
    status = finish(connection, result, state, err);
    if (status != STATUS_OK) {
        PQclear(*result);
        *result = NULL;
    }
    return status;
}

enum status pg_connection_call_again(struct pg_connection *connection, const struct pg_call *call,
                                     int64_t deadline, PGresult **result, struct error *err)
{
    enum status status;

    do {
        TRY(pg_connection_ensure(connection, deadline, err));
        status = pg_connection_call(connection, call, result, NULL, err);
    } while (status == STATUS_CONNECTION && pg_connection_now() < deadline);
    return status == STATUS_OK ? forget_failures(err) : status;
}

enum status pg_connection_run(struct pg_connection *connection, const char *sql, char state[6],
                              struct error *err)
{
    if (state)
        state[0] = '\0';
    if (!PQsendQuery(connection->connection, sql))
        return lost(connection, err);
    return finish(connection, NULL, state, err);
}

/* Until the server wants the rows: COPY_IN, or its refusal. */
static enum status begin_copy(struct pg_connection *connection, const char *sql, char *state,
                              struct error *err)
{
    PGresult *result;
    enum status status = STATUS_OK;

    if (!PQsendQuery(connection->connection, sql))
        return lost(connection, err);
    result = next_result(connection->connection, pg_connection_now() + ANSWER_MS);
    if (!result)
        return lost(connection, err);
    if (PQresultStatus(result) != PGRES_COPY_IN)
        status = refused(connection, result, state, err);
    PQclear(result);
    if (status != STATUS_OK && connection->connection) {
        struct error ignored;

        (void)finish(connection, NULL, NULL, &ignored);
    }
    return status;
}

enum status pg_connection_copy_begin(struct pg_connection *connection, const char *sql,
                                     char state[6], struct error *err)
{
    if (state)
        state[0] = '\0';
    return begin_copy(connection, sql, state, err);
}

enum status pg_connection_copy_put(struct pg_connection *connection, struct slice bytes,
                                   struct error *err)
{
    while (bytes.size > 0) {
        const int size = bytes.size < (1 << 20) ? (int)bytes.size : 1 << 20;

        if (PQputCopyData(connection->connection, bytes.data, size) != 1)
            return lost(connection, err);
        bytes.data += size;
        bytes.size -= (size_t)size;
    }
    return STATUS_OK;
}

enum status pg_connection_copy_end(struct pg_connection *connection, char state[6],
                                   struct error *err)
{
    if (PQputCopyEnd(connection->connection, NULL) != 1)
        return lost(connection, err);
    return finish(connection, NULL, state, err);
}

enum status pg_connection_copy(struct pg_connection *connection, const char *sql,
                               struct slice bytes, char state[6], struct error *err)
{
    TRY(pg_connection_copy_begin(connection, sql, state, err));
    TRY(pg_connection_copy_put(connection, bytes, err));
    return pg_connection_copy_end(connection, state, err);
}
