#include "extension/engine/score/unfamiliar_count.h"

#include <math.h>
#include <string.h>

#include "planner/notices/far_numbers.h"
#include "planner/notices/unseen_nulls.h"
#include "planner/plan/dialect.h"

/* Is it one of which words are told, and a column of the SELECT? */
static bool has_words(const struct unfamiliar_count *counting, size_t input)
{
    const int column = counting->plan->model_columns[input];

    return unseen_words_have(&counting->words, input) && column >= 0 &&
           (size_t)column < counting->plan->query.count;
}

enum status unfamiliar_count_init(const struct host *host, const struct plan *plan,
                                  const struct model *model, struct arena *arena,
                                  struct unfamiliar_count *counting, struct error *err)
{
    const size_t inputs = plan->model.input_count;

    *counting = (struct unfamiliar_count){.plan = plan,
                                          .inputs = ARENA_NEW(arena, size_t, inputs + 1),
                                          .nulls = ARENA_NEW(arena, uint64_t, inputs + 1),
                                          .far = ARENA_NEW(arena, double, inputs + 1)};
    if (!counting->inputs || !counting->nulls || !counting->far)
        return fail_no_memory(err);
    TRY(model ? unseen_words_borrow(model, arena, &counting->words, err)
              : unseen_words_load(host, plan, arena, &counting->words, err));
    TRY(other_units_load(host, plan, model, arena, &counting->units, err));
    memset(counting->nulls, 0, (inputs + 1) * sizeof *counting->nulls);
    for (size_t i = 0; i < inputs; i++) {
        counting->far[i] = NAN;
        if (unseen_nulls_may_come(plan, i) || far_numbers_may_come(plan, i) ||
            has_words(counting, i) || other_units_have(&counting->units, i))
            counting->inputs[counting->count++] = i;
    }
    return STATUS_OK;
}

/* The number that is farthest off is kept, which the order of rows does not change. */
static void look_at(struct unfamiliar_count *counting, size_t input, const struct cell *cell)
{
    const struct plan *plan = counting->plan;
    double *far = &counting->far[input];

    if (unseen_words_have(&counting->words, input))
        unseen_words_cell(&counting->words, input, cell);
    if (other_units_have(&counting->units, input))
        other_units_cell(&counting->units, input, cell);
    if (far_number_is(plan, input, cell)) {
        const double number = cell->type == CELL_REAL ? cell->real : (double)cell->integer;

        if (isnan(*far) || fabs(number) > fabs(*far) || (number == -*far && number > 0))
            *far = number;
    } else if (unseen_null_is(plan, input, cell)) {
        counting->nulls[input]++;
    }
}

void unfamiliar_count_row(struct unfamiliar_count *counting, const struct cell *cells)
{
    const struct plan *plan = counting->plan;

    counting->rows++;
    for (size_t i = 0; i < counting->count; i++) {
        const size_t input = counting->inputs[i];

        look_at(counting, input, &cells[plan->model_columns[input]]);
    }
}

enum status unfamiliar_count_columns(void *self, const struct slice *names, size_t count,
                                     struct error *err)
{
    return sink_columns(((const struct unfamiliar_count *)self)->to, names, count, err);
}

size_t unfamiliar_count_place(const struct unfamiliar_count *counting, size_t i)
{
    const struct plan *plan = counting->plan;
    const int column = plan->model_columns[counting->inputs[i]];

    return (size_t)(column - (plan->label_column >= 0 && column > plan->label_column));
}

void unfamiliar_count_cell(struct unfamiliar_count *counting, size_t i, const struct cell *cell)
{
    counting->rows += i == 0;
    look_at(counting, counting->inputs[i], cell);
}

enum status unfamiliar_count_pass(void *self, const struct cell *cells, size_t count,
                                  struct error *err)
{
    struct unfamiliar_count *counting = self;

    for (size_t i = 0; i < counting->count; i++)
        unfamiliar_count_cell(counting, i, &cells[unfamiliar_count_place(counting, i)]);
    return sink_row(counting->to, cells, count, err);
}

void unfamiliar_count_note(struct unfamiliar_count *counting)
{
    for (size_t i = 0; i < counting->count; i++)
        if (!unseen_nulls_may_come(counting->plan, counting->inputs[i]))
            counting->nulls[counting->inputs[i]] = 0;
    note_counted_nulls(counting->plan, counting->nulls, counting->rows);
    note_found_far_numbers(counting->plan, counting->far);
    unseen_words_note(&counting->words, counting->plan->notices);
    other_units_note(&counting->units);
}

