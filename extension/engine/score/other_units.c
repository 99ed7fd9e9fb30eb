#include "extension/engine/score/other_units.h"

#include <math.h>
#include <string.h>

#include "extension/engine/score/unseen_words.h"
#include "inputs/cells/cells.h"
#include "scoring/tables/model_table.h"

/* The column of the SELECT that the model's input is; NULL: none. */
static const struct query_column *column_of(const struct plan *plan, size_t input)
{
    const int column = plan->model_columns[input];

    return column >= 0 && (size_t)column < plan->query.count ? &plan->query.columns[column] : NULL;
}

/* ---- the model's statistics ---- */

static enum status make(struct other_units *units, const struct plan *plan, struct arena *arena,
                        struct error *err)
{
    const size_t count = plan->model.input_count;

    *units = (struct other_units){.plan = plan,
                                  .columns = ARENA_NEW(arena, struct other_unit, count + 1),
                                  .are_told = ARENA_NEW(arena, bool, count + 1),
                                  .count = count};
    if (!units->columns || !units->are_told)
        return fail_no_memory(err);
    memset(units->are_told, 0, count + 1);
    return STATUS_OK;
}

/* The statistics of one input, in JSON. Damaged ones are told of by who scores with them. */
static void take_statistics(struct other_units *units, const struct transform_input *input,
                            struct slice json)
{
    const struct query_column *column;
    struct input_statistics then;
    struct error why;

    if (input->column >= units->count)
        return;
    column = column_of(units->plan, input->column);
    if (column && column->has_deciles &&
        input_statistics_read(json, input->spec.name, &then, &why) == STATUS_OK &&
        other_unit_init(input, &then, &units->columns[input->column]))
        units->are_told[input->column] =
            other_unit_may_be(&units->columns[input->column], column->deciles, QUERY_DECILES);
}

struct reading {
    struct other_units *units;
    const struct model *meta;
};

/* Scales that a meta row does not have are 1: those of kinds that keep numbers. */
static enum status take_row(void *context, const struct model_row *row, struct error *err)
{
    const struct reading *reading = context;
    const struct transform *transform = &reading->meta->transform;
    struct transform_input input;
    (void)err;

    if (!slice_is(row->part, "statistics") || !row->has_data || row->position < 0 ||
        row->position >= (int64_t)transform->input_count)
        return STATUS_OK;
    input = transform->inputs[row->position];
    input.scale = transform->keeps_numbers ? 1 : input.scale;
    take_statistics(reading->units, &input, row->data);
    return STATUS_OK;
}

static bool may_be_read(const struct host *host, const struct plan *plan)
{
    if (!host->models || !plan->model.has_statistics || plan->model.memory > UNSEEN_MODEL_BYTES_MAX)
        return false;
    for (size_t i = 0; i < plan->model.input_count; i++)
        if (plan->model.inputs[i].type == INPUT_NUMERIC && column_of(plan, i) &&
            column_of(plan, i)->has_deciles)
            return true;
    return false;
}

static enum status read_model(const struct host *host, const struct plan *plan,
                              struct other_units *units, struct error *err)
{
    enum status status;
    struct arena arena;
    struct model meta;
    struct reading reading = {units, &meta};

    arena_init(&arena, ARENA_MAXIMUM);
    status = host->models->load_meta(host->self, plan->model_schema, plan->model_name, &arena,
                                     &meta, err);
    if (status == STATUS_OK)
        status = host->models->each_row(host->self, plan->model_schema, plan->model_name, false,
                                        take_row, &reading, err);
    arena_deinit(&arena);
    if (status == STATUS_CORRUPT || status == STATUS_NOT_FOUND || status == STATUS_UNSUPPORTED) {
        error_clear(err); /* the scoring of the rows says why it cannot be read */
        units->count = 0;
        return STATUS_OK;
    }
    return status;
}

enum status other_units_load(const struct host *host, const struct plan *plan,
                             const struct model *model, struct arena *arena,
                             struct other_units *units, struct error *err)
{
    *units = (struct other_units){.plan = plan};
    if (!model && !may_be_read(host, plan))
        return STATUS_OK;
    TRY(make(units, plan, arena, err));
    if (!model)
        TRY(read_model(host, plan, units, err));
    for (uint32_t i = 0; model && i + 1 < model->statistics_count; i++)
        take_statistics(units, &model->transform.inputs[i], model->statistics[i]);
    if (!memchr(units->are_told, true, units->count))
        units->count = 0;
    return STATUS_OK;
}

/* ---- rows ---- */

void other_units_cell(struct other_units *units, size_t input, const struct cell *cell)
{
    const struct model_input *of = &units->plan->model.inputs[input];
    struct error why;
    double number;
    bool is_null;

    if (cell_to_number(cell, of->reading, of->name, &number, &is_null, &why) == STATUS_OK &&
        !is_null)
        other_unit_take(&units->columns[input], number);
}

