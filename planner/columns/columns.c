#include "planner/columns/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cells/dates.h"
#include "kinds/embedding/embedding_attributes.h"
#include "kinds/embedding/embedding_kind.h"
#include "planner/columns/column_choice.h"
#include "planner/columns/column_dates.h"
#include "planner/columns/column_except.h"
#include "planner/columns/column_function.h"
#include "planner/columns/column_pattern.h"
#include "planner/columns/cross_quantiles.h"
#include "planner/columns/embeddings.h"
#include "planner/columns/labels.h"
#include "planner/columns/offset.h"
#include "planner/columns/old_model.h"
#include "planner/columns/roles.h"
#include "planner/columns/two_columns.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "scoring/transform/transform.h"

#define UNREADABLE_BYTES 300 /* length of a proposal for columns that no model reads */

/* Everything but the label, columns of roles, and what is chosen already. */
static void choose_column(const struct plan *plan, size_t i, int position, struct choices *choices)
{
    if ((int)i != plan->label_column && !roles_have(plan, (int)i) &&
        !(choices->taken[i] & choices->model_parts)) {
        if (choices->of[i].kind == CHOICE_NONE)
            choices->of[i] = (struct choice){.kind = CHOICE_DERIVED, .position = position};
        choices->of[i].model_parts |= choices->model_parts;
    }
}

static bool is_element(const struct query *query, struct slice name, struct slice *vector)
{
    uint32_t element;
    int column;

    if (!vector_element_name(name, vector, &element))
        return false;
    column = query_find(query, *vector);
    return column >= 0 && vectors_find(&query->vectors, (size_t)column);
}

/* matched (columns of the query): those but the label and columns of roles. */
static enum status match_pattern(struct planning *planning, const struct column *column,
                                 bool **matched)
{
    const struct plan *plan = planning->plan;
    unsigned matches = 0, labels = 0;
    struct slice vector;

    TRY(column_pattern_match(planning, column, matched));
    for (size_t i = 0; i < plan->query.count; i++) {
        const bool has_role = (int)i == plan->label_column || roles_have(plan, (int)i);

        labels += (*matched)[i] && has_role;
        (*matched)[i] &= !has_role;
        matches += (*matched)[i];
    }
    if (matches > 0)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, column->span.start, "the pattern '%.*s' matches %s",
            SLICE_FORMAT(column->pattern),
            labels > 0 ? "nothing but the label" : "no column of the query");
    if (is_element(&plan->query, column->pattern, &vector))
        return error_hint(planning->err,
                          "A model takes all elements of a vector: COLUMN %.*s, or select one of "
                          "them as a column.",
                          SLICE_FORMAT(vector));
    return error_hint(
        planning->err,
        "A string in COLUMN is a regular expression over whole names, such as 'x_.*'; "
        "names stand without quotes, or in the quotes of the database.");
}

static enum status choose_pattern(struct planning *planning, const struct column *column,
                                  struct choices *choices)
{
    bool *matched;

    TRY(match_pattern(planning, column, &matched));
    for (size_t i = 0; i < planning->plan->query.count; i++)
        if (matched[i])
            choose_column(planning->plan, i, column->span.start, choices);
    return STATUS_OK;
}

/* All that EXCEPT does not name. */
static enum status choose_all(struct planning *planning, const struct column *all,
                              struct choices *choices)
{
    bool *excepted;

    TRY(column_except_find(planning, all, &excepted));
    for (size_t i = 0; i < planning->plan->query.count; i++) {
        if (!excepted[i])
            choose_column(planning->plan, i, all->span.start, choices);
        choices->excepted[i] |= excepted[i];
    }
    return STATUS_OK;
}

/* The column that a call is of, inside of all functions. */
static const struct column *column_of_call(const struct column *call)
{
    while (call->kind == COLUMN_CALL && call->count > 0)
        call = &call->items[0];
    return call;
}

/* The call with the name in that column's place. NULL: no memory. */
static struct column *call_with_name(const struct column *call, struct slice name,
                                     struct arena *arena)
{
    struct column *copy = ARENA_NEW(arena, struct column, 1), *inner;

    if (!copy)
        return NULL;
    *copy = *call;
    if (call->kind != COLUMN_CALL) {
        *copy = (struct column){.kind = COLUMN_NAME,
                                .span = call->span,
                                .name = {.text = name, .position = call->span.start}};
        return copy;
    }
    copy->items = ARENA_NEW(arena, struct column, call->count);
    inner = call_with_name(&call->items[0], name, arena);
    if (!copy->items || !inner)
        return NULL;
    memcpy(copy->items, call->items, call->count * sizeof *copy->items);
    copy->items[0] = *inner;
    return copy;
}

/* Does the call hold a CONCAT? It takes several columns, and a pattern makes a call of each. */
static bool calls_concat(const struct column *call)
{
    while (call->kind == COLUMN_CALL && call->count > 0 && !column_calls(call, "CONCAT"))
        call = &call->items[0];
    return call->kind == COLUMN_CALL && call->count > 0;
}

/* FUNCTION("pattern", ...) is the function of each column that matches. */
static enum status choose_call(struct planning *planning, const struct column *call,
                               struct choices *choices)
{
    const struct query *query = &planning->plan->query;
    const struct column *column = column_of_call(call);
    bool *matched;

    if (!column_is_quoted_pattern(query, column) || calls_concat(call))
        return column_choose_call(planning, call, choices);
    TRY(match_pattern(planning, column, &matched));
    for (size_t i = 0; i < query->count; i++) {
        const struct column *one;

        if (!matched[i])
            continue;
        one = call_with_name(call, query->columns[i].name, planning->arena);
        if (!one)
            return fail_no_memory(planning->err);
        TRY(column_choose_call(planning, one, choices));
    }
    return STATUS_OK;
}

static enum status choose_named(struct planning *planning, const struct column *column,
                                struct choices *choices)
{
    const struct choice derived = {.kind = CHOICE_DERIVED};

    switch (column->kind) {
    case COLUMN_NAME:
        if (column_is_quoted_pattern(&planning->plan->query, column))
            return STATUS_OK;
        return column_choose(planning, &column->name, &derived, choices);
    case COLUMN_CALL:
        return choose_call(planning, column, choices);
    case COLUMN_PATTERN:
    case COLUMN_ALL:
        return STATUS_OK;
    case COLUMN_LIKE:
    case COLUMN_VALUE:
    case COLUMN_LIST:
        break;
    }
    return fail_at(planning->err, STATUS_INVALID, column->span.start,
                   "expected a column, a pattern in quotes, * or a column function");
}

