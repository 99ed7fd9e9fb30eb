#include "planner/columns/column_choice.h"
#include "planner/columns/labels.h"

#include <math.h>
#include <string.h>

#include "planner/columns/column_dates.h"
#include "planner/columns/column_function.h"
#include "planner/columns/column_lists.h"
#include "planner/columns/column_rounds.h"
#include "planner/columns/column_text.h"
#include "planner/columns/other_functions.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/query.h"

/* The choice that a call makes for a column, or CONCAT for several. */
struct chosen {
    const struct name *column;
    struct choice choice;
    bool is_made;           /* it is another input beside the column */
    struct chosen *crossed; /* (crossed_count): of CROSS, which has no column of its own */
    uint32_t crossed_count;
    struct chosen *members; /* (member_count): of CONCAT, of which nothing else is filled in */
    uint32_t member_count;
};

static enum status read_call(struct planning *planning, const struct column *call,
                             struct chosen *chosen);

/* ----- functions that there are ----- */

static enum status hint_functions(struct error *err)
{
    enum status status = STATUS_INVALID;
    struct text names;

    text_init(&names, sizeof err->hint);
    column_functions_append(&names);
    if (names.failed)
        status = fail_no_memory(err);
    else
        error_hint(err, "There are %s.", text_string(&names));
    text_deinit(&names);
    return status;
}

/* ElasticDL's functions of numbers that stay numbers. */
static bool is_scaling(struct slice name)
{
    static const char *const names[] = {"STANDARDIZE", "NORMALIZE", "MIN_MAX", "LOG", "TO_NUMBER"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is_fold(name, names[i]))
            return true;
    return false;
}

/* Why there is none of this name. */
static enum status refuse_function(const struct name *name, struct error *err)
{
    const struct column_function *nearest = column_function_nearest(name->text);
    const char *other = other_function_hint(name->text);

    if (is_scaling(name->text)) {
        fail_at(err, STATUS_UNSUPPORTED, name->position,
                "the column function %.*s is not supported yet", SLICE_FORMAT(name->text));
        return error_hint(err, "Numbers are standardised by themselves (model.standardize): "
                               "NUMERIC(column). The SELECT can compute any other number.");
    }
    fail_at(err, STATUS_INVALID, name->position, "unknown column function \"%.*s\"",
            SLICE_FORMAT(name->text));
    if (other)
        return error_hint(err, "%s", other);
    return nearest ? error_hint(err, "Did you mean %s?", nearest->name) : hint_functions(err);
}

/* ----- arguments ----- */

static bool is_integer(const struct column *argument)
{
    return argument->kind == COLUMN_VALUE && argument->value.kind == VALUE_NUMBER &&
           argument->value.is_integer;
}

/* An argument that is a whole number from `least` to `most`; what: "TEXT takes a number". */
static enum status read_count(const struct column *argument, uint32_t least, uint32_t most,
                              const char *what, uint32_t *count, struct error *err)
{
    if (!is_integer(argument) || argument->value.integer < least || argument->value.integer > most)
        return fail_at(err, STATUS_INVALID, argument->span.start, "%s from %u to %u", what, least,
                       most);
    *count = (uint32_t)argument->value.integer;
    return STATUS_OK;
}

/* c, or NUMERIC(c), as SQLFlow writes it; NULL: another argument. */
static const struct name *number_column(const struct column *argument)
{
    const bool is_call = column_calls(argument, "NUMERIC") && argument->count >= 1 &&
                         argument->count <= 2 && argument->items[0].kind == COLUMN_NAME;

    if (argument->kind == COLUMN_NAME)
        return &argument->name;
    if (!is_call || (argument->count == 2 &&
                     !(is_integer(&argument->items[1]) && argument->items[1].value.integer == 1)))
        return NULL;
    return &argument->items[0].name;
}

/* ----- what a column is ----- */

/* NUMERIC(c[, shape]): the shape is that of one array, 1 that of a number. */
static enum status read_numeric(struct planning *planning, const struct column *call,
                                struct chosen *chosen)
{
    const struct column *shape = call->count == 2 ? &call->items[1] : NULL;
    char what[] = "NUMERIC takes a number of elements";

    if (call->count < 1 || call->count > 2 || call->items[0].kind != COLUMN_NAME)
        return column_refuse_arguments(call, "a column's name, and after it possibly a shape",
                                       planning->err);
    if (shape && shape->kind == COLUMN_LIST && shape->count == 1)
        shape = &shape->items[0];
    chosen->column = &call->items[0].name;
    chosen->choice.kind = CHOICE_NUMERIC;
    return shape ? read_count(shape, 1, VECTOR_ELEMENTS_MAX, what, &chosen->choice.shape,
                              planning->err)
                 : STATUS_OK;
}

/* DATE(c[, 'age', 'weekday', ...]) */
static enum status read_date(struct planning *planning, const struct column *call,
                             struct chosen *chosen)
{
    if (call->count < 1 || call->items[0].kind != COLUMN_NAME)
        return column_refuse_arguments(
            call, "a column's name, and after it possibly parts of a date", planning->err);
    chosen->column = &call->items[0].name;
    chosen->choice.kind = CHOICE_DATE;
    return date_parts_read(call, &chosen->choice.parts, planning->err);
}

/* TEXT(c[, buckets[, words[, ngrams[, weights]]]]) */
static enum status read_text(struct planning *planning, const struct column *call,
                             struct chosen *chosen)
{
    return column_text_read(planning, call, &chosen->column, &chosen->choice);
}

