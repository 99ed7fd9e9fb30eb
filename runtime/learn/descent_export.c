#include "runtime/learn/descent_export.h"

#include "runtime/learn/descent_best.h"

/* ---- the model ---- */

/* It points into the learner. */
static void fill_model(const struct descent *descent, struct model *model)
{
    const bool takes_best = descent_best_is_kept(descent);

    *model = measuring_model(descent->spec, descent->dataset);
    if (takes_best && descent->progress.evaluations_since_best > 0)
        model->kept_epoch = descent_best_epoch(descent);
    descent->model.fill_model(
        descent->model.self, takes_best ? descent->arrays.best : descent->arrays.parameters, model);
}

/* ---- its metrics ---- */

static void note_time(struct descent *descent)
{
    struct notice_list *notices = &descent->measuring.notices;

    if (descent->progress.stopped_at == 0)
        return;
    notice_add(notices, NOTICE_TIME,
               "training ended after %llu of %llu steps, as the time was over: train.max_seconds "
               "is %g",
               (unsigned long long)descent->progress.stopped_at,
               (unsigned long long)descent->planned_steps, descent->spec->max_seconds);
    notice_hint(notices, "TO TRAIN ... USING the model goes on from it.");
}

enum status descent_measure(void *self, bool *is_done, struct error *err)
{
    struct descent *descent = self;
    struct model model;

    *is_done = false;
    if (descent->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (measuring_has_begun(&descent->measuring))
        return measuring_run(&descent->measuring, is_done, err);
    row_lanes_release(&descent->rows, descent->own_team);
    fill_model(descent, &model);
    TRY(measuring_begin(&descent->measuring, &model, descent->spec, descent->dataset,
                        descent->own_team, descent->cost.multiplications, err));
    note_time(descent);
    descent_best_tell(descent);
    descent->measuring.predicts_no_mean = !descent->model.unit.is_of_means;
    return STATUS_OK;
}

enum status descent_export(const struct descent *descent, struct model *model,
                           struct result_metric rows[LEARNER_METRICS_MAX], size_t *count,
                           struct error *err)
{
    if (descent->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    fill_model(descent, model);
    measuring_finish(&descent->measuring, model);
    return measuring_list(&descent->measuring, rows, count, err);
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
    const struct descent *descent = self;
    struct model model;

    fill_model(descent, &model);
    return measuring_publish(&descent->measuring, model, digest, next, bytes_max, is_at_end, sink,
                             context, err);
}
