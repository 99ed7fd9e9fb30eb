#include "extension/postgres/server/session/database_spi.h"

#include <access/xact.h>
#include <catalog/pg_type.h>
#include <executor/spi.h>
#include <tcop/dest.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/plancache.h>
#include <utils/resowner.h>
#include <utils/snapmgr.h>

#include "extension/postgres/server/session/model_heap.h"
#include "extension/postgres/server/session/own_sql.h"
#include "extension/postgres/server/session/values.h"

/* ----- the receiver of the rows ----- */

struct receiver {
    DestReceiver receiver;
    const struct database_rows *rows;
    enum database_form form;
    MemoryContext context; /* for the conversions of one row */
    struct value_reader *readers;
    struct cell *cells;
    enum status status; /* the status of the callbacks */
    struct error *err;
};

static enum status give_columns(struct receiver *receiver, TupleDesc descriptor)
{
    struct database_column *columns = palloc0(sizeof *columns * (descriptor->natts + 1));

    if (!receiver->rows->columns)
        return STATUS_OK;
    for (int i = 0; i < descriptor->natts; i++) {
        const char *name = NameStr(TupleDescAttr(descriptor, i)->attname);
        const Oid type = getBaseType(TupleDescAttr(descriptor, i)->atttypid);

        columns[i] =
            (struct database_column){session_to_utf8(name, strlen(name)), type, value_kind(type)};
    }
    return receiver->rows->columns(receiver->rows->self, columns, (size_t)descriptor->natts,
                                   receiver->err);
}

static void receiver_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
    struct receiver *receiver = (struct receiver *)self;

    receiver->readers = palloc0(sizeof *receiver->readers * (descriptor->natts + 1));
    receiver->cells = palloc0(sizeof *receiver->cells * (descriptor->natts + 1));
    for (int i = 0; i < descriptor->natts; i++)
        value_reader_init(&receiver->readers[i], TupleDescAttr(descriptor, i)->atttypid,
                          receiver->form);
    receiver->context =
        AllocSetContextCreate(CurrentMemoryContext, "totrain row", ALLOCSET_DEFAULT_SIZES);
    receiver->status = give_columns(receiver, descriptor);
}

static void read_row(struct receiver *receiver, TupleTableSlot *slot)
{
    const int count = slot->tts_tupleDescriptor->natts;

    slot_getallattrs(slot);
    for (int i = 0; i < count; i++) {
        if (slot->tts_isnull[i])
            receiver->cells[i] = (struct cell){.type = CELL_NULL};
        else
            receiver->cells[i] = value_read(&receiver->readers[i], slot->tts_values[i]);
    }
}

/* False ends the statement. */
static bool receiver_receive(TupleTableSlot *slot, DestReceiver *self)
{
    struct receiver *receiver = (struct receiver *)self;
    MemoryContext context;

    if (receiver->status != STATUS_OK)
        return false;
    context = MemoryContextSwitchTo(receiver->context);
    read_row(receiver, slot);
    receiver->status = receiver->rows->row(receiver->rows->self, receiver->cells,
                                           (size_t)slot->tts_tupleDescriptor->natts, receiver->err);
    MemoryContextSwitchTo(context);
    MemoryContextReset(receiver->context);
    return receiver->status == STATUS_OK;
}

static void receiver_nothing(DestReceiver *self)
{
}

/* ----- statements ----- */

static Oid type_of_cell(enum cell_type type)
{
    switch (type) {
    case CELL_INTEGER:
        return INT8OID;
    case CELL_REAL:
        return FLOAT8OID;
    case CELL_BLOB:
        return BYTEAOID;
    default:
        return TEXTOID;
    }
}

static Datum datum_of_cell(const struct cell *cell)
{
    const char *text;

    switch (cell->type) {
    case CELL_INTEGER:
        return Int64GetDatum(cell->integer);
    case CELL_REAL:
        return Float8GetDatum(cell->real);
    case CELL_BLOB:
        return PointerGetDatum(cstring_to_text_with_len(cell->text.data, (int)cell->text.size));
    case CELL_TEXT:
        text = session_from_utf8(cell->text);
        return PointerGetDatum(cstring_to_text(text));
    default:
        return (Datum)0;
    }
}