/* Patterns and * take what no name has taken, wherever they stand. */
static enum status choose_by_clause(struct planning *planning, const struct column_clause *clause,
                                    struct choices *choices)
{
    for (size_t i = 0; i < clause->count; i++)
        TRY(choose_named(planning, &clause->columns[i], choices));
    for (size_t i = 0; i < clause->count; i++) {
        const struct column *column = &clause->columns[i];
        if (column->kind == COLUMN_PATTERN ||
            column_is_quoted_pattern(&planning->plan->query, column))
            TRY(choose_pattern(planning, column, choices));
        if (column->kind == COLUMN_ALL)
            TRY(choose_all(planning, column, choices));
    }
    return STATUS_OK;
}

/* EMBEDDING(category, 1) */
static bool is_of_one_number(const struct column *embedding)
{
    const struct value *dimension = embedding_dimension(embedding);

    return dimension && dimension->kind == VALUE_NUMBER && dimension->is_integer &&
           dimension->integer == 1;
}

/* EMBEDDING is how the hidden layers take a category; of one number it is what a linear model has
 * anyway. */
static enum status check_linear(const struct column_clause *clause, struct error *err)
{
    for (size_t i = 0; i < clause->count; i++) {
        const struct column *column = &clause->columns[i];

        if (!column_calls(column, "EMBEDDING") || is_of_one_number(column))
            continue;
        fail_at(err, STATUS_INVALID, column->name.position,
                "EMBEDDING of several numbers has no use FOR %.*s",
                SLICE_FORMAT(clause->part.text));
        return error_hint(
            err, "A linear model has a weight for each word: INDICATOR uses the category itself.");
    }
    return STATUS_OK;
}

static enum status choose_by_clauses(struct planning *planning, struct choices *choices)
{
    const struct statement *statement = planning->statement;

    for (size_t i = 0; i < statement->column_clause_count; i++) {
        const struct column_clause *clause = &statement->columns[i];

        choices->model_parts = model_parts_of_clause(clause);
        if (choices->model_parts == MODEL_PARTS_LINEAR)
            TRY(check_linear(clause, planning->err));
        TRY(choose_by_clause(planning, clause, choices));
    }
    return STATUS_OK;
}

/* Two columns of weights beside one another, of which a statement may say what each takes. */
static bool has_parts(const struct estimator *estimator)
{
    return estimator->kind == &embedding_kind && !estimator->defaults;
}

static enum status refuse_clause(const struct planning *planning, int position, const char *what)
{
    fail_at(planning->err, STATUS_INVALID, position, "%s has no use with %s", what,
            planning->plan->estimator->name);
    if (has_parts(planning->plan->estimator))
        return error_hint(planning->err, "Its parts are linear_feature_columns and "
                                         "dnn_feature_columns.");
    return error_hint(planning->err,
                      "All inputs stand in one COLUMN clause; DNNLinearCombined models have two, "
                      "FOR linear_feature_columns and FOR dnn_feature_columns.");
}

static enum status check_clause(const struct planning *planning, size_t i)
{
    const struct statement *statement = planning->statement;
    const struct column_clause *clause = &statement->columns[i];
    const struct slice part = clause->part.text;
    const bool is_for_all = part.size == 0 || slice_is_fold(part, "feature_columns");
    char what[80];

    snprintf(what, sizeof what, "FOR %.*s", part.size > 60 ? 60 : (int)part.size, part.data);
    if (!is_for_all &&
        (!has_parts(planning->plan->estimator) || model_parts_of_clause(clause) == MODEL_PARTS_ALL))
        return refuse_clause(planning, clause->part.position, what);
    if (i == 0)
        return STATUS_OK;
    if (!has_parts(planning->plan->estimator))
        return refuse_clause(planning, clause->position, "a second COLUMN clause");
    if (is_for_all || model_parts_of_clause(&statement->columns[0]) == MODEL_PARTS_ALL) {
        fail_at(planning->err, STATUS_INVALID, clause->position,
                "of several COLUMN clauses each is FOR a part");
        return error_hint(planning->err, "The parts are linear_feature_columns and "
                                         "dnn_feature_columns.");
    }
    if (i == 1 && model_parts_of_clause(&statement->columns[0]) != model_parts_of_clause(clause))
        return STATUS_OK;
    return fail_at(planning->err, STATUS_INVALID, clause->part.position,
                   "%s has a COLUMN clause already", what);
}

static enum status check_clauses(const struct planning *planning)
{
    for (size_t i = 0; i < planning->statement->column_clause_count; i++)
        TRY(check_clause(planning, i));
    return STATUS_OK;
}

/* PostgreSQL's text[]: cast to a text it would be one word. */
static bool is_array(struct slice type)
{
    return type.size > 2 && type.data[type.size - 2] == '[' && type.data[type.size - 1] == ']';
}

/* Is the type an array of numbers? It would be a vector if its length was known. */
static bool is_array_of_numbers(struct slice type)
{
    static const char *const types[] = {"smallint[]", "integer[]",          "bigint[]",
                                        "real[]",     "double precision[]", "numeric[]"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_is(type, types[i]))
            return true;
    return false;
}

static enum status refuse_unknown_length(const struct planning *planning,
                                         const struct query_column *column,
                                         const struct choice *choice)
{
    fail_at(
        planning->err, STATUS_INVALID, choice->position,
        "column \"%.*s\" is NULL in all of %u sampled rows: how long its arrays are is not known",
        SLICE_FORMAT(column->name), planning->plan->query.sample_rows);
    return error_hint(planning->err,
                      "Leave it out of the SELECT, or rows without it: WHERE %.*s "
                      "IS NOT NULL.",
                      SLICE_FORMAT(column->name));
}

/* PostgreSQL's intervals and amounts of money are numbers in another form. */
static enum status hint_number(const struct planning *planning, const struct query_column *column)
{
    const struct slice name = column->name, type = column->declared_type;

    if (slice_is(type, "money"))
        return error_hint(planning->err, "Cast it in the SELECT, as in CAST(%s AS numeric).",
                          SQL_NAME(name));
    return error_hint(planning->err, "Select a number, as in EXTRACT(epoch FROM %s) AS %s.",
                      SQL_NAME(name), SQL_NAME(name));
}

static bool is_number_in_disguise(struct slice type)
{
    return slice_is(type, "money") || slice_is(type, "interval") ||
           slice_is(type, "time without time zone") || slice_is(type, "time with time zone");
}

static bool is_json(struct slice type)
{
    return slice_is(type, "json") || slice_is(type, "jsonb");
}

/* A document as a text would be a category of its own in each row. */
static enum status hint_json(const struct planning *planning, const struct query_column *column)
{
    return error_hint(planning->err,
                      "Select its values as columns, as in %s ->> 'key' AS key, or of numbers "
                      "(%s ->> 'key')::float8 AS key.",
                      SQL_NAME(column->name), SQL_NAME(column->name));
}

/* Is it a column of PostgreSQL's of a type that no model reads? It would be an input, as all
 * columns are where COLUMN names none. */
