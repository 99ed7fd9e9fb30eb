#include "runtime/learn/newton.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/progress.h"
#include "base/words.h"
#include "jobspec/job_size.h"
#include "jobspec/jobspec_fingerprint.h"
#include "kinds/linear/linear_attributes.h"
#include "kinds/linear/linear_kind.h"
#include "kinds/network/network_model.h"
#include "runtime/data/row_lanes.h"
#include "runtime/data/row_store.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/learner_state.h"
#include "runtime/learn/measuring.h"
#include "runtime/learn/newton_lanes.h"
#include "runtime/learn/newton_solve.h"
#include "scoring/elementary.h"

#define PART_BITS         50
#define PART_ONE          0x1p50
#define WHOLE_MOST        0x1p51 /* of a lane: 1024 of them fit into 63 bits */
#define SHARE_LEAST       1e-16  /* of the rows, that a class begins with */
#define FINGERPRINT_BYTES ((size_t)1 << 20)

/* The few integers of a phase: the loss, and how many sums of lanes were too large. */
enum { LOSS_WHOLE, LOSS_PART, TOO_LARGE, NEWTON_INTEGERS };

enum newton_stage { NEWTON_START, NEWTON_ROUND };

/* The part of the state that is no array. */
struct newton_progress {
    struct phase phase;
    enum newton_stage stage;
    double weight; /* the sum of the rows' weights, once it is known */
};

/* A state on its way here. */
struct newton_taking {
    bool is_active;
    uint64_t body_hash;
    struct newton_progress progress;
    double *weights;
};

struct newton {
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *team;
    struct linear_params params;
    uint32_t lanes, ranges; /* ranges: of each lane, whose rows are held one after the other */
    uint32_t outputs, columns;
    uint64_t rows, contributed, fingerprint;
    uint32_t computed; /* the lane that was computed here last */
    struct newton_progress progress;
    double *weights; /* (outputs, columns): of the transform's inputs, bias first */
    uint32_t weights_sum;
    struct newton_taking taking;
    struct measuring measuring;
    uint64_t *starts; /* (lanes * ranges + 1): the first row of each range */
    struct newton_lane lane;
    struct newton_direction *directions; /* (direction_count) */
    uint32_t direction_count;
    double *products, *gradient; /* (columns, columns), (columns): of the output that moves */
    /* The model as it is stored. */
    float *layer_weights, *layer_bias; /* (columns - 1, outputs), (outputs) */
    struct layer layer;
    struct network_model content;
};

static size_t weights_of(const struct newton *newton)
{
    return (size_t)newton->outputs * newton->columns;
}

/* ---- the plan ---- */

/* The weights' sum, and that of the labels or of each class; each is two integers. */
static uint32_t start_sums(const struct newton *newton)
{
    return 1 + (newton->dataset->train.classes ? newton->dataset->labels.count : 1);
}

static uint32_t start_elements(const struct newton *newton)
{
    return 2 * start_sums(newton);
}

static uint32_t round_elements(const struct newton *newton)
{
    return 2 * newton->outputs * (uint32_t)(newton->columns + newton_pairs(newton->columns));
}

static void describe_phase(struct newton *newton)
{
    struct phase *phase = &newton->progress.phase;

    phase->rows = newton->rows;
    phase->epoch = (uint32_t)phase->step;
    phase->integer_count = NEWTON_INTEGERS;
    phase->owned_count =
        newton->progress.stage == NEWTON_START ? start_elements(newton) : round_elements(newton);
    if (phase->kind != PHASE_DONE)
        return;
    phase->rows = 0;
    phase->integer_count = phase->owned_count = 0;
}

/* While its rows are computed with, those of the lane's next range come. */
static enum status hold_range(const struct newton *newton, uint32_t range, struct error *err)
{
    TRY(row_store_hold(newton->dataset, &newton->dataset->train, newton->starts[range],
                       newton->starts[range + 1], newton->team, err));
    if ((range + 1) % newton->ranges != 0)
        row_store_expect(newton->dataset, &newton->dataset->train, newton->starts[range + 1],
                         newton->starts[range + 2]);
    return STATUS_OK;
}

