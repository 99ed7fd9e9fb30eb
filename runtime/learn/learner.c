#include "runtime/learn/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobspec/job_size.h"
#include "runtime/learn/fixed_point.h"
#include "runtime/learn/learner_parts.h"

/* ---- the plan of a job ---- */

static uint32_t least(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

static uint64_t planned_steps(const struct jobspec *spec, uint64_t steps_per_epoch)
{
    const uint64_t steps = spec->epochs * steps_per_epoch;

    return spec->max_steps && spec->max_steps < steps ? spec->max_steps : steps;
}

uint32_t learner_batch_first(const struct learner *learner, uint64_t step)
{
    return (uint32_t)(step % learner->steps_per_epoch) * learner->batch;
}

/* With the cool-down that follows an early stop: a quarter of all steps, as planned ones have. */
static uint64_t steps_with(const struct learner *learner, uint64_t cool_from)
{
    return cool_from > 0 ? cool_from + (cool_from + 2) / 3 : learner->planned_steps;
}

static bool is_end_of_epoch(const struct learner *learner, uint64_t step, uint64_t total)
{
    return step > 0 && (step % learner->steps_per_epoch == 0 || step == total);
}

static bool is_epoch_end(const struct learner *learner, uint64_t step)
{
    return is_end_of_epoch(learner, step, learner_steps_total(learner));
}

/* The default schedule would lower the rate at the end, and has not begun to. */
static bool can_cool(const struct learner *learner, uint64_t step)
{
    return learner->spec->early_stopping > 0 && learner->spec->schedule == SCHEDULE_TRAPEZOIDAL &&
           step % learner->steps_per_epoch == 0 && step <= learner->planned_steps &&
           4 * step <= 3 * learner->planned_steps;
}

/* ---- phases ---- */

void learner_describe_phase(const struct learner *learner, struct phase *phase)
{
    const uint64_t step = phase->step;
    const uint64_t of_epoch = phase->kind == PHASE_GRADIENT || step == 0 ? step : step - 1;

    phase->epoch = (uint32_t)(of_epoch / learner->steps_per_epoch);
    phase->rows = phase->integer_count = phase->real_count = 0;
    if (phase->kind == PHASE_GRADIENT) {
        phase->rows = least(learner->batch,
                            learner->dataset->train.rows - learner_batch_first(learner, step));
        phase->integer_count = learner_levels_at(learner, learner->network.tensor_count);
        phase->real_count = learner->network.parameter_count;
    } else if (phase->kind == PHASE_EVALUATION) {
        phase->rows = learner->dataset->validation.rows;
        phase->integer_count = SUM_CORRECT + 1;
    }
}

void learner_follow_progress(struct learner *learner)
{
    learner->optimizer.cool_from = learner->progress.cool_from;
    learner->optimizer.steps = steps_with(learner, learner->progress.cool_from);
}

bool learner_is_possible(const struct learner *learner, const struct progress *progress)
{
    const struct phase *phase = &progress->phase;
    const uint64_t from = progress->cool_from, total = steps_with(learner, from);
    const bool evaluates = learner->dataset->validation.rows > 0;

    if (from > 0 && (!evaluates || from > phase->step || !can_cool(learner, from)))
        return false;
    if (phase->step > total || phase->number < phase->step)
        return false;
    switch (phase->kind) {
    case PHASE_GRADIENT:
        return phase->step < total;
    case PHASE_EVALUATION:
        return evaluates && is_end_of_epoch(learner, phase->step, total);
    case PHASE_DONE:
        return phase->step == total ||
               (evaluates && learner->spec->early_stopping > 0 && from == 0 &&
                !can_cool(learner, phase->step) && is_end_of_epoch(learner, phase->step, total));
    }
    return false;
}

static void next_phase(struct learner *learner, enum phase_kind kind)
{
    struct phase *phase = &learner->progress.phase;

    phase->number++;
    phase->kind = kind;
    learner_describe_phase(learner, phase);
}

static enum phase_kind after_gradient(const struct learner *learner, uint64_t step)
{
    if (is_epoch_end(learner, step) && learner->dataset->validation.rows > 0)
        return PHASE_EVALUATION;
    return step == learner_steps_total(learner) ? PHASE_DONE : PHASE_GRADIENT;
}

/* ---- open, close ---- */

/* What the machine has; where it does not say, what a learner may have. */
static uint64_t machine_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : JOB_LEARNER_BYTES_MAX;
}