static bool is_unreadable(const struct planning *planning, size_t i)
{
    const struct query_column *column = &planning->plan->query.columns[i];

    return column->blobs > 0 && (int)i != planning->plan->label_column &&
           !slice_is(column->declared_type, "bytea");
}

/* "EXTRACT(epoch FROM t) AS t" */
static void append_readable(const struct query_column *column, struct text *out)
{
    const struct slice name = column->name, type = column->declared_type;

    if (is_array(type))
        text_printf(out, "%s[1] AS %s", SQL_NAME(name), SQL_NAME_WITH(name, "_1"));
    else if (is_number_in_disguise(type) && !slice_is(type, "money"))
        text_printf(out, "EXTRACT(epoch FROM %s) AS %s", SQL_NAME(name), SQL_NAME(name));
    else if (is_json(type))
        text_printf(out, "%s ->> 'key' AS key", SQL_NAME(name));
    else
        text_printf(out, "CAST(%s AS %s)", SQL_NAME(name),
                    slice_is(type, "money") ? "numeric" : "text");
}

/* All of several at once: one error for each would be as many statements. */
static enum status refuse_unreadable(const struct planning *planning, size_t count, int position)
{
    const struct query *query = &planning->plan->query;
    struct text names, instead;
    enum status status;
    size_t named = 0;

    text_init(&names, TEXT_MAXIMUM);
    text_init(&instead, TEXT_MAXIMUM);
    for (size_t i = 0; i < query->count && instead.size < UNREADABLE_BYTES; i++) {
        if (!is_unreadable(planning, i))
            continue;
        text_append_separator(&names, named, count);
        text_printf(&names, "\"%.*s\" (%.*s)", SLICE_FORMAT(query->columns[i].name),
                    SLICE_FORMAT(query->columns[i].declared_type));
        text_append_string(&instead, named++ > 0 ? ", " : "");
        append_readable(&query->columns[i], &instead);
    }
    if (named < count)
        text_printf(&names, " and %zu more", count - named);
    status = fail_at(planning->err, STATUS_INVALID, position,
                     "columns %s have types that no model reads", text_string(&names));
    error_hint(planning->err, "Leave them out of the SELECT, or write there %s%s.",
               text_string(&instead), named < count ? ", ..." : "");
    if (names.failed || instead.failed)
        status = fail_no_memory(planning->err);
    text_deinit(&names);
    text_deinit(&instead);
    return status;
}

static enum status refuse_binary(const struct planning *planning, const struct query_column *column,
                                 const struct choice *choice)
{
    size_t count = 0;

    for (size_t i = 0; i < planning->plan->query.count; i++)
        count += is_unreadable(planning, i);
    if (planning->plan->dialect == SQL_POSTGRES && count > 1 && column->blobs > 0 &&
        !slice_is(column->declared_type, "bytea") && planning->statement->column_clause_count == 0)
        return refuse_unreadable(planning, count, choice->position);
    if (column->blobs == 0 && is_array_of_numbers(column->declared_type))
        return refuse_unknown_length(planning, column, choice);
    query_refuse_binary(planning, "", column, choice->position);
    if (is_array(column->declared_type))
        return error_hint(planning->err,
                          "Select its elements as columns of their own, as in %s[1] AS %s.",
                          SQL_NAME(column->name), SQL_NAME_WITH(column->name, "_1"));
    if (is_number_in_disguise(column->declared_type))
        return hint_number(planning, column);
    if (is_json(column->declared_type) && planning->plan->dialect == SQL_POSTGRES)
        return hint_json(planning, column);
    return error_hint(planning->err,
                      "Leave it out of the SELECT, or cast it there, as in CAST(%s AS TEXT).",
                      SQL_NAME(column->name));
}

static enum status refuse_words(const struct planning *planning, const struct query_column *column,
                                const struct choice *choice)
{
    fail_at(planning->err, STATUS_INVALID, choice->position,
            "%s: column \"%.*s\" holds text that is not a number, in %u of %u %s", choice->function,
            SLICE_FORMAT(column->name), column_words(column), planning->plan->query.sample_rows,
            query_rows_word(&planning->plan->query));
    return error_hint(planning->err, "VOCABULARY(%s) makes a category of it.",
                      SQL_NAME(column->name));
}

static enum status check_shape(const struct planning *planning, const struct query_column *column,
                               const struct choice *choice)
{
    const uint32_t size = column->elements > 0 ? column->elements : 1;

    if (choice->kind != CHOICE_NUMERIC || choice->shape == 0 || choice->shape == size)
        return STATUS_OK;
    if (column->elements == 0) {
        fail_at(planning->err, STATUS_INVALID, choice->position,
                "NUMERIC: column \"%.*s\" holds no arrays, whose shape could be %u",
                SLICE_FORMAT(column->name), choice->shape);
        return planning->catalog->dialect == SQL_POSTGRES
                   ? error_hint(planning->err, "Leave the shape out.")
                   : error_hint(planning->err, "Leave the shape out: elements are columns of their "
                                               "own here.");
    }
    return fail_at(planning->err, STATUS_INVALID, choice->position,
                   "%s: column \"%.*s\" holds arrays of %u elements, not of %u", choice->function,
                   SLICE_FORMAT(column->name), size, choice->shape);
}

static enum status refuse_vector(const struct planning *planning, const struct query_column *column,
                                 const struct choice *choice)
{
    if (column->elements == 0) {
        fail_at(planning->err, STATUS_INVALID, choice->position,
                "column \"%.*s\" holds no array that is a vector, in %u sampled rows",
                SLICE_FORMAT(column->name), planning->plan->query.sample_rows);
        return error_hint(planning->err,
                          "A vector has one dimension, and no NULL among its elements.");
    }
    fail_at(planning->err, STATUS_INVALID, choice->position,
            "column \"%.*s\" holds arrays, and an array cannot be a %s", SLICE_FORMAT(column->name),
            choice->kind == CHOICE_TEXT ? "text" : "category");
    return error_hint(planning->err, "Its elements are numbers: NUMERIC(%s).",
                      SQL_NAME(column->name));
}

static enum status check_element(const struct planning *planning, const struct vector *vector,
                                 const struct query_column *element, const struct choice *choice)
{
    if (query_find(&planning->plan->query, element->name) == -1)
        return STATUS_OK;
    return fail_at(planning->err, STATUS_INVALID, choice->position,
                   "column \"%.*s\" has the name of %s of column \"%.*s\"",
                   SLICE_FORMAT(element->name), vector->parts ? "a part" : "an element",
                   SLICE_FORMAT(vector->name));
}

