#include "extension/postgres/server/statements/script.h"

#include "extension/postgres/server/jobs/door_cluster.h"
#include "extension/postgres/server/jobs/door_rights.h"

#include <ctype.h>

#include <access/printtup.h>
#include <access/xact.h>
#include <commands/async.h>
#include <commands/portalcmds.h>
#include <executor/execdesc.h>
#include <executor/executor.h>
#include <libpq/libpq-be.h>
#include <mb/pg_wchar.h>
#include <parser/analyze.h>
#include <pgstat.h>
#include <storage/proc.h>
#include <tcop/cmdtag.h>
#include <tcop/pquery.h>
#include <tcop/tcopprot.h>
#include <tcop/utility.h>
#include <utils/guc.h>
#include <utils/memutils.h>
#include <utils/portal.h>
#include <utils/ps_status.h>
#include <utils/snapmgr.h>
#include <utils/timeout.h>

#include "extension/postgres/server/session/own_sql.h"
#include "extension/postgres/server/statements/looked_at_rows.h"
#include "parser/splitter.h"

/* ----- looking at a text ----- */

/* The splitter takes any TO for ours. Where neither one of our verbs nor a misspelt one follows,
 * PostgreSQL's own error is the better one. */
static bool has_verb(struct slice text, const struct piece *piece)
{
    static const char *const verbs[] = {"TRAIN", "PREDICT",  "EVALUATE", "EXPLAIN",
                                        "RUN",   "MAXIMIZE", "MINIMIZE"};
    struct slice word = {text.data + piece->to_position + strlen("TO"), 0};
    const char *end = text.data + piece->span.end;

    while (word.data < end && isspace((unsigned char)*word.data))
        word.data++;
    while (word.data + word.size < end && isalpha((unsigned char)word.data[word.size]))
        word.size++;
    return word.size > 0 && text_nearest(word, verbs, lengthof(verbs)) >= 0;
}

static bool piece_is_ours(struct slice text, const struct piece *piece)
{
    if (piece->kind != PIECE_OURS)
        return false;
    if (piece->to_position >= 0)
        return has_verb(text, piece);
    return pg_strncasecmp(text.data + piece->span.start, "to", strlen("to")) != 0;
}

bool script_is_ours(const char *text)
{
    const struct slice slice = slice_of(text);

    for (int at = 0; (size_t)at < slice.size;) {
        const struct piece piece = split_piece(slice, at);
        if (piece_is_ours(slice, &piece))
            return true;
        if (piece.next <= at)
            break;
        at = piece.next;
    }
    return false;
}

bool script_has_several(const char *text)
{
    const struct slice slice = slice_of(text);
    int pieces = 0;

    for (int at = 0; (size_t)at < slice.size && pieces < 2;) {
        const struct piece piece = split_piece(slice, at);
        pieces += piece.kind != PIECE_EMPTY;
        if (piece.next <= at)
            break;
        at = piece.next;
    }
    return pieces > 1;
}

static bool begins_with(struct slice piece, const char *word)
{
    const size_t size = strlen(word);
    const struct slice head = {piece.data, piece.size < size ? piece.size : size};

    return slice_is_fold(head, word) &&
           (piece.size == size || !(IS_HIGHBIT_SET(piece.data[size]) || piece.data[size] == '_' ||
                                    isalnum((unsigned char)piece.data[size])));
}

static bool is_transaction_command(struct slice piece)
{
    static const char *const words[] = {"BEGIN",     "START",   "COMMIT",  "END",  "ROLLBACK",
                                        "SAVEPOINT", "RELEASE", "PREPARE", "ABORT"};

    for (size_t i = 0; i < lengthof(words); i++)
        if (begins_with(piece, words[i]))
            return true;
    return false;
}

static struct slice piece_text(const char *text, const struct piece *piece)
{
    return (struct slice){text + piece->span.start, (size_t)(piece->span.end - piece->span.start)};
}

bool script_has_transactions(const char *text)
{
    const struct slice slice = slice_of(text);

    for (int at = 0; (size_t)at < slice.size;) {
        const struct piece piece = split_piece(slice, at);
        if (!piece_is_ours(slice, &piece) && is_transaction_command(piece_text(text, &piece)))
            return true;
        if (piece.next <= at)
            break;
        at = piece.next;
    }
    return false;
}

/* ----- memory: of one piece at a time, however long the string ----- */

static MemoryContext piece_memory;

/* ----- a transaction around one statement, as the backend's main loop has it ----- */