static enum status count_written(void *self, const struct cell *cells, size_t count,
                                 struct error *err)
{
    struct unfamiliar_count *counting = self;

    if (count != counting->count)
        return fail(err, STATUS_DATABASE, "the table of predictions has other columns than it had");
    counting->rows++;
    for (size_t i = 0; i < count; i++)
        look_at(counting, counting->inputs[i], &cells[i]);
    return STATUS_OK;
}

static enum status take_schema(void *self, const struct cell *cells, size_t count,
                               struct error *err)
{
    if (count != 1 || cells->type != CELL_TEXT)
        return fail(err, STATUS_DATABASE, "there is no schema that tables are made in");
    text_append_identifier(self, cells->text);
    return STATUS_OK;
}

/* A bare name may be a temporary table's, or one of another schema that comes first. */
static enum status append_schema(const struct host *host, const struct plan *plan, struct text *sql,
                                 struct error *err)
{
    const struct sink schema = {.self = sql, .row = take_schema};
    const char *schema_now = dialect_of(plan->dialect)->schema_now;

    if (plan->target_schema.size == 0 && schema_now)
        return host->rows->query(host->self, slice_of(schema_now), &schema, err);
    text_append_identifier(sql, plan->target_schema.size > 0 ? plan->target_schema : SLICE("main"));
    return STATUS_OK;
}

enum status unfamiliar_count_target(const struct host *host, struct unfamiliar_count *counting,
                                    struct error *err)
{
    const struct plan *plan = counting->plan;
    const struct sink rows = {.self = counting, .row = count_written};
    const char *comma = "";
    enum status status;
    struct text sql;

    if (counting->count == 0)
        return STATUS_OK;
    text_init(&sql, STATEMENT_BYTES_MAX);
    text_append_string(&sql, "SELECT ");
    for (size_t i = 0; i < counting->count; i++, comma = ", ") {
        text_append_string(&sql, comma);
        text_append_identifier(&sql,
                               plan->query.columns[plan->model_columns[counting->inputs[i]]].name);
    }
    text_append_string(&sql, " FROM ");
    status = append_schema(host, plan, &sql, err);
    text_append_char(&sql, '.');
    text_append_identifier(&sql, plan->target_table);
    if (status == STATUS_OK && sql.failed)
        status = fail_no_memory(err);
    if (status == STATUS_OK)
        status = host->rows->query(host->self, text_slice(&sql), &rows, err);
    text_deinit(&sql);
    return status;
}

/* ---- rows that are not scored ---- */

static enum status take_sampled(void *self, const struct cell *cells, size_t count,
                                struct error *err)
{
    struct unfamiliar_count *counting = self;
    (void)err;

    for (size_t i = 0; i < counting->plan->model.input_count; i++) {
        const int column = counting->plan->model_columns[i];

        if (column < 0 || (size_t)column >= count)
            continue;
        if (unseen_words_have(&counting->words, i))
            unseen_words_cell(&counting->words, i, &cells[column]);
        if (other_units_have(&counting->units, i))
            other_units_cell(&counting->units, i, &cells[column]);
    }
    return STATUS_OK;
}

enum status unfamiliar_count_explain(const struct host *host, const struct plan *plan,
                                     struct arena *arena, struct error *err)
{
    struct unfamiliar_count counting = {.plan = plan};
    const struct sink sink = {.self = &counting, .row = take_sampled};
    enum status status;
    struct text select;

    TRY(unseen_words_load(host, plan, arena, &counting.words, err));
    TRY(other_units_load(host, plan, NULL, arena, &counting.units, err));
    if (!counting.words.columns && counting.units.count == 0)
        return STATUS_OK;
    text_init(&select, TEXT_MAXIMUM);
    text_printf(&select, "SELECT * FROM (%.*s\n) AS totrain_sample LIMIT %d",
                SLICE_FORMAT(plan->select), QUERY_SAMPLE_ROWS);
    status = select.failed ? fail_no_memory(err)
                           : host->rows->query(host->self, text_slice(&select), &sink, err);
    text_deinit(&select);
    if (status == STATUS_OK) {
        unseen_words_note(&counting.words, plan->notices);
        other_units_note(&counting.units);
    }
    return status;
}
