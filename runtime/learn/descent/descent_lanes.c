#include "runtime/learn/descent/descent_lanes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/descent/descent_guard.h"
#include "runtime/learn/descent/descent_table.h"
#include "runtime/learn/descent/step_shares.h"
#include "runtime/learn/fixed_point.h"

#define LOSS_LANE_MOST    0x1p52 /* more of one lane is cut: 1024 of them fit into 64 bits */
#define SITTING_WORK      5e7    /* multiplications of a member: some milliseconds */
#define FETCH_WORK        100    /* multiplications that fetching a row takes as long as */
#define TEAM_WORK_LEAST   5e4    /* multiplications of a step that several threads share */
#define MEMBERS_BYTES_MAX ((uint64_t)1 << 29)
#define SLICE_ELEMENTS    16384 /* sums that one member adds at a time */
#define SLICE_ROWS        64    /* likewise, rows of the table */
#define ROWS_AHEAD        8     /* distance to the touched row whose place is asked for */

/* ---- members ---- */

/* Meeting takes some microseconds a step, and every member clears and adds sums
 * as long as the model. */
static bool team_pays(const struct descent *descent)
{
    const struct differentiable *model = &descent->model;
    const uint64_t bytes = model->parameter_count * (sizeof(float) + sizeof(int64_t));
    const double step = (descent->cost.multiplications + FETCH_WORK) * descent->batch;

    return bytes * team_size(descent->team) <= MEMBERS_BYTES_MAX && step >= TEAM_WORK_LEAST &&
           descent->cost.multiplications * descent->batch >= 8.0 * descent->learner.elements_most;
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
        if (m > 0 && !(member->own_fixed = calloc(descent->learner.elements_most, sizeof(int64_t))))
            return fail_no_memory(err);
        if (m > 0)
            TRY(touched_rows_make(&member->own_rows, descent_table_rows(descent), err));
    }
    return STATUS_OK;
}

void descent_members_deinit(struct descent *descent)
{
    for (uint32_t m = 0; m < descent->member_count; m++) {
        descent->model.space_close(descent->members[m].space);
        free(descent->members[m].own_fixed);
        touched_rows_deinit(&descent->members[m].own_rows);
    }
    free(descent->members);
    free(descent->derived);
    descent->members = NULL;
    descent->derived = NULL;
    descent->member_count = 0;
}

enum status descent_use_team(void *self, struct error *err)
{
    struct descent *descent = self;

    descent_members_deinit(descent);
    descent->team = descent->learner.team;
    descent->has_derived = false;
    descent->guard.derived = 0; /* the new one is empty */
    return descent_members_init(descent, err);
}

/* ---- the rows of lanes ---- */

enum status descent_lanes_init(struct descent *descent, struct error *err)
{
    const struct dataset *dataset = descent->learner.dataset;
    const uint32_t lanes = descent->learner.lanes;

    TRY(row_lanes_init(&descent->rows, dataset, lanes, err));
    descent->lane_rows = calloc(lanes, sizeof *descent->lane_rows);
    descent->held_out = calloc(lanes + 1ull, sizeof *descent->held_out);
    descent->shares = calloc(lanes, sizeof *descent->shares);
    descent->taken = calloc(lanes, sizeof *descent->taken);
    if (!descent->lane_rows || !descent->held_out || !descent->shares || !descent->taken)
        return fail_no_memory(err);
    for (uint32_t lane = 0; lane < lanes; lane++)
        descent->lane_rows[lane] = (uint32_t)(row_lanes_first(&descent->rows, lane + 1) -
                                              row_lanes_first(&descent->rows, lane));
    dataset_share_out(dataset, &dataset->validation, lanes, descent->held_out);
    return STATUS_OK;
}

void descent_lanes_deinit(struct descent *descent)
{
    row_lanes_deinit(&descent->rows);
    free(descent->lane_rows);
    free(descent->held_out);
    free(descent->shares);
    free(descent->taken);
}

/* ---- one lane ---- */

