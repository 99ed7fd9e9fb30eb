#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobspec/job_size.h"
#include "jobspec/jobspec_sections.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/descent/descent_best.h"
#include "runtime/learn/descent/descent_clip.h"
#include "runtime/learn/descent/descent_export.h"
#include "runtime/learn/descent/descent_guard.h"
#include "runtime/learn/descent/descent_lanes.h"
#include "runtime/learn/descent/descent_old.h"
#include "runtime/learn/descent/descent_state.h"
#include "runtime/learn/descent/descent_table.h"
#include "runtime/learn/fixed_point.h"
#include "runtime/learn/learner_memory.h"
#include "scoring/numbers/elementary.h"

/* ---- the plan of a job ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t planned_steps(const struct jobspec *spec, uint32_t epochs, uint64_t steps_per_epoch)
{
    const uint64_t steps = epochs * steps_per_epoch;

    return spec->max_steps && spec->max_steps < steps ? spec->max_steps : steps;
}

/* The steps of an epoch have equally many rows, or one more: a last one of a few rows would move
 * the parameters as far as all others do. */
uint64_t descent_batch_first(const struct descent *descent, uint64_t step)
{
    const uint64_t rows = descent->learner.dataset->train.rows, steps = descent->steps_per_epoch;
    const uint64_t i = step % steps;

    return i * (rows / steps) + least(i, rows % steps);
}

static uint64_t rows_of_step(const struct descent *descent, uint64_t step)
{
    const uint64_t rows = descent->learner.dataset->train.rows, steps = descent->steps_per_epoch;

    return rows / steps + (step % steps < rows % steps);
}

/* With the cool-down that follows an early stop: a quarter of all steps, as planned ones have. */
static uint64_t steps_with(const struct descent *descent, uint64_t cool_from)
{
    return cool_from > 0 ? cool_from + (cool_from + 2) / 3 : descent->planned_steps;
}

/* The same, unless the time was over before. */
static uint64_t steps_of(const struct descent *descent, const struct progress *progress)
{
    return progress->stopped_at > 0 ? progress->stopped_at
                                    : steps_with(descent, progress->cool_from);
}

static bool is_end_of_epoch(const struct descent *descent, uint64_t step, uint64_t total)
{
    return step > 0 && (step % descent->steps_per_epoch == 0 || step == total);
}

static bool is_epoch_end(const struct descent *descent, uint64_t step)
{
    return is_end_of_epoch(descent, step, descent->learner.steps_total);
}

/* The default schedule would lower the rate at the end, and has not begun to. */
static bool can_cool(const struct descent *descent, uint64_t step)
{
    return descent->learner.spec->early_stopping > 0 &&
           descent->model.settings.schedule == SCHEDULE_TRAPEZOIDAL &&
           step % descent->steps_per_epoch == 0 && step <= descent->planned_steps &&
           4 * step <= 3 * descent->planned_steps;
}

/* ---- phases ---- */

void descent_describe_phase(const struct descent *descent, struct phase *phase)
{
    const uint64_t step = phase->step;
    const uint64_t of_epoch = phase->kind == PHASE_LEARN || step == 0 ? step : step - 1;

    phase->epoch = (uint32_t)(of_epoch / descent->steps_per_epoch);
    phase->rows = 0;
    phase->integer_count = phase->owned_count = phase->real_count = 0;
    phase->table = (struct phase_table){.rows = 0};
    if (phase->kind == PHASE_LEARN) {
        phase->rows = rows_of_step(descent, step);
        phase->integer_count = descent_time_over_at(descent) + 1;
        phase->table = descent_table_of_step(descent, phase->rows);
        if (!descent_only_holds(descent))
            phase->real_count =
                descent->model.parameter_count - phase->table.rows * phase->table.width;
    } else if (phase->kind == PHASE_EVALUATION) {
        phase->rows = descent->learner.dataset->validation.rows;
        phase->integer_count = SUM_HEADS + HEAD_INTEGERS * descent->model.head_count;
    }
}

void descent_follow_progress(struct descent *descent)
{
    descent->optimizer.cool_from = descent->progress.cool_from;
    descent->optimizer.steps = steps_of(descent, &descent->progress);
    descent->linear.cool_from = descent->optimizer.cool_from;
    descent->linear.steps = descent->learner.steps_total = descent->optimizer.steps;
}

