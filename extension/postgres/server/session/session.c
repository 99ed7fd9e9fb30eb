#include "extension/postgres/server/session/session.h"

#include "extension/postgres/server/session/database_spi.h"
#include "extension/postgres/server/session/own_sql.h"
#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/sql/kinds.h"
#include <access/xact.h>
#include <mb/pg_wchar.h>
#include <storage/ipc.h>
#include <storage/pmsignal.h>
#include <utils/inval.h>
#include <utils/memutils.h>
#include <utils/resowner.h>
#include <utils/snapmgr.h>
#include <utils/syscache.h>

void session_init(struct session *session, bool is_function)
{
    *session = (struct session){.memory = CurrentMemoryContext, .is_function = is_function};
    database_spi_init(session);
}

struct slice session_to_utf8(const char *text, size_t size)
{
    char *converted = pg_server_to_any(text, (int)size, PG_UTF8);

    if (converted == text)
        return (struct slice){text, size};
    return (struct slice){converted, strlen(converted)};
}

char *session_from_utf8(struct slice text)
{
    char *copy = palloc(text.size + 1);

    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    return pg_any_to_server(copy, (int)text.size, PG_UTF8);
}

/* ----- what was thrown ----- */

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The byte of the UTF-8 that the server counts as its n-th character, from 1. */
static int byte_of_character(struct slice utf8, int n)
{
    size_t at = 0;

    if (n <= 0)
        return -1;
    while (at < utf8.size && --n > 0)
        do
            at++;
        while (at < utf8.size && is_inside_character(utf8.data[at]));
    return (int)at;
}

static int character_of_byte(struct slice utf8, int position)
{
    int n = 1;

    if (position < 0 || (size_t)position > utf8.size)
        return 0;
    for (int i = 0; i < position; i++)
        n += !is_inside_character(utf8.data[i]);
    return n;
}

static char *without_other_than_ascii(const char *text)
{
    char *copy = pstrdup(text);

    for (char *at = copy; *at; at++)
        if (IS_HIGHBIT_SET(*at))
            *at = '?';
    return copy;
}

struct slice session_shown(const char *text)
{
    MemoryContext context = CurrentMemoryContext;
    const char *volatile data = text;
    volatile size_t size = strlen(text);

    PG_TRY();
    {
        const struct slice utf8 = session_to_utf8(text, size);
        data = utf8.data;
        size = utf8.size;
    }
    PG_CATCH();
    {
        MemoryContextSwitchTo(context);
        FlushErrorState();
        data = without_other_than_ascii(text);
    }
    PG_END_TRY();
    return (struct slice){data, size};
}

static void copy_to_utf8(const char *text, char *copy, size_t size)
{
    struct slice utf8 = text ? session_shown(text) : SLICE("");
    size_t length = utf8.size < size ? utf8.size : size - 1;

    length = (size_t)pg_encoding_mbcliplen(PG_UTF8, utf8.data, (int)utf8.size, (int)length);
    memcpy(copy, utf8.data, length);
    copy[length] = '\0';
}

/* A place in some other text, such as a function's that the statement calls, is none in ours. */
static int place_in(const struct session *session, const ErrorData *thrown)
{
    if (!session->sql || !thrown->internalquery || strcmp(session->sql, thrown->internalquery) != 0)
        return -1;
    return byte_of_character(session_to_utf8(session->sql, strlen(session->sql)),
                             thrown->internalpos);
}

static enum status describe_error(const struct session *session, const ErrorData *thrown,
                                  struct error *err)
{
    error_clear(err);
    err->status = pg_status_of(unpack_sql_state(thrown->sqlerrcode));
    err->position = place_in(session, thrown);
    copy_to_utf8(thrown->message, err->message, sizeof err->message);
    copy_to_utf8(thrown->hint ? thrown->hint : thrown->detail, err->hint, sizeof err->hint);
    return err->status;
}