/* DENSE(c[, shape ...]), SPARSE(c[, ids ...]) */
static enum status read_list(struct planning *planning, const struct column *call,
                             struct chosen *chosen)
{
    const uint32_t size_max = column_calls(call, "SPARSE") ? CATEGORY_WORDS_MAX : LIST_SIZE_MAX;

    TRY(column_list_read(call, size_max, &chosen->choice.spec.list, planning->err));
    chosen->column = &call->items[0].name;
    chosen->choice.kind = CHOICE_LIST;
    return STATUS_OK;
}

/* IMAGE(c, height, width, channels) */
static enum status read_image(struct planning *planning, const struct column *call,
                              struct chosen *chosen)
{
    TRY(column_image_read(call, &chosen->choice.spec.list, planning->err));
    chosen->column = &call->items[0].name;
    chosen->choice.kind = CHOICE_LIST;
    return STATUS_OK;
}

/* ----- sequences ----- */

/* Words of arrays would be texts of theirs: the database makes one. */
static enum status refuse_arrays(const struct name *name, struct error *err)
{
    fail_at(err, STATUS_INVALID, name->position,
            "column \"%.*s\" holds arrays, where SEQUENCE accepts words of texts",
            SLICE_FORMAT(name->text));
    return error_hint(err, "Select CAST(%s AS text) AS %s.", SQL_NAME(name->text),
                      SQL_NAME(name->text));
}

/* The length that the rows tell: that of the longest text. Numbers are left to be measured with
 * other lists, as it decides how many inputs there are. */
static enum status measure_sequence(struct planning *planning, const struct name *name,
                                    struct cell_list *list)
{
    const struct query *query = &planning->plan->query;
    const int column = query_find(query, name->text);
    struct cell_list measured = *list;

    if (column < 0) /* column_choose says which */
        return STATUS_OK;
    if (list->form == LIST_SEQUENCE && query->columns[column].vectors > 0)
        return refuse_arrays(name, planning->err);
    if (list->size > 0)
        return STATUS_OK;
    if (column_measure_list(&query->columns[column], &measured)) {
        list->size = list->form == LIST_SEQUENCE ? measured.size : 0;
        return STATUS_OK;
    }
    fail_at(planning->err, STATUS_INVALID, name->position,
            "SEQUENCE needs the number of values in a text of column \"%.*s\"",
            SLICE_FORMAT(name->text));
    return error_hint(planning->err, "SEQUENCE(%s, n) takes the last n of each.",
                      SQL_NAME(name->text));
}

/* SEQUENCE(c[, length[, delimiter]]) */
static enum status read_steps(struct planning *planning, const struct column *call,
                              struct chosen *chosen, struct cell_list *list)
{
    if (call->count < 1 || call->count > 3 || call->items[0].kind != COLUMN_NAME)
        return column_refuse_arguments(
            call, "a column's name, and after it possibly a length and a delimiter", planning->err);
    chosen->column = &call->items[0].name;
    if (call->count > 1)
        TRY(read_count(&call->items[1], 1, TEXT_WORDS_MAX, "SEQUENCE takes a length", &list->size,
                       planning->err));
    if (call->count > 2)
        TRY(column_delimiter_read(&call->items[2], &list->delimiter, planning->err));
    return measure_sequence(planning, chosen->column, list);
}

/* By itself a sequence is one of numbers, each of which is an input. */
static enum status read_sequence(struct planning *planning, const struct column *call,
                                 struct chosen *chosen)
{
    chosen->choice = (struct choice){.kind = CHOICE_LIST, .spec.list.form = LIST_STEPS};
    return read_steps(planning, call, chosen, &chosen->choice.spec.list);
}

/* ----- categories ----- */

static void choose_words(const struct name *column, struct chosen *chosen)
{
    chosen->column = column;
    chosen->choice =
        (struct choice){.kind = CHOICE_CATEGORY, .spec.vocabulary_max = CATEGORY_WORDS};
}

/* ----- categories of several values ----- */

/* Is the category one of several values: CATEGORY_ID(SPARSE(c, 10), 10), CATEGORY_ID(c, 10, ',')?
 */
static bool takes_items(const struct column *call)
{
    return call->count > 0 && (call->count > 2 || column_is_list(&call->items[0]) ||
                               column_calls(call, "SEQ_CATEGORY_ID"));
}

static void choose_items(const struct name *column, enum category_rule rule,
                         const struct cell_list *list, struct chosen *chosen)
{
    chosen->column = column;
    chosen->choice = (struct choice){
        .kind = CHOICE_ITEMS, .spec.rule = rule, .spec.combiner = COMBINER_SUM, .spec.list = *list};
    chosen->choice.spec.list.form = LIST_ITEMS;
    chosen->choice.spec.list.size = TEXT_WORDS;
    chosen->is_made = true;
}

/* The third and the fourth argument: a delimiter, if the first is no list, and most items. */
static enum status read_items_of(const struct column *call, struct choice *choice,
                                 struct error *err)
{
    const bool is_of_list = column_is_list(&call->items[0]);

    if (call->count > 2 && !is_of_list)
        TRY(column_delimiter_read(&call->items[2], &choice->spec.list.delimiter, err));
    if (call->count == (is_of_list ? 3 : 4))
        TRY(read_count(&call->items[call->count - 1], 1, TEXT_WORDS_MAX,
                       "a category of several values needs their number", &choice->spec.list.size,
                       err));
    return STATUS_OK;
}

/* CATEGORY_ID(c, ids, delimiter[, items]), CATEGORY_ID(SPARSE(...), ids[, items]), and of
 * CATEGORY_HASH the same. */
