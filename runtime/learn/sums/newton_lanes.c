#include "runtime/learn/sums/newton_lanes.h"

#include <stdlib.h>

#include "scoring/numbers/elementary.h"

#define CHUNK_ROWS    256
#define ROW_TASK      32 /* rows of a task that computes derivatives */
#define ROWS_AT_ONCE  8
#define COLUMNS_TASK  8 /* columns of a task that adds products */
#define HESSIAN_LEAST 1e-16

/* A column of a row that an id selects. */
struct selected {
    uint32_t column;
    double value;
};

struct newton_chunk {
    const double *weights;
    uint64_t first;
    uint32_t rows, dense;      /* dense: columns that are not of ids, the bias among them */
    double *x;                 /* (CHUNK_ROWS, dense) */
    struct selected *selected; /* (CHUNK_ROWS, id_count) */
    uint32_t *selected_count;  /* (CHUNK_ROWS) */
    float *row;                /* (CHUNK_ROWS, dense_width) */
    double *first_order;       /* (CHUNK_ROWS, outputs): dL/dz */
    double *second_order;      /* (CHUNK_ROWS, blocks): d2L/dz2 */
    double *losses;            /* (CHUNK_ROWS) */
};

double newton_row_weight(const struct dataset *dataset, uint64_t row)
{
    const struct dataset_part *part = &dataset->train;
    const float *weights = part->roles[ROLE_SAMPLE_WEIGHT];
    const double weight = weights ? (double)weights[row] : 1;

    return part->classes && dataset->class_weights
               ? weight * (double)dataset->class_weights[part->classes[row]]
               : weight;
}

static double offset_of(const struct dataset *dataset, uint64_t row)
{
    const struct transform *transform = &dataset->transform;

    return transform->offset_width > 0
               ? transform_offset(transform, dataset->train.dense + row * transform->dense_width)
               : 0;
}

double newton_label(const struct dataset *dataset, uint64_t row)
{
    return (double)dataset->train.values[row] - offset_of(dataset, row);
}

void newton_add_labels(const struct dataset *dataset, uint64_t first, uint64_t end, double *sums)
{
    const struct dataset_part *part = &dataset->train;

    for (uint64_t i = first; i < end; i++) {
        const double weight = newton_row_weight(dataset, i);

        sums[0] += weight;
        sums[1 + (part->classes ? part->classes[i] : 0)] +=
            part->classes ? weight : weight * newton_label(dataset, i);
    }
}

static void chunk_free(struct newton_chunk *chunk)
{
    if (!chunk)
        return;
    free(chunk->x);
    free(chunk->selected);
    free(chunk->selected_count);
    free(chunk->row);
    free(chunk->first_order);
    free(chunk->second_order);
    free(chunk->losses);
    free(chunk);
}

static struct newton_chunk *chunk_new(const struct transform *transform, uint32_t outputs,
                                      uint32_t blocks)
{
    struct newton_chunk *chunk = calloc(1, sizeof *chunk);

    if (!chunk)
        return NULL;
    chunk->dense = transform_features(transform) + 1;
    chunk->x = calloc((size_t)CHUNK_ROWS * chunk->dense, sizeof *chunk->x);
    chunk->selected = calloc((size_t)CHUNK_ROWS * transform->id_count + 1, sizeof *chunk->selected);
    chunk->selected_count = calloc(CHUNK_ROWS, sizeof *chunk->selected_count);
    chunk->row = calloc((size_t)CHUNK_ROWS * transform->dense_width + 1, sizeof *chunk->row);
    chunk->first_order = calloc((size_t)CHUNK_ROWS * outputs, sizeof *chunk->first_order);
    chunk->second_order = calloc((size_t)CHUNK_ROWS * blocks, sizeof *chunk->second_order);
    chunk->losses = calloc(CHUNK_ROWS, sizeof *chunk->losses);
    if (chunk->x && chunk->selected && chunk->selected_count && chunk->row && chunk->first_order &&
        chunk->second_order && chunk->losses)
        return chunk;
    chunk_free(chunk);
    return NULL;
}

enum status newton_lane_init(struct newton_lane *lane, const struct dataset *dataset,
                             uint32_t outputs, enum newton_derivatives derivatives,
                             struct error *err)
{
    *lane = (struct newton_lane){
        .dataset = dataset,
        .outputs = outputs,
        .columns = 1 + transform_features(&dataset->transform) + dataset->transform.id_rows,
        .derivatives = derivatives,
        .blocks = derivatives == NEWTON_OF_EACH ? outputs : outputs * (outputs + 1) / 2};
    lane->chunk = chunk_new(&dataset->transform, outputs, lane->blocks);
    return lane->chunk ? STATUS_OK : fail_no_memory(err);
}

