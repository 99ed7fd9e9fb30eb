#include "planner/columns/column_calls.h"

#include <string.h>

#include "planner/columns/column_function.h"

struct settling {
    const struct statement *statement;
    struct arena *arena;
    struct error *err;
};

static enum status settle(const struct settling *settling, const struct column *column,
                          bool may_be_alias, struct column *settled);

/* ----- names that AS gives ----- */

/* The call of that alias inside of some columns, the outer ones first; NULL: there is none. */
static const struct column *find_alias(const struct column *columns, size_t count,
                                       struct slice alias)
{
    const struct column *found = NULL;

    for (size_t i = 0; i < count && !found; i++)
        found = slice_equal_fold(columns[i].alias.text, alias)
                    ? &columns[i]
                    : find_alias(columns[i].items, columns[i].count, alias);
    return found;
}

static const struct column *find_alias_of(const struct statement *statement, struct slice alias)
{
    const struct column *found = NULL;

    for (size_t i = 0; alias.size > 0 && i < statement->column_clause_count && !found; i++)
        found = find_alias(statement->columns[i].columns, statement->columns[i].count, alias);
    return found;
}

static enum status check_alias(const struct settling *settling, const struct column *column)
{
    if (column->alias.text.size == 0)
        return STATUS_OK;
    if (column->kind != COLUMN_CALL)
        return fail_at(settling->err, STATUS_INVALID, column->alias.position,
                       "AS gives a name to a call, such as CONCAT(a, b)");
    if (find_alias_of(settling->statement, column->alias.text) == column)
        return STATUS_OK;
    return fail_at(settling->err, STATUS_INVALID, column->alias.position,
                   "the name \"%.*s\" is given twice", SLICE_FORMAT(column->alias.text));
}

/* ----- arguments that are given by name ----- */

static enum status refuse_parameter(const struct column_function *function,
                                    const struct column *call, const struct column *argument,
                                    const char *why, struct error *err)
{
    fail_at(err, STATUS_INVALID, argument->parameter.position, "%.*s: argument \"%.*s\" %s",
            SLICE_FORMAT(call->name.text), SLICE_FORMAT(argument->parameter.text), why);
    return function->parameters
               ? error_hint(err, "Behind the first argument it has, in this order: %s.",
                            function->parameters)
               : error_hint(err, "Its arguments have no names.");
}

/* Finds the place of a named argument. A function that does not exist is reported by the code that
 * reads the call. */
static enum status place_named(const struct column *call, const struct column *argument,
                               const bool *taken, size_t *place, struct error *err)
{
    const struct column_function *function =
        column_function_find(column_function_usual(call->name.text));

    if (!function)
        return STATUS_OK;
    *place = column_function_parameter(function, argument->parameter.text);
    if (*place == 0)
        return refuse_parameter(function, call, argument, "is not known", err);
    if (*place >= call->count && !column_function_has_gaps(function))
        return refuse_parameter(function, call, argument, "has others before it that are missing",
                                err);
    return taken[*place] ? refuse_parameter(function, call, argument, "is given twice", err)
                         : STATUS_OK;
}

static enum status place_argument(const struct column *call, size_t i, const bool *taken,
                                  size_t *place, struct error *err)
{
    const struct column *argument = &call->items[i];

    *place = i;
    if (argument->parameter.text.size > 0)
        return place_named(call, argument, taken, place, err);
    if (i == 0 || call->items[i - 1].parameter.text.size == 0)
        return STATUS_OK;
    return fail_at(err, STATUS_INVALID, argument->span.start,
                   "%.*s: arguments without a name stand before those with one",
                   SLICE_FORMAT(call->name.text));
}

/* How many arguments a call has, with those that are left out before one with a name. */
static size_t argument_count(const struct column *call)
{
    const struct column_function *function =
        column_function_find(column_function_usual(call->name.text));
    size_t count = call->count;

    for (size_t i = 0; function && column_function_has_gaps(function) && i < call->count; i++) {
        const struct slice name = call->items[i].parameter.text;
        const size_t place = name.size > 0 ? column_function_parameter(function, name) : 0;

        count = place >= count ? place + 1 : count;
    }
    return count;
}

/* items: of which those stay empty names that are left out. */
static enum status settle_arguments(const struct settling *settling, const struct column *call,
                                    bool may_be_alias, struct column *items)
{
    bool *taken = ARENA_NEW(settling->arena, bool, argument_count(call) + 1);
    size_t place;

    if (!taken)
        return fail_no_memory(settling->err);
    for (size_t i = 0; i < call->count; i++) {
        TRY(place_argument(call, i, taken, &place, settling->err));
        taken[place] = true;
        TRY(settle(settling, &call->items[i], may_be_alias, &items[place]));
    }
    return STATUS_OK;
}

static enum status settle_elements(const struct settling *settling, const struct column *list,
                                   bool may_be_alias, struct column *items)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct name *parameter = &list->items[i].parameter;

        if (parameter->text.size > 0)
            return fail_at(settling->err, STATUS_INVALID, parameter->position,
                           "an element of a list has no name");
        TRY(settle(settling, &list->items[i], may_be_alias, &items[i]));
    }
    return STATUS_OK;
}

/* ----- columns ----- */

static enum status settle(const struct settling *settling, const struct column *column,
                          bool may_be_alias, struct column *settled)
{
    const struct column *meant = may_be_alias && column->kind == COLUMN_NAME
                                     ? find_alias_of(settling->statement, column->name.text)
                                     : NULL;
    const bool has_aliases = may_be_alias && column->alias.text.size == 0;
    struct column *items;

    if (meant)
        return settle(settling, meant, false, settled);
    TRY(check_alias(settling, column));
    *settled = *column;
    if (column->count == 0)
        return STATUS_OK;
    settled->count = column->kind == COLUMN_CALL ? argument_count(column) : column->count;
    settled->items = items = ARENA_NEW(settling->arena, struct column, settled->count);
    if (!items)
        return fail_no_memory(settling->err);
    return column->kind == COLUMN_CALL ? settle_arguments(settling, column, has_aliases, items)
                                       : settle_elements(settling, column, has_aliases, items);
}

static enum status settle_clause(const struct settling *settling,
                                 const struct column_clause *clause, struct column_clause *settled)
{
    *settled = *clause;
    settled->columns = ARENA_NEW(settling->arena, struct column, clause->count);
    if (!settled->columns)
        return fail_no_memory(settling->err);
    for (size_t i = 0; i < clause->count; i++)
        TRY(settle(settling, &clause->columns[i], true, &settled->columns[i]));
    return STATUS_OK;
}

enum status column_calls_settle(struct planning *planning)
{
    const struct statement *statement = planning->statement;
    const struct settling settling = {statement, planning->arena, planning->err};
    struct statement *settled = ARENA_NEW(planning->arena, struct statement, 1);

    if (!settled)
        return fail_no_memory(planning->err);
    *settled = *statement;
    settled->columns =
        ARENA_NEW(planning->arena, struct column_clause, statement->column_clause_count + 1);
    if (!settled->columns)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < statement->column_clause_count; i++)
        TRY(settle_clause(&settling, &statement->columns[i], &settled->columns[i]));
    planning->statement = settled;
    return STATUS_OK;
}