/* Takes the error that was just caught. */
static enum status keep_error(struct session *session, struct error *err)
{
    ErrorData *thrown;

    MemoryContextSwitchTo(session->memory);
    thrown = CopyErrorData();
    FlushErrorState();
    session->last = thrown;
    if (session->is_function || thrown->sqlerrcode == ERRCODE_QUERY_CANCELED)
        session->interrupt = thrown;
    return describe_error(session, thrown, err);
}

/* ----- guarded calls ----- */

struct guarded {
    enum status (*body)(struct session *session, void *call, struct error *err);
    void *call;
};

/* The caller of a bare statement has no snapshot; parsing may need one. */
static enum status call_body(struct session *session, const struct guarded *guarded,
                             struct error *err)
{
    const bool needs_snapshot = !ActiveSnapshotSet();
    enum status status;

    if (needs_snapshot)
        PushActiveSnapshot(GetTransactionSnapshot());
    status = guarded->body(session, guarded->call, err);
    if (needs_snapshot)
        PopActiveSnapshot();
    return status;
}

static enum status guard_function(struct session *session, const struct guarded *guarded,
                                  struct error *err)
{
    MemoryContext context = CurrentMemoryContext;
    const struct own_sql before = own_sql_now();
    volatile enum status status = STATUS_OK;

    PG_TRY();
    {
        status = call_body(session, guarded, err);
    }
    PG_CATCH();
    {
        status = keep_error(session, err);
    }
    PG_END_TRY();
    own_sql_announce(before);
    MemoryContextSwitchTo(context);
    return status;
}

static enum status guard_statement(struct session *session, const struct guarded *guarded,
                                   struct error *err)
{
    MemoryContext context = CurrentMemoryContext;
    ResourceOwner owner = CurrentResourceOwner;
    const struct own_sql before = own_sql_now();
    volatile enum status status = STATUS_OK;

    BeginInternalSubTransaction(NULL);
    MemoryContextSwitchTo(context);
    PG_TRY();
    {
        status = call_body(session, guarded, err);
        if (status == STATUS_OK)
            ReleaseCurrentSubTransaction();
        else
            RollbackAndReleaseCurrentSubTransaction();
    }
    PG_CATCH();
    {
        status = keep_error(session, err);
        RollbackAndReleaseCurrentSubTransaction();
    }
    PG_END_TRY();
    own_sql_announce(before);
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = owner;
    return status;
}

enum status session_guard(struct session *session,
                          enum status (*body)(struct session *session, void *call,
                                              struct error *err),
                          void *call, struct error *err)
{
    const struct guarded guarded = {body, call};

    error_clear(err);
    if (session->interrupt)
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    if (session->is_function)
        return guard_function(session, &guarded, err);
    return guard_statement(session, &guarded, err);
}

enum status session_catch(struct session *session, void (*body)(void *call), void *call,
                          struct error *err)
{
    MemoryContext context = CurrentMemoryContext;
    const struct own_sql before = own_sql_now();
    struct error ignored;
    volatile enum status status = STATUS_OK;

    PG_TRY();
    {
        body(call);
    }
    PG_CATCH();
    {
        status = keep_error(session, err ? err : &ignored);
    }
    PG_END_TRY();
    own_sql_announce(before);
    MemoryContextSwitchTo(context);
    return status;
}

void session_try(struct session *session, void (*body)(void *call), void *call)
{
    if (session->interrupt)
        return;
    if (session_catch(session, body, call, NULL) != STATUS_OK)
        session->interrupt = session->last;
}

static void check_for_interrupts(void *call)
{
    CHECK_FOR_INTERRUPTS();
}

/* Nothing of ours holds a lock while a job computes: neither DROP EXTENSION nor DROP ROLE waits. A
 * role that is gone could write nothing at the job's end. */