void newton_lane_deinit(struct newton_lane *lane)
{
    chunk_free(lane->chunk);
    *lane = (struct newton_lane){.outputs = 0};
}

void newton_lane_use(struct newton_lane *lane, double *sums)
{
    lane->loss = sums;
    lane->gradients = sums + 1;
    lane->products = lane->gradients + (size_t)lane->outputs * lane->columns;
}

/* ---- derivatives of rows ---- */

static void select_ids(struct newton_lane *lane, uint32_t at)
{
    const struct transform *transform = &lane->dataset->transform;
    struct newton_chunk *chunk = lane->chunk;
    const int32_t *ids =
        lane->dataset->train.ids + (chunk->first + at) * (uint64_t)transform->id_count;
    struct selected *selected = chunk->selected + (size_t)at * transform->id_count;
    uint32_t count = 0;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const int32_t *own = ids + input->id_offset;

        if (input->spec.type == INPUT_CATEGORY && *own >= 0)
            selected[count++] = (struct selected){chunk->dense + (uint32_t)*own, 1};
        if (input->spec.type == INPUT_TEXT) {
            const uint32_t used = text_ids_used(own, input->spec.words_max);
            const struct text_ids text = text_ids_of(input);
            const struct text_shares shares = text_shares_of(&text, ids, used);

            for (uint32_t word = 0; word < used; word++)
                selected[count++] = (struct selected){chunk->dense + (uint32_t)own[word],
                                                      (double)text_share(&shares, word)};
        }
    }
    chunk->selected_count[at] = count;
}

static void add_rests(const struct transform *transform, const float *row, double *x)
{
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform_is_number(&transform->inputs[i]))
            x[1 + transform->inputs[i].dense_offset] +=
                (double)row[transform->inputs[i].rest_offset];
}

/* A row's products are added in the order of its columns, each after the one before: several rows
 * at once do not wait for each other. */
static void multiply_rows(const double *x, size_t stride, const double *weights, uint32_t count,
                          double sums[ROWS_AT_ONCE])
{
    memset(sums, 0, ROWS_AT_ONCE * sizeof *sums);
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t i = 0; i < ROWS_AT_ONCE; i++)
            sums[i] += x[i * stride + j] * weights[j];
}

static double multiply_row(const double *x, const double *weights, uint32_t count)
{
    double sum = 0;

    for (uint32_t j = 0; j < count; j++)
        sum += x[j] * weights[j];
    return sum;
}

/* From the last column on, as each takes those before it as they are. */
static void change_basis(const struct newton_lane *lane, uint32_t first, uint32_t end)
{
    const uint32_t dense = lane->chunk->dense;
    double *x = lane->chunk->x + (size_t)first * dense, sums[ROWS_AT_ONCE];

    for (; end - first >= ROWS_AT_ONCE; first += ROWS_AT_ONCE, x += (size_t)ROWS_AT_ONCE * dense)
        for (uint32_t j = dense; j-- > 1;) {
            multiply_rows(x, dense, lane->basis + (size_t)j * dense, j + 1, sums);
            for (uint32_t i = 0; i < ROWS_AT_ONCE; i++)
                x[(size_t)i * dense + j] = sums[i];
        }
    for (; first < end; first++, x += dense)
        for (uint32_t j = dense; j-- > 1;)
            x[j] = multiply_row(x, lane->basis + (size_t)j * dense, j + 1);
}

static void take_row(struct newton_lane *lane, uint32_t at)
{
    const struct transform *transform = &lane->dataset->transform;
    struct newton_chunk *chunk = lane->chunk;
    float *row = chunk->row + (size_t)at * transform->dense_width;
    double *x = chunk->x + (size_t)at * chunk->dense;

    if (transform->dense_width > 0)
        dataset_take_row(lane->dataset, &lane->dataset->train, chunk->first + at, row);
    x[0] = 1;
    for (uint32_t j = 0; j + 1 < chunk->dense; j++)
        x[1 + j] = (double)row[j];
    if (transform->has_rests)
        add_rests(transform, row, x);
    if (transform->id_count > 0)
        select_ids(lane, at);
}

static void take_outputs(const struct newton_lane *lane, uint32_t first, uint32_t end,
                         const double *weights, double *outputs)
{
    const uint32_t dense = lane->chunk->dense;
    const double *x = lane->chunk->x + (size_t)first * dense;
    double sums[ROWS_AT_ONCE];

    for (; end - first >= ROWS_AT_ONCE; first += ROWS_AT_ONCE, x += (size_t)ROWS_AT_ONCE * dense) {
        multiply_rows(x, dense, weights, dense, sums);
        for (uint32_t i = 0; i < ROWS_AT_ONCE; i++, outputs += lane->outputs)
            *outputs = sums[i];
    }
    for (; first < end; first++, x += dense, outputs += lane->outputs)
        *outputs = multiply_row(x, weights, dense);
}

