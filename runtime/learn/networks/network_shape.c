#include "runtime/learn/networks/network_shape.h"

#include <stdlib.h>
#include <string.h>

#include "arithmetic/kernels.h"
#include "base/bytes.h"
#include "kinds/network/network_attributes.h"
#include "runtime/learn/networks/network.h"
#include "runtime/learn/networks/start.h"

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
    return error_hint(err,
                      "Use smaller model.hidden_units, or categories with fewer distinct values.");
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
    struct affine *layer = &network->layers[network->layer_count++];

    layer->rows = rows;
    layer->width = width;
    layer->weights = add_tensor(network, rows * width, false);
    if (network->layer_count == 1) {
        network->ids.width = width;
        network->ids.first = add_tensor(network, network->ids.rows * width, false);
        network->tensors[network->tensor_count - 1].row_width = width;
        network->tensors[network->tensor_count - 1].selects_most = network->ids.id_count;
    }
    layer->bias = add_tensor(network, width, true);
    if (network->layer_count > 1 && affine_has_transposed(layer)) {
        layer->transposed = network->transposed_count;
        network->tensors[network->tensor_count - 2].is_transposed =
            true; /* the weights, not the bias */
        network->transposed_count += rows * width;
    }
}

/* Behind each hidden layer; the next one takes what it gives. */
static enum status add_norms(struct network *network, const struct network_params *params,
                             struct error *err)
{
    struct hidden_norms *norms = &network->norms;

    if (network_norm_parameters(params) == 0)
        return STATUS_OK;
    norms->count = network->layer_count - 1;
    memcpy(norms->takers, network->layers + 1, norms->count * sizeof *norms->takers);
    norms->copied_from = norms->takers[0].weights;
    TRY(hidden_norms_init(norms, network->dataset, network->parameter_count,
                          network->tensors + network->tensor_count, err));
    network->tensor_count += NORM_TENSORS;
    network->parameter_count += network_norm_parameters(params);
    return STATUS_OK;
}

void network_deinit(struct network *network)
{
    hidden_norms_deinit(&network->norms);
}

enum status network_init(struct network *network, const struct jobspec *spec,
                         const struct dataset *dataset, struct error *err)
{
    const struct transform *transform = &dataset->transform;
    uint32_t widths[NETWORK_LAYERS_MAX], rows = transform_features(transform);
    uint64_t total = 0, inputs = (uint64_t)rows + transform->id_rows;

    *network = (struct network){
        .activation =
            network_activation(network_params(&spec->params), spec->task, dataset->train.rows),
        .dense_width = rows,
        .has_offset = transform->offset_width > 0,
        .ids = {.rows = transform->id_rows,
                .id_count = transform->id_count,
                .texts = transform->texts,
                .text_count = transform->text_count},
        .id_inputs = transform->id_inputs,
        .dropout = {network_params(&spec->params)->dropout, spec->seed,
                    network_params(&spec->params)->hidden_units.count + 1},
        .seed = spec->seed,
        .dataset = dataset,
    };
    TRY(loss_head_init(&network->head, spec, outputs_of(spec, dataset), dataset, err));
    memcpy(widths, network_params(&spec->params)->hidden_units.items,
           network_params(&spec->params)->hidden_units.count * sizeof *widths);
    widths[network_params(&spec->params)->hidden_units.count] = network->head.outputs;
    for (uint32_t l = 0; l <= network_params(&spec->params)->hidden_units.count; l++) {
        if (widths[l] == 0 || widths[l] > NETWORK_WIDTH_MAX)
            return fail(err, STATUS_LIMIT, "a layer has 1 to %d units, not %u", NETWORK_WIDTH_MAX,
                        widths[l]);
        total += (inputs + 1) * widths[l]; /* below 2^34 x 2^16 each: no overflow */
        inputs = widths[l];
    }
    TRY(check_size(total + network_norm_parameters(network_params(&spec->params)), err));
    for (uint32_t l = 0; l <= network_params(&spec->params)->hidden_units.count; l++) {
        add_layer(network, rows, widths[l]);
        rows = widths[l];
    }
    return add_norms(network, network_params(&spec->params), err);
}

