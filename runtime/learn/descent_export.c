#include <math.h>
#include <stdio.h>

#include "kinds/kinds.h"
#include "runtime/learn/descent_parts.h"
#include "scoring/model_write.h"

/* ---- the model ---- */

void descent_fill_model(const struct descent *descent, struct model *model)
{
    const struct jobspec *spec = descent->spec;
    const struct dataset *dataset = descent->dataset;
    const bool takes_best = descent->arrays.best && descent->progress.has_best;

    *model = (struct model){
        .estimator = spec->estimator,
        .kind = kind_find(spec->family),
        .task = descent->spec->task,
        .label = spec->label,
        .label_declared = spec->label_declared,
        .statement = spec->statement,
        .rows = dataset->train.rows,
        .transform = dataset->transform,
        .labels = dataset->labels,
        .label_mean = dataset->label_mean,
        .label_scale = dataset->label_scale,
    };
    descent->model.fill_model(
        descent->model.self, takes_best ? descent->arrays.best : descent->arrays.parameters, model);
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

enum status descent_export(const struct descent *descent, struct model *model,
                           struct result_metric rows[LEARNER_METRICS_MAX], size_t *count,
                           struct error *err)
{
    const struct measuring *measuring = &descent->measuring;

    if (descent->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (!measuring->is_done)
        return fail(err, STATUS_INVALID, "the model is not measured yet");
    descent_fill_model(descent, model);
    return list_metrics(descent->spec, measuring->metrics[0], measuring->metrics[1], rows, count,
                        err);
}

enum status descent_result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                           struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                           struct error *err)
{
    struct model model;

    TRY(descent_export(self, &model, metrics, metric_count, err));
    *rows = model.rows;
    return model_digest(&model, digest, err);
}

enum status descent_publish(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                            bool *is_at_end, model_row_sink *sink, void *context, struct error *err)
{
    struct model model;

    descent_fill_model(self, &model);
    model.digest = slice_of(digest);
    return model_write_some(&model, next, bytes_max, is_at_end, sink, context, err);
}
