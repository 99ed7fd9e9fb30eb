#include "runtime/data/columns/robust_inputs.h"

#include <math.h>

#include "jobspec/jobspec_sections.h"

/* ---- notices ---- */

static double least_of(const struct transform_input *input)
{
    return input->mean - (double)input->limit * input->scale;
}

static double greatest_of(const struct transform_input *input)
{
    return input->mean + (double)input->limit * input->scale;
}

static void note_range(const struct transform_input *input, double deviation, enum far_values far,
                       struct notice_list *notices)
{
    notice_add(notices, NOTICE_OUTLIERS,
               "column \"%.*s\": a few values are far from all others (its deviation is %.3g, that "
               "of its middle half %.3g around %.3g): it is scaled by its middle half, and values "
               "beyond %.4g and %.4g count as these",
               SLICE_FORMAT(input->spec.name), deviation, input->scale, input->mean,
               least_of(input), greatest_of(input));
    if (far == FAR_FEW)
        notice_hint(notices,
                    "If they are wrong, leave them out or make NULL of them. NUMERIC(%.*s) in "
                    "COLUMN keeps them as they are.",
                    SLICE_FORMAT(input->spec.name));
    else
        notice_hint(notices, "If they stand for missing values, make NULL of them, as by "
                             "nullif(column, -999).");
}

/* Notes which values of several columns count as others, for as many columns as there is room. */
static void note_ranges(const struct dataset *dataset, const uint32_t *ranged, uint32_t count,
                        enum far_values far, struct notice_list *notices)
{
    const struct transform_input *first = &dataset->transform.inputs[ranged[0]];
    uint32_t named = 0;
    struct text list;

    text_init(&list, NOTICE_BYTES_MAX);
    for (; named < count && list.size < NOTICE_BYTES_MAX / 3; named++) {
        const struct transform_input *input = &dataset->transform.inputs[ranged[named]];

        text_append_string(&list, named == 0 ? "" : ", ");
        text_printf(&list, "\"%.*s\" beyond %.4g and %.4g",
                    SLICE_FORMAT(slice_prefix(input->spec.name, 40)), least_of(input),
                    greatest_of(input));
    }
    if (named < count)
        text_printf(&list, ", and so in %u more", count - named);
    notice_add(
        notices, NOTICE_OUTLIERS,
        "in %u columns a few values are far from all others: they are scaled by their middle "
        "halves, and farther values count as the last: %s",
        count, text_string(&list));
    text_deinit(&list);
    if (far == FAR_FEW)
        notice_hint(notices,
                    "If they are wrong, leave them out or make NULL of them. NUMERIC(%.*s) in "
                    "COLUMN keeps them as they are.",
                    SLICE_FORMAT(first->spec.name));
    else
        notice_hint(notices, "If they stand for missing values, make NULL of them, as by "
                             "nullif(column, -999).");
}

static void note_code(const struct transform_input *input, const struct sampled_column *column,
                      struct notice_list *notices)
{
    struct text code;

    text_init(&code, 40);
    text_append_real(&code, input->code);
    notice_add(
        notices, NOTICE_OUTLIERS,
        "column \"%.*s\": %s is far from all others, and in %u of %u rows that were looked at: "
        "it counts as a missing value, and values beyond %.4g and %.4g count as these",
        SLICE_FORMAT(input->spec.name), text_string(&code), column->code_cells, column->cells,
        least_of(input), greatest_of(input));
    text_deinit(&code);
    notice_hint(notices, "NUMERIC(%.*s) in COLUMN keeps it as a number.",
                SLICE_FORMAT(input->spec.name));
}

/* ---- what is told alone ---- */

static bool is_dominated(double deviation, const struct robust_range *range)
{
    return range->deviation > 0 && deviation > ROBUST_DOMINATED * range->deviation;
}

/* Sums of squares are those of a few values. */
static void tell(const struct sampled_column *column, const struct transform_input *input,
                 struct notice_list *notices)
{
    if (column->odd.codes > 0 || !is_dominated(input->scale, &column->range))
        return;
    notice_add(notices, NOTICE_OUTLIERS,
               "column \"%.*s\": a few values are far from all others (its deviation is %.3g, that "
               "of its middle half %.3g around %.3g), and dominate what is learned from it",
               SLICE_FORMAT(input->spec.name), input->scale, column->range.deviation,
               column->range.middle);
    notice_hint(notices, "If they are wrong, leave them out or make NULL of them. If they are "
                         "right, the column's logarithm in the SELECT may be more useful.");
}

/* A squared error learns from labels in the order of how far they are: of one that is a thousand
 * times as far off as most differ, first of all and nearly alone. */