static void check_for_drops(void *call)
{
    const struct session *session = call;

    if (!IsTransactionState())
        return;
    AcceptInvalidationMessages();
    if (!SearchSysCacheExists1(NAMESPACENAME, CStringGetDatum("totrain")))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the extension totrain was dropped meanwhile")));
    if (!session->is_function && !SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(GetUserId())))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                        errmsg("the role that runs the statement was dropped meanwhile")));
}

bool session_interrupted(void *self)
{
    struct session *session = self;

    if (!PostmasterIsAlive())
        proc_exit(1); /* every backend that notices exits; its jobs' lifelines close */
    if (!session->interrupt && INTERRUPTS_PENDING_CONDITION())
        session_try(session, check_for_interrupts, NULL);
    session_try(session, check_for_drops, session);
    return session->interrupt != NULL;
}

/* ----- what is thrown ----- */

static int sqlstate_of(enum status status)
{
    switch (status) {
    case STATUS_SYNTAX:
        return ERRCODE_SYNTAX_ERROR;
    case STATUS_INVALID:
        return ERRCODE_INVALID_PARAMETER_VALUE;
    case STATUS_UNSUPPORTED:
        return ERRCODE_FEATURE_NOT_SUPPORTED;
    case STATUS_NOT_FOUND:
        return ERRCODE_UNDEFINED_OBJECT;
    case STATUS_BUSY:
        return ERRCODE_LOCK_NOT_AVAILABLE;
    case STATUS_CONNECTION:
        return ERRCODE_CONNECTION_FAILURE;
    case STATUS_PERMISSION:
        return ERRCODE_INSUFFICIENT_PRIVILEGE;
    case STATUS_LIMIT:
        return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case STATUS_NO_MEMORY:
        return ERRCODE_OUT_OF_MEMORY;
    case STATUS_IO:
        return ERRCODE_IO_ERROR;
    case STATUS_CORRUPT:
        return ERRCODE_DATA_EXCEPTION; /* XX001 is for pages of the server, and wakes people */
    case STATUS_PROTOCOL:
        return ERRCODE_PROTOCOL_VIOLATION;
    case STATUS_STALE:
        return ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    case STATUS_INTERRUPTED:
        return ERRCODE_QUERY_CANCELED;
    default:
        return ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
    }
}

/* The error that the engine passes on is PostgreSQL's own, which has a SQLSTATE. */
static bool is_last(const struct session *session, const struct error *err)
{
    char message[sizeof err->message];

    if (!session->last)
        return false;
    copy_to_utf8(session->last->message, message, sizeof message);
    return strcmp(message, err->message) == 0;
}

/* The error names the job of an interrupted statement that can be published. The SQL in which the
 * interrupt came is ours then, and means nothing to the user. */
static void explain_interrupt(ErrorData *interrupt, const struct error *err)
{
    if (!err->hint[0] || interrupt->hint)
        return;
    interrupt->hint = (char *)settings_hide_state(session_from_utf8(slice_of(err->hint)));
    interrupt->context = NULL;
}

void session_raise(struct session *session, const struct error *err, struct slice text,
                   bool is_query)
{
    const bool is_servers = is_last(session, err);
    const int place = character_of_byte(text, err->position);

    if (session->interrupt) {
        explain_interrupt(session->interrupt, err);
        ReThrowError(session->interrupt);
    }
    ereport(ERROR,
            (errcode(is_servers ? session->last->sqlerrcode : sqlstate_of(err->status)),
             errmsg_internal("%s", settings_hide_state(session_from_utf8(slice_of(err->message)))),
             err->hint[0]
                 ? errhint("%s", settings_hide_state(session_from_utf8(slice_of(err->hint))))
                 : 0,
             is_query && place > 0 ? errposition(place) : 0,
             !is_query && place > 0 ? internalerrposition(place) : 0,
             !is_query && place > 0 ? internalerrquery(pnstrdup(text.data, text.size)) : 0));
    pg_unreachable();
}
