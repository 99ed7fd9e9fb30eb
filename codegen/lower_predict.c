#include "codegen/lower_predict.h"

#include <stdio.h>
#include <string.h>

#include "codegen/lower_sql.h"
#include "codegen/model_call.h"
#include "codegen/model_path.h"
#include "planner/plan/dialect.h"
#include "planner/plan/plan.h"
#include "scoring/outputs.h"

static void append_column(struct text *sql, struct slice name)
{
    text_append_string(sql, "q.");
    text_append_identifier(sql, name);
}

static void append_input(const void *self, size_t input, struct text *sql)
{
    const struct plan *plan = self;

    if (plan->model_columns[input] < 0) {
        text_append_string(sql, "NULL"); /* a label that the query does not have */
        return;
    }
    append_column(sql, plan->query.columns[plan->model_columns[input]].name);
}

static bool is_of_reals(const struct plan *plan)
{
    return plan->model.task == TASK_REGRESSION || plan->model.task == TASK_PROJECTION ||
           plan->model.label_type == LABEL_REAL;
}

/* The type of a prediction in PostgreSQL: that of its labels. */
static struct slice type_of_prediction(const struct plan *plan)
{
    if (plan->model.label_declared.size > 0)
        return plan->model.label_declared;
    if (is_of_reals(plan))
        return SLICE("pg_catalog.float8");
    return plan->model.label_type == LABEL_TEXT ? SLICE("pg_catalog.text")
                                                : SLICE("pg_catalog.int8");
}

/* The value that came, and the level that tells an anomaly. */
static void append_checked(const struct plan *plan, struct text *sql)
{
    const struct dialect *dialect = dialect_of(plan->dialect);

    text_append_string(sql, ", ");
    append_column(sql, plan->query.columns[plan->checked_column].name);
    text_append_string(sql, dialect->takes_rows ? ", '" : ", ");
    text_append_real(sql, plan->anomaly);
    text_append_string(sql, dialect->end_of_real);
}

/* totrain.predict(E'model', q.*, NULL::pg_catalog.int8): PostgreSQL hands over the row as
 * it is, and the function finds the inputs by their names. */
static void append_postgres_call(const struct plan *plan, const char *function, struct slice path,
                                 uint32_t number, bool is_checked, struct text *sql)
{
    text_printf(sql, "totrain.%s(", function);
    lower_literal(path, sql);
    text_append_string(sql, ", q.*"); /* q alone may be a column of that name */
    if (slice_is(slice_of(function), "predict"))
        text_printf(sql, ", NULL::%.*s", SLICE_FORMAT(type_of_prediction(plan)));
    if (number > 0)
        text_printf(sql, ", %u", number);
    if (is_checked)
        append_checked(plan, sql);
    text_append_char(sql, ')');
}

/* totrain_function('model', q."a", q."b"), or with more inputs
 * totrain_function('model', totrain_row(q."a", ...), totrain_row(...)). A number that is not 0, and
 * of outputs that are about it the value that came, stand behind them. */
static void append_with_more(const struct plan *plan, const char *function, struct slice path,
                             uint32_t number, bool is_checked, struct text *sql)
{
    if (dialect_of(plan->dialect)->takes_rows) {
        append_postgres_call(plan, function, path, number, is_checked, sql);
        return;
    }
    text_printf(sql, "totrain_%s(", function);
    text_append_literal(sql, path);
    model_call_append_inputs(plan->model.input_count, append_input, plan, sql);
    if (number > 0)
        text_printf(sql, ", %u", number);
    if (is_checked)
        append_checked(plan, sql);
    text_append_char(sql, ')');
}

static void append_function(const struct plan *plan, const char *function, struct slice path,
                            struct text *sql)
{
    append_with_more(plan, function, path, 0, false, sql);
}

static void append_call(const struct plan *plan, const char *function, struct slice path,
                        struct slice name, struct text *sql)
{
    append_function(plan, function, path, sql);
    text_append_string(sql, " AS ");
    text_append_identifier(sql, name);
}

