#include "extension/engine/rows/column_verdict.h"

#include <string.h>

#include "planner/plan/column_kind.h"
#include "planner/plan_statement.h"
#include "scoring/columns/cell_counts.h"

#define COLUMNS_NAMED 3

/* ----- the plan from all rows ----- */

/* The host's catalog, but for the SELECT itself. */
struct counted_catalog {
    struct catalog catalog;
    const struct catalog *host;
    const char *select; /* in the statement */
    const struct query *counted;
};

static enum status describe(void *self, struct slice select, struct arena *arena,
                            struct query *query, struct error *err)
{
    const struct counted_catalog *counted = self;

    if (select.data != counted->select)
        return counted->host->describe(counted->host->self, select, arena, query, err);
    return query_as_described(counted->counted, arena, query, err);
}

static enum status each_row(void *self, struct slice select, const struct row_taker *taker,
                            struct error *err)
{
    const struct catalog *host = ((const struct counted_catalog *)self)->host;

    return host->each_row(host->self, select, taker, err);
}

static enum status find_model(void *self, struct slice schema, struct slice name,
                              struct arena *arena, struct model_summary *model, struct error *err)
{
    const struct catalog *host = ((const struct counted_catalog *)self)->host;

    return host->find_model(host->self, schema, name, arena, model, err);
}

static enum status find_definition(void *self, struct slice schema, struct slice name,
                                   struct arena *arena, struct stored_definition *stored,
                                   struct error *err)
{
    const struct catalog *host = ((const struct counted_catalog *)self)->host;

    return host->find_definition(host->self, schema, name, arena, stored, err);
}

static bool has_schema(void *self, struct slice schema)
{
    const struct catalog *host = ((const struct counted_catalog *)self)->host;

    return host->has_schema(host->self, schema);
}

static struct slice find_file(void *self, struct slice schema)
{
    const struct catalog *host = ((const struct counted_catalog *)self)->host;

    return host->find_file(host->self, schema);
}

static enum status working_folder(void *self, struct arena *arena, struct slice *folder,
                                  struct error *err)
{
    const struct catalog *host = ((const struct counted_catalog *)self)->host;

    return host->working_folder(host->self, arena, folder, err);
}

static void stand_before(struct counted_catalog *counted)
{
    const struct catalog *host = counted->host;

    counted->catalog = *host;
    counted->catalog.self = counted;
    counted->catalog.describe = describe;
    counted->catalog.each_row = each_row;
    counted->catalog.find_model = find_model;
    counted->catalog.find_definition = host->find_definition ? find_definition : NULL;
    counted->catalog.has_schema = host->has_schema ? has_schema : NULL;
    counted->catalog.find_file = host->find_file ? find_file : NULL;
    counted->catalog.working_folder = host->working_folder ? working_folder : NULL;
}

/* The query as it was described, with the counts of all rows in the columns that were counted: in
 * the order of spooling.c. Elements of arrays are no columns of it. */
static enum status count_query(const struct column_verdict *verdict,
                               const struct cell_census *census, uint64_t rows, struct query *query,
                               struct error *err)
{
    const struct plan *plan = verdict->first;
    uint32_t number = 0;

    TRY(query_as_described(&plan->query, verdict->arena, query, err));
    query->sample_rows = rows > UINT32_MAX ? UINT32_MAX : (uint32_t)rows;
    query->is_whole = true;
    for (size_t i = 0; i < plan->input_count; i++, number++)
        if ((size_t)plan->inputs[i].column < query->count)
            query_column_take(&query->columns[plan->inputs[i].column], &census->columns[number],
                              rows);
    if (plan->label_column >= 0)
        query_column_take(&query->columns[plan->label_column], &census->columns[number++], rows);
    for (size_t i = 0; i < plan->role_count; i++, number++)
        query_column_take(&query->columns[plan->roles[i].column], &census->columns[number], rows);
    for (size_t i = 0; i < plan->left_out_count; i++, number++)
        query_column_take(&query->columns[plan->left_out[i].column], &census->columns[number],
                          rows);
    for (size_t i = 0; i < plan->query.vectors.count; i++)
        if (vector_is_judged(&plan->query.vectors.items[i]))
            query_column_take(&query->columns[plan->query.vectors.items[i].column],
                              &census->columns[number++], rows);
    return STATUS_OK;
}