static void network_fill_model(void *self, const float *parameters, struct model *model)
{
    struct network *network = self;

    hidden_norms_fold(&network->norms, parameters);
    for (uint32_t l = 0; l < network->layer_count; l++) {
        const struct affine *layer = &network->layers[l];

        network->stored[l] = (struct layer){
            .rows = layer->rows + (l == 0 ? network->ids.rows : 0),
            .width = layer->width,
            .weights = hidden_norms_folded(&network->norms, parameters, layer->weights),
            .bias = hidden_norms_folded(&network->norms, parameters, layer->bias),
        };
    }
    network->content =
        (struct network_model){network->activation, network->stored, network->layer_count};
    model->content = &network->content;
    loss_head_fill(&network->head, model);
}

uint32_t network_transpose(const void *self, const float *parameters, float *transposed)
{
    const struct network *network = self;
    uint32_t over = 0;

    for (uint32_t l = 1; l < network->layer_count; l++)
        if (affine_has_transposed(&network->layers[l]))
            over += affine_transpose(&network->layers[l], parameters, transposed);
    return over;
}

/* ---- the start ---- */

static double limit_of(const struct network *network, uint32_t l)
{
    const struct affine *layer = &network->layers[l];
    const double in = (double)layer->rows + (l == 0 ? network->id_inputs : 0);
    const bool is_last = l + 1 == network->layer_count;

    return start_limit(in, layer->width, is_last ? ACTIVATION_IDENTITY : network->activation);
}