/* A finite number in its two parts. */
static void add_parts(double number, int64_t *whole, int64_t *part)
{
    const double cut = number < LOSS_LANE_MOST ? number : LOSS_LANE_MOST, below = floor(cut);

    *whole += (int64_t)below;
    *part += (int64_t)((cut - below) * SUM_LOSS_ONE);
}

static void add_loss(double loss, int64_t *integers)
{
    if (isfinite(loss))
        add_parts(loss, &integers[SUM_LOSS_WHOLE], &integers[SUM_LOSS_PART]);
    else
        integers[SUM_NOT_FINITE]++;
}

static void add_heads(const struct differentiable *model, const void *space, int64_t *integers)
{
    const struct graph_head_sums *sums = model->head_count > 0 ? model->head_sums(space) : NULL;

    for (uint32_t i = 0; i < model->head_count; i++) {
        int64_t *head = integers + SUM_HEADS + HEAD_INTEGERS * i;
        const double sum = model->head_units[i] > 0 ? sums[i].squares : (double)sums[i].correct;

        if (!isfinite(sum)) {
            integers[SUM_NOT_FINITE]++;
            continue;
        }
        head[HEAD_ROWS] += (int64_t)sums[i].rows;
        add_parts(sum, &head[HEAD_WHOLE], &head[HEAD_PART]);
    }
}

/* How many of its values can be anything: of a table those of the touched rows. */
static size_t values_of(const struct tensor *tensor, const struct lane_gradient *gradient)
{
    return tensor->row_width > 0 ? (size_t)gradient->touched_count * tensor->row_width
                                 : tensor->count;
}

/* Where the sums of the lane's i-th touched row go: to its place among `rows`, or where it is in
 * the table that is summed whole. */
static uint32_t sums_row(const struct lane_gradient *gradient, uint32_t i,
                         struct touched_rows *rows)
{
    return rows ? touched_rows_add(rows, gradient->touched[i]) : gradient->touched[i];
}

/* `fixed`: where the sums of the tensor begin. Rows that stay side by side are added at once. */
static uint64_t rows_add(const struct tensor *tensor, const struct lane_gradient *gradient,
                         int exponent, int64_t *fixed, struct touched_rows *rows)
{
    const float *values = gradient->values + tensor->first;
    const size_t width = tensor->row_width;
    uint64_t added = 0;
    uint32_t i = 0;

    while (i < gradient->touched_count) {
        const uint32_t first = i, to = sums_row(gradient, i++, rows);

        while (i < gradient->touched_count && sums_row(gradient, i, rows) == to + (i - first))
            i++;
        added +=
            fixed_add(values + first * width, (i - first) * width, exponent, fixed + to * width);
    }
    return added;
}

static void contribute_tensor(const struct descent *descent, uint32_t number,
                              const struct lane_gradient *gradient, struct descent_member *member)
{
    const struct tensor *tensor = &descent->model.tensors[number];
    const int exponent = descent->exponents[number];
    const uint32_t greatest =
        fixed_greatest(gradient->values + tensor->first, values_of(tensor, gradient));
    int64_t *fixed = member->fixed + descent->sums_at[number];

    if (!fixed_is_finite(greatest)) {
        member->integers[SUM_NOT_FINITE]++;
    } else if (!fixed_fits(greatest, exponent)) {
        member->integers[SUM_OVERFLOWS + number]++;
    } else {
        fixed_count_level(fixed_level(greatest, exponent),
                          member->integers + descent_levels_at(descent, number));
        member->added +=
            tensor->row_width > 0
                ? rows_add(tensor, gradient, exponent, fixed,
                           number == descent->table ? member->rows : NULL)
                : fixed_add(gradient->values + tensor->first, tensor->count, exponent, fixed);
    }
}

/* Row i of what the lane takes in an epoch. */
static struct rows_at rows_at(const struct descent *descent, uint32_t lane, uint32_t i)
{
    const struct row_lanes *rows = &descent->rows;

    return (struct rows_at){rows->order ? row_lanes_first(rows, lane) : 0,
                            row_lanes_place(rows, lane, i)};
}

