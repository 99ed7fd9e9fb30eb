#include "runtime/learn/network.h"

#include <math.h>
#include <string.h>

#include "base/progress.h"
#include "base/random.h"
#include "runtime/learn/kernels.h"
#include "runtime/learn/products.h"

#define EXPECT_LABELS 16 /* rows between asking for a label and for the inputs */

/* ---- rows ---- */

/* Rows lie anywhere in memory: ask for those that probably come next. */
static void expect_rows(const struct network_rows *rows, uint32_t at)
{
    if (!rows->order || at + EXPECT_LABELS >= rows->part->rows)
        return;
    dataset_expect_label(rows->part, rows->order[at + EXPECT_LABELS]);
    dataset_expect_row(rows->dataset, rows->part, rows->order[at]);
}

static void gather_label(const struct network *network, const struct network_rows *rows,
                         uint32_t row, uint32_t at, struct network_space *space)
{
    int32_t class;

    space->weights[at] = 1;
    if (network->task == TASK_REGRESSION) {
        space->targets[at] = rows->part->values[row];
        return;
    }
    class = rows->part->classes[row];
    space->classes[at] = class;
    space->targets[at] = class > 0 ? 1 : 0;
    if (rows->class_weights && class >= 0)
        space->weights[at] = rows->class_weights[class];
}

/* `count` rows from `offset` on go to the space. */
static void gather(const struct network *network, const struct network_rows *rows, uint32_t offset,
                   uint32_t count, struct network_space *space)
{
    const size_t width = network->dense_width, ids = network->id_count;
    const struct dataset *dataset = rows->dataset;
    const uint32_t first = rows->first + offset;

    for (uint32_t i = 0; i < count; i++) {
        const size_t row = rows->order ? rows->order[first + i] : first + i;

        expect_rows(rows, first + i + rows->ahead);
        if (width)
            dataset_take_row(dataset, rows->part, (uint32_t)row, space->inputs + i * width);
        if (ids)
            memcpy(space->ids + i * ids, rows->part->ids + row * ids, ids * sizeof(int32_t));
        gather_label(network, rows, (uint32_t)row, i, space);
    }
}

/* ---- forward ---- */

/* z (n, width) += for each row, the rows of the id block that it selects */
static void add_ids(const struct network *network, const float *parameters, uint32_t n,
                    const int32_t *ids, float *z)
{
    const size_t width = network->layers[0].width;

    for (uint32_t i = 0; i < n; i++, ids += network->id_count, z += width) {
        for (uint32_t j = 0; j < network->id_count; j++) {
            const float *row = parameters + network->ids + (size_t)ids[j] * width;

            if (ids[j] < 0)
                continue;
            for (size_t u = 0; u < width; u++)
                z[u] += row[u];
        }
    }
}

/* A unit is dropped where 16 random bits are below this. */
static uint32_t dropout_threshold(const struct network *network)
{
    const double threshold = floor(network->dropout * 65536 + 0.5);

    return threshold < 65535 ? (uint32_t)threshold : 65535;
}

/* What the others are multiplied by, to keep the mean. */
static float dropout_scale(const struct network *network)
{
    return 65536 / (float)(65536 - dropout_threshold(network));
}

/* mask (n, width): 0 or the scale. Units are numbered through the batch; four
 * of them share 64 random bits, so the probability is a multiple of 2^-16. */
static void draw_mask(const struct network *network, uint64_t step, uint32_t l, uint64_t position,
                      uint32_t n, float *mask)
{
    const uint64_t width = network->layers[l].width;
    const uint64_t first = position * width, end = first + n * width;
    const uint32_t dropped = dropout_threshold(network);
    const float factors[2] = {0, dropout_scale(network)};

    for (uint64_t block = first / 4; block * 4 < end; block++) {
        const uint64_t from = block * 4 < first ? first % 4 : 0;
        const uint64_t to = block * 4 + 4 > end ? end % 4 : 4;
        const uint64_t bits =
            random_bits(network->seed, RANDOM_DROPOUT, step * network->layer_count + l, block);
        float four[4];

        /* By table: a branch on what is random would be mispredicted half the time. */
        for (int k = 0; k < 4; k++)
            four[k] = factors[(bits >> k * 16 & 0xffff) >= dropped];
        if (to - from == 4)
            memcpy(mask + (block * 4 - first), four, sizeof four);
        else
            memcpy(mask + (block * 4 + from - first), four + from, (to - from) * sizeof *four);
    }
}

static void apply_mask(const float *restrict mask, float *restrict a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] *= mask[i];
}

/* What dropout is keyed by: the step, and the first row's place in its batch. */
struct place {
    uint64_t step, position;
};

