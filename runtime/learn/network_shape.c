#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "runtime/learn/network.h"

#define ALIGNMENT 64 /* bytes of a cache line and of the widest vector */

/* ---- shape ---- */

static uint32_t outputs_of(const struct jobspec *spec, const struct dataset *dataset)
{
    return spec->task == TASK_REGRESSION || dataset->labels.count == 2 ? 1 : dataset->labels.count;
}

/* Float, optimizer slots, gradient and 64-bit sum of each. */
static enum status check_size(uint64_t parameters, struct error *err)
{
    if (parameters <= MODEL_PARAMETERS_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "a network of %llu parameters needs %llu bytes to train, at most %llu parameters are "
         "allowed",
         (unsigned long long)parameters, (unsigned long long)parameters * 24,
         (unsigned long long)MODEL_PARAMETERS_MAX);
    return error_hint(err, "Use smaller model.hidden_units, or categories with fewer words.");
}

static uint32_t add_tensor(struct network *network, uint32_t count, bool is_bias)
{
    const uint32_t first = network->parameter_count;

    network->tensors[network->tensor_count++] =
        (struct tensor){.first = first, .count = count, .is_bias = is_bias};
    network->parameter_count += count;
    return first;
}

static void add_layer(struct network *network, uint32_t rows, uint32_t width)
{
    struct network_layer *layer = &network->layers[network->layer_count++];

    layer->rows = rows;
    layer->width = width;
    layer->weights = add_tensor(network, rows * width, false);
    if (network->layer_count == 1) {
        network->ids_tensor = network->tensor_count;
        network->ids = add_tensor(network, network->id_rows * width, false);
    }
    layer->bias = add_tensor(network, width, true);
    if (network->layer_count > 1 && width > 1) {
        layer->transposed = network->transposed_count;
        network->tensors[network->tensor_count - 2].is_transposed =
            true; /* the weights, not the bias */
        network->transposed_count += rows * width;
    }
}

enum status network_init(struct network *network, const struct jobspec *spec,
                         const struct dataset *dataset, struct error *err)
{
    const struct transform *transform = &dataset->transform;
    uint32_t widths[MODEL_LAYERS_MAX], rows = transform->dense_width;
    uint64_t total = 0, inputs = (uint64_t)rows + transform->id_rows;

    *network = (struct network){
        .task = spec->task,
        .activation = spec->activation,
        .dense_width = transform->dense_width,
        .id_count = transform->id_count,
        .id_rows = transform->id_rows,
        .outputs = outputs_of(spec, dataset),
        .dropout = spec->dropout,
        .seed = spec->seed,
    };
    memcpy(widths, spec->hidden_units, spec->hidden_layers * sizeof *widths);
    widths[spec->hidden_layers] = network->outputs;
    for (uint32_t l = 0; l <= spec->hidden_layers; l++) {
        if (widths[l] == 0 || widths[l] > MODEL_WIDTH_MAX)
            return fail(err, STATUS_LIMIT, "a layer has 1 to %d units, not %u", MODEL_WIDTH_MAX,
                        widths[l]);
        total += (inputs + 1) * widths[l]; /* below 2^34 x 2^16 each: no overflow */
        inputs = widths[l];
    }
    TRY(check_size(total, err));
    for (uint32_t l = 0; l <= spec->hidden_layers; l++) {
        add_layer(network, rows, widths[l]);
        rows = widths[l];
    }
    return STATUS_OK;
}

void network_layers(const struct network *network, const float *parameters, struct layer *layers)
{
    for (uint32_t l = 0; l < network->layer_count; l++) {
        const struct network_layer *layer = &network->layers[l];

        layers[l] = (struct layer){
            .rows = layer->rows + (l == 0 ? network->id_rows : 0),
            .width = layer->width,
            .weights = parameters + layer->weights,
            .bias = parameters + layer->bias,
        };
    }
}

/* Written line by line, a matrix whose side is a power of two would fall on a
 * few sets of the cache: 600 us instead of 25 for 512 x 256. */
#define TILE 16

static uint32_t transpose_tile(const float *restrict from, size_t rows, size_t width, size_t high,
                               size_t wide, float *restrict to)
{
    uint32_t over = 0;

    for (size_t j = 0; j < wide; j++)
        for (size_t r = 0; r < high; r++) {
            uint32_t word;

            memcpy(&word, &to[j * rows + r], sizeof word);
            over += word;
            to[j * rows + r] = from[r * width + j];
        }
    return over;
}

static uint32_t transpose(const float *restrict from, size_t rows, size_t width, float *restrict to)
{
    uint32_t over = 0;

    for (size_t r = 0; r < rows; r += TILE)
        for (size_t j = 0; j < width; j += TILE)
            over +=
                transpose_tile(from + r * width + j, rows, width, rows - r < TILE ? rows - r : TILE,
                               width - j < TILE ? width - j : TILE, to + j * rows + r);
    return over;
}