/* Each element is an input of its own. */
static enum status make_vector(const struct planning *planning, const struct vector *vector,
                               const struct choice *choice)
{
    struct plan *plan = planning->plan;
    const size_t first = vectors_first(&plan->query.vectors, vector);

    if (choice->kind == CHOICE_CATEGORY || choice->kind == CHOICE_TEXT)
        return refuse_vector(planning, &plan->query.columns[vector->column], choice);
    for (uint32_t i = 0; i < vector->size; i++) {
        const struct query_column *element = &plan->query.columns[first + i];

        TRY(check_element(planning, vector, element, choice));
        plan->inputs[plan->input_count++] = (struct plan_input){
            .spec.name = element->name,
            .column = (int)(first + i),
            .spec.type = INPUT_NUMERIC,
            .spec.list = vector->list,
            .spec.element = vector->list.form ? i : 0,
            .spec.source = vector->list.form ? vector->name : (struct slice){NULL, 0},
            .declared_type = element->declared_type,
            .is_chosen = choice->kind != CHOICE_DERIVED && !choice->is_derived,
        };
    }
    return STATUS_OK;
}

/* So is each part of a date. */
static enum status make_dates(const struct planning *planning, const struct vector *vector,
                              const struct choice *choice)
{
    struct plan *plan = planning->plan;
    const size_t first = vectors_first(&plan->query.vectors, vector);

    for (uint32_t i = 0; i < vector->size; i++) {
        const struct query_column *element = &plan->query.columns[first + i];
        const enum date_part part = vector_part(vector, i);

        TRY(check_element(planning, vector, element, choice));
        plan->inputs[plan->input_count++] = (struct plan_input){
            .spec.name = element->name,
            .column = (int)(first + i),
            .spec.type = date_part_type(part),
            .spec.part = part,
            .spec.reading = vector->reading,
            .spec.source = vector->name,
            .spec.vocabulary_max = date_part_words_max(part),
            .declared_type = element->declared_type,
            .is_chosen = choice->kind != CHOICE_DERIVED,
        };
    }
    return STATUS_OK;
}

static bool takes_numbers(const struct choice *choice)
{
    return choice->kind == CHOICE_NUMERIC ||
           (choice->kind == CHOICE_CATEGORY && rule_takes_numbers(choice->spec.rule));
}

static enum status make_input(const struct planning *planning, size_t i,
                              const struct choice *choice, struct plan_input *input)
{
    const struct query_column *column = &planning->plan->query.columns[i];
    bool is_numeric = choice->kind == CHOICE_NUMERIC ||
                      (choice->kind == CHOICE_DERIVED && column_is_numeric(column));

    if (column->blobs > 0 || (column->vectors == 0 && is_array(column->declared_type)))
        return refuse_binary(planning, column, choice);
    if (column->vectors > 0)
        return refuse_vector(planning, column, choice);
    if (takes_numbers(choice) && column_words(column) > 0 && !column_is_numeric(column))
        return refuse_words(planning, column, choice);
    *input = (struct plan_input){
        .spec = choice->spec,
        .column = (int)i,
        .declared_type = column->declared_type,
        .is_chosen = choice->kind != CHOICE_DERIVED && !choice->is_derived,
    };
    input->spec.name = column->name;
    input->spec.type = is_numeric ? INPUT_NUMERIC
                       : choice->kind == CHOICE_TEXT || choice->kind == CHOICE_ITEMS
                           ? INPUT_TEXT
                           : INPUT_CATEGORY;
    if (!input->spec.reading && (is_numeric || takes_numbers(choice)))
        input->spec.reading = column_reading(column);
    if (choice->kind == CHOICE_ITEMS)
        input->spec.words_max = choice->spec.list.size;
    if (choice->kind == CHOICE_DERIVED && !is_numeric)
        input->spec.vocabulary_max = CATEGORY_WORDS;
    return STATUS_OK;
}

/* Names must be one column each: the model finds its inputs by them later. */
static enum status check_name(const struct planning *planning, size_t i,
                              const struct choice *choice)
{
    const struct query *query = &planning->plan->query;

    for (size_t j = 0; j < query->count; j++) {
        if (j == i || !slice_equal_fold(query->columns[i].name, query->columns[j].name))
            continue;
        fail_at(planning->err, STATUS_INVALID, choice->position,
                "the query has more than one column \"%.*s\"",
                SLICE_FORMAT(query->columns[i].name));
        return error_hint(planning->err, "Give one of them another name with AS.");
    }
    return STATUS_OK;
}

/* Which part takes it, and the dimension of its embedding where that is not the model's. */
static void share_input(const struct plan *plan, const struct choice *choice,
                        struct plan_input *input)
{
    const bool is_embedded =
        plan->estimator->kind == &embedding_kind && input->spec.type != INPUT_NUMERIC;

    input->spec.model_part = model_part_of(choice->model_parts);
    input->spec.dimension = choice->spec.dimension;
    input->spec.concat = choice->spec.concat;
    if (!is_embedded || choice->spec.dimension == embedding_params(&plan->spec.params)->dimension)
        input->spec.dimension = 0;
    if (!is_embedded)
        input->spec.concat = (struct concat){0};
}

/* Beside what the column itself is. */
static enum status make_others(const struct planning *planning, size_t i,
                               const struct choices *choices)
{
    struct plan *plan = planning->plan;

    for (size_t m = 0; m < choices->made_count; m++) {
        const struct made_choice *made = &choices->made[m];
        struct plan_input *input = &plan->inputs[plan->input_count];

        if (made->column != (int)i)
            continue;
        if (plan->offset && plan->offset_column == (int)i)
            return offset_refuse_choice(planning, made->choice.position);
        TRY(check_name(planning, i, &made->choice));
        TRY(make_input(planning, i, &made->choice, input));
        input->spec.source = input->spec.name;
        input->spec.name = made->name;
        share_input(plan, &made->choice, input);
        plan->input_count++;
    }
    return STATUS_OK;
}

static enum status cross_column(const struct planning *planning,
                                const struct crossed_choice *crossed, struct cross_column *column)
{
    const struct choice *choice = &crossed->choice;
    struct plan_input input;

    TRY(check_name(planning, (size_t)crossed->column, choice));
    TRY(make_input(planning, (size_t)crossed->column, choice, &input));
    *column = (struct cross_column){
        .name = input.spec.name,
        .cell = (uint32_t)crossed->column,
        .rule = choice->spec.rule,
        .reading = input.spec.reading,
        .rows = choice->spec.rule == RULE_HASH || choice->spec.rule == RULE_ID
                    ? choice->spec.vocabulary_max
                    : 0,
        .bounds = choice->spec.bounds,
        .bound_count = choice->spec.bound_count,
    };
    return STATUS_OK;
}

static enum status make_cross(const struct planning *planning, const struct made_choice *made,
                              struct query_cross *named)
{
    struct cross *cross = ARENA_NEW(planning->arena, struct cross, 1);

    if (!cross)
        return fail_no_memory(planning->err);
    cross->columns = ARENA_NEW(planning->arena, struct cross_column, made->crossed_count);
    if (!cross->columns)
        return fail_no_memory(planning->err);
    cross->buckets = made->choice.spec.vocabulary_max;
    for (uint32_t i = 0; i < made->crossed_count; i++)
        TRY(cross_column(planning, &made->crossed[i], &cross->columns[cross->count++]));
    *named = (struct query_cross){made->name, cross};
    return STATUS_OK;
}

