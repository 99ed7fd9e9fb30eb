#include "tests/unit/learn_rows.h"

#include "kinds/network/network_attributes.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/random.h"
#include "runtime/data/dataset/dataset_encode.h"
#include "runtime/data/dataset/dataset_summary.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/spool/row_order.h"
#include "runtime/learners/learners.h"

#define SUMMARIES 4096 /* columns of the widest rows here */
#define SEED      5

static double draw(uint64_t a, uint64_t b)
{
    return 2 * random_uniform(7, RANDOM_SIMULATION, a, b) - 1;
}

static struct row_hash hash_of(uint64_t key)
{
    return (struct row_hash){.low = random_bits(3, RANDOM_SIMULATION, key, 0), .high = key};
}

/* Orders rows as those of a data set lie. */
static int compare_keys(const void *a, const void *b)
{
    const struct row_key key = {SEED, RANDOM_LANE, 0};
    const struct row_hash x = hash_of(*(const uint64_t *)a), y = hash_of(*(const uint64_t *)b);
    const uint64_t of_x = row_key_bits(&key, &x), of_y = row_key_bits(&key, &y);

    return (of_x > of_y) - (of_x < of_y);
}

static void fill_row(const struct rows_shape *shape, struct dataset_part *part, uint32_t row,
                     uint64_t key)
{
    double score = 0;

    for (uint32_t j = 0; j < shape->dense; j++) {
        part->dense[(size_t)row * shape->dense + j] = (float)(1.7 * draw(key, j));
        score += part->dense[(size_t)row * shape->dense + j] * draw(1, j);
    }
    for (uint32_t j = 0; j < shape->ids; j++) {
        uint32_t own = shape->id_rows / shape->ids; /* rows of each category input */
        uint32_t id = (uint32_t)((draw(key, 1000 + j) + 1) / 2 * (own + 1));

        part->ids[(size_t)row * shape->ids + j] = id == own ? -1 : (int32_t)(j * own + id);
        score += draw(2, id);
    }
    score += 0.2 * draw(key, 2000);
    if (shape->classes)
        part->classes[row] =
            (int32_t)fmin(shape->classes - 1, fmax(0, floor((score + 1.5) / 3 * shape->classes)));
    else
        part->values[row] = (float)(score + 0.3 * sin(3 * score));
    part->hashes[row] = hash_of(key);
}

static void fill_part(const struct rows_shape *shape, struct dataset_part *part, uint32_t rows,
                      uint64_t first_key)
{
    uint64_t *keys = calloc(rows + 1u, sizeof *keys);

    part->rows = rows;
    part->dense = calloc((size_t)rows * shape->dense + 1, sizeof *part->dense);
    part->ids = calloc((size_t)rows * shape->ids + 1, sizeof *part->ids);
    if (shape->classes)
        part->classes = calloc(rows + 1, sizeof *part->classes);
    else
        part->values = calloc(rows + 1, sizeof *part->values);
    part->hashes = calloc(rows + 1, sizeof *part->hashes);
    for (uint32_t row = 0; row < rows; row++)
        keys[row] = first_key + row;
    qsort(keys, rows, sizeof *keys, compare_keys);
    for (uint32_t row = 0; row < rows; row++)
        fill_row(shape, part, row, keys[row]);
    free(keys);
}

/* ---- rows that are hidden ---- */

static void close_part(struct dataset_part *part)
{
    free(part->dense);
    free(part->ids);
    free(part->classes);
    free(part->values);
    free(part->hashes);
}

#define HIDDEN_ID 0x40000000 /* an id of no table's row */

/* The rows of a part, and how often each is held. */
struct hidden_part {
    struct dataset_part rows;
    uint32_t *holders; /* (rows) */
};

struct hidden {
    struct hidden_part train, validation;
    uint32_t loads_left;
};

static struct hidden_part *hidden_of(void *context, const struct dataset *dataset,
                                     const struct dataset_part *part)
{
    struct hidden *hidden = context;

    return part == &dataset->train ? &hidden->train : &hidden->validation;
}

static void copy_row(const struct dataset *dataset, const struct dataset_part *from,
                     const struct dataset_part *to, uint64_t row)
{
    const size_t dense = dataset->transform.dense_width, ids = dataset->transform.id_count;

    memcpy(to->dense + row * dense, from->dense + row * dense, dense * sizeof *to->dense);
    memcpy(to->ids + row * ids, from->ids + row * ids, ids * sizeof *to->ids);
    if (to->classes)
        to->classes[row] = from->classes[row];
    else
        to->values[row] = from->values[row];
}

