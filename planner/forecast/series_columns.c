#include "planner/forecast/series_columns.h"

#include <string.h>

#include "forecast/forecast.h"
#include "kinds/forecast/forecast_attributes.h"
#include "kinds/forecast/forecast_model.h"
#include "params/terms.h"
#include "planner/columns/column_dates.h"
#include "planner/forecast/holiday_table.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

/* The columns of the query that a statement names. */
struct series_columns {
    int time, groups[FORECAST_GROUPS_MAX];
    int time_position, group_positions[FORECAST_GROUPS_MAX];
    size_t group_count;
    int regressors[REGRESSORS_MAX];
    size_t regressor_count;
};

static bool learns_series(const struct planning *planning)
{
    return planning->plan->estimator->kind->learns_series;
}

static enum status refuse_columns(const struct planning *planning)
{
    const struct column_clause *clause = &planning->statement->columns[0];

    fail_at(planning->err, STATUS_INVALID, clause->position, "COLUMN has no use with %s",
            planning->plan->estimator->name);
    return error_hint(planning->err, "forecast.time names the time, forecast.group the columns "
                                     "that identify a series, LABEL what is forecast.");
}

/* ---- names ---- */

static enum status find_column(const struct planning *planning, const char *called,
                               struct slice name, int position, int *column)
{
    const struct plan *plan = planning->plan;

    TRY(query_resolve(&plan->query, called, name, position, column, planning->err));
    if (*column != plan->label_column)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, position, "column \"%.*s\" is the label",
            SLICE_FORMAT(name));
    return error_hint(planning->err, "forecast.time and forecast.group take other columns of the "
                                     "SELECT.");
}

static enum status refuse_twice(const struct planning *planning, struct slice name, int position)
{
    fail_at(planning->err, STATUS_INVALID, position, "column \"%.*s\" is named twice",
            SLICE_FORMAT(name));
    return error_hint(planning->err,
                      "A column is the time, or one of those that identify a series.");
}

static enum status refuse_more(const struct planning *planning, int position)
{
    fail_at(planning->err, STATUS_LIMIT, position, "forecast.group has %d columns at most",
            FORECAST_GROUPS_MAX);
    return error_hint(planning->err, "Make one of several in the SELECT, as a || '/' || b AS ab.");
}

static enum status add_group(const struct planning *planning, struct slice name, int position,
                             struct series_columns *columns)
{
    const size_t count = columns->group_count;

    if (count == FORECAST_GROUPS_MAX)
        return refuse_more(planning, position);
    TRY(find_column(planning, "group ", name, position, &columns->groups[count]));
    columns->group_positions[count] = position;
    if (columns->groups[count] == columns->time)
        return refuse_twice(planning, name, position);
    for (size_t i = 0; i < count; i++)
        if (columns->groups[i] == columns->groups[count])
            return refuse_twice(planning, name, position);
    columns->group_count++;
    return STATUS_OK;
}

/* 'store', 'region, store', or a list of names. A name with a comma stands in a list. */
static enum status find_groups(const struct planning *planning, struct series_columns *columns)
{
    const struct setting *setting = settings_find(planning, "forecast.group");
    const struct value *value = setting ? &setting->value : NULL;
    struct slice rest;

    if (!setting)
        return STATUS_OK;
    if (value->kind == VALUE_LIST) {
        for (size_t i = 0; i < value->count; i++)
            TRY(add_group(planning, value->items[i].text, value->items[i].span.start, columns));
        return STATUS_OK;
    }
    if (query_find(&planning->plan->query, value->text) >= 0)
        return add_group(planning, value->text, value->span.start, columns);
    for (rest = value->text; rest.data;) {
        const char *comma = memchr(rest.data, ',', rest.size);
        const size_t size = comma ? (size_t)(comma - rest.data) : rest.size;

        TRY(add_group(planning, slice_trim((struct slice){rest.data, size}), value->span.start,
                      columns));
        rest = comma ? (struct slice){comma + 1, rest.size - size - 1} : (struct slice){NULL, 0};
    }
    return STATUS_OK;
}

static enum status refuse_time(const struct planning *planning, const struct query_column *column,
                               int position)
{
    fail_at(planning->err, STATUS_INVALID, position,
            "time column \"%.*s\" holds neither dates nor whole numbers, in %u %s",
            SLICE_FORMAT(column->name), planning->plan->query.sample_rows,
            query_rows_word(&planning->plan->query));
    return error_hint(
        planning->err,
        "Times are dates and timestamps, such as '2024-05-31' and '2024-05-31 18:00', or "
        "whole numbers; of months select the first day, as %s || '-01' AS %s.",
        SQL_NAME(column->name), SQL_NAME(column->name));
}

