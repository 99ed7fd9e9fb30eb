#include "jobspec/jobspec_equal.h"

#include "graph/graph.h"
#include "jobspec/job_attributes.h"
#include "jobspec/jobspec_scoring.h"
#include "kinds/forecast/holidays.h"
#include "kinds/kinds.h"

static bool same_inputs(const struct jobspec *a, const struct jobspec *b)
{
    if (a->input_count != b->input_count)
        return false;
    for (size_t i = 0; i < a->input_count; i++)
        if (!input_spec_equal(&a->inputs[i], &b->inputs[i]))
            return false;
    return true;
}

static bool same_roles(const struct jobspec *a, const struct jobspec *b)
{
    if (a->role_count != b->role_count)
        return false;
    for (size_t i = 0; i < a->role_count; i++)
        if (a->roles[i].role != b->roles[i].role ||
            !slice_equal(a->roles[i].name, b->roles[i].name))
            return false;
    return true;
}

static bool same_model(const struct jobspec *a, const struct jobspec *b)
{
    return slice_equal(a->statement, b->statement) && slice_equal(a->estimator, b->estimator) &&
           slice_equal(a->family, b->family) && a->task == b->task &&
           slice_equal(a->model_name, b->model_name) && slice_equal(a->label, b->label) &&
           a->label_type == b->label_type && slice_equal(a->label_declared, b->label_declared) &&
           slice_equal(a->class_weights, b->class_weights) &&
           slice_equal(a->positive, b->positive) && slice_equal(a->threshold, b->threshold) &&
           a->calibration == b->calibration && a->fold_scores == b->fold_scores &&
           slice_equal(a->old_model, b->old_model) && a->label_reading == b->label_reading &&
           slice_equal(a->definition, b->definition) && slice_equal(a->freeze, b->freeze) &&
           !a->graph == !b->graph && (!a->graph || graph_equal(a->graph, b->graph)) &&
           !a->holidays == !b->holidays &&
           (!a->holidays || holidays_equal(a->holidays, b->holidays));
}

static bool same_history(const struct spec_history *a, const struct spec_history *b)
{
    return slice_equal(a->work, b->work) && slice_equal(a->paces, b->paces) && a->first == b->first;
}

static bool same_metrics(const struct jobspec *a, const struct jobspec *b)
{
    if (a->metric_count != b->metric_count || a->average != b->average ||
        a->has_default_metrics != b->has_default_metrics)
        return false;
    for (size_t i = 0; i < a->metric_count; i++)
        if (!slice_equal(a->metrics[i], b->metrics[i]))
            return false;
    return true;
}

static bool same_members(const struct attribute_table *table, const void *a, const void *b)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].member && !attribute_equal(&table->rows[i], a, b))
            return false;
    return true;
}

bool jobspec_equal(const struct jobspec *a, const struct jobspec *b)
{
    const struct kind *kind = a->kind == SPEC_TRAIN ? kind_find(a->family) : NULL;

    return a->kind == b->kind && spec_same_scoring(&a->scoring, &b->scoring) && same_inputs(a, b) &&
           same_roles(a, b) && same_model(a, b) && same_metrics(a, b) &&
           same_history(&a->history, &b->history) && slice_equal(a->require, b->require) &&
           a->has_validation == b->has_validation && a->keeps_best == b->keeps_best &&
           a->staged_shards == b->staged_shards && same_members(&job_attributes, a, b) &&
           (!kind || same_members(kind->attributes, a->params.bytes, b->params.bytes)) &&
           a->lanes_max == b->lanes_max && slice_equal(a->metrics_host, b->metrics_host) &&
           a->metrics_port == b->metrics_port && slice_equal(a->tensorboard, b->tensorboard) &&
           a->in_one_process == b->in_one_process && notice_list_equal(a->notices, b->notices);
}