static bool is_of_catalog(struct slice type)
{
    static const char schema[] = "pg_catalog.";

    return type.size > sizeof schema - 1 && memcmp(type.data, schema, sizeof schema - 1) == 0;
}

/* An output's text in its type, as totrain.predict gives it. */
static void append_typed(struct slice type, const char *output, struct text *sql)
{
    if (slice_is(type, "pg_catalog.date"))
        text_printf(sql,
                    "pg_catalog.date '1970-01-01' OPERATOR(pg_catalog.+) "
                    "%s::pg_catalog.int4",
                    output);
    else if (slice_is(type, "pg_catalog.timestamptz"))
        text_printf(sql, "pg_catalog.to_timestamp(%s::pg_catalog.float8)", output);
    else if (slice_is(type, "pg_catalog.\"timestamp\""))
        text_printf(sql,
                    "pg_catalog.timezone('UTC', "
                    "pg_catalog.to_timestamp(%s::pg_catalog.float8))",
                    output);
    else if (is_of_catalog(type))
        text_printf(sql, "%s::%.*s", output, SLICE_FORMAT(type));
    else /* an enum of any role: a cast could be a function of its owner's */
        text_printf(sql, "totrain.as_type(%s, NULL::%.*s)", output, SLICE_FORMAT(type));
}

/* A class, written in the way that PREDICT gives it. */
static void append_class(const struct plan *plan, uint32_t class, struct text *sql)
{
    const struct cell *cell = &plan->model.classes[class];
    struct text value, literal;

    text_init(&value, TEXT_MAXIMUM);
    text_init(&literal, TEXT_MAXIMUM);
    if (cell->type == CELL_TEXT)
        text_append(&value, cell->text);
    else if (cell->type == CELL_INTEGER)
        text_printf(&value, "%lld", (long long)cell->integer);
    else
        text_append_real(&value, cell->real);
    if (plan->dialect == SQL_POSTGRES) {
        lower_literal(text_slice(&value), &literal);
        append_typed(type_of_prediction(plan), text_string(&literal), sql);
    } else if (cell->type == CELL_TEXT) {
        text_append_literal(sql, text_slice(&value));
    } else if (cell->type == CELL_REAL) {
        text_printf(sql, "CAST(%s AS REAL)", text_string(&value));
    } else {
        text_append(sql, text_slice(&value));
    }
    sql->failed = sql->failed || value.failed || literal.failed;
    text_deinit(&value);
    text_deinit(&literal);
}

/* The type of one of several labels in PostgreSQL. */
static struct slice type_of_head(const struct plan *plan, uint32_t head)
{
    switch (plan->model.heads[head].type) {
    case INPUT_LABEL_TEXT:
        return SLICE("pg_catalog.text");
    case INPUT_LABEL_INTEGER:
        return SLICE("pg_catalog.int8");
    default:
        return SLICE("pg_catalog.float8");
    }
}

static bool has_postgres_heads(const struct plan *plan)
{
    return plan->model.heads && dialect_of(plan->dialect)->takes_rows;
}

/* All predictions of the row, which are JSON: OFFSET keeps them one value of the row, which is
 * computed once. Where the labels are not several there is nothing to join. */
static void append_postgres_heads(const struct plan *plan, struct slice path, struct text *sql)
{
    if (!has_postgres_heads(plan))
        return;
    text_append_string(sql, " CROSS JOIN LATERAL (SELECT totrain.predict(");
    lower_literal(path, sql);
    text_append_string(sql, ", q.*)::pg_catalog.json AS all_labels OFFSET 0) AS predicted");
}

/* One of several labels, taken of all predictions of the row. */
static void append_postgres_head(const struct plan *plan, uint32_t head, struct text *sql)
{
    text_append_string(sql, "pg_catalog.json_extract_path_text(predicted.all_labels, ");
    lower_literal(plan->model.heads[head].name, sql);
    text_printf(sql, ")::%.*s", SLICE_FORMAT(type_of_head(plan, head)));
}

