#include "extension/engine/score/evaluate_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "extension/engine/host/stored_model.h"
#include "extension/engine/rows/bad_rows.h"
#include "extension/engine/score/score.h"
#include "extension/engine/score/unfamiliar_count.h"
#include "scoring/metrics.h"
#include "scoring/row_label.h"
#include "scoring/statistics/drift.h"

#define MULTIPLICATIONS_A_STEP 32 /* multiplications per step of base/stop.h */

/* One of the models, and what it scores. */
struct evaluation {
    struct stop stop;
    uint64_t steps; /* since `stop` was asked */
    const struct plan *plan;
    struct arena arena; /* the model's */
    struct model model;
    bool has_scorer;
    struct scorer scorer;
    struct metrics *metrics; /* NULL: rows are counted for */
    struct drift *drift;     /* likewise */
    struct row_room room;
    struct unfamiliar_count unfamiliar;
    uint32_t waiting; /* rows of the scorer that are not scored yet */
    struct row_label labels[SCORER_ROWS];
};

struct evaluations {
    const struct host *host;
    const struct plan *plan; /* the first evaluation's */
    struct bad_rows bad;
    struct evaluation *of; /* (count) */
    size_t count;
    uint64_t row;
};

/* Score the rows that wait; the metrics take them in the order of the query. */
static enum status score_waiting(struct evaluation *evaluation, struct error *err)
{
    const uint32_t count = evaluation->waiting;
    const double work = evaluation->model.multiplications * count / MULTIPLICATIONS_A_STEP;

    TRY(stop_step(&evaluation->stop, (uint64_t)work, &evaluation->steps, err));
    scorer_score(&evaluation->scorer, count);
    evaluation->waiting = 0;
    for (uint32_t i = 0; i < count; i++) {
        scorer_select(&evaluation->scorer, i);
        TRY(evaluation->drift ? drift_take_prediction(evaluation->drift, &evaluation->scorer, err)
                              : metrics_add(evaluation->metrics, &evaluation->scorer,
                                            &evaluation->labels[i], err));
    }
    return STATUS_OK;
}

/* The row's inputs and label for each model, to be scored later. */
static enum status take_row(struct evaluations *evaluations, const struct cell *cells, size_t count,
                            struct error *err)
{
    for (size_t i = 0; i < evaluations->count; i++) {
        struct evaluation *one = &evaluations->of[i];

        TRY(score_take_row(one->plan, &one->room, evaluations->row, cells, count, &one->scorer,
                           one->waiting, &one->labels[one->waiting], err));
    }
    return STATUS_OK;
}

static enum status evaluate_row(void *self, const struct cell *cells, size_t count,
                                struct error *err)
{
    struct evaluations *evaluations = self;
    struct error why;

    evaluations->row++;
    if (evaluations->plan->bad_rows == BAD_ROWS_ERROR) {
        if (take_row(evaluations, cells, count, err) != STATUS_OK)
            return score_name_row(evaluations->row, LEAVE_BAD_ROWS_OUT, err);
    } else if (take_row(evaluations, cells, count, &why) != STATUS_OK) {
        if (why.status == STATUS_INVALID)
            return bad_rows_add(&evaluations->bad, evaluations->row - 1, cells, count, NULL, &why,
                                err);
        *err = why;
        return err->status;
    }
    for (size_t i = 0; i < evaluations->count; i++) {
        struct evaluation *one = &evaluations->of[i];

        unfamiliar_count_row(&one->unfamiliar, cells);
        if (one->drift)
            TRY(drift_take_row(one->drift, &one->scorer, one->waiting, one->room.inputs, err));
        if (++one->waiting == one->scorer.rows_max)
            TRY(score_waiting(one, err));
    }
    return STATUS_OK;
}

/* ----- the result ----- */

/* model, loss, Accuracy, ... , notice: a row of one model's evaluation behind those before. */
static enum status put_row(const struct evaluations *evaluations, size_t i,
                           const struct evaluation_rows *one, struct evaluation_rows *all,
                           struct cell *cells, struct error *err)
{
    struct cell *row = cells + i * all->columns;

    if (one->rows != 1 || one->columns + 1 != all->columns)
        return fail(err, STATUS_CORRUPT, "the models are measured by different metrics");
    row[0] = cell_text(evaluations->of[i].plan->called);
    memcpy(row + 1, one->cells, one->columns * sizeof *row);
    if (evaluations->plan->has_no_loss)
        row[1] = cell_null();
    all->rows++;
    return STATUS_OK;
}

static enum status collect_several(const struct evaluations *evaluations, struct arena *arena,
                                   const struct sink *sink, struct evaluation_rows *all,
                                   struct error *err)
{
    struct cell *cells = NULL;

    *all = (struct evaluation_rows){.rows = 0};
    TRY(evaluate_columns(evaluations->plan, arena, &all->names, &all->columns, err));
    cells = ARENA_NEW(arena, struct cell, evaluations->count * all->columns);
    if (!cells)
        return fail_no_memory(err);
    for (size_t i = 0; i < evaluations->count; i++) {
        const struct evaluation *one = &evaluations->of[i];
        struct evaluation_order order = score_order_of(one->plan);
        struct evaluation_rows rows;

        order.by_head = false; /* a model has one row */
        TRY(evaluation_collect(&order, one->metrics, &one->stop, arena, sink, &rows, err));
        TRY(put_row(evaluations, i, &rows, all, cells, err));
    }
    all->cells = cells;
    return STATUS_OK;
}

#define MIDDLES_LOST                                                                               \
    "means and medians of now are NULL: there are more than %llu numbers, all columns together"

