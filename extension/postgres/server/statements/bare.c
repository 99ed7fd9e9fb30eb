#include "extension/postgres/server/statements/bare.h"

#include <access/xact.h>
#include <libpq/libpq-be.h>
#include <libpq/libpq.h>
#include <miscadmin.h>
#include <parser/analyze.h>
#include <replication/walsender.h>
#include <tcop/tcopprot.h>
#include <utils/memutils.h>
#include <utils/ps_status.h>

#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/server/statements/script.h"
#include "parser/refused.h"
#include "parser/splitter.h"

static const PQcommMethods *next_methods;
static PQcommMethods methods;
static emit_log_hook_type next_log_hook;

static char *pending; /* the text to be run at the next 'Z', in TopMemoryContext */
static char *refused; /* the server's own error about it: the bytes of its 'E' */
static size_t refused_size;
static bool was_idle;   /* by the last 'Z' */
static bool is_first;   /* nothing was analysed since the last 'Z' */
static bool is_claimed; /* a string that the server would run until it fails is ours to run */
static post_parse_analyze_hook_type next_analyze;
static bool is_running; /* the text runs: its errors are the user's to see */

/* ----- what kind of error passes ----- */

enum claim {
    NOT_OURS,
    OURS,
    OURS_IN_BLOCK,
    OURS_EXTENDED,
    OURS_UNKNOWN, /* the protocol is not known */
    OURS_AT_EXIT, /* any error ends the session */
    OURS_IN_CURSOR,
    OURS_IN_COPY,
    OURS_WITH_TRANSACTIONS
};

/*
 * In the simple protocol the title of the process is still "idle" when parsing fails, and
 * "SHOW" when SHOW finds no such setting (SHOW models is good grammar); the messages of the
 * extended protocol each have a title of their own. A title may be cut: one that is told apart by
 * its first letter serves as well.
 */
static bool is_title(const char *expected, bool *is_known)
{
    const char *title;
    int size = 0;

    *is_known = false;
    if (!update_process_title)
        return false;
    title = get_ps_display(&size);
    if (size <= 0)
        return false; /* a small environment has no room for one behind long names */
    *is_known = true;
    return (size_t)size <= strlen(expected) && memcmp(title, expected, (size_t)size) == 0;
}

/* Where the client's encoding is another one, texts of messages are copies. */
static bool is_converted(void)
{
    const int client = pg_get_client_encoding(), server = GetDatabaseEncoding();

    return client != server && client != PG_SQL_ASCII && server != PG_SQL_ASCII;
}

/*
 * Without a title: the statement of a Query message is all of the message, which begins where a
 * piece of MessageContext's memory does; that of a Parse message stands behind its name, in which
 * no byte is zero, and the zero that ends the name. A piece has at least eight bytes before it, in
 * which PostgreSQL describes it; in each version of it some of these are zero, or the last is not.
 * So the bytes tell a name from a description, and the pointer in a name is never followed.
 */
static bool is_whole_message(void)
{
    const char *text = debug_query_string;

    if ((uintptr_t)text % MAXIMUM_ALIGNOF != 0)
        return false;
    if (text[-1] == '\0' && !memchr(text - 8, '\0', 7))
        return false; /* a name of seven bytes, or of eight more each */
    return GetMemoryChunkContext((void *)text) == MessageContext;
}

static bool is_simple_protocol(int sqlstate, bool *is_known)
{
    const char *expected = sqlstate == ERRCODE_SYNTAX_ERROR ? "idle" : "SHOW";
    const bool is_expected = is_title(expected, is_known);

    if (*is_known)
        return is_expected;
    *is_known = !is_converted();
    return *is_known && is_whole_message();
}