static void contribute_gradient(const struct descent *descent, uint32_t lane,
                                struct rows_at expected, struct descent_member *member)
{
    const struct phase *phase = &descent->learner.phase;
    const struct lane_share *share = &descent->shares[lane];
    const struct dataset *dataset = descent->learner.dataset;
    const float *weights = dataset->train.roles[ROLE_SAMPLE_WEIGHT];
    const struct lane_rows rows = {
        .dataset = dataset,
        .part = &dataset->train,
        .class_weights = dataset->class_weights,
        .sample_weights = weights,
        .weight_share = weights ? (float)(1 / dataset->weight_average) : 1,
        .order = descent->rows.order,
        .at = rows_at(descent, lane, share->first),
        .expected = expected,
        .count = share->count,
        .between = descent->learner.lanes - 1,
        .position = share->position,
        .step = phase->step,
        .divisor = (double)phase->rows,
    };
    const struct differentiable *model = &descent->model;
    struct lane_gradient gradient;

    if (share->count == 0)
        return;
    gradient = model->gradient(model->self, descent->arrays.parameters, descent->derived, &rows,
                               member->space);
    add_loss(gradient.loss, member->integers);
    for (uint32_t t = 0; t < descent->model.tensor_count; t++)
        contribute_tensor(descent, t, &gradient, member);
    model->space_clear(model->self, member->space);
}

static void contribute_evaluation(const struct descent *descent, uint32_t lane,
                                  struct descent_member *member)
{
    const struct lane_rows rows = {
        .dataset = descent->learner.dataset,
        .part = &descent->learner.dataset->validation,
        .at.first = descent->held_out[lane],
        .count = (uint32_t)(descent->held_out[lane + 1] - descent->held_out[lane]),
    };
    const struct differentiable *model = &descent->model;
    uint64_t correct;

    if (rows.count == 0)
        return;
    add_loss(
        model->evaluate(model->self, descent->arrays.parameters, &rows, member->space, &correct),
        member->integers);
    member->integers[SUM_CORRECT] += (int64_t)correct;
    add_heads(model, member->space, member->integers);
}

/* ---- a run of lanes by the team ---- */

struct lane_batch {
    struct descent *descent;
    uint32_t first, count;
    int64_t *fixed; /* the caller's */
};

/* Sums start from zero where a member first takes part. */
static void clear_sums(const struct descent *descent, struct descent_member *member)
{
    const struct phase *phase = &descent->learner.phase;
    const struct phase_table *table = &phase->table;

    member->has_sums = true;
    memset(member->integers, 0, phase->integer_count * sizeof *member->integers);
    if (phase->real_count)
        memset(member->fixed, 0,
               (phase->real_count +
                (table->rows > 0 ? (size_t)member->rows->count : 0) * table->width) *
                   sizeof *member->fixed);
    if (table->rows > 0)
        touched_rows_clear(member->rows);
}

/* Those of the lane that this member probably computes next: of this step, or of the next one. */
static struct rows_at expected_rows(const struct lane_batch *batch, uint32_t task)
{
    const struct descent *descent = batch->descent;
    const uint32_t next = task + descent->member_count;
    const uint32_t lane = batch->first + next % batch->count;
    const struct lane_share *share = &descent->shares[lane];

    return rows_at(descent, lane, share->first + (next < batch->count ? 0 : share->count));
}

static void compute_lane_task(void *context, uint32_t number, uint32_t task)
{
    const struct lane_batch *batch = context;
    const struct descent *descent = batch->descent;
    const uint32_t lane = batch->first + task;
    struct descent_member *member = &batch->descent->members[number];

    assert(lane < descent->learner.lanes);
    if (!member->has_sums)
        clear_sums(descent, member);
    if (descent->learner.phase.kind == PHASE_LEARN)
        contribute_gradient(descent, lane, expected_rows(batch, task), member);
    else if (descent->learner.phase.kind == PHASE_EVALUATION)
        contribute_evaluation(descent, lane, member);
}

VECTORS_PART void add_all(const int64_t *restrict from, size_t count, int64_t *restrict to)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

WIDE_VECTORS
static void add_integers(const int64_t *restrict from, size_t count, int64_t *restrict to)
{
    add_all(from, count, to);
}