static void note_far_labels(const struct robust_range *middle, const struct jobspec *spec,
                            const struct dataset *dataset)
{
    const struct kind *kind = kind_of(spec);
    const struct spool_column_summary *label = &dataset->spool.summaries[spec->input_count];
    const double half = middle->deviation * ROBUST_HALF;

    if (!kind->squares_errors || !kind->squares_errors(&spec->params) || !(half > 0) ||
        !(label->greatest - label->least > ROBUST_LABELS_FAR * half))
        return;
    notice_add(dataset->notices, NOTICE_LABEL,
               "label column \"%.*s\": a few labels are far from all others (from %.4g to %.4g, "
               "where the middle half is %.3g wide), and the squared error learns from these first",
               SLICE_FORMAT(spec->label), label->least, label->greatest, half);
    notice_hint(dataset->notices, "If they are wrong, leave them out; else an absolute error, or "
                                  "the logarithm of the label, gives them less weight.");
}

/* Below that squares of labels are 0, and with them losses and R2. */
static void note_vanishing_labels(const struct jobspec *spec, const struct dataset *dataset)
{
    const struct spool_column_summary *label = &dataset->spool.summaries[spec->input_count];
    const double most = fmax(fabs(label->least), fabs(label->greatest));

    if (kind_of(spec)->learns_series || !(most > 0) || most >= ROBUST_LABELS_LEAST)
        return;
    notice_add(dataset->notices, NOTICE_LABEL,
               "label column \"%.*s\" has no number beyond %.3g, whose square is 0 to a computer: "
               "neither losses nor R2 mean anything",
               SLICE_FORMAT(spec->label), most);
    notice_hint(dataset->notices, "Multiply the label by a constant in the SELECT.");
}

/* ---- inputs ---- */

static void leave_code_out(const struct sampled_column *column, enum far_values far,
                           struct transform_input *input)
{
    const bool is_robust = far == FAR_CUT && is_dominated(column->rest_deviation, &column->rest);

    input->has_code = input->has_nulls = true;
    input->code = column->code;
    input->mean = is_robust ? column->rest.middle : column->rest_mean;
    input->scale = is_robust ? column->rest.deviation : column->rest_deviation;
    input->limit = (float)(far == FAR_CUT ? ROBUST_FAR : ROBUST_UNCUT);
}

/* Whether the input is another one then; *is_ranged: as a few values are far. */
static bool settle_input(const struct sampled_column *column, enum far_values far, bool keeps_codes,
                         struct transform_input *input, struct dataset *dataset, bool *is_ranged)
{
    const double deviation = input->scale;

    *is_ranged = false;
    if (column->code_cells > 0 && !keeps_codes && is_dominated(deviation, &column->rest)) {
        leave_code_out(column, far, input);
        note_code(input, column, dataset->notices);
        return true;
    }
    if ((far == FAR_FEW && keeps_codes) || !is_dominated(deviation, &column->range))
        return false;
    input->mean = column->range.middle;
    input->scale = column->range.deviation;
    input->limit = (float)ROBUST_FAR;
    *is_ranged = true;
    return true;
}

enum status robust_inputs(const struct sampled_column *columns, const struct jobspec *spec,
                          struct dataset *dataset, struct error *err)
{
    const struct kind *kind = kind_of(spec);
    const enum far_values far = kind->far_values ? kind->far_values(&spec->params) : FAR_KEPT;
    struct transform *transform = &dataset->transform;
    uint32_t *ranged = ARENA_NEW(&dataset->arena, uint32_t, transform->input_count + 1);
    bool is_changed = false, is_ranged;
    uint32_t count = 0;
    double deviation = 0;

    if (!ranged)
        return fail_no_memory(err);
    if (spec->task == TASK_REGRESSION) { /* without a label there is no column behind the inputs */
        note_vanishing_labels(spec, dataset);
        note_far_labels(&columns[spec->input_count].range, spec, dataset);
    }
    for (uint32_t i = 0; i < transform->input_count && far != FAR_KEPT; i++) {
        const double before = transform->inputs[i].scale;

        if (far == FAR_TOLD && transform_is_number(&transform->inputs[i]))
            tell(&columns[i], &transform->inputs[i], dataset->notices);
        if (far == FAR_TOLD || !transform_is_number(&transform->inputs[i]) ||
            spec->inputs[i].label || /* predictions are in its units */
            !settle_input(&columns[i], far, spec->inputs[i].keeps_codes, &transform->inputs[i],
                          dataset, &is_ranged))
            continue;
        is_changed = true;
        if (!is_ranged || cell_list_has_bytes(&spec->inputs[i].list))
            continue; /* pixels at an edge have few values beside 0, and nobody can change them */
        deviation = before;
        ranged[count++] = i;
    }
    if (count == 1)
        note_range(&transform->inputs[ranged[0]], deviation, far, dataset->notices);
    else if (count > 1)
        note_ranges(dataset, ranged, count, far, dataset->notices);
    return is_changed ? transform_finish_numbers(transform, &dataset->arena, err) : STATUS_OK;
}