static void release_range(const struct newton *newton, uint32_t range)
{
    row_store_release(newton->dataset, &newton->dataset->train, newton->starts[range],
                      newton->starts[range + 1]);
}

static void guard_weights(struct newton *newton)
{
    newton->weights_sum = words_sum(newton->weights, weights_of(newton) * 2);
}

static enum status allocate(struct newton *newton, struct error *err)
{
    const size_t columns = newton->columns, weights = weights_of(newton);

    TRY(newton_lane_init(&newton->lane, newton->dataset, newton->outputs, err));
    newton->direction_count = newton_direction_count(&newton->dataset->transform);
    newton->weights = calloc(weights, sizeof(double));
    newton->starts = calloc((size_t)newton->lanes * newton->ranges + 1, sizeof *newton->starts);
    newton->directions = calloc(newton->direction_count + 1u, sizeof *newton->directions);
    newton->products = calloc(columns * columns, sizeof(double));
    newton->gradient = calloc(columns, sizeof(double));
    newton->layer_weights = calloc(weights, sizeof(float));
    newton->layer_bias = calloc(newton->outputs, sizeof(float));
    if (newton->weights && newton->starts && newton->directions && newton->products &&
        newton->gradient && newton->layer_weights && newton->layer_bias)
        return STATUS_OK;
    return fail_no_memory(err);
}

static enum status check_plan(const struct newton *newton, struct error *err)
{
    const struct transform *transform = &newton->dataset->transform;
    const uint64_t columns = (uint64_t)transform->dense_width + transform->id_rows + 1;
    const struct kind_shape shape = {.task = newton->spec->task,
                                     .classes = newton->dataset->labels.count,
                                     .dense = transform->dense_width,
                                     .ids = transform->id_inputs,
                                     .id_rows = transform->id_rows};
    const struct kind_cost cost = linear_kind.cost(&newton->spec->params, &shape);
    const double bytes = job_learner_bytes(&cost, false, (double)newton->rows);
    const uint64_t most = learner_bytes_max(newton->spec);

    if (columns > LINEAR_COLUMNS_MAX) {
        fail(err, STATUS_LIMIT,
             "a linear model of %llu columns, %u of them words, where one that is learned by "
             "coordinate descent has at most %d",
             (unsigned long long)columns, transform->id_rows, LINEAR_COLUMNS_MAX);
        return error_hint(err, "LinearClassifier and LinearRegressor take any number; or select "
                               "fewer columns, or take fewer words by VOCABULARY(column, n).");
    }
    if (bytes <= (double)most)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "%u outputs of %llu columns need %.0f bytes to train, and a worker has at most %llu",
         newton->outputs, (unsigned long long)columns, bytes, (unsigned long long)most);
    return learner_hint_bytes(newton->spec, "Select fewer columns.", err);
}

static enum status compute_fingerprint(struct newton *newton, struct error *err)
{
    struct text bytes;
    bool failed;

