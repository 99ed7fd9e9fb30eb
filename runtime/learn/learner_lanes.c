#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/learn/fixed_point.h"
#include "runtime/learn/learner_parts.h"

#define LOSS_LANE_MOST    0x1p52 /* more of one lane is cut: 1024 of them fit into 64 bits */
#define SITTING_WORK      5e7    /* multiplications of a member: some milliseconds */
#define FETCH_WORK        100    /* multiplications that fetching a row takes as long as */
#define TEAM_WORK_LEAST   5e4    /* of a step, that several threads share it */
#define MEMBERS_BYTES_MAX ((uint64_t)1 << 29)
#define SLICE_ELEMENTS    16384 /* of sums, added by one member */

/* ---- members ---- */

/* Multiplications of a row in one direction. */
static double row_work(const struct network *network)
{
    double work = (double)network->id_count * network->layers[0].width;

    for (uint32_t l = 0; l < network->layer_count; l++)
        work += (double)network->layers[l].rows * network->layers[l].width;
    return work;
}

double learner_row_work(const struct learner *learner)
{
    return row_work(&learner->network);
}

/* Meeting takes some microseconds a step, and every member clears and adds sums
 * as long as the model. */
static bool team_pays(const struct learner *learner)
{
    const struct network *network = &learner->network;
    const uint64_t bytes = network->parameter_count * (sizeof(float) + sizeof(int64_t));
    const double step = (row_work(network) + FETCH_WORK) * learner->batch;

    return bytes * team_size(learner->team) <= MEMBERS_BYTES_MAX && step >= TEAM_WORK_LEAST &&
           row_work(network) * learner->batch >= 8.0 * network->parameter_count;
}

enum status learner_members_init(struct learner *learner, struct error *err)
{
    const struct network *network = &learner->network;
    uint32_t count;

