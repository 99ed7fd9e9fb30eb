#include "extension/sqlite/functions/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/cell_bytes.h"
#include "codegen/model_call.h"
#include "codegen/model_path.h"
#include "extension/sql/models.h"
#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/functions/forecast_series.h"
#include "extension/sqlite/functions/forecast_vtab.h"
#include "extension/sqlite/functions/job_vtab.h"
#include "extension/sqlite/functions/named_values.h"
#include "extension/sqlite/host/each_row.h"
#include "scoring/outputs.h"

/* A function as SQLite knows it. */
struct function {
    const char *name;
    int arguments;
    int flags;
    void (*function)(sqlite3_context *, int, sqlite3_value **);
    enum output output; /* its result, where other functions are computed alike */
};

struct registered {
    struct model_cache *models;
    const struct function *function;
};

static const struct registered *registered(sqlite3_context *context)
{
    return sqlite3_user_data(context);
}

/* One call's place in a statement. */
struct loaded {
    struct model_cache *cache;
    struct cached_model *model; /* held */
    struct named_values named;
    uint64_t rows; /* rows that this statement asked for */
};

static void loaded_free(void *context)
{
    struct loaded *loaded = context;

    named_values_deinit(&loaded->named);
    model_cache_give_back(loaded->cache, loaded->model);
    free(loaded);
}

static struct slice value_slice(sqlite3_value *value)
{
    const bool is_text = sqlite3_value_type(value) == SQLITE_TEXT;
    const char *bytes =
        is_text ? (const char *)sqlite3_value_text(value) : sqlite3_value_blob(value);

    return (struct slice){bytes, (size_t)sqlite3_value_bytes(value)};
}

void function_raise(sqlite3_context *context, const char *function, const struct error *err)
{
    struct text message;

    text_init(&message, 8192);
    text_printf(&message, "%s: %s", function, err->message);
    if (err->hint[0])
        text_printf(&message, "\nHINT:  %s", err->hint);
    sqlite3_result_error(context, text_string(&message), (int)message.size);
    if (err->status == STATUS_INTERRUPTED)
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    else if (err->status == STATUS_NO_MEMORY || message.failed)
        sqlite3_result_error_nomem(context);
    text_deinit(&message);
}

static enum status take_model(struct model_cache *cache, struct slice path, struct loaded **taken,
                              struct error *err)
{
    struct loaded *loaded = calloc(1, sizeof *loaded);
    enum status status;

    if (!loaded)
        return fail_no_memory(err);
    loaded->cache = cache;
    status = model_cache_take(cache, path, &loaded->model, err);
    if (status != STATUS_OK) {
        free(loaded);
        return status;
    }
    *taken = loaded;
    return STATUS_OK;
}

/* The model of argument 0: from this statement's earlier rows, or taken. */
static enum status find_loaded(sqlite3_context *context, sqlite3_value *argument,
                               struct loaded **found, struct error *err)
{
    struct loaded *loaded = sqlite3_get_auxdata(context, 0);

    *found = loaded;
    if (loaded)
        return STATUS_OK;
    if (sqlite3_value_type(argument) != SQLITE_TEXT)
        return fail(err, STATUS_INVALID, "the first argument is the model's name in quotes");
    sqlite3_value_text(argument);
    TRY(take_model(registered(context)->models, value_slice(argument), &loaded, err));
    sqlite3_set_auxdata(context, 0, loaded, loaded_free);
    /* SQLite may have refused to keep it, and freed it, when memory ran out. */
    *found = sqlite3_get_auxdata(context, 0);
    return *found ? STATUS_OK : fail_no_memory(err);
}

/* ----- totrain_row(value, ...): more values than a function takes ----- */

#define ROW_SUBTYPE 'T' /* SQL text cannot forge it */

static void row(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct text bytes;

    text_init(&bytes, TEXT_MAXIMUM);
    for (int i = 0; i < count; i++) {
        struct cell cell;

        sql_value(values[i], &cell);
        cell_put(&bytes, &cell);
    }
    if (bytes.failed)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_blob64(context, text_string(&bytes), bytes.size, SQLITE_TRANSIENT);
    sqlite3_result_subtype(context, ROW_SUBTYPE);
    text_deinit(&bytes);
}

