#include "extension/postgres/libpq/database_libpq.h"

#include <stdlib.h>
#include <string.h>

#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/libpq/libpq_describe.h"
#include "extension/postgres/libpq/libpq_model.h"
#include "extension/postgres/libpq/libpq_prepared.h"
#include "extension/postgres/libpq/libpq_query.h"
#include "extension/postgres/libpq/libpq_wait.h"

/* ----- transactions ----- */

static enum status begin(void *self, struct database_transaction *transaction, struct error *err)
{
    struct libpq *libpq = self;

    error_clear(err);
    transaction->is_inner = PQtransactionStatus(libpq->connection) != PQTRANS_IDLE;
    return libpq_execute(
        libpq, transaction->is_inner ? "SAVEPOINT totrain" : "BEGIN ISOLATION LEVEL READ COMMITTED",
        err);
}

static void roll_back(struct libpq *libpq, const struct database_transaction *transaction)
{
    struct error ignored;

    if (!transaction->is_inner)
        libpq_execute(libpq, "ROLLBACK", &ignored);
    else if (libpq_execute(libpq, "ROLLBACK TO totrain", &ignored) == STATUS_OK)
        libpq_execute(libpq, "RELEASE totrain", &ignored);
}

static enum status end(void *self, struct database_transaction *transaction, enum status so_far,
                       struct error *err)
{
    struct libpq *libpq = self;
    enum status status = so_far;

    libpq->is_ending = true;
    if (status == STATUS_OK)
        status = libpq_execute(libpq, transaction->is_inner ? "RELEASE totrain" : "COMMIT", err);
    if (status != STATUS_OK && PQstatus(libpq->connection) == CONNECTION_OK)
        roll_back(libpq, transaction);
    libpq->is_ending = false;
    return status;
}

/* A COMMIT lasts at once. */
static enum status settle(void *self, bool *is_so, struct error *err)
{
    const struct libpq *libpq = self;

    (void)err;
    *is_so = PQtransactionStatus(libpq->connection) == PQTRANS_IDLE;
    return STATUS_OK;
}

/* ----- the connection ----- */

static bool interrupted(void *self)
{
    return libpq_interrupted(self);
}

static void show_notice(void *self, const PGresult *result)
{
    struct libpq *libpq = self;
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (libpq->notice && severity && message)
        libpq->notice(libpq->notice_self, severity, message);
}

bool libpq_is_address(const char *text)
{
    static const char *const keywords[] = {"host",    "hostaddr", "port",     "dbname", "user",
                                           "service", "options",  "passfile", "sslmode"};

    if (strncmp(text, "postgres://", 11) == 0 || strncmp(text, "postgresql://", 13) == 0)
        return true;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        size_t size = strlen(keywords[i]);
        if (strncmp(text, keywords[i], size) == 0 && text[size + strspn(text + size, " ")] == '=')
            return true;
    }
    return false;
}

/* The connection has been tried. */
static enum status begin_session(struct libpq *libpq, PGconn *connection, struct error *err)
{
    *libpq = (struct libpq){.connection = connection};
    libpq->database = (struct database){.self = libpq,
                                        .loses_transactions = true,
                                        .query = libpq_query,
                                        .describe = libpq_describe,
                                        .read_model = libpq_read_model,
                                        .prepare = libpq_prepare,
                                        .execute = libpq_execute_prepared,
                                        .finish = libpq_finish_prepared,
                                        .begin = begin,
                                        .end = end,
                                        .settle = settle,
                                        .interrupted = interrupted};
    text_init(&libpq->delivery, PATH_MAX);
    error_clear(err);
    if (!connection)
        return fail_no_memory(err);
    if (PQstatus(connection) != CONNECTION_OK) {
        const char *message = PQerrorMessage(connection);
        return fail(err, STATUS_CONNECTION, "%.*s", (int)strcspn(message, "\n"), message);
    }
    libpq->cancel = PQgetCancel(connection);
    if (!libpq->cancel)
        return fail_no_memory(err);
    PQsetNoticeReceiver(connection, show_notice, libpq);
    return STATUS_OK;
}

