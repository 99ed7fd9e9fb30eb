#include "runtime/learn/clusters/kmeans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/process/progress.h"
#include "base/random.h"
#include "base/sums/words.h"
#include "base/vectors.h"
#include "jobspec/job_size.h"
#include "kinds/kmeans/kmeans_kind.h"
#include "runtime/learn/learner.h"
#include "runtime/learn/learner_memory.h"
#include "scoring/transform/spread.h"

#define WEIGHT_ONE  0x1p16
#define WEIGHT_MOST 0x1p31 /* 2^32 rows of that fit into 63 bits; check_plan has fewer */
#define PART_ONE    0x1p32
#define SUM_BITS    61
/* Shares of a number of a center, and of the greatest one, that rounding makes of the mean of equal
 * numbers, floats whose sum is fixed point. */
#define SAME_SHARE 0x1p-22f
#define SAME_LEAST 0x1p-40f

/* ASSIGN's few integers. */
enum { INERTIA_WHOLE, INERTIA_PART, INERTIA_INTEGERS };

enum kmeans_stage { KMEANS_WEIGHTS, KMEANS_PICK, KMEANS_ASSIGN };

#define CHUNK_ROWS   4096
#define TASK_ROWS    128
#define ROWS_AT_ONCE 4 /* their sums do not wait for each other */
#define LANES        8 /* centers of a block */

typedef double numbers __attribute__((vector_size(LANES * sizeof(double))));

struct nearest_center {
    double square; /* square of the distance */
    uint32_t center;
};

/* The fields of the state: best_part is in 2^-32. */
#define KMEANS_FIELDS(F)                                                                           \
    F(U32, stage, KMEANS_ASSIGN, "of enum kmeans_stage")                                           \
    F(U32, run, FIELD_ANY, "which run it is")                                                      \
    F(U32, centers, FIELD_ANY, "how many are chosen so far")                                       \
    F(U32, iteration, FIELD_ANY, "of the run")                                                     \
    F(U32, lane, FIELD_ANY, "where the row is that is picked")                                     \
    F(U64, rest, FIELD_ANY, "of the drawn point, within that lane")                                \
    F(FLAG, by_count, FIELD_ANY, "all rows lie on centers: any row is as good")                    \
    F(FLAG, has_best, FIELD_ANY, "some run has an inertia")                                        \
    F(I64, best_whole, FIELD_ANY, "the least inertia")                                             \
    F(I64, best_part, FIELD_ANY, "its part below 1")

struct kmeans_progress {
    KMEANS_FIELDS(FIELD_MEMBER)
};
FIELD_TABLE(progress_fields, struct kmeans_progress, KMEANS_FIELDS)

struct kmeans {
    struct learner learner; /* its team looks for nearest centers, too */
    struct kmeans_params params;
    uint32_t width;
    int exponent;
    struct kmeans_progress progress;
    float *centers, *best; /* (clusters, width) */
    struct kmeans_model content;
    bool nearest_was_bad;   /* a bit of `nearest` changed by itself */
    uint64_t *nearest;      /* (rows), where its lane has stamps below */
    uint64_t *nearest_run;  /* (lanes): 1 + run that `nearest` is of */
    uint32_t *nearest_upto; /* (lanes): centers that it covers */
    uint64_t *nearest_sum;  /* (lanes): of it, as it was written */
    float *row;             /* (width) */

    /* ASSIGN, of CHUNK_ROWS rows: each task is of TASK_ROWS of them */
    uint64_t chunk, chunk_end; /* rows */
    struct nearest_center *found;
    float *team_rows; /* (team_size, ROWS_AT_ONCE, width) */
    double *across;   /* (blocks of centers, width, LANES): the centers, of this iteration */
};

static size_t floats_of(const struct kmeans *kmeans)
{
    return (size_t)kmeans->params.clusters * kmeans->width;
}

/* ---- the plan ---- */