static void append_components(const struct plan *plan, struct slice path, struct text *sql)
{
    for (uint32_t i = 0; i < plan->model.component_count; i++) {
        text_append_string(sql, i > 0 ? ", " : "");
        if (has_postgres_heads(plan))
            append_postgres_head(plan, i, sql);
        else
            append_with_more(plan, "component", path, i + 1, false, sql);
        text_append_string(sql, " AS ");
        text_append_identifier(sql, plan->components[i]);
    }
}

/* The prediction; with a threshold by the probability of the positive class. */
static void append_prediction(const struct plan *plan, struct slice path, struct text *sql)
{
    const struct dialect *dialect = dialect_of(plan->dialect);

    if (plan->model.component_count > 0) {
        append_components(plan, path, sql);
        return;
    }
    if (!plan->has_threshold) {
        append_call(plan, "predict", path, plan->target_column, sql);
        return;
    }
    text_append_string(sql, "CASE WHEN ");
    append_function(plan, "probability", path, sql);
    text_append_string(sql, dialect->at_least);
    text_append_real(sql, plan->threshold);
    text_append_string(sql, dialect->end_of_real);
    text_append_string(sql, " THEN ");
    append_class(plan, plan->model.positive, sql);
    text_append_string(sql, " ELSE ");
    append_class(plan, 1 - plan->model.positive, sql);
    text_append_string(sql, " END AS ");
    text_append_identifier(sql, plan->target_column);
}

/* `after` begins with the end of a line, which closes a comment at the SELECT's end. */
static void append_select(const struct plan *plan, const char *before, const char *after,
                          struct text *sql)
{
    text_append_string(sql, before);
    text_append(sql, plan->select);
    text_append_string(sql, after);
}

static void append_stage(const struct plan *plan, struct text *sql)
{
    text_printf(sql, " FROM %s" PREDICT_STAGE " AS q", dialect_of(plan->dialect)->temporary);
}

static void append_where_reason(const char *condition, struct text *sql)
{
    text_printf(sql, " WHERE q.\"" QUARANTINE_REASON "\" %s", condition);
}

/* Without MATERIALIZED SQLite may read a column of random() anew in each place
 * that names it: the row would not be the one that was scored. */
#define KEPT_BEGIN "WITH q AS MATERIALIZED ("
#define KEPT_END   "\n) "

enum status lower_predict(const struct plan *plan, struct text *sql, struct error *err)
{
    const bool is_kept = plan->query.is_volatile && plan->quarantine_table.size == 0;
    struct text path;

    text_init(&path, TEXT_MAXIMUM);
    model_path_write(plan->model_schema, plan->model_name, &path);
    if (is_kept)
        append_select(plan, KEPT_BEGIN, KEPT_END, sql);
    text_append_string(sql, "SELECT ");
    for (size_t i = 0; i < plan->query.count; i++) {
        if ((int)i == plan->label_column)
            continue;
        append_column(sql, plan->query.columns[i].name);
        text_append_string(sql, ", ");
    }
    append_prediction(plan, text_slice(&path), sql);
    for (size_t i = 0; i < plan->extra_output_count; i++) {
        text_append_string(sql, ", ");
        append_with_more(plan, output_function(plan->extra_kinds[i]), text_slice(&path), 0,
                         output_is_checked(plan->extra_kinds[i]), sql);
        text_append_string(sql, " AS ");
        text_append_identifier(sql, plan->extra_outputs[i]);
    }
    if (plan->quarantine_table.size > 0)
        append_stage(plan, sql);
    else if (is_kept)
        text_append_string(sql, " FROM q");
    else
        append_select(plan, " FROM (", "\n) AS q", sql);
    append_postgres_heads(plan, text_slice(&path), sql);
    if (plan->quarantine_table.size > 0)
        append_where_reason("IS NULL", sql);
    sql->failed = sql->failed || path.failed;
    text_deinit(&path);
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}