/* z (n, width) = a (n, rows) W + b, without the id block */
static void layer_forward(const struct network_layer *layer, const float *parameters, size_t n,
                          const float *a, float *z)
{
    const float *weights = parameters + layer->weights, *bias = parameters + layer->bias;
    const struct product product = {
        .n = n,
        .k = layer->rows,
        .m = layer->width,
        .a = a,
        .a_row = layer->rows,
        .a_column = 1,
        .b = weights,
        .b_row = layer->width,
        .start = bias,
        .c = z,
        .c_row = layer->width,
    };

    if (layer->width == 1)
        product_dots(n, layer->rows, a, weights, *bias, z);
    else
        product_compute(&product);
}

/* Leaves a1, a2, ... and the logits in space->activations. Place NULL: without dropout. */
static void forward(const struct network *network, const float *parameters, uint32_t n,
                    const struct place *place, struct network_space *space)
{
    const float *a = space->inputs;

    for (uint32_t l = 0; l < network->layer_count; l++) {
        const struct network_layer *layer = &network->layers[l];
        float *z = space->activations[l];

        layer_forward(layer, parameters, n, a, z);
        if (l == 0)
            add_ids(network, parameters, n, space->ids, z);
        if (l + 1 == network->layer_count)
            return;
        activation_forward(network->activation, z, (size_t)n * layer->width);
        if (place && network->dropout > 0) {
            draw_mask(network, place->step, l, place->position, n, space->masks[l]);
            apply_mask(space->masks[l], z, (size_t)n * layer->width);
        }
        a = z;
    }
}

/* ---- loss ---- */

/* losses (n), and the logits become the gradient of each row's loss. */
static void losses(const struct network *network, uint32_t n, struct network_space *space)
{
    float *z = space->activations[network->layer_count - 1];

    if (network->task == TASK_REGRESSION)
        loss_squares(n, space->targets, z, space->losses);
    else if (network->outputs == 1)
        loss_logistic(n, space->targets, z, space->losses);
    else
        loss_softmax(n, network->outputs, space->classes, z, space->losses);
}

/* ---- backward ---- */

static void touch(struct network_space *space, uint32_t row)
{
    if (!space->is_touched[row]) {
        space->is_touched[row] = 1;
        space->touched[space->touched_count++] = row;
    }
}

/* The gradient of each selected row of the id block += delta of who selected it */
static void scatter_ids(const struct network *network, uint32_t n, const float *delta,
                        struct network_space *space)
{
    const size_t width = network->layers[0].width;
    const int32_t *ids = space->ids;

    for (uint32_t i = 0; i < n; i++, ids += network->id_count, delta += width) {
        for (uint32_t j = 0; j < network->id_count; j++) {
            float *row = space->gradient + network->ids + (size_t)ids[j] * width;

            if (ids[j] < 0)
                continue;
            touch(space, (uint32_t)ids[j]);
            for (size_t u = 0; u < width; u++)
                row[u] += delta[u];
        }
    }
}

static void multiply_by(float factor, float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] *= factor;
}

/* delta = dL/da of layer l; makes it dL/dz. Dropout has scaled a = f(z), or
 * made it 0 where the mask makes delta 0, too. */
static void through_activation(const struct network *network, uint32_t l, uint32_t n,
                               struct network_space *space, float *delta)
{
    const size_t count = (size_t)n * network->layers[l].width;
    float *a = space->activations[l];

    if (space->masks[l]) {
        apply_mask(space->masks[l], delta, count);
        multiply_by(1 / dropout_scale(network), a, count);
    }
    activation_backward(network->activation, a, delta, count);
}

/* dW (rows, width) += aT (rows, n) delta (n, width); from zeros where `is_first`. */
static void weights_backward(const struct network_layer *layer, size_t n, const float *a,
                             const float *delta, bool is_first, float *gradient)
{
    const float *start = is_first ? NULL : gradient;
    const size_t rows = layer->rows, width = layer->width;
    /* One output: as a row, (1, n) (n, rows), whose elements lie side by side. */
    const struct product row = {1, n, rows, delta, 1, 1, a, rows, start, rows, gradient, rows};
    const struct product all = {rows,  n,     width, a,     1,        rows,
                                delta, width, start, width, gradient, width};

    product_compute(width == 1 ? &row : &all);
}

/* da (n, rows) = delta (n, width) WT (width, rows) */
static void inputs_backward(const struct network_layer *layer, size_t n, const float *delta,
                            const float *weights_transposed, float *below)
{
    const size_t rows = layer->rows, width = layer->width;
    const struct product product = {
        .n = n,
        .k = width,
        .m = rows,
        .a = delta,
        .a_row = width,
        .a_column = 1,
        .b = weights_transposed,
        .b_row = rows,
        .c = below,
        .c_row = rows,
    };

    product_compute(&product);
}