static void hide_row(const struct dataset *dataset, const struct dataset_part *part, uint64_t row)
{
    const size_t dense = dataset->transform.dense_width, ids = dataset->transform.id_count;

    for (size_t i = 0; i < dense; i++)
        part->dense[row * dense + i] = NAN;
    for (size_t i = 0; i < ids; i++)
        part->ids[row * ids + i] = HIDDEN_ID;
    if (part->classes)
        part->classes[row] = HIDDEN_ID;
    else
        part->values[row] = NAN;
}

static enum status load_rows(void *context, const struct dataset *dataset,
                             const struct dataset_part *part, uint64_t first, uint64_t end,
                             struct team *team, struct error *err)
{
    const struct hidden_part *hidden = hidden_of(context, dataset, part);
    uint32_t *left = &((struct hidden *)context)->loads_left;
    (void)team;

    if (*left == 0)
        return fail(err, STATUS_IO, "rows %llu to %llu cannot be read", (unsigned long long)first,
                    (unsigned long long)end);
    --*left;
    for (uint64_t row = first; row < end; row++)
        if (hidden->holders[row]++ == 0)
            copy_row(dataset, &hidden->rows, part, row);
    return STATUS_OK;
}

static void drop_rows(void *context, const struct dataset *dataset, const struct dataset_part *part,
                      uint64_t first, uint64_t end)
{
    const struct hidden_part *hidden = hidden_of(context, dataset, part);

    for (uint64_t row = first; row < end; row++)
        if (--hidden->holders[row] == 0)
            hide_row(dataset, part, row);
}

static void hide_part(const struct dataset *dataset, struct dataset_part *part,
                      struct hidden_part *hidden)
{
    const size_t rows = part->rows, dense = dataset->transform.dense_width;

    hidden->rows = (struct dataset_part){
        .rows = part->rows,
        .dense = calloc(rows * dense + 1, sizeof *part->dense),
        .ids = calloc(rows * dataset->transform.id_count + 1, sizeof *part->ids),
        .classes = part->classes ? calloc(rows + 1, sizeof *part->classes) : NULL,
        .values = part->values ? calloc(rows + 1, sizeof *part->values) : NULL,
    };
    hidden->holders = calloc(rows + 1, sizeof *hidden->holders);
    dataset_sum_hashes(dataset, part);
    for (uint32_t row = 0; row < part->rows; row++) {
        copy_row(dataset, part, &hidden->rows, row);
        hide_row(dataset, part, row);
    }
}

static void show_part(const struct dataset *dataset, struct dataset_part *part,
                      struct hidden_part *hidden)
{
    for (uint32_t row = 0; row < part->rows; row++)
        copy_row(dataset, &hidden->rows, part, row);
    close_part(&hidden->rows);
    free(hidden->holders);
}

static float greatest_dense(const struct dataset *dataset, const struct dataset_part *part)
{
    const size_t width = dataset->transform.dense_width;
    float greatest = 0;

    for (size_t i = 0; i < part->rows * width; i++)
        greatest = fmaxf(greatest, fabsf(part->dense[i]));
    return greatest;
}

static void open_store(struct dataset *dataset, const struct row_source *source)
{
    struct error err;

    assert(!dataset->store);
    dataset->dense_greatest = fmaxf(greatest_dense(dataset, &dataset->train),
                                    greatest_dense(dataset, &dataset->validation));
    if (dataset_take_sample(dataset, NULL, &err) != STATUS_OK ||
        row_store_open(dataset, source, NULL, &err) != STATUS_OK)
        abort();
}

void hide_rows(struct dataset *dataset)
{
    struct hidden *hidden = calloc(1, sizeof *hidden);

    assert(hidden);
    hidden->loads_left = UINT32_MAX;
    open_store(dataset,
               &(struct row_source){.context = hidden, .load = load_rows, .drop = drop_rows});
    hide_part(dataset, &dataset->train, &hidden->train);
    hide_part(dataset, &dataset->validation, &hidden->validation);
}

void show_rows(struct dataset *dataset)
{
    struct hidden *hidden;

    if (!dataset->store)
        return;
    hidden = dataset->store->source.context;
    if (hidden) {
        show_part(dataset, &dataset->train, &hidden->train);
        show_part(dataset, &dataset->validation, &hidden->validation);
    }
    free(hidden);
    row_store_close(dataset);
    part_free(&dataset->sample);
}

