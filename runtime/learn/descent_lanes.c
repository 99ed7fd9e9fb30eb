#include "runtime/learn/descent_lanes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/learn/descent_guard.h"
#include "runtime/learn/fixed_point.h"

#define LOSS_LANE_MOST    0x1p52 /* more of one lane is cut: 1024 of them fit into 64 bits */
#define SITTING_WORK      5e7    /* multiplications of a member: some milliseconds */
#define FETCH_WORK        100    /* multiplications that fetching a row takes as long as */
#define TEAM_WORK_LEAST   5e4    /* of a step, that several threads share it */
#define MEMBERS_BYTES_MAX ((uint64_t)1 << 29)
#define SLICE_ELEMENTS    16384 /* of sums, added by one member */

/* ---- members ---- */

/* Meeting takes some microseconds a step, and every member clears and adds sums
 * as long as the model. */
static bool team_pays(const struct descent *descent)
{
    const struct differentiable *model = &descent->model;
    const uint64_t bytes = model->parameter_count * (sizeof(float) + sizeof(int64_t));
    const double step = (descent->cost.multiplications + FETCH_WORK) * descent->batch;

    return bytes * team_size(descent->team) <= MEMBERS_BYTES_MAX && step >= TEAM_WORK_LEAST &&
           descent->cost.multiplications * descent->batch >= 8.0 * model->parameter_count;
}

enum status descent_members_init(struct descent *descent, struct error *err)
{
    const struct differentiable *model = &descent->model;
    uint32_t count;