/* A weight and the rows of each lane. */
static uint32_t weights_elements(const struct kmeans *kmeans)
{
    return 2 * kmeans->learner.lanes;
}

/* The rows of each cluster and the sums of their inputs. */
static uint32_t assign_elements(const struct kmeans *kmeans)
{
    return kmeans->params.clusters * (1 + kmeans->width);
}

static void describe(void *self)
{
    struct kmeans *kmeans = self;
    struct phase *phase = &kmeans->learner.phase;

    phase->epoch = kmeans->progress.run;
    if (phase->kind == PHASE_DONE)
        return;
    phase->rows = kmeans->learner.dataset->train.rows;
    switch ((enum kmeans_stage)kmeans->progress.stage) {
    case KMEANS_WEIGHTS:
        phase->owned_count = weights_elements(kmeans);
        break;
    case KMEANS_PICK:
        phase->owned_count = kmeans->width;
        break;
    case KMEANS_ASSIGN:
        phase->integer_count = INERTIA_INTEGERS;
        phase->owned_count = assign_elements(kmeans);
        break;
    }
}

static void begin_run(struct kmeans *kmeans)
{
    kmeans->progress.centers = kmeans->progress.iteration = 0;
    kmeans->progress.stage = KMEANS_WEIGHTS;
}

static void take_row(const struct kmeans *kmeans, uint64_t number, float *row)
{
    const struct dataset *dataset = kmeans->learner.dataset;

    spread_row(&dataset->transform, dataset->train.dense + number * dataset->transform.dense_width,
               dataset->train.ids + number * dataset->transform.id_count, row);
}

/* So that the sum of all rows' greatest input fits. */
static int exponent_of(const struct kmeans *kmeans)
{
    const double greatest = (double)kmeans->learner.dataset->dense_greatest;
    int row_bits, value_bits;

    (void)frexp((double)kmeans->learner.dataset->train.rows, &row_bits);
    (void)frexp(kmeans->learner.dataset->transform.id_rows > 0 ? fmax((double)SPREAD_WORD, greatest)
                                                               : greatest,
                &value_bits);
    return SUM_BITS - row_bits - value_bits;
}

static uint32_t blocks_of(const struct kmeans *kmeans)
{
    return (kmeans->params.clusters + LANES - 1) / LANES;
}

static enum status make_team_rows(void *self, struct error *err)
{
    struct kmeans *kmeans = self;

    free(kmeans->team_rows);
    kmeans->team_rows = calloc(
        (size_t)team_size(kmeans->learner.team) * ROWS_AT_ONCE * kmeans->width, sizeof(float));
    return kmeans->team_rows ? STATUS_OK : fail_no_memory(err);
}

static enum status allocate(struct kmeans *kmeans, struct error *err)
{
    const size_t rows = kmeans->learner.dataset->train.rows, lanes = kmeans->learner.lanes;

    kmeans->nearest = calloc(rows, sizeof *kmeans->nearest);
    kmeans->nearest_run = calloc(lanes, sizeof *kmeans->nearest_run);
    kmeans->nearest_upto = calloc(lanes, sizeof *kmeans->nearest_upto);
    kmeans->nearest_sum = calloc(lanes, sizeof *kmeans->nearest_sum);
    kmeans->row = calloc(kmeans->width, sizeof *kmeans->row);
    kmeans->found = calloc(CHUNK_ROWS, sizeof *kmeans->found);
    kmeans->across =
        calloc((size_t)blocks_of(kmeans) * kmeans->width, LANES * sizeof *kmeans->across);
    if (kmeans->nearest && kmeans->nearest_run && kmeans->nearest_upto && kmeans->nearest_sum &&
        kmeans->row && kmeans->found && kmeans->across)
        return make_team_rows(kmeans, err);
    return fail_no_memory(err);
}