static void add_slice(const struct lane_batch *batch, uint32_t number)
{
    const struct descent *descent = batch->descent;
    const uint32_t first = number * SLICE_ELEMENTS;
    const uint32_t left = descent->learner.phase.real_count - first;
    const uint32_t count = left < SLICE_ELEMENTS ? left : SLICE_ELEMENTS;

    for (uint32_t m = 1; m < descent->member_count; m++)
        if (descent->members[m].has_sums)
            add_integers(descent->members[m].fixed + first, count, batch->fixed + first);
}

/* Some of the rows that the caller has by now, which another one may not have touched. */
WIDE_VECTORS
static void add_row_slice(const struct lane_batch *batch, uint32_t number)
{
    const struct descent *descent = batch->descent;
    const struct touched_rows *all = descent->members[0].rows;
    const size_t real_count = descent->learner.phase.real_count;
    const size_t width = descent->learner.phase.table.width;
    const uint32_t first = number * SLICE_ROWS;
    const uint32_t end = all->count - first < SLICE_ROWS ? all->count : first + SLICE_ROWS;

    for (uint32_t m = 1; m < descent->member_count; m++) {
        const struct descent_member *member = &descent->members[m];

        for (uint32_t place = first; member->has_sums && place < end; place++) {
            if (place + ROWS_AHEAD < end)
                touched_rows_expect(member->rows, all->rows[place + ROWS_AHEAD]);
            if (touched_rows_has(member->rows, all->rows[place]))
                add_all(member->fixed + real_count +
                            touched_rows_place(member->rows, all->rows[place]) * width,
                        width, batch->fixed + real_count + place * width);
        }
    }
}

static uint32_t slices_of(uint32_t count, uint32_t size)
{
    return (count + size - 1) / size;
}

static void add_task(void *context, uint32_t number, uint32_t task)
{
    const struct lane_batch *batch = context;
    const uint32_t slices = slices_of(batch->descent->learner.phase.real_count, SLICE_ELEMENTS);
    (void)number;

    if (task < slices)
        add_slice(batch, task);
    else
        add_row_slice(batch, task - slices);
}

/* The rows that the others touched are the caller's, too. */
static void add_members(struct lane_batch *batch, int64_t *integers)
{
    const struct descent *descent = batch->descent;
    const struct phase *phase = &descent->learner.phase;
    struct touched_rows *all = phase->table.rows > 0 ? descent->members[0].rows : NULL;

    for (uint32_t m = 1; m < descent->member_count; m++) {
        const struct descent_member *member = &descent->members[m];

        for (uint32_t i = 0; member->has_sums && i < phase->integer_count; i++)
            integers[i] += member->integers[i];
        for (uint32_t i = 0; all && member->has_sums && i < member->rows->count; i++) {
            if (i + ROWS_AHEAD < member->rows->count)
                touched_rows_expect(all, member->rows->rows[i + ROWS_AHEAD]);
            touched_rows_add(all, member->rows->rows[i]);
        }
    }
    team_run(descent->team,
             slices_of(phase->real_count, SLICE_ELEMENTS) +
                 slices_of(all ? all->count : 0, SLICE_ROWS),
             add_task, batch);
}

/* The share of each lane in the step. */
static void ensure_shares(struct descent *descent)
{
    const struct phase *phase = &descent->learner.phase;
    const uint64_t all = descent->learner.dataset->train.rows;
    const uint64_t first = descent_batch_first(descent, phase->step);
    uint32_t position = 0;

    if (descent->has_shares && descent->shares_step == phase->step)
        return;
    /* The rows that were taken up to here are known from the step before, unless an epoch begins.
     */
    if (first == 0 || !descent->has_shares || descent->shares_step + 1 != phase->step)
        step_shares_at(descent->lane_rows, descent->learner.lanes, all, first, descent->taken);
    for (uint32_t lane = 0; lane < descent->learner.lanes; lane++)
        descent->shares[lane].first = descent->taken[lane];
    step_shares_at(descent->lane_rows, descent->learner.lanes, all, first + phase->rows,
                   descent->taken);
    for (uint32_t lane = 0; lane < descent->learner.lanes; lane++) {
        struct lane_share *share = &descent->shares[lane];

        share->count = descent->taken[lane] - share->first;
        share->position = position;
        position += share->count;
    }
    descent->shares_step = phase->step;
    descent->has_shares = true;
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
    const struct phase *phase = &descent->learner.phase;
    const double lane_work =
        descent->cost.multiplications * (double)(phase->rows / descent->learner.lanes + 1);
    const double lanes = (1 + floor(SITTING_WORK / lane_work)) * descent->member_count;

    return lanes < count ? (uint32_t)lanes : count;
}