bool descent_is_possible(const void *self, const struct learner_taking *coming)
{
    const struct descent *descent = self;
    const struct progress *progress = coming->progress;
    const struct phase *phase = &coming->phase;
    const uint64_t from = progress->cool_from, total = steps_of(descent, progress);
    const bool evaluates = descent->learner.dataset->validation.rows > 0;

    if (!isfinite(progress->best_loss) || !isfinite(progress->last_loss) || !(progress->rises >= 0))
        return false;
    if (progress->stopped_at > 0 &&
        (descent->learner.spec->max_seconds <= 0 || total > steps_with(descent, from)))
        return false;
    if (from > 0 && (!evaluates || from > phase->step || !can_cool(descent, from)))
        return false;
    if (phase->step > total || phase->number < phase->step)
        return false;
    switch (phase->kind) {
    case PHASE_LEARN:
        return phase->step < total;
    case PHASE_EVALUATION:
        return evaluates && is_end_of_epoch(descent, phase->step, total);
    case PHASE_DONE:
        return phase->step == total ||
               (evaluates && descent->learner.spec->early_stopping > 0 && from == 0 &&
                !can_cool(descent, phase->step) && is_end_of_epoch(descent, phase->step, total));
    }
    return false;
}

static void describe(void *self)
{
    struct descent *descent = self;

    descent_describe_phase(descent, &descent->learner.phase);
}

static enum phase_kind after_gradient(const struct descent *descent, uint64_t step)
{
    if (is_epoch_end(descent, step) && descent->learner.dataset->validation.rows > 0)
        return PHASE_EVALUATION;
    return step == descent->learner.steps_total ? PHASE_DONE : PHASE_LEARN;
}

/* ---- opening ---- */

static enum status check_bytes(const struct descent *descent, struct error *err)
{
    const struct differentiable *model = &descent->model;
    const uint64_t most = learner_bytes_max(descent->learner.spec);
    const uint64_t bytes =
        (uint64_t)job_learner_bytes(&descent->cost, descent->keeps_best,
                                    (double)descent->learner.dataset->train.rows) +
        model->space_bytes;
    char advice[sizeof err->hint];
    uint32_t words = 0;

    for (uint32_t t = 0; t < model->tensor_count; t++)
        words += model->tensors[t].row_width > 0 ? model->tensors[t].count : 0;
    if (bytes <= most)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "a model of %u parameters, %u of them for words, needs %llu bytes to train, and a worker "
         "here has at most %llu",
         model->parameter_count, words, (unsigned long long)bytes, (unsigned long long)most);
    snprintf(advice, sizeof advice,
             "Use smaller %s, or fewer words: VOCABULARY(column, N) in COLUMN keeps the N most "
             "frequent.",
             kind_of(descent->learner.spec)->size_attribute);
    return learner_hint_bytes(descent->learner.spec, advice, err);
}

/* Beyond that several workers cannot share the model: not as fewer lanes than were asked for. */
static enum status check_lanes(const struct descent *descent, struct error *err)
{
    const uint32_t parameters = descent->model.parameter_count;

    if (descent->learner.spec->lanes <= 1 || parameters <= JOB_SHARED_PARAMETERS_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "the sums of %u parameters are %llu bytes, and workers exchange at most %llu", parameters,
         (unsigned long long)parameters * sizeof(int64_t),
         (unsigned long long)JOB_SHARED_PARAMETERS_MAX * sizeof(int64_t));
    return error_hint(err, "With job.lanes = 1 one worker trains it alone.");
}

void descent_start(struct descent *descent)
{
    if (descent_only_holds(descent))
        return;
    descent->model.start(descent->model.self, descent->arrays.parameters);
    descent_take_old(descent);
    for (uint32_t t = 0; t < descent->model.tensor_count; t++) {
        const struct tensor *tensor = &descent->model.tensors[t];
        struct descent_run run;

        for (uint32_t at = 0; at < tensor->count; at += run.count) {
            const struct descent_slots slots = descent_slots_at(descent, tensor->first + at);

            run = descent_run_at(tensor, at);
            if (tensor->is_statistic)
                continue; /* its slots stay 0 */
            optimizer_start(run.is_linear ? &descent->linear : &descent->optimizer, tensor->is_bias,
                            run.count, descent->arrays.parameters + tensor->first + at, slots.at);
        }
    }
    for (uint32_t t = 0; t < descent->model.tensor_count; t++)
        descent->exponents[t] = FIXED_EXPONENT_FIRST;
}