static enum status read_items(struct planning *planning, const struct column *call,
                              enum category_rule rule, const char *what, struct chosen *chosen)
{
    struct cell_list list = {.form = LIST_ITEMS};
    const struct column *inner = call->count > 0 ? &call->items[0] : NULL;
    const bool is_of_list = inner && column_is_list(inner);
    const char *takes = "a column's name, a number, and possibly a delimiter and most items; or "
                        "SPARSE(...), a number, and possibly most items";

    if (is_of_list)
        TRY(column_list_read(inner, CATEGORY_WORDS_MAX, &list, planning->err));
    if (!inner || call->count < 2 || call->count > (is_of_list ? 3u : 4u) ||
        (!is_of_list && inner->kind != COLUMN_NAME))
        return column_refuse_arguments(call, takes, planning->err);
    choose_items(is_of_list ? &inner->items[0].name : &inner->name, rule, &list, chosen);
    TRY(read_items_of(call, &chosen->choice, planning->err));
    return read_count(&call->items[1], 1, CATEGORY_WORDS_MAX, what,
                      &chosen->choice.spec.vocabulary_max, planning->err);
}

/* SPARSE(c, ids) where a category is expected: each of its ids is one. */
static enum status read_ids_of_list(struct planning *planning, const struct column *call,
                                    struct chosen *chosen)
{
    struct cell_list list;

    TRY(column_list_read(call, CATEGORY_WORDS_MAX, &list, planning->err));
    if (list.form != LIST_SPARSE || list.size == 0)
        return fail_at(planning->err, STATUS_INVALID, call->span.start,
                       "of lists SPARSE(column, ids) alone says which ids it has");
    choose_items(&call->items[0].name, RULE_ID, &list, chosen);
    chosen->choice.spec.vocabulary_max = list.size;
    chosen->choice.function = "CATEGORY_ID";
    return STATUS_OK;
}

/* CATEGORY_HASH(c[, buckets]) */
static enum status read_hash(struct planning *planning, const struct column *call,
                             struct chosen *chosen)
{
    const char *what = "CATEGORY_HASH needs a number of hash buckets";

    if (takes_items(call))
        return read_items(planning, call, RULE_HASH, what, chosen);
    if (call->count < 1 || call->count > 2 || call->items[0].kind != COLUMN_NAME)
        return column_refuse_arguments(
            call, "a column's name, and after it possibly a number of hash buckets", planning->err);
    chosen->column = &call->items[0].name;
    chosen->choice = (struct choice){
        .kind = CHOICE_CATEGORY, .spec.rule = RULE_HASH, .spec.vocabulary_max = TEXT_BUCKETS};
    chosen->is_made = true;
    if (call->count == 1)
        return STATUS_OK;
    return read_count(&call->items[1], 1, CATEGORY_WORDS_MAX, what,
                      &chosen->choice.spec.vocabulary_max, planning->err);
}

/* CATEGORY_ID(c, ids), SEQ_CATEGORY_ID(c, ids), whose order does not count */
static enum status read_id(struct planning *planning, const struct column *call,
                           struct chosen *chosen)
{
    const char *what = "CATEGORY_ID takes a number of ids";

    if (takes_items(call))
        return read_items(planning, call, RULE_ID, what, chosen);
    chosen->column = call->count == 2 ? number_column(&call->items[0]) : NULL;
    if (!chosen->column)
        return column_refuse_arguments(call, "a column's name and a number of ids", planning->err);
    chosen->choice = (struct choice){.kind = CHOICE_CATEGORY, .spec.rule = RULE_ID};
    chosen->is_made = true;
    return read_count(&call->items[1], 1, CATEGORY_WORDS_MAX, what,
                      &chosen->choice.spec.vocabulary_max, planning->err);
}

/* Where a category is expected a sequence is one of words. */
static enum status read_words_in_order(struct planning *planning, const struct column *call,
                                       struct chosen *chosen)
{
    struct cell_list list = {.form = LIST_SEQUENCE};

    TRY(read_steps(planning, call, chosen, &list));
    choose_items(chosen->column, RULE_SEQUENCE, &list, chosen);
    chosen->choice.spec.list = list;
    chosen->choice.spec.vocabulary_max = CATEGORY_WORDS;
    chosen->choice.function = "SEQUENCE";
    return STATUS_OK;
}

/* VOCABULARY(c[, max]), VOCABULARY(SEQUENCE(c, length)[, max]) */
static enum status read_vocabulary(struct planning *planning, const struct column *call,
                                   struct chosen *chosen)
{
    const bool is_sequence = call->count > 0 && column_calls(&call->items[0], "SEQUENCE");

    if (call->count < 1 || call->count > 2 || (call->items[0].kind != COLUMN_NAME && !is_sequence))
        return column_refuse_arguments(
            call, "a column's name or SEQUENCE, and after it possibly a number of words",
            planning->err);
    if (is_sequence)
        TRY(read_words_in_order(planning, &call->items[0], chosen));
    else
        choose_words(&call->items[0].name, chosen);
    return call->count == 2 ? read_count(&call->items[1], 1, CATEGORY_WORDS_MAX,
                                         "VOCABULARY takes a number of words",
                                         &chosen->choice.spec.vocabulary_max, planning->err)
                            : STATUS_OK;
}

/* Reads the category inside INDICATOR, EMBEDDING or WEIGHTED_CATEGORY. */
static enum status read_inner(struct planning *planning, const struct column *inner,
                              struct chosen *chosen)
{
    if (column_calls(inner, "SEQUENCE"))
        return read_words_in_order(planning, inner, chosen);
    return column_is_list(inner) ? read_ids_of_list(planning, inner, chosen)
                                 : read_call(planning, inner, chosen);
}