/* Gives back the rows of validation of so many lanes. */
static void release_held_out(const struct descent *descent, uint32_t first, uint32_t count)
{
    const struct dataset *dataset = descent->learner.dataset;

    for (uint32_t lane = first; lane < first + count; lane++)
        row_store_release(dataset, &dataset->validation, descent->held_out[lane],
                          descent->held_out[lane + 1]);
}

/* They are read once: so many lanes in a call as one of each member, or as some MiB. */
static enum status hold_held_out(const struct descent *descent, uint32_t first, uint32_t *count,
                                 struct error *err)
{
    const struct dataset *dataset = descent->learner.dataset;
    const uint64_t most = ROW_LANES_BUCKET_BYTES * team_size(descent->learner.team);
    uint64_t bytes = 0;
    uint32_t held = 0;

    for (uint32_t lane = first; row_store_expects(dataset) && lane < first + *count; lane++)
        row_store_expect(dataset, &dataset->validation, descent->held_out[lane],
                         descent->held_out[lane + 1]);
    for (; held < *count && (held < descent->member_count || bytes < most); held++) {
        const uint64_t from = descent->held_out[first + held];
        const uint64_t to = descent->held_out[first + held + 1];
        const enum status status =
            row_store_hold(dataset, &dataset->validation, from, to, descent->learner.team, err);

        if (status != STATUS_OK) {
            release_held_out(descent, first, held);
            return status;
        }
        bytes += row_store_bytes(dataset, to - from);
    }
    *count = held;
    return STATUS_OK;
}

/* The rows of the lanes [first, first + *count), or of fewer than that, can be read. */
static enum status hold_rows(struct descent *descent, uint32_t first, uint32_t *count,
                             struct error *err)
{
    const struct phase *phase = &descent->learner.phase;

    row_lanes_begin_step(&descent->rows, phase->step, descent->learner.team);
    if (phase->kind == PHASE_EVALUATION)
        return hold_held_out(descent, first, count, err);
    ensure_shares(descent);
    return row_lanes_hold(&descent->rows, phase->epoch, descent->shares, first, count,
                          descent->learner.team, err);
}

enum status descent_contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                               int64_t *fixed, struct touched_rows *rows, uint32_t *done,
                               struct error *err)
{
    struct descent *descent = self;
    const enum phase_kind kind = descent->learner.phase.kind;
    struct lane_batch batch = {descent, first, lanes_per_call(descent, count), fixed};

    assert(kind != PHASE_DONE);
    TRY(hold_rows(descent, first, &batch.count, err));
    if (kind == PHASE_LEARN)
        ensure_derived(descent);
    for (uint32_t m = 0; m < descent->member_count; m++) {
        struct descent_member *member = &descent->members[m];

        member->integers = m ? member->own_integers : integers;
        member->fixed = m ? member->own_fixed : fixed;
        member->rows = m ? &member->own_rows : rows;
        member->has_sums = m == 0;
        member->added = 0;
    }
    team_run(descent->team, batch.count, compute_lane_task, &batch);
    if (descent->member_count > 1)
        add_members(&batch, integers);
    if (kind == PHASE_LEARN && descent->learner.is_time_over)
        integers[descent_time_over_at(descent)]++;
    for (uint32_t m = 0; m < descent->member_count; m++)
        descent->learner.contributed += descent->members[m].added;
    if (kind == PHASE_EVALUATION)
        release_held_out(descent, first, batch.count);
    *done = batch.count;
    return STATUS_OK;
}