void keep_rows(struct dataset *dataset)
{
    show_rows(dataset);
    open_store(dataset, NULL);
}

void lose_rows_after(struct dataset *dataset, uint32_t loads)
{
    ((struct hidden *)dataset->store->source.context)->loads_left = loads;
}

uint32_t held_rows(const struct dataset *dataset, const struct dataset_part *part)
{
    const struct hidden_part *hidden = hidden_of(dataset->store->source.context, dataset, part);
    uint32_t held = 0;

    for (uint32_t row = 0; row < part->rows; row++)
        held += hidden->holders[row] > 0;
    return held;
}

/* ---- data sets ---- */

/* Whichever column the label is: its numbers are about label_mean. */
static struct spool_column_summary summaries[SUMMARIES] = {
    [0 ... SUMMARIES - 1] = {.nulls = 0, .least = 1, .greatest = 20}};

struct dataset made_dataset(struct rows_shape shape)
{
    struct dataset dataset = {.label_mean = 10, .label_scale = 2.5, .seed = SEED, .shuffle = true};

    dataset.spool.summaries = dataset.validation_spool.summaries = summaries;
    if (shape.classes) {
        dataset.label_mean = 0;
        dataset.label_scale = 1;
        dataset.labels.type = LABEL_INTEGER;
        dataset.labels.count = shape.classes;
        dataset.labels.values = calloc(shape.classes, sizeof *dataset.labels.values);
        dataset.class_weights = calloc(shape.classes, sizeof *dataset.class_weights);
        dataset.class_counts = calloc(shape.classes, sizeof *dataset.class_counts);
        for (uint32_t i = 0; i < shape.classes; i++) {
            dataset.class_counts[i] = 1;
            dataset.labels.values[i] = (struct cell){.type = CELL_INTEGER, .integer = i};
            dataset.class_weights[i] = 1;
        }
    }
    dataset.transform.dense_width = shape.dense;
    dataset.transform.id_count = shape.ids;
    dataset.transform.id_inputs = shape.ids;
    dataset.transform.id_rows = shape.id_rows;
    fill_part(&shape, &dataset.train, shape.train, 1);
    fill_part(&shape, &dataset.validation, shape.validation, 1000000);
    hide_rows(&dataset);
    return dataset;
}

/* None, some or all of the words that a text may have, each of another row of the table. */
static void fill_words(const struct rows_shape *shape, uint32_t words, struct dataset_part *part)
{
    const uint32_t first = shape->ids - words, own = shape->id_rows / shape->ids;

    for (uint32_t row = 0; row < part->rows; row++)
        for (uint32_t j = 0; j < words; j++)
            part->ids[(size_t)row * shape->ids + first + j] =
                j < row % (words + 1) ? (int32_t)((first + j) * own + row % own) : -1;
}

struct dataset made_text_dataset(struct rows_shape shape, uint32_t words)
{
    struct dataset dataset = made_dataset(shape);

    show_rows(&dataset);
    dataset.transform.id_inputs -= words - 1;
    dataset.transform.text_count = 1;
    dataset.transform.texts = calloc(1, sizeof *dataset.transform.texts);
    *dataset.transform.texts = (struct text_ids){.first = shape.ids - words, .count = words};
    fill_words(&shape, words, &dataset.train);
    fill_words(&shape, words, &dataset.validation);
    hide_rows(&dataset);
    return dataset;
}

void made_dataset_close(struct dataset *dataset)
{
    show_rows(dataset);
    close_part(&dataset->train);
    close_part(&dataset->validation);
    free(dataset->transform.texts);
    free(dataset->labels.values);
    free(dataset->class_weights);
    free(dataset->class_counts);
}

/* ---- more rows than fit into memory ---- */

#define HUGE_RANGE_BITS 16

static enum status load_huge(void *context, const struct dataset *dataset,
                             const struct dataset_part *part, uint64_t first, uint64_t end,
                             struct team *team, struct error *err)
{
    (void)context;
    (void)dataset;
    (void)team;
    (void)err;
    for (uint64_t row = first; row < end; row++) {
        part->values[row] = HUGE_LABEL;
        part->hashes[row] = hash_of(row);
    }
    return STATUS_OK;
}