/* The cells of the model's row, as far as they come: fewer or more is counted. */
struct cells {
    struct cell *cells, surplus;
    uint32_t room, count;
};

/* The next cell to fill; one that is thrown away where there is no room. */
static struct cell *next_cell(struct cells *cells)
{
    const uint32_t at = cells->count++;

    return at < cells->room ? &cells->cells[at] : &cells->surplus;
}

static void add_row(struct cells *cells, struct slice bytes)
{
    struct byte_reader reader = byte_reader_over(bytes);

    while (!reader_is_done(&reader) && !reader.failed)
        cell_read(&reader, next_cell(cells));
}

static enum status refuse_count(const struct transform *transform, uint32_t count,
                                struct error *err)
{
    fail(err, STATUS_INVALID, "the model takes %u values after its name, not %u",
         transform->column_count - transform->label_columns, count);
    return hint_inputs(transform, "They are", err);
}

/* Values in the model's order, one each, or several in a totrain_row(). */
static enum status take_in_order(int count, sqlite3_value **values, struct cached_model *model,
                                 struct error *err)
{
    const struct transform *transform = &model->held.model.transform;
    struct cells cells = {.cells = model->cells, .room = transform->column_count};

    for (int i = 0; i < count; i++) {
        struct cell *cell = next_cell(&cells);

        sql_value(values[i], cell);
        if (cell->type == CELL_BLOB && sqlite3_value_subtype(values[i]) == ROW_SUBTYPE) {
            cells.count--;
            add_row(&cells, value_slice(values[i]));
        }
    }
    if (transform->label_columns > 0 && cells.count == cells.room - transform->label_columns)
        transform_add_labels(transform, model->cells);
    else if (cells.count != cells.room)
        return refuse_count(transform, cells.count, err);
    return STATUS_OK;
}

static enum status take_by_name(sqlite3_context *context, int count, sqlite3_value **values,
                                struct loaded *loaded, struct error *err)
{
    named_values_clear(&loaded->named);
    for (int i = 0; i < count; i++)
        TRY(named_values_add(&loaded->named, context, values[i], err));
    return named_values_place(&loaded->named, &loaded->model->held.model.transform,
                              loaded->model->cells, err);
}

/* The model and the row's cells, in found->cells. */
static enum status take_row(sqlite3_context *context, int count, sqlite3_value **values,
                            struct loaded **found, struct error *err)
{
    struct cached_model *model;
    bool are_named;

    if (count < 1)
        return fail(err, STATUS_INVALID, "expected the model's name, then one value per column");
    if (python_signals_stop())
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    TRY(find_loaded(context, values[0], found, err));
    (*found)->rows++;
    model = (*found)->model;
    TRY(values_are_named(values + 1, count - 1, model->held.model.transform.column_count,
                         &are_named, err));
    return are_named ? take_by_name(context, count - 1, values + 1, *found, err)
                     : take_in_order(count - 1, values + 1, model, err);
}

/* The row that cannot be scored is named, with what can be done about it. */
static enum status name_row(const struct loaded *loaded, struct error *err)
{
    const struct error without_row = *err;

    if (err->status != STATUS_INVALID)
        return err->status;
    fail(err, STATUS_INVALID, "row %llu: %.450s", (unsigned long long)loaded->rows,
         without_row.message);
    return error_hint(err, "Leave such rows out in the SELECT; or TO PREDICT new_table.column WITH "
                           "bad_rows = 'quarantine' puts them into a table of their own.");
}

static enum status score(sqlite3_context *context, int count, sqlite3_value **values,
                         struct loaded **found, struct error *err)
{
    struct scorer *scorer;

    TRY(take_row(context, count, values, found, err));
    scorer = &(*found)->model->held.scorer;
    if (scorer_transform(scorer, 0, (*found)->model->cells, err) != STATUS_OK)
        return name_row(*found, err);
    scorer_score(scorer, 1);
    return STATUS_OK;
}