    text_init(&bytes, FINGERPRINT_BYTES);
    jobspec_put_settings(newton->spec, &bytes);
    put_u32(&bytes, newton->lanes);
    put_u32(&bytes, newton->columns);
    put_u32(&bytes, newton->outputs);
    state_put_data(newton->dataset, &bytes);
    newton->fingerprint = bytes_hash(bytes.data, bytes.size, 0);
    failed = bytes.failed;
    text_deinit(&bytes);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

static void newton_close(void *self)
{
    struct newton *newton = self;

    measuring_deinit(&newton->measuring);
    newton_lane_deinit(&newton->lane);
    free(newton->taking.weights);
    free(newton->weights);
    free(newton->starts);
    free(newton->directions);
    free(newton->products);
    free(newton->gradient);
    free(newton->layer_weights);
    free(newton->layer_bias);
    free(newton);
}

static const struct phase *newton_phase(const void *self)
{
    return &((const struct newton *)self)->progress.phase;
}

static uint32_t newton_lanes(const void *self)
{
    return ((const struct newton *)self)->lanes;
}

static uint32_t elements_most(const void *self)
{
    const struct newton *newton = self;
    const uint32_t start = start_elements(newton), round = round_elements(newton);

    return start > round ? start : round;
}

static uint64_t steps_total(const void *self)
{
    return ((const struct newton *)self)->params.rounds;
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

static void add_sums(struct newton *newton, const double *values, size_t count, int64_t *integers,
                     int64_t *sums)
{
    for (size_t i = 0; i < count; i++) {
        int64_t whole = 0, part = 0;

        split_sum(values[i], &whole, &part, &integers[TOO_LARGE]);
        sums[2 * i] += whole;
        sums[2 * i + 1] += part;
        newton->contributed += (uint64_t)whole + (uint64_t)part;
    }
}

static double sum_of(const int64_t *sums)
{
    const int64_t units = (int64_t)1 << PART_BITS;

    return (double)(sums[0] + sums[1] / units) + (double)(sums[1] % units) / PART_ONE;
}

/* Weights, then weights times labels, or the weights of each class. */
static enum status contribute_start(struct newton *newton, uint32_t lane, int64_t *integers,
                                    int64_t *sums, struct error *err)
{
    const struct dataset_part *part = &newton->dataset->train;
    const uint32_t count = start_sums(newton);
    double *added = calloc(count, sizeof *added);

    if (!added)
        return fail_no_memory(err);
    for (uint32_t range = lane * newton->ranges; range < (lane + 1) * newton->ranges; range++) {
        const enum status status = hold_range(newton, range, err);

        if (status != STATUS_OK) {
            free(added);
            return status;
        }
        for (uint64_t i = newton->starts[range]; i < newton->starts[range + 1]; i++) {
            const double weight = newton_row_weight(newton->dataset, i);

            added[0] += weight;
            added[1 + (part->classes ? part->classes[i] : 0)] +=
                part->classes ? weight : weight * (double)part->values[i];
        }
        release_range(newton, range);
    }
    add_sums(newton, added, count, integers, sums);
    free(added);
    return STATUS_OK;
}

static enum status contribute_round(struct newton *newton, uint32_t lane, int64_t *integers,
                                    int64_t *sums, struct error *err)
{
    const size_t weights = weights_of(newton);
    int64_t whole = 0, part = 0;

    newton_lane_clear(&newton->lane);
    for (uint32_t range = lane * newton->ranges; range < (lane + 1) * newton->ranges; range++) {
        TRY(hold_range(newton, range, err));
        newton_lane_add(&newton->lane, newton->weights, newton->starts[range],
                        newton->starts[range + 1], newton->team);
        release_range(newton, range);
        progress_note();
    }
    split_sum(newton->lane.loss, &whole, &part, &integers[TOO_LARGE]);
    integers[LOSS_WHOLE] += whole;
    integers[LOSS_PART] += part;
    add_sums(newton, newton->lane.gradients, weights, integers, sums);
    add_sums(newton, newton->lane.products, newton->outputs * newton_pairs(newton->columns),
             integers, sums + 2 * weights);
    return STATUS_OK;
}

/* One lane. */
static enum status newton_contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                                     int64_t *sums, struct touched_rows *rows, uint32_t *done,
                                     struct error *err)
{
    struct newton *newton = self;
    (void)count, (void)rows;