/* They are elements of the query before the inputs are made. */
static enum status make_crosses(const struct planning *planning, const struct choices *choices)
{
    struct query *query = &planning->plan->query;
    struct query_cross *crosses =
        ARENA_NEW(planning->arena, struct query_cross, choices->made_count + 1);

    if (!crosses)
        return fail_no_memory(planning->err);
    query->crosses = crosses;
    query->cross_count = 0;
    for (size_t i = 0; i < choices->made_count; i++)
        if (choices->made[i].crossed)
            TRY(make_cross(planning, &choices->made[i], &crosses[query->cross_count++]));
    return STATUS_OK;
}

/* Behind all other inputs (scoring/transform/transform.h). */
static void make_crossed_inputs(struct plan *plan, const struct choices *choices)
{
    const struct query *query = &plan->query;
    const struct query_cross *cross = query->crosses;
    size_t column = query->count + query->vectors.elements - query->cross_count;

    for (size_t i = 0; i < choices->made_count; i++) {
        struct plan_input *input = &plan->inputs[plan->input_count];

        if (!choices->made[i].crossed)
            continue;
        *input = (struct plan_input){.spec.name = cross->name,
                                     .column = (int)column++,
                                     .spec.type = INPUT_CATEGORY,
                                     .spec.rule = RULE_CROSS,
                                     .spec.cross = cross->cross,
                                     .spec.vocabulary_max = cross->cross->buckets,
                                     .is_chosen = true};
        share_input(plan, &choices->made[i].choice, input);
        plan->input_count++;
        cross++;
    }
}

/* A column of many ids: SPARSE(s), of column s, as what other functions make of it is called. */
static enum status name_items(const struct planning *planning, const struct choice *choice,
                              struct plan_input *input)
{
    struct text name;

    text_init(&name, TEXT_MAXIMUM);
    text_printf(&name, "SPARSE(%s)", SQL_NAME(input->spec.name));
    input->spec.source = input->spec.name;
    input->spec.name =
        name.failed ? (struct slice){NULL, 0} : arena_copy(planning->arena, text_slice(&name));
    text_deinit(&name);
    if (!input->spec.name.data)
        return fail_no_memory(planning->err);
    if (query_find(&planning->plan->query, input->spec.name) == -1)
        return STATUS_OK;
    return fail_at(planning->err, STATUS_INVALID, choice->position,
                   "column \"%.*s\" has the name of an input that SPARSE makes",
                   SLICE_FORMAT(input->spec.name));
}

/* One, or one for each element. */
static enum status make_inputs_of(const struct planning *planning, size_t i,
                                  const struct choice *choice)
{
    struct plan *plan = planning->plan;
    const struct vector *vector = vectors_find(&plan->query.vectors, i);
    const size_t first = plan->input_count;

    if (vector)
        TRY(vector->parts ? make_dates(planning, vector, choice)
                          : make_vector(planning, vector, choice));
    else
        TRY(make_input(planning, i, choice, &plan->inputs[plan->input_count++]));
    if (choice->kind == CHOICE_ITEMS)
        TRY(name_items(planning, choice, &plan->inputs[first]));
    for (size_t k = first; k < plan->input_count; k++)
        share_input(plan, choice, &plan->inputs[k]);
    return STATUS_OK;
}

/* Refuses a list without a size, and says what its texts are instead. */
static enum status refuse_counted_list(const struct planning *planning,
                                       const struct query_column *column,
                                       const struct choice *choice)
{
    const struct list_counts *lists = &column->lists;

    if (choice->spec.list.form == LIST_DENSE && lists->texts > 0 && !lists->not_dense)
        fail_at(planning->err, STATUS_INVALID, choice->position,
                "DENSE: the texts of column \"%.*s\" hold from %u to %u numbers, in %u %s",
                SLICE_FORMAT(column->name), lists->dense_least, lists->dense_most,
                planning->plan->query.sample_rows, query_rows_word(&planning->plan->query));
    else if (column->texts > column->blank_texts)
        fail_at(planning->err, STATUS_INVALID, choice->position,
                "%s: not all texts of column \"%.*s\" are lists of %s, in %u %s", choice->function,
                SLICE_FORMAT(column->name),
                choice->spec.list.form == LIST_DENSE ? "numbers" : "ids",
                planning->plan->query.sample_rows, query_rows_word(&planning->plan->query));
    else
        fail_at(planning->err, STATUS_INVALID, choice->position,
                choice->spec.list.form == LIST_DENSE
                    ? "DENSE needs the count of the numbers in a text of column \"%.*s\""
                    : "SPARSE needs the range of the ids in the texts of column \"%.*s\"",
                SLICE_FORMAT(column->name));
    return error_hint(planning->err,
                      choice->spec.list.form == LIST_DENSE
                          ? "DENSE(%.*s, n) reads n numbers; other texts are bad rows then."
                          : "SPARSE(%.*s, n) reads the ids from 0 to n - 1; other texts are bad "
                            "rows then.",
                      SLICE_FORMAT(column->name));
}

static enum status refuse_list(const struct planning *planning, const struct query_column *column,
                               const struct choice *choice)
{
    if (column->vectors > 0) {
        fail_at(planning->err, STATUS_INVALID, choice->position,
                "SPARSE: column \"%.*s\" holds arrays of numbers", SLICE_FORMAT(column->name));
        return error_hint(planning->err, "Their elements are inputs: DENSE(%s).",
                          SQL_NAME(column->name));
    }
    return refuse_counted_list(planning, column, choice);
}

/* Most items of a text: twice as many as a row has shown, in steps, since each row has that room.
 */
static uint32_t room_for_items(const struct query_column *column)
{
    uint32_t room = TEXT_WORDS;

    if (column->lists.not_sparse || column->lists.texts == 0)
        return TEXT_WORDS_MAX;
    while (room < TEXT_WORDS_MAX && room / 2 < column->lists.sparse_most)
        room *= 2;
    return room;
}

/* Models of numbers alone, and those that need columns, have no place for them. */
static bool takes_many_ids(const struct kind *kind)
{
    return !kind->takes_no_texts;
}

/* A list of so many ids that rows are held by the ids that they have: a linear model, and a first
 * layer, make of it what they make of numbers. */