static void begin(void)
{
    StartTransactionCommand();
    if (StatementTimeout > 0)
        enable_timeout_after(STATEMENT_TIMEOUT, StatementTimeout);
    if (IsUnderPostmaster && client_connection_check_interval > 0 &&
        !get_timeout_active(CLIENT_CONNECTION_CHECK_TIMEOUT))
        enable_timeout_after(CLIENT_CONNECTION_CHECK_TIMEOUT, client_connection_check_interval);
    MemoryContextSwitchTo(piece_memory);
}

static void commit(const QueryCompletion *completion)
{
    if (get_timeout_active(STATEMENT_TIMEOUT))
        disable_timeout(STATEMENT_TIMEOUT, false);
    CommitTransactionCommand();
    EndCommand(completion, DestRemote, false);
    MemoryContextSwitchTo(piece_memory);
}

/* ----- ordinary SQL ----- */

/* Places of errors are those of the piece; the client counts in the whole string. */
struct place {
    int characters; /* before the piece; -1: the SQL is not the user's */
};

static void move_place(void *self)
{
    const struct place *place = self;
    const int position = geterrposition();

    if (position > 0)
        errposition(place->characters < 0 ? 0 : position + place->characters);
}

/* counting: of rows that are looked at on their way; NULL: none are. */
static void run_portal(List *plans, const char *sql, CommandTag tag,
                       struct unfamiliar_count *counting, QueryCompletion *completion)
{
    Portal portal = CreatePortal("", true, true);
    DestReceiver *receiver = CreateDestReceiver(DestRemote);
    int16 format = 0;

    portal->visible = false;
    PortalDefineQuery(portal, NULL, sql, tag, plans, NULL);
    PortalStart(portal, NULL, 0, InvalidSnapshot);
    PortalSetResultFormat(portal, 1, &format);
    SetRemoteDestReceiverParams(receiver, portal);
    if (counting && counting->count > 0)
        receiver = looked_at_rows_open(receiver, counting);
    (void)COMPAT_PORTAL_RUN(portal, receiver, completion);
    receiver->rDestroy(receiver);
    PortalDrop(portal, false);
}

static void run_parsed(RawStmt *parsed, const char *sql, struct unfamiliar_count *counting,
                       QueryCompletion *completion)
{
    const CommandTag tag = CreateCommandTag(parsed->stmt);
    const bool needs_snapshot = analyze_requires_snapshot(parsed);
    List *plans;

    set_ps_display(GetCommandTagName(tag));
    BeginCommand(tag, DestRemote);
    CHECK_FOR_INTERRUPTS();
    if (needs_snapshot)
        PushActiveSnapshot(GetTransactionSnapshot());
    plans = pg_plan_queries(pg_analyze_and_rewrite_fixedparams(parsed, sql, NULL, 0, NULL), sql,
                            CURSOR_OPT_PARALLEL_OK, NULL);
    if (needs_snapshot)
        PopActiveSnapshot();
    CHECK_FOR_INTERRUPTS();
    run_portal(plans, sql, tag, counting, completion);
}

/* The text as a whole is logged where all is; else each piece as the server would have. What
 * ours writes is a table, as CREATE TABLE AS does. */
static void log_piece(LogStmtLevel level, const char *sql)
{
    if (log_statement != LOGSTMT_ALL && (int)level <= log_statement)
        ereport(LOG, (errmsg("statement: %s", sql), errhidestmt(true)));
}

/* Our splitter and the server's parser may read a text in two ways, and what one of them takes
 * for a constant may be a BEGIN to the other: the parser decides. NULL: no statement. */
static RawStmt *parse_one(const char *sql)
{
    const List *parsed = pg_parse_query(sql);
    RawStmt *statement;

    if (parsed == NIL)
        return NULL;
    if (list_length(parsed) > 1)
        ereport(ERROR,
                (errcode(ERRCODE_SYNTAX_ERROR),
                 errmsg("%d statements stand where ToTrain reads one", list_length(parsed)),
                 errhint("Send them one by one, or ToTrain's by SELECT * FROM totrain.run($$ ... "
                         "$$).")));
    statement = linitial_node(RawStmt, parsed);
    if (IsA(statement->stmt, TransactionStmt))
        ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
                        errmsg("ToTrain's statements do not share a string with BEGIN or COMMIT"),
                        errhint("Send them one by one, or use SELECT * FROM totrain.run($$ ... "
                                "$$).")));
    return statement;
}

/* ----- predictions as a query ----- */

struct scoring_query {
    struct door *door;
    char *sql;               /* NULL: the statement is no such query */
    const struct plan *plan; /* PREDICT's, in the arena; NULL: FORECAST's are not looked at */
    struct arena arena;
    struct unfamiliar_count counting;
};

