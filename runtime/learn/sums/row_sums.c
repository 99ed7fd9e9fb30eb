#include "runtime/learn/sums/row_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/progress.h"

#define PART_BITS  50
#define PART_ONE   0x1p50
#define WHOLE_MOST 0x1p51 /* a lane's bound: sums of 1024 lanes fit into 63 bits */

/* The few integers of a phase: how many sums of lanes were too large. */
enum { TOO_LARGE, ROW_SUMS_INTEGERS };

struct row_sums {
    struct learner learner;
    struct row_sums_method method;
    double *state; /* (state_count) */
    double *sums;  /* (sums_most): of a lane, or the totals */
};

static void describe(void *self)
{
    struct row_sums *row_sums = self;
    struct phase *phase = &row_sums->learner.phase;
    const uint64_t first = row_sums->method.first_step;

    phase->step = phase->number > first ? phase->number - first : 0;
    phase->epoch = (uint32_t)phase->step;
    if (phase->kind == PHASE_DONE)
        return;
    phase->rows = row_sums->learner.dataset->train.rows;
    phase->integer_count = ROW_SUMS_INTEGERS;
    phase->owned_count = 2 * row_sums->method.sums(row_sums->method.self, phase->number);
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
    const struct row_sums_method *method = &row_sums->method;
    const uint64_t phase = learner->phase.number;
    const uint32_t count = method->sums(method->self, phase);
    (void)lane_count, (void)rows, (void)done;

    memset(row_sums->sums, 0, count * sizeof *row_sums->sums);
    for (uint32_t range = lane * learner->ranges; range < (lane + 1) * learner->ranges; range++) {
        const struct row_range held = {phase, learner->starts[range], learner->starts[range + 1],
                                       learner->team};
        enum status status;

        TRY(learner_hold(learner, range, err));
        status = method->add(method->self, &held, row_sums->state, row_sums->sums, err);
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
    fail(err, STATUS_DIVERGED, "%s %llu: sums over the rows are too large", row_sums->method.step,
         (unsigned long long)row_sums->learner.phase.step + 1);
    return error_hint(err, "Look for values that are far from all others, and for sample weights "
                           "that are large.");
}

static enum status apply(void *self, const struct phase_totals *totals,
                         struct learner_report *report, struct error *err)
{
    struct row_sums *row_sums = self;
    const struct row_sums_method *method = &row_sums->method;
    struct phase *phase = &row_sums->learner.phase;
    bool is_last = false;

    TRY(check_sums(row_sums, totals->integers, err));
    for (uint32_t i = 0; i < phase->owned_count / 2; i++)
        row_sums->sums[i] = sum_of(totals->owned + 2 * (size_t)i);
    if (phase->number >= method->first_step) {
        report->step_applied = report->epoch_ended = true;
        report->rows_applied = phase->rows;
    }
    TRY(method->apply(method->self, phase->number, row_sums->sums, row_sums->state, report,
                      &is_last, err));
    if (is_last)
        phase->kind = PHASE_DONE;
    return STATUS_OK;
}

/* ---- the state ---- */

static void put_shape(const void *self, struct text *out)
{
    const struct row_sums *row_sums = self;

    put_u64(out, row_sums->method.state_count);
    put_u32(out, row_sums->method.sums_most);
}

static uint32_t arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX])
{
    struct row_sums *row_sums = self;

    list[0] = (struct learner_array){(void **)&row_sums->state,
                                     row_sums->method.state_count * sizeof *row_sums->state,
                                     LEARNER_USED, "the weights", "weights"};
    return 1;
}

static bool is_possible(const void *self, const struct learner_taking *coming)
{
    const struct row_sums *row_sums = self;
    const uint64_t first = row_sums->method.first_step, most = row_sums->method.steps_most;
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

    row_sums->method.fill(row_sums->method.self, row_sums->state, model);
    return STATUS_OK;
}

static void tell(void *self, struct measuring *measuring)
{
    const struct row_sums *row_sums = self;

    if (row_sums->method.tell)
        row_sums->method.tell(row_sums->method.self, row_sums->state, &measuring->notices);
}

/* ---- open ---- */

static void row_sums_close(void *self)
{
    struct row_sums *row_sums = self;

    row_sums->method.close(row_sums->method.self);
    free(row_sums->sums);
    free(row_sums);
}

static const struct learner_method method_of_sums = {
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

enum status row_sums_open(const struct jobspec *spec, const struct dataset *dataset,
                          struct team *team, const struct row_sums_method *method,
                          struct learning *learning, struct error *err)
{
    struct row_sums *row_sums = calloc(1, sizeof *row_sums);
    enum status status;

    if (!row_sums) {
        method->close(method->self);
        return fail_no_memory(err);
    }
    row_sums->method = *method;
    learner_init(&row_sums->learner, &method_of_sums, NULL, spec, dataset, team);
    row_sums->learner.elements_most = 2 * method->sums_most;
    row_sums->learner.steps_total = method->steps_most;
    row_sums->learner.row_work = method->row_work;
    row_sums->sums = calloc(method->sums_most, sizeof *row_sums->sums);
    TRY_OR(failed, status, row_sums->sums ? STATUS_OK : fail_no_memory(err));
    TRY_OR(failed, status, learner_cut(&row_sums->learner, method->lane_work, err));
    TRY_OR(failed, status, learner_open(&row_sums->learner, err));
    *learning = learner_table(&row_sums->learner);
    return STATUS_OK;
failed:
    learner_close(&row_sums->learner);
    return status;
}