static enum status choose_many_ids(const struct planning *planning,
                                   const struct query_column *column, struct choice *choice)
{
    const struct estimator *estimator = planning->plan->estimator;

    if (!takes_many_ids(estimator->kind)) {
        fail_at(planning->err, STATUS_UNSUPPORTED, choice->position,
                "SPARSE of more than %d ids is not supported yet in %s, whose inputs are numbers",
                LIST_SIZE_MAX, estimator->name);
        return error_hint(planning->err,
                          "Column \"%.*s\" has %u ids; linear models and networks "
                          "take them.",
                          SLICE_FORMAT(column->name), choice->spec.list.size);
    }
    choice->kind = CHOICE_ITEMS;
    choice->spec.rule = RULE_ID;
    choice->spec.vocabulary_max = choice->spec.list.size;
    choice->spec.combiner = COMBINER_SUM;
    choice->spec.is_weighted = true;
    choice->spec.list.form = LIST_ITEMS;
    choice->spec.list.size = room_for_items(column);
    return STATUS_OK;
}

/* The size of a picture is said; that each cell has it is looked at as it is read. */
static enum status choose_bytes(const struct planning *planning, struct query_column *column,
                                const struct choice *choice)
{
    if (column->texts + column->integers + column->reals + column->vectors > 0) {
        fail_at(planning->err, STATUS_INVALID, choice->position,
                "IMAGE: column \"%.*s\" holds more than bytes", SLICE_FORMAT(column->name));
        return error_hint(planning->err,
                          "It takes a BLOB, or bytea: a PNG, or a byte for each channel of each "
                          "pixel, row by row. DENSE(%s, n) takes texts of n numbers.",
                          SQL_NAME(column->name));
    }
    column->list = choice->spec.list;
    return STATUS_OK;
}

/* Chooses a list; where cells are arrays DENSE chooses their numbers. */
static enum status choose_list(const struct planning *planning, struct query_column *column,
                               struct choice *choice)
{
    if (cell_list_has_bytes(&choice->spec.list))
        return choose_bytes(planning, column, choice);
    if (column->blobs > 0 || (column->vectors == 0 && is_array(column->declared_type)))
        return refuse_binary(planning, column, choice);
    if (column->vectors > 0 && choice->spec.list.form == LIST_DENSE) {
        choice->kind = CHOICE_NUMERIC;
        choice->shape = choice->spec.list.size;
        return STATUS_OK;
    }
    if (column->vectors > 0 && !cell_list_takes_arrays(&choice->spec.list))
        return refuse_list(planning, column, choice);
    if (choice->spec.list.size == 0) {
        if (!column_measure_list(column, &choice->spec.list))
            return refuse_list(planning, column, choice);
        column->list_is_counted = true;
    }
    if (choice->spec.list.size > LIST_SIZE_MAX)
        return choose_many_ids(planning, column, choice);
    column->list = choice->spec.list;
    return STATUS_OK;
}

/* Is the column one of lists without COLUMN, in a model that takes these? */
static bool is_list_by_itself(const struct planning *planning, const struct query_column *column,
                              const struct choice *choice, struct cell_list *list)
{
    const struct kind *kind = planning->plan->estimator->kind;

    return choice->kind == CHOICE_DERIVED && !kind->buckets &&
           column_is_list_of_numbers(column, list) &&
           (list->size <= LIST_SIZE_MAX || takes_many_ids(kind));
}

static void note_list(const struct planning *planning, const struct query_column *column,
                      const struct cell_list *list)
{
    struct notice_list *notices = planning->plan->notices;
    const struct slice name = column->name;

    if (list->form == LIST_DENSE)
        notice_add(notices, NOTICE_READING,
                   "column \"%.*s\" is read as lists of %u numbers, each of which is an input",
                   SLICE_FORMAT(name), list->size);
    else
        notice_add(notices, NOTICE_READING,
                   "column \"%.*s\" is read as lists of numbers with ids from 0 to %u, each of "
                   "which is an input",
                   SLICE_FORMAT(name), list->size - 1);
    notice_hint(notices,
                "COLUMN %s(%s, n) gives their number, VOCABULARY(%s) reads the texts as words.",
                list->form == LIST_DENSE ? "DENSE" : "SPARSE", SQL_NAME(name), SQL_NAME(name));
}

static enum status choose_list_by_itself(const struct planning *planning,
                                         struct query_column *column, const struct cell_list *list,
                                         struct choice *choice)
{
    note_list(planning, column, list);
    choice->kind = CHOICE_LIST;
    choice->spec.list = *list;
    choice->is_derived = true;
    column->list_is_counted = true;
    return choose_list(planning, column, choice);
}

/* TEXT(c) of a model that counts words: each hash bucket is an input. */
static enum status count_words(const struct planning *planning, const struct query_column *column,
                               struct choice *choice)
{
    if (column->vectors > 0)
        return refuse_vector(planning, column, choice);
    if (choice->spec.vocabulary_max > LIST_SIZE_MAX) {
        fail_at(
            planning->err, STATUS_LIMIT, choice->position,
            "TEXT of column \"%.*s\" has %u hash buckets; %s takes at most %d, each of which is "
            "an input",
            SLICE_FORMAT(column->name), choice->spec.vocabulary_max,
            planning->plan->estimator->name, LIST_SIZE_MAX);
        return error_hint(planning->err, "TEXT(%.*s) has %d; linear models and networks take more.",
                          SLICE_FORMAT(column->name), TEXT_COUNTS);
    }
    choice->kind = CHOICE_LIST;
    choice->spec.list = (struct cell_list){.form = LIST_WORDS,
                                           .size = choice->spec.vocabulary_max,
                                           .words_max = choice->spec.words_max,
                                           .has_pairs = choice->spec.has_pairs};
    choice->spec.has_pairs = false;
    return STATUS_OK;
}

/* NUMERIC(c, n) of texts that are no numbers is DENSE(c, n). */
static bool is_list_of_numbers(const struct query_column *column, const struct choice *choice)
{
    return choice->kind == CHOICE_NUMERIC && choice->shape > 1 && column->vectors == 0 &&
           column->texts > column->numeric_texts && choice->shape <= LIST_SIZE_MAX;
}

/* Parts of dates, and the numbers of lists, are elements of the query before the inputs are made.
 */
static enum status choose_parts(struct planning *planning, const struct choices *choices)
{
    struct query *query = &planning->plan->query;

    for (size_t i = 0; i < query->count; i++) {
        struct query_column *column = &query->columns[i];
        struct choice *choice = &choices->of[i];
        struct cell_list list;

        if (is_list_by_itself(planning, column, choice, &list)) {
            TRY(choose_list_by_itself(planning, column, &list, choice));
            continue;
        }
        if (is_list_of_numbers(column, choice)) {
            choice->kind = CHOICE_LIST;
            choice->spec.list =
                (struct cell_list){.form = LIST_DENSE, .size = choice->shape, .delimiter = ','};
        }
        if (choice->kind == CHOICE_TEXT && planning->plan->estimator->kind->counts_words)
            TRY(count_words(planning, column, choice));
        if (choice->kind == CHOICE_LIST)
            TRY(choose_list(planning, column, choice));
        if (choice->spec.reading && choice->kind == CHOICE_DATE)
            column->date_reading = choice->spec.reading;
        else if (choice->kind == CHOICE_DATE)
            TRY(column_check_dates(planning, column, choice->position));
        if (choice->kind == CHOICE_DATE ||
            (choice->kind == CHOICE_DERIVED && column_is_date(column)))
            column->parts = choice->parts ? choice->parts : date_parts_usual(planning, column);
        if (column->parts && choice->kind == CHOICE_DERIVED)
            TRY(date_notice(planning, column));
    }
    return query_add_elements(query, planning->arena, planning->err);
}