    progress_note();
    *done = 1;
    newton->computed = first;
    return newton->progress.stage == NEWTON_START
               ? contribute_start(newton, first, integers, sums, err)
               : contribute_round(newton, first, integers, sums, err);
}

/* ---- apply ---- */

static void next_phase(struct newton *newton)
{
    newton->progress.phase.number++;
    describe_phase(newton);
}

static double log_share(const struct newton *newton, const int64_t *owned, uint32_t class)
{
    const double share = sum_of(owned + 2 * (1 + class)) / newton->progress.weight;

    return logarithm_double(share > SHARE_LEAST ? share : SHARE_LEAST);
}

/* What the output of the second of two classes begins with, by default so that the classes have
 * their shares of the rows as probabilities. More than two begin alike, as in XGBoost. */
static double class_start(const struct newton *newton, const int64_t *owned)
{
    const double base = newton->params.base_score;

    if (newton->outputs > 1)
        return 0;
    return base != REAL_AUTOMATIC ? logarithm_double(base / (1 - base))
                                  : log_share(newton, owned, 1) - log_share(newton, owned, 0);
}

static double number_start(const struct newton *newton, const int64_t *owned)
{
    const struct dataset *dataset = newton->dataset;

    if (newton->params.base_score == REAL_AUTOMATIC)
        return sum_of(owned + 2) / newton->progress.weight;
    return (newton->params.base_score - dataset->label_mean) / dataset->label_scale;
}

static enum status apply_start(struct newton *newton, const int64_t *owned, struct error *err)
{
    newton->progress.weight = sum_of(owned);
    if (!(newton->progress.weight > 0))
        return fail(err, STATUS_FAILED, "the rows' weights have no sum");
    for (uint32_t k = 0; k < newton->outputs; k++)
        newton->weights[(size_t)k * newton->columns] = newton->dataset->train.classes
                                                           ? class_start(newton, owned)
                                                           : number_start(newton, owned);
    newton->progress.stage = NEWTON_ROUND;
    next_phase(newton);
    return STATUS_OK;
}

/* The whole matrix of products, of which lanes add up the lower half. */
static void unfold_products(struct newton *newton, const int64_t *sums)
{
    const size_t columns = newton->columns;

    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j <= i; j++, sums += 2)
            newton->products[i * columns + j] = newton->products[j * columns + i] = sum_of(sums);
}

static void move_output(struct newton *newton, uint32_t output, const int64_t *owned)
{
    const size_t columns = newton->columns, pairs = newton_pairs(newton->columns);
    const int64_t *gradient = owned + 2 * output * columns;
    const double scale = newton->dataset->train.classes ? 1 : newton->dataset->label_scale;
    const struct newton_penalties penalties = {
        .l1 = newton->params.alpha * newton->progress.weight / scale,
        .l2 = newton->params.lambda * newton->progress.weight,
    };

    for (size_t j = 0; j < columns; j++)
        newton->gradient[j] = sum_of(gradient + 2 * j);
    unfold_products(newton, owned + 2 * weights_of(newton) + 2 * output * pairs);
    newton_sweep(newton->directions, newton->direction_count, newton->columns, newton->products,
                 penalties, newton->params.eta, newton->gradient,
                 newton->weights + output * columns);
}

static enum status apply_round(struct newton *newton, const struct phase_totals *totals,
                               struct learner_report *report, struct error *err)
{
    struct phase *phase = &newton->progress.phase;
    const double scale = newton->dataset->train.classes ? 1 : newton->dataset->label_scale;

    report->step_applied = true;
    report->rows_applied = newton->rows;
    report->train_loss = sum_of(totals->integers) * scale * scale / newton->progress.weight;
    for (uint32_t k = 0; k < newton->outputs; k++)
        move_output(newton, k, totals->owned);
    for (size_t i = 0; i < weights_of(newton); i++)
        if (!(fabs(newton->weights[i]) < (double)FLT_MAX))
            return fail(err, STATUS_FAILED, "round %llu: a weight is not finite",
                        (unsigned long long)phase->step + 1);
    phase->step++;
    report->epoch_ended = true;
    if (phase->step == newton->params.rounds)
        phase->kind = PHASE_DONE;
    next_phase(newton);
    return STATUS_OK;
}