static enum status check_bytes(const struct learner *learner, struct error *err)
{
    const struct network *network = &learner->network;
    const uint64_t there = machine_bytes();
    const uint64_t most = there < JOB_LEARNER_BYTES_MAX ? there : JOB_LEARNER_BYTES_MAX;
    const struct job_size size = {network->parameter_count,
                                  optimizer_slots(learner->optimizer.kind),
                                  learner->spec->early_stopping > 0};
    uint64_t bytes = job_learner_bytes(&size);

    for (uint32_t l = 0; l < network->layer_count; l++)
        bytes += (uint64_t)network->layers[l].width * NETWORK_CHUNK_ROWS * 3 * sizeof(float);
    if (bytes <= most)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "a model of %u parameters, %u of them for words, needs %llu bytes to train, and a worker "
         "here has at most %llu",
         network->parameter_count, network->tensors[network->ids_tensor].count,
         (unsigned long long)bytes, (unsigned long long)most);
    return error_hint(err, "Use smaller model.hidden_units, or fewer words: VOCABULARY(column, N) "
                           "in COLUMN keeps the N most frequent.");
}

/* Beyond that several workers cannot share the model: not as fewer lanes than were asked for. */
static enum status check_lanes(const struct learner *learner, struct error *err)
{
    const uint32_t parameters = learner->network.parameter_count;

    if (learner->spec->lanes <= 1 || parameters <= JOB_SHARED_PARAMETERS_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "the sums of %u parameters are %llu bytes, and workers exchange at most %llu", parameters,
         (unsigned long long)parameters * sizeof(int64_t),
         (unsigned long long)JOB_SHARED_PARAMETERS_MAX * sizeof(int64_t));
    return error_hint(err, "With job.lanes = 1 one worker trains it alone.");
}

void learner_start(struct learner *learner)
{
    const float slot = optimizer_slot_start(&learner->optimizer);

    network_start(&learner->network, learner->arrays.parameters);
    for (uint64_t i = 0; i < learner_slot_count(learner); i++)
        learner->arrays.slots[i] = slot;
    if (learner->arrays.best)
        memset(learner->arrays.best, 0, learner->network.parameter_count * sizeof(float));
    for (uint32_t t = 0; t < learner->network.tensor_count; t++)
        learner->progress.exponents[t] = FIXED_EXPONENT_FIRST;
    learner_guard_arrays(learner);
    learner_describe_phase(learner, &learner->progress.phase);
}

enum status learner_arrays_init(const struct learner *learner, struct learner_arrays *arrays,
                                struct error *err)
{
    const size_t parameters = learner->network.parameter_count;
    const bool keeps_best = learner->spec->early_stopping > 0;

    arrays->parameters = calloc(parameters, sizeof(float));
    arrays->slots = calloc(learner_slot_count(learner) + 1, sizeof(float));
    arrays->best = keeps_best ? calloc(parameters, sizeof(float)) : NULL;
    if (arrays->parameters && arrays->slots && (arrays->best || !keeps_best))
        return STATUS_OK;
    learner_arrays_deinit(arrays);
    return fail_no_memory(err);
}

void learner_arrays_deinit(struct learner_arrays *arrays)
{
    free(arrays->parameters);
    free(arrays->slots);
    free(arrays->best);
    *arrays = (struct learner_arrays){.parameters = NULL};
}

void learner_use_arrays(struct learner *learner, struct learner_arrays arrays)
{
    learner->arrays = arrays;
    network_layers(&learner->network, arrays.parameters, learner->layers);
    if (arrays.best)
        network_layers(&learner->network, arrays.best, learner->best_layers);
    learner->has_transposed = false;
    learner_measuring_deinit(learner);
}

