#include "runtime/learn/kmeans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/words.h"
#include "jobspec/job_size.h"
#include "jobspec/jobspec_fingerprint.h"
#include "kinds/kmeans/kmeans_kind.h"
#include "runtime/data/row_lanes.h"
#include "runtime/data/row_store.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/learner_state.h"
#include "runtime/learn/measuring.h"

#define WEIGHT_ONE  0x1p16
#define WEIGHT_MOST 0x1p31 /* 2^32 rows of that fit into 63 bits; check_plan has fewer */
#define PART_ONE    0x1p32
#define SUM_BITS    61
/* Of a number of a center, and of the greatest one: what rounding makes of the mean of equal
 * numbers, floats whose sum is fixed point. */
#define SAME_SHARE        0x1p-22f
#define SAME_LEAST        0x1p-40f
#define FINGERPRINT_BYTES ((size_t)1 << 20)

/* ASSIGN's few integers. */
enum { INERTIA_WHOLE, INERTIA_PART, INERTIA_INTEGERS };

enum kmeans_stage { KMEANS_WEIGHTS, KMEANS_PICK, KMEANS_ASSIGN };

#define CHUNK_ROWS 4096
#define TASK_ROWS  128

struct nearest_center {
    double square; /* of the distance */
    uint32_t center;
};

/* The part of the state that is no array. */
struct kmeans_progress {
    struct phase phase;
    enum kmeans_stage stage;
    uint32_t run, centers, iteration; /* centers: chosen so far */
    uint32_t lane;                    /* PICK: where the row is */
    uint64_t rest;                    /* of the drawn point, within that lane */
    bool by_count;                    /* all rows lie on centers: any row is as good */
    bool has_best;
    int64_t best_whole, best_part; /* inertia, the part in 2^-32 */
};

struct kmeans_arrays {
    float *centers, *best; /* (clusters, width) */
};

/* A state on its way here. */
struct kmeans_taking {
    bool is_active;
    uint64_t body_hash;
    struct kmeans_progress progress;
    struct kmeans_arrays arrays;
};

/* Sums of memory that only the learner writes. */
struct kmeans_guard {
    uint32_t centers, best;
    bool nearest_was_bad;
};

struct kmeans {
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *team; /* which looks for nearest centers, and measures the model */
    struct kmeans_params params;
    uint32_t lanes, width;
    uint64_t rows;
    int exponent;
    uint64_t contributed, fingerprint;
    struct kmeans_progress progress;
    struct kmeans_arrays arrays;
    struct kmeans_taking taking;
    struct kmeans_guard guard;
    struct measuring measuring;
    struct kmeans_model measured;
    uint32_t ranges;        /* of each lane, whose rows are held one range after the other */
    uint64_t *starts;       /* (lanes * ranges + 1): the first row of each */
    uint64_t *nearest;      /* (rows), where its lane has stamps below */
    uint64_t *nearest_run;  /* (lanes): 1 + run that `nearest` is of */
    uint32_t *nearest_upto; /* (lanes): centers that it covers */
    uint64_t *nearest_sum;  /* (lanes): of it, as it was written */
    float *row;             /* (width) */

    /* ASSIGN, of CHUNK_ROWS rows: each task is of TASK_ROWS of them */
    uint64_t chunk, chunk_end; /* rows */
    struct nearest_center *found;
    float *team_rows; /* (team_size, width) */
};

static size_t floats_of(const struct kmeans *kmeans)
{
    return (size_t)kmeans->params.clusters * kmeans->width;
}

/* ---- the plan ---- */

/* Of each lane a weight and its rows. */
static uint32_t weights_elements(const struct kmeans *kmeans)
{
    return 2 * kmeans->lanes;
}

/* Of each cluster its rows and the sums of their inputs. */
static uint32_t assign_elements(const struct kmeans *kmeans)
{
    return kmeans->params.clusters * (1 + kmeans->width);
}