/* CORRUPT where apply would read what is not what was written. */
static enum status verify(const void *self, struct error *err)
{
    const struct newton *newton = self;

    if (words_sum(newton->weights, weights_of(newton) * 2) != newton->weights_sum)
        return memory_damaged(err, "the weights");
    return STATUS_OK;
}

static enum status verify_used(const void *self, const struct touched_rows *rows, struct error *err)
{
    (void)rows;
    return verify(self, err);
}

static enum status newton_apply(void *self, const struct phase_totals *totals,
                                struct learner_report *report, struct error *err)
{
    struct newton *newton = self;

    *report = (struct learner_report){.epoch = newton->progress.phase.epoch + 1};
    if (newton->progress.phase.kind == PHASE_DONE)
        return fail(err, STATUS_FAILED, "nothing is left to learn");
    TRY(verify(newton, err));
    if (totals->integers[TOO_LARGE] != 0) {
        fail(err, STATUS_FAILED, "round %llu: sums over the rows are too large",
             (unsigned long long)newton->progress.phase.step + 1);
        return error_hint(err, "Look for values that are far from all others, and for sample "
                               "weights that are large.");
    }
    if (newton->progress.stage == NEWTON_START)
        TRY(apply_start(newton, totals->owned, err));
    else
        TRY(apply_round(newton, totals, report, err));
    guard_weights(newton);
    return STATUS_OK;
}

/* ---- state ---- */

static uint64_t state_bytes(const void *self)
{
    return weights_of(self) * sizeof(double);
}

static struct state_array weights_array(const struct newton *newton, double *weights)
{
    return (struct state_array){weights, state_bytes(newton)};
}

static void state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct newton *newton = self;
    const struct state_array array = weights_array(newton, newton->weights);

    state_arrays_read(&array, 1, offset, size, bytes);
}

static void put_progress(const struct newton_progress *progress, struct text *out)
{
    put_u64(out, progress->phase.number);
    put_u32(out, progress->phase.kind);
    put_u64(out, progress->phase.step);
    put_u32(out, progress->stage);
    put_u64(out, double_bits(progress->weight));
}

static enum status state_head(const void *self, struct text *head, struct error *err)
{
    const struct newton *newton = self;
    const size_t start = state_head_begin(newton->fingerprint, head);
    const struct state_array array = weights_array(newton, newton->weights);

    put_progress(&newton->progress, head);
    put_u64(head, state_arrays_hash(&array, 1));
    return state_head_end(head, start, err);
}

static bool is_possible(const struct newton *newton, const struct newton_progress *progress)
{
    const struct phase *phase = &progress->phase;
    const bool is_done = phase->kind == PHASE_DONE;

    if ((phase->kind != PHASE_LEARN && !is_done) || progress->stage > NEWTON_ROUND)
        return false;
    if (progress->stage == NEWTON_START)
        return phase->number == 0 && phase->step == 0 && !is_done;
    return phase->number == phase->step + 1 && progress->weight > 0 &&
           progress->weight < WHOLE_MOST * 1024 &&
           (is_done ? phase->step == newton->params.rounds : phase->step < newton->params.rounds);
}

static enum status read_progress(const struct newton *newton, struct byte_reader *head,
                                 struct newton_progress *progress, struct error *err)
{
    *progress = (struct newton_progress){.phase.number = read_u64(head)};
    progress->phase.kind = (enum phase_kind)read_u32(head);
    progress->phase.step = read_u64(head);
    progress->stage = (enum newton_stage)read_u32(head);
    progress->weight = double_of(read_u64(head));
    if (head->failed || !is_possible(newton, progress))
        return state_corrupt(err, "its place in the job does not exist");
    return STATUS_OK;
}

static void take_abandon(void *self)
{
    struct newton *newton = self;

    free(newton->taking.weights);
    newton->taking = (struct newton_taking){.is_active = false};
}

