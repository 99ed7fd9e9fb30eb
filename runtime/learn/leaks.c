#include "runtime/learn/leaks.h"

#include <math.h>

#define CALL_CELLS 200000 /* cells in a call, about */

enum status leaks_init(struct leaks *leaks, const struct dataset *dataset, struct slice label,
                       struct error *err)
{
    const struct dataset_part *sample = &dataset->sample;

    *leaks = (struct leaks){
        .dataset = dataset, .label = label, .is_single = dataset->transform.column_count < 2};
    if (sample->rows < LEAK_ROWS_MIN || (!sample->classes && !sample->values))
        return STATUS_OK;
    leaks->rule = leak_rule_new(dataset);
    if (!leaks->rule)
        return fail_no_memory(err);
    return STATUS_OK;
}

void leaks_deinit(struct leaks *leaks)
{
    leak_rule_free(leaks->rule);
    leaks->rule = NULL;
}

static void place_rows(struct leak_rule *rule, const struct transform *transform, uint32_t input)
{
    const struct transform_input *column = &transform->inputs[input];

    for (uint32_t row = 0; row < rule->rows; row++) {
        const float *dense =
            rule->part->dense + (size_t)row * transform->dense_width + column->dense_offset;

        if (column->spec.type == INPUT_CATEGORY)
            leak_rule_place(
                rule, row,
                (uint32_t)rule->part->ids[(size_t)row * transform->id_count + column->id_offset]);
        else
            leak_rule_place(rule, row,
                            transform_was_null(column, dense) ? LEAK_ALONE
                                                              : leak_order_of(dense[0]));
    }
    leak_rule_learn(rule, column->spec.type == INPUT_CATEGORY);
}

/* ---- notices ---- */

static void append_finding(const struct leak_rule *rule, double left, struct text *out)
{
    const double auc = rule->classes == 2 && !rule->is_words ? leak_rule_auc(rule) : 0;

    if (auc >= LEAK_RANKS)
        text_printf(out, "AUC %.4g on %u rows", auc, rule->rows);
    else if (rule->classes > 0 && left <= LEAK_ERRORS)
        text_printf(out, "right in %.4g %% of %u rows",
                    100 - 100 * left * rule->spread / (rule->rows / 2), rule->rows / 2);
    else if (rule->classes == 0 && left <= 1 - LEAK_R2)
        text_printf(out, "R2 %.4g on %u rows", 1 - left, rule->rows / 2);
}

/* Are the known numbers whole, as far as floats tell? */
static bool are_whole(const struct leak_rule *rule, const struct transform_input *column)
{
    for (uint32_t i = 0; i < rule->known_count; i++) {
        const double number = leak_number_of(rule->known[i].order) * column->scale + column->mean;

        if (rule->known[i].order != LEAK_ALONE &&
            fabs(number - floor(number + .5)) > 1e-3 + 1e-6 * fabs(number))
            return false;
    }
    return true;
}

/* Many numbers among many rows are judged well enough that little is no chance: a teacher explains
 * a twentieth of what students say. */
static double names_gain(const struct leak_rule *rule)
{
    return rule->classes <= 2 && rule->known_count >= NAMES_MANY && rule->rows >= NAMES_MANY_ROWS
               ? NAMES_GAIN_MANY
               : NAMES_GAIN;
}

/* May it hold names? */
static bool may_be_names(const struct leak_rule *rule, const struct transform_input *column)
{
    return !rule->is_words && !column->spec.list.form && !column->spec.part &&
           rule->known_count >= NAMES_MIN && rule->rows >= NAMES_ROWS_MIN * rule->known_count &&
           are_whole(rule, column);
}

/* Rows of the same number tell the label, and those of the next ones do not. */
static void note_names(struct leaks *leaks, const struct transform_input *column,
                       struct notice_list *notices)
{
    struct leak_rule *rule = leaks->rule;
    double equal, next;

    if (!may_be_names(rule, column))
        return;
    leak_rule_take_shares(rule, true);
    leak_rule_learn(rule, false);
    equal = leak_rule_least_left(rule, OF_EQUAL);
    next = fmin(
        1, fmin(leak_rule_least_left(rule, OF_NEXT), leak_rule_least_left(rule, OF_BOTH_NEXT)));
    leak_rule_take_shares(rule, false);
    if (equal > next - names_gain(rule))
        return;
    notice_add(
        notices, NOTICE_READING,
        "column \"%.*s\" holds numbers that seem to be names: rows of the same number explain "
        "%.2g of \"%.*s\", those of the next numbers %.2g",
        SLICE_FORMAT(column->spec.name), 1 - equal, SLICE_FORMAT(leaks->label), 1 - next);
    notice_hint(notices, "COLUMN VOCABULARY(%s) reads them as words.", SQL_NAME(column->spec.name));
    leaks->has_names = true;
}