/* The server notices within seconds that this end is gone, as this end does of the server, and lets
 * go of its locks. What waits in `less` is read late, and its sender must not give up: only readers
 * that never pause have an end to that, too. */
#define SERVER_KEEPALIVES                                                                          \
    "SELECT pg_catalog.set_config('tcp_keepalives_idle', '5', false), "                            \
    "pg_catalog.set_config('tcp_keepalives_interval', '2', false), "                               \
    "pg_catalog.set_config('tcp_keepalives_count', '3', false)"
#define SERVER_USER_TIMEOUT ", pg_catalog.set_config('tcp_user_timeout', '15000', false)"

/* libpq accepts an address in place of a database's name. A password that is given overrides the
 * address; timeouts in the address override ours. */
enum status libpq_open(struct libpq *libpq, const char *address, const char *password,
                       struct error *err)
{
    const char *const names[] = {"keepalives_idle",
                                 "keepalives_interval",
                                 "keepalives_count",
                                 "tcp_user_timeout",
                                 "dbname",
                                 "fallback_application_name",
                                 "client_encoding",
                                 password ? "password" : NULL,
                                 NULL};
    const char *const values[] = {"5",       "2",    "3",      "15000", address,
                                  "totrain", "UTF8", password, NULL};

    *libpq = (struct libpq){0};
    TRY(lazy_pq_load(err));
    TRY(begin_session(libpq, PQconnectdbParams(names, values, 1), err));
    return libpq_execute(libpq, SERVER_KEEPALIVES, err);
}

enum status libpq_adopt(struct libpq *libpq, PGconn *connection, struct error *err)
{
    return begin_session(libpq, connection, err);
}

bool libpq_needs_password(const struct libpq *libpq)
{
    return libpq->connection && PQconnectionNeedsPassword(libpq->connection);
}

#define CONNINFO_WORDS_MAX 100 /* libpq knows about fifty */

/* The host, or the address of several, that was reached: another may be
 * a copy of the database that is behind. */
static const char *reached_value(const PGconn *connection, const PQconninfoOption *option)
{
    if (strcmp(option->keyword, "host") == 0)
        return PQhost(connection);
    if (strcmp(option->keyword, "hostaddr") == 0)
        return PQhostaddr(connection);
    if (strcmp(option->keyword, "port") == 0)
        return PQport(connection);
    return strcmp(option->keyword, "target_session_attrs") == 0 ? NULL : option->val;
}

/* The new connection is made as the first one was, with its password. */
enum status libpq_open_again(struct libpq *libpq, const struct libpq *first, struct error *err)
{
    const char *names[CONNINFO_WORDS_MAX + 1], *values[CONNINFO_WORDS_MAX + 1];
    PQconninfoOption *options = PQconninfo(first->connection);
    enum status status;
    size_t count = 0;

    for (PQconninfoOption *o = options; o && o->keyword && count < CONNINFO_WORDS_MAX; o++) {
        names[count] = o->keyword;
        values[count++] = reached_value(first->connection, o);
    }
    names[count] = values[count] = NULL;
    status = begin_session(libpq, options ? PQconnectdbParams(names, values, 0) : NULL, err);
    PQconninfoFree(options);
    TRY(status);
    return libpq_execute(libpq, SERVER_KEEPALIVES SERVER_USER_TIMEOUT, err);
}

void libpq_close(struct libpq *libpq)
{
    if (libpq->connection)
        PQfinish(libpq->connection);
    libpq->connection = NULL;
    if (libpq->cancel) /* else libpq may not be loaded */
        PQfreeCancel(libpq->cancel);
    libpq->cancel = NULL;
    text_deinit(&libpq->delivery);
}