static void describe_phase(struct kmeans *kmeans)
{
    struct phase *phase = &kmeans->progress.phase;

    phase->rows = kmeans->rows;
    phase->epoch = kmeans->progress.run;
    phase->integer_count = phase->owned_count = phase->real_count = 0;
    if (phase->kind == PHASE_DONE) {
        phase->rows = 0;
        return;
    }
    switch (kmeans->progress.stage) {
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

static void next_stage(struct kmeans *kmeans, enum kmeans_stage stage)
{
    kmeans->progress.stage = stage;
    kmeans->progress.phase.number++;
    describe_phase(kmeans);
}

static void begin_run(struct kmeans *kmeans)
{
    kmeans->progress.centers = kmeans->progress.iteration = 0;
    next_stage(kmeans, KMEANS_WEIGHTS);
}

static void take_row(const struct kmeans *kmeans, uint64_t number, float *row)
{
    dataset_take_row(kmeans->dataset, &kmeans->dataset->train, number, row);
}

/* While its rows are computed with, those of the lane's next range come. */
static enum status hold_range(const struct kmeans *kmeans, uint32_t range, struct error *err)
{
    TRY(row_store_hold(kmeans->dataset, &kmeans->dataset->train, kmeans->starts[range],
                       kmeans->starts[range + 1], kmeans->team, err));
    if ((range + 1) % kmeans->ranges != 0)
        row_store_expect(kmeans->dataset, &kmeans->dataset->train, kmeans->starts[range + 1],
                         kmeans->starts[range + 2]);
    return STATUS_OK;
}

static void release_range(const struct kmeans *kmeans, uint32_t range)
{
    row_store_release(kmeans->dataset, &kmeans->dataset->train, kmeans->starts[range],
                      kmeans->starts[range + 1]);
}

/* So that the sum of all rows' greatest input fits. */
static int exponent_of(const struct kmeans *kmeans)
{
    int row_bits, value_bits;

    (void)frexp((double)kmeans->rows, &row_bits);
    (void)frexp((double)kmeans->dataset->dense_greatest, &value_bits);
    return SUM_BITS - row_bits - value_bits;
}

static void guard_arrays(struct kmeans *kmeans)
{
    kmeans->guard.centers = words_sum(kmeans->arrays.centers, floats_of(kmeans));
    kmeans->guard.best = words_sum(kmeans->arrays.best, floats_of(kmeans));
}

static void forget_nearest(struct kmeans *kmeans)
{
    memset(kmeans->nearest_run, 0, kmeans->lanes * sizeof *kmeans->nearest_run);
}

static enum status arrays_init(const struct kmeans *kmeans, struct kmeans_arrays *arrays,
                               struct error *err)
{
    arrays->centers = calloc(floats_of(kmeans), sizeof(float));
    arrays->best = calloc(floats_of(kmeans), sizeof(float));
    if (arrays->centers && arrays->best)
        return STATUS_OK;
    free(arrays->centers);
    free(arrays->best);
    *arrays = (struct kmeans_arrays){NULL, NULL};
    return fail_no_memory(err);
}

static void arrays_deinit(struct kmeans_arrays *arrays)
{
    free(arrays->centers);
    free(arrays->best);
    *arrays = (struct kmeans_arrays){NULL, NULL};
}

static enum status allocate(struct kmeans *kmeans, struct error *err)
{
    const size_t rows = kmeans->rows, lanes = kmeans->lanes;

    TRY(arrays_init(kmeans, &kmeans->arrays, err));
    kmeans->starts = calloc(lanes * kmeans->ranges + 1, sizeof *kmeans->starts);
    kmeans->nearest = calloc(rows, sizeof *kmeans->nearest);
    kmeans->nearest_run = calloc(lanes, sizeof *kmeans->nearest_run);
    kmeans->nearest_upto = calloc(lanes, sizeof *kmeans->nearest_upto);
    kmeans->nearest_sum = calloc(lanes, sizeof *kmeans->nearest_sum);
    kmeans->row = calloc(kmeans->width, sizeof *kmeans->row);
    kmeans->found = calloc(CHUNK_ROWS, sizeof *kmeans->found);
    kmeans->team_rows = calloc((size_t)team_size(kmeans->team) * kmeans->width, sizeof(float));
    if (kmeans->starts && kmeans->nearest && kmeans->nearest_run && kmeans->nearest_upto &&
        kmeans->nearest_sum && kmeans->row && kmeans->found && kmeans->team_rows)
        return STATUS_OK;
    return fail_no_memory(err);
}

static enum status check_plan(const struct kmeans *kmeans, struct error *err)
{
    const struct kind_shape shape = {.task = kmeans->spec->task, .dense = kmeans->width};
    const struct kind_cost cost = kmeans_kind.cost(&kmeans->spec->params, &shape);
    const double bytes = job_learner_bytes(&cost, false, (double)kmeans->rows);
    const uint64_t most = learner_bytes_max(kmeans->spec);
    char advice[sizeof err->hint];

    if (kmeans->params.clusters == 0 || kmeans->params.clusters > kmeans->rows) {
        fail(err, STATUS_INVALID, "%u clusters of %llu rows", kmeans->params.clusters,
             (unsigned long long)kmeans->rows);
        return error_hint(err, "Lower model.n_clusters.");
    }
    if (kmeans->width == 0 || kmeans->dataset->transform.id_count > 0)
        return fail(err, STATUS_INVALID, "KMeans learns from numbers alone");
    if (bytes <= (double)most)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "%u clusters of %u inputs need %.0f bytes to train on %llu rows, and a worker has at most "
         "%llu",
         kmeans->params.clusters, kmeans->width, bytes, (unsigned long long)kmeans->rows,
         (unsigned long long)most);
    snprintf(advice, sizeof advice, "Lower %s, or train on fewer rows.",
             kmeans_kind.size_attribute);
    return learner_hint_bytes(kmeans->spec, advice, err);
}

static enum status compute_fingerprint(struct kmeans *kmeans, struct error *err)
{
    struct text bytes;
    bool failed;

    text_init(&bytes, FINGERPRINT_BYTES);
    jobspec_put_settings(kmeans->spec, &bytes);
    put_u32(&bytes, kmeans->lanes);
    put_u32(&bytes, kmeans->width);
    put_u32(&bytes, (uint32_t)kmeans->exponent);
    state_put_data(kmeans->dataset, &bytes);
    kmeans->fingerprint = bytes_hash(bytes.data, bytes.size, 0);
    failed = bytes.failed;
    text_deinit(&bytes);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

static void kmeans_close(void *self)
{
    struct kmeans *kmeans = self;

    measuring_deinit(&kmeans->measuring);
    arrays_deinit(&kmeans->taking.arrays);
    arrays_deinit(&kmeans->arrays);
    free(kmeans->starts);
    free(kmeans->nearest);
    free(kmeans->nearest_run);
    free(kmeans->nearest_upto);
    free(kmeans->nearest_sum);
    free(kmeans->row);
    free(kmeans->found);
    free(kmeans->team_rows);
    free(kmeans);
}

static const struct phase *kmeans_phase(const void *self)
{
    return &((const struct kmeans *)self)->progress.phase;
}

static uint32_t kmeans_lanes(const void *self)
{
    return ((const struct kmeans *)self)->lanes;
}

/* Of WEIGHTS, PICK (less than ASSIGN) and ASSIGN. */
static uint32_t elements_most(const void *self)
{
    const struct kmeans *kmeans = self;
    const uint32_t weights = weights_elements(kmeans), assign = assign_elements(kmeans);

    return weights > assign ? weights : assign;
}

static uint64_t steps_total(const void *self)
{
    const struct kmeans *kmeans = self;

    return (uint64_t)kmeans->params.runs * kmeans->params.iterations;
}

/* ---- lanes ---- */

static uint64_t lane_first(const struct kmeans *kmeans, uint32_t lane)
{
    return kmeans->starts[(size_t)lane * kmeans->ranges];
}

static double square_distance(const struct kmeans *kmeans, const float *row, uint32_t center)
{
    const float *at = kmeans->arrays.centers + (size_t)center * kmeans->width;
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

/* Of these rows, the weight of the nearest center up to those chosen. Returns the sum of what was
 * there before. */
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

/* What the lane's rows have as the nearest center's weight, up to the centers chosen. */
static enum status measure_nearest(struct kmeans *kmeans, uint32_t lane, struct error *err)
{
    const uint64_t run = (uint64_t)kmeans->progress.run + 1;
    const uint64_t first = lane_first(kmeans, lane), end = lane_first(kmeans, lane + 1);
    const bool is_kept = kmeans->nearest_run[lane] == run;
    const uint32_t upto = is_kept ? kmeans->nearest_upto[lane] : 0;
    uint64_t before = 0;

    for (uint32_t range = lane * kmeans->ranges; range < (lane + 1) * kmeans->ranges; range++) {
        TRY(hold_range(kmeans, range, err));
        before += measure_rows(kmeans, upto, kmeans->starts[range], kmeans->starts[range + 1]);
        release_range(kmeans, range);
    }
    if (is_kept && before != kmeans->nearest_sum[lane])
        kmeans->guard.nearest_was_bad = true;
    kmeans->nearest_sum[lane] = sum_nearest(kmeans, first, end);
    kmeans->nearest_run[lane] = run;
    kmeans->nearest_upto[lane] = kmeans->progress.centers;
    return STATUS_OK;
}

static void add(struct kmeans *kmeans, int64_t *sum, int64_t term)
{
    *sum += term;
    kmeans->contributed += (uint64_t)term;
}

static enum status contribute_weights(struct kmeans *kmeans, uint32_t lane, int64_t *sums,
                                      struct error *err)
{
    TRY(measure_nearest(kmeans, lane, err));
    add(kmeans, &sums[2 * lane], (int64_t)kmeans->nearest_sum[lane]);
    add(kmeans, &sums[2 * lane + 1],
        (int64_t)(lane_first(kmeans, lane + 1) - lane_first(kmeans, lane)));
    return STATUS_OK;
}

static enum status add_center(struct kmeans *kmeans, uint32_t lane, uint64_t row, int64_t *sums,
                              struct error *err)
{
    uint32_t range = lane * kmeans->ranges;

    while (kmeans->starts[range + 1] <= row)
        range++;
    TRY(hold_range(kmeans, range, err));
    take_row(kmeans, row, kmeans->row);
    release_range(kmeans, range);
    for (uint32_t j = 0; j < kmeans->width; j++) {
        uint32_t bits;

        memcpy(&bits, &kmeans->row[j], sizeof bits);
        add(kmeans, &sums[j], bits);
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

static void find_centers(void *context, uint32_t member, uint32_t task)
{
    const struct kmeans *kmeans = context;
    float *row = kmeans->team_rows + (size_t)member * kmeans->width;
    const uint64_t first = kmeans->chunk + (uint64_t)task * TASK_ROWS;

    for (uint64_t i = first; i < kmeans->chunk_end && i < first + TASK_ROWS; i++) {
        struct nearest_center *found = &kmeans->found[i - kmeans->chunk];

        *found = (struct nearest_center){.square = INFINITY};
        take_row(kmeans, i, row);
        for (uint32_t c = 0; c < kmeans->params.clusters; c++) {
            const double square = square_distance(kmeans, row, c);

            if (square < found->square)
                *found = (struct nearest_center){square, c};
        }
    }
}

/* The team finds the centers; they are added up in the order of the rows [first, end). */
static void assign_rows(struct kmeans *kmeans, uint64_t first, uint64_t end, double *inertia,
                        int64_t *sums)
{
    const uint32_t clusters = kmeans->params.clusters, width = kmeans->width;

    for (; first < end; first = kmeans->chunk_end) {
        kmeans->chunk = first;
        kmeans->chunk_end = end - first < CHUNK_ROWS ? end : first + CHUNK_ROWS;
        team_run(kmeans->team, (uint32_t)((kmeans->chunk_end - first + TASK_ROWS - 1) / TASK_ROWS),
                 find_centers, kmeans);
        for (uint64_t i = first; i < kmeans->chunk_end; i++) {
            const struct nearest_center *found = &kmeans->found[i - first];
            int64_t *sum = sums + clusters + (size_t)found->center * width;

            take_row(kmeans, i, kmeans->row);
            *inertia += found->square;
            add(kmeans, &sums[found->center], 1);
            for (uint32_t j = 0; j < width; j++)
                add(kmeans, &sum[j],
                    (int64_t)nearbyint(ldexp((double)kmeans->row[j], kmeans->exponent)));
        }
    }
}

static enum status contribute_assign(struct kmeans *kmeans, uint32_t lane, int64_t *integers,
                                     int64_t *sums, struct error *err)
{
    double inertia = 0, whole;

    for (uint32_t range = lane * kmeans->ranges; range < (lane + 1) * kmeans->ranges; range++) {
        TRY(hold_range(kmeans, range, err));
        assign_rows(kmeans, kmeans->starts[range], kmeans->starts[range + 1], &inertia, sums);
        release_range(kmeans, range);
    }
    whole = floor(inertia);
    integers[INERTIA_WHOLE] += (int64_t)whole;
    integers[INERTIA_PART] += (int64_t)((inertia - whole) * PART_ONE);
    return STATUS_OK;
}

/* One lane. */
static enum status kmeans_contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                                     int64_t *sums, struct touched_rows *rows, uint32_t *done,
                                     struct error *err)
{
    struct kmeans *kmeans = self;
    (void)count, (void)rows;

    progress_note();
    *done = 1;
    switch (kmeans->progress.stage) {
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

    for (uint32_t lane = 0; lane < kmeans->lanes; lane++)
        total += (uint64_t)owned[2 * lane + by_count];
    return total;
}

/* A point of [0, total), the same for all workers, and the lane that it lies in. */
static enum status apply_weights(struct kmeans *kmeans, const int64_t *owned, struct error *err)
{
    struct kmeans_progress *progress = &kmeans->progress;
    const uint64_t number = (uint64_t)progress->run * kmeans->params.clusters + progress->centers;
    const uint64_t bits = random_bits(kmeans->spec->seed, RANDOM_INITIAL, number, 0);
    uint64_t total = total_of(kmeans, owned, false), rest;

    progress->by_count = total == 0;
    if (progress->by_count)
        total = total_of(kmeans, owned, true);
    rest = (uint64_t)((unsigned __int128)bits * total >> 64);
    progress->lane = 0;
    while (progress->lane < kmeans->lanes &&
           rest >= (uint64_t)owned[2 * progress->lane + progress->by_count])
        rest -= (uint64_t)owned[2 * progress->lane++ + progress->by_count];
    if (progress->lane == kmeans->lanes)
        return fail(err, STATUS_FAILED, "the rows' distances to the centers have no sum");
    progress->rest = rest;
    next_stage(kmeans, KMEANS_PICK);
    return STATUS_OK;
}

static void apply_pick(struct kmeans *kmeans, const int64_t *owned)
{
    struct kmeans_progress *progress = &kmeans->progress;
    float *center = kmeans->arrays.centers + (size_t)progress->centers * kmeans->width;

    for (uint32_t j = 0; j < kmeans->width; j++) {
        const uint32_t bits = (uint32_t)owned[j];

        memcpy(&center[j], &bits, sizeof bits);
    }
    progress->centers++;
    next_stage(kmeans,
               progress->centers < kmeans->params.clusters ? KMEANS_WEIGHTS : KMEANS_ASSIGN);
}

/* The mean of its rows; a cluster without rows stays where it is. False: no center has moved. */
static bool move_centers(struct kmeans *kmeans, const int64_t *owned)
{
    const uint32_t clusters = kmeans->params.clusters, width = kmeans->width;
    bool moved = false;

    for (uint32_t c = 0; c < clusters; c++) {
        for (uint32_t j = 0; j < width && owned[c] > 0; j++) {
            float *at = &kmeans->arrays.centers[(size_t)c * width + j];
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
    const size_t bytes = (size_t)kmeans->params.clusters * kmeans->width * sizeof(float);
    const int64_t whole = totals->integers[INERTIA_WHOLE] + (totals->integers[INERTIA_PART] >> 32);
    const int64_t part = totals->integers[INERTIA_PART] & (int64_t)0xffffffff;

    report->step_applied = true;
    report->rows_applied = kmeans->rows;
    report->train_loss = ((double)whole + (double)part / PART_ONE) / (double)kmeans->rows;
    progress->iteration++;
    progress->phase.step++;
    if (!progress->has_best || whole < progress->best_whole ||
        (whole == progress->best_whole && part < progress->best_part)) {
        progress->has_best = true;
        progress->best_whole = whole;
        progress->best_part = part;
        memcpy(kmeans->arrays.best, kmeans->arrays.centers,
               bytes); /* of which this is the inertia */
    }
    if (move_centers(kmeans, totals->owned) && progress->iteration < kmeans->params.iterations) {
        next_stage(kmeans, KMEANS_ASSIGN);
        return;
    }
    report->epoch_ended = true;
    if (++progress->run < kmeans->params.runs) {
        begin_run(kmeans);
        return;
    }
    progress->phase.kind = PHASE_DONE;
    next_stage(kmeans, KMEANS_ASSIGN);
}

/* CORRUPT where apply would read what is not what was written. */
static enum status verify_state(const void *self, struct error *err)
{
    const struct kmeans *kmeans = self;

    if (words_sum(kmeans->arrays.centers, floats_of(kmeans)) != kmeans->guard.centers)
        return memory_damaged(err, "the centers");
    if (kmeans->guard.nearest_was_bad)
        return memory_damaged(err, "the rows' distances");
    return STATUS_OK;
}

static enum status verify_used(const void *self, const struct touched_rows *rows, struct error *err)
{
    (void)rows;
    return verify_state(self, err);
}

static enum status kmeans_apply(void *self, const struct phase_totals *totals,
                                struct learner_report *report, struct error *err)
{
    struct kmeans *kmeans = self;

    *report = (struct learner_report){.epoch = kmeans->progress.run + 1};
    if (kmeans->progress.phase.kind == PHASE_DONE)
        return fail(err, STATUS_FAILED, "nothing is left to learn");
    TRY(verify_state(kmeans, err));
    switch (kmeans->progress.stage) {
    case KMEANS_WEIGHTS:
        TRY(apply_weights(kmeans, totals->owned, err));
        break;
    case KMEANS_PICK:
        apply_pick(kmeans, totals->owned);
        break;
    case KMEANS_ASSIGN:
        apply_assign(kmeans, totals, report);
        break;
    }
    guard_arrays(kmeans);
    return STATUS_OK;
}

/* ---- state ---- */

#define ARRAYS 2

static void list_arrays(const struct kmeans *kmeans, const struct kmeans_arrays *arrays,
                        struct state_array list[ARRAYS])
{
    list[0] = (struct state_array){arrays->centers, floats_of(kmeans) * sizeof(float)};
    list[1] = (struct state_array){arrays->best, floats_of(kmeans) * sizeof(float)};
}

static uint64_t state_bytes(const void *self)
{
    const struct kmeans *kmeans = self;
    struct state_array list[ARRAYS];

    list_arrays(kmeans, &kmeans->arrays, list);
    return state_arrays_bytes(list, ARRAYS);
}

static void state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct kmeans *kmeans = self;
    struct state_array list[ARRAYS];

    list_arrays(kmeans, &kmeans->arrays, list);
    state_arrays_read(list, ARRAYS, offset, size, bytes);
}

static void put_progress(const struct kmeans_progress *progress, struct text *out)
{
    put_u64(out, progress->phase.number);
    put_u32(out, progress->phase.kind);
    put_u64(out, progress->phase.step);
    put_u32(out, progress->stage);
    put_u32(out, progress->run);
    put_u32(out, progress->centers);
    put_u32(out, progress->iteration);
    put_u32(out, progress->lane);
    put_u64(out, progress->rest);
    put_u8(out, progress->by_count);
    put_u8(out, progress->has_best);
    put_u64(out, (uint64_t)progress->best_whole);
    put_u64(out, (uint64_t)progress->best_part);
}

static enum status state_head(const void *self, struct text *head, struct error *err)
{
    const struct kmeans *kmeans = self;
    const size_t start = state_head_begin(kmeans->fingerprint, head);
    struct state_array list[ARRAYS];

    list_arrays(kmeans, &kmeans->arrays, list);
    put_progress(&kmeans->progress, head);
    put_u64(head, state_arrays_hash(list, ARRAYS));
    return state_head_end(head, start, err);
}

static bool is_possible(const struct kmeans *kmeans, const struct kmeans_progress *progress)
{
    const struct kmeans_params *params = &kmeans->params;
    const bool is_done = progress->phase.kind == PHASE_DONE;
    const bool chooses = progress->stage != KMEANS_ASSIGN;

    if (progress->phase.kind != PHASE_LEARN && !is_done)
        return false;
    if (progress->stage > KMEANS_ASSIGN || progress->lane >= kmeans->lanes ||
        progress->phase.number < progress->phase.step || progress->best_part < 0)
        return false;
    if (is_done)
        return progress->run == params->runs && progress->has_best;
    return progress->run < params->runs && progress->iteration < params->iterations &&
           (chooses ? progress->centers < params->clusters && progress->iteration == 0
                    : progress->centers == params->clusters);
}

static enum status read_progress(const struct kmeans *kmeans, struct byte_reader *head,
                                 struct kmeans_progress *progress, struct error *err)
{
    *progress = (struct kmeans_progress){.phase.number = read_u64(head)};
    progress->phase.kind = (enum phase_kind)read_u32(head);
    progress->phase.step = read_u64(head);
    progress->stage = (enum kmeans_stage)read_u32(head);
    progress->run = read_u32(head);
    progress->centers = read_u32(head);
    progress->iteration = read_u32(head);
    progress->lane = read_u32(head);
    progress->rest = read_u64(head);
    progress->by_count = read_u8(head) == 1;
    progress->has_best = read_u8(head) == 1;
    progress->best_whole = (int64_t)read_u64(head);
    progress->best_part = (int64_t)read_u64(head);
    if (head->failed || !is_possible(kmeans, progress))
        return state_corrupt(err, "its place in the job does not exist");
    return STATUS_OK;
}

static void take_abandon(void *self)
{
    struct kmeans *kmeans = self;

    arrays_deinit(&kmeans->taking.arrays);
    kmeans->taking = (struct kmeans_taking){.is_active = false};
}

static enum status take_begin(void *self, struct slice head, uint64_t body_bytes, struct error *err)
{
    struct kmeans *kmeans = self;
    struct kmeans_taking *taking = &kmeans->taking;
    struct byte_reader reader;

    take_abandon(kmeans);
    TRY(state_head_open(head, kmeans->fingerprint, &reader, err));
    TRY(read_progress(kmeans, &reader, &taking->progress, err));
    taking->body_hash = read_u64(&reader);
    if (!reader_is_done(&reader) || body_bytes != state_bytes(kmeans))
        return state_corrupt(err, "it has another size");
    TRY(arrays_init(kmeans, &taking->arrays, err));
    taking->is_active = true;
    return STATUS_OK;
}

static void take_piece(void *self, uint64_t offset, struct slice bytes)
{
    struct kmeans *kmeans = self;
    struct state_array list[ARRAYS];

    if (!kmeans->taking.is_active)
        return;
    list_arrays(kmeans, &kmeans->taking.arrays, list);
    state_arrays_write(list, ARRAYS, offset, bytes);
}

static enum status take_end(void *self, struct error *err)
{
    struct kmeans *kmeans = self;
    struct kmeans_taking *taking = &kmeans->taking;
    struct state_array list[ARRAYS];

    if (!taking->is_active)
        return state_corrupt(err, "it has no head");
    list_arrays(kmeans, &taking->arrays, list);
    if (state_arrays_hash(list, ARRAYS) != taking->body_hash) {
        take_abandon(kmeans);
        return state_corrupt(err, "its checksum does not match its bytes");
    }
    arrays_deinit(&kmeans->arrays);
    kmeans->arrays = taking->arrays;
    kmeans->progress = taking->progress;
    *taking = (struct kmeans_taking){.is_active = false};
    measuring_deinit(&kmeans->measuring);
    describe_phase(kmeans);
    guard_arrays(kmeans);
    forget_nearest(kmeans); /* it may be of centers that are not chosen yet */
    return STATUS_OK;
}

static void restart(void *self)
{
    struct kmeans *kmeans = self;

    take_abandon(kmeans);
    measuring_deinit(&kmeans->measuring);
    memset(kmeans->arrays.centers, 0, floats_of(kmeans) * sizeof(float));
    memset(kmeans->arrays.best, 0, floats_of(kmeans) * sizeof(float));
    kmeans->progress = (struct kmeans_progress){.stage = KMEANS_WEIGHTS};
    kmeans->guard.nearest_was_bad = false;
    describe_phase(kmeans);
    guard_arrays(kmeans);
    forget_nearest(kmeans);
}

/* ---- the model ---- */

static struct model fill_model(const struct kmeans *kmeans, struct kmeans_model *content)
{
    struct model model = measuring_model(kmeans->spec, kmeans->dataset);

    *content = (struct kmeans_model){kmeans->arrays.best, kmeans->params.clusters, kmeans->width};
    model.content = content;
    return model;
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
    const float *centers = kmeans->arrays.best, *own = centers + (size_t)cluster * kmeans->width;

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
static void tell_repeated(const struct kmeans *kmeans, struct notice_list *notices)
{
    const uint32_t clusters = kmeans->params.clusters;
    const float greatest = greatest_of(kmeans->arrays.best, floats_of(kmeans));
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

static enum status measure(void *self, bool *is_done, struct error *err)
{
    struct kmeans *kmeans = self;
    struct model model;

    *is_done = false;
    if (kmeans->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (measuring_has_begun(&kmeans->measuring))
        return measuring_run(&kmeans->measuring, is_done, err);
    model = fill_model(kmeans, &kmeans->measured);
    TRY(measuring_begin(&kmeans->measuring, &model, kmeans->spec, kmeans->dataset, kmeans->team,
                        (double)floats_of(kmeans), err));
    tell_repeated(kmeans, &kmeans->measuring.notices);
    return STATUS_OK;
}

static enum status result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                          struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                          struct error *err)
{
    const struct kmeans *kmeans = self;
    struct kmeans_model content;
    const struct model model = fill_model(kmeans, &content);

    return measuring_result(&kmeans->measuring, &model, digest, rows, metrics, metric_count, err);
}

static enum status publish(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, model_row_sink *sink, void *context, struct error *err)
{
    const struct kmeans *kmeans = self;
    struct kmeans_model content;

    return measuring_publish(&kmeans->measuring, fill_model(kmeans, &content), digest, next,
                             bytes_max, is_at_end, sink, context, err);
}

/* ---- memory, and what workers have in common ---- */

static uint64_t fingerprint_of(const void *self)
{
    return ((const struct kmeans *)self)->fingerprint;
}

static uint64_t check(const void *self)
{
    const struct kmeans *kmeans = self;
    struct text bytes;
    uint64_t hash;

    text_init(&bytes, FINGERPRINT_BYTES);
    put_progress(&kmeans->progress, &bytes);
    put_u32(&bytes, kmeans->guard.centers);
    put_u32(&bytes, kmeans->guard.best);
    put_u32(&bytes, words_mix(kmeans->arrays.centers, floats_of(kmeans)));
    hash = bytes_hash(bytes.data, bytes.size, kmeans->fingerprint);
    text_deinit(&bytes);
    return hash;
}

static uint64_t contributed(const void *self)
{
    return ((const struct kmeans *)self)->contributed;
}

static enum status verify(const void *self, struct error *err)
{
    const struct kmeans *kmeans = self;

    TRY(verify_state(kmeans, err));
    if (words_sum(kmeans->arrays.best, floats_of(kmeans)) != kmeans->guard.best)
        return memory_damaged(err, "the best centers");
    return STATUS_OK;
}

static uint64_t waited_ms(const void *self)
{
    const struct kmeans *kmeans = self;

    return dataset_waited_ms(kmeans->dataset);
}

/* An iteration needs all rows, and keeps something of each (8 bytes). */
static struct learner_course course(const void *self)
{
    const struct kmeans *kmeans = self;

    return (struct learner_course){row_store_expects(kmeans->dataset) ? 1 : 0, 1};
}

static enum status verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    const struct kmeans *kmeans = self;

    return row_store_verify(kmeans->dataset, position, most, err);
}

/* The first lane of which this worker knows nearest centers. */
static uint32_t first_computed(const struct kmeans *kmeans)
{
    for (uint32_t lane = 0; lane < kmeans->lanes; lane++)
        if (kmeans->nearest_run[lane] > 0)
            return lane;
    return 0;
}

static void *memory(void *self, const char *name, size_t *size)
{
    struct kmeans *kmeans = self;
    float *dense = kmeans->dataset->train.dense;
    const size_t floats = floats_of(kmeans) * sizeof(float);
    const uint32_t lane = first_computed(kmeans);
    const size_t first = lane_first(kmeans, lane), rows = lane_first(kmeans, lane + 1) - first;
    const struct {
        const char *name;
        void *bytes;
        size_t size;
    } memories[] = {
        {"weights", kmeans->arrays.centers, floats},
        {"best", kmeans->arrays.best, floats},
        {"nearest", kmeans->nearest + first, rows * sizeof *kmeans->nearest},
        {"rows", dense ? dense + first * kmeans->width : NULL,
         rows * kmeans->width * sizeof(float)},
    };

    *size = 0;
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        if (strcmp(memories[i].name, name) != 0 || !memories[i].bytes)
            continue;
        *size = memories[i].size;
        return memories[i].bytes;
    }
    return NULL;
}

/* ---- open ---- */

static enum status use_team(void *self, struct team *team, struct error *err)
{
    struct kmeans *kmeans = self;

    measuring_deinit(&kmeans->measuring);
    free(kmeans->team_rows);
    kmeans->team = team;
    kmeans->team_rows = calloc((size_t)team_size(team) * kmeans->width, sizeof(float));
    return kmeans->team_rows ? STATUS_OK : fail_no_memory(err);
}

static const struct learning table = {
    .close = kmeans_close,
    .use_team = use_team,
    .restart = restart,
    .lanes = kmeans_lanes,
    .elements_most = elements_most,
    .phase = kmeans_phase,
    .steps_total = steps_total,
    .contribute = kmeans_contribute,
    .apply = kmeans_apply,
    .state_head = state_head,
    .state_bytes = state_bytes,
    .state_read = state_read,
    .take_begin = take_begin,
    .take_piece = take_piece,
    .take_end = take_end,
    .take_abandon = take_abandon,
    .measure = measure,
    .result = result,
    .publish = publish,
    .fingerprint = fingerprint_of,
    .check = check,
    .contributed = contributed,
    .verify = verify,
    .verify_used = verify_used,
    .verify_rows = verify_rows,
    .waited_ms = waited_ms,
    .course = course,
    .memory = memory,
};

enum status kmeans_open(const struct jobspec *spec, const struct dataset *dataset,
                        struct team *team, struct learning *learning, struct error *err)
{
    struct kmeans *kmeans = calloc(1, sizeof *kmeans);
    enum status status;

    if (!kmeans)
        return fail_no_memory(err);
    kmeans->spec = spec;
    kmeans->dataset = dataset;
    kmeans->team = team;
    kmeans->params = *kmeans_params(&spec->params);
    kmeans->rows = dataset->train.rows;
    kmeans->width = dataset->transform.dense_width;
    TRY_OR(failed, status, check_plan(kmeans, err));
    kmeans->lanes =
        job_lanes(spec->lanes, spec->lanes_max, (uint32_t)kmeans->rows, floats_of(kmeans));
    kmeans->ranges = 1 + (uint32_t)(row_store_bytes(dataset, kmeans->rows) / kmeans->lanes /
                                    ROW_LANES_BUCKET_BYTES);
    TRY_OR(failed, status, allocate(kmeans, err));
    dataset_share_out(dataset, &dataset->train, kmeans->lanes * kmeans->ranges, kmeans->starts);
    kmeans->exponent = exponent_of(kmeans);
    TRY_OR(failed, status, compute_fingerprint(kmeans, err));
    restart(kmeans);
    *learning = table;
    learning->self = kmeans;
    return STATUS_OK;
failed:
    kmeans_close(kmeans);
    return status;
}