static enum status take_begin(void *self, struct slice head, uint64_t body_bytes, struct error *err)
{
    struct newton *newton = self;
    struct newton_taking *taking = &newton->taking;
    struct byte_reader reader;

    take_abandon(newton);
    TRY(state_head_open(head, newton->fingerprint, &reader, err));
    TRY(read_progress(newton, &reader, &taking->progress, err));
    taking->body_hash = read_u64(&reader);
    if (!reader_is_done(&reader) || body_bytes != state_bytes(newton))
        return state_corrupt(err, "it has another size");
    taking->weights = calloc(weights_of(newton), sizeof(double));
    if (!taking->weights)
        return fail_no_memory(err);
    taking->is_active = true;
    return STATUS_OK;
}

static void take_piece(void *self, uint64_t offset, struct slice bytes)
{
    struct newton *newton = self;
    const struct state_array array = weights_array(newton, newton->taking.weights);

    if (newton->taking.is_active)
        state_arrays_write(&array, 1, offset, bytes);
}

static enum status take_end(void *self, struct error *err)
{
    struct newton *newton = self;
    struct newton_taking *taking = &newton->taking;
    const struct state_array array = weights_array(newton, taking->weights);

    if (!taking->is_active)
        return state_corrupt(err, "it has no head");
    if (state_arrays_hash(&array, 1) != taking->body_hash) {
        take_abandon(newton);
        return state_corrupt(err, "its checksum does not match its bytes");
    }
    free(newton->weights);
    newton->weights = taking->weights;
    newton->progress = taking->progress;
    *taking = (struct newton_taking){.is_active = false};
    measuring_deinit(&newton->measuring);
    describe_phase(newton);
    guard_weights(newton);
    return STATUS_OK;
}

static void restart(void *self)
{
    struct newton *newton = self;

    take_abandon(newton);
    measuring_deinit(&newton->measuring);
    memset(newton->weights, 0, state_bytes(newton));
    newton->progress = (struct newton_progress){.stage = NEWTON_START};
    describe_phase(newton);
    guard_weights(newton);
}

/* ---- the model ---- */

/* The weights as floats, a row of all outputs for each column. */
static struct model fill_model(struct newton *newton)
{
    struct model model = measuring_model(newton->spec, newton->dataset);

    for (uint32_t k = 0; k < newton->outputs; k++) {
        const double *weights = newton->weights + (size_t)k * newton->columns;

        newton->layer_bias[k] = (float)weights[0];
        for (uint32_t j = 0; j + 1 < newton->columns; j++)
            newton->layer_weights[(size_t)j * newton->outputs + k] = (float)weights[1 + j];
    }
    newton->layer = (struct layer){newton->columns - 1, newton->outputs, newton->layer_weights,
                                   newton->layer_bias};
    newton->content = (struct network_model){
        .activation = ACTIVATION_IDENTITY, .layers = &newton->layer, .layer_count = 1};
    model.content = &newton->content;
    return model;
}

static enum status measure(void *self, bool *is_done, struct error *err)
{
    struct newton *newton = self;
    struct model model;

    *is_done = false;
    if (newton->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (measuring_has_begun(&newton->measuring))
        return measuring_run(&newton->measuring, is_done, err);
    model = fill_model(newton);
    return measuring_begin(&newton->measuring, &model, newton->spec, newton->dataset, newton->team,
                           (double)weights_of(newton), err);
}

/* The model as it was measured. */
static struct model measured_model(const struct newton *newton)
{
    struct model model = measuring_model(newton->spec, newton->dataset);

    model.content = &newton->content;
    return model;
}

static enum status result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                          struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                          struct error *err)
{
    const struct newton *newton = self;
    const struct model model = measured_model(newton);

    return measuring_result(&newton->measuring, &model, digest, rows, metrics, metric_count, err);
}

static enum status publish(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, model_row_sink *sink, void *context, struct error *err)
{
    const struct newton *newton = self;