/* ----- is it another one? ----- */

static bool is_same_input(const struct plan_input *a, const struct plan_input *b)
{
    return a->column == b->column && a->spec.type == b->spec.type &&
           a->spec.reading == b->spec.reading && a->spec.rule == b->spec.rule &&
           a->spec.part == b->spec.part && a->spec.combiner == b->spec.combiner &&
           a->spec.is_weighted == b->spec.is_weighted && a->spec.has_pairs == b->spec.has_pairs &&
           a->spec.weight == b->spec.weight && a->spec.label == b->spec.label &&
           (a->spec.type != INPUT_TEXT || a->spec.vocabulary_max == b->spec.vocabulary_max) &&
           cell_list_equal(&a->spec.list, &b->spec.list) &&
           slice_equal(a->spec.source, b->spec.source) && cross_equal(a->spec.cross, b->spec.cross);
}

static bool has_same_roles(const struct plan *a, const struct plan *b)
{
    if (a->role_count != b->role_count)
        return false;
    for (size_t i = 0; i < a->role_count; i++)
        if (a->roles[i].role != b->roles[i].role || a->roles[i].column != b->roles[i].column ||
            a->roles[i].reading != b->roles[i].reading)
            return false;
    return true;
}

static bool writes_the_same(const struct plan *a, const struct plan *b)
{
    if (a->input_count != b->input_count || a->label_type != b->label_type ||
        a->label_reading != b->label_reading || !has_same_roles(a, b))
        return false;
    for (size_t i = 0; i < a->input_count; i++)
        if (!is_same_input(&a->inputs[i], &b->inputs[i]))
            return false;
    return true;
}

/* Are there texts in a column of numbers that are put as NULL while they are counted? */
static bool has_unread(const struct cell_counts *counts, enum input_reading reading)
{
    return cell_counts_unread(counts, reading) > 0;
}

static bool is_label_unread(const struct plan *plan, const struct cell_counts *counts,
                            uint64_t rows)
{
    if (plan->label_type == LABEL_REAL)
        return has_unread(counts, plan->label_reading);
    return plan->label_type == LABEL_INTEGER &&
           counts->integers + counts->nulls + counts->texts[TEXT_BLANK] < rows;
}

/* Where roles begin among the columns that are counted. */
static size_t behind_inputs(const struct plan *plan)
{
    return plan->input_count + (plan->label_column >= 0);
}

/* Are there texts or numbers in a column of dates that are no dates? */
static bool has_no_dates(const struct cell_counts *counts, enum input_reading reading,
                         uint64_t rows)
{
    const uint64_t texts = cell_counts_dates(counts, reading);
    const uint64_t missing =
        counts->nulls + counts->texts[TEXT_BLANK] + counts->texts[TEXT_MISSING];

    return texts + counts->dates + missing < rows;
}

static bool has_bad_dates(const struct plan *plan, const struct cell_census *census, uint64_t rows)
{
    const struct vectors *vectors = &plan->query.vectors;
    size_t number = behind_inputs(plan) + plan->role_count + plan->left_out_count;

    for (size_t i = 0; i < vectors->count; i++) {
        const struct vector *vector = &vectors->items[i];

        if (vector->parts && has_no_dates(&census->columns[number], vector->reading, rows))
            return true;
        number += vector_is_judged(vector);
    }
    return false;
}

/* Such a row is an error, or a bad one: who reads again in strict order says which. */
static bool has_bad_cells(const struct plan *plan, const struct cell_census *census, uint64_t rows)
{
    for (size_t i = 0; i < plan->input_count; i++)
        if (census->columns[i].unfit > 0 ||
            (input_takes_numbers(&plan->inputs[i].spec) &&
             has_unread(&census->columns[i], plan->inputs[i].spec.reading)))
            return true;
    for (size_t i = 0; i < plan->role_count; i++)
        if (role_is_number(plan->roles[i].role) &&
            has_unread(&census->columns[behind_inputs(plan) + i], plan->roles[i].reading))
            return true;
    return has_bad_dates(plan, census, rows) ||
           (plan->label_column >= 0 &&
            is_label_unread(plan, &census->columns[plan->input_count], rows));
}

