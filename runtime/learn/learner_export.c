#include <math.h>
#include <stdio.h>

#include "runtime/learn/learner_parts.h"

/* ---- the model ---- */

void learner_fill_model(const struct learner *learner, struct model *model)
{
    const struct jobspec *spec = learner->spec;
    const struct dataset *dataset = learner->dataset;
    const bool takes_best = learner->arrays.best && learner->progress.has_best;

    *model = (struct model){
        .estimator = spec->estimator,
        .family = spec->family,
        .task = learner->network.task,
        .label = spec->label,
        .label_declared = spec->label_declared,
        .statement = spec->statement,
        .rows = dataset->train.rows,
        .transform = dataset->transform,
        .labels = dataset->labels,
        .label_mean = dataset->label_mean,
        .label_scale = dataset->label_scale,
        .activation = learner->network.activation,
        .layers = takes_best ? learner->best_layers : learner->layers,
        .layer_count = learner->network.layer_count,
    };
}

/* ---- its metrics ---- */

static enum status list_metrics(const struct jobspec *spec, struct metrics *train,
                                struct metrics *validation, struct result_metric *rows,
                                size_t *count, struct error *err)
{
    const bool has_validation = metrics_rows(validation) > 0;

    rows[0] = (struct result_metric){"loss", metrics_loss(train), metrics_loss(validation)};
    *count = 1;
    for (size_t i = 0; i < spec->metric_count && *count < LEARNER_METRICS_MAX; i++) {
        struct result_metric *row = &rows[*count];
        enum metric metric;

        if (!metric_find(spec->metrics[i], &metric))
            return fail(err, STATUS_INVALID, "there is no metric \"%.*s\"",
                        SLICE_FORMAT(spec->metrics[i]));
        snprintf(row->name, sizeof row->name, "%s", metric_name(metric));
        row->train = metrics_value(train, metric);
        row->validation = has_validation ? metrics_value(validation, metric) : NAN;
        ++*count;
    }
    return STATUS_OK;
}

enum status learner_export(const struct learner *learner, struct model *model,
                           struct result_metric rows[LEARNER_METRICS_MAX], size_t *count,
                           struct error *err)
{
    const struct measuring *measuring = &learner->measuring;

    if (learner->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (!measuring->is_done)
        return fail(err, STATUS_INVALID, "the model is not measured yet");
    learner_fill_model(learner, model);
    return list_metrics(learner->spec, measuring->metrics[0], measuring->metrics[1], rows, count,
                        err);
}
