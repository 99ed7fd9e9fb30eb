#include "runtime/learn/sums/row_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/process/progress.h"

#define PART_BITS  50
#define PART_ONE   0x1p50
#define WHOLE_MOST 0x1p51 /* a lane's bound: sums of 1024 lanes fit into 63 bits */

/* The few integers of a phase: how many sums of lanes were too large. */
enum { TOO_LARGE, ROW_SUMS_INTEGERS };

struct row_sums {
    struct learner learner;
    void *self; /* the method's own struct; the learner's subject is that method */
    struct row_sums_plan plan;
    double *state; /* (state_count) */
    double *sums;  /* (sums_most): of a lane, or the totals */
};

static const struct row_sums_method *method_of(const struct row_sums *row_sums)
{
    return row_sums->learner.subject;
}

static void describe(void *self)
{
    struct row_sums *row_sums = self;
    struct phase *phase = &row_sums->learner.phase;
    const uint64_t first = method_of(row_sums)->first_step;

    phase->step = phase->number > first ? phase->number - first : 0;
    phase->epoch = (uint32_t)phase->step;
    if (phase->kind == PHASE_DONE)
        return;
    phase->rows = row_sums->learner.dataset->train.rows;
    phase->integer_count = ROW_SUMS_INTEGERS;
    phase->owned_count = 2 * method_of(row_sums)->sums(row_sums->self, phase->number);
}

/* ---- lanes ---- */

static void split_sum(double value, int64_t *whole, int64_t *part, int64_t *too_large)
{
    const double floored = floor(value);

    if (!(fabs(value) < WHOLE_MOST)) {
        ++*too_large;
        return;
    }
    *whole = (int64_t)floored;
    *part = (int64_t)((value - floored) * PART_ONE);
}

static double sum_of(const int64_t *sums)
{
    const int64_t units = (int64_t)1 << PART_BITS;

    return (double)(sums[0] + sums[1] / units) + (double)(sums[1] % units) / PART_ONE;
}

static void give_sums(struct row_sums *row_sums, uint32_t count, int64_t *integers, int64_t *sums)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t whole = 0, part = 0;

        split_sum(row_sums->sums[i], &whole, &part, &integers[TOO_LARGE]);
        sums[2 * (size_t)i] += whole;
        sums[2 * (size_t)i + 1] += part;
        row_sums->learner.contributed += (uint64_t)whole + (uint64_t)part;
    }
}

static enum status contribute(void *self, uint32_t lane, uint32_t lane_count, int64_t *integers,
                              int64_t *sums, struct touched_rows *rows, uint32_t *done,
                              struct error *err)
{
    struct row_sums *row_sums = self;
    const struct learner *learner = &row_sums->learner;
    const struct row_sums_method *method = method_of(row_sums);
    const uint64_t phase = learner->phase.number;
    const uint32_t count = method->sums(row_sums->self, phase);
    (void)lane_count, (void)rows, (void)done;

    memset(row_sums->sums, 0, count * sizeof *row_sums->sums);
    for (uint32_t range = lane * learner->ranges; range < (lane + 1) * learner->ranges; range++) {
        const struct row_range held = {phase, learner->starts[range], learner->starts[range + 1],
                                       learner->team};
        enum status status;

        TRY(learner_hold(learner, range, err));
        status = method->add(row_sums->self, &held, row_sums->state, row_sums->sums, err);
        learner_release(learner, range);
        TRY(status);
        progress_note();
    }
    give_sums(row_sums, count, integers, sums);
    return STATUS_OK;
}

/* ---- apply ---- */

static enum status check_sums(const struct row_sums *row_sums, const int64_t *integers,
                              struct error *err)
{
    if (integers[TOO_LARGE] == 0)
        return STATUS_OK;
    fail(err, STATUS_DIVERGED, "%s %llu: sums over the rows are too large",
         method_of(row_sums)->step, (unsigned long long)row_sums->learner.phase.step + 1);
    return error_hint(err, "Look for values that are far from all others, and for sample weights "
                           "that are large.");
}