/* WEIGHTED_CATEGORY(category): of a list of pairs. */
static enum status read_weighted(struct planning *planning, const struct column *call,
                                 struct chosen *chosen)
{
    const char *takes = "a category of pairs, such as CATEGORY_ID(SPARSE(column, 10), 10)";

    if (call->count != 1 || call->items[0].kind != COLUMN_CALL)
        return column_refuse_arguments(call, takes, planning->err);
    TRY(read_inner(planning, &call->items[0], chosen));
    if (chosen->choice.kind != CHOICE_ITEMS || !chosen->choice.spec.list.pair)
        return column_refuse_arguments(call, takes, planning->err);
    chosen->choice.spec.is_weighted = true;
    return STATUS_OK;
}

static enum status read_bound(const struct column *item, const double *before, double *bound,
                              struct error *err)
{
    if (item->kind != COLUMN_VALUE || item->value.kind != VALUE_NUMBER ||
        !isfinite(item->value.number))
        return fail_at(err, STATUS_INVALID, item->span.start,
                       "the bounds of BUCKET are finite numbers");
    *bound = item->value.number;
    if (!before || *bound > *before)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, item->span.start, "%.15g comes after %.15g among the bounds",
            *bound, *before);
    return error_hint(err, "The bounds of BUCKET ascend, each once.");
}

static enum status read_bounds(struct planning *planning, const struct column *list,
                               struct choice *choice)
{
    double *bounds = ARENA_NEW(planning->arena, double, list->count + 1);

    if (!bounds)
        return fail_no_memory(planning->err);
    if (list->count < 1 || list->count >= BUCKETS_MAX)
        return fail_at(planning->err, STATUS_INVALID, list->span.start,
                       "BUCKET accepts from 1 to %d bounds, not %zu", BUCKETS_MAX - 1, list->count);
    for (size_t i = 0; i < list->count; i++)
        TRY(read_bound(&list->items[i], i > 0 ? &bounds[i - 1] : NULL, &bounds[i], planning->err));
    choice->spec.bounds = bounds;
    choice->spec.bound_count = (uint32_t)list->count;
    choice->spec.vocabulary_max = choice->spec.bound_count + 1;
    return STATUS_OK;
}

/* BUCKET(c, [b1, b2, ...]), BUCKET(c, buckets) */
static enum status read_bucket(struct planning *planning, const struct column *call,
                               struct chosen *chosen)
{
    chosen->column = call->count == 2 ? number_column(&call->items[0]) : NULL;
    if (!chosen->column)
        return column_refuse_arguments(
            call, "a column's name, and bounds in [] or a number of buckets", planning->err);
    chosen->choice = (struct choice){.kind = CHOICE_CATEGORY, .spec.rule = RULE_BUCKET};
    chosen->is_made = true;
    if (call->items[1].kind == COLUMN_LIST)
        return read_bounds(planning, &call->items[1], &chosen->choice);
    return read_count(&call->items[1], 2, BUCKETS_MAX,
                      "BUCKET accepts bounds in [], or a number of buckets",
                      &chosen->choice.spec.vocabulary_max, planning->err);
}

/* Numbers that are rounded to whole ones, 0 to count - 1: what is beyond goes to the nearest. */
static enum status choose_rounds(struct planning *planning, const struct column *call,
                                 const char *what, struct chosen *chosen, double **bounds)
{
    uint32_t *count = &chosen->choice.spec.vocabulary_max;

    chosen->choice = (struct choice){.kind = CHOICE_CATEGORY, .spec.rule = RULE_BUCKET};
    chosen->is_made = true;
    TRY(read_count(&call->items[1], 2, BUCKETS_MAX, what, count, planning->err));
    *bounds = ARENA_NEW(planning->arena, double, *count);
    chosen->choice.spec.bound_count = *count - 1;
    chosen->choice.spec.bounds = *bounds;
    return *bounds ? STATUS_OK : fail_no_memory(planning->err);
}

/* ROUND_IDENTITY(c, categories) */
static enum status read_round_identity(struct planning *planning, const struct column *call,
                                       struct chosen *chosen)
{
    double *bounds;

    chosen->column = call->count == 2 ? number_column(&call->items[0]) : NULL;
    if (!chosen->column)
        return column_refuse_arguments(call, "a column's name and a number of categories",
                                       planning->err);
    TRY(choose_rounds(planning, call, "ROUND_IDENTITY needs a number of categories", chosen,
                      &bounds));
    round_bounds(bounds, chosen->choice.spec.bound_count);
    return STATUS_OK;
}

static enum status read_base(const struct column *argument, double *base, struct error *err)
{
    const bool is_number = argument->kind == COLUMN_VALUE && argument->value.kind == VALUE_NUMBER;

    if (!is_number || !(argument->value.number > 1) || !isfinite(argument->value.number))
        return fail_at(err, STATUS_INVALID, argument->span.start,
                       "the base of LOG_ROUND is a number above 1");
    *base = argument->value.number;
    return STATUS_OK;
}

/* LOG_ROUND(c, categories[, base]) */
static enum status read_log_round(struct planning *planning, const struct column *call,
                                  struct chosen *chosen)
{
    const bool has_base = call->count == 3;
    double base = 0, *bounds;

    chosen->column = call->count == 2 || has_base ? number_column(&call->items[0]) : NULL;
    if (!chosen->column)
        return column_refuse_arguments(
            call, "a column's name, a number of categories, and after it possibly a base",
            planning->err);
    if (has_base)
        TRY(read_base(&call->items[2], &base, planning->err));
    TRY(choose_rounds(planning, call, "LOG_ROUND takes a number of categories", chosen, &bounds));
    if (log_round_bounds(base, bounds, chosen->choice.spec.bound_count))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, call->items[1].span.start,
            "LOG_ROUND: no number has a logarithm of this base as great as %u",
            chosen->choice.spec.bound_count);
    return error_hint(planning->err, "Take fewer categories, or a smaller base.");
}