static void show_notices(const struct scoring_query *scoring, size_t first)
{
    struct error err;

    if (door_put_notices(scoring->door, scoring->plan, first, &err) != STATUS_OK)
        session_raise(&scoring->door->session, &err, SLICE(""), true);
}

static void note_unfamiliar(struct scoring_query *scoring)
{
    size_t told;

    if (!scoring->plan)
        return;
    told = scoring->plan->notices->count;
    unfamiliar_count_note(&scoring->counting);
    show_notices(scoring, told);
}

/* In the transaction that has been begun. scoring: predictions of ours, whose notices are shown
 * behind the rows; NULL: other SQL. */
static void run_sql(const char *sql, int characters_before, struct scoring_query *scoring)
{
    struct place place = {characters_before};
    ErrorContextCallback callback = {error_context_stack, move_place, &place};
    QueryCompletion completion;
    RawStmt *statement;

    error_context_stack = &callback;
    statement = parse_one(sql);
    if (statement) {
        log_piece(GetCommandLogLevel((Node *)statement), sql);
        run_parsed(statement, sql, scoring ? &scoring->counting : NULL, &completion);
        if (scoring)
            note_unfamiliar(scoring);
        commit(&completion);
    }
    error_context_stack = callback.previous;
}

/* ----- statements of ours ----- */

static uint64 send_rows(const struct result *result)
{
    TupleDesc descriptor = door_describe_result(result);
    PortalData portal = {.strategy = PORTAL_MULTI_QUERY}; /* asked for its formats: none, text */
    DestReceiver *receiver = CreateDestReceiver(DestRemote);
    Datum *values = palloc0(sizeof *values * (result->column_count + 1));
    bool *nulls = palloc0(result->column_count + 1);
    TupOutputState *output;
    uint64 count = 0;

    SetRemoteDestReceiverParams(receiver, &portal);
    output = begin_tup_output_tupdesc(receiver, descriptor, &TTSOpsVirtual);
    for (const struct result_row *row = result->first; row; row = row->next, count++) {
        door_read_row(result, descriptor, row, values, nulls);
        do_tup_output(output, values, nulls);
    }
    end_tup_output(output);
    receiver->rDestroy(receiver);
    return count;
}

/* An error of the commit: deferred constraints, serialization, a full disk. */
static void explain_commit(void *self)
{
    const struct door *door = self;
    const int category = ERRCODE_TO_CATEGORY(geterrcode());

    if (door->written_job > 0 && category != ERRCODE_SUCCESSFUL_COMPLETION &&
        category != ERRCODE_WARNING)
        errhint("The trained model is kept with job " INT64_FORMAT
                ": SELECT * FROM totrain.publish(" INT64_FORMAT "); writes it.",
                door->written_job, door->written_job);
}

static void commit_door(struct door *door, const QueryCompletion *completion)
{
    ErrorContextCallback callback = {error_context_stack, explain_commit, door};

    error_context_stack = &callback;
    commit(completion);
    error_context_stack = callback.previous;
}

struct show_call {
    struct slice sql;
    QueryCompletion completion;
};

static enum status show_body(struct session *session, void *self, struct error *err)
{
    struct show_call *call = self;
    const char *sql = session_from_utf8(call->sql);

    (void)session;
    (void)err;
    own_sql_announce((struct own_sql){sql, true});
    run_parsed(parse_one(sql), sql, NULL, &call->completion);
    return STATUS_OK;
}

/* Shows the rows of a PREDICT that workers have scored: each column is of its own type, and no row
 * is kept. */
static enum status show_query(struct door *door, struct slice sql, struct error *err)
{
    struct show_call call = {.sql = sql};

    TRY(session_guard(&door->session, show_body, &call, err));
    door->has_shown = true;
    door->shown = call.completion.nprocessed;
    return STATUS_OK;
}

static void send_kept(struct door *door, const struct result *result)
{
    PushActiveSnapshot(GetTransactionSnapshot()); /* output functions may want one */
    door->shown = send_rows(result);
    PopActiveSnapshot();
}

static void run_engine(struct door *door, struct slice text, const struct piece *piece,
                       struct result *result)
{
    QueryCompletion completion;
    struct error err;

    if (door_run(door, text, piece, result, &err) != STATUS_OK)
        session_raise(&door->session, &err, text, true);
    if (!door->has_shown)
        send_kept(door, result);
    SetQueryCompletion(&completion, CMDTAG_SELECT, door->shown);
    commit_door(door, &completion);
}

static enum status describe_scoring(struct slice text, const struct piece *piece,
                                    struct scoring_query *scoring, struct error *err)
{
    struct description description;