static bool begins_with(const char *text, const char *word)
{
    return pg_strncasecmp(text, word, strlen(word)) == 0;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

static bool is_ours_between(const char *start, const char *end)
{
    return start < end && script_is_ours(pnstrdup(start, (Size)(end - start)));
}

/* A statement of ours inside the commands that psql makes with FETCH_COUNT, or of \copy (SELECT
 * ...) TO. */
static enum claim claim_wrapped(const char *text)
{
    const char *open, *close;

    text = skip_blanks(text);
    if (begins_with(text, "DECLARE ")) {
        for (open = text; *open; open++)
            if (begins_with(open, "CURSOR FOR") && script_is_ours(skip_blanks(open + 10)))
                return OURS_IN_CURSOR;
    } else if (begins_with(text, "COPY ")) {
        open = strchr(text, '(');
        close = strrchr(text, ')');
        if (open && close && is_ours_between(open + 1, close))
            return OURS_IN_COPY;
    }
    return NOT_OURS;
}

static enum claim claim_error(int sqlstate)
{
    bool is_known, is_simple;

    if (sqlstate != ERRCODE_SYNTAX_ERROR && sqlstate != ERRCODE_UNDEFINED_OBJECT)
        return NOT_OURS;
    if (is_running || !settings.bare_statements || !MyProcPort || am_walsender ||
        !debug_query_string)
        return NOT_OURS;
    if (is_claimed)
        return OURS;
    if (!script_is_ours(debug_query_string))
        return claim_wrapped(debug_query_string);
    if (ExitOnAnyError)
        return OURS_AT_EXIT;
    if (IsTransactionBlock())
        return OURS_IN_BLOCK;
    is_simple = is_simple_protocol(sqlstate, &is_known);
    if (!is_simple)
        return is_known ? OURS_EXTENDED : OURS_UNKNOWN;
    return script_has_transactions(debug_query_string) ? OURS_WITH_TRANSACTIONS : OURS;
}

/* ----- the message of an error: fields of a letter and a string, then a zero ----- */

static const char *find_field(const char *bytes, size_t size, char letter)
{
    const char *at = bytes, *end = bytes + size;

    while (at < end && *at) {
        if (*at == letter)
            return at + 1;
        at += strnlen(at, (size_t)(end - at)) + 1;
    }
    return NULL;
}

static int sqlstate_of_message(const char *bytes, size_t size)
{
    const char *state = find_field(bytes, size, PG_DIAG_SQLSTATE);

    if (!state || strnlen(state, 6) != 5)
        return 0;
    return MAKE_SQLSTATE(state[0], state[1], state[2], state[3], state[4]);
}

static const char *hint_of(enum claim claim)
{
    switch (claim) {
    case OURS_IN_BLOCK:
        return "In a transaction block ToTrain's statements are run by a function: SELECT * FROM "
               "totrain.run($$ ... $$), or totrain.rows where other rows than numbers are wanted.";
    case OURS_IN_CURSOR:
        return "A cursor reads no statement of ToTrain. In psql FETCH_COUNT makes one: \\unset "
               "FETCH_COUNT.";
    case OURS_IN_COPY:
        return "COPY takes no statement of ToTrain. In psql its rows go into a file by \\g "
               "(format=csv) FILE, or TO PREDICT writes a table that can be copied.";
    case OURS_UNKNOWN:
        return "Without room for process titles, or with update_process_title off, the server "
               "cannot detect by which protocol a statement in another encoding than the "
               "database's "
               "came: use SELECT * FROM totrain.run($$ ... $$), or totrain.rows where other rows "
               "than numbers are wanted.";
    case OURS_AT_EXIT:
        return "With exit_on_error the server ends the session where its own parser refuses a "
               "statement, and ToTrain's with it: SET exit_on_error = off, or use SELECT * FROM "
               "totrain.run($$ ... $$).";
    case OURS_WITH_TRANSACTIONS:
        return "ToTrain's statements do not share a string with BEGIN or COMMIT. Send them one by "
               "one, or use SELECT * FROM totrain.run($$ ... $$).";
    default:
        return "This client sends its statements by the extended protocol, in which ToTrain's are "
               "run by a function: SELECT * FROM totrain.run($$ ... $1 ... $$, $1::float8), each "
               "value with its type, or totrain.rows where other rows than numbers are wanted.";
    }
}

/* The same message with a hint, where it has none. */
static int put_with_hint(const char *bytes, size_t size, const char *hint)
{
    const size_t hint_size = strlen(hint) + 1;
    char *longer;
    int result;

    if (size == 0 || find_field(bytes, size, PG_DIAG_MESSAGE_HINT))
        return next_methods->putmessage('E', bytes, size);
    longer = palloc(size + 1 + hint_size);
    memcpy(longer, bytes, size - 1);
    longer[size - 1] = PG_DIAG_MESSAGE_HINT;
    memcpy(longer + size, hint, hint_size);
    longer[size + hint_size] = '\0';
    result = next_methods->putmessage('E', longer, size + 1 + hint_size);
    pfree(longer);
    return result;
}

static int field_to_integer(const char *bytes, size_t size, char letter)
{
    const char *field = find_field(bytes, size, letter);

    return field ? (int)strtol(field, NULL, 10) : 0;
}

/* A byte of the statement that the client sent, from the character that the message names; -1: it
 * names none, or one of another text, as of a function's body. */
static int place_of_error(const char *bytes, size_t size)
{
    int character = field_to_integer(bytes, size, PG_DIAG_STATEMENT_POSITION), at = 0;

    if (character <= 0)
        return -1;
    while (--character > 0 && debug_query_string[at])
        at += pg_mblen(debug_query_string + at);
    return at;
}

/* The piece of the client's string that holds the byte. */
static struct slice piece_around(struct slice text, int place)
{
    struct piece piece = split_piece(text, 0);

    while (piece.next <= place && (size_t)piece.next < text.size)
        piece = split_piece(text, piece.next);
    return (struct slice){text.data + piece.span.start, text.size - (size_t)piece.span.start};
}

/* totrain.run and totrain.rows take values of any type: the server has nothing to tell a
 * parameter's by where the client does not say it. */
static bool untyped_value_hint(const char *text, struct error *err)
{
    if (!strstr(text, "totrain.run") && !strstr(text, "totrain.rows"))
        return false;
    error_hint(err, "Give each value of totrain.run and totrain.rows a type: "
                    "totrain.run($$ ... $1 ... $$, $1::float8).");
    return true;
}

/* pgml.train(...), madlib.linregr_train(...): the schema is another tool's. */
static bool other_schema_hint(const char *bytes, size_t size, struct slice piece, struct error *err)
{
    const char *message = find_field(bytes, size, PG_DIAG_MESSAGE_PRIMARY);

    snprintf(err->message, sizeof err->message, "%s", message ? message : "");
    return refused_missing_hint(piece, err);
}

/* An error of a statement that is none of ours, and may have been meant to be one (refused.h). */
static bool find_hint(const char *bytes, size_t size, struct error *err)
{
    const int sqlstate = sqlstate_of_message(bytes, size), place = place_of_error(bytes, size);
    struct slice text, piece;

    error_clear(err);
    if (is_running || !settings.bare_statements || !MyProcPort || am_walsender ||
        !debug_query_string)
        return false;
    text = slice_of(debug_query_string);
    if (sqlstate == ERRCODE_UNDEFINED_OBJECT)
        return refused_show_hint(text, err);
    if (sqlstate == ERRCODE_INDETERMINATE_DATATYPE)
        return untyped_value_hint(debug_query_string, err);
    if ((sqlstate != ERRCODE_SYNTAX_ERROR && sqlstate != ERRCODE_INVALID_SCHEMA_NAME) || place < 0)
        return false;
    piece = piece_around(text, place);
    if (sqlstate == ERRCODE_INVALID_SCHEMA_NAME)
        return other_schema_hint(bytes, size, piece, err);
    if (begins_with(piece.data, "SHOW"))
        return false; /* SHOW is the server's, too */
    return refused_hint(piece, place - (int)(piece.data - text.data), err);
}

static void forget(void)
{
    if (pending)
        pfree(pending);
    if (refused)
        pfree(refused);
    pending = refused = NULL;
}

static void keep(const char *bytes, size_t size)
{
    forget();
    pending = MemoryContextStrdup(TopMemoryContext, debug_query_string);
    refused = MemoryContextAlloc(TopMemoryContext, size);
    refused_size = size;
    memcpy(refused, bytes, size);
}

static int put_error(const char *bytes, size_t size)
{
    const enum claim claim = claim_error(sqlstate_of_message(bytes, size));
    struct error err;

    if (claim == NOT_OURS && find_hint(bytes, size, &err))
        return put_with_hint(bytes, size, err.hint);
    if (claim == NOT_OURS)
        return next_methods->putmessage('E', bytes, size);
    if (claim != OURS)
        return put_with_hint(bytes, size, hint_of(claim));
    keep(bytes, size);
    return 0;
}

/* An error that is thrown here ends in the backend's main loop, as an error of any statement does,
 * and from there comes the next 'Z'. */
static void run_pending(void)
{
    char *text = MemoryContextStrdup(MessageContext, pending);
    char *message = MemoryContextAlloc(MessageContext, refused_size);
    const size_t size = refused_size;
    /* The server has logged before a statement that it could parse. */
    const bool is_logged = sqlstate_of_message(refused, size) != ERRCODE_SYNTAX_ERROR;

    memcpy(message, refused, size);
    forget();
    is_claimed = false;
    is_running = true;
    if (!script_run(text, is_logged))
        (void)put_with_hint(message, size,
                            "ToTrain's statements are understood where its extension is: CREATE "
                            "EXTENSION totrain.");
    is_running = false;
}

/* The statement that was run may have failed, or may have begun a transaction: the client gets the
 * status of now, not that of before. */
static int put_ready_after_pending(void)
{
    char status;

    run_pending();
    status = TransactionBlockStatusCode();
    was_idle = status == 'I';
    return next_methods->putmessage('Z', &status, sizeof status);
}

static int put_message(char type, const char *bytes, size_t size)
{
    if (type == 'E')
        return put_error(bytes, size);
    if (type == 'Z') {
        is_running = false;
        is_first = true;
        is_claimed = is_claimed && pending;
        was_idle = size > 0 && bytes[0] == 'I';
        if (pending)
            return put_ready_after_pending();
    }
    return next_methods->putmessage(type, bytes, size);
}

/*
 * SELECT 1; SHOW MODELS is good grammar: the server would run the SELECT, and fail then. So
 * where a string of several statements has one of ours, its first statement fails before
 * anything was run or sent, and the string is ours as any other. The server analyses it inside
 * of the implicit transaction block of such strings; a block of the user's is told from that by
 * its status before the string came.
 */
static void claim_string(ParseState *state, Query *query, JumbleState *jumble)
{
    const char *sql = debug_query_string;

    if (next_analyze)
        next_analyze(state, query, jumble);
    if (!is_first || !sql || state->p_sourcetext != sql)
        return;
    is_first = false;
    if (is_running || !was_idle || !settings.bare_statements || !MyProcPort || am_walsender ||
        ExitOnAnyError || !script_has_several(sql) || !script_is_ours(sql) ||
        script_has_transactions(sql))
        return;
    is_claimed = true;
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("unrecognized statement of ToTrain")));
}

/* The log does not get what the client does not get. */
static void emit_log(ErrorData *error)
{
    if (error->elevel == ERROR && claim_error(error->sqlerrcode) == OURS)
        error->output_to_server = false;
    if (next_log_hook)
        next_log_hook(error);
}

void bare_install(void)
{
    next_methods = PqCommMethods;
    methods = *next_methods;
    methods.putmessage = put_message;
    PqCommMethods = &methods;
    next_log_hook = emit_log_hook;
    emit_log_hook = emit_log;
    next_analyze = post_parse_analyze_hook;
    post_parse_analyze_hook = claim_string;
}