static enum status check_plan(const struct kmeans *kmeans, struct error *err)
{
    const struct jobspec *spec = kmeans->learner.spec;
    const struct dataset *dataset = kmeans->learner.dataset;
    const uint64_t rows = dataset->train.rows;
    const struct kind_shape shape = {.task = spec->task, .dense = kmeans->width};
    const struct kind_cost cost = kmeans_kind.cost(&spec->params, &shape);
    char who[100], advice[sizeof err->hint];

    if (kmeans->params.clusters == 0 || kmeans->params.clusters > rows) {
        fail(err, STATUS_INVALID, "%u clusters of %llu rows", kmeans->params.clusters,
             (unsigned long long)rows);
        return error_hint(err, "Lower model.n_clusters.");
    }
    if (kmeans->width == 0 || dataset->transform.text_count > 0)
        return fail(err, STATUS_INVALID, "KMeans learns from numbers and categories alone");
    snprintf(who, sizeof who, "%u clusters of %u inputs", kmeans->params.clusters, kmeans->width);
    snprintf(advice, sizeof advice, "Lower %s, or train on fewer rows.",
             kmeans_kind.size_attribute);
    return learner_check_bytes(spec, rows, job_learner_bytes(&cost, false, (double)rows), who,
                               advice, err);
}

static void put_shape(const void *self, struct text *out)
{
    const struct kmeans *kmeans = self;

    put_u32(out, kmeans->width);
    put_u32(out, (uint32_t)kmeans->exponent);
}

static void kmeans_close(void *self)
{
    struct kmeans *kmeans = self;

    free(kmeans->nearest);
    free(kmeans->nearest_run);
    free(kmeans->nearest_upto);
    free(kmeans->nearest_sum);
    free(kmeans->row);
    free(kmeans->found);
    free(kmeans->across);
    free(kmeans->team_rows);
}

/* ---- lanes ---- */

static uint64_t lane_first(const struct kmeans *kmeans, uint32_t lane)
{
    return kmeans->learner.starts[(size_t)lane * kmeans->learner.ranges];
}

static double square_distance(const struct kmeans *kmeans, const float *row, uint32_t center)
{
    const float *at = kmeans->centers + (size_t)center * kmeans->width;
    double sum = 0;

    for (uint32_t j = 0; j < kmeans->width; j++) {
        const double difference = (double)row[j] - (double)at[j];

        sum += difference * difference;
    }
    return sum;
}

static uint64_t weight_of(double square)
{
    const double weight = floor(square * WEIGHT_ONE + 0.5);

    return weight < WEIGHT_MOST ? (uint64_t)weight : (uint64_t)WEIGHT_MOST;
}

static uint64_t sum_nearest(const struct kmeans *kmeans, uint64_t first, uint64_t end)
{
    uint64_t sum = 0;

    for (uint64_t i = first; i < end; i++)
        sum += kmeans->nearest[i];
    return sum;
}

/* Finds the weight of the center nearest to each of these rows, up to those chosen. Returns the sum
 * of the weights before. */
static uint64_t measure_rows(struct kmeans *kmeans, uint32_t upto, uint64_t first, uint64_t end)
{
    uint64_t before = 0;

    for (uint64_t i = first; i < end; i++) {
        take_row(kmeans, i, kmeans->row);
        before += kmeans->nearest[i];
        if (upto == 0)
            kmeans->nearest[i] = kmeans->progress.centers == 0 ? 0 : UINT64_MAX;
        for (uint32_t c = upto; c < kmeans->progress.centers; c++) {
            const uint64_t weight = weight_of(square_distance(kmeans, kmeans->row, c));

            kmeans->nearest[i] = weight < kmeans->nearest[i] ? weight : kmeans->nearest[i];
        }
    }
    return before;
}

/* The same for all rows of the lane. */
static enum status measure_nearest(struct kmeans *kmeans, uint32_t lane, struct error *err)
{
    const uint64_t run = (uint64_t)kmeans->progress.run + 1;
    const uint64_t first = lane_first(kmeans, lane), end = lane_first(kmeans, lane + 1);
    const bool is_kept = kmeans->nearest_run[lane] == run;
    const uint32_t upto = is_kept ? kmeans->nearest_upto[lane] : 0;
    uint64_t before = 0;