static void refuse(int code, const char *what)
{
    if (code < 0)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("%s is refused here: %s", what, SPI_result_code_string(code))));
}

static SPIPlanPtr prepare_plan(struct session *session, struct slice sql, bool is_ours,
                               const Oid *types, size_t count)
{
    SPIPlanPtr plan;

    session->sql = session_from_utf8(sql);
    own_sql_announce((struct own_sql){session->sql, is_ours});
    plan = SPI_prepare_cursor(session->sql, (int)count, (Oid *)(uintptr_t)types,
                              session->is_function ? 0 : CURSOR_OPT_PARALLEL_OK);
    if (!plan)
        refuse(SPI_result, "the statement");
    return plan;
}

static bool query_only_reads(const Query *query)
{
    return query->commandType == CMD_SELECT && !query->hasModifyingCTE && query->rowMarks == NIL;
}

static bool plan_only_reads(SPIPlanPtr plan)
{
    List *sources = SPI_plan_get_plan_sources(plan);
    const CachedPlanSource *source;

    if (list_length(sources) != 1)
        return false;
    source = linitial(sources);
    return list_length(source->query_list) == 1 &&
           query_only_reads(linitial_node(Query, source->query_list));
}

static ParamListInfo parameters_of(const struct cell *cells, size_t count)
{
    ParamListInfo parameters = count > 0 ? makeParamList((int)count) : NULL;

    for (size_t i = 0; i < count; i++) {
        ParamExternData *parameter = &parameters->params[i];

        parameter->ptype = type_of_cell(cells[i].type);
        parameter->isnull = cells[i].type == CELL_NULL;
        parameter->value = datum_of_cell(&cells[i]);
        parameter->pflags = PARAM_FLAG_CONST;
    }
    return parameters;
}

struct query_call {
    const struct database_statement *statement;
    const struct database_rows *rows;
    uint64_t *affected;
    bool only_reads; /* sees what the caller's own statement sees, and nothing else */
};

static enum status run_plan(SPIPlanPtr plan, const struct query_call *call, struct error *err)
{
    const struct database_statement *statement = call->statement;
    struct receiver receiver = {.receiver = {.receiveSlot = receiver_receive,
                                             .rStartup = receiver_startup,
                                             .rShutdown = receiver_nothing,
                                             .rDestroy = receiver_nothing,
                                             .mydest = DestNone},
                                .rows = call->rows,
                                .form = statement->form,
                                .err = err};
    SPIExecuteOptions options = {.params = parameters_of(statement->parameters, statement->count),
                                 .read_only = call->only_reads,
                                 .tcount = statement->rows_max,
                                 .dest = call->rows ? &receiver.receiver : None_Receiver};

    refuse(SPI_execute_plan_extended(plan, &options), "the statement");
    if (call->affected)
        *call->affected = SPI_processed;
    return receiver.status;
}

static enum status query_body(struct session *session, void *self, struct error *err)
{
    const struct query_call *call = self;
    const struct database_statement *statement = call->statement;
    Oid *types = palloc0(sizeof *types * (statement->count + 1));
    enum status status;
    SPIPlanPtr plan;

    for (size_t i = 0; i < statement->count; i++)
        types[i] = type_of_cell(statement->parameters[i].type);
    SPI_connect();
    plan = prepare_plan(session, statement->sql, statement->is_ours, types, statement->count);
    if (statement->rows_max > 0 && !plan_only_reads(plan))
        status = fail(err, STATUS_INVALID, "the statement does not only read");
    else
        status = run_plan(plan, call, err);
    SPI_finish();
    return status;
}

static enum status spi_query(void *self, const struct database_statement *statement,
                             const struct database_rows *rows, uint64_t *affected,
                             struct error *err)
{
    struct query_call call = {statement, rows, affected, ((struct session *)self)->is_function};

    return session_guard(self, query_body, &call, err);
}

/* ----- describe ----- */