void network_start(const void *self, float *parameters)
{
    const struct network *network = self;
    uint32_t l = 0;

    memset(parameters, 0, network->parameter_count * sizeof *parameters);
    start_outputs(&network->head, network->dataset,
                  parameters + network->layers[network->layer_count - 1].bias);
    if (network->layer_count == 1)
        return;
    for (uint32_t t = 0; t < network->tensor_count; t++) {
        const struct tensor *tensor = &network->tensors[t];

        if (tensor->is_bias)
            l++;
        else
            start_uniform(network->seed, t, 0, tensor->count, limit_of(network, l),
                          parameters + tensor->first);
    }
    hidden_norms_start(&network->norms, parameters);
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

static bool allocate_layers(struct network_workspace *space, const struct network *network)
{
    const size_t chunk = LANE_CHUNK_ROWS;
    size_t widest = 1;

    for (uint32_t l = 0; l < network->layer_count; l++) {
        const size_t width = network->layers[l].width;

        widest = width > widest ? width : widest;
        space->activations[l] = allocate(chunk * width, sizeof(float));
        if (!space->activations[l])
            return false;
        if (activation_keeps_sums(network->activation) && l + 1 < network->layer_count) {
            space->sums[l] = allocate(chunk * width, sizeof(float));
            if (!space->sums[l])
                return false;
        }
        if (network->dropout.rate > 0 && l + 1 < network->layer_count) {
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
    return hidden_norms_space_init(&space->norms, &network->norms);
}

enum status network_workspace_init(struct network_workspace *space, const struct network *network,
                                   struct error *err)
{
    const size_t chunk = LANE_CHUNK_ROWS;

    *space = (struct network_workspace){0};
    space->inputs = allocate(chunk * network->dense_width, sizeof *space->inputs);
    space->ids = allocate(chunk * network->ids.id_count, sizeof *space->ids);
    space->offsets = network->has_offset ? allocate(chunk, sizeof *space->offsets) : NULL;
    space->labels.targets = allocate(chunk, sizeof *space->labels.targets);
    space->labels.weights = allocate(chunk, sizeof *space->labels.weights);
    space->labels.classes = allocate(chunk, sizeof *space->labels.classes);
    space->labels.losses = allocate(chunk, sizeof *space->labels.losses);
    space->gradient = allocate(network->parameter_count, sizeof *space->gradient);
    if (space->inputs && space->ids && (space->offsets || !network->has_offset) &&
        space->labels.targets && space->labels.weights && space->labels.classes &&
        space->labels.losses && space->gradient &&
        touched_rows_make(&space->touched, network->ids.rows, err) == STATUS_OK &&
        allocate_layers(space, network))
        return STATUS_OK;
    network_workspace_deinit(space);
    return fail_no_memory(err);
}

void network_workspace_deinit(struct network_workspace *space)
{
    free(space->inputs);
    free(space->ids);
    free(space->offsets);
    for (int l = 0; l < NETWORK_LAYERS_MAX; l++) {
        free(space->activations[l]);
        free(space->sums[l]);
        free(space->masks[l]);
    }
    hidden_norms_space_deinit(&space->norms);
    free(space->deltas[0]);
    free(space->deltas[1]);
    free(space->labels.targets);
    free(space->labels.weights);
    free(space->labels.classes);
    free(space->labels.losses);
    free(space->gradient);
    touched_rows_deinit(&space->touched);
    *space = (struct network_workspace){0};
}

static enum status network_workspace_open(const void *self, void **space, struct error *err)
{
    struct network_workspace *made = malloc(sizeof *made);
    enum status status;

    if (!made)
        return fail_no_memory(err);
    status = network_workspace_init(made, self, err);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *space = made;
    return STATUS_OK;
}

static void network_workspace_close(void *space)
{
    if (space)
        network_workspace_deinit(space);
    free(space);
}

/* ---- as descent learns it ---- */

static uint64_t space_bytes(const struct network *network)
{
    const uint64_t kept =
        (activation_keeps_sums(network->activation) ? 4 : 3) + (network->norms.count > 0);
    uint64_t bytes = 0;

    for (uint32_t l = 0; l < network->layer_count; l++)
        bytes += network->layers[l].width * LANE_CHUNK_ROWS * kept * sizeof(float);
    return bytes;
}

static void network_put_shape(const void *self, struct text *out)
{
    const struct network *network = self;

    put_u32(out, network->head.task);
    put_u32(out, network->dense_width);
    put_u32(out, network->ids.id_count);
    put_u32(out, network->ids.rows);
    put_u32(out, network->layer_count);
    for (uint32_t l = 0; l < network->layer_count; l++)
        put_u32(out, network->layers[l].width);
    if (network->norms.count)
        put_u32(out, 1);
}

struct descent_settings network_settings(const struct jobspec *spec, uint64_t rows)
{
    const struct network_params *params = network_params(&spec->params);

    return (struct descent_settings){
        .optimizer = params->optimizer,
        .schedule = params->schedule,
        .learning_rate = params->learning_rate,
        .momentum = params->momentum,
        .beta1 = params->beta1,
        .beta2 = params->beta2,
        .rho = params->rho,
        .epsilon = params->epsilon,
        .initial_accumulator = params->initial_accumulator,
        .centered = params->centered,
        .weight_decay = params->weight_decay,
        .rate_power = params->rate_power,
        .ftrl_l1 = params->ftrl_l1,
        .ftrl_l2 = params->ftrl_l2,
        .l1 = params->l1,
        .l2 = network_l2(params, spec->task, rows),
        .clip_norm = params->clip_norm,
        .clip_value = params->clip_value,
        .decay_steps = params->decay_steps,
        .decay_rate = params->decay_rate,
        .power = params->power,
        .end_rate = params->end_rate,
        .warmup_steps = params->warmup_steps,
    };
}

static void network_close(void *self)
{
    network_deinit(self);
    free(self);
}

enum status network_open(const struct jobspec *spec, const struct dataset *dataset,
                         struct differentiable *model, struct error *err)
{
    struct network *network = malloc(sizeof *network);
    enum status status;

    if (!network)
        return fail_no_memory(err);
    status = network_init(network, spec, dataset, err);
    if (status != STATUS_OK) {
        network_close(network);
        return status;
    }
    *model = (struct differentiable){
        .self = network,
        .tensors = network->tensors,
        .tensor_count = network->tensor_count,
        .parameter_count = network->parameter_count,
        .derived_count = network->transposed_count,
        .space_bytes = space_bytes(network),
        .settings = network_settings(spec, dataset->train.rows),
        .unit = loss_head_unit(&network->head),
        .close = network_close,
        .start = network_start,
        .derive = network_transpose,
        .space_open = network_workspace_open,
        .space_close = network_workspace_close,
        .gradient = network_gradient,
        .space_clear = network_workspace_clear,
        .evaluate = network_evaluate,
        .fill_model = network_fill_model,
        .put_shape = network_put_shape,
    };
    return STATUS_OK;
}