static void result_cell(sqlite3_context *context, struct cell cell)
{
    switch (cell.type) {
    case CELL_INTEGER:
        sqlite3_result_int64(context, cell.integer);
        break;
    case CELL_REAL:
        sqlite3_result_double(context, cell.real);
        break;
    case CELL_TEXT:
    case CELL_BLOB:
        sqlite3_result_text64(context, cell.text.data, cell.text.size, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
        break;
    default:
        sqlite3_result_null(context);
    }
}

/* The reason why this row is not scored; NULL for a row that can be. */
static void problem(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct loaded *loaded;
    struct error err;
    enum status status;

    if (take_row(context, count, values, &loaded, &err) != STATUS_OK) {
        function_raise(context, "totrain_problem", &err);
        return;
    }
    status = scorer_transform(&loaded->model->held.scorer, 0, loaded->model->cells, &err);
    if (status == STATUS_INVALID)
        sqlite3_result_text(context, err.message, -1, SQLITE_TRANSIENT);
    else if (status != STATUS_OK)
        function_raise(context, "totrain_problem", &err);
}

static void result_output(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct function *function = registered(context)->function;
    struct loaded *loaded;
    struct cell cell;
    struct error err;

    if (score(context, count, values, &loaded, &err) != STATUS_OK ||
        scorer_output(&loaded->model->held.scorer, function->output, &loaded->model->held.workspace,
                      &cell, &err) != STATUS_OK)
        function_raise(context, function->name, &err);
    else
        result_cell(context, cell);
}

/* totrain_component('model', input, ..., number) */
static void component(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct loaded *loaded;
    struct cell cell;
    struct error err;

    if (score(context, count - 1, values, &loaded, &err) != STATUS_OK ||
        scorer_component_output(&loaded->model->held.scorer, sqlite3_value_int64(values[count - 1]),
                                &cell, &err) != STATUS_OK)
        function_raise(context, "totrain_component", &err);
    else
        result_cell(context, cell);
}

/* totrain_is_anomaly('model', input, ..., value, level), and the like */
static void result_checked(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct function *function = registered(context)->function;
    struct loaded *loaded;
    struct cell value, cell;
    struct error err;
    enum status status;

    if (count < 3)
        status = fail(&err, STATUS_INVALID,
                      "expected the model's name, one value per column, the "
                      "value that came and a level");
    else
        status = score(context, count - 2, values, &loaded, &err);
    if (status == STATUS_OK) {
        sql_value(values[count - 2], &value);
        status = scorer_checked_output(&loaded->model->held.scorer, function->output, &value,
                                       sqlite3_value_double(values[count - 1]), &cell, &err);
    }
    if (status != STATUS_OK)
        function_raise(context, function->name, &err);
    else
        result_cell(context, cell);
}

/* ----- totrain_fits('model', 'label', 'input', ...) ----- */

static bool names_fit(const struct model *model, int count, sqlite3_value **names)
{
    uint32_t columns = model->transform.column_count;

    if (!slice_equal(value_slice(names[0]), model->label))
        return false;
    for (int i = 1; i < count; i++)
        if ((uint32_t)i > columns ||
            !slice_equal(value_slice(names[i]), model->transform.columns[i - 1]))
            return false;
    return true;
}

static enum status check_fit(struct sqlite_host *host, int count, sqlite3_value **values,
                             struct error *err)
{
    struct slice schema, name;
    struct arena arena;
    struct model model;
    enum status status;

    error_clear(err);
    arena_init(&arena, ARENA_MAXIMUM);
    status = model_path_read(value_slice(values[0]), &arena, &schema, &name, err);
    if (status == STATUS_OK)
        status = sql_load_meta(host, schema, name, &arena, &model, err);
    if (status == STATUS_OK && !names_fit(&model, count - 1, values + 1)) {
        status = fail(err, STATUS_STALE,
                      "the model was replaced by one with other columns since this statement was "
                      "prepared");
        error_hint(err, "Prepare it again; where statements are kept by their text, any change "
                        "of it does, such as a comment.");
    }
    arena_deinit(&arena);
    return status;
}

/* Is the model still what the query around this call was made for? Looked up
 * once a run: the answer is kept with the first argument. */
static void fits(sqlite3_context *context, int count, sqlite3_value **values)
{
    static const char yes[] = "";
    struct error err;

    if (count < 2)
        sqlite3_result_error(context, "totrain_fits: expected model, label and inputs", -1);
    else if (!sqlite3_get_auxdata(context, 0) &&
             check_fit(registered(context)->models->host, count, values, &err) != STATUS_OK)
        function_raise(context, "ToTrain", &err);
    else {
        sqlite3_set_auxdata(context, 0, (void *)yes, NULL);
        sqlite3_result_int(context, 1);
    }
}

/* totrain_call('model'): the call of totrain_predict, to copy. */
static void call(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct loaded *loaded;
    struct error err;
    struct text sql;

    (void)count;
    if (find_loaded(context, values[0], &loaded, &err) != STATUS_OK) {
        function_raise(context, "totrain_call", &err);
        return;
    }
    text_init(&sql, TEXT_MAXIMUM);
    model_call_append(value_slice(values[0]), &loaded->model->held.model.transform, &sql);
    if (sql.failed)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text64(context, text_string(&sql), sql.size, SQLITE_TRANSIENT, SQLITE_UTF8);
    text_deinit(&sql);
}

static void version(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_text(context, TOTRAIN_VERSION, -1, SQLITE_STATIC);
}

static const struct function functions[] = {
    /* They read a table, so they are not deterministic; they change nothing. */
    {"totrain_predict", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_output, OUTPUT_PREDICTION},
    {"totrain_probability", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_output, OUTPUT_PROBABILITY},
    {"totrain_probabilities", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_output,
     OUTPUT_PROBABILITIES},
    {"totrain_logits", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_output, OUTPUT_LOGITS},
    {"totrain_distance", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_output, OUTPUT_DISTANCE},
    {"totrain_quantiles", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_output, OUTPUT_QUANTILES},
    {"totrain_leaf", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_output, OUTPUT_LEAF},
    {"totrain_points", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_output, OUTPUT_POINTS},
    {"totrain_component", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, component, 0},
    {"totrain_forecast_lower", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_checked, OUTPUT_LOWER},
    {"totrain_forecast_upper", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_checked, OUTPUT_UPPER},
    {"totrain_anomaly_probability", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_checked,
     OUTPUT_ANOMALY},
    {"totrain_is_anomaly", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_checked, OUTPUT_IS_ANOMALY},
    {"totrain_shap", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, result_output, OUTPUT_SHAP},
    {"totrain_problem", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, problem, 0},
    {"totrain_fits", -1, SQLITE_UTF8, fits, 0},
    {"totrain_row", -1, SQLITE_UTF8 | SQLITE_SUBTYPE | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, row,
     0},
    {"totrain_named", -1, SQLITE_UTF8 | SQLITE_SUBTYPE | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
     named_values_make, 0},
    {"totrain_call", 1, SQLITE_UTF8, call, 0},
    {"totrain_version", 0, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, version, 0},
};

enum status functions_register(struct sqlite_connection *connection, struct error *err)
{
    sqlite3 *db = connection->db;

    TRY(each_row_register(db, err));
    TRY(job_vtab_register(db, err));
    TRY(forecast_series_register(db, err));
    TRY(forecast_vtab_register(connection, err));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        struct registered *made = sqlite3_malloc64(sizeof *made);
        int code;

        if (!made)
            return fail_no_memory(err);
        *made = (struct registered){&connection->models, &functions[i]};
        code = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments,
                                          functions[i].flags, made, functions[i].function, NULL,
                                          NULL, sqlite3_free);
        if (code != SQLITE_OK)
            return sql_fail(db, code, err);
    }
    return STATUS_OK;
}