static void append_all_columns(const struct plan *plan, struct text *sql)
{
    for (size_t i = 0; i < plan->query.count; i++) {
        text_append_string(sql, i > 0 ? ", " : "");
        append_column(sql, plan->query.columns[i].name);
    }
}

enum status lower_predict_stage(const struct plan *plan, struct text *sql, struct error *err)
{
    struct text path;

    text_init(&path, TEXT_MAXIMUM);
    model_path_write(plan->model_schema, plan->model_name, &path);
    append_select(plan, KEPT_BEGIN, KEPT_END, sql);
    text_append_string(sql, "SELECT ");
    append_call(plan, "problem", text_slice(&path), SLICE(QUARANTINE_REASON), sql);
    for (size_t i = 0; i < plan->query.count; i++) {
        text_append_string(sql, ", ");
        append_column(sql, plan->query.columns[i].name);
        text_append_string(sql, " AS "); /* else SQLite may name it as it likes */
        text_append_identifier(sql, plan->query.columns[i].name);
    }
    text_append_string(sql, " FROM q");
    sql->failed = sql->failed || path.failed;
    text_deinit(&path);
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status lower_quarantine(const struct plan *plan, struct text *sql, struct error *err)
{
    text_append_string(sql, "SELECT ");
    append_all_columns(plan, sql);
    text_append_string(sql, ", q.\"" QUARANTINE_REASON "\"");
    append_stage(plan, sql);
    append_where_reason("IS NOT NULL", sql);
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}

static const char *type_of_label(const struct plan *plan)
{
    if (is_of_reals(plan))
        return "REAL";
    return plan->model.label_type == LABEL_TEXT ? "TEXT" : "INTEGER";
}

static const char *type_of_component(const struct plan *plan, uint32_t i)
{
    const enum input_label type =
        plan->model.heads ? plan->model.heads[i].type : INPUT_LABEL_NUMBER;

    return type == INPUT_LABEL_TEXT ? "TEXT" : type == INPUT_LABEL_INTEGER ? "INTEGER" : "REAL";
}

static const char *type_of_output(const struct plan *plan, enum output output)
{
    switch (output_type(output)) {
    case OUTPUT_AS_LABEL:
        return type_of_label(plan);
    case OUTPUT_REAL:
        return "REAL";
    case OUTPUT_BOOLEAN:
        return "INTEGER";
    case OUTPUT_JSON:
        break;
    }
    return "TEXT";
}

/* The same in PostgreSQL. */
static struct slice postgres_type_of_output(const struct plan *plan, enum output output)
{
    switch (output_type(output)) {
    case OUTPUT_AS_LABEL:
        return type_of_prediction(plan);
    case OUTPUT_REAL:
        return SLICE("pg_catalog.float8");
    case OUTPUT_BOOLEAN:
        return SLICE("pg_catalog.bool");
    case OUTPUT_JSON:
        break;
    }
    return SLICE("pg_catalog.json");
}

/* A declared type is the host's own text, but a view of a hostile file can
 * declare anything: what is not plain words and numbers is left out. */
static bool is_plain_type(struct slice type)
{
    int depth = 0;

    for (size_t i = 0; i < type.size; i++) {
        char c = type.data[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ' ';
        bool is_argument = depth > 0 && ((c >= '0' && c <= '9') || c == ',');
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth < 0 || depth > 1)
            return false;
        if (!is_word && !is_argument && c != '(' && c != ')' && !(c >= '0' && c <= '9'))
            return false;
    }
    return depth == 0;
}

static void append_definition(struct text *sql, const char *comma, struct slice name,
                              struct slice type)
{
    text_append_string(sql, comma);
    text_append_identifier(sql, name);
    if (type.size > 0 && is_plain_type(type)) {
        text_append_char(sql, ' ');
        text_append(sql, type);
    }
}

enum status lower_kept(const struct plan *plan, struct text *sql, struct error *err)
{
    text_append_string(sql, "SELECT ");
    append_all_columns(plan, sql);
    text_append_string(sql, " FROM pg_temp." PREDICT_KEPT " AS q ORDER BY q.\"" PREDICT_ROW "\"");
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}

static void append_scores(const char *condition, struct text *sql)
{
    text_printf(sql,
                " FROM pg_temp." PREDICT_KEPT " AS q JOIN pg_temp." PREDICT_SCORES
                " AS r ON r.\"" PREDICT_ROW "\" OPERATOR(pg_catalog.=) q.\"" PREDICT_ROW
                "\" WHERE r.reason %s ORDER BY r.\"" PREDICT_ROW "\"",
                condition);
}

static void append_score(struct slice type, size_t number, struct slice name, struct text *sql)
{
    char output[32];

    snprintf(output, sizeof output, "r.o%zu", number);
    append_typed(type, output, sql);
    text_append_string(sql, " AS ");
    text_append_identifier(sql, name);
}

static enum status lower_predict_kept(const struct plan *plan, struct text *sql, struct error *err)
{
    size_t number = 0;