static enum status allocate(struct learner *learner, struct error *err)
{
    const size_t layers = learner->network.layer_count;

    TRY(learner_arrays_init(learner, &learner->arrays, err));
    learner->order = calloc(learner->dataset->train.rows, sizeof *learner->order);
    learner->layers = calloc(layers, sizeof *learner->layers);
    learner->best_layers = calloc(layers, sizeof *learner->best_layers);
    if (!learner->order || !learner->layers || !learner->best_layers)
        return fail_no_memory(err);
    learner_use_arrays(learner, learner->arrays);
    return learner_members_init(learner, err);
}

static enum status plan(struct learner *learner, struct error *err)
{
    const struct jobspec *spec = learner->spec;
    const uint32_t rows = learner->dataset->train.rows;

    if (rows == 0)
        return fail(err, STATUS_INVALID, "there are no rows to train on");
    TRY(network_init(&learner->network, spec, learner->dataset, err));
    learner->batch = least(spec->batch_size, rows);
    learner->steps_per_epoch = (rows - 1) / learner->batch + 1;
    learner->lanes =
        job_lanes(spec->lanes, spec->lanes_max, learner->batch, learner->network.parameter_count);
    learner->planned_steps = planned_steps(spec, learner->steps_per_epoch);
    learner->optimizer = optimizer_of(spec, learner->planned_steps);
    TRY(check_lanes(learner, err));
    return check_bytes(learner, err);
}

enum status learner_open(const struct jobspec *spec, const struct dataset *dataset,
                         struct team *team, struct learner **learner, struct error *err)
{
    struct learner *made = calloc(1, sizeof *made);
    enum status status;

    *learner = NULL;
    if (!made)
        return fail_no_memory(err);
    made->spec = spec;
    made->dataset = dataset;
    made->team = made->own_team = team;
    TRY_OR(failed, status, plan(made, err));
    TRY_OR(failed, status, allocate(made, err));
    TRY_OR(failed, status, learner_fingerprint(made, &made->fingerprint, err));
    TRY_OR(failed, status, learner_guard_rows(made, err));
    learner_start(made);
    *learner = made;
    return STATUS_OK;
failed:
    learner_close(made);
    return status;
}

void learner_restart(struct learner *learner)
{
    learner_take_abandon(learner);
    learner->progress = (struct progress){.best_loss = 0};
    learner->has_transposed = false;
    memset(learner->transposed, 0, learner->network.transposed_count * sizeof(float));
    learner->guard.transposed = 0;
    learner->guard.transposed_was_bad = false;
    learner_start(learner);
}

void learner_close(struct learner *learner)
{
    if (!learner)
        return;
    learner_members_deinit(learner);
    learner_measuring_deinit(learner);
    if (!learner->taking.in_place)
        learner_arrays_deinit(&learner->taking.arrays);
    learner_arrays_deinit(&learner->arrays);
    free(learner->order);
    free(learner->guard.chunks);
    free(learner->layers);
    free(learner->best_layers);
    free(learner);
}

uint32_t learner_lanes(const struct learner *learner)
{
    return learner->lanes;
}

const struct phase *learner_phase(const struct learner *learner)
{
    return &learner->progress.phase;
}

uint64_t learner_steps_total(const struct learner *learner)
{
    return learner->optimizer.steps;
}

uint64_t learner_parameters(const struct learner *learner)
{
    return learner->network.parameter_count;
}

static double summed_loss(const int64_t *integers)
{
    return (double)integers[SUM_LOSS_WHOLE] + (double)integers[SUM_LOSS_PART] / SUM_LOSS_ONE;
}

/* ---- resolve ---- */

