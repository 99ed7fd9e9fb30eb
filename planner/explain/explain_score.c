/*
 * EXPLAIN SELECT ... TO PREDICT and TO EVALUATE. The engine decides which processes score the rows.
 */
#include "planner/explain/explain_score.h"

#include <string.h>

#include "planner/columns/column_dates.h"
#include "planner/plan/explanation.h"
#include "planner/plan/model_words.h"

#define LINES_EXTRA 12 /* beside inputs */

static void append_name(struct text *out, struct slice schema, struct slice name)
{
    if (schema.size > 0)
        text_printf(out, "%.*s.", SLICE_FORMAT(schema));
    text_append(out, name);
}

static void explain_model(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    struct text *out = &explanation->detail;

    append_name(out, plan->model_schema, plan->model_name);
    text_printf(out, ", %.*s, %s", SLICE_FORMAT(plan->model.estimator),
                model_task_word(plan->model.kind, plan->model.task));
    if (plan->model.version > 0)
        text_printf(out, ", version %lld", (long long)plan->model.version);
    explanation_line(explanation, "model");
    for (size_t i = 0; i < plan->other_count; i++) {
        const struct plan *other = plan->others[i];

        text_printf(out, "%.*s, %.*s, %s", SLICE_FORMAT(other->called),
                    SLICE_FORMAT(other->model.estimator),
                    model_task_word(other->model.kind, other->model.task));
        if (other->model.version > 0)
            text_printf(out, ", version %lld", (long long)other->model.version);
        explanation_line(explanation, "model");
    }
    if (plan->scoring.too_large.size == 0)
        return;
    text_append(out, plan->scoring.too_large);
    explanation_line(explanation, "memory");
}

static void explain_input(struct explanation *explanation, size_t input)
{
    const struct plan *plan = explanation->plan;
    const struct query_column *column;
    struct text *out = &explanation->detail;

    if (plan->model_columns[input] < 0) {
        text_append_string(out, "the query does not have it");
        explanation_line_of(explanation, "label", plan->model.inputs[input].name);
        return;
    }
    column = &plan->query.columns[plan->model_columns[input]];

    if (plan->model.inputs[input].parts) {
        text_append_string(out, "date, of which it takes ");
        date_parts_append(plan->model.inputs[input].parts, out);
    } else if (plan->model.inputs[input].list.form == LIST_WORDS) {
        text_printf(out, "text, whose words it counts in %u hash buckets",
                    plan->model.inputs[input].list.size);
    } else if (plan->model.inputs[input].list.form) {
        text_printf(out, "%s list of %u numbers",
                    list_form_words[plan->model.inputs[input].list.form],
                    plan->model.inputs[input].list.size);
    } else {
        text_append_string(out, input_type_words[plan->model.inputs[input].type]);
    }
    text_append_string(out, ", column ");
    text_append(out, column->name);
    if (column->declared_type.size > 0)
        text_printf(out, " %.*s", SLICE_FORMAT(column->declared_type));
    explanation_line_of(explanation, plan->model.inputs[input].label ? "label" : "input",
                        plan->model.inputs[input].name);
}

static bool is_explained(const struct explanation *explanation, struct slice input)
{
    static const struct slice before = {"input ", 6};

    for (size_t i = 0; i < explanation->count; i++) {
        const struct slice item = explanation->lines[i].item;

        if (item.size == before.size + input.size &&
            memcmp(item.data, before.data, before.size) == 0 &&
            memcmp(item.data + before.size, input.data, input.size) == 0)
            return true;
    }
    return false;
}

/* EVALUATE of several models: what no model before takes. */
static void explain_other_inputs(struct explanation *explanation, const struct plan *other)
{
    const struct plan *first = explanation->plan;

    explanation->plan = other;
    for (size_t i = 0; i < other->model.input_count; i++)
        if (!is_explained(explanation, other->model.inputs[i].name))
            explain_input(explanation, i);
    explanation->plan = first;
}

static void explain_target(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    struct text *out = &explanation->detail;

    if (plan->has_target)
        append_name(out, plan->target_schema, plan->target_table);
    else
        text_append_string(out, "none: the rows are the result");
    explanation_line(explanation, "into");
}

/* The statement's, or the one that the model keeps. */
static void explain_threshold(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    const struct cell *positive = &plan->model.classes[plan->model.positive];
    struct text *out = &explanation->detail;

    if (positive->type == CELL_TEXT)
        text_append_literal(out, positive->text);
    else if (positive->type == CELL_INTEGER)
        text_printf(out, "%lld", (long long)positive->integer);
    else
        text_append_real(out, positive->real);
    text_append_string(out, " from a probability of ");
    text_append_real(out, plan->has_threshold ? plan->threshold : plan->model.threshold);
    text_append_string(out, plan->has_threshold ? " up" : " up, by the model");
    explanation_line(explanation, "threshold");
}