static double add_selected(const struct newton_lane *lane, uint32_t at, const double *weights,
                           double sum)
{
    const struct newton_chunk *chunk = lane->chunk;
    const struct selected *selected =
        chunk->selected + (size_t)at * lane->dataset->transform.id_count;

    for (uint32_t i = 0; i < chunk->selected_count[at]; i++)
        sum += selected[i].value * weights[selected[i].column];
    return sum;
}

static double at_least(double hessian)
{
    return hessian > HESSIAN_LEAST ? hessian : HESSIAN_LEAST;
}

/* z becomes dL/dz. Each returns the loss. */
static double squares(double value, double *z, double *second)
{
    const double rest = *z - value;

    *z = rest;
    *second = 1;
    return rest * rest;
}

static double two_classes(bool is_second, double *z, double *second)
{
    const double small = exponential_double(*z < 0 ? *z : -*z);
    const double p = (*z < 0 ? small : 1) / (1 + small);
    const double wrong = (*z < 0) == is_second ? (*z < 0 ? -*z : *z) : 0;

    *z = is_second ? p - 1 : p;
    *second = at_least(p * (1 - p));
    return logarithm_double(1 + small) + wrong;
}

static double more_classes(uint32_t outputs, uint32_t class, double *z, double *second)
{
    const double of_class = z[class];
    double greatest = z[0], sum = 0;

    for (uint32_t k = 1; k < outputs; k++)
        greatest = z[k] > greatest ? z[k] : greatest;
    for (uint32_t k = 0; k < outputs; k++) {
        z[k] = exponential_double(z[k] - greatest);
        sum += z[k];
    }
    for (uint32_t k = 0; k < outputs; k++) {
        const double p = z[k] / sum;

        z[k] = k == class ? p - 1 : p;
        second[k] = at_least(2 * p * (1 - p));
    }
    return logarithm_double(sum) + greatest - of_class;
}

/* The loss where the classes behind the first one have outputs; the first one's z would be 0. */
static double classes_behind_first(uint32_t outputs, uint32_t class, double *z, double *second)
{
    const double of_class = class == 0 ? 0 : z[class - 1];
    double greatest = 0, sum;

    for (uint32_t k = 0; k < outputs; k++)
        greatest = z[k] > greatest ? z[k] : greatest;
    sum = exponential_double(-greatest);
    for (uint32_t k = 0; k < outputs; k++) {
        z[k] = exponential_double(z[k] - greatest);
        sum += z[k];
    }
    for (uint32_t k = 0; k < outputs; k++)
        z[k] /= sum;
    for (uint32_t k = 0; k < outputs; k++) {
        for (uint32_t j = 0; j < k; j++)
            *second++ = -z[k] * z[j];
        *second++ = at_least(z[k] * (1 - z[k]));
    }
    if (class > 0)
        z[class - 1] -= 1;
    return logarithm_double(sum) + greatest - of_class;
}

static double derive_row(const struct newton_lane *lane, uint64_t row, double *z, double *second)
{
    const struct dataset_part *part = &lane->dataset->train;

    if (!part->classes)
        return squares((double)part->values[row], z, second);
    if (lane->outputs == 1)
        return two_classes(part->classes[row] == 1, z, second);
    if (lane->derivatives == NEWTON_OF_PAIRS)
        return classes_behind_first(lane->outputs, (uint32_t)part->classes[row], z, second);
    return more_classes(lane->outputs, (uint32_t)part->classes[row], z, second);
}

static void derive_rows(void *context, uint32_t member, uint32_t task)
{
    struct newton_lane *lane = context;
    struct newton_chunk *chunk = lane->chunk;
    const uint32_t outputs = lane->outputs, begin = task * ROW_TASK;
    const uint32_t end = begin + ROW_TASK < chunk->rows ? begin + ROW_TASK : chunk->rows;
    (void)member;

    for (uint32_t at = begin; at < end; at++)
        take_row(lane, at);
    if (lane->basis)
        change_basis(lane, begin, end);
    for (uint32_t k = 0; k < outputs; k++)
        take_outputs(lane, begin, end, chunk->weights + (size_t)k * lane->columns,
                     chunk->first_order + (size_t)begin * outputs + k);
    for (uint32_t at = begin; at < end; at++) {
        const double weight = newton_row_weight(lane->dataset, chunk->first + at);
        const double offset = offset_of(lane->dataset, chunk->first + at);
        double *z = chunk->first_order + (size_t)at * outputs;
        double *second = chunk->second_order + (size_t)at * lane->blocks;

        for (uint32_t k = 0; k < outputs; k++)
            z[k] =
                add_selected(lane, at, chunk->weights + (size_t)k * lane->columns, z[k]) + offset;
        chunk->losses[at] = weight * derive_row(lane, chunk->first + at, z, second);
        for (uint32_t k = 0; k < outputs; k++)
            z[k] *= weight;
        for (uint32_t k = 0; k < lane->blocks; k++)
            second[k] *= weight;
    }
}