struct describe_call {
    struct slice sql;
    struct arena *arena;
    struct database_column **columns;
    size_t *count;
};

static enum status copy_columns(const struct describe_call *call, TupleDesc descriptor,
                                struct error *err)
{
    struct database_column *columns =
        ARENA_NEW(call->arena, struct database_column, (size_t)descriptor->natts + 1);

    if (!columns)
        return fail_no_memory(err);
    for (int i = 0; i < descriptor->natts; i++) {
        const char *name = NameStr(TupleDescAttr(descriptor, i)->attname);

        columns[i].name = arena_copy(call->arena, session_to_utf8(name, strlen(name)));
        columns[i].type = getBaseType(TupleDescAttr(descriptor, i)->atttypid);
        columns[i].kind = value_kind(columns[i].type);
        if (!columns[i].name.data)
            return fail_no_memory(err);
    }
    *call->columns = columns;
    *call->count = (size_t)descriptor->natts;
    return STATUS_OK;
}

static enum status describe_body(struct session *session, void *self, struct error *err)
{
    const struct describe_call *call = self;
    const CachedPlanSource *source = NULL;
    enum status status;
    SPIPlanPtr plan;

    SPI_connect();
    plan = prepare_plan(session, call->sql, false, NULL, 0);
    if (list_length(SPI_plan_get_plan_sources(plan)) == 1)
        source = linitial(SPI_plan_get_plan_sources(plan));
    if (!source || !source->resultDesc)
        status = fail(err, STATUS_INVALID, "the statement returns no rows");
    else
        status = copy_columns(call, source->resultDesc, err);
    SPI_finish();
    return status;
}

static enum status spi_describe(void *self, struct slice sql, struct arena *arena,
                                struct database_column **columns, size_t *count, struct error *err)
{
    struct describe_call call = {sql, arena, columns, count};

    return session_guard(self, describe_body, &call, err);
}

/* ----- one statement with many rows: a subtransaction from prepare to finish ----- */

struct database_prepared {
    struct database_transaction transaction;
    SPIPlanPtr plan;
    char *sql;
    MemoryContext context; /* for one row */
    size_t count;
    Oid *types;
    const struct cell *cells;
    struct error error; /* the error of an execute */
};

static enum status spi_begin(void *self, struct database_transaction *transaction,
                             struct error *err);
static enum status spi_end(void *self, struct database_transaction *transaction, enum status so_far,
                           struct error *err);

struct prepare_call {
    struct slice sql;
    const enum cell_type *types;
    struct database_prepared *prepared;
};

/* The plan outlives this guard's subtransaction, and SPI's memory. */
static enum status prepare_body(struct session *session, void *self, struct error *err)
{
    const struct prepare_call *call = self;
    struct database_prepared *prepared = call->prepared;

    for (size_t i = 0; i < prepared->count; i++)
        prepared->types[i] = type_of_cell(call->types[i]);
    SPI_connect();
    prepared->plan = prepare_plan(session, call->sql, true, prepared->types, prepared->count);
    prepared->sql = MemoryContextStrdup(session->memory, session->sql);
    SPI_keepplan(prepared->plan);
    SPI_finish();
    return STATUS_OK;
}

static enum status spi_prepare(void *self, struct slice sql, const enum cell_type *types,
                               size_t count, struct database_prepared **prepared, struct error *err)
{
    struct session *session = self;
    struct prepare_call call = {sql, types, NULL};
    enum status status;

    call.prepared = MemoryContextAllocZero(session->memory, sizeof *call.prepared);
    call.prepared->count = count;
    call.prepared->types = MemoryContextAllocZero(session->memory, sizeof(Oid) * (count + 1));
    status = session_guard(session, prepare_body, &call, err);
    if (status == STATUS_OK)
        status = spi_begin(session, &call.prepared->transaction, err);
    if (status != STATUS_OK)
        return status;
    call.prepared->context =
        AllocSetContextCreate(session->memory, "totrain rows", ALLOCSET_DEFAULT_SIZES);
    *prepared = call.prepared;
    return STATUS_OK;
}

