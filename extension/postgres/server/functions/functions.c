/*
 * totrain.predict('model', row) and the other functions that score in a query.
 *
 * The row is a record: of a table (totrain.predict('m', t) FROM t), of a subquery, or
 * ROW(1, 2). Inputs are found by their names; a record without names, as ROW() makes it,
 * holds them in the model's order.
 *
 * The model is that of the statement's own snapshot, and read as the caller. It is taken
 * from the session's cache (model_cache.h) once a statement, and held by the call's place in the
 * query (fn_extra). PL/pgSQL keeps such places from one statement to the next, and calls them as
 * several roles: when anything is different by which the name leads to another model, or to none,
 * it is taken again.
 */
#include "extension/postgres/server/session/session.h"

#include <access/htup_details.h>
#include <access/xact.h>
#include <catalog/pg_type.h>
#include <portability/instr_time.h>
#include <utils/float.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/snapmgr.h>
#include <utils/typcache.h>

#include "codegen/model_call.h"
#include "extension/postgres/server/functions/explain_models.h"
#include "extension/postgres/server/session/model_cache.h"
#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/server/session/values.h"
#include "planner/plan/vectors.h"
#include "scoring/outputs.h"

SQL_FUNCTION(totrain_sql_predict);
SQL_FUNCTION(totrain_sql_predict_as);
SQL_FUNCTION(totrain_sql_probability);
SQL_FUNCTION(totrain_sql_probabilities);
SQL_FUNCTION(totrain_sql_quantiles);
SQL_FUNCTION(totrain_sql_component);
SQL_FUNCTION(totrain_sql_forecast_lower);
SQL_FUNCTION(totrain_sql_forecast_upper);
SQL_FUNCTION(totrain_sql_anomaly_probability);
SQL_FUNCTION(totrain_sql_is_anomaly);
SQL_FUNCTION(totrain_sql_points);
SQL_FUNCTION(totrain_sql_logits);
SQL_FUNCTION(totrain_sql_distance);
SQL_FUNCTION(totrain_sql_leaf);
SQL_FUNCTION(totrain_sql_shap);
SQL_FUNCTION(totrain_sql_as_type);
SQL_FUNCTION(totrain_sql_problem);
SQL_FUNCTION(totrain_sql_call);
SQL_FUNCTION(totrain_sql_version);

/* The caller, the moment of the call, and the snapshot of that moment. */
struct stamp {
    TimestampTz statement; /* the client's: rights may change between two under one snapshot */
    Oid user;
    TransactionId xmin, xmax, own;
    SubTransactionId savepoint; /* after a rollback the snapshot is the same as before */
    CommandId command;
    uint32 running, running_inside; /* transactions; on a standby all are among the latter */
};

/* A column of the record: one input, or the array of several that follow one another. */
struct row_column {
    int attribute;
    uint32_t first; /* input */
    bool is_vector;
    struct vector vector;
    struct value_reader reader;
};

/* The record type that was seen last, and where the inputs are in it. */
struct row_layout {
    Oid type;
    int32 typmod;
    MemoryContext context;
    TupleDesc descriptor;
    struct row_column *columns; /* (column_count) */
    uint32_t column_count;
    struct cell *cells; /* (inputs) */
    Datum *values;
    bool *nulls;
};

/* The type that predict is asked for. */
struct wanted {
    Oid type, parameter;
    FmgrInfo input;
};

struct scoring {
    MemoryContext context; /* holds all but the model, which is malloc'd */
    MemoryContext row;     /* for one call */
    MemoryContextCallback callback;
    char *path;
    struct stamp stamp;
    struct cached_model *model; /* held; NULL: none */
    struct explained_place place;
    struct session session; /* is asked within a row that takes long whether it is interrupted */
    struct stop stop;
    struct row_layout layout;
    struct wanted wanted;
    struct value_reader checked; /* reader of a value that came, of the call's type */
    bool has_checked;
};