    return measuring_publish(&newton->measuring, measured_model(newton), digest, next, bytes_max,
                             is_at_end, sink, context, err);
}

/* ---- memory, and what workers have in common ---- */

static uint64_t fingerprint_of(const void *self)
{
    return ((const struct newton *)self)->fingerprint;
}

static uint64_t check(const void *self)
{
    const struct newton *newton = self;
    struct text bytes;
    uint64_t hash;

    text_init(&bytes, FINGERPRINT_BYTES);
    put_progress(&newton->progress, &bytes);
    put_u32(&bytes, newton->weights_sum);
    put_u32(&bytes, words_mix(newton->weights, weights_of(newton) * 2));
    hash = bytes_hash(bytes.data, bytes.size, newton->fingerprint);
    text_deinit(&bytes);
    return hash;
}

static uint64_t contributed(const void *self)
{
    return ((const struct newton *)self)->contributed;
}

static uint64_t waited_ms(const void *self)
{
    return dataset_waited_ms(((const struct newton *)self)->dataset);
}

/* A round needs all rows. */
static struct learner_course course(const void *self)
{
    const struct newton *newton = self;

    return (struct learner_course){row_store_expects(newton->dataset) ? 1 : 0, 1};
}

static enum status verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    return row_store_verify(((const struct newton *)self)->dataset, position, most, err);
}

static void *memory(void *self, const char *name, size_t *size)
{
    struct newton *newton = self;
    float *dense = newton->dataset->train.dense;
    const uint64_t *range = newton->starts + (size_t)newton->computed * newton->ranges;
    const size_t width = newton->dataset->transform.dense_width;

    *size = state_bytes(newton);
    if (strcmp(name, "weights") == 0)
        return newton->weights;
    *size = (range[1] - range[0]) * width * sizeof(float);
    return strcmp(name, "rows") == 0 && dense && *size > 0 ? dense + range[0] * width : NULL;
}

/* ---- open ---- */

static enum status use_team(void *self, struct team *team, struct error *err)
{
    struct newton *newton = self;
    (void)err;

    measuring_deinit(&newton->measuring);
    newton->team = team;
    return STATUS_OK;
}

static const struct learning table = {
    .close = newton_close,
    .use_team = use_team,
    .restart = restart,
    .lanes = newton_lanes,
    .elements_most = elements_most,
    .phase = newton_phase,
    .steps_total = steps_total,
    .contribute = newton_contribute,
    .apply = newton_apply,
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

enum status newton_open(const struct jobspec *spec, const struct dataset *dataset,
                        struct team *team, struct learning *learning, struct error *err)
{
    struct newton *newton = calloc(1, sizeof *newton);
    enum status status;

    if (!newton)
        return fail_no_memory(err);
    newton->spec = spec;
    newton->dataset = dataset;
    newton->team = team;
    newton->params = *linear_params(&spec->params);
    newton->rows = dataset->train.rows;
    newton->columns = 1 + dataset->transform.dense_width + dataset->transform.id_rows;
    newton->outputs = network_outputs(spec->task, dataset->labels.count);
    TRY_OR(failed, status, check_plan(newton, err));
    newton->lanes =
        job_lanes(spec->lanes, spec->lanes_max, (uint32_t)newton->rows, round_elements(newton));
    newton->ranges = 1 + (uint32_t)(row_store_bytes(dataset, newton->rows) / newton->lanes /
                                    ROW_LANES_BUCKET_BYTES);
    TRY_OR(failed, status, allocate(newton, err));
    newton_directions(&dataset->transform, newton->directions);
    dataset_share_out(dataset, &dataset->train, newton->lanes * newton->ranges, newton->starts);
    TRY_OR(failed, status, compute_fingerprint(newton, err));
    restart(newton);
    *learning = table;
    learning->self = newton;
    return STATUS_OK;
failed:
    newton_close(newton);
    return status;
}