static enum status collect_drift(const struct evaluation *one, struct arena *arena,
                                 const struct sink *sink, struct evaluation_rows *rows,
                                 struct error *err)
{
    const struct plan *plan = one->plan;
    struct report_rows made;

    *rows = (struct evaluation_rows){.rows = 0};
    TRY(evaluate_columns(plan, arena, &rows->names, &rows->columns, err));
    TRY(drift_make(one->drift, arena, &made, err));
    rows->cells = made.cells;
    rows->rows = made.rows;
    if (drift_lost_middles(one->drift))
        sink_notice(sink, MIDDLES_LOST, (unsigned long long)DRIFT_NUMBERS_MAX);
    if (one->model.transform.input_count > STATISTICS_INPUTS_MAX)
        sink_notice(sink, "the model keeps statistics of the first %d of its %u inputs",
                    STATISTICS_INPUTS_MAX, one->model.transform.input_count);
    return score_put_notices(plan, 0, sink, err);
}

static enum status put_evaluation(const struct evaluations *evaluations, double started,
                                  struct arena *arena, const struct sink *sink, struct error *err)
{
    const struct plan *plan = evaluations->plan;
    const struct evaluation_order order = score_order_of(plan);
    struct evaluation_rows rows;

    if (plan->report == REPORT_DRIFT)
        TRY(collect_drift(&evaluations->of[0], arena, sink, &rows, err));
    else if (plan->other_count > 0)
        TRY(collect_several(evaluations, arena, sink, &rows, err));
    else
        TRY(evaluation_collect(&order, evaluations->of[0].metrics, &evaluations->of[0].stop, arena,
                               sink, &rows, err));
    return evaluation_put(evaluations->host, plan, &rows, started, sink, err);
}

static enum status evaluate(struct evaluations *evaluations, struct arena *arena,
                            const struct sink *sink, struct error *err)
{
    const struct plan *plan = evaluations->plan;
    struct sink rows = {.self = evaluations, .row = evaluate_row};
    double started = score_seconds_now();

    TRY(bad_rows_query(&evaluations->bad, &rows, err));
    for (size_t i = 0; i < evaluations->count; i++) {
        TRY(score_waiting(&evaluations->of[i], err));
        unfamiliar_count_note(&evaluations->of[i].unfamiliar);
    }
    TRY(bad_rows_write(&evaluations->bad, sink, err));
    if (evaluations->row == evaluations->bad.count)
        return score_no_rows(&evaluations->bad, err);
    TRY(put_evaluation(evaluations, started, arena, sink, err));
    return plan->quarantine_table.size > 0
               ? score_target_row(plan->quarantine_table, evaluations->bad.count, started, sink,
                                  err)
               : STATUS_OK;
}

/* ----- the models ----- */

static enum status load(const struct host *host, const struct plan *plan, struct arena *arena,
                        struct evaluation *evaluation, struct error *err)
{
    const struct evaluation_order order = score_order_of(plan);
    struct model *model = &evaluation->model;
    struct metrics_options options;

    evaluation->plan = plan;
    evaluation->stop = (struct stop){host->session.interrupted, host->self};
    TRY(stored_model_load(host, plan->model_schema, plan->model_name, &evaluation->arena, model,
                          err));
    if (model->transform.column_count != plan->model.input_count)
        return fail(err, STATUS_STALE, "the model was replaced meanwhile: run the statement again");
    TRY(row_room_make(plan, arena, &evaluation->room, err));
    TRY(unfamiliar_count_init(host, plan, model, arena, &evaluation->unfamiliar, err));
    TRY(scorer_init(&evaluation->scorer, model, SCORER_ROWS, err));
    evaluation->has_scorer = true;
    evaluation->scorer.has_threshold = plan->has_threshold;
    evaluation->scorer.threshold = plan->threshold;
    if (plan->report == REPORT_DRIFT)
        return drift_new(model, DRIFT_NUMBERS_MAX, &evaluation->drift, err);
    options = evaluation_options(&order, model);
    return metrics_new(model, &options, &evaluation->metrics, err);
}

static enum status load_and_evaluate(struct evaluations *evaluations, struct arena *arena,
                                     const struct sink *sink, struct error *err)
{
    const struct plan *plan = evaluations->plan;

    for (size_t i = 0; i < evaluations->count; i++)
        TRY(load(evaluations->host, i > 0 ? plan->others[i - 1] : plan, arena, &evaluations->of[i],
                 err));
    return evaluate(evaluations, arena, sink, err);
}

static void unload(struct evaluation *evaluation)
{
    if (evaluation->metrics)
        metrics_free(evaluation->metrics);
    drift_free(evaluation->drift);
    if (evaluation->has_scorer)
        scorer_deinit(&evaluation->scorer);
    arena_deinit(&evaluation->arena);
}

enum status evaluate_run(const struct host *host, const struct plan *plan, struct arena *arena,
                         const struct sink *sink, struct error *err)
{
    struct evaluations evaluations = {.host = host, .plan = plan, .count = plan->other_count + 1};
    enum status status;

    TRY(score_check_targets(host, plan, err));
    evaluations.of = calloc(evaluations.count, sizeof *evaluations.of);
    if (!evaluations.of)
        return fail_no_memory(err);
    for (size_t i = 0; i < evaluations.count; i++)
        arena_init(&evaluations.of[i].arena, MODEL_ARENA_MAX);
    bad_rows_init(&evaluations.bad, host, plan);
    status = load_and_evaluate(&evaluations, arena, sink, err);
    bad_rows_deinit(&evaluations.bad);
    for (size_t i = 0; i < evaluations.count; i++)
        unload(&evaluations.of[i]);
    free(evaluations.of);
    return status;
}