/* A query may name another model in each row: predict('m_' || region, t). The ones that were used
 * last stay loaded, newest first. */
#define MODELS_KEPT       16
#define MODELS_KEPT_BYTES ((size_t)256 << 20) /* together, besides the newest one */
struct scorings {
    MemoryContext context;
    struct scoring *models[MODELS_KEPT];
    size_t count;
};

static void throw_error(const struct error *err)
{
    struct session nobody = {.memory = CurrentMemoryContext};

    session_raise(&nobody, err, SLICE(""), false);
}

/* ----- the model ----- */

static void unload(struct scoring *scoring)
{
    if (scoring->model)
        model_cache_give_back(scoring->model);
    scoring->model = NULL;
}

static void unload_at_end(void *scoring)
{
    unload(scoring);
}

static struct stamp stamp_now(void)
{
    const SnapshotData *snapshot = GetActiveSnapshot();
    struct stamp stamp;

    memset(&stamp, 0, sizeof stamp); /* compared as bytes */
    stamp.statement = GetCurrentStatementStartTimestamp();
    stamp.user = GetUserId();
    stamp.xmin = snapshot->xmin;
    stamp.xmax = snapshot->xmax;
    stamp.own = GetTopTransactionIdIfAny();
    stamp.savepoint = GetCurrentSubTransactionId();
    stamp.command = snapshot->curcid;
    stamp.running = snapshot->xcnt;
    stamp.running_inside = (uint32)snapshot->subxcnt;
    return stamp;
}

static struct scoring *scoring_new(MemoryContext parent)
{
    MemoryContext context = AllocSetContextCreate(parent, "totrain model", ALLOCSET_SMALL_SIZES);
    struct scoring *scoring = MemoryContextAllocZero(context, sizeof *scoring);

    scoring->context = context;
    scoring->row = AllocSetContextCreate(context, "totrain row", ALLOCSET_SMALL_SIZES);
    session_init(&scoring->session, true);
    scoring->session.memory = scoring->row;
    scoring->stop = (struct stop){session_interrupted, &scoring->session};
    scoring->callback.func = unload_at_end;
    scoring->callback.arg = scoring;
    MemoryContextRegisterResetCallback(context, &scoring->callback);
    return scoring;
}

/* The next row's type is looked at, whatever it is. */
static void lay_out_nothing(struct scoring *scoring)
{
    struct row_layout *layout = &scoring->layout;

    if (layout->context)
        MemoryContextDelete(layout->context);
    *layout = (struct row_layout){.type = InvalidOid};
}

static bool is_path(const struct scoring *scoring, const text *path)
{
    const size_t size = VARSIZE_ANY_EXHDR(path);

    return scoring->path && strlen(scoring->path) == size &&
           memcmp(scoring->path, VARDATA_ANY(path), size) == 0;
}

static void tell_taken(struct scoring *scoring, bool is_read, instr_time start)
{
    instr_time end;

    INSTR_TIME_SET_CURRENT(end);
    INSTR_TIME_SUBTRACT(end, start);
    explain_models_taken(&scoring->place, scoring->path, scoring->model->held.model.version,
                         is_read, INSTR_TIME_GET_DOUBLE(end));
}

static void take_model(struct scoring *scoring, const text *path, const struct stamp *stamp)
{
    MemoryContext context;
    instr_time start;
    bool is_read;

    unload(scoring);
    INSTR_TIME_SET_CURRENT(start);
    MemoryContextReset(scoring->row);
    context = MemoryContextSwitchTo(scoring->row);
    if (scoring->path)
        pfree(scoring->path);
    scoring->path = NULL;
    scoring->path = MemoryContextStrdup(scoring->context, text_to_cstring(path));
    scoring->stamp = *stamp;
    scoring->model = model_cache_take(path, &is_read);
    MemoryContextSwitchTo(context);
    if (explain_models_counts())
        tell_taken(scoring, is_read, start);
    lay_out_nothing(scoring);
}

