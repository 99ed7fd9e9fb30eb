/*
 * The seam to the database through SPI: the caller's own backend.
 *
 * A statement is prepared, so that its columns are known and that it can be
 * asked whether it only reads, and then run into a receiver that gives each row
 * on as it comes: nothing is kept.
 */
#include "postgres_host/session.h"

#include <math.h>

#include "access/detoast.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "tcop/dest.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#define DAYS_1970_TO_2000    (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)
#define MICROSECONDS_OF_DAYS ((int64_t)DAYS_1970_TO_2000 * USECS_PER_DAY)

/* ----- values ----- */

/* How the values of one column become cells. */
struct reading {
    enum pg_kind kind;
    Oid type;
    bool is_varlena;
    FmgrInfo output;
};

static enum pg_kind kind_of(Oid type)
{
    const enum pg_kind kind = pg_kind_of(type);

    return kind == PG_OTHER && get_typtype(type) == TYPTYPE_ENUM ? PG_ENUM : kind;
}

static void reading_init(struct reading *reading, Oid type, enum pg_form form)
{
    Oid output;

    reading->type = getBaseType(type);
    reading->kind = kind_of(reading->type);
    if (form == PG_SHOWN && reading->kind != PG_INTEGER && reading->kind != PG_REAL)
        reading->kind = PG_OTHER;
    getTypeOutputInfo(reading->type, &output, &reading->is_varlena);
    fmgr_info(output, &reading->output);
}

static struct cell text_cell(const char *text, size_t size)
{
    return (struct cell){.type = CELL_TEXT, .text = session_to_utf8(text, size)};
}

static struct cell output_cell(struct reading *reading, Datum value)
{
    const char *text = OutputFunctionCall(&reading->output, value);

    return text_cell(text, strlen(text));
}

static struct cell real_cell(double value)
{
    return (struct cell){.type = CELL_REAL, .real = value};
}

static struct cell integer_cell(int64_t value)
{
    return (struct cell){.type = CELL_INTEGER, .integer = value};
}

static struct cell read_integer(Oid type, Datum value)
{
    switch (type) {
    case INT2OID:
        return integer_cell(DatumGetInt16(value));
    case INT4OID:
        return integer_cell(DatumGetInt32(value));
    case OIDOID:
        return integer_cell(DatumGetObjectId(value));
    default:
        return integer_cell(DatumGetInt64(value));
    }
}

static struct cell read_numeric(struct reading *reading, Datum value)
{
    const char *text = OutputFunctionCall(&reading->output, value);
    double real;

    if (!slice_to_real(slice_of(text), &real))
        real = strtod(text, NULL); /* NaN, Infinity, and what is beyond a double */
    return real_cell(real);
}

static struct cell read_text(struct reading *reading, Datum value)
{
    if (reading->is_varlena) {
        const text *bytes = DatumGetTextPP(value);
        return text_cell(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
    }
    return output_cell(reading, value);
}

static struct cell read_date(DateADT date)
{
    if (DATE_NOT_FINITE(date))
        return real_cell(DATE_IS_NOBEGIN(date) ? -INFINITY : INFINITY);
    return integer_cell((int64_t)date + DAYS_1970_TO_2000);
}

static struct cell read_timestamp(Timestamp timestamp)
{
    if (TIMESTAMP_NOT_FINITE(timestamp))
        return real_cell(TIMESTAMP_IS_NOBEGIN(timestamp) ? -INFINITY : INFINITY);
    return real_cell((double)(timestamp + MICROSECONDS_OF_DAYS) / USECS_PER_SEC);
}

static struct cell read_bytes(Datum value)
{
    const bytea *bytes = DatumGetByteaPP(value);

    return (struct cell){.type = CELL_BLOB, .text = {VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)}};
}

static struct cell read_real(Oid type, Datum value)
{
    return real_cell(type == FLOAT4OID ? (double)DatumGetFloat4(value) : DatumGetFloat8(value));
}

static struct cell read_data(struct reading *reading, Datum value)
{
    switch (reading->kind) {
    case PG_INTEGER:
        return read_integer(reading->type, value);
    case PG_REAL:
        return read_real(reading->type, value);
    case PG_NUMERIC:
        return read_numeric(reading, value);
    case PG_BOOLEAN:
        return integer_cell(DatumGetBool(value));
    case PG_TEXT:
        return read_text(reading, value);
    case PG_ENUM:
    case PG_UUID:
        return output_cell(reading, value);
    case PG_DATE:
        return read_date(DatumGetDateADT(value));
    case PG_TIMESTAMP:
        return read_timestamp(DatumGetTimestamp(value));
    case PG_BYTES:
        return read_bytes(value);
    default:
        return (struct cell){.type = CELL_BLOB, .text = SLICE("")};
    }
}