static enum status refuse_no_time(const struct planning *planning)
{
    fail_at(planning->err, STATUS_INVALID, planning->statement->model.position,
            "%s needs forecast.time", planning->plan->estimator->name);
    return error_hint(planning->err, "A column day is WITH forecast.time = 'day'.");
}

/* The one column of dates, as SQLFlow's statements name none (forecast_span.h). */
static enum status take_date(const struct planning *planning, struct series_columns *columns)
{
    struct plan *plan = planning->plan;

    columns->time_position = planning->statement->model.position;
    for (size_t i = 0; i < plan->query.count; i++) {
        if (!column_is_date(&plan->query.columns[i]) || (int)i == plan->label_column)
            continue;
        if (columns->time >= 0)
            return refuse_no_time(planning);
        columns->time = (int)i;
    }
    if (columns->time < 0)
        return refuse_no_time(planning);
    notice_add(plan->notices, NOTICE_ROLE, "column \"%.*s\", the one of dates, is the time",
               SLICE_FORMAT(plan->query.columns[columns->time].name));
    notice_hint(plan->notices, "forecast.time names another.");
    return STATUS_OK;
}

static enum status find_time(const struct planning *planning, struct series_columns *columns)
{
    const struct setting *setting = settings_find(planning, "forecast.time");
    const struct query_column *column;

    if (!setting && settings_find(planning, "forecast.start"))
        return take_date(planning, columns);
    if (!setting)
        return refuse_no_time(planning);
    columns->time_position = setting->value.span.start;
    TRY(find_column(planning, "time ", setting->value.text, columns->time_position,
                    &columns->time));
    column = &planning->plan->query.columns[columns->time];
    if (column_is_date(column) || planning->plan->query.sample_rows == 0)
        return STATUS_OK; /* a query without rows is reported elsewhere */
    if (column->vectors > 0 || column->blobs > 0 || !column_is_numeric(column))
        return refuse_time(planning, column, columns->time_position);
    return STATUS_OK;
}

/* ---- the clause ---- */

static struct column *named_column(const struct planning *planning, int column, int position,
                                   struct column *out)
{
    *out = (struct column){
        .kind = COLUMN_NAME,
        .span = {position, position},
        .name = {.text = planning->plan->query.columns[column].name, .position = position}};
    return out;
}

/* VOCABULARY(store, n), DATE(day, 'age'), NUMERIC(week) */
static enum status make_call(const struct planning *planning, const char *function, int column,
                             int position, const struct value *argument, struct column *call)
{
    struct column *items = ARENA_NEW(planning->arena, struct column, 2);

    if (!items)
        return fail_no_memory(planning->err);
    named_column(planning, column, position, &items[0]);
    if (argument)
        items[1] =
            (struct column){.kind = COLUMN_VALUE, .span = {position, position}, .value = *argument};
    *call = (struct column){.kind = COLUMN_CALL,
                            .span = {position, position},
                            .name = {.text = slice_of(function), .position = position},
                            .items = items,
                            .count = argument ? 2 : 1};
    return STATUS_OK;
}

static enum status make_clause(struct planning *planning, const struct series_columns *columns)
{
    static const struct value age = {.kind = VALUE_STRING, .text = {"age", 3}};
    const struct value words = {.kind = VALUE_NUMBER,
                                .is_integer = true,
                                .integer = CATEGORY_WORDS_MAX,
                                .number = CATEGORY_WORDS_MAX};
    const bool is_date = column_is_date(&planning->plan->query.columns[columns->time]);
    struct column_clause *clause = ARENA_NEW(planning->arena, struct column_clause, 1);
    struct statement *statement = ARENA_NEW(planning->arena, struct statement, 1);

    if (!clause || !statement)
        return fail_no_memory(planning->err);
    clause->columns = ARENA_NEW(planning->arena, struct column,
                                columns->group_count + 1 + columns->regressor_count);
    if (!clause->columns)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < columns->group_count; i++)
        TRY(make_call(planning, "VOCABULARY", columns->groups[i], columns->group_positions[i],
                      &words, &clause->columns[clause->count++]));
    TRY(make_call(planning, is_date ? "DATE" : "NUMERIC", columns->time, columns->time_position,
                  is_date ? &age : NULL, &clause->columns[clause->count++]));
    for (size_t i = 0; i < columns->regressor_count; i++)
        TRY(make_call(planning, "NUMERIC", columns->regressors[i],
                      planning->statement->select_position, NULL,
                      &clause->columns[clause->count++]));
    *statement = *planning->statement;
    statement->columns = clause;
    statement->column_clause_count = 1;
    planning->statement = statement;
    return STATUS_OK;
}

static bool is_taken(const struct series_columns *columns, int column)
{
    for (size_t i = 0; i < columns->group_count; i++)
        if (columns->groups[i] == column)
            return true;
    return column == columns->time;
}

/* ---- regressors ---- */