static void drop_huge(void *context, const struct dataset *dataset, const struct dataset_part *part,
                      uint64_t first, uint64_t end)
{
    (void)context;
    (void)dataset;
    for (uint64_t row = first; row < end; row++)
        part->values[row] = NAN;
}

/* Range by range about as many rows. */
static uint64_t *huge_starts(uint64_t rows)
{
    const uint64_t ranges = (uint64_t)1 << HUGE_RANGE_BITS;
    uint64_t *starts = calloc(ranges + 1, sizeof *starts);

    assert(starts);
    for (uint64_t range = 0; range <= ranges; range++)
        starts[range] = (uint64_t)((unsigned __int128)rows * range / ranges);
    return starts;
}

struct dataset huge_dataset(uint64_t rows)
{
    const struct row_source source = {.load = load_huge, .drop = drop_huge, .has_sample = true};
    struct dataset dataset = {
        .label_scale = 1, .seed = SEED, .shuffle = true, .transform = {.dense_width = 1}};

    if (part_allocate(&dataset, TASK_REGRESSION, rows, &dataset.train, NULL) != STATUS_OK ||
        row_store_open(&dataset, &source, NULL, NULL) != STATUS_OK)
        abort();
    dataset.train.range_starts = huge_starts(rows);
    dataset.train.range_bits = HUGE_RANGE_BITS;
    return dataset;
}

void huge_dataset_close(struct dataset *dataset)
{
    row_store_close(dataset);
    free((void *)dataset->train.range_starts);
    part_free(&dataset->train);
}

struct jobspec made_spec(const struct dataset *dataset)
{
    struct jobspec spec = {
        .estimator = SLICE("DNNClassifier"),
        .family = SLICE("network"),
        .task = dataset->labels.count ? TASK_CLASSIFICATION : TASK_REGRESSION,
        .label = SLICE("y"),
        .batch_size = 32,
        .epochs = 3,
        .seed = dataset->seed,
        .shuffle = true,
        .lanes = 8,
        .lanes_max = 64,
    };

    *network_params(&spec.params) = (struct network_params){
        .hidden_units = {{8, 5}, 2},
        .activation = NETWORK_ACTIVATION_RELU,
        .optimizer = OPTIMIZER_ADAM,
        .learning_rate = 0.01,
        .momentum = 0.9,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .rho = 0.9,
        .epsilon = 1e-8,
        .initial_accumulator = 0.1,
        .weight_decay = 0.01,
        .rate_power = -0.5,
        .ftrl_l1 = 0.001,
        .decay_rate = 0.1,
        .power = 1,
        .huber_delta = REAL_AUTOMATIC,
        .quantile_level = 0.5,
        .focal_gamma = 2,
    };
    return spec;
}

void learned_sums_init(struct sums *sums, const struct phase *phase)
{
    enum status status;
    struct error err;

    sums->integers = calloc(phase->integer_count + 1, sizeof *sums->integers);
    sums->fixed = calloc(phase_elements(phase) + 1, sizeof *sums->fixed);
    sums->reals = calloc(phase_elements(phase) + 1, sizeof *sums->reals);
    sums->rows = (struct touched_rows){.rows = NULL};
    status = touched_rows_make(&sums->rows, phase->table.rows, &err);
    assert(sums->integers && sums->fixed && sums->reals && status == STATUS_OK);
    (void)status;
}

void learned_sums_deinit(struct sums *sums)
{
    free(sums->integers);
    free(sums->fixed);
    free(sums->reals);
    touched_rows_deinit(&sums->rows);
}

static void add_sums(struct sums *to, const struct sums *from, const struct phase *phase)
{
    for (uint32_t i = 0; i < phase->integer_count; i++)
        to->integers[i] += from->integers[i];
    for (uint32_t i = 0; i < phase->real_count; i++)
        to->fixed[i] += from->fixed[i];
    for (uint32_t i = 0; i < from->rows.count; i++) {
        const uint32_t width = phase->table.width, dense = phase->real_count;
        const uint32_t at = dense + touched_rows_add(&to->rows, from->rows.rows[i]) * width;

        for (uint32_t u = 0; u < width; u++)
            to->fixed[at + u] += from->fixed[dense + i * width + u];
    }
}

enum status open_descent(const struct jobspec *spec, const struct dataset *dataset,
                         struct team *team, struct descent **descent, struct error *err)
{
    struct learner *learning = NULL;
    const enum status status = learning_open(spec, dataset, team, &learning, err);