/* "(x - 32) / 1.8", without parentheses around a product. */
static void append_converted(const struct unit *unit, const char *number, struct text *out)
{
    const char *point = unit->by == nearbyint(unit->by) ? ".0" : "";

    if (unit->sign == 'C')
        text_printf(out, "(%s - 32) / %.10g%s", number, unit->by, point);
    else if (unit->sign == 'F')
        text_printf(out, "%s * %.10g%s + 32", number, unit->by, point);
    else
        text_printf(out, "%s %c %.10g%s", number, unit->sign, unit->by, point);
}

/* The column as a number; texts have only plain numbers and blanks. */
static void append_number(const struct query_column *column, struct text *out)
{
    const bool is_text = column->texts > 0;

    text_printf(out, "%s%s%s",
                !is_text              ? ""
                : column->blank_texts ? "CAST(NULLIF(trim("
                                      : "CAST(",
                SQL_NAME(column->name),
                !is_text              ? ""
                : column->blank_texts ? "), '') AS double precision)"
                                      : " AS double precision)");
}

/* The SQL of the column, converted where it is above `far`, or wherever it is. */
static void append_cure(const struct query_column *column, const struct unit *unit,
                        const double *far, struct text *out)
{
    struct text number;

    text_init(&number, NOTICE_BYTES_MAX);
    append_number(column, &number);
    if (far)
        text_printf(out, "CASE WHEN %s > %.6g THEN ", text_string(&number), *far);
    append_converted(unit, text_string(&number), out);
    if (far)
        text_printf(out, " ELSE %s END", text_string(&number));
    text_printf(out, " AS %s", SQL_NAME(column->name));
    text_deinit(&number);
}

/* Texts that are no plain numbers, such as '1,234' and 'NA', are another number in SQLite's CAST,
 * and an error in PostgreSQL's. */
static void hint_unit(const struct other_units *units, const struct query_column *column,
                      const struct unit *unit, const double *far)
{
    struct text cure;

    text_init(&cure, NOTICE_BYTES_MAX);
    if (column->texts > column->numeric_texts + column->blank_texts) {
        append_converted(unit, "x", &cure);
        notice_hint(units->plan->notices,
                    "If their unit differs from that of the training rows, make numbers of the "
                    "texts in the SELECT, and write %s for each number x%s; if the rows have "
                    "changed, train again with such rows.",
                    text_string(&cure), far ? " of them that is as far" : "");
    } else {
        append_cure(column, unit, far, &cure);
        notice_hint(units->plan->notices,
                    "If their unit differs from that of the training rows, write %s in the "
                    "SELECT; if the rows have changed, train again with such rows.",
                    text_string(&cure));
    }
    text_deinit(&cure);
}

static void note_part(const struct other_units *units, const struct query_column *column,
                      const struct other_unit *counts, const struct unit *unit)
{
    const double far = other_unit_far(counts);

    notice_add(units->plan->notices, NOTICE_OUTLIERS,
               "column \"%.*s\": %llu of %llu numbers lie above %.6g, where 8 of 10 training rows "
               "are between %.6g and %.6g: these go up to %.6g, as in another unit than the others",
               SLICE_FORMAT(column->name), (unsigned long long)counts->above,
               (unsigned long long)counts->rows, far, other_unit_low(counts),
               other_unit_high(counts), counts->greatest);
    hint_unit(units, column, unit, &far);
}

static void note(const struct other_units *units, size_t input)
{
    const struct query_column *column = column_of(units->plan, input);
    const struct other_unit *counts = &units->columns[input];
    const struct unit *unit = NULL;
    const enum unit_verdict verdict = other_unit_find(counts, &unit);

    if (verdict == UNIT_SAME)
        return;
    if (verdict == UNIT_PART) {
        note_part(units, column, counts, unit);
        return;
    }
    notice_add(units->plan->notices, NOTICE_OUTLIERS,
               "column \"%.*s\": %llu of %llu numbers lie outside %.6g to %.6g, where 8 of 10 "
               "training rows are: they go from %.6g to %.6g%s",
               SLICE_FORMAT(column->name), (unsigned long long)counts->outside,
               (unsigned long long)counts->rows, other_unit_low(counts), other_unit_high(counts),
               counts->least, counts->greatest,
               verdict == UNIT_OTHER ? ", as in another unit" : "");
    if (verdict == UNIT_OTHER)
        hint_unit(units, column, unit, NULL);
    else
        notice_hint(
            units->plan->notices,
            "If their unit or their zero differs from that of the training rows, convert the "
            "column in the SELECT; if the rows have changed, train again with such rows.");
}

void other_units_note(const struct other_units *units)
{
    for (size_t i = 0; i < units->count; i++)
        if (units->are_told[i])
            note(units, i);
}