    TRY(engine_describe(&scoring->door->host.host, text, piece, &scoring->arena, &description,
                        err));
    if (description.query.size == 0)
        return STATUS_OK;
    scoring->sql =
        MemoryContextAllocExtended(CurrentMemoryContext, description.query.size + 1,
                                   MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);
    if (!scoring->sql)
        return fail_no_memory(err);
    memcpy(scoring->sql, description.query.data, description.query.size);
    scoring->plan = description.plan;
    return description.plan ? unfamiliar_count_init(&scoring->door->host.host, description.plan,
                                                    NULL, &scoring->arena, &scoring->counting, err)
                            : STATUS_OK;
}

/* Finds the query that a PREDICT without a target or a FORECAST is. */
static void open_scoring(struct slice text, const struct piece *piece,
                         struct scoring_query *scoring)
{
    struct door *door = scoring->door;
    struct error err;

    door_cluster_limits(door, &door->host.host.catalog.limits);
    door_detach_limits(door, &door->host.host.catalog.limits);
    arena_init(&scoring->arena, ARENA_MAXIMUM);
    if (describe_scoring(text, piece, scoring, &err) != STATUS_OK) {
        arena_deinit(&scoring->arena);
        session_raise(&door->session, &err, text, true);
    }
    if (!scoring->sql)
        arena_deinit(&scoring->arena);
}

static void end_query(struct scoring_query *scoring)
{
    own_sql_announce((struct own_sql){NULL});
    if (scoring)
        arena_deinit(&scoring->arena);
}

/* A query of ours, or scoring's, whose arena ends with it. */
static void run_query(const char *query, struct scoring_query *scoring)
{
    PG_TRY();
    {
        const char *sql = scoring ? session_from_utf8(slice_of(scoring->sql)) : query;

        own_sql_announce((struct own_sql){sql, false});
        if (scoring && scoring->plan)
            show_notices(scoring, 0);
        run_sql(sql, -1, scoring);
    }
    PG_CATCH();
    {
        end_query(scoring);
        PG_RE_THROW();
    }
    PG_END_TRY();
    end_query(scoring);
}

/* Forgets the rows that a job kept: they were committed with the end of the reading, so no rollback
 * takes them back. Called where an error was caught, which it throws again. */
static void forget_rows(void)
{
    ErrorData *thrown;
    struct door *door;
    struct error ignored;

    MemoryContextSwitchTo(piece_memory);
    thrown = CopyErrorData();
    FlushErrorState();
    HOLD_INTERRUPTS();
    AbortCurrentTransaction();
    StartTransactionCommand();
    MemoryContextSwitchTo(piece_memory);
    door = door_open();
    (void)door->host.host.kept_rows->forget(&door->host, &ignored);
    CommitTransactionCommand();
    RESUME_INTERRUPTS();
    MemoryContextSwitchTo(piece_memory);
    ReThrowError(thrown);
}

static void run_ours(struct slice text, const struct piece *piece)
{
    struct door *door = door_open();
    const char *query = door_monitors_query(text, piece);
    struct scoring_query scoring = {.door = door};
    struct result result;

    door->owns_transaction = true;
    door_check_statement(door, text, piece);
    if (query) {
        run_query(query, NULL);
        return;
    }
    open_scoring(text, piece, &scoring);
    if (scoring.sql) {
        run_query(NULL, &scoring);
        return;
    }
    door->show = show_query;
    result_init(&result);
    PG_TRY();
    {
        run_engine(door, text, piece, &result);
    }
    PG_CATCH();
    {
        result_deinit(&result);
        if (door->has_begun)
            forget_rows();
        PG_RE_THROW();
    }
    PG_END_TRY();
    result_deinit(&result);
}

/* ----- the whole string ----- */

/* A statement that writes a table is logged as CREATE TABLE AS is, one that shows something as a
 * SELECT is; one that does not parse is logged as the former. */
static LogStmtLevel log_level(struct slice text, const struct piece *piece)
{
    struct arena arena;
    struct statement statement;
    struct error ignored;
    bool writes;

    arena_init(&arena, ARENA_MAXIMUM);
    error_clear(&ignored);
    writes =
        parse_piece(text, piece, &arena, &statement, &ignored) != STATUS_OK ||
        (!statement.explain_plan &&
         (statement.kind == STATEMENT_TRAIN || statement.kind == STATEMENT_ROLLBACK_MODEL ||
          statement.kind == STATEMENT_IMPORT_MODEL || statement.kind == STATEMENT_DEFINE_MODEL ||
          statement.kind == STATEMENT_DROP_DEFINITION ||
          statement.kind == STATEMENT_IMPORT_DEFINITION || statement.kind == STATEMENT_CANCEL_JOB ||
          statement_predicts_into_table(&statement) || statement_writes_rows(&statement)));
    arena_deinit(&arena);
    return writes ? LOGSTMT_DDL : LOGSTMT_ALL;
}