static enum status refuse_crossed(const struct column *item, struct error *err)
{
    fail_at(err, STATUS_INVALID, item->span.start,
            "CROSS accepts columns, and BUCKET, LOG_ROUND, ROUND_IDENTITY, CATEGORY_ID, "
            "CATEGORY_HASH or VOCABULARY of one");
    return error_hint(err, "A column stands for its values; numbers that are not whole need "
                           "BUCKET(column, n).");
}

/* A cross shares buckets anyway. */
static enum status refuse_words_max(const struct column *item, struct error *err)
{
    fail_at(err, STATUS_INVALID, item->items[1].span.start,
            "VOCABULARY within CROSS accepts no number of words");
    return error_hint(err, "All words of a column count: CROSS shares its buckets among them.");
}

/* Also in quotes, as TensorFlow writes it. */
static enum status read_crossed_name(struct planning *planning, const struct column *item,
                                     struct chosen *chosen)
{
    struct name *name = ARENA_NEW(planning->arena, struct name, 1);

    if (!name)
        return fail_no_memory(planning->err);
    *name = item->kind == COLUMN_NAME
                ? item->name
                : (struct name){.text = item->pattern, .position = item->span.start};
    choose_words(name, chosen);
    chosen->choice.function = "CROSS";
    return STATUS_OK;
}

/* A column's name, which stands for its values, or a category whose rule knows each value by
 * itself. */
static enum status read_crossed(struct planning *planning, const struct column *item,
                                struct chosen *chosen)
{
    if (item->kind == COLUMN_NAME || item->kind == COLUMN_PATTERN)
        return read_crossed_name(planning, item, chosen);
    if (item->kind != COLUMN_CALL || column_calls(item, "EMBEDDING") ||
        column_calls(item, "INDICATOR"))
        return refuse_crossed(item, planning->err);
    TRY(read_call(planning, item, chosen));
    if (chosen->choice.kind != CHOICE_CATEGORY || chosen->crossed)
        return refuse_crossed(item, planning->err);
    return chosen->choice.spec.rule == RULE_WORDS && item->count > 1
               ? refuse_words_max(item, planning->err)
               : STATUS_OK;
}

/* CROSS([a, b, ...], buckets) */
static enum status read_cross(struct planning *planning, const struct column *call,
                              struct chosen *chosen)
{
    const struct column *list = call->count == 2 ? &call->items[0] : NULL;

    if (!list || list->kind != COLUMN_LIST)
        return column_refuse_arguments(call, "columns in [] and a number of buckets",
                                       planning->err);
    if (list->count < 2 || list->count > CROSS_COLUMNS_MAX)
        return fail_at(planning->err, STATUS_INVALID, list->span.start,
                       "CROSS accepts from 2 to %d columns, not %zu", CROSS_COLUMNS_MAX,
                       list->count);
    chosen->crossed = ARENA_NEW(planning->arena, struct chosen, list->count);
    if (!chosen->crossed)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < list->count; i++)
        TRY(read_crossed(planning, &list->items[i], &chosen->crossed[chosen->crossed_count++]));
    chosen->choice = (struct choice){
        .kind = CHOICE_CATEGORY, .spec.rule = RULE_CROSS, .position = call->span.start};
    chosen->is_made = true;
    return read_count(&call->items[1], 1, CATEGORY_WORDS_MAX, "CROSS accepts a number of buckets",
                      &chosen->choice.spec.vocabulary_max, planning->err);
}

/* A column, which stands for its vocabulary, or any category that is not one of CONCAT. */
static enum status read_member(struct planning *planning, const struct column *item,
                               struct chosen *chosen)
{
    const char *takes = "columns and categories, such as BUCKET(column, 10)";

    if (item->kind == COLUMN_NAME)
        choose_words(&item->name, chosen);
    else if (item->kind == COLUMN_CALL && !column_calls(item, "EMBEDDING") &&
             !column_calls(item, "INDICATOR") && !column_calls(item, "CONCAT"))
        TRY(read_inner(planning, item, chosen));
    if (chosen->choice.kind == CHOICE_CATEGORY || chosen->choice.kind == CHOICE_ITEMS ||
        chosen->choice.kind == CHOICE_TEXT)
        return STATUS_OK;
    return fail_at(planning->err, STATUS_INVALID, item->span.start, "CONCAT takes %s", takes);
}

/* CONCAT(category, category, ...) */
static enum status read_concat(struct planning *planning, const struct column *call,
                               struct chosen *chosen)
{
    if (call->count < 2)
        return column_refuse_arguments(call, "two columns or categories, or more", planning->err);
    chosen->members = ARENA_NEW(planning->arena, struct chosen, call->count);
    if (!chosen->members)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < call->count; i++) {
        struct chosen *member = &chosen->members[chosen->member_count++];

        TRY(read_member(planning, &call->items[i], member));
        member->choice.spec.concat.combiner = COMBINER_MEAN;
    }
    return STATUS_OK;
}

/* INDICATOR(c), INDICATOR(category): how a category is an input anyway. */
static enum status read_indicator(struct planning *planning, const struct column *call,
                                  struct chosen *chosen)
{
    const char *takes = "a column's name or a category, such as VOCABULARY(column)";
    const struct column *inner = call->count == 1 ? &call->items[0] : NULL;