/* From dL/dz of the last layer, which lies where its logits were. */
static void backward(const struct network *network, const float *parameters,
                     const float *transposed, uint32_t n, bool is_first_chunk,
                     struct network_space *space)
{
    const float *delta = space->activations[network->layer_count - 1];

    for (uint32_t l = network->layer_count; l-- > 0;) {
        const struct network_layer *layer = &network->layers[l];
        float *bias = space->gradient + layer->bias, *below = space->deltas[l % 2];

        weights_backward(layer, n, l ? space->activations[l - 1] : space->inputs, delta,
                         is_first_chunk, space->gradient + layer->weights);
        if (is_first_chunk)
            memset(bias, 0, layer->width * sizeof *bias);
        rows_sum(delta, n, layer->width, bias);
        if (l == 0) {
            scatter_ids(network, n, delta, space);
            return;
        }
        inputs_backward(layer, n, delta,
                        layer->width == 1 ? parameters + layer->weights
                                          : transposed + layer->transposed,
                        below);
        through_activation(network, l - 1, n, space, below);
        delta = below;
    }
}

/* delta *= weight / divisor; returns the weighted loss. */
static double weigh(const struct network *network, uint32_t n, double divisor,
                    struct network_space *space)
{
    float *delta = space->activations[network->layer_count - 1];
    const float share = (float)(1 / divisor);
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        const float scale = space->weights[i] * share;

        for (uint32_t j = 0; j < network->outputs; j++)
            delta[(size_t)i * network->outputs + j] *= scale;
        sum += (double)space->weights[i] * space->losses[i];
    }
    return sum;
}

static uint32_t chunk_rows(const struct network_rows *rows, uint32_t offset)
{
    const uint32_t left = rows->count - offset;

    return left < NETWORK_CHUNK_ROWS ? left : NETWORK_CHUNK_ROWS;
}

double network_gradient(const struct network *network, const float *parameters,
                        const float *transposed, const struct network_rows *rows, double divisor,
                        uint64_t step, struct network_space *space)
{
    double loss = 0;

    for (uint32_t offset = 0; offset < rows->count; offset += NETWORK_CHUNK_ROWS) {
        const uint32_t n = chunk_rows(rows, offset);
        const struct place place = {step, (uint64_t)rows->position + offset};

        progress_note();
        gather(network, rows, offset, n, space);
        forward(network, parameters, n, &place, space);
        losses(network, n, space);
        loss += weigh(network, n, divisor, space);
        backward(network, parameters, transposed, n, offset == 0, space);
    }
    return loss;
}

/* ---- evaluation ---- */

static bool is_correct(const struct network *network, const float *z, int32_t truth)
{
    uint32_t best = 0;

    if (network->outputs == 1)
        return (z[0] > 0) == truth;
    for (uint32_t j = 1; j < network->outputs; j++)
        if (z[j] > z[best])
            best = j;
    return (int32_t)best == truth;
}

/* Before losses() takes the logits away. Unseen classes get one that exists. */
static uint64_t count_correct(const struct network *network, uint32_t n,
                              struct network_space *space)
{
    const float *z = space->activations[network->layer_count - 1];
    uint64_t correct = 0;

    for (uint32_t i = 0; i < n; i++, z += network->outputs) {
        correct += is_correct(network, z, space->classes[i]);
        if (space->classes[i] < 0) {
            space->classes[i] = 0;
            space->weights[i] = 0;
        }
    }
    return correct;
}

/* NaN stays NaN. */
static double class_loss(double loss, float weight)
{
    if (weight == 0 && isfinite(loss))
        return NETWORK_LOSS_MOST;
    return loss > NETWORK_LOSS_MOST ? NETWORK_LOSS_MOST : loss;
}

double network_evaluate(const struct network *network, const float *parameters,
                        const struct network_rows *rows, struct network_space *space,
                        uint64_t *correct)
{
    const bool is_classifier = network->task == TASK_CLASSIFICATION;
    double loss = 0;

    *correct = 0;
    for (uint32_t offset = 0; offset < rows->count; offset += NETWORK_CHUNK_ROWS) {
        const uint32_t n = chunk_rows(rows, offset);

        progress_note();
        gather(network, rows, offset, n, space);
        forward(network, parameters, n, NULL, space);
        if (is_classifier)
            *correct += count_correct(network, n, space);
        losses(network, n, space);
        for (uint32_t i = 0; i < n; i++)
            loss +=
                is_classifier ? class_loss(space->losses[i], space->weights[i]) : space->losses[i];
    }
    return loss;
}