/* ----- the models of a call ----- */

static void bring_to_front(struct scorings *scorings, size_t at)
{
    struct scoring *scoring = scorings->models[at];

    memmove(scorings->models + 1, scorings->models, at * sizeof *scorings->models);
    scorings->models[0] = scoring;
}

/* Where it is of those that are there; else the place of one that is to make room. */
static size_t place_of(struct scorings *scorings, const text *path)
{
    for (size_t i = 0; i < scorings->count; i++)
        if (is_path(scorings->models[i], path))
            return i;
    if (scorings->count < MODELS_KEPT) {
        scorings->models[scorings->count] = scoring_new(scorings->context);
        return scorings->count++;
    }
    return MODELS_KEPT - 1;
}

/* The first stays in any case, and of the others those that were used last. */
static void give_back_memory(struct scorings *scorings)
{
    const size_t most =
        settings.max_memory > 0 ? (size_t)settings.max_memory * 1024 : MODELS_KEPT_BYTES;
    size_t bytes = held_model_bytes(&scorings->models[0]->model->held);

    for (size_t i = 1; i < scorings->count; i++) {
        struct scoring *scoring = scorings->models[i];

        bytes += scoring->model ? held_model_bytes(&scoring->model->held) : 0;
        if (bytes > most)
            unload(scoring);
    }
}

static struct scorings *scorings_of(FmgrInfo *function)
{
    if (!function->fn_extra) {
        struct scorings *scorings = MemoryContextAllocZero(function->fn_mcxt, sizeof *scorings);

        scorings->context = function->fn_mcxt;
        function->fn_extra = scorings;
    }
    return function->fn_extra;
}

static struct scoring *find_scoring(FunctionCallInfo fcinfo)
{
    struct scorings *scorings = scorings_of(fcinfo->flinfo);
    const text *path = PG_GETARG_TEXT_PP(0);
    const struct stamp stamp = stamp_now();
    struct scoring *scoring;

    bring_to_front(scorings, place_of(scorings, path));
    scoring = scorings->models[0];
    if (scoring->model && is_path(scoring, path) &&
        memcmp(&stamp, &scoring->stamp, sizeof stamp) == 0)
        return scoring;
    take_model(scoring, path, &stamp);
    give_back_memory(scorings);
    return scoring;
}

/* ----- the row ----- */

/* ROW(...) names its columns f1, f2, ... */
static bool has_no_names(TupleDesc descriptor)
{
    for (int i = 0; i < descriptor->natts; i++) {
        char name[NAMEDATALEN];

        snprintf(name, sizeof name, "f%d", i + 1);
        if (strcmp(NameStr(TupleDescAttr(descriptor, i)->attname), name) != 0)
            return false;
    }
    return true;
}

static int find_attribute(TupleDesc descriptor, struct slice name)
{
    const char *wanted = session_from_utf8(name);

    for (int i = 0; i < descriptor->natts; i++)
        if (!TupleDescAttr(descriptor, i)->attisdropped &&
            strcmp(NameStr(TupleDescAttr(descriptor, i)->attname), wanted) == 0)
            return i;
    return -1;
}

static void refuse_row(const struct scoring *scoring, TupleDesc descriptor, struct slice missing,
                       bool is_nameless)
{
    const struct transform *transform = &scoring->model->held.model.transform;
    StringInfoData names;

    initStringInfo(&names);
    for (uint32_t i = 0; i < transform->column_count && names.len < 400; i++)
        appendStringInfo(&names, "%s%s", i ? ", " : "", session_from_utf8(transform->columns[i]));
    if (is_nameless)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the model takes %u values, not %d", transform->column_count,
                               descriptor->natts),
                        errhint("They are %s.", names.data)));
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                    errmsg("the row has no column \"%s\", which the model takes",
                           session_from_utf8(missing)),
                    errhint("The model takes %s.", names.data)));
}