    if (!team_pays(learner))
        learner->team = NULL;
    count = team_size(learner->team);
    learner->members = calloc(count, sizeof *learner->members);
    learner->transposed = calloc((size_t)network->transposed_count + 1, sizeof(float));
    if (!learner->members || !learner->transposed)
        return fail_no_memory(err);
    learner->member_count = count;
    for (uint32_t m = 0; m < count; m++) {
        struct learner_member *member = &learner->members[m];

        TRY(network_space_init(&member->space, network, err));
        if (m > 0 && !(member->own_fixed = calloc(network->parameter_count, sizeof(int64_t))))
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

void learner_members_deinit(struct learner *learner)
{
    for (uint32_t m = 0; m < learner->member_count; m++) {
        network_space_deinit(&learner->members[m].space);
        free(learner->members[m].own_fixed);
    }
    free(learner->members);
    free(learner->transposed);
    learner->members = NULL;
    learner->transposed = NULL;
    learner->member_count = 0;
}

enum status learner_use_team(struct learner *learner, struct team *team, struct error *err)
{
    learner_members_deinit(learner);
    learner->team = learner->own_team = team;
    learner->has_transposed = false;
    learner->guard.transposed = 0; /* the new one is empty */
    return learner_members_init(learner, err);
}

/* ---- one lane ---- */

/* The positions of a lane among the rows of a phase. */
struct span {
    uint32_t first, count;
};

static struct span lane_span(const struct learner *learner, uint32_t lane, uint32_t rows)
{
    const uint32_t first = (uint32_t)((uint64_t)lane * rows / learner->lanes);
    const uint32_t end = (uint32_t)(((uint64_t)lane + 1) * rows / learner->lanes);

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

/* Of the id block only the touched rows can hold anything. */
static uint32_t tensor_greatest(const struct learner *learner, const struct network_space *space,
                                uint32_t number)
{
    const struct network *network = &learner->network;
    const struct tensor *tensor = &network->tensors[number];
    const size_t width = network->layers[0].width;
    uint32_t greatest = 0;

    if (number != network->ids_tensor)
        return fixed_greatest(space->gradient + tensor->first, tensor->count);
    for (uint32_t i = 0; i < space->touched_count; i++) {
        const size_t at = tensor->first + space->touched[i] * width;
        const uint32_t of_row = fixed_greatest(space->gradient + at, width);

        greatest = of_row > greatest ? of_row : greatest;
    }
    return greatest;
}

static uint64_t tensor_add(const struct learner *learner, const struct network_space *space,
                           uint32_t number, int64_t *fixed)
{
    const struct network *network = &learner->network;
    const struct tensor *tensor = &network->tensors[number];
    const int exponent = learner->progress.exponents[number];
    const size_t width = network->layers[0].width;

    uint64_t added = 0;

    if (number != network->ids_tensor)
        return fixed_add(space->gradient + tensor->first, tensor->count, exponent,
                         fixed + tensor->first);
    for (uint32_t i = 0; i < space->touched_count; i++) {
        const size_t at = tensor->first + space->touched[i] * width;

        added += fixed_add(space->gradient + at, width, exponent, fixed + at);
    }
    return added;
}

static void contribute_tensor(const struct learner *learner, uint32_t number,
                              struct learner_member *member)
{
    const int exponent = learner->progress.exponents[number];
    const uint32_t greatest = tensor_greatest(learner, &member->space, number);

    if (!fixed_is_finite(greatest)) {
        member->integers[SUM_NOT_FINITE]++;
    } else if (!fixed_fits(greatest, exponent)) {
        member->integers[SUM_OVERFLOWS + number]++;
    } else {
        fixed_count_level(fixed_level(greatest, exponent),
                          member->integers + learner_levels_at(learner, number));
        member->added += tensor_add(learner, &member->space, number, member->fixed);
    }
}

static void contribute_gradient(const struct learner *learner, struct span span,
                                struct learner_member *member)
{
    const struct phase *phase = &learner->progress.phase;
    const struct network_rows rows = {
        .dataset = learner->dataset,
        .part = &learner->dataset->train,
        .class_weights = learner->dataset->class_weights,
        .order = learner->order,
        .first = learner_batch_first(learner, phase->step) + span.first,
        .count = span.count,
        .position = span.first,
        .ahead = span.count * learner->member_count,
    };

    add_loss(network_gradient(&learner->network, learner->arrays.parameters, learner->transposed,
                              &rows, phase->rows, phase->step, &member->space),
             member->integers);
    for (uint32_t t = 0; t < learner->network.tensor_count; t++)
        contribute_tensor(learner, t, member);
    network_space_clear(&learner->network, &member->space);
}

static void contribute_evaluation(const struct learner *learner, struct span span,
                                  struct learner_member *member)
{
    const struct network_rows rows = {
        .dataset = learner->dataset,
        .part = &learner->dataset->validation,
        .first = span.first,
        .count = span.count,
    };
    uint64_t correct;

    add_loss(network_evaluate(&learner->network, learner->arrays.parameters, &rows, &member->space,
                              &correct),
             member->integers);
    member->integers[SUM_CORRECT] += (int64_t)correct;
}

static void contribute_lane(const struct learner *learner, uint32_t lane,
                            struct learner_member *member)
{
    const struct phase *phase = &learner->progress.phase;
    const struct span span = lane_span(learner, lane, phase->rows);

    assert(lane < learner->lanes);
    if (span.count == 0)
        return;
    if (phase->kind == PHASE_GRADIENT)
        contribute_gradient(learner, span, member);
    else if (phase->kind == PHASE_EVALUATION)
        contribute_evaluation(learner, span, member);
}

/* ---- a run of lanes by the team ---- */

struct sitting {
    struct learner *learner;
    uint32_t first;
    int64_t *fixed; /* of the caller */
};

/* Sums start from zero where a member first takes part. */
static void clear_sums(const struct learner *learner, struct learner_member *member)
{
    const struct phase *phase = &learner->progress.phase;

    member->has_sums = true;
    memset(member->integers, 0, phase->integer_count * sizeof *member->integers);
    if (phase->real_count)
        memset(member->fixed, 0, phase->real_count * sizeof *member->fixed);
}

static void sit(void *context, uint32_t number, uint32_t task)
{
    struct sitting *sitting = context;
    struct learner_member *member = &sitting->learner->members[number];

    if (!member->has_sums)
        clear_sums(sitting->learner, member);
    contribute_lane(sitting->learner, sitting->first + task, member);
}

static void add_slice(void *context, uint32_t number, uint32_t task)
{
    const struct sitting *sitting = context;
    const struct learner *learner = sitting->learner;
    const uint32_t first = task * SLICE_ELEMENTS;
    const uint32_t left = learner->progress.phase.real_count - first;
    const uint32_t end = first + (left < SLICE_ELEMENTS ? left : SLICE_ELEMENTS);
    (void)number;

    for (uint32_t m = 1; m < learner->member_count; m++)
        if (learner->members[m].has_sums)
            for (uint32_t i = first; i < end; i++)
                sitting->fixed[i] += learner->members[m].fixed[i];
}

static void add_members(struct sitting *sitting, int64_t *integers)
{
    const struct learner *learner = sitting->learner;
    const struct phase *phase = &learner->progress.phase;

    for (uint32_t m = 1; m < learner->member_count; m++)
        for (uint32_t i = 0; learner->members[m].has_sums && i < phase->integer_count; i++)
            integers[i] += learner->members[m].integers[i];
    team_run(learner->team, (phase->real_count + SLICE_ELEMENTS - 1) / SLICE_ELEMENTS, add_slice,
             sitting);
}

/* The order of an epoch is made when it is first asked for. */
static void ensure_order(struct learner *learner, uint32_t epoch)
{
    if (learner->has_order && learner->order_epoch == epoch)
        return;
    learner_guard_order_ends(learner);
    dataset_order(learner->dataset, epoch, learner->team, learner->order);
    learner->order_epoch = epoch;
    learner->has_order = true;
    learner_guard_order_begins(learner);
}

static void ensure_transposed(struct learner *learner)
{
    if (learner->has_transposed)
        return;
    learner_guard_transposed(
        learner,
        network_transpose(&learner->network, learner->arrays.parameters, learner->transposed));
    learner->has_transposed = true;
}

/* Lanes of one call: so few that messages are answered meanwhile. */
static uint32_t lanes_a_sitting(const struct learner *learner, uint32_t count)
{
    const struct phase *phase = &learner->progress.phase;
    const double lane_work = row_work(&learner->network) * (phase->rows / learner->lanes + 1);
    const double lanes = (1 + floor(SITTING_WORK / lane_work)) * learner->member_count;

    return lanes < count ? (uint32_t)lanes : count;
}

uint32_t learner_contribute(struct learner *learner, uint32_t first, uint32_t count,
                            int64_t *integers, int64_t *fixed)
{
    const uint32_t lanes = lanes_a_sitting(learner, count);
    struct sitting sitting = {learner, first, fixed};

    if (learner->progress.phase.kind == PHASE_GRADIENT) {
        ensure_order(learner, learner->progress.phase.epoch);
        ensure_transposed(learner);
    }
    for (uint32_t m = 0; m < learner->member_count; m++) {
        struct learner_member *member = &learner->members[m];

        member->integers = m ? member->own_integers : integers;
        member->fixed = m ? member->own_fixed : fixed;
        member->has_sums = m == 0;
        member->added = 0;
    }
    team_run(learner->team, lanes, sit, &sitting);
    if (learner->member_count > 1)
        add_members(&sitting, integers);
    for (uint32_t m = 0; m < learner->member_count; m++)
        learner->guard.contributed += learner->members[m].added;
    return lanes;
}
