#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/progress.h"
#include "data/row_order.h"
#include "learn/learner_parts.h"
#include "scoring/metrics.h"

#define SAMPLE_ROWS_MAX 16384

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

/* Rows in the order of their hashes, so that neither which rows nor the last
 * bits of their sums depend on where they lie. */
static enum status hash_order(const struct learner *learner, const struct dataset_part *part,
                              uint32_t **order, struct error *err)
{
    const struct row_key key = {learner->spec->seed, RANDOM_SAMPLE, 0};
    uint64_t *space = malloc(row_order_space(part->rows) * sizeof *space);

    *order = malloc(sizeof **order * part->rows);
    if (!space || !*order) {
        free(space);
        free(*order);
        *order = NULL;
        return fail_no_memory(err);
    }
    row_order(&key, part->hashes, part->rows, learner->team, space, *order);
    free(space);
    return STATUS_OK;
}

static enum status add_row(const struct learner *learner, const struct dataset_part *part,
                           uint32_t row, struct scorer *scorer, struct metrics *metrics,
                           struct error *err)
{
    const struct dataset *dataset = learner->dataset;
    const struct network *network = &learner->network;
    float *dense = learner->members[0].space.inputs;

    progress_note();
    dataset_take_row(dataset, part, row, dense);
    scorer_score_row(scorer, dense, part->ids + (size_t)row * network->id_count);
    if (network->task == MODEL_CLASSIFICATION)
        return metrics_add_class(metrics, scorer, part->classes[row], err);
    return metrics_add_value(metrics, scorer,
                             (double)part->values[row] * dataset->label_scale + dataset->label_mean,
                             err);
}

static enum status measure(const struct learner *learner, const struct model *model,
                           const struct dataset_part *part, uint32_t rows_max,
                           struct metrics **metrics, struct error *err)
{
    const uint32_t rows = part->rows < rows_max ? part->rows : rows_max;
    struct scorer scorer = {0};
    uint32_t *order = NULL;
    enum status status;

    TRY(metrics_new(model, metrics, err));
    if (rows == 0)
        return STATUS_OK;
    TRY_OR(done, status, scorer_init(&scorer, model, 1, err));
    TRY_OR(done, status, hash_order(learner, part, &order, err));
    for (uint32_t i = 0; i < rows; i++)
        TRY_OR(done, status, add_row(learner, part, order[i], &scorer, *metrics, err));
done:
    free(order);
    scorer_deinit(&scorer);
    return status;
}

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
    struct metrics *train = NULL, *validation = NULL;
    enum status status;

    if (learner->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    learner_fill_model(learner, model);
    TRY_OR(done, status,
           measure(learner, model, &learner->dataset->train, SAMPLE_ROWS_MAX, &train, err));
    TRY_OR(done, status,
           measure(learner, model, &learner->dataset->validation, UINT32_MAX, &validation, err));
    status = list_metrics(learner->spec, train, validation, rows, count, err);
done:
    metrics_free(train);
    metrics_free(validation);
    return status;
}