static void execute_row(void *self)
{
    struct database_prepared *prepared = self;
    Datum *values = palloc0(sizeof *values * (prepared->count + 1));
    char *nulls = palloc0(prepared->count + 1);

    for (size_t i = 0; i < prepared->count; i++) {
        nulls[i] = prepared->cells[i].type == CELL_NULL ? 'n' : ' ';
        values[i] = datum_of_cell(&prepared->cells[i]);
    }
    own_sql_announce((struct own_sql){prepared->sql, true});
    PushActiveSnapshot(GetTransactionSnapshot()); /* SPI wants one below its own */
    SPI_connect();
    refuse(SPI_execute_plan(prepared->plan, values, nulls, false, 0), "the statement");
    SPI_finish();
    PopActiveSnapshot();
}

/* The first error rolls everything back at once; finish returns it. */
static enum status spi_execute(void *self, struct database_prepared *prepared,
                               const struct cell *cells, struct error *err)
{
    struct session *session = self;
    MemoryContext context = MemoryContextSwitchTo(prepared->context);
    ErrorData *interrupt = session->interrupt;

    if (prepared->error.status != STATUS_OK || interrupt) {
        MemoryContextSwitchTo(context);
        return interrupt ? fail(err, STATUS_INTERRUPTED, "interrupted") : STATUS_OK;
    }
    prepared->cells = cells;
    if (session_catch(session, execute_row, prepared, &prepared->error) != STATUS_OK)
        (void)spi_end(session, &prepared->transaction, prepared->error.status, NULL);
    MemoryContextSwitchTo(context);
    MemoryContextReset(prepared->context);
    return STATUS_OK;
}

static enum status spi_finish(void *self, struct database_prepared *prepared, struct error *err)
{
    enum status status = prepared->error.status;

    if (status == STATUS_OK)
        status = spi_end(self, &prepared->transaction, STATUS_OK, err);
    else
        *err = prepared->error;
    SPI_freeplan(prepared->plan);
    MemoryContextDelete(prepared->context);
    return status;
}

/* ----- transactions: always inside of the user's ----- */

static void begin_inner(void *self)
{
    struct database_transaction *transaction = self;

    transaction->is_inner = true;
    transaction->inner[0] = CurrentMemoryContext;
    transaction->inner[1] = CurrentResourceOwner;
    BeginInternalSubTransaction(NULL);
    MemoryContextSwitchTo(transaction->inner[0]);
}

static enum status spi_begin(void *self, struct database_transaction *transaction,
                             struct error *err)
{
    return session_catch(self, begin_inner, transaction, err);
}

static void end_inner(struct database_transaction *transaction, bool commits)
{
    MemoryContext context = CurrentMemoryContext;

    if (commits)
        ReleaseCurrentSubTransaction();
    else
        RollbackAndReleaseCurrentSubTransaction();
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = transaction->inner[1];
}

static void commit_inner(void *self)
{
    end_inner(self, true);
}

static void roll_back_inner(void *self)
{
    end_inner(self, false);
}

static enum status spi_end(void *self, struct database_transaction *transaction, enum status so_far,
                           struct error *err)
{
    struct session *session = self;
    enum status status = so_far;

    if (so_far == STATUS_OK)
        status = session_catch(session, commit_inner, transaction, err);
    if (status != STATUS_OK)
        (void)session_catch(session, roll_back_inner, transaction, NULL);
    return status;
}

/* Unless the door knows that the transaction is its own. */
static enum status spi_settle(void *self, bool *is_so, struct error *err)
{
    (void)self;
    (void)err;
    *is_so = false;
    return STATUS_OK;
}

void database_spi_init(struct session *session)
{
    session->database = (struct database){.self = session,
                                          .checks_types = true,
                                          .loses_transactions = true,
                                          .query = spi_query,
                                          .describe = spi_describe,
                                          .read_model = model_heap_read,
                                          .prepare = spi_prepare,
                                          .execute = spi_execute,
                                          .finish = spi_finish,
                                          .begin = spi_begin,
                                          .end = spi_end,
                                          .settle = spi_settle,
                                          .interrupted = session_interrupted};
}