    if (!team_pays(descent))
        descent->team = NULL;
    count = team_size(descent->team);
    descent->members = calloc(count, sizeof *descent->members);
    descent->derived = calloc((size_t)model->derived_count + 1, sizeof(float));
    if (!descent->members || !descent->derived)
        return fail_no_memory(err);
    descent->member_count = count;
    for (uint32_t m = 0; m < count; m++) {
        struct descent_member *member = &descent->members[m];

        TRY(model->space_open(model->self, &member->space, err));
        if (m > 0 && !(member->own_fixed = calloc(model->parameter_count, sizeof(int64_t))))
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

void descent_members_deinit(struct descent *descent)
{
    for (uint32_t m = 0; m < descent->member_count; m++) {
        descent->model.space_close(descent->members[m].space);
        free(descent->members[m].own_fixed);
    }
    free(descent->members);
    free(descent->derived);
    descent->members = NULL;
    descent->derived = NULL;
    descent->member_count = 0;
}

enum status descent_use_team(void *self, struct team *team, struct error *err)
{
    struct descent *descent = self;

    descent_members_deinit(descent);
    descent->team = descent->own_team = team;
    descent->has_derived = false;
    descent->guard.derived = 0; /* the new one is empty */
    return descent_members_init(descent, err);
}

/* ---- one lane ---- */

/* The positions of a lane among the rows of a phase. */
struct span {
    uint32_t first, count;
};

static struct span lane_span(const struct descent *descent, uint32_t lane, uint32_t rows)
{
    const uint32_t first = (uint32_t)((uint64_t)lane * rows / descent->lanes);
    const uint32_t end = (uint32_t)(((uint64_t)lane + 1) * rows / descent->lanes);

    return (struct span){first, end - first};
}

static void add_loss(double loss, int64_t *integers)
{
    double whole;

    if (!isfinite(loss)) {
        integers[SUM_NOT_FINITE]++;
        return;
    }
    loss = loss < LOSS_LANE_MOST ? loss : LOSS_LANE_MOST;
    whole = floor(loss);
    integers[SUM_LOSS_WHOLE] += (int64_t)whole;
    integers[SUM_LOSS_PART] += (int64_t)((loss - whole) * SUM_LOSS_ONE);
}

/* Of a table only the touched rows can hold anything. */
static uint32_t tensor_greatest(const struct tensor *tensor, const struct lane_gradient *gradient)
{
    const size_t width = tensor->row_width;
    uint32_t greatest = 0;

    if (width == 0)
        return fixed_greatest(gradient->values + tensor->first, tensor->count);
    for (uint32_t i = 0; i < gradient->touched_count; i++) {
        const size_t at = tensor->first + gradient->touched[i] * width;
        const uint32_t of_row = fixed_greatest(gradient->values + at, width);

        greatest = of_row > greatest ? of_row : greatest;
    }
    return greatest;
}

static uint64_t tensor_add(const struct tensor *tensor, const struct lane_gradient *gradient,
                           int exponent, int64_t *fixed)
{
    const size_t width = tensor->row_width;
    uint64_t added = 0;

    if (width == 0)
        return fixed_add(gradient->values + tensor->first, tensor->count, exponent,
                         fixed + tensor->first);
    for (uint32_t i = 0; i < gradient->touched_count; i++) {
        const size_t at = tensor->first + gradient->touched[i] * width;

        added += fixed_add(gradient->values + at, width, exponent, fixed + at);
    }
    return added;
}

static void contribute_tensor(const struct descent *descent, uint32_t number,
                              const struct lane_gradient *gradient, struct descent_member *member)
{
    const struct tensor *tensor = &descent->model.tensors[number];
    const int exponent = descent->progress.exponents[number];
    const uint32_t greatest = tensor_greatest(tensor, gradient);

    if (!fixed_is_finite(greatest)) {
        member->integers[SUM_NOT_FINITE]++;
    } else if (!fixed_fits(greatest, exponent)) {
        member->integers[SUM_OVERFLOWS + number]++;
    } else {
        fixed_count_level(fixed_level(greatest, exponent),
                          member->integers + descent_levels_at(descent, number));
        member->added += tensor_add(tensor, gradient, exponent, member->fixed);
    }
}

static void contribute_gradient(const struct descent *descent, struct span span,
                                struct descent_member *member)
{
    const struct phase *phase = &descent->progress.phase;
    const struct lane_rows rows = {
        .dataset = descent->dataset,
        .part = &descent->dataset->train,
        .class_weights = descent->dataset->class_weights,
        .order = descent->order,
        .first = descent_batch_first(descent, phase->step) + span.first,
        .count = span.count,
        .position = span.first,
        .ahead = span.count * descent->member_count,
        .step = phase->step,
        .divisor = phase->rows,
    };
    const struct differentiable *model = &descent->model;
    const struct lane_gradient gradient = model->gradient(model->self, descent->arrays.parameters,
                                                          descent->derived, &rows, member->space);

    add_loss(gradient.loss, member->integers);
    for (uint32_t t = 0; t < descent->model.tensor_count; t++)
        contribute_tensor(descent, t, &gradient, member);
    model->space_clear(model->self, member->space);
}

static void contribute_evaluation(const struct descent *descent, struct span span,
                                  struct descent_member *member)
{
    const struct lane_rows rows = {
        .dataset = descent->dataset,
        .part = &descent->dataset->validation,
        .first = span.first,
        .count = span.count,
    };
    const struct differentiable *model = &descent->model;
    uint64_t correct;

    add_loss(
        model->evaluate(model->self, descent->arrays.parameters, &rows, member->space, &correct),
        member->integers);
    member->integers[SUM_CORRECT] += (int64_t)correct;
}

static void contribute_lane(const struct descent *descent, uint32_t lane,
                            struct descent_member *member)
{
    const struct phase *phase = &descent->progress.phase;
    const struct span span = lane_span(descent, lane, phase->rows);

    assert(lane < descent->lanes);
    if (span.count == 0)
        return;
    if (phase->kind == PHASE_LEARN)
        contribute_gradient(descent, span, member);
    else if (phase->kind == PHASE_EVALUATION)
        contribute_evaluation(descent, span, member);
}

/* ---- a run of lanes by the team ---- */

struct lane_batch {
    struct descent *descent;
    uint32_t first;
    int64_t *fixed; /* of the caller */
};

/* Sums start from zero where a member first takes part. */
static void clear_sums(const struct descent *descent, struct descent_member *member)
{
    const struct phase *phase = &descent->progress.phase;

    member->has_sums = true;
    memset(member->integers, 0, phase->integer_count * sizeof *member->integers);
    if (phase->real_count)
        memset(member->fixed, 0, phase->real_count * sizeof *member->fixed);
}

static void compute_lane_task(void *context, uint32_t number, uint32_t task)
{
    struct lane_batch *batch = context;
    struct descent_member *member = &batch->descent->members[number];

    if (!member->has_sums)
        clear_sums(batch->descent, member);
    contribute_lane(batch->descent, batch->first + task, member);
}

static void add_slice(void *context, uint32_t number, uint32_t task)
{
    const struct lane_batch *batch = context;
    const struct descent *descent = batch->descent;
    const uint32_t first = task * SLICE_ELEMENTS;
    const uint32_t left = descent->progress.phase.real_count - first;
    const uint32_t end = first + (left < SLICE_ELEMENTS ? left : SLICE_ELEMENTS);
    (void)number;

    for (uint32_t m = 1; m < descent->member_count; m++)
        if (descent->members[m].has_sums)
            for (uint32_t i = first; i < end; i++)
                batch->fixed[i] += descent->members[m].fixed[i];
}

static void add_members(struct lane_batch *batch, int64_t *integers)
{
    const struct descent *descent = batch->descent;
    const struct phase *phase = &descent->progress.phase;

    for (uint32_t m = 1; m < descent->member_count; m++)
        for (uint32_t i = 0; descent->members[m].has_sums && i < phase->integer_count; i++)
            integers[i] += descent->members[m].integers[i];
    team_run(descent->team, (phase->real_count + SLICE_ELEMENTS - 1) / SLICE_ELEMENTS, add_slice,
             batch);
}

/* The order of an epoch is made when it is first asked for. */
static void ensure_order(struct descent *descent, uint32_t epoch)
{
    if (descent->has_order && descent->order_epoch == epoch)
        return;
    descent_guard_order_ends(descent);
    dataset_order(descent->dataset, epoch, descent->team, descent->order);
    descent->order_epoch = epoch;
    descent->has_order = true;
    descent_guard_order_begins(descent);
}

static void ensure_derived(struct descent *descent)
{
    if (descent->has_derived)
        return;
    descent_guard_derived(
        descent,
        descent->model.derive(descent->model.self, descent->arrays.parameters, descent->derived));
    descent->has_derived = true;
}

/* Lanes of one call: so few that messages are answered meanwhile. */
static uint32_t lanes_per_call(const struct descent *descent, uint32_t count)
{
    const struct phase *phase = &descent->progress.phase;
    const double lane_work = descent->cost.multiplications * (phase->rows / descent->lanes + 1);
    const double lanes = (1 + floor(SITTING_WORK / lane_work)) * descent->member_count;

    return lanes < count ? (uint32_t)lanes : count;
}

uint32_t descent_contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                            int64_t *fixed)
{
    struct descent *descent = self;
    const uint32_t lanes = lanes_per_call(descent, count);
    struct lane_batch batch = {descent, first, fixed};

    if (descent->progress.phase.kind == PHASE_LEARN) {
        ensure_order(descent, descent->progress.phase.epoch);
        ensure_derived(descent);
    }
    for (uint32_t m = 0; m < descent->member_count; m++) {
        struct descent_member *member = &descent->members[m];

        member->integers = m ? member->own_integers : integers;
        member->fixed = m ? member->own_fixed : fixed;
        member->has_sums = m == 0;
        member->added = 0;
    }
    team_run(descent->team, lanes, compute_lane_task, &batch);
    if (descent->member_count > 1)
        add_members(&batch, integers);
    for (uint32_t m = 0; m < descent->member_count; m++)
        descent->guard.contributed += descent->members[m].added;
    return lanes;
}