    for (uint32_t range = lane * kmeans->learner.ranges;
         range < (lane + 1) * kmeans->learner.ranges; range++) {
        TRY(learner_hold(&kmeans->learner, range, err));
        before += measure_rows(kmeans, upto, kmeans->learner.starts[range],
                               kmeans->learner.starts[range + 1]);
        learner_release(&kmeans->learner, range);
    }
    if (is_kept && before != kmeans->nearest_sum[lane])
        kmeans->nearest_was_bad = true;
    kmeans->nearest_sum[lane] = sum_nearest(kmeans, first, end);
    kmeans->nearest_run[lane] = run;
    kmeans->nearest_upto[lane] = kmeans->progress.centers;
    return STATUS_OK;
}

static enum status contribute_weights(struct kmeans *kmeans, uint32_t lane, int64_t *sums,
                                      struct error *err)
{
    TRY(measure_nearest(kmeans, lane, err));
    learner_add(&kmeans->learner, &sums[2 * lane], (int64_t)kmeans->nearest_sum[lane]);
    learner_add(&kmeans->learner, &sums[2 * lane + 1],
                (int64_t)(lane_first(kmeans, lane + 1) - lane_first(kmeans, lane)));
    return STATUS_OK;
}

static enum status add_center(struct kmeans *kmeans, uint32_t lane, uint64_t row, int64_t *sums,
                              struct error *err)
{
    uint32_t range = lane * kmeans->learner.ranges;

    while (kmeans->learner.starts[range + 1] <= row)
        range++;
    TRY(learner_hold(&kmeans->learner, range, err));
    take_row(kmeans, row, kmeans->row);
    learner_release(&kmeans->learner, range);
    for (uint32_t j = 0; j < kmeans->width; j++) {
        uint32_t bits;

        memcpy(&bits, &kmeans->row[j], sizeof bits);
        learner_add(&kmeans->learner, &sums[j], bits);
    }
    return STATUS_OK;
}

static enum status contribute_pick(struct kmeans *kmeans, uint32_t lane, int64_t *sums,
                                   struct error *err)
{
    uint64_t rest = kmeans->progress.rest;
    const uint64_t end = lane_first(kmeans, lane + 1);
    uint64_t i = lane_first(kmeans, lane);

    if (lane != kmeans->progress.lane)
        return STATUS_OK;
    TRY(measure_nearest(kmeans, lane, err));
    for (; i + 1 < end; i++) { /* the last row at the latest */
        const uint64_t weight = kmeans->progress.by_count ? 1 : kmeans->nearest[i];

        if (rest < weight)
            break;
        rest -= weight;
    }
    return add_center(kmeans, lane, i, sums, err);
}

static void turn_centers(struct kmeans *kmeans)
{
    const uint32_t width = kmeans->width;

    for (uint32_t c = 0; c < kmeans->params.clusters; c++)
        for (uint32_t j = 0; j < width; j++)
            kmeans->across[((size_t)c / LANES * width + j) * LANES + c % LANES] =
                (double)kmeans->centers[(size_t)c * width + j];
}

/* squares[i][c]: the square of the distance of row i to center c of the block, a sum in the order
 * of the inputs. */
WIDE_VECTORS
static void measure_block(const float *rows, uint32_t width, const double *across,
                          numbers squares[ROWS_AT_ONCE])
{
    numbers sums[ROWS_AT_ONCE] = {0}, center;

    for (uint32_t j = 0; j < width; j++) {
        memcpy(&center, across + (size_t)j * LANES, sizeof center);
        for (uint32_t i = 0; i < ROWS_AT_ONCE; i++) {
            const numbers difference = (double)rows[(size_t)i * width + j] - center;

            sums[i] += difference * difference;
        }
    }
    memcpy(squares, sums, sizeof sums);
}