/* Keys and free text, which no COLUMN clause names, are left out, unless nothing else is there. */
static enum status leave_out(struct planning *planning, struct choices *choices)
{
    struct plan *plan = planning->plan;
    size_t taken = choices->made_count;

    plan->left_out = ARENA_NEW(planning->arena, struct plan_left_out, plan->query.count + 1);
    if (!plan->left_out)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < plan->query.count; i++) {
        const struct query_column *column = &plan->query.columns[i];
        const struct choice *choice = &choices->of[i];
        struct cell_list list;
        const bool may_go = choice->kind == CHOICE_DERIVED && !choice->is_named &&
                            !is_list_by_itself(planning, column, choice, &list);
        const enum column_use use = may_go ? column_use_of(&plan->query, column) : COLUMN_USED;

        taken += choice->kind != CHOICE_NONE && use == COLUMN_USED;
        if (use != COLUMN_USED)
            plan->left_out[plan->left_out_count++] =
                (struct plan_left_out){.name = column->name, .column = (int)i, .why = use};
    }
    plan->takes_left_out = taken == 0;
    for (size_t i = 0; i < plan->left_out_count && !plan->takes_left_out; i++)
        choices->of[plan->left_out[i].column].kind = CHOICE_NONE;
    return STATUS_OK;
}

/* Learning and scoring have room for TRANSFORM_IDS_MAX words of a row. */
static enum status check_texts(const struct planning *planning)
{
    const struct plan *plan = planning->plan;
    uint64_t ids = 0;
    bool has_text = false;

    for (size_t i = 0; i < plan->input_count; i++) {
        has_text |= plan->inputs[i].spec.type == INPUT_TEXT;
        ids += plan->inputs[i].spec.type == INPUT_TEXT
                   ? plan->inputs[i].spec.words_max * (1 + plan->inputs[i].spec.is_weighted)
                   : plan->inputs[i].spec.type == INPUT_CATEGORY;
    }
    if (!has_text || ids <= TRANSFORM_IDS_MAX)
        return STATUS_OK;
    fail_at(planning->err, STATUS_LIMIT, planning->statement->select_position,
            "the categories and texts of a row have up to %llu words, where %d are possible",
            (unsigned long long)ids, TRANSFORM_IDS_MAX);
    return error_hint(planning->err, "TEXT(column, buckets, words) reads fewer words of a text.");
}

/* Refuses more inputs than a model has. The numbers of pictures count by themselves in the model
 * of a definition; in others, whose matrices have a row of each input, they are as any. */
static enum status check_inputs_most(const struct planning *planning)
{
    const struct plan *plan = planning->plan;
    const bool are_apart = plan->estimator->kind->has_calls;
    enum status status;
    size_t pixels = 0;

    for (size_t i = 0; i < plan->input_count; i++)
        pixels += cell_list_has_bytes(&plan->inputs[i].spec.list);
    if (pixels > MODEL_INPUTS_MAX && !are_apart) {
        fail_at(planning->err, STATUS_LIMIT, planning->statement->select_position,
                "the pictures of a row have %zu numbers, and %s takes at most %d", pixels,
                plan->estimator->name, MODEL_INPUTS_MAX);
        return error_hint(planning->err, "Definitions take %d: TO TRAIN zoo/mnist_cnn.",
                          PICTURE_NUMBERS_MAX);
    }
    if (plan->input_count - (are_apart ? pixels : 0) <= MODEL_INPUTS_MAX)
        return STATUS_OK;
    status = fail_at(planning->err, STATUS_LIMIT, planning->statement->select_position,
                     "a model has at most %d inputs, not %zu with the elements of arrays and lists "
                     "and the parts of dates",
                     MODEL_INPUTS_MAX, plan->input_count - (are_apart ? pixels : 0));
    for (size_t i = 0; i < plan->input_count; i++)
        if (plan->inputs[i].spec.list.form == LIST_WORDS)
            return error_hint(
                planning->err,
                "Each hash bucket of a text is an input: TEXT(%s, n) uses n of them, here %u.",
                SQL_NAME(plan->inputs[i].spec.source), plan->inputs[i].spec.list.size);
    return status;
}

static enum status make_inputs(struct planning *planning, const struct choices *choices)
{
    struct plan *plan = planning->plan;

    plan->inputs =
        ARENA_NEW(planning->arena, struct plan_input,
                  plan->query.count + plan->query.vectors.elements + choices->made_count);
    if (!plan->inputs)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < plan->query.count; i++) {
        const struct choice *choice = &choices->of[i];

        if (choice->kind != CHOICE_NONE) {
            if (plan->offset && plan->offset_column == (int)i)
                return offset_refuse_choice(planning, choice->position);
            TRY(check_name(planning, i, choice));
            TRY(check_shape(planning, &plan->query.columns[i], choice));
            TRY(make_inputs_of(planning, i, choice));
        }
        TRY(make_others(planning, i, choices));
    }
    for (size_t i = 0; i < plan->input_count; i++)
        plan->inputs[i].spec.keeps_codes = plan->inputs[i].spec.type == INPUT_NUMERIC &&
                                           plan->inputs[i].is_chosen && !plan->inputs[i].spec.part;
    if (plan->offset)
        plan->inputs[plan->input_count++] = offset_input(plan);
    labels_add_inputs(plan);
    make_crossed_inputs(plan, choices);
    TRY(check_inputs_most(planning));
    if (plan->input_count > (plan->offset ? 1 : 0) + plan->label_count)
        return check_texts(planning);
    if (plan->excepted_count > 0) {
        fail_at(planning->err, STATUS_INVALID, planning->statement->columns[0].position,
                "EXCEPT leaves no column to learn from");
        return error_hint(planning->err, "It names all columns that * takes.");
    }
    fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
            "the query has no column to learn from");
    return error_hint(planning->err, "Select at least one column%s.",
                      plan->label_column < 0 ? ""
                      : plan->offset         ? " besides the label and the offset"
                                             : " besides the label");
}

/* An element of an array stands for the array. */
static enum status find_old_column(struct planning *planning, struct slice name, int *column)
{
    const struct plan *plan = planning->plan;
    struct slice vector;