enum status column_verdict_plan(const struct column_verdict *verdict,
                                const struct statement *statement, struct arena *arena,
                                struct plan *plan, struct error *err)
{
    struct counted_catalog counted = {.host = &verdict->host->catalog,
                                      .select = statement->select.data,
                                      .counted = &verdict->counted};

    if (!verdict->is_judged)
        return plan_statement(statement, verdict->text, &verdict->host->catalog, arena, plan, err);
    stand_before(&counted);
    return plan_statement(statement, verdict->text, &counted.catalog, arena, plan, err);
}

static enum status judge(void *self, const struct cell_census *census, uint64_t rows,
                         struct error *err)
{
    struct column_verdict *verdict = self;
    const struct plan *first = verdict->first;

    if (rows == 0) /* there is no more to know than before */
        return STATUS_OK;
    TRY(count_query(verdict, census, rows, &verdict->counted, err));
    verdict->is_judged = true;
    TRY(column_verdict_plan(verdict, verdict->statement, verdict->arena, &verdict->plan, err));
    verdict->reads_again =
        !writes_the_same(first, &verdict->plan) || has_bad_cells(first, census, rows);
    return STATUS_OK;
}

struct spool_judge column_verdict_judge(struct column_verdict *verdict)
{
    verdict->is_judged = verdict->reads_again = false;
    return (struct spool_judge){
        .self = verdict, .judge = judge, .reads_again = &verdict->reads_again};
}

/* ----- for people ----- */

/* The column's input, or the first part of its dates. */
static const struct plan_input *input_of(const struct plan *plan, int column)
{
    const struct slice name = plan->query.columns[column].name;

    for (size_t i = 0; i < plan->input_count; i++) {
        const struct plan_input *input = &plan->inputs[i];

        if (input->spec.part || cell_list_has_numbers(&input->spec.list)
                ? slice_equal(input->spec.source, name)
                : input->column == column)
            return input;
    }
    return NULL;
}

/* Does the column give the same parts of dates, or none, and the same list of numbers? */
static bool takes_the_same(const struct column_verdict *verdict, int column)
{
    const struct query_column *first = &verdict->first->query.columns[column];
    const struct query_column *now = &verdict->plan.query.columns[column];

    return first->parts == now->parts &&
           (!now->parts || first->date_reading == now->date_reading) &&
           cell_list_equal(&first->list, &now->list);
}

/* NULL: what it was. */
static const char *change_of(const struct column_verdict *verdict, int column)
{
    const struct plan_input *before = input_of(verdict->first, column);
    const struct plan_input *now = input_of(&verdict->plan, column);

    if (!before && !now)
        return NULL;
    if (before && now && takes_the_same(verdict, column) &&
        (now->spec.part || now->spec.list.form || is_same_input(before, now)))
        return NULL;
    if (!now)
        return "left out";
    if (now->spec.part)
        return "a date";
    if (now->spec.list.form)
        return "a list of another size";
    return now->spec.type == INPUT_NUMERIC ? "numeric" : "a category";
}

void column_verdict_note(const struct column_verdict *verdict, const struct sink *sink)
{
    unsigned changes = 0;
    struct text text;

    text_init(&text, TEXT_MAXIMUM);
    for (size_t i = 0; i < verdict->first->query.count; i++) {
        const char *change = change_of(verdict, (int)i);

        if (change && changes++ < COLUMNS_NAMED)
            text_printf(&text, "%s \"%.*s\" is %s", changes > 1 ? "," : "",
                        SLICE_FORMAT(verdict->first->query.columns[i].name), change);
    }
    if (changes > COLUMNS_NAMED)
        text_printf(&text, " and %u more differ", changes - COLUMNS_NAMED);
    if (changes > 0 && !text.failed)
        sink_notice(sink,
                    "rows are read again, as all of them show another kind of column than "
                    "the first %d:%s",
                    QUERY_SAMPLE_ROWS, text_string(&text));
    text_deinit(&text);
}