static enum status apply(void *self, const struct phase_totals *totals,
                         struct learner_report *report, struct error *err)
{
    struct row_sums *row_sums = self;
    const struct row_sums_method *method = method_of(row_sums);
    struct phase *phase = &row_sums->learner.phase;
    bool is_last = false;

    TRY(check_sums(row_sums, totals->integers, err));
    for (uint32_t i = 0; i < phase->owned_count / 2; i++)
        row_sums->sums[i] = sum_of(totals->owned + 2 * (size_t)i);
    if (phase->number >= method->first_step) {
        report->step_applied = report->epoch_ended = true;
        report->rows_applied = phase->rows;
    }
    TRY(method->apply(row_sums->self, phase->number, row_sums->sums, row_sums->state, report,
                      &is_last, err));
    if (is_last)
        phase->kind = PHASE_DONE;
    return STATUS_OK;
}

/* ---- the state ---- */

static void put_shape(const void *self, struct text *out)
{
    const struct row_sums *row_sums = self;

    put_u64(out, row_sums->plan.state_count);
    put_u32(out, row_sums->plan.sums_most);
}

static uint32_t arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX])
{
    struct row_sums *row_sums = self;

    list[0] = (struct learner_array){(void **)&row_sums->state,
                                     row_sums->plan.state_count * sizeof *row_sums->state,
                                     LEARNER_USED, "the weights", "weights"};
    return 1;
}

static bool is_possible(const void *self, const struct learner_taking *coming)
{
    const struct row_sums *row_sums = self;
    const uint64_t first = method_of(row_sums)->first_step, most = row_sums->plan.steps_most;
    const struct phase *phase = &coming->phase;

    return phase->kind == PHASE_DONE ? phase->number > first && phase->number <= first + most
                                     : phase->kind == PHASE_LEARN && phase->number < first + most;
}

/* Nothing is kept of rows, and a state of zeros is the first. */
static enum status enter(void *self, const struct learner_taking *taken, struct error *err)
{
    (void)self, (void)taken, (void)err;
    return STATUS_OK;
}

/* ---- the model ---- */

static enum status fill(void *self, struct model *model, struct error *err)
{
    struct row_sums *row_sums = self;
    (void)err;

    method_of(row_sums)->fill(row_sums->self, row_sums->state, model);
    return STATUS_OK;
}

static void tell(void *self, struct measuring *measuring)
{
    const struct row_sums *row_sums = self;

    if (method_of(row_sums)->tell)
        method_of(row_sums)->tell(row_sums->self, row_sums->state, &measuring->notices);
}

/* ---- open ---- */

static enum status plan(void *self, struct error *err)
{
    struct row_sums *row_sums = self;
    struct learner *learner = &row_sums->learner;
    struct row_sums_plan *plan = &row_sums->plan;
    const struct row_sums_method *method = method_of(row_sums);

    row_sums->self = calloc(1, method->bytes);
    if (!row_sums->self)
        return fail_no_memory(err);
    TRY(method->plan(row_sums->self, learner->spec, learner->dataset, plan, err));
    learner->elements_most = 2 * plan->sums_most;
    learner->steps_total = plan->steps_most;
    learner->row_work = plan->row_work;
    row_sums->sums = calloc(plan->sums_most, sizeof *row_sums->sums);
    if (!row_sums->sums)
        return fail_no_memory(err);
    return learner_cut(learner, plan->lane_work, err);
}

static void row_sums_close(void *self)
{
    struct row_sums *row_sums = self;

    if (row_sums->self)
        method_of(row_sums)->close(row_sums->self);
    free(row_sums->self);
    free(row_sums->sums);
}

const struct learner_method row_sums_learner = {
    .bytes = sizeof(struct row_sums),
    .plan = plan,
    .close = row_sums_close,
    .put_shape = put_shape,
    .arrays = arrays,
    .is_possible = is_possible,
    .enter = enter,
    .describe = describe,
    .contribute = contribute,
    .apply = apply,
    .fill = fill,
    .tell = tell,
};