/* ---- sums ---- */

static void add_gradient(struct newton_lane *lane, uint32_t output, uint32_t column)
{
    const struct newton_chunk *chunk = lane->chunk;
    double *gradient = lane->gradients + (size_t)output * lane->columns + column;

    for (uint32_t at = 0; at < chunk->rows; at++)
        *gradient += chunk->first_order[(size_t)at * lane->outputs + output] *
                     chunk->x[(size_t)at * chunk->dense + column];
}

static void add_dense_column(struct newton_lane *lane, uint32_t block, uint32_t column)
{
    const struct newton_chunk *chunk = lane->chunk;
    const struct row_products sums = {.rows = chunk->rows,
                                      .columns = chunk->dense,
                                      .x = chunk->x,
                                      .weights = chunk->second_order + block,
                                      .stride = lane->blocks,
                                      .products =
                                          lane->products + block * row_pairs(lane->columns)};

    row_products_of(&sums, column);
}

/* The columns [first, end) of those that ids select; `output` is the block's, if it has one. */
static void add_selected_columns(struct newton_lane *lane, uint32_t block, int64_t output,
                                 uint32_t first, uint32_t end)
{
    const struct newton_chunk *chunk = lane->chunk;
    const uint32_t id_count = lane->dataset->transform.id_count;
    double *products = lane->products + block * row_pairs(lane->columns);

    for (uint32_t at = 0; at < chunk->rows; at++) {
        const double *restrict x = chunk->x + (size_t)at * chunk->dense;
        const struct selected *selected = chunk->selected + (size_t)at * id_count;

        for (uint32_t i = 0; i < chunk->selected_count[at]; i++) {
            const uint32_t column = selected[i].column;
            const double weighted =
                chunk->second_order[(size_t)at * lane->blocks + block] * selected[i].value;
            double *restrict own = products + row_pairs(column);

            if (column < first || column >= end)
                continue;
            if (output >= 0)
                lane->gradients[(size_t)output * lane->columns + column] +=
                    chunk->first_order[(size_t)at * lane->outputs + (size_t)output] *
                    selected[i].value;
            for (uint32_t j = 0; j < chunk->dense; j++)
                own[j] += weighted * x[j];
            for (uint32_t j = 0; j < chunk->selected_count[at]; j++)
                if (selected[j].column <= column)
                    own[selected[j].column] += weighted * selected[j].value;
        }
    }
}

/* The output whose second derivative the block has; -1: it is of two outputs. */
static int64_t output_of_block(const struct newton_lane *lane, uint32_t block)
{
    uint32_t output = 0;

    if (lane->derivatives == NEWTON_OF_EACH)
        return block;
    while ((output + 1) * (output + 2) / 2 <= block)
        output++;
    return block == output * (output + 3) / 2 ? (int64_t)output : -1;
}

static void add_columns(void *context, uint32_t member, uint32_t task)
{
    struct newton_lane *lane = context;
    const uint32_t tasks = (lane->columns + COLUMNS_TASK - 1) / COLUMNS_TASK;
    const uint32_t block = task / tasks, first = task % tasks * COLUMNS_TASK;
    const uint32_t end =
        first + COLUMNS_TASK < lane->columns ? first + COLUMNS_TASK : lane->columns;
    const int64_t output = output_of_block(lane, block);
    (void)member;

    for (uint32_t column = first; column < end && column < lane->chunk->dense; column++) {
        if (output >= 0)
            add_gradient(lane, (uint32_t)output, column);
        add_dense_column(lane, block, column);
    }
    if (end > lane->chunk->dense)
        add_selected_columns(lane, block, output, first, end);
}

void newton_lane_add(struct newton_lane *lane, const double *weights, uint64_t first, uint64_t end,
                     struct team *team)
{
    const uint32_t tasks = (lane->columns + COLUMNS_TASK - 1) / COLUMNS_TASK;
    struct newton_chunk *chunk = lane->chunk;

    chunk->weights = weights;
    for (; first < end; first += chunk->rows) {
        chunk->first = first;
        chunk->rows = end - first < CHUNK_ROWS ? (uint32_t)(end - first) : CHUNK_ROWS;
        team_run(team, (chunk->rows + ROW_TASK - 1) / ROW_TASK, derive_rows, lane);
        team_run(team, lane->blocks * tasks, add_columns, lane);
        for (uint32_t at = 0; at < chunk->rows; at++)
            *lane->loss += chunk->losses[at];
    }
}