static enum status allocate(struct descent *descent, struct error *err)
{
    TRY(descent_lanes_init(descent, err));
    TRY(descent_clip_init(descent, err));
    TRY(descent_table_init(descent, err));
    return descent_members_init(descent, err);
}

/* The same that the planner asks before the rows are known (planner/plan/parameters.h). */
static struct kind_cost cost_of(const struct jobspec *spec, const struct dataset *dataset,
                                const struct differentiable *model)
{
    struct kind_shape shape = {
        .task = spec->task, .classes = dataset->labels.count, .rows = (double)dataset->train.rows};

    kind_shape_take(&shape, &dataset->transform);
    return kind_of(spec)->cost(model->params ? model->params : &spec->params, &shape);
}

static uint32_t elements_most(const struct descent *descent)
{
    const struct phase_table table = descent_table_of_step(descent, descent->batch);

    return descent->model.parameter_count - (table.rows - table.touched_most) * table.width;
}

static enum status plan_steps(struct descent *descent, struct error *err)
{
    differentiable_open *const *open_model = descent->learner.subject;
    struct learner *learner = &descent->learner;
    const struct jobspec *spec = learner->spec;
    const uint64_t rows = descent->learner.dataset->train.rows;
    uint32_t most; /* rows of a step that the statement allows */

    if (rows == 0)
        return fail(err, STATUS_INVALID, "there are no rows to train on");
    TRY((*open_model)(spec, learner->dataset, &descent->model, err));
    descent->cost = cost_of(spec, descent->learner.dataset, &descent->model);
    most = (uint32_t)least(spec->batch_size, rows);
    descent->steps_per_epoch = (rows - 1) / most + 1;
    descent->batch = (uint32_t)((rows - 1) / descent->steps_per_epoch + 1);
    descent->learner.lanes = (uint32_t)least(
        descent->batch,
        job_lanes(spec->lanes, spec->lanes_max, most,
                  descent_only_holds(descent) ? 0 : descent->model.parameter_count));
    descent->learner.epochs_total =
        job_epochs(spec->epochs, kind_of(spec)->length(&spec->params, spec->task), most, rows);
    descent->planned_steps =
        planned_steps(spec, descent->learner.epochs_total, descent->steps_per_epoch);
    descent->optimizer = optimizer_of(&descent->model.settings, descent->planned_steps);
    descent->linear = optimizer_of(&descent->model.linear, descent->planned_steps);
    descent_best_plan(descent);
    learner->steps_total = descent->planned_steps;
    if (descent_only_holds(descent)) {
        descent->cost.slots = 0;
        descent->table = TENSORS_MAX;
        return STATUS_OK;
    }
    descent_table_choose(descent);
    learner->elements_most = elements_most(descent);
    TRY(check_lanes(descent, err));
    return check_bytes(descent, err);
}

static double sum_of_parts(int64_t whole, int64_t part)
{
    return (double)whole + (double)part / SUM_LOSS_ONE;
}

static double summed_loss(const int64_t *integers)
{
    return sum_of_parts(integers[SUM_LOSS_WHOLE], integers[SUM_LOSS_PART]);
}

/* ---- resolve ---- */

static struct fixed_resolved descent_resolve(const void *self, const int64_t *fixed, uint32_t first,
                                             uint32_t count, float *reals)
{
    const struct descent *descent = self;
    const uint32_t end = first + count;
    struct fixed_resolved all = {0, 0};

    for (uint32_t t = 0; t < descent->model.tensor_count; t++) {
        const uint32_t begin = descent->sums_at[t];
        const uint32_t from = first > begin ? first : begin;
        const uint32_t to = (uint32_t)least(end, begin + descent->model.tensors[t].count);

        if (from < to) {
            const struct fixed_resolved part = fixed_resolve(
                fixed + (from - first), to - from, descent->exponents[t], reals + (from - first));

            all.sums += part.sums;
            all.values += part.values;
        }
    }
    return all;
}