static void note_input(struct leaks *leaks, uint32_t input, struct notice_list *notices)
{
    const struct transform_input *column = &leaks->dataset->transform.inputs[input];
    struct leak_rule *rule = leaks->rule;
    struct text finding;
    double left;

    if (column->spec.type == INPUT_TEXT || column->spec.offset)
        return; /* its words would each be a column; nothing is learned from an offset */
    place_rows(rule, &leaks->dataset->transform, input);
    text_init(&finding, NOTICE_BYTES_MAX);
    left = leak_rule_left(rule, OF_EQUAL_OR_NEAREST, 0);
    if (1 - left > leaks->explained) {
        leaks->explained = 1 - left;
        leaks->best = input;
    }
    append_finding(rule, left, &finding);
    if (finding.size > 0 && !leaks->is_single) {
        notice_add(notices, NOTICE_LEAK, "column \"%.*s\" alone predicts \"%.*s\": %s",
                   SLICE_FORMAT(column->spec.name), SLICE_FORMAT(leaks->label),
                   text_string(&finding));
        notice_hint(notices,
                    "Is it known before the label is? If not, leave it out of the SELECT.");
    } else {
        note_names(leaks, column, notices);
    }
    text_deinit(&finding);
}

/* Enough to tell a rule from luck. */
static bool has_enough(const struct leak_rule *rule)
{
    return rule->classes > 0 ? rule->spread >= LEAK_OTHERS_MIN : rule->spread > 0;
}

bool leaks_are_done(const struct leaks *leaks)
{
    return !leaks->rule || leaks->next > leaks->dataset->transform.input_count;
}

enum status leaks_some(struct leaks *leaks, struct notice_list *notices, struct error *err)
{
    const uint32_t inputs = leaks->dataset->transform.input_count;

    if (leaks->next == 0)
        leak_rule_measure_usual(leaks->rule);
    if (!has_enough(leaks->rule))
        leaks->next = inputs + 1;
    if (leaks->next == inputs) {
        leaks->next++;
        return near_copies_find(&leaks->copies, leaks->dataset, leaks->rule, err);
    }
    for (uint64_t cells = 0; leaks->next < inputs && cells < CALL_CELLS; cells += leaks->rule->rows)
        note_input(leaks, leaks->next++, notices);
    return STATUS_OK;
}

/* ---- what the model does not explain ---- */

static void append_difference(const struct near_copies *copies, struct slice minuend,
                              struct slice subtrahend, struct text *out)
{
    text_append_string(out, SQL_NAME(minuend));
    text_append_string(out, copies->factor < 0 ? " + " : " - ");
    if (fabs(copies->factor) != 1)
        text_printf(out, "%.4g * ", fabs(copies->factor));
    text_append_string(out, SQL_NAME(subtrahend));
}

static void note_difference(const struct leaks *leaks, double explained,
                            struct notice_list *notices)
{
    const struct near_copies *copies = &leaks->copies;
    const struct transform_input *inputs = leaks->dataset->transform.inputs;
    const struct input_spec *minuend = &inputs[copies->minuend].spec,
                            *subtrahend = &inputs[copies->subtrahend].spec;
    const struct slice names[] = {input_column(minuend), input_column(subtrahend)};
    struct text sql;

    notice_add(notices, NOTICE_BASELINE,
               "columns \"%.*s\" and \"%.*s\" are nearly the same, and their difference explains "
               "%.2g of \"%.*s\", where the model explains %.2g",
               SLICE_FORMAT(names[1]), SLICE_FORMAT(names[0]), copies->explained,
               SLICE_FORMAT(leaks->label), explained);
    if (minuend->part || subtrahend->part) {
        notice_hint(notices,
                    "The days between them are a column of their own: julianday(%s) - "
                    "julianday(%s) AS days in SQLite, %s - %s AS days of dates in PostgreSQL.",
                    SQL_NAME(names[0]), SQL_NAME(names[1]), SQL_NAME(names[0]), SQL_NAME(names[1]));
        return;
    }
    text_init(&sql, NOTICE_BYTES_MAX);
    append_difference(copies, names[0], names[1], &sql);
    notice_hint(notices, "%s AS difference in the SELECT makes a column of it.", text_string(&sql));
    text_deinit(&sql);
}

bool leaks_explain(const struct leaks *leaks, double explained, struct notice_list *notices)
{
    const struct transform_input *best = &leaks->dataset->transform.inputs[leaks->best];

    if (leaks->copies.explained > fmax(fmax(explained, 0), leaks->explained) + LEAK_LOST) {
        note_difference(leaks, fmax(explained, 0), notices);
        return true;
    }
    if (leaks->has_names || !(fmax(explained, 0) < leaks->explained - LEAK_LOST))
        return leaks->has_names;
    notice_add(
        notices, NOTICE_BASELINE,
        "the model explains %.2g of \"%.*s\", where column \"%.*s\" alone explains %.2g, by the "
        "labels of rows with the same or the nearest value",
        explained > 0 ? explained : 0, SLICE_FORMAT(leaks->label), SLICE_FORMAT(best->spec.name),
        leaks->explained);
    notice_hint(notices,
                best->spec.type == INPUT_CATEGORY
                    ? "More rounds or epochs, a larger VOCABULARY, or another estimator may "
                      "take more of its words."
                    : "More rounds or epochs, BUCKET(column, n) in COLUMN, or trees in place "
                      "of a linear model may take more of it.");
    return true;
}