/* How many inputs from this one on are the elements 1, 2, ... of the same vector; 0: none. */
static uint32_t vector_at(const struct transform *transform, uint32_t first, struct slice *name)
{
    uint32_t count = 0, element;
    struct slice other;

    while (first + count < transform->column_count &&
           vector_element_name(transform->columns[first + count], &other, &element) &&
           element == count + 1 && (count == 0 || slice_equal(other, *name))) {
        *name = other;
        count++;
    }
    return count;
}

static void add_column(struct row_layout *layout, int attribute, uint32_t first,
                       const struct vector *vector)
{
    struct row_column *column = &layout->columns[layout->column_count++];

    *column = (struct row_column){.attribute = attribute, .first = first};
    if (vector) {
        column->is_vector = true;
        column->vector = *vector;
    }
    value_reader_init(&column->reader, TupleDescAttr(layout->descriptor, attribute)->atttypid,
                      FORM_DATA);
}

/* By its name, or as an element of an array. How many inputs were found. */
static uint32_t find_named(const struct transform *transform, struct row_layout *layout, uint32_t i)
{
    struct vector vector = {.size = 0};
    int at = find_attribute(layout->descriptor, transform->columns[i]);

    if (at >= 0) {
        add_column(layout, at, i, NULL);
        return 1;
    }
    vector.size = vector_at(transform, i, &vector.name);
    at = vector.size > 0 ? find_attribute(layout->descriptor, vector.name) : -1;
    if (at >= 0)
        add_column(layout, at, i, &vector);
    return at >= 0 ? vector.size : 0;
}

/* ROW(...): one value for each input, or for each vector and each other input. */
static bool find_nameless(const struct transform *transform, struct row_layout *layout)
{
    const uint32_t natts = (uint32_t)layout->descriptor->natts;

    layout->column_count = 0;
    if (natts == transform->column_count ||
        natts == transform->column_count - transform->label_columns) {
        const bool has_labels = natts == transform->column_count;

        for (uint32_t i = 0, at = 0; i < transform->column_count; i++)
            if (has_labels || !transform_is_label(transform, i))
                add_column(layout, (int)at++, i, NULL);
        return true;
    }
    for (uint32_t i = 0, at = 0; at < natts; at++) {
        struct vector vector = {.size = 0};

        if (i == transform->column_count)
            break;
        vector.size = vector_at(transform, i, &vector.name);
        add_column(layout, (int)at, i, vector.size > 0 ? &vector : NULL);
        i += vector.size > 0 ? vector.size : 1;
        if (at + 1 == natts && i == transform->column_count)
            return true;
    }
    return false;
}

static void find_inputs(const struct scoring *scoring, struct row_layout *layout)
{
    const struct transform *transform = &scoring->model->held.model.transform;
    const bool is_nameless = has_no_names(layout->descriptor);
    uint32_t found = 1, i;

    for (i = 0; i < transform->column_count && found > 0; i += found) {
        found = find_named(transform, layout, i);
        if (found == 0 && transform_is_label(transform, i))
            found = 1; /* its cell stays NULL */
    }
    if (found == 0 && !(is_nameless && find_nameless(transform, layout)))
        refuse_row(scoring, layout->descriptor, transform->columns[i], is_nameless);
}

static void lay_out(struct scoring *scoring, Oid type, int32 typmod)
{
    const size_t inputs = scoring->model->held.model.transform.column_count + 1;
    struct row_layout *layout = &scoring->layout;
    MemoryContext context;

    lay_out_nothing(scoring);
    layout->context =
        AllocSetContextCreate(scoring->context, "totrain row type", ALLOCSET_SMALL_SIZES);
    context = MemoryContextSwitchTo(layout->context);
    layout->descriptor = lookup_rowtype_tupdesc_copy(type, typmod);
    layout->columns = palloc0(sizeof *layout->columns * inputs);
    layout->cells = palloc0(sizeof *layout->cells * inputs);
    layout->values = palloc(sizeof *layout->values * (layout->descriptor->natts + 1));
    layout->nulls = palloc(layout->descriptor->natts + 1);
    find_inputs(scoring, layout);
    layout->type = type;
    layout->typmod = typmod;
    MemoryContextSwitchTo(context);
}