static void explain_final_step(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;

    if (plan->model.calibration != CALIBRATION_NONE) {
        text_append_string(&explanation->detail, calibration_words[plan->model.calibration]);
        explanation_line(explanation, "calibration");
    }
    if (plan->has_threshold || plan->model.has_threshold)
        explain_threshold(explanation);
}

static void explain_outputs(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    struct text *out = &explanation->detail;

    explain_target(explanation);
    for (uint32_t i = 0; i < plan->model.component_count; i++)
        text_printf(out, "%s%.*s", i > 0 ? ", " : "", SLICE_FORMAT(plan->components[i]));
    if (plan->model.component_count == 0)
        text_append(out, plan->target_column);
    if (plan->label_column >= 0)
        text_append_string(out, " (in the place of the SELECT's column of that name)");
    for (size_t i = 0; i < plan->extra_output_count; i++)
        text_printf(out, ", %.*s", SLICE_FORMAT(plan->extra_outputs[i]));
    explanation_line(explanation, "columns added");
    explain_final_step(explanation);
    if (plan->quarantine_table.size > 0)
        append_name(out, plan->target_schema, plan->quarantine_table);
    else
        text_append_string(out, "an error");
    explanation_line(explanation, "bad rows");
}

static void explain_metrics(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    struct text *out = &explanation->detail;

    if (plan->has_target)
        explain_target(explanation);
    if (plan->label_column >= 0) {
        text_append(out, plan->label);
        explanation_line(explanation, "label");
    }
    if (plan->group_column >= 0) {
        text_append(out, plan->query.columns[plan->group_column].name);
        explanation_line(explanation, "groups");
    }
    if (plan->upper_column >= 0) {
        text_append(out, plan->query.columns[plan->upper_column].name);
        explanation_line(explanation, "upper bounds");
    }
    explain_final_step(explanation);
    if (plan->report != REPORT_METRICS) {
        text_append_string(out, report_words[plan->report]);
        explanation_line(explanation, "report");
        return;
    }
    if (plan->model.heads && plan->other_count == 0) {
        text_append_string(out, "Loss of all labels, and those that are usual for each label");
        explanation_line(explanation, "metrics");
        return;
    }
    text_append_string(out, "loss");
    for (size_t i = 0; i < plan->metric_count; i++)
        text_printf(out, ", %.*s", SLICE_FORMAT(plan->metrics[i]));
    explanation_line(explanation, "metrics");
    if (plan->bootstrap.level == 0)
        return;
    text_printf(out, "%g of %u resamples of the rows", plan->bootstrap.level,
                plan->bootstrap.resamples);
    explanation_line(explanation, "intervals");
}

static void explain_workers(struct explanation *explanation)
{
    const struct plan_scoring *scoring = &explanation->plan->scoring;
    struct text *out = &explanation->detail;

    if (!scoring->on_workers)
        return;
    text_append_string(out, explanation->plan->cluster.is_wanted ? "kubernetes" : "local");
    explanation_line(explanation, "where");
    text_printf(out, "%u", scoring->min_workers);
    if (scoring->max_workers == 0)
        text_append_string(out, " to the machine's cores");
    else if (scoring->max_workers > scoring->min_workers)
        text_printf(out, " to %u", scoring->max_workers);
    explanation_line(explanation, "workers");
    if (scoring->wait)
        return;
    text_printf(out, "the job writes its table by itself, into %.*s",
                SLICE_FORMAT(explanation->plan->into_file));
    explanation_line(explanation, "detached");
}

enum status explain_scoring(const struct plan *plan, struct arena *arena, struct plan_line **lines,
                            size_t *count, struct error *err)
{
    struct explanation explanation;
    size_t most = plan->model.input_count + LINES_EXTRA;

    for (size_t i = 0; i < plan->other_count; i++)
        most += plan->others[i]->model.input_count + 1;
    TRY(explanation_begin(&explanation, plan, arena, most, err));
    explain_model(&explanation);
    for (size_t i = 0; i < plan->model.input_count; i++)
        explain_input(&explanation, i);
    for (size_t i = 0; i < plan->other_count; i++)
        explain_other_inputs(&explanation, plan->others[i]);
    if (plan->kind == STATEMENT_PREDICT)
        explain_outputs(&explanation);
    else
        explain_metrics(&explanation);
    explain_workers(&explanation);
    return explanation_end(&explanation, lines, count, err);
}