    if (inner && inner->kind == COLUMN_NAME) {
        choose_words(&inner->name, chosen);
        return STATUS_OK;
    }
    if (!inner || inner->kind != COLUMN_CALL || column_calls(inner, "EMBEDDING"))
        return column_refuse_arguments(call, takes, planning->err);
    TRY(read_inner(planning, inner, chosen));
    return chosen->choice.kind == CHOICE_CATEGORY || chosen->choice.kind == CHOICE_ITEMS ||
                   chosen->members
               ? STATUS_OK
               : column_refuse_arguments(call, takes, planning->err);
}

static bool is_word(const struct column *argument, const char *word)
{
    if (argument->kind == COLUMN_NAME)
        return slice_is_fold(argument->name.text, word);
    return argument->kind == COLUMN_VALUE && argument->value.kind == VALUE_STRING &&
           slice_is_fold(argument->value.text, word);
}

static enum status read_combiner(const struct column *argument, enum combiner *combiner,
                                 struct error *err)
{
    for (unsigned i = 0; combiner_words[i]; i++)
        if (is_word(argument, combiner_words[i])) {
            *combiner = (enum combiner)i;
            return STATUS_OK;
        }
    return fail_at(err, STATUS_INVALID, argument->span.start,
                   "the combiner of EMBEDDING is sum, mean or sqrtn");
}

/* All combiners make the same of a row's only word. Where the statement names none, the words of
 * several columns or of a list are combined by their mean, those of a text by sqrtn. */
static void set_embedding(uint32_t dimension, const enum combiner *said, struct choice *choice)
{
    choice->spec.dimension = dimension;
    if (said)
        choice->spec.concat.combiner = *said;
    if (choice->kind == CHOICE_ITEMS)
        choice->spec.combiner = said ? *said : COMBINER_MEAN;
    else if (choice->kind == CHOICE_TEXT && said)
        choice->spec.combiner = *said;
}

/* Embeddings start uniform, whatever the statement says (docs/clicks.md). */
static enum status check_initializer(const struct column *argument, struct error *err)
{
    static const char *const others[] = {
        "zeros",          "ones",           "constant",         "normal",
        "random_normal",  "random_uniform", "truncated_normal", "glorot_normal",
        "glorot_uniform", "he_normal",      "he_uniform",       "lecun_normal",
        "lecun_uniform",  "orthogonal",     "variance_scaling"};

    if (is_word(argument, "uniform"))
        return STATUS_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_word(argument, others[i])) {
            fail_at(err, STATUS_UNSUPPORTED, argument->span.start,
                    "the initializer %s of EMBEDDING is not supported yet", others[i]);
            return error_hint(err, "Leave it out, or write uniform: embeddings start uniform in "
                                   "+-0.2.");
        }
    return fail_at(err, STATUS_INVALID, argument->span.start,
                   "the initializer of EMBEDDING is uniform");
}

/* EMBEDDING(category, dimension[, combiner[, initializer]]): the dimension may be an attribute
 * (embeddings.h). */
static enum status read_embedding(struct planning *planning, const struct column *call,
                                  struct chosen *chosen)
{
    const char *takes = "a column's name or a category, a dimension, and after it possibly a "
                        "combiner";
    const struct column *inner = call->count >= 2 && call->count <= 4 ? &call->items[0] : NULL;
    enum combiner combiner;
    const enum combiner *said = call->count > 2 ? &combiner : NULL;
    uint32_t dimension = 0;

    if (!inner || (inner->kind != COLUMN_NAME && inner->kind != COLUMN_CALL) ||
        column_calls(inner, "EMBEDDING"))
        return column_refuse_arguments(call, takes, planning->err);
    if (inner->kind == COLUMN_NAME)
        choose_words(&inner->name, chosen);
    else
        TRY(read_inner(planning, inner, chosen));
    if (chosen->choice.kind != CHOICE_ITEMS && chosen->choice.kind != CHOICE_CATEGORY &&
        chosen->choice.kind != CHOICE_TEXT && !chosen->members)
        return column_refuse_arguments(call, takes, planning->err);
    TRY(read_count(&call->items[1], 1, EMBEDDING_DIMENSION_MAX, "EMBEDDING takes a dimension",
                   &dimension, planning->err));
    if (call->count == 4)
        TRY(check_initializer(&call->items[3], planning->err));
    if (call->count > 2)
        TRY(read_combiner(&call->items[2], &combiner, planning->err));
    set_embedding(dimension, said, &chosen->choice);
    for (uint32_t i = 0; i < chosen->member_count; i++)
        set_embedding(dimension, said, &chosen->members[i].choice);
    return STATUS_OK;
}

/* ----- calls ----- */

static const struct {
    const char *name;
    enum status (*read)(struct planning *planning, const struct column *call,
                        struct chosen *chosen);
} readers[] = {{"NUMERIC", read_numeric},
               {"DENSE", read_list},
               {"SPARSE", read_list},
               {"IMAGE", read_image},
               {"SEQUENCE", read_sequence},
               {"DATE", read_date},
               {"TEXT", read_text},
               {"VOCABULARY", read_vocabulary},
               {"CATEGORY_HASH", read_hash},
               {"CATEGORY_ID", read_id},
               {"SEQ_CATEGORY_ID", read_id},
               {"WEIGHTED_CATEGORY", read_weighted},
               {"BUCKET", read_bucket},
               {"CROSS", read_cross},
               {"INDICATOR", read_indicator},
               {"EMBEDDING", read_embedding},
               {"CONCAT", read_concat},
               {"LOG_ROUND", read_log_round},
               {"ROUND_IDENTITY", read_round_identity}};