/* Most tables are of double precision: a cell of 40 bytes is filled as far as it counts. */
static void take_value(const struct row_layout *layout, struct row_column *column,
                       struct cell *cell)
{
    const int at = column->attribute;

    if (layout->nulls[at]) {
        cell->type = CELL_NULL;
    } else if (column->reader.type == FLOAT8OID) {
        cell->type = CELL_REAL;
        cell->real = DatumGetFloat8(layout->values[at]);
    } else {
        *cell = value_read(&column->reader, layout->values[at]);
    }
}

/* One value, or the elements of an array. */
static enum status take_column(struct row_layout *layout, struct row_column *column,
                               struct error *err)
{
    struct cell *cells = &layout->cells[column->first], array;

    if (!column->is_vector) {
        take_value(layout, column, cells);
        return STATUS_OK;
    }
    take_value(layout, column, &array);
    return vector_spread(&column->vector, &array, cells, err);
}

/* Into layout.cells; texts live until the next call. */
static enum status take_row(struct scoring *scoring, HeapTupleHeader record, struct error *err)
{
    enum status status = STATUS_OK;
    const Oid type = HeapTupleHeaderGetTypeId(record);
    const int32 typmod = HeapTupleHeaderGetTypMod(record);
    struct row_layout *layout = &scoring->layout;
    HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(record), .t_data = record};
    MemoryContext context;

    if (layout->type != type || layout->typmod != typmod)
        lay_out(scoring, type, typmod);
    heap_deform_tuple(&tuple, layout->descriptor, layout->values, layout->nulls);
    MemoryContextReset(scoring->row);
    context = MemoryContextSwitchTo(scoring->row);
    for (uint32_t i = 0; i < layout->column_count && status == STATUS_OK; i++)
        status = take_column(layout, &layout->columns[i], err);
    MemoryContextSwitchTo(context);
    return status;
}

/* The row, ready to be scored. *scoring is NULL where the model's name or the row is. */
static enum status take_arguments(FunctionCallInfo fcinfo, struct scoring **scoring,
                                  struct error *err)
{
    *scoring = NULL;
    error_clear(err);
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return STATUS_OK;
    *scoring = find_scoring(fcinfo);
    TRY(take_row(*scoring, PG_GETARG_HEAPTUPLEHEADER(1), err));
    if (explain_models_counts())
        explain_models_row(&(*scoring)->place, (*scoring)->path,
                           (*scoring)->model->held.model.version);
    if (scorer_transform(&(*scoring)->model->held.scorer, 0, (*scoring)->layout.cells, err) ==
        STATUS_INVALID)
        return error_hint(err, "Leave such rows out in the SELECT; or TO PREDICT new_table.column "
                               "WITH bad_rows = 'quarantine' puts them into a table of their own.");
    return err->status;
}

/* ----- the functions ----- */

/* False: there is no row. */
static bool score_row(FunctionCallInfo fcinfo, struct scoring **scoring)
{
    struct error err;

    if (take_arguments(fcinfo, scoring, &err) != STATUS_OK)
        throw_error(&err);
    if (*scoring)
        scorer_score(&(*scoring)->model->held.scorer, 1);
    return *scoring != NULL;
}

/* PL/pgSQL may catch a cancelled query and call again with what is kept: the interrupt is not. */
static void throw_of_row(struct scoring *scoring, const struct error *err)
{
    struct session thrower = scoring->session;

    scoring->session.interrupt = NULL;
    session_raise(&thrower, err, SLICE(""), false);
}