static void find_nearest(const struct kmeans *kmeans, const float *rows, uint32_t count,
                         struct nearest_center *found)
{
    const uint32_t clusters = kmeans->params.clusters;
    numbers squares[ROWS_AT_ONCE];

    for (uint32_t i = 0; i < count; i++)
        found[i] = (struct nearest_center){.square = INFINITY};
    for (uint32_t first = 0; first < clusters; first += LANES) {
        measure_block(rows, kmeans->width, kmeans->across + (size_t)first * kmeans->width, squares);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t c = first; c < clusters && c < first + LANES; c++)
                if (squares[i][c - first] < found[i].square)
                    found[i] = (struct nearest_center){squares[i][c - first], c};
    }
}

static void find_centers(void *context, uint32_t member, uint32_t task)
{
    const struct kmeans *kmeans = context;
    float *rows = kmeans->team_rows + (size_t)member * ROWS_AT_ONCE * kmeans->width;
    const uint64_t first = kmeans->chunk + (uint64_t)task * TASK_ROWS;
    const uint64_t end =
        first + TASK_ROWS < kmeans->chunk_end ? first + TASK_ROWS : kmeans->chunk_end;

    for (uint64_t i = first; i < end; i += ROWS_AT_ONCE) {
        const uint32_t count = end - i < ROWS_AT_ONCE ? (uint32_t)(end - i) : ROWS_AT_ONCE;

        for (uint32_t k = 0; k < count; k++)
            take_row(kmeans, i + k, rows + (size_t)k * kmeans->width);
        find_nearest(kmeans, rows, count, &kmeans->found[i - kmeans->chunk]);
    }
}

/* The team finds the centers; they are added up in the order of the rows [first, end). */
static void assign_rows(struct kmeans *kmeans, uint64_t first, uint64_t end, double *inertia,
                        int64_t *sums)
{
    const uint32_t clusters = kmeans->params.clusters, width = kmeans->width;
    const double scale = ldexp(1, kmeans->exponent);

    for (; first < end; first = kmeans->chunk_end) {
        kmeans->chunk = first;
        kmeans->chunk_end = end - first < CHUNK_ROWS ? end : first + CHUNK_ROWS;
        team_run(kmeans->learner.team,
                 (uint32_t)((kmeans->chunk_end - first + TASK_ROWS - 1) / TASK_ROWS), find_centers,
                 kmeans);
        for (uint64_t i = first; i < kmeans->chunk_end; i++) {
            const struct nearest_center *found = &kmeans->found[i - first];
            int64_t *sum = sums + clusters + (size_t)found->center * width;

            take_row(kmeans, i, kmeans->row);
            *inertia += found->square;
            learner_add(&kmeans->learner, &sums[found->center], 1);
            for (uint32_t j = 0; j < width; j++)
                learner_add(&kmeans->learner, &sum[j], lrint((double)kmeans->row[j] * scale));
        }
    }
}

static enum status contribute_assign(struct kmeans *kmeans, uint32_t lane, int64_t *integers,
                                     int64_t *sums, struct error *err)
{
    double inertia = 0, whole;

    turn_centers(kmeans);
    for (uint32_t range = lane * kmeans->learner.ranges;
         range < (lane + 1) * kmeans->learner.ranges; range++) {
        TRY(learner_hold(&kmeans->learner, range, err));
        assign_rows(kmeans, kmeans->learner.starts[range], kmeans->learner.starts[range + 1],
                    &inertia, sums);
        learner_release(&kmeans->learner, range);
    }
    whole = floor(inertia);
    integers[INERTIA_WHOLE] += (int64_t)whole;
    integers[INERTIA_PART] += (int64_t)((inertia - whole) * PART_ONE);
    return STATUS_OK;
}