static enum status read_call(struct planning *planning, const struct column *call,
                             struct chosen *chosen)
{
    const struct slice name = column_function_usual(call->name.text);

    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (slice_is_fold(name, readers[i].name)) {
            TRY(readers[i].read(planning, call, chosen));
            if (!chosen->choice.function)
                chosen->choice.function = readers[i].name;
            return STATUS_OK;
        }
    return refuse_function(&call->name, planning->err);
}

unsigned model_parts_of_clause(const struct column_clause *clause)
{
    const struct slice part = clause->part.text;

    if (slice_is_fold(part, "linear_feature_columns") || slice_is_fold(part, "wide_embeddings"))
        return MODEL_PARTS_LINEAR;
    return slice_is_fold(part, "dnn_feature_columns") || slice_is_fold(part, "deep_embeddings")
               ? MODEL_PARTS_DNN
               : MODEL_PARTS_ALL;
}

static enum status find_column(struct planning *planning, const struct name *name, int *column)
{
    const struct plan *plan = planning->plan;

    TRY(query_resolve(&plan->query, "", name->text, name->position, column, planning->err));
    if (*column != plan->label_column && !labels_have(plan, *column))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, name->position,
            "column \"%.*s\" is the label and cannot be an input", SLICE_FORMAT(name->text));
    return error_hint(planning->err, "A model that sees its label learns nothing else.");
}

/* Does the choice say no other thing of the column than it is by itself? */
static bool is_as_derived(const struct query_column *column, const struct choice *choice)
{
    const bool is_numeric = column_is_numeric(column);

    if (choice->kind == CHOICE_CATEGORY)
        return !is_numeric && !column_is_date(column);
    return (choice->kind == CHOICE_NUMERIC && is_numeric) ||
           (choice->kind == CHOICE_DATE && choice->parts == 0);
}

static bool says_the_same(const struct choice *a, const struct choice *b)
{
    return a->kind == b->kind && a->spec.vocabulary_max == b->spec.vocabulary_max &&
           a->spec.words_max == b->spec.words_max && a->shape == b->shape && a->parts == b->parts &&
           a->spec.rule == b->spec.rule && cell_list_equal(&a->spec.list, &b->spec.list) &&
           a->spec.bound_count == b->spec.bound_count &&
           (a->spec.bound_count == 0 || memcmp(a->spec.bounds, b->spec.bounds,
                                               a->spec.bound_count * sizeof *a->spec.bounds) == 0);
}

/* The clause of another part has chosen the column, too: it is one input of both. */
static enum status choose_again(const struct planning *planning, const struct name *name,
                                const struct choice *choice, const struct query_column *column,
                                struct choice *chosen)
{
    const unsigned parts = chosen->model_parts | choice->model_parts;
    const uint32_t dimension =
        chosen->spec.dimension | choice->spec.dimension; /* only one part has one */
    const struct concat concat =
        chosen->spec.concat.number ? chosen->spec.concat : choice->spec.concat;

    if (chosen->kind == CHOICE_DERIVED && is_as_derived(column, choice))
        *chosen = *choice;
    else if (choice->kind != CHOICE_DERIVED && !says_the_same(chosen, choice)) {
        fail_at(planning->err, STATUS_INVALID, name->position,
                "column \"%.*s\" is something else in the other part's COLUMN",
                SLICE_FORMAT(name->text));
        return error_hint(planning->err,
                          "A column is one input of both parts; BUCKET, CATEGORY_HASH and "
                          "CATEGORY_ID make further ones of it.");
    }
    chosen->model_parts = parts;
    chosen->spec.dimension = dimension;
    chosen->spec.concat = concat;
    chosen->is_named = true;
    return STATUS_OK;
}

enum status column_choose(struct planning *planning, const struct name *name,
                          const struct choice *choice, struct choices *choices)
{
    struct choice *chosen, now = *choice;
    int column;

    TRY(find_column(planning, name, &column));
    chosen = &choices->of[column];
    now.position = name->position;
    now.is_named = true;
    now.model_parts = choices->model_parts;
    if (chosen->kind == CHOICE_NONE) {
        *chosen = now;
        return STATUS_OK;
    }
    if (!(chosen->model_parts & now.model_parts))
        return choose_again(planning, name, &now, &planning->plan->query.columns[column], chosen);
    return fail_at(planning->err, STATUS_INVALID, name->position, "column \"%.*s\" is named twice",
                   SLICE_FORMAT(name->text));
}

/* "site, BUCKET(age)" */
static void append_crossed(const struct planning *planning, const struct made_choice *made,
                           struct text *name)
{
    for (uint32_t i = 0; i < made->crossed_count; i++) {
        const struct crossed_choice *crossed = &made->crossed[i];
        const bool is_made = crossed->choice.spec.rule != RULE_WORDS;

        text_append_string(name, i > 0 ? ", " : "");
        if (is_made)
            text_printf(name, "%s(", crossed->choice.function);
        text_append(name, planning->plan->query.columns[crossed->column].name);
        text_append_string(name, is_made ? ")" : "");
    }
}

/* How many there are of this name: others are numbered. */
static unsigned count_named(const struct choices *choices, struct slice name)
{
    unsigned count = 0;

    for (size_t i = 0; i < choices->made_count; i++) {
        const struct slice other = choices->made[i].name;

        count += other.size >= name.size && memcmp(other.data, name.data, name.size) == 0 &&
                 (other.size == name.size || other.data[name.size] == ' ');
    }
    return count;
}

/* BUCKET(age), and of a second one BUCKET(age) 2. */
static enum status name_made(struct planning *planning, const struct choices *choices,
                             struct made_choice *made)
{
    unsigned before;
    struct text name;