static bool score(FunctionCallInfo fcinfo, enum output output, struct scoring **scoring,
                  struct cell *cell)
{
    struct error err;

    if (!score_row(fcinfo, scoring))
        return false;
    (*scoring)->model->held.workspace.stop = &(*scoring)->stop;
    if (scorer_output(&(*scoring)->model->held.scorer, output, &(*scoring)->model->held.workspace,
                      cell, &err) != STATUS_OK)
        throw_of_row(*scoring, &err);
    return cell->type != CELL_NULL;
}

/* Labels that are numbers to the model, and were something else in their table. */
static Oid declared_type(const struct scoring *scoring)
{
    static const struct {
        const char *name;
        Oid type;
    } types[] = {{"pg_catalog.bool", BOOLOID},
                 {"pg_catalog.date", DATEOID},
                 {"pg_catalog.\"timestamp\"", TIMESTAMPOID},
                 {"pg_catalog.timestamptz", TIMESTAMPTZOID}};

    for (size_t i = 0; i < lengthof(types); i++)
        if (slice_is(scoring->model->held.model.label_declared, types[i].name))
            return types[i].type;
    return InvalidOid;
}

/* Is this prediction one of them? As values.c reads them, the other way round. */
static bool label_datum(const struct scoring *scoring, const struct cell *cell, Datum *datum)
{
    const Oid type = declared_type(scoring);

    if (type == BOOLOID && cell->type == CELL_INTEGER &&
        (cell->integer == 0 || cell->integer == 1)) {
        *datum = BoolGetDatum(cell->integer == 1);
        return true;
    }
    if (type == DATEOID && cell->type == CELL_INTEGER)
        return value_write_date(cell->integer, datum);
    if ((type == TIMESTAMPOID || type == TIMESTAMPTZOID) && cell->type == CELL_REAL)
        return value_write_timestamp(cell->real, datum);
    return false;
}

/* The text of a label, as a cast to text gives it. */
static char *label_string(const struct scoring *scoring, Datum datum)
{
    Oid output;
    bool is_varlena;

    if (declared_type(scoring) == BOOLOID)
        return pstrdup(DatumGetBool(datum) ? "true" : "false");
    getTypeOutputInfo(declared_type(scoring), &output, &is_varlena);
    return OidOutputFunctionCall(output, datum);
}

static char *cell_string_of(const struct cell *cell)
{
    if (cell->type == CELL_INTEGER)
        return psprintf(INT64_FORMAT, cell->integer);
    if (cell->type == CELL_REAL)
        return float8out_internal(cell->real);
    return session_from_utf8(cell->text);
}

/* A function of SQL whose result is this output. */
#define OUTPUT_FUNCTION(name, result, output)                                                      \
    Datum name(PG_FUNCTION_ARGS)                                                                   \
    {                                                                                              \
        return result(fcinfo, output);                                                             \
    }

static Datum text_output(FunctionCallInfo fcinfo, enum output output)
{
    struct scoring *scoring;
    struct cell cell;
    Datum label;

    if (!score(fcinfo, output, &scoring, &cell))
        PG_RETURN_NULL();
    if (output == OUTPUT_PREDICTION && label_datum(scoring, &cell, &label))
        return CStringGetTextDatum(label_string(scoring, label));
    return CStringGetTextDatum(cell_string_of(&cell));
}

OUTPUT_FUNCTION(totrain_sql_predict, text_output, OUTPUT_PREDICTION)
OUTPUT_FUNCTION(totrain_sql_probabilities, text_output, OUTPUT_PROBABILITIES)
OUTPUT_FUNCTION(totrain_sql_logits, text_output, OUTPUT_LOGITS)
OUTPUT_FUNCTION(totrain_sql_quantiles, text_output, OUTPUT_QUANTILES)
OUTPUT_FUNCTION(totrain_sql_leaf, text_output, OUTPUT_LEAF)
OUTPUT_FUNCTION(totrain_sql_shap, text_output, OUTPUT_SHAP)