static enum status contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                              int64_t *sums, struct touched_rows *rows, uint32_t *done,
                              struct error *err)
{
    struct kmeans *kmeans = self;
    (void)count, (void)rows, (void)done;

    progress_note();
    switch ((enum kmeans_stage)kmeans->progress.stage) {
    case KMEANS_WEIGHTS:
        return contribute_weights(kmeans, first, sums, err);
    case KMEANS_PICK:
        return contribute_pick(kmeans, first, sums, err);
    case KMEANS_ASSIGN:
        return contribute_assign(kmeans, first, integers, sums, err);
    }
    return STATUS_OK;
}

/* ---- apply ---- */

static uint64_t total_of(const struct kmeans *kmeans, const int64_t *owned, bool by_count)
{
    uint64_t total = 0;

    for (uint32_t lane = 0; lane < kmeans->learner.lanes; lane++)
        total += (uint64_t)owned[2 * lane + by_count];
    return total;
}

/* A point of [0, total), the same for all workers, and the lane that it lies in. */
static enum status apply_weights(struct kmeans *kmeans, const int64_t *owned, struct error *err)
{
    struct kmeans_progress *progress = &kmeans->progress;
    const uint64_t number = (uint64_t)progress->run * kmeans->params.clusters + progress->centers;
    const uint64_t bits = random_bits(kmeans->learner.spec->seed, RANDOM_INITIAL, number, 0);
    uint64_t total = total_of(kmeans, owned, false), rest;

    progress->by_count = total == 0;
    if (progress->by_count)
        total = total_of(kmeans, owned, true);
    rest = (uint64_t)((unsigned __int128)bits * total >> 64);
    progress->lane = 0;
    while (progress->lane < kmeans->learner.lanes &&
           rest >= (uint64_t)owned[2 * progress->lane + progress->by_count])
        rest -= (uint64_t)owned[2 * progress->lane++ + progress->by_count];
    if (progress->lane == kmeans->learner.lanes)
        return fail(err, STATUS_FAILED, "the rows' distances to the centers have no sum");
    progress->rest = rest;
    progress->stage = KMEANS_PICK;
    return STATUS_OK;
}

static void apply_pick(struct kmeans *kmeans, const int64_t *owned)
{
    struct kmeans_progress *progress = &kmeans->progress;
    float *center = kmeans->centers + (size_t)progress->centers * kmeans->width;

    for (uint32_t j = 0; j < kmeans->width; j++) {
        const uint32_t bits = (uint32_t)owned[j];

        memcpy(&center[j], &bits, sizeof bits);
    }
    progress->centers++;
    progress->stage = progress->centers < kmeans->params.clusters ? KMEANS_WEIGHTS : KMEANS_ASSIGN;
}

/* The mean of its rows; a cluster without rows stays where it is. False: no center has moved. */
static bool move_centers(struct kmeans *kmeans, const int64_t *owned)
{
    const uint32_t clusters = kmeans->params.clusters, width = kmeans->width;
    bool moved = false;

    for (uint32_t c = 0; c < clusters; c++) {
        for (uint32_t j = 0; j < width && owned[c] > 0; j++) {
            float *at = &kmeans->centers[(size_t)c * width + j];
            const double sum = (double)owned[clusters + (size_t)c * width + j];
            const float mean = (float)(ldexp(sum, -kmeans->exponent) / (double)owned[c]);

            moved |= mean != *at;
            *at = mean;
        }
    }
    return moved;
}

static void apply_assign(struct kmeans *kmeans, const struct phase_totals *totals,
                         struct learner_report *report)
{
    struct kmeans_progress *progress = &kmeans->progress;
    const double rows = (double)kmeans->learner.phase.rows;
    const int64_t whole = totals->integers[INERTIA_WHOLE] + (totals->integers[INERTIA_PART] >> 32);
    const int64_t part = totals->integers[INERTIA_PART] & (int64_t)0xffffffff;