uint32_t network_transpose(const struct network *network, const float *parameters,
                           float *transposed)
{
    uint32_t over = 0;

    for (uint32_t l = 1; l < network->layer_count; l++) {
        const struct network_layer *layer = &network->layers[l];

        if (layer->width > 1)
            over += transpose(parameters + layer->weights, layer->rows, layer->width,
                              transposed + layer->transposed);
    }
    return over;
}

/* ---- the start ---- */

static double start_limit(const struct network *network, uint32_t l)
{
    const struct network_layer *layer = &network->layers[l];
    const double in = (double)layer->rows + (l == 0 ? network->id_count : 0);
    const bool is_hidden = l + 1 < network->layer_count;

    if (is_hidden && network->activation == ACTIVATION_RELU)
        return sqrt(6 / (in > 1 ? in : 1));
    return sqrt(6 / (in + layer->width));
}

static void start_tensor(const struct network *network, uint32_t number, double limit,
                         float *parameters)
{
    const struct tensor *tensor = &network->tensors[number];

    for (uint32_t i = 0; i < tensor->count; i++) {
        double uniform = random_uniform(network->seed, RANDOM_INITIAL, number, i);

        parameters[tensor->first + i] = (float)((2 * uniform - 1) * limit);
    }
}

void network_start(const struct network *network, float *parameters)
{
    uint32_t l = 0;

    memset(parameters, 0, network->parameter_count * sizeof *parameters);
    if (network->layer_count == 1)
        return;
    for (uint32_t t = 0; t < network->tensor_count; t++) {
        if (network->tensors[t].is_bias)
            l++;
        else
            start_tensor(network, t, start_limit(network, l), parameters);
    }
}

/* ---- space ---- */

static void *allocate(size_t count, size_t size)
{
    size_t bytes = (count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    void *memory = count < SIZE_MAX / 2 / size ? aligned_alloc(ALIGNMENT, bytes) : NULL;

    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

static bool allocate_layers(struct network_space *space, const struct network *network)
{
    const size_t chunk = NETWORK_CHUNK_ROWS;
    size_t widest = 1;

    for (uint32_t l = 0; l < network->layer_count; l++) {
        const size_t width = network->layers[l].width;

        widest = width > widest ? width : widest;
        space->activations[l] = allocate(chunk * width, sizeof(float));
        if (!space->activations[l])
            return false;
        if (network->dropout > 0 && l + 1 < network->layer_count) {
            space->masks[l] = allocate(chunk * width, sizeof(float));
            if (!space->masks[l])
                return false;
        }
    }
    for (int i = 0; i < 2; i++) {
        space->deltas[i] = allocate(chunk * widest, sizeof(float));
        if (!space->deltas[i])
            return false;
    }
    return true;
}

enum status network_space_init(struct network_space *space, const struct network *network,
                               struct error *err)
{
    const size_t chunk = NETWORK_CHUNK_ROWS;

    *space = (struct network_space){0};
    space->inputs = allocate(chunk * network->dense_width, sizeof *space->inputs);
    space->ids = allocate(chunk * network->id_count, sizeof *space->ids);
    space->targets = allocate(chunk, sizeof *space->targets);
    space->weights = allocate(chunk, sizeof *space->weights);
    space->classes = allocate(chunk, sizeof *space->classes);
    space->losses = allocate(chunk, sizeof *space->losses);
    space->gradient = allocate(network->parameter_count, sizeof *space->gradient);
    space->touched = allocate(network->id_rows, sizeof *space->touched);
    space->is_touched = allocate(network->id_rows, sizeof *space->is_touched);
    if (space->inputs && space->ids && space->targets && space->weights && space->classes &&
        space->losses && space->gradient && space->touched && space->is_touched &&
        allocate_layers(space, network))
        return STATUS_OK;
    network_space_deinit(space);
    return fail_no_memory(err);
}

void network_space_deinit(struct network_space *space)
{
    free(space->inputs);
    free(space->ids);
    for (int l = 0; l < MODEL_LAYERS_MAX; l++) {
        free(space->activations[l]);
        free(space->masks[l]);
    }
    free(space->deltas[0]);
    free(space->deltas[1]);
    free(space->targets);
    free(space->weights);
    free(space->classes);
    free(space->losses);
    free(space->gradient);
    free(space->touched);
    free(space->is_touched);
    *space = (struct network_space){0};
}

void network_space_clear(const struct network *network, struct network_space *space)
{
    const size_t width = network->layers[0].width;

    for (uint32_t i = 0; i < space->touched_count; i++) {
        const uint32_t row = space->touched[i];

        memset(space->gradient + network->ids + row * width, 0, width * sizeof(float));
        space->is_touched[row] = 0;
    }
    space->touched_count = 0;
}