/* ---- apply ---- */

/* CORRUPT where memory is to blame that changed by itself: it is not as it was written last. */
static enum status fail_not_finite(struct descent *descent, const char *what, struct error *err)
{
    const struct phase *phase = &descent->learner.phase;
    const uint64_t first = descent_batch_first(descent, phase->step);
    uint64_t position = 0;

    TRY(descent_verify(descent, LOOK_AT_ALL, NULL, err));
    TRY(descent_verify_rows(descent, &position, UINT64_MAX, err));
    if (phase->kind == PHASE_LEARN)
        fail(err, STATUS_DIVERGED,
             "the %s is not finite at step %llu (rows %llu to %llu of epoch %u)", what,
             (unsigned long long)phase->step + 1, (unsigned long long)first + 1,
             (unsigned long long)(first + phase->rows), phase->epoch + 1);
    else
        fail(err, STATUS_DIVERGED, "the %s is not finite after step %llu", what,
             (unsigned long long)phase->step);
    return error_hint(err, "Lower optimizer.learning_rate (%g now), or look for extreme values.",
                      descent->model.settings.learning_rate);
}

/* Makes the scale of each tensor coarser that did not fit. */
static bool repeat_step(struct descent *descent, const int64_t *integers)
{
    bool overflow = false;

    for (uint32_t t = 0; t < descent->model.tensor_count; t++) {
        int32_t *exponent = &descent->exponents[t];

        if (integers[SUM_OVERFLOWS + t] == 0)
            continue;
        *exponent = fixed_coarser_exponent(*exponent);
        overflow = true;
    }
    return overflow;
}

/* The movers of the parameters in one step. */
struct moving {
    struct optimizer_step step, linear, of_biases, of_statistics;
    struct optimizer_sums before, after;
};

/* A running mean moves by itself, whatever the optimizer: as SGD without a schedule. */
static struct optimizer_step step_of_statistics(uint64_t t)
{
    const double first = 1 / ((double)t + 1);

    return (struct optimizer_step){
        .kind = OPTIMIZER_SGD, .rate = (float)(first > STATISTIC_RATE ? first : STATISTIC_RATE)};
}

static const struct optimizer_step *step_of(const struct moving *moving,
                                            const struct tensor *tensor, bool is_linear)
{
    static const struct optimizer_step still = {.kind = OPTIMIZER_SGD};

    if (tensor->is_frozen)
        return &still;
    if (tensor->is_statistic)
        return &moving->of_statistics;
    return tensor->is_bias ? &moving->of_biases : is_linear ? &moving->linear : &moving->step;
}

/* Where one optimizer moves all of the tensor that is one run. */
static void update_tensor(struct descent *descent, const struct tensor *tensor,
                          const float *gradient, struct moving *moving)
{
    struct descent_run run;

    for (uint32_t at = 0; at < tensor->count; at += run.count) {
        const struct descent_slots slots = descent_slots_at(descent, tensor->first + at);
        const struct descent_settings *settings;
        bool has_penalty;

        run = descent_run_at(tensor, at);
        has_penalty = !tensor->is_bias && !tensor->is_frozen;
        settings = run.is_linear ? &descent->model.linear : &descent->model.settings;
        optimizer_update(
            &(struct optimizer_update){
                .step = step_of(moving, tensor, run.is_linear),
                .l1 = has_penalty ? (float)settings->l1 : 0,
                .l2 = has_penalty ? (float)settings->l2 : 0,
                .count = run.count,
                .gradient = gradient + at,
                .parameters = descent->arrays.parameters + tensor->first + at,
                .slots = {slots.at[0], slots.at[1], slots.at[2]},
            },
            &moving->before, &moving->after);
    }
}

static enum status update_parameters(struct descent *descent, const struct phase_totals *totals,
                                     struct error *err)
{
    const float *gradient = descent_clip(descent, totals);
    const uint64_t t = descent->learner.phase.step;
    struct moving moving = {.step = optimizer_step_at(&descent->optimizer, t),
                            .linear = optimizer_step_at(&descent->linear, t)};