    report->step_applied = true;
    report->rows_applied = kmeans->learner.phase.rows;
    report->train_loss = ((double)whole + (double)part / PART_ONE) / rows;
    progress->iteration++;
    kmeans->learner.phase.step++;
    if (!progress->has_best || whole < progress->best_whole ||
        (whole == progress->best_whole && part < progress->best_part)) {
        progress->has_best = true;
        progress->best_whole = whole;
        progress->best_part = part;
        memcpy(kmeans->best, kmeans->centers, /* the centers of this inertia */
               floats_of(kmeans) * sizeof(float));
    }
    if (move_centers(kmeans, totals->owned) && progress->iteration < kmeans->params.iterations)
        return;
    report->epoch_ended = true;
    if (++progress->run < kmeans->params.runs)
        begin_run(kmeans);
    else
        kmeans->learner.phase.kind = PHASE_DONE;
}

static enum status apply(void *self, const struct phase_totals *totals,
                         struct learner_report *report, struct error *err)
{
    struct kmeans *kmeans = self;

    switch ((enum kmeans_stage)kmeans->progress.stage) {
    case KMEANS_WEIGHTS:
        return apply_weights(kmeans, totals->owned, err);
    case KMEANS_PICK:
        apply_pick(kmeans, totals->owned);
        break;
    case KMEANS_ASSIGN:
        apply_assign(kmeans, totals, report);
        break;
    }
    return STATUS_OK;
}

static enum status verify(const void *self, enum learner_look look, const struct touched_rows *rows,
                          struct error *err)
{
    (void)look, (void)rows;
    return ((const struct kmeans *)self)->nearest_was_bad
               ? memory_damaged(err, "the rows' distances")
               : STATUS_OK;
}

/* ---- state ---- */

static uint32_t arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX])
{
    struct kmeans *kmeans = self;
    const uint64_t bytes = floats_of(kmeans) * sizeof(float);

    list[0] = (struct learner_array){(void **)&kmeans->centers, bytes, LEARNER_USED, "the centers",
                                     "weights"};
    list[1] = (struct learner_array){(void **)&kmeans->best, bytes, 0, "the best centers", "best"};
    return 2;
}

static bool is_possible(const void *self, const struct learner_taking *coming)
{
    const struct kmeans *kmeans = self;
    const struct kmeans_params *params = &kmeans->params;
    const struct kmeans_progress *progress = coming->progress;
    const bool chooses = progress->stage != KMEANS_ASSIGN;

    if (coming->phase.kind == PHASE_EVALUATION || progress->lane >= kmeans->learner.lanes ||
        coming->phase.number < coming->phase.step || progress->best_part < 0)
        return false;
    if (coming->phase.kind == PHASE_DONE)
        return progress->run == params->runs && progress->has_best;
    return progress->run < params->runs && progress->iteration < params->iterations &&
           (chooses ? progress->centers < params->clusters && progress->iteration == 0
                    : progress->centers == params->clusters);
}

/* Nearest centers may be of centers that are not chosen yet. */
static enum status enter(void *self, const struct learner_taking *taken, struct error *err)
{
    struct kmeans *kmeans = self;
    (void)err;

    memset(kmeans->nearest_run, 0, kmeans->learner.lanes * sizeof *kmeans->nearest_run);
    if (!taken)
        kmeans->nearest_was_bad = false;
    return STATUS_OK;
}

/* ---- the model ---- */

static enum status fill(void *self, struct model *model, struct error *err)
{
    struct kmeans *kmeans = self;
    (void)err;

    kmeans->content = (struct kmeans_model){kmeans->best, kmeans->params.clusters, kmeans->width};
    model->content = &kmeans->content;
    return STATUS_OK;
}

/* But for what rounding makes of the mean of equal numbers. */
static bool is_same_number(float number, float other, float greatest)
{
    return fabsf(number - other) <= SAME_SHARE * fabsf(other) + SAME_LEAST * greatest;
}

