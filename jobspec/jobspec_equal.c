#include "jobspec/jobspec_parts.h"

#include <string.h>

static bool same_inputs(const struct jobspec *a, const struct jobspec *b)
{
    if (a->input_count != b->input_count)
        return false;
    for (size_t i = 0; i < a->input_count; i++)
        if (!slice_equal(a->inputs[i].name, b->inputs[i].name) ||
            a->inputs[i].type != b->inputs[i].type ||
            a->inputs[i].vocabulary_max != b->inputs[i].vocabulary_max)
            return false;
    return true;
}

static bool same_model(const struct jobspec *a, const struct jobspec *b)
{
    if (a->hidden_layers != b->hidden_layers)
        return false;
    for (uint32_t i = 0; i < a->hidden_layers; i++)
        if (a->hidden_units[i] != b->hidden_units[i])
            return false;
    return slice_equal(a->statement, b->statement) && slice_equal(a->estimator, b->estimator) &&
           slice_equal(a->family, b->family) && a->task == b->task &&
           slice_equal(a->model_name, b->model_name) && slice_equal(a->label, b->label) &&
           a->label_type == b->label_type && slice_equal(a->label_declared, b->label_declared) &&
           a->activation == b->activation && a->dropout == b->dropout &&
           a->n_classes == b->n_classes && a->standardize == b->standardize && a->l1 == b->l1 &&
           a->l2 == b->l2;
}

static bool same_training(const struct jobspec *a, const struct jobspec *b)
{
    if (a->metric_count != b->metric_count)
        return false;
    for (size_t i = 0; i < a->metric_count; i++)
        if (!slice_equal(a->metrics[i], b->metrics[i]))
            return false;
    return a->has_validation == b->has_validation && a->batch_size == b->batch_size &&
           a->epochs == b->epochs && a->max_steps == b->max_steps && a->seed == b->seed &&
           a->shuffle == b->shuffle && a->test_size == b->test_size &&
           a->early_stopping == b->early_stopping && a->balanced == b->balanced &&
           a->log_every_steps == b->log_every_steps;
}

static bool same_optimizer(const struct jobspec *a, const struct jobspec *b)
{
    return a->optimizer == b->optimizer && a->learning_rate == b->learning_rate &&
           a->momentum == b->momentum && a->beta1 == b->beta1 && a->beta2 == b->beta2 &&
           a->epsilon == b->epsilon && a->initial_accumulator == b->initial_accumulator &&
           a->schedule == b->schedule;
}

bool jobspec_equal(const struct jobspec *a, const struct jobspec *b)
{
    return a->kind == b->kind && spec_same_scoring(&a->scoring, &b->scoring) && same_inputs(a, b) &&
           same_model(a, b) && same_training(a, b) && same_optimizer(a, b) &&
           a->lanes == b->lanes && a->lanes_max == b->lanes_max &&
           a->min_workers == b->min_workers && a->max_workers == b->max_workers &&
           a->checkpoint_seconds == b->checkpoint_seconds && a->threads == b->threads &&
           slice_equal(a->metrics_host, b->metrics_host) && a->metrics_port == b->metrics_port &&
           slice_equal(a->tensorboard, b->tensorboard) && a->in_one_process == b->in_one_process;
}