static struct cell read_shown(struct reading *reading, Datum value)
{
    if (reading->kind == PG_INTEGER)
        return read_integer(reading->type, value);
    if (reading->kind == PG_REAL) {
        struct cell cell = read_real(reading->type, value);
        if (isfinite(cell.real))
            return cell;
    }
    return output_cell(reading, value);
}

/* ----- the receiver of the rows ----- */

struct receiver {
    DestReceiver receiver;
    const struct pg_rows *rows;
    enum pg_form form;
    MemoryContext context; /* of the conversions of one row */
    struct reading *readings;
    struct cell *cells;
    enum status status; /* of the callbacks */
    struct error *err;
};

static enum status give_columns(struct receiver *receiver, TupleDesc descriptor)
{
    struct pg_column *columns = palloc0(sizeof *columns * (descriptor->natts + 1));

    if (!receiver->rows->columns)
        return STATUS_OK;
    for (int i = 0; i < descriptor->natts; i++) {
        const char *name = NameStr(TupleDescAttr(descriptor, i)->attname);
        const Oid type = getBaseType(TupleDescAttr(descriptor, i)->atttypid);

        columns[i] = (struct pg_column){session_to_utf8(name, strlen(name)), type, kind_of(type)};
    }
    return receiver->rows->columns(receiver->rows->self, columns, (size_t)descriptor->natts,
                                   receiver->err);
}