static float greatest_of(const float *centers, size_t count)
{
    float greatest = 0;

    for (size_t i = 0; i < count; i++)
        greatest = fabsf(centers[i]) > greatest ? fabsf(centers[i]) : greatest;
    return greatest;
}

/* Is the center where one before it is? */
static bool is_repeated(const struct kmeans *kmeans, uint32_t cluster, float greatest)
{
    const float *centers = kmeans->best, *own = centers + (size_t)cluster * kmeans->width;

    for (uint32_t c = 0; c < cluster; c++, centers += kmeans->width) {
        uint32_t j = 0;

        while (j < kmeans->width && is_same_number(centers[j], own[j], greatest))
            j++;
        if (j == kmeans->width)
            return true;
    }
    return false;
}

/* A center is only ever begun where another is when every row lies on one (KMEANS_PICK). */
static void tell(void *self, struct measuring *measuring)
{
    const struct kmeans *kmeans = self;
    struct notice_list *notices = &measuring->notices;
    const uint32_t clusters = kmeans->params.clusters;
    const float greatest = greatest_of(kmeans->best, floats_of(kmeans));
    uint32_t points = 0;

    for (uint32_t c = 0; c < clusters; c++)
        points += !is_repeated(kmeans, c, greatest);
    if (points == clusters)
        return;
    notice_add(notices, NOTICE_DEFAULTS,
               "the rows have only %u different point%s, fewer than the %u clusters: the other "
               "clusters are empty",
               points, points == 1 ? "" : "s", clusters);
    notice_hint(notices, "WITH n_clusters = %u, or fewer, makes groups of several points.", points);
}

/* ---- memory ---- */

/* The first lane of which this worker knows nearest centers. */
static uint32_t first_computed(const struct kmeans *kmeans)
{
    for (uint32_t lane = 0; lane < kmeans->learner.lanes; lane++)
        if (kmeans->nearest_run[lane] > 0)
            return lane;
    return 0;
}

static void *memory(void *self, const char *name, size_t *size)
{
    struct kmeans *kmeans = self;
    const uint32_t lane = first_computed(kmeans);
    const size_t first = lane_first(kmeans, lane);

    if (strcmp(name, "nearest") != 0)
        return learner_rows_memory(&kmeans->learner, name, size);
    *size = (lane_first(kmeans, lane + 1) - first) * sizeof *kmeans->nearest;
    return kmeans->nearest + first;
}

/* ---- open ---- */

static enum status plan(void *self, struct error *err)
{
    struct kmeans *kmeans = self;
    struct learner *learner = &kmeans->learner;

    kmeans->params = *kmeans_params(&learner->spec->params);
    kmeans->width = learner->dataset->transform.dense_width + learner->dataset->transform.id_rows;
    TRY(check_plan(kmeans, err));
    TRY(learner_cut(learner, floats_of(kmeans), err));
    TRY(allocate(kmeans, err));
    kmeans->exponent = exponent_of(kmeans);
    learner->steps_total = (uint64_t)kmeans->params.runs * kmeans->params.iterations;
    learner->elements_most = weights_elements(kmeans);
    if (assign_elements(kmeans) > learner->elements_most) /* PICK has fewer */
        learner->elements_most = assign_elements(kmeans);
    learner->row_work = (double)floats_of(kmeans);
    return STATUS_OK;
}

const struct learner_method kmeans_learner = {
    .bytes = sizeof(struct kmeans),
    .progress = progress_fields,
    .progress_at = offsetof(struct kmeans, progress),
    .progress_bytes = sizeof(struct kmeans_progress),
    .plan = plan,
    .close = kmeans_close,
    .put_shape = put_shape,
    .arrays = arrays,
    .is_possible = is_possible,
    .enter = enter,
    .describe = describe,
    .contribute = contribute,
    .apply = apply,
    .fill = fill,
    .use_team = make_team_rows,
    .verify = verify,
    .tell = tell,
    .memory = memory,
};