    moving.of_biases = optimizer_step_of_biases(moving.step);
    moving.of_statistics = step_of_statistics(t);
    for (uint32_t i = 0; i < descent->model.tensor_count; i++) {
        const uint32_t others = moving.after.parameters;

        if (i == descent->table)
            continue;
        update_tensor(descent, &descent->model.tensors[i],
                      (descent->model.tensors[i].is_statistic ? totals->reals : gradient) +
                          descent->sums_at[i],
                      &moving);
        descent->guard.tensors[i] = moving.after.parameters - others;
    }
    TRY(descent_guard_step(descent, &moving.before, &moving.after, err));
    if (descent->table == TENSORS_MAX)
        return STATUS_OK;
    return descent_table_update(descent, &moving.step, &moving.linear, totals,
                                gradient + descent->sums_at[descent->table], err);
}

static enum status apply_gradient(struct descent *descent, const struct phase_totals *totals,
                                  struct learner_report *report, struct error *err)
{
    const int64_t *integers = totals->integers;
    struct progress *progress = &descent->progress;
    const double rows = (double)descent->learner.phase.rows;
    uint32_t greatest[TENSORS_MAX];

    if (integers[SUM_NOT_FINITE] != 0)
        return fail_not_finite(descent, "loss", err);
    report->repeated = repeat_step(descent, integers);
    if (report->repeated)
        return STATUS_OK;
    for (uint32_t t = 0; t < descent->model.tensor_count; t++) {
        greatest[t] = t == descent->table ? descent_table_greatest(descent, totals)
                                          : fixed_greatest(totals->reals + descent->sums_at[t],
                                                           descent->model.tensors[t].count);
        if (!fixed_is_finite(greatest[t]))
            return fail_not_finite(descent, "gradient", err);
    }
    for (uint32_t t = 0; t < descent->model.tensor_count; t++)
        descent->exponents[t] = fixed_next_exponent(
            greatest[t], fixed_highest_level(integers + descent_levels_at(descent, t)),
            descent->exponents[t]);
    TRY(update_parameters(descent, totals, err));
    descent->has_derived = false;
    report->step_applied = true;
    report->rows_applied = descent->learner.phase.rows;
    report->train_loss = summed_loss(integers) / rows;
    descent->learner.phase.step++;
    if (integers[descent_time_over_at(descent)] > 0) {
        progress->stopped_at = descent->learner.phase.step;
        descent_follow_progress(descent);
    }
    descent->learner.phase.kind = after_gradient(descent, descent->learner.phase.step);
    report->epoch_ended = is_epoch_end(descent, descent->learner.phase.step) &&
                          descent->learner.phase.kind != PHASE_EVALUATION;
    return STATUS_OK;
}

static bool is_patience_over(const struct descent *descent)
{
    const uint32_t patience = descent->learner.spec->early_stopping;

    return patience > 0 && descent->progress.cool_from == 0 &&
           descent->progress.evaluations_since_best >= patience;
}

/* Where early stopping ends the schedule's plateau the cool-down follows, from the state that is
 * here: docs/learning.md. */
static enum phase_kind after_patience(struct descent *descent)
{
    if (!can_cool(descent, descent->learner.phase.step))
        return PHASE_DONE;
    descent->progress.cool_from = descent->learner.phase.step;
    descent_follow_progress(descent);
    return PHASE_LEARN;
}

/* The accuracy of each of several labels, or the root of its mean squared error in its units. */
static void report_heads(const struct differentiable *model, const int64_t *integers,
                         struct learner_report *report)
{
    report->metric_count = model->head_count;
    for (uint32_t i = 0; i < model->head_count; i++) {
        const int64_t *head = integers + SUM_HEADS + HEAD_INTEGERS * i;
        const double sum = sum_of_parts(head[HEAD_WHOLE], head[HEAD_PART]);
        const double mean = head[HEAD_ROWS] > 0 ? sum / (double)head[HEAD_ROWS] : (double)NAN;

        report->train_metrics[i] = (double)NAN;
        report->validation_metrics[i] =
            model->head_units[i] > 0 ? sqrt(mean) * model->head_units[i] : mean;
    }
}

