#include "planner/columns/cross_quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "base/sort_doubles.h"
#include "inputs/cells/cells.h"
#include "planner/plan/column_kind.h"
#include "scoring/numbers/quantiles.h"

/* A column whose numbers are wanted. */
struct measured {
    int column;
    struct slice name;
    enum input_reading reading;
    double *numbers; /* (count) */
    uint32_t count, room;
};

struct measuring {
    struct planning *planning;
    struct measured *columns; /* (count) */
    size_t count;
    uint64_t rows;
    int position; /* place in the text that asks for them */
};

/* ----- which are wanted ----- */

static bool lacks_bounds(const struct crossed_choice *crossed)
{
    return crossed->choice.spec.rule == RULE_BUCKET && crossed->choice.spec.bound_count == 0;
}

/* Bounds that an earlier plan of the statement has found. NULL: none. */
static const struct column_quantiles *find_known(const struct query *query, int column,
                                                 uint32_t buckets)
{
    for (size_t i = 0; i < query->quantile_count; i++)
        if (query->quantiles[i].column == column && query->quantiles[i].buckets == buckets)
            return &query->quantiles[i];
    return NULL;
}

static void take_known(struct crossed_choice *crossed, const struct column_quantiles *known)
{
    crossed->choice.spec.bounds = known->bounds;
    crossed->choice.spec.bound_count = known->bound_count;
}

static struct measured *find_measured(const struct measuring *measuring, int column)
{
    for (size_t i = 0; i < measuring->count; i++)
        if (measuring->columns[i].column == column)
            return &measuring->columns[i];
    return NULL;
}

/* Calls `act` for each crossed choice that lacks bounds. */
static enum status each_lacking(struct measuring *measuring, struct choices *choices,
                                enum status (*act)(struct measuring *measuring,
                                                   struct crossed_choice *crossed))
{
    for (size_t m = 0; m < choices->made_count; m++)
        for (uint32_t i = 0; i < choices->made[m].crossed_count; i++)
            if (lacks_bounds(&choices->made[m].crossed[i]))
                TRY(act(measuring, &choices->made[m].crossed[i]));
    return STATUS_OK;
}

static enum status want(struct measuring *measuring, struct crossed_choice *crossed)
{
    const struct query *query = &measuring->planning->plan->query;
    const struct query_column *column = &query->columns[crossed->column];
    const struct column_quantiles *known =
        find_known(query, crossed->column, crossed->choice.spec.vocabulary_max);

    if (known)
        take_known(crossed, known);
    else if (!find_measured(measuring, crossed->column))
        measuring->columns[measuring->count++] = (struct measured){
            .column = crossed->column, .name = column->name, .reading = column_reading(column)};
    measuring->position = crossed->choice.position;
    return STATUS_OK;
}

/* ----- the pass over the rows ----- */

static enum status add_number(struct measured *measured, double number, struct error *err)
{
    void *numbers = measured->numbers;

    TRY(reserve_array(&numbers, &measured->room, measured->count + 1, sizeof(double), err));
    measured->numbers = numbers;
    measured->numbers[measured->count++] = number;
    return STATUS_OK;
}

/* Passes over cells that are no numbers: staging decides whether their rows are bad. */
static enum status take_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct measuring *measuring = self;

    if (++measuring->rows > CROSS_QUANTILE_ROWS_MAX) {
        fail_at(err, STATUS_LIMIT, measuring->position,
                "quantiles in CROSS are found of up to %u rows", CROSS_QUANTILE_ROWS_MAX);
        return error_hint(err, "Give its bounds: BUCKET(column, [b1, b2, ...]).");
    }
    for (size_t i = 0; i < measuring->count; i++) {
        struct measured *measured = &measuring->columns[i];
        struct error ignored;
        double number;
        bool is_null;

        if ((size_t)measured->column < count &&
            cell_to_number(&cells[measured->column], measured->reading, measured->name, &number,
                           &is_null, &ignored) == STATUS_OK &&
            !is_null)
            TRY(add_number(measured, number, err));
    }
    return STATUS_OK;
}

static enum status read_rows(struct measuring *measuring)
{
    const struct planning *planning = measuring->planning;
    const struct row_taker taker = {measuring, take_row};

    return planning->catalog->each_row(planning->catalog->self, planning->statement->select, &taker,
                                       planning->err);
}

/* ----- bounds ----- */

/* The different numbers among sorted ones, each with its rows; the caller frees them. NULL: no
 * memory. */
static struct counted_number *count_numbers(const struct measured *measured, uint32_t *count)
{
    struct counted_number *numbers = calloc(measured->count + 1ull, sizeof *numbers);

    *count = 0;
    for (uint32_t i = 0; numbers && i < measured->count; i++) {
        if (*count == 0 || numbers[*count - 1].value < measured->numbers[i])
            numbers[(*count)++].value = measured->numbers[i];
        numbers[*count - 1].rows++;
    }
    return numbers;
}

static enum status keep(struct query *query, const struct column_quantiles *found,
                        struct arena *arena, struct error *err)
{
    struct column_quantiles *more =
        ARENA_NEW(arena, struct column_quantiles, query->quantile_count + 1);

    if (!more)
        return fail_no_memory(err);
    if (query->quantile_count > 0)
        memcpy(more, query->quantiles, query->quantile_count * sizeof *more);
    more[query->quantile_count++] = *found;
    query->quantiles = more;
    return STATUS_OK;
}

/* Finds the bounds of a column's buckets. One value, or none, makes one bucket, with a bound that
 * nothing is below. */
static enum status find_bounds(struct measuring *measuring, struct crossed_choice *crossed)
{
    struct planning *planning = measuring->planning;
    const struct measured *measured = find_measured(measuring, crossed->column);
    struct column_quantiles found = {.column = crossed->column,
                                     .buckets = crossed->choice.spec.vocabulary_max};
    double *bounds = ARENA_NEW(planning->arena, double, found.buckets);
    uint32_t count;
    struct counted_number *numbers = count_numbers(measured, &count);

    if (!bounds || !numbers) {
        free(numbers);
        return fail_no_memory(planning->err);
    }
    found.bounds = bounds;
    found.bound_count = quantile_bounds(numbers, count, found.buckets, bounds);
    if (found.bound_count == 0) {
        bounds[0] = count > 0 ? numbers[0].value : 0;
        found.bound_count = 1;
    }
    free(numbers);
    take_known(crossed, &found);
    return keep(&planning->plan->query, &found, planning->arena, planning->err);
}

static enum status measure(struct measuring *measuring, struct choices *choices)
{
    TRY(read_rows(measuring));
    for (size_t i = 0; i < measuring->count; i++)
        if (measuring->columns[i].count > 0)
            sort_doubles(measuring->columns[i].numbers, measuring->columns[i].count);
    return each_lacking(measuring, choices, find_bounds);
}

enum status cross_quantiles_find(struct planning *planning, struct choices *choices)
{
    const size_t most = choices->made_count * CROSS_COLUMNS_MAX;
    struct measuring measuring = {.planning = planning,
                                  .columns = ARENA_NEW(planning->arena, struct measured, most + 1),
                                  .position = planning->statement->select_position};
    enum status status;

    if (!measuring.columns)
        return fail_no_memory(planning->err);
    if (planning->plan->explain_only)
        return STATUS_OK;
    status = each_lacking(&measuring, choices, want);
    if (status == STATUS_OK && measuring.count > 0)
        status = measure(&measuring, choices);
    for (size_t i = 0; i < measuring.count; i++)
        free(measuring.columns[i].numbers);
    return status;
}