struct fixed_resolved learner_resolve(const struct learner *learner, const int64_t *fixed,
                                      uint32_t first, uint32_t count, float *reals)
{
    const uint32_t end = first + count;
    struct fixed_resolved all = {0, 0};

    for (uint32_t t = 0; t < learner->network.tensor_count; t++) {
        const struct tensor *tensor = &learner->network.tensors[t];
        const uint32_t from = first > tensor->first ? first : tensor->first;
        const uint32_t to = least(end, tensor->first + tensor->count);

        if (from < to) {
            const struct fixed_resolved part =
                fixed_resolve(fixed + (from - first), to - from, learner->progress.exponents[t],
                              reals + (from - first));

            all.sums += part.sums;
            all.values += part.values;
        }
    }
    return all;
}

/* ---- apply ---- */

static enum status fail_not_finite(const struct learner *learner, const char *what,
                                   struct error *err)
{
    const struct phase *phase = &learner->progress.phase;
    const uint32_t first = learner_batch_first(learner, phase->step);

    if (phase->kind == PHASE_GRADIENT)
        fail(err, STATUS_FAILED, "the %s is not finite at step %llu (rows %u to %u of epoch %u)",
             what, (unsigned long long)phase->step + 1, first + 1, first + phase->rows,
             phase->epoch + 1);
    else
        fail(err, STATUS_FAILED, "the %s is not finite after step %llu", what,
             (unsigned long long)phase->step);
    return error_hint(err, "Lower optimizer.learning_rate (%g now), or look for extreme values.",
                      learner->spec->learning_rate);
}

/* Makes the scale of each tensor coarser that did not fit. */
static bool repeat_step(struct learner *learner, const int64_t *integers)
{
    bool overflow = false;

    for (uint32_t t = 0; t < learner->network.tensor_count; t++) {
        int32_t *exponent = &learner->progress.exponents[t];

        if (integers[SUM_OVERFLOWS + t] == 0)
            continue;
        *exponent = fixed_coarser_exponent(*exponent);
        overflow = true;
    }
    if (overflow)
        next_phase(learner, PHASE_GRADIENT);
    return overflow;
}

static enum status update_parameters(struct learner *learner, const float *gradient,
                                     struct error *err)
{
    struct optimizer_sums before = {0}, after = {0};
    const struct optimizer_step step =
        optimizer_step_at(&learner->optimizer, learner->progress.phase.step);
    const uint32_t slots = optimizer_slots(learner->optimizer.kind);
    float *second_slots =
        learner->arrays.slots + (slots > 1 ? learner->network.parameter_count : 0);

    for (uint32_t t = 0; t < learner->network.tensor_count; t++) {
        const struct tensor *tensor = &learner->network.tensors[t];
        float *first = slots > 0 ? learner->arrays.slots + tensor->first : NULL;
        float *second = slots > 1 ? second_slots + tensor->first : NULL;
        const float l1 = tensor->is_bias ? 0 : (float)learner->spec->l1;
        const float l2 = tensor->is_bias ? 0 : (float)learner->spec->l2;
        const uint32_t others = after.parameters;

        optimizer_update(
            &(struct optimizer_update){&step, l1, l2, tensor->count, gradient + tensor->first,
                                       learner->arrays.parameters + tensor->first, first, second},
            &before, &after);
        learner->guard.tensors[t] = after.parameters - others;
    }
    return learner_guard_step(learner, &before, &after, err);
}

static enum status apply_gradient(struct learner *learner, const int64_t *integers,
                                  const float *reals, struct learner_report *report,
                                  struct error *err)
{
    struct progress *progress = &learner->progress;
    const double rows = progress->phase.rows;
    uint32_t greatest[NETWORK_TENSORS_MAX];