static enum status apply_evaluation(struct descent *descent, const int64_t *integers,
                                    struct learner_report *report, struct error *err)
{
    const double rows = (double)descent->learner.phase.rows;
    const double loss = summed_loss(integers) / rows;
    enum phase_kind next = PHASE_LEARN;

    if (integers[SUM_NOT_FINITE] != 0)
        return fail_not_finite(descent, "validation loss", err);
    report->evaluated = true;
    report->epoch_ended = true;
    report->validation_loss = loss;
    report->validation_score = (double)integers[SUM_CORRECT] / rows;
    report_heads(&descent->model, integers, report);
    report->improved = descent_best_note(descent, loss);
    if (descent->learner.phase.step == descent->learner.steps_total)
        next = PHASE_DONE;
    else if (is_patience_over(descent))
        next = after_patience(descent);
    descent->learner.phase.kind = next;
    return STATUS_OK;
}

static double power_of(double x, double power)
{
    return power == 2 ? x * x : power == 1 ? x : exponential_double(power * logarithm_double(x));
}

double descent_loss_unit(const struct descent *descent)
{
    return descent->learner.spec->task == TASK_REGRESSION
               ? power_of(descent->learner.dataset->label_scale, descent->model.unit.power)
               : 1;
}

/* The loss is of the label as it is learned; people see the label's own units. */
static void in_label_units(const struct descent *descent, struct learner_report *report)
{
    const double unit = descent_loss_unit(descent);

    if (descent->learner.spec->task != TASK_REGRESSION)
        return;
    report->train_loss *= unit;
    report->validation_loss *= unit;
    if (report->evaluated)
        report->validation_score =
            descent->model.unit.is_square ? sqrt(report->validation_loss) : (double)NAN;
}

static enum status apply_totals(struct descent *descent, const struct phase_totals *totals,
                                struct learner_report *report, struct error *err)
{
    TRY(descent->learner.phase.kind == PHASE_LEARN
            ? apply_gradient(descent, totals, report, err)
            : apply_evaluation(descent, totals->integers, report, err));
    in_label_units(descent, report);
    if (descent->learner.phase.kind != PHASE_DONE)
        return STATUS_OK;
    /* The team compares rows as they go; those that stay are compared by one thread. */
    row_lanes_release(&descent->rows, descent->learner.team);
    /* The last update is followed by no loss that would show it. */
    if (!fixed_is_finite(
            fixed_greatest(descent->arrays.parameters, descent->model.parameter_count)))
        return fail_not_finite(descent, "model", err);
    return STATUS_OK;
}

static enum status apply(void *self, const struct phase_totals *totals,
                         struct learner_report *report, struct error *err)
{
    struct descent *descent = self;

    TRY(apply_totals(descent, totals, report, err));
    descent_show_guards(descent);
    return STATUS_OK;
}

/* ---- open, close ---- */

static void descent_close(void *self)
{
    struct descent *descent = self;

    descent_members_deinit(descent);
    descent_lanes_deinit(descent);
    descent_table_deinit(descent);
    descent_clip_deinit(descent);
    if (descent->model.close)
        descent->model.close(descent->model.self);
}

static enum status plan(void *self, struct error *err)
{
    struct descent *descent = self;
    struct learner *learner = &descent->learner;

    descent->team = learner->team;
    TRY(plan_steps(descent, err));
    TRY(allocate(descent, err));
    learner->course = (struct learner_course){
        row_store_expects(learner->dataset) ? descent->steps_per_epoch : 0, descent->rows.buckets};
    learner->row_work = descent->cost.multiplications;
    return STATUS_OK;
}

const struct learner_method descent_learner = {
    .bytes = sizeof(struct descent),
    .progress = descent_progress_fields,
    .progress_at = offsetof(struct descent, progress),
    .progress_bytes = sizeof(struct progress),
    .plan = plan,
    .close = descent_close,
    .put_shape = descent_put_shape,
    .arrays = descent_list_arrays,
    .is_possible = descent_is_possible,
    .enter = descent_enter,
    .describe = describe,
    .contribute = descent_contribute,
    .apply = apply,
    .fill = descent_fill,
    .use_team = descent_use_team,
    .resolve = descent_resolve,
    .verify = descent_verify,
    .verify_rows = descent_verify_rows,
    .tell = descent_tell,
    .memory = descent_memory,
};