    *column = query_find(&plan->query, name);
    if (*column == -1 && is_element(&plan->query, name, &vector))
        *column = query_find(&plan->query, name = vector);
    if (*column >= 0 && *column != plan->label_column)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
            "%s column \"%.*s\", an input of model \"%.*s\", from which USING goes on",
            *column == -1   ? "the query has no"
            : *column == -2 ? "the query has more than one"
                            : "the label is",
            SLICE_FORMAT(name), SLICE_FORMAT(plan->model_name));
    return error_hint(planning->err, "The new model takes all inputs of the old one.");
}

/* The function that made the input of this name; NULL: none. */
static const char *function_of(struct slice name)
{
    const char *open = memchr(name.data, '(', name.size);
    const struct column_function *function =
        open ? column_function_find((struct slice){name.data, (size_t)(open - name.data)}) : NULL;

    return function ? function->name : NULL;
}

/* The choice by which a function of COLUMN made an input of the old model from one column. */
static struct choice choice_as_before(const struct planning *planning,
                                      const struct transform_input *input)
{
    const bool is_of_items = input->spec.type == INPUT_TEXT;
    struct choice choice = {
        .kind = is_of_items ? CHOICE_ITEMS : CHOICE_CATEGORY,
        .function = function_of(input->spec.name),
        .spec = input->spec,
        .model_parts = model_parts_of(input->spec.model_part),
        .position = planning->statement->select_position,
        .is_named = true,
    };

    choice.spec.source = (struct slice){NULL, 0};
    choice.spec.vocabulary_max =
        input->spec.rule == RULE_BUCKET ? input->spec.bound_count + 1 : input->hash_buckets;
    if (!reading_is_written(input->spec.reading))
        choice.spec.reading = READING_NUMBER;
    if (is_of_items)
        choice.spec.list.size = input->spec.words_max;
    if (choice.spec.vocabulary_max == 0)
        choice.spec.vocabulary_max = 1; /* no hash buckets: the old model has the words */
    if (choice.spec.vocabulary_max < 2 && input->spec.rule == RULE_BUCKET)
        choice.spec.vocabulary_max = 2; /* a column of one value: the old model has the bucket */
    return choice;
}

static enum status cross_as_before(struct planning *planning, const struct cross *cross,
                                   struct made_choice *made)
{
    struct crossed_choice *crossed =
        ARENA_NEW(planning->arena, struct crossed_choice, cross->count);

    if (!crossed)
        return fail_no_memory(planning->err);
    for (uint32_t i = 0; i < cross->count; i++) {
        const struct cross_column *column = &cross->columns[i];

        crossed[i].choice = (struct choice){.kind = CHOICE_CATEGORY,
                                            .function = made->choice.function,
                                            .spec.rule = column->rule,
                                            .spec.vocabulary_max = column->rows,
                                            .spec.bounds = column->bounds,
                                            .spec.bound_count = column->bound_count,
                                            .position = made->choice.position};
        TRY(find_old_column(planning, column->name, &crossed[i].column));
    }
    made->column = -1;
    made->crossed = crossed;
    made->crossed_count = cross->count;
    return STATUS_OK;
}

static enum status make_as_before(struct planning *planning, struct choices *choices)
{
    const struct model_summary *model = &planning->plan->model;

    choices->made = ARENA_NEW(planning->arena, struct made_choice, model->made_count + 1);
    if (!choices->made)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < model->made_count; i++) {
        const struct transform_input *input = model->made[i];
        struct made_choice *made = &choices->made[choices->made_count++];

        *made = (struct made_choice){.name = input->spec.name,
                                     .choice = choice_as_before(planning, input)};
        TRY(input->spec.cross ? cross_as_before(planning, input->spec.cross, made)
                              : find_old_column(planning, input->spec.source, &made->column));
    }
    return STATUS_OK;
}

/* USING: what the old model takes, as it takes it. Other columns are of no use. */
static enum status choose_as_before(struct planning *planning, struct choices *choices)
{
    const struct model_summary *model = &planning->plan->model;

    for (size_t i = 0; i < model->input_count; i++) {
        const struct model_input *input = &model->inputs[i];
        if (input->offset || input->label)
            continue;
        const bool is_number = input->type == INPUT_NUMERIC, is_text = input->type == INPUT_TEXT;
        int column;

        TRY(find_old_column(planning, input->name, &column));
        if (input->is_source)
            continue;
        choices->of[column] = (struct choice){
            .kind = input->list.form ? CHOICE_LIST
                    : input->parts   ? CHOICE_DATE
                    : is_number      ? CHOICE_NUMERIC
                    : is_text        ? CHOICE_TEXT
                                     : CHOICE_CATEGORY,
            .spec.vocabulary_max = is_number ? 0
                                   : is_text ? input->hash_buckets
                                             : CATEGORY_WORDS,
            .spec.words_max = input->words_max,
            .spec.has_pairs = input->has_pairs,
            .spec.weight = input->weight,
            .spec.is_weighted = input->weight != TEXT_WEIGHT_NONE,
            .spec.combiner = input->combiner,
            .parts = input->parts,
            .spec.reading = reading_is_written(input->reading) ? input->reading : READING_NUMBER,
            .spec.list = input->list,
            .model_parts = model_parts_of(input->model_part),
            .spec.dimension = input->dimension,
            .spec.concat = input->concat,
            .position = planning->statement->select_position,
            .is_named = true,
        };
    }
    return make_as_before(planning, choices);
}

static enum status choices_new(struct planning *planning, struct choices *choices)
{
    const size_t count = planning->plan->query.count;

    *choices = (struct choices){.of = ARENA_NEW(planning->arena, struct choice, count + 1),
                                .taken = ARENA_NEW(planning->arena, unsigned, count + 1),
                                .excepted = ARENA_NEW(planning->arena, bool, count + 1),
                                .model_parts = MODEL_PARTS_ALL};
    return choices->of && choices->taken && choices->excepted ? STATUS_OK
                                                              : fail_no_memory(planning->err);
}

enum status columns_plan(struct planning *planning)
{
    const struct statement *statement = planning->statement;
    struct choices choices;

    TRY(choices_new(planning, &choices));
    TRY(check_clauses(planning));
    if (old_model_gives_inputs(planning))
        TRY(choose_as_before(planning, &choices));
    else if (statement->column_clause_count > 0)
        TRY(choose_by_clauses(planning, &choices));
    else
        for (size_t i = 0; i < planning->plan->query.count; i++)
            choose_column(planning->plan, i, statement->select_position, &choices);
    TRY(column_except_keep(planning, &choices));
    if (estimator_is_of_two(planning->plan->estimator))
        two_columns_choose(planning->plan, &choices);
    TRY(leave_out(planning, &choices));
    TRY(cross_quantiles_find(planning, &choices));
    TRY(make_crosses(planning, &choices));
    TRY(choose_parts(planning, &choices));
    TRY(make_inputs(planning, &choices));
    return estimator_is_of_two(planning->plan->estimator) ? two_columns_check(planning) : STATUS_OK;
}