static Datum real_output(FunctionCallInfo fcinfo, enum output output)
{
    struct scoring *scoring;
    struct cell cell;

    if (!score(fcinfo, output, &scoring, &cell))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(cell.real);
}

OUTPUT_FUNCTION(totrain_sql_probability, real_output, OUTPUT_PROBABILITY)
OUTPUT_FUNCTION(totrain_sql_distance, real_output, OUTPUT_DISTANCE)
OUTPUT_FUNCTION(totrain_sql_points, real_output, OUTPUT_POINTS)

/* The component that has the number of the third argument. */
Datum totrain_sql_component(PG_FUNCTION_ARGS)
{
    struct scoring *scoring;
    struct cell cell;
    struct error err;

    if (PG_ARGISNULL(2) || !score_row(fcinfo, &scoring))
        PG_RETURN_NULL();
    if (scorer_component_output(&scoring->model->held.scorer, PG_GETARG_INT32(2), &cell, &err) !=
        STATUS_OK)
        throw_error(&err);
    if (cell.type == CELL_TEXT)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("label %d of the model is a text", PG_GETARG_INT32(2)),
                        errhint("totrain.predict gives all labels as JSON.")));
    PG_RETURN_FLOAT8(cell.type == CELL_INTEGER ? (double)cell.integer : cell.real);
}

/* The value that came, of the third argument's type; NULL: none did. */
static struct cell value_that_came(FunctionCallInfo fcinfo, struct scoring *scoring)
{
    struct cell cell = {.type = CELL_NULL};
    MemoryContext context;

    if (PG_ARGISNULL(2))
        return cell;
    if (!scoring->has_checked) {
        value_reader_init(&scoring->checked, get_fn_expr_argtype(fcinfo->flinfo, 2), FORM_DATA);
        scoring->has_checked = true;
    }
    context = MemoryContextSwitchTo(scoring->row);
    cell = value_read(&scoring->checked, PG_GETARG_DATUM(2));
    MemoryContextSwitchTo(context);
    return cell;
}

/* NULL where the row has no forecast. */
static bool score_checked(FunctionCallInfo fcinfo, enum output output, struct cell *cell)
{
    struct scoring *scoring;
    struct cell value;
    struct error err;

    if (PG_ARGISNULL(3) || !score_row(fcinfo, &scoring))
        return false;
    value = value_that_came(fcinfo, scoring);
    if (scorer_checked_output(&scoring->model->held.scorer, output, &value, PG_GETARG_FLOAT8(3),
                              cell, &err) != STATUS_OK)
        throw_error(&err);
    return cell->type != CELL_NULL;
}

static Datum real_checked(FunctionCallInfo fcinfo, enum output output)
{
    struct cell cell;

    if (!score_checked(fcinfo, output, &cell))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(cell.real);
}

OUTPUT_FUNCTION(totrain_sql_forecast_lower, real_checked, OUTPUT_LOWER)
OUTPUT_FUNCTION(totrain_sql_forecast_upper, real_checked, OUTPUT_UPPER)
OUTPUT_FUNCTION(totrain_sql_anomaly_probability, real_checked, OUTPUT_ANOMALY)

Datum totrain_sql_is_anomaly(PG_FUNCTION_ARGS)
{
    struct cell cell;

    if (!score_checked(fcinfo, OUTPUT_IS_ANOMALY, &cell))
        PG_RETURN_NULL();
    PG_RETURN_BOOL(cell.integer == 1);
}

static const struct wanted *wanted_type(FunctionCallInfo fcinfo, struct scoring *scoring)
{
    struct wanted *wanted = &scoring->wanted;
    Oid input;

    if (OidIsValid(wanted->type))
        return wanted;
    wanted->type = get_fn_expr_argtype(fcinfo->flinfo, 2);
    getTypeInputInfo(wanted->type, &input, &wanted->parameter); /* a domain checks its value */
    fmgr_info_cxt(input, &wanted->input, scoring->context);
    return wanted;
}