    text_init(&name, TEXT_MAXIMUM);
    text_printf(&name, "%s(", made->choice.function);
    if (made->crossed)
        append_crossed(planning, made, &name);
    else
        text_append(&name, planning->plan->query.columns[made->column].name);
    text_append_char(&name, ')');
    before = count_named(choices, text_slice(&name));
    if (before > 0)
        text_printf(&name, " %u", before + 1);
    made->name = name.failed ? (struct slice){0} : arena_copy(planning->arena, text_slice(&name));
    text_deinit(&name);
    if (!made->name.data)
        return fail_no_memory(planning->err);
    if (query_find(&planning->plan->query, made->name) == -1)
        return STATUS_OK;
    return fail_at(planning->err, STATUS_INVALID, made->choice.position,
                   "column \"%.*s\" has the name of an input that %s makes",
                   SLICE_FORMAT(made->name), made->choice.function);
}

static bool makes_the_same(const struct made_choice *a, const struct made_choice *b)
{
    if (a->column != b->column || a->crossed_count != b->crossed_count ||
        !says_the_same(&a->choice, &b->choice))
        return false;
    for (uint32_t i = 0; i < a->crossed_count; i++)
        if (a->crossed[i].column != b->crossed[i].column ||
            !says_the_same(&a->crossed[i].choice, &b->crossed[i].choice))
            return false;
    return true;
}

/* Keeps a made input as one more, unless the clause of another part has made it already. */
static enum status keep_made(struct planning *planning, struct choices *choices,
                             struct made_choice *made)
{
    made->choice.model_parts = choices->model_parts;
    for (size_t i = 0; i < choices->made_count; i++) {
        struct choice *before = &choices->made[i].choice;

        if ((before->model_parts & choices->model_parts) ||
            !makes_the_same(&choices->made[i], made))
            continue;
        before->model_parts |= choices->model_parts;
        before->spec.dimension |= made->choice.spec.dimension;
        if (made->choice.spec.concat.number)
            before->spec.concat = made->choice.spec.concat;
        return STATUS_OK;
    }
    TRY(name_made(planning, choices, made));
    choices->made_count++;
    return STATUS_OK;
}

/* The place of the next one: a pattern makes one of each column that it matches. NULL: no memory.
 */
static struct made_choice *next_made(struct planning *planning, struct choices *choices)
{
    const size_t room = 2 * choices->made_room + 8;
    struct made_choice *more;

    if (choices->made_count < choices->made_room)
        return &choices->made[choices->made_count];
    more = ARENA_NEW(planning->arena, struct made_choice, room);
    if (!more)
        return NULL;
    if (choices->made_count > 0)
        memcpy(more, choices->made, choices->made_count * sizeof *more);
    choices->made = more;
    choices->made_room = room;
    return &more[choices->made_count];
}

static enum status make_cross(struct planning *planning, const struct chosen *chosen,
                              struct choices *choices)
{
    struct made_choice *made = next_made(planning, choices);
    struct crossed_choice *crossed =
        ARENA_NEW(planning->arena, struct crossed_choice, chosen->crossed_count);

    if (!made || !crossed)
        return fail_no_memory(planning->err);
    *made = (struct made_choice){.column = -1,
                                 .choice = chosen->choice,
                                 .crossed = crossed,
                                 .crossed_count = chosen->crossed_count};
    for (uint32_t i = 0; i < chosen->crossed_count; i++) {
        crossed[i].choice = chosen->crossed[i].choice;
        crossed[i].choice.position = chosen->crossed[i].column->position;
        TRY(find_column(planning, chosen->crossed[i].column, &crossed[i].column));
    }
    return keep_made(planning, choices, made);
}

static enum status make(struct planning *planning, const struct chosen *chosen,
                        struct choices *choices)
{
    struct made_choice *made = next_made(planning, choices);

    if (!made)
        return fail_no_memory(planning->err);
    *made = (struct made_choice){.choice = chosen->choice};
    made->choice.position = chosen->column->position;
    TRY(find_column(planning, chosen->column, &made->column));
    choices->taken[made->column] |= choices->model_parts;
    return keep_made(planning, choices, made);
}

static enum status choose(struct planning *planning, const struct chosen *chosen,
                          struct choices *choices)
{
    if (chosen->crossed)
        return make_cross(planning, chosen, choices);
    return chosen->is_made ? make(planning, chosen, choices)
                           : column_choose(planning, chosen->column, &chosen->choice, choices);
}

/* To a linear model an embedding of one number is a weight a word, and members are side by side. */
static void choose_for_linear(struct choice *choice)
{
    choice->spec.dimension = 0;
    choice->spec.concat = (struct concat){0};
}

static enum status choose_members(struct planning *planning, const struct chosen *chosen,
                                  struct choices *choices)
{
    choices->concat_count++;
    for (uint32_t i = 0; i < chosen->member_count; i++) {
        struct chosen *member = &chosen->members[i];

        member->choice.spec.concat.number = choices->concat_count;
        if (choices->model_parts == MODEL_PARTS_LINEAR)
            choose_for_linear(&member->choice);
        TRY(choose(planning, member, choices));
    }
    return STATUS_OK;
}

enum status column_choose_call(struct planning *planning, const struct column *call,
                               struct choices *choices)
{
    struct chosen chosen = {.column = NULL};

    TRY(read_call(planning, call, &chosen));
    if (chosen.members)
        return choose_members(planning, &chosen, choices);
    if (choices->model_parts == MODEL_PARTS_LINEAR)
        choose_for_linear(&chosen.choice);
    return choose(planning, &chosen, choices);
}