    if (integers[SUM_NOT_FINITE] != 0)
        return fail_not_finite(learner, "loss", err);
    report->repeated = repeat_step(learner, integers);
    if (report->repeated)
        return STATUS_OK;
    for (uint32_t t = 0; t < learner->network.tensor_count; t++) {
        const struct tensor *tensor = &learner->network.tensors[t];

        greatest[t] = fixed_greatest(reals + tensor->first, tensor->count);
        if (!fixed_is_finite(greatest[t]))
            return fail_not_finite(learner, "gradient", err);
    }
    for (uint32_t t = 0; t < learner->network.tensor_count; t++)
        progress->exponents[t] = fixed_next_exponent(
            greatest[t], fixed_highest_level(integers + learner_levels_at(learner, t)),
            progress->exponents[t]);
    TRY(update_parameters(learner, reals, err));
    learner->has_transposed = false;
    report->step_applied = true;
    report->rows_applied = progress->phase.rows;
    report->train_loss = summed_loss(integers) / rows;
    progress->phase.step++;
    next_phase(learner, after_gradient(learner, progress->phase.step));
    report->epoch_ended =
        is_epoch_end(learner, progress->phase.step) && progress->phase.kind != PHASE_EVALUATION;
    return STATUS_OK;
}

static bool is_patience_over(const struct learner *learner)
{
    const uint32_t patience = learner->spec->early_stopping;

    return patience > 0 && learner->progress.cool_from == 0 &&
           learner->progress.evaluations_since_best >= patience;
}

/* Where early stopping ends the schedule's plateau the cool-down follows, from the state that is
 * here: docs/learning.md. */
static enum phase_kind after_patience(struct learner *learner)
{
    if (!can_cool(learner, learner->progress.phase.step))
        return PHASE_DONE;
    learner->progress.cool_from = learner->progress.phase.step;
    learner_follow_progress(learner);
    return PHASE_GRADIENT;
}

static enum status apply_evaluation(struct learner *learner, const int64_t *integers,
                                    struct learner_report *report, struct error *err)
{
    struct progress *progress = &learner->progress;
    const double rows = progress->phase.rows;
    const double loss = summed_loss(integers) / rows;
    enum phase_kind next = PHASE_GRADIENT;

    if (integers[SUM_NOT_FINITE] != 0)
        return fail_not_finite(learner, "validation loss", err);
    report->evaluated = true;
    report->epoch_ended = true;
    report->validation_loss = loss;
    report->validation_score = (double)integers[SUM_CORRECT] / rows;
    report->improved = !progress->has_best || loss < progress->best_loss;
    progress->evaluations_since_best++;
    if (report->improved) {
        progress->has_best = true;
        progress->best_loss = loss;
        progress->evaluations_since_best = 0;
        if (learner->arrays.best) {
            memcpy(learner->arrays.best, learner->arrays.parameters,
                   learner->network.parameter_count * sizeof(float));
            learner_guard_best(learner);
        }
    }
    if (progress->phase.step == learner_steps_total(learner))
        next = PHASE_DONE;
    else if (is_patience_over(learner))
        next = after_patience(learner);
    next_phase(learner, next);
    return STATUS_OK;
}

/* The loss is of the standardised label; people see the label's own units. */
static void in_label_units(const struct learner *learner, struct learner_report *report)
{
    const double square = learner->dataset->label_scale * learner->dataset->label_scale;

    if (learner->network.task != TASK_REGRESSION)
        return;
    report->train_loss *= square;
    report->validation_loss *= square;
    if (report->evaluated)
        report->validation_score = sqrt(report->validation_loss);
}

enum status learner_apply(struct learner *learner, const int64_t *integers, const float *reals,
                          struct learner_report *report, struct error *err)
{
    *report = (struct learner_report){.epoch = learner->progress.phase.epoch + 1};
    switch (learner->progress.phase.kind) {
    case PHASE_GRADIENT:
        TRY(apply_gradient(learner, integers, reals, report, err));
        break;
    case PHASE_EVALUATION:
        TRY(apply_evaluation(learner, integers, report, err));
        break;
    case PHASE_DONE:
        return fail(err, STATUS_FAILED, "nothing is left to learn");
    }
    in_label_units(learner, report);
    /* The last update is followed by no loss that would show it. */
    if (learner->progress.phase.kind == PHASE_DONE &&
        !fixed_is_finite(
            fixed_greatest(learner->arrays.parameters, learner->network.parameter_count)))
        return fail_not_finite(learner, "model", err);
    return STATUS_OK;
}