/* In the type of the third argument, whose value does not matter. */
Datum totrain_sql_predict_as(PG_FUNCTION_ARGS)
{
    const struct wanted *wanted;
    struct scoring *scoring;
    struct cell cell;
    Datum label;

    if (!score(fcinfo, OUTPUT_PREDICTION, &scoring, &cell))
        PG_RETURN_NULL();
    wanted = wanted_type(fcinfo, scoring);
    if (wanted->type == INT8OID && cell.type == CELL_INTEGER)
        PG_RETURN_INT64(cell.integer);
    if (wanted->type == INT4OID && cell.type == CELL_INTEGER && cell.integer >= PG_INT32_MIN &&
        cell.integer <= PG_INT32_MAX)
        PG_RETURN_INT32((int32)cell.integer);
    if (wanted->type == FLOAT8OID && cell.type == CELL_REAL)
        PG_RETURN_FLOAT8(cell.real);
    if (wanted->type == FLOAT8OID && cell.type == CELL_INTEGER)
        PG_RETURN_FLOAT8((double)cell.integer);
    if (wanted->type == declared_type(scoring) && label_datum(scoring, &cell, &label))
        return label;
    return InputFunctionCall(&scoring->wanted.input, cell_string_of(&cell), wanted->parameter, -1);
}

struct conversion {
    FmgrInfo input;
    Oid parameter;
};

static struct conversion *conversion_of(FunctionCallInfo fcinfo)
{
    struct conversion *conversion = fcinfo->flinfo->fn_extra;
    Oid input;

    if (conversion)
        return conversion;
    conversion = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof *conversion);
    getTypeInputInfo(get_fn_expr_argtype(fcinfo->flinfo, 1), &input, &conversion->parameter);
    fmgr_info_cxt(input, &conversion->input, fcinfo->flinfo->fn_mcxt);
    fcinfo->flinfo->fn_extra = conversion;
    return conversion;
}

/* By the type's input function, never by a cast, which its owner may have made. */
Datum totrain_sql_as_type(PG_FUNCTION_ARGS)
{
    struct conversion *conversion;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    conversion = conversion_of(fcinfo);
    return InputFunctionCall(&conversion->input, text_to_cstring(PG_GETARG_TEXT_PP(0)),
                             conversion->parameter, -1);
}

/* The reason that keeps this row from being scored; NULL for a row that can be. */
Datum totrain_sql_problem(PG_FUNCTION_ARGS)
{
    struct scoring *scoring;
    struct error err;
    enum status status = take_arguments(fcinfo, &scoring, &err);

    if (!scoring || status == STATUS_OK)
        PG_RETURN_NULL();
    if (status != STATUS_INVALID)
        throw_error(&err);
    return CStringGetTextDatum(session_from_utf8(slice_of(err.message)));
}

/* The call of totrain.predict with all inputs, to copy. */
Datum totrain_sql_call(PG_FUNCTION_ARGS)
{
    const struct scoring *scoring;
    struct slice path;
    struct text sql;
    char *copied = NULL;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    scoring = find_scoring(fcinfo);
    path = session_to_utf8(scoring->path, strlen(scoring->path));
    text_init(&sql, TEXT_MAXIMUM); /* malloc'd: nothing below throws before it is freed */
    model_call_append_postgres(path, &scoring->model->held.model.transform, &sql);
    if (!sql.failed)
        copied = palloc_extended(sql.size + 1, MCXT_ALLOC_NO_OOM);
    if (copied)
        memcpy(copied, sql.data, sql.size + 1);
    text_deinit(&sql);
    if (!copied)
        ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"));
    return CStringGetTextDatum(session_from_utf8(slice_of(copied)));
}

Datum totrain_sql_version(PG_FUNCTION_ARGS)
{
    return CStringGetTextDatum(TOTRAIN_VERSION);
}