    *descent = (struct descent *)learning;
    return status;
}

static enum status compute(struct descent *descent, uint32_t workers, uint32_t mix,
                           struct sums *total, struct error *err)
{
    const uint32_t lanes = descent->learner.lanes;
    enum status status = STATUS_OK;

    for (uint32_t w = workers; w-- > 0;) {
        struct sums own;
        uint32_t done;

        learned_sums_init(&own, &descent->learner.phase);
        for (uint32_t i = 0; i < lanes && status == STATUS_OK; i++) {
            uint32_t lane = mix % 2 ? lanes - 1 - i : i;
            if ((lane * (2 * mix + 1) + mix) % workers == w)
                status = learner_contribute(&descent->learner, lane, 1, own.integers, own.fixed,
                                            &own.rows, &done, err);
        }
        add_sums(total, &own, &descent->learner.phase);
        learned_sums_deinit(&own);
    }
    return status;
}

enum status run_phase(struct descent *descent, uint32_t workers, uint32_t mix,
                      struct learner_report *report, struct error *err)
{
    const struct phase phase = descent->learner.phase;
    struct sums total;
    enum status status;

    learned_sums_init(&total, &phase);
    status = compute(descent, workers, mix, &total, err);
    for (uint32_t s = 0; s < workers; s++) {
        uint32_t first = (uint32_t)((uint64_t)phase.real_count * s / workers);
        uint32_t end = (uint32_t)((uint64_t)phase.real_count * (s + 1) / workers);

        learner_resolve(&descent->learner, total.fixed + first, first, end - first,
                        total.reals + first);
    }
    for (uint32_t i = 0; i < total.rows.count; i++) {
        const uint32_t at = phase.real_count + i * phase.table.width;

        learner_resolve(&descent->learner, total.fixed + at, at, phase.table.width,
                        total.reals + at);
    }
    if (status == STATUS_OK)
        status = learner_apply(
            &descent->learner,
            &(struct phase_totals){total.integers, NULL, total.reals, &total.rows}, report, err);
    learned_sums_deinit(&total);
    return status;
}

enum status run_job(struct descent *descent, uint32_t workers, uint32_t mix, struct error *err)
{
    struct learner_report report;

    while (descent->learner.phase.kind != PHASE_DONE)
        TRY(run_phase(descent, workers, mix, &report, err));
    return STATUS_OK;
}

enum status export_descent(const struct descent *descent, struct model *model,
                           struct result_metric metrics[LEARNER_METRICS_MAX], size_t *count,
                           struct error *err)
{
    *model = descent->learner.model;
    measuring_finish(&descent->learner.measuring, model);
    return measuring_list(&descent->learner.measuring, metrics, count, err);
}

enum status measure_and_export(struct descent *descent, struct model *model,
                               struct result_metric metrics[LEARNER_METRICS_MAX], size_t *count,
                               struct error *err)
{
    bool is_done;

    do
        TRY(learner_measure(&descent->learner, &is_done, err));
    while (!is_done);
    return export_descent(descent, model, metrics, count, err);
}

void save_state(struct descent *descent, struct text *out)
{
    const uint64_t size = learner_state_bytes(&descent->learner);
    char *body = malloc(size);
    struct text head;

    text_init(&head, 1 << 16);
    if (!body || learner_state_head(&descent->learner, &head, NULL) != STATUS_OK)
        abort();
    put_sized(out, text_slice(&head));
    learner_state_read(&descent->learner, 0, size, body);
    text_append(out, (struct slice){body, size});
    if (out->failed)
        abort();
    text_deinit(&head);
    free(body);
}

enum status load_state(struct descent *descent, struct slice state, struct error *err)
{
    struct byte_reader reader = byte_reader_over(state);
    const struct slice head = read_sized(&reader, 1 << 16);
    const uint64_t size = (uint64_t)(reader.end - reader.at);
    uint64_t at = 0;

    if (reader.failed)
        return fail(err, STATUS_CORRUPT, "the state has no head");
    TRY(learner_take_begin(&descent->learner, head, size, err));
    while (at < size) {
        const size_t piece = size - at < 1021 ? (size_t)(size - at) : 1021;

        learner_take_piece(&descent->learner, at,
                           (struct slice){(const char *)reader.at + at, piece});
        at += piece;
    }
    return learner_take_end(&descent->learner, err);
}
