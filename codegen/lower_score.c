#include "codegen/lower_score.h"

#include "jobspec/jobspec.h"
#include "planner/plan/dialect.h"
#include "planner/plan/plan.h"
#include "scoring/outputs.h"

/* All cells of a row travel where the database does not keep it (host_kept_rows). */
bool lower_score_takes_all(const struct plan *plan)
{
    return !dialect_of(plan->dialect)->keeps_rows &&
           (plan->kind == STATEMENT_PREDICT || plan->quarantine_table.size > 0);
}

/* The cell of an input among all columns; one of several labels may be missing. */
static uint32_t cell_of(const struct plan *plan, size_t input)
{
    const int column = plan->model_columns[input];

    return column < 0 ? JOBSPEC_NO_LABEL : (uint32_t)column;
}

static void lower_predict_rows(const struct plan *plan, struct spec_scoring *scoring)
{
    const bool is_kept = !lower_score_takes_all(plan); /* by the host, all but the inputs */

    scoring->columns = (uint32_t)(is_kept ? plan->model.input_count : plan->query.count);
    for (size_t i = 0; i < plan->model.input_count; i++)
        scoring->inputs[i] = is_kept ? (uint32_t)i : cell_of(plan, i);
    if (plan->label_column >= 0 && !is_kept)
        scoring->label = (uint32_t)plan->label_column;
    if (plan->checked_column >= 0)
        scoring->checked = is_kept ? scoring->columns++ : (uint32_t)plan->checked_column;
    scoring->anomaly = plan->anomaly;
    scoring->keeps_bad_rows = plan->quarantine_table.size > 0;
    for (uint32_t i = 0; i < plan->model.component_count; i++)
        scoring->outputs[scoring->output_count++] = slice_of(output_words[OUTPUT_COMPONENT]);
    if (plan->model.component_count == 0)
        scoring->outputs[scoring->output_count++] = slice_of(output_words[OUTPUT_PREDICTION]);
    for (size_t i = 0; i < plan->extra_output_count; i++)
        scoring->outputs[scoring->output_count++] = slice_of(output_words[plan->extra_kinds[i]]);
}

static void lower_evaluate_rows(const struct plan *plan, struct spec_scoring *scoring)
{
    const bool has_all = lower_score_takes_all(plan);

    for (size_t i = 0; i < plan->model.input_count; i++)
        scoring->inputs[i] = has_all ? cell_of(plan, i) : (uint32_t)i;
    scoring->columns = (uint32_t)(has_all ? plan->query.count : plan->model.input_count);
    if (plan->label_column >= 0)
        scoring->label = has_all ? (uint32_t)plan->label_column : scoring->columns++;
    scoring->as_means = plan->as_means;
    scoring->by_head = plan_measures_heads(plan);
    if (plan->group_column >= 0) {
        scoring->group = has_all ? (uint32_t)plan->group_column : scoring->columns++;
        scoring->group_name = plan->query.columns[plan->group_column].name;
    }
    if (plan->upper_column >= 0) {
        scoring->upper = has_all ? (uint32_t)plan->upper_column : scoring->columns++;
        scoring->upper_name = plan->query.columns[plan->upper_column].name;
    }
    scoring->keeps_bad_rows = plan->bad_rows != BAD_ROWS_ERROR;
    for (size_t i = 0; i < plan->metric_count; i++)
        scoring->metrics[scoring->metric_count++] = plan->metrics[i];
}

enum status lower_score(const struct plan *plan, struct arena *arena, struct jobspec *spec,
                        struct error *err)
{
    struct spec_scoring *scoring = &spec->scoring;

    *spec = (struct jobspec){
        .kind = plan->kind == STATEMENT_PREDICT ? SPEC_PREDICT : SPEC_EVALUATE,
        .statement = plan->text,
        .estimator = plan->model.estimator,
        .task = plan->model.task,
        .model_name = plan->model_name,
        .lanes_max = 1,
        .min_workers = plan->scoring.min_workers > 0 ? plan->scoring.min_workers : 1,
        .max_workers = plan->scoring.max_workers,
        .metrics_host = plan->scoring.metrics_host,
        .metrics_port = plan->scoring.metrics_port,
    };
    scoring->label = scoring->group = scoring->upper = scoring->checked = JOBSPEC_NO_LABEL;
    scoring->group_name = scoring->upper_name = SLICE("");
    scoring->label_name = plan->label;
    scoring->replaces_any = plan->replaces_any;
    scoring->average = plan->average;
    scoring->report = plan->report;
    scoring->bootstrap = plan->bootstrap;
    scoring->has_threshold = plan->has_threshold;
    scoring->threshold = plan->threshold;
    scoring->false_positive_cost = plan->costs.false_positive;
    scoring->false_negative_cost = plan->costs.false_negative;
    scoring->inputs = ARENA_NEW(arena, uint32_t, plan->model.input_count + 1);
    if (!scoring->inputs)
        return fail_no_memory(err);
    scoring->input_count = plan->model.input_count;
    if (spec->kind == SPEC_PREDICT)
        lower_predict_rows(plan, scoring);
    else
        lower_evaluate_rows(plan, scoring);
    return STATUS_OK;
}