    text_append_string(sql, "SELECT ");
    for (size_t i = 0; i < plan->query.count; i++) {
        if ((int)i == plan->label_column)
            continue;
        append_column(sql, plan->query.columns[i].name);
        text_append_string(sql, ", ");
    }
    for (uint32_t i = 0; i < plan->model.component_count; i++) {
        append_score(plan->model.heads ? type_of_head(plan, i) : type_of_prediction(plan), ++number,
                     plan->components[i], sql);
        text_append_string(sql, i + 1 < plan->model.component_count ? ", " : "");
    }
    if (number == 0)
        append_score(type_of_prediction(plan), ++number, plan->target_column, sql);
    for (size_t i = 0; i < plan->extra_output_count; i++) {
        text_append_string(sql, ", ");
        append_score(postgres_type_of_output(plan, plan->extra_kinds[i]), ++number,
                     plan->extra_outputs[i], sql);
    }
    append_scores("IS NULL", sql);
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status lower_quarantine_kept(const struct plan *plan, struct text *sql,
                                         struct error *err)
{
    text_append_string(sql, "SELECT ");
    append_all_columns(plan, sql);
    text_append_string(sql, ", r.reason AS \"" QUARANTINE_REASON "\"");
    append_scores("IS NOT NULL", sql);
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status lower_quarantine_table(const struct plan *plan, struct text *sql, struct error *err)
{
    if (dialect_of(plan->dialect)->keeps_rows)
        return lower_quarantine_kept(plan, sql, err);
    lower_table(plan, plan->quarantine_table, sql);
    text_append_string(sql, " (");
    for (size_t i = 0; i < plan->query.count; i++)
        append_definition(sql, i > 0 ? ", " : "", plan->query.columns[i].name,
                          plan->query.columns[i].declared_type);
    append_definition(sql, ", ", SLICE(QUARANTINE_REASON), SLICE("TEXT"));
    text_append_char(sql, ')');
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status lower_predict_table(const struct plan *plan, struct text *sql, struct error *err)
{
    const char *comma = "";

    if (dialect_of(plan->dialect)->keeps_rows)
        return lower_predict_kept(plan, sql, err);
    lower_table(plan, plan->target_table, sql);
    text_append_string(sql, " (");
    for (size_t i = 0; i < plan->query.count; i++) {
        if ((int)i == plan->label_column)
            continue;
        append_definition(sql, comma, plan->query.columns[i].name,
                          plan->query.columns[i].declared_type);
        comma = ", ";
    }
    for (uint32_t i = 0; i < plan->model.component_count; i++, comma = ", ")
        append_definition(sql, comma, plan->components[i], slice_of(type_of_component(plan, i)));
    if (plan->model.component_count == 0)
        append_definition(sql, comma, plan->target_column, slice_of(type_of_label(plan)));
    for (size_t i = 0; i < plan->extra_output_count; i++)
        append_definition(sql, ", ", plan->extra_outputs[i],
                          slice_of(type_of_output(plan, plan->extra_kinds[i])));
    text_append_char(sql, ')');
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}