static void receiver_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
    struct receiver *receiver = (struct receiver *)self;

    receiver->readings = palloc0(sizeof *receiver->readings * (descriptor->natts + 1));
    receiver->cells = palloc0(sizeof *receiver->cells * (descriptor->natts + 1));
    for (int i = 0; i < descriptor->natts; i++)
        reading_init(&receiver->readings[i], TupleDescAttr(descriptor, i)->atttypid,
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
        else if (receiver->form == PG_SHOWN)
            receiver->cells[i] = read_shown(&receiver->readings[i], slot->tts_values[i]);
        else
            receiver->cells[i] = read_data(&receiver->readings[i], slot->tts_values[i]);
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

static SPIPlanPtr prepare_plan(struct session *session, struct slice sql, const Oid *types,
                               size_t count)
{
    SPIPlanPtr plan;

    session->sql = session_from_utf8(sql);
    plan = SPI_prepare_cursor(session->sql, (int)count, (Oid *)(uintptr_t)types,
                              CURSOR_OPT_PARALLEL_OK);
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
    const struct pg_statement *statement;
    const struct pg_rows *rows;
    uint64_t *affected;
};

static enum status run_plan(SPIPlanPtr plan, const struct query_call *call, struct error *err)
{
    const struct pg_statement *statement = call->statement;
    struct receiver receiver = {.receiver = {.receiveSlot = receiver_receive,
                                             .rStartup = receiver_startup,
                                             .rShutdown = receiver_nothing,
                                             .rDestroy = receiver_nothing,
                                             .mydest = DestNone},
                                .rows = call->rows,
                                .form = statement->form,
                                .err = err};
    SPIExecuteOptions options = {.params = parameters_of(statement->parameters, statement->count),
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
    const struct pg_statement *statement = call->statement;
    Oid *types = palloc0(sizeof *types * (statement->count + 1));
    enum status status;
    SPIPlanPtr plan;

    for (size_t i = 0; i < statement->count; i++)
        types[i] = type_of_cell(statement->parameters[i].type);
    SPI_connect();
    plan = prepare_plan(session, statement->sql, types, statement->count);
    if (statement->rows_max > 0 && !plan_only_reads(plan))
        status = fail(err, STATUS_INVALID, "the statement does not only read");
    else
        status = run_plan(plan, call, err);
    SPI_finish();
    return status;
}

static enum status spi_query(void *self, const struct pg_statement *statement,
                             const struct pg_rows *rows, uint64_t *affected, struct error *err)
{
    struct query_call call = {statement, rows, affected};

    return session_guard(self, query_body, &call, err);
}

/* ----- describe ----- */

struct describe_call {
    struct slice sql;
    struct arena *arena;
    struct pg_column **columns;
    size_t *count;
};

static enum status copy_columns(const struct describe_call *call, TupleDesc descriptor,
                                struct error *err)
{
    struct pg_column *columns =
        ARENA_NEW(call->arena, struct pg_column, (size_t)descriptor->natts + 1);

    if (!columns)
        return fail_no_memory(err);
    for (int i = 0; i < descriptor->natts; i++) {
        const char *name = NameStr(TupleDescAttr(descriptor, i)->attname);

        columns[i].name = arena_copy(call->arena, session_to_utf8(name, strlen(name)));
        columns[i].type = getBaseType(TupleDescAttr(descriptor, i)->atttypid);
        columns[i].kind = kind_of(columns[i].type);
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
    plan = prepare_plan(session, call->sql, NULL, 0);
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
                                struct pg_column **columns, size_t *count, struct error *err)
{
    struct describe_call call = {sql, arena, columns, count};

    return session_guard(self, describe_body, &call, err);
}

/* ----- one statement with many rows: a subtransaction from prepare to finish ----- */

struct pg_prepared {
    struct pg_transaction transaction;
    SPIPlanPtr plan;
    MemoryContext context; /* of one row */
    size_t count;
    Oid *types;
    const struct cell *cells;
    struct error error; /* of an execute */
};

static enum status spi_begin(void *self, struct pg_transaction *transaction, struct error *err);
static enum status spi_end(void *self, struct pg_transaction *transaction, enum status so_far,
                           struct error *err);

struct prepare_call {
    struct slice sql;
    const enum cell_type *types;
    struct pg_prepared *prepared;
};

/* The plan outlives this guard's subtransaction, and SPI's memory. */
static enum status prepare_body(struct session *session, void *self, struct error *err)
{
    const struct prepare_call *call = self;
    struct pg_prepared *prepared = call->prepared;

    for (size_t i = 0; i < prepared->count; i++)
        prepared->types[i] = type_of_cell(call->types[i]);
    SPI_connect();
    prepared->plan = prepare_plan(session, call->sql, prepared->types, prepared->count);
    SPI_keepplan(prepared->plan);
    SPI_finish();
    return STATUS_OK;
}

static enum status spi_prepare(void *self, struct slice sql, const enum cell_type *types,
                               size_t count, struct pg_prepared **prepared, struct error *err)
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
    struct pg_prepared *prepared = self;
    Datum *values = palloc0(sizeof *values * (prepared->count + 1));
    char *nulls = palloc0(prepared->count + 1);

    for (size_t i = 0; i < prepared->count; i++) {
        nulls[i] = prepared->cells[i].type == CELL_NULL ? 'n' : ' ';
        values[i] = datum_of_cell(&prepared->cells[i]);
    }
    PushActiveSnapshot(GetTransactionSnapshot()); /* SPI wants one below its own */
    SPI_connect();
    refuse(SPI_execute_plan(prepared->plan, values, nulls, false, 0), "the statement");
    SPI_finish();
    PopActiveSnapshot();
}

/* The first error rolls everything back at once; finish returns it. */
static enum status spi_execute(void *self, struct pg_prepared *prepared, const struct cell *cells,
                               struct error *err)
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

static enum status spi_finish(void *self, struct pg_prepared *prepared, struct error *err)
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
    struct pg_transaction *transaction = self;

    transaction->is_inner = true;
    transaction->inner[0] = CurrentMemoryContext;
    transaction->inner[1] = CurrentResourceOwner;
    BeginInternalSubTransaction(NULL);
    MemoryContextSwitchTo(transaction->inner[0]);
}

static enum status spi_begin(void *self, struct pg_transaction *transaction, struct error *err)
{
    return session_catch(self, begin_inner, transaction, err);
}

static void end_inner(struct pg_transaction *transaction, bool commits)
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

static enum status spi_end(void *self, struct pg_transaction *transaction, enum status so_far,
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

void database_spi_init(struct session *session)
{
    session->database = (struct pg_database){.self = session,
                                             .query = spi_query,
                                             .describe = spi_describe,
                                             .prepare = spi_prepare,
                                             .execute = spi_execute,
                                             .finish = spi_finish,
                                             .begin = spi_begin,
                                             .end = spi_end,
                                             .interrupted = session_interrupted};
}