static void run_piece(const char *text, const struct piece *piece, int characters_before)
{
    const struct slice sql = piece_text(text, piece);

    CHECK_FOR_INTERRUPTS();
    if (!IsTransactionState())
        begin();
    if (!piece_is_ours(slice_of(text), piece)) {
        run_sql(session_from_utf8(sql), characters_before, NULL);
        return;
    }
    set_ps_display("TO TRAIN");
    log_piece(log_level(slice_of(text), piece), session_from_utf8(sql));
    run_ours(slice_of(text), piece);
}

/* Characters, as the server counts them. */
static int characters_between(const char *text, int from, int to)
{
    return pg_mbstrlen(session_from_utf8((struct slice){text + from, (size_t)(to - from)}));
}

static void run_pieces(const char *text)
{
    MemoryContext piece_context = MemoryContextSwitchTo(MessageContext);
    const struct slice utf8 = session_to_utf8(text, strlen(text));
    int characters = 0, counted = 0; /* characters in so many bytes */

    MemoryContextSwitchTo(piece_context);

    for (int at = 0; (size_t)at < utf8.size;) {
        const struct piece piece = split_piece(utf8, at);
        if (piece.kind != PIECE_EMPTY) {
            characters += characters_between(utf8.data, counted, piece.span.start);
            counted = piece.span.start;
            run_piece(utf8.data, &piece, characters);
            /* Whatever began a transaction block: its client would not know that it is in one. */
            if (IsTransactionBlock())
                ereport(ERROR,
                        (errcode(ERRCODE_INVALID_TRANSACTION_STATE),
                         errmsg("a statement beside ToTrain's has begun a transaction block")));
            MemoryContextReset(piece_memory);
        }
        if (piece.next <= at)
            break;
        at = piece.next;
    }
    if (IsTransactionState()) {
        disable_timeout(STATEMENT_TIMEOUT, false);
        CommitTransactionCommand();
    }
}

static bool was_alarmed; /* idle_session_timeout was running */

/* The backend has reported that it is idle, and has set its timeouts. */
static void become_busy(const char *text, bool is_logged)
{
    debug_query_string = text;
    pgstat_report_activity(STATE_RUNNING, text);
    was_alarmed = get_timeout_active(IDLE_SESSION_TIMEOUT);
    disable_timeout(IDLE_SESSION_TIMEOUT, false);
    disable_timeout(IDLE_STATS_UPDATE_TIMEOUT, false);
    if (log_statement == LOGSTMT_ALL && !is_logged)
        ereport(LOG, (errmsg("statement: %s", text), errhidestmt(true)));
}

static void log_how_long(const char *text)
{
    char milliseconds[32];

    switch (check_log_duration(milliseconds, log_statement == LOGSTMT_ALL)) {
    case 1:
        ereport(LOG, (errmsg("duration: %s ms", milliseconds), errhidestmt(true)));
        break;
    case 2:
        ereport(LOG,
                (errmsg("duration: %s ms  statement: %s", milliseconds, text), errhidestmt(true)));
        break;
    }
}

/* After an error the main loop does all this itself. */
static void become_idle(const char *text)
{
    long next_report;

    log_how_long(text);
    if (notifyInterruptPending)
        ProcessNotifyInterrupt(false); /* own notifications, too: before the next statement */
    ReportChangedGUCOptions();
    next_report = pgstat_report_stat(false);
    if (next_report > 0)
        enable_timeout_after(IDLE_STATS_UPDATE_TIMEOUT, (int)next_report);
    set_ps_display("idle");
    pgstat_report_activity(STATE_IDLE, NULL);
    if (was_alarmed && IdleSessionTimeout > 0)
        enable_timeout_after(IDLE_SESSION_TIMEOUT, IdleSessionTimeout);
    debug_query_string = NULL;
}

bool script_run(const char *text, bool is_logged)
{
    bool is_allowed;

    become_busy(text, is_logged);
    piece_memory =
        AllocSetContextCreate(MessageContext, "totrain statement", ALLOCSET_DEFAULT_SIZES);
    begin();
    is_allowed = door_is_allowed();
    if (is_allowed)
        run_pieces(text);
    else {
        disable_timeout(STATEMENT_TIMEOUT, false);
        CommitTransactionCommand();
    }
    become_idle(text);
    return is_allowed;
}