static bool takes_regressors(const struct planning *planning)
{
    const struct forecast_params *params = forecast_params(&planning->plan->spec.params);
    const struct method *method;
    struct error ignored;

    return params->hierarchy == HIERARCHY_NONE &&
           forecast_method(slice_of(forecast_method_words[params->method]), &method, &ignored) ==
               STATUS_OK &&
           regressors_suit(method);
}

/* A number that is not merely a key. */
static bool is_regressor(const struct query *query, const struct query_column *column)
{
    return column->vectors == 0 && !column_is_date(column) && column_is_numeric(column) &&
           column_use_of(query, column) == COLUMN_USED;
}

static void tell_no_input(struct plan *plan, const struct query_column *column, bool takes_numbers)
{
    const bool has_totals = forecast_params(&plan->spec.params)->hierarchy != HIERARCHY_NONE;

    notice_add(plan->notices, NOTICE_ROLE, "column \"%.*s\" is not used by %s",
               SLICE_FORMAT(column->name),
               takes_numbers ? "a forecast"
               : has_totals  ? "a forecast with totals"
                             : plan->estimator->name);
    notice_hint(plan->notices,
                takes_numbers
                    ? "Regressors are numbers; a column that identifies the series goes into "
                      "forecast.group."
                    : "It takes the values and their times alone; a column that identifies the "
                      "series goes into forecast.group.");
}

static enum status refuse_regressors(const struct planning *planning)
{
    fail_at(planning->err, STATUS_LIMIT, planning->statement->select_position,
            "a forecast has %d regressors at most", REGRESSORS_MAX);
    return error_hint(planning->err, "All columns that are numbers, but for label, time and group, "
                                     "are regressors: select fewer.");
}

/* Regressors of rows that are not there any more would be needed, too. */
static enum status refuse_values(const struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "forecast.keep_values");

    fail_at(planning->err, STATUS_INVALID,
            setting ? setting->name.position : planning->statement->select_position,
            "forecast.keep_values does not go together with regressors");
    return error_hint(planning->err, "Leave it out, and select all rows with USING; or select no "
                                     "other columns that are numbers.");
}

/* Numbers that nothing else names. */
static enum status find_regressors(const struct planning *planning, struct series_columns *columns)
{
    const bool takes_numbers = takes_regressors(planning);
    struct plan *plan = planning->plan;

    for (size_t i = 0; i < plan->query.count; i++) {
        const struct query_column *column = &plan->query.columns[i];

        if ((int)i == plan->label_column || is_taken(columns, (int)i))
            continue;
        if (!takes_numbers || !is_regressor(&plan->query, column)) {
            tell_no_input(plan, column, takes_numbers);
            continue;
        }
        if (columns->regressor_count == REGRESSORS_MAX)
            return refuse_regressors(planning);
        columns->regressors[columns->regressor_count++] = (int)i;
    }
    return STATUS_OK;
}

enum status series_columns_plan(struct planning *planning)
{
    struct series_columns columns = {.time = -1};

    if (!learns_series(planning))
        return STATUS_OK;
    if (planning->statement->column_clause_count > 0)
        return refuse_columns(planning);
    TRY(find_time(planning, &columns));
    TRY(find_groups(planning, &columns));
    TRY(find_regressors(planning, &columns));
    if (columns.regressor_count > 0 && forecast_params(&planning->plan->spec.params)->values > 0)
        return refuse_values(planning);
    TRY(holiday_table_plan(planning, column_is_date(&planning->plan->query.columns[columns.time]),
                           takes_regressors(planning), columns.regressor_count));
    planning->plan->spec.test_size = 0; /* the past of each series is held out, not some of them */
    planning->plan->spec.early_stopping = 0;
    return make_clause(planning, &columns);
}

/* ---- the order of the inputs ---- */

static struct slice read_column(const struct plan_input *input)
{
    return input->spec.source.size > 0 ? input->spec.source : input->spec.name;
}

/* The place of an input's call in the clause that was made. */
static size_t place_of(const struct planning *planning, const struct plan_input *input)
{
    const struct column_clause *clause = &planning->statement->columns[0];
    size_t place = 0;

    while (place + 1 < clause->count &&
           !slice_equal(clause->columns[place].items[0].name.text, read_column(input)))
        place++;
    return place;
}

void series_columns_order(const struct planning *planning)
{
    struct plan *plan = planning->plan;

    if (!learns_series(planning))
        return;
    for (size_t i = 1; i < plan->input_count; i++) {
        const struct plan_input input = plan->inputs[i];
        size_t at = i;

        for (; at > 0 && place_of(planning, &plan->inputs[at - 1]) > place_of(planning, &input);
             at--)
            plan->inputs[at] = plan->inputs[at - 1];
        plan->inputs[at] = input;
    }
}
