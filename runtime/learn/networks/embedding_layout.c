#include "runtime/learn/networks/embedding_layout.h"

#include <stdlib.h>
#include <string.h>

#include "arithmetic/kernels.h"
#include "base/bytes.h"
#include "kinds/network/network_model.h"
#include "runtime/learn/networks/embedding_network.h"
#include "runtime/learn/networks/network_shape.h"
#include "runtime/learn/networks/start.h"
#include "scoring/numbers/matrix.h"

#define EMBEDDING_START 0.2 /* uniform in +- */

/* ---- what lies where ---- */

static uint32_t first_of(const struct embedding_network *network, uint32_t array)
{
    return array == NO_ARRAY ? 0 : network->tensors[array].first;
}

/* Weights, and the bias that follows them. */
static struct affine affine_at(struct embedding_network *network, uint32_t array, bool is_mirrored)
{
    const struct embedding_array *weights = &network->shape.arrays[array];
    struct affine affine = {
        .rows = (uint32_t)weights->rows,
        .width = (uint32_t)weights->width,
        .weights = first_of(network, array),
        .bias = first_of(network, array + 1),
        .transposed = network->transposed_count,
    };

    if (is_mirrored && affine_has_transposed(&affine)) {
        network->tensors[array].is_transposed = true;
        network->transposed_count += affine.rows * affine.width;
    }
    return affine;
}

static void place_layers(struct embedding_network *network)
{
    const struct embedding_shape *shape = &network->shape;

    for (uint32_t l = 0; shape->hidden != NO_ARRAY && l < shape->hidden_units.count; l++)
        network->hidden[l] = affine_at(network, shape->hidden + 2 * l, true);
    for (uint32_t l = 0; l < shape->cross_layers; l++)
        network->cross[l] = (struct cross_layer){
            .by_matrix = shape->cross_weights == CROSS_MATRIX,
            .map = affine_at(network, shape->cross + 2 * l, shape->cross_weights == CROSS_MATRIX),
            .width = (uint32_t)shape->inputs};
    /* Without a column of the top there is the bias alone. */
    network->last = (struct affine){.width = shape->outputs,
                                    .bias = network->tensors[shape->array_count - 1].first};
    if (shape->last != NO_ARRAY)
        network->last = affine_at(network, shape->last, true);
}

static void place_compressed(struct embedding_network *network)
{
    const struct embedding_shape *shape = &network->shape;
    uint32_t maps = shape->fields;

    for (uint32_t l = 0; l < shape->cin_units.count; l++) {
        const uint32_t units = shape->cin_units.items[l];

        network->compressed[l] = (struct compressed_layer){
            .fields = shape->fields,
            .maps = maps,
            .units = units,
            .weights = first_of(network, shape->cin + l),
            .transposed = network->transposed_count,
        };
        network->tensors[shape->cin + l].is_transposed = true;
        network->transposed_count += maps * shape->fields * units;
        maps = units;
    }
}

/* The layer that takes the last hidden one, whose outputs are some columns of the top. */
static struct affine taker_of_last(const struct embedding_network *network)
{
    const struct embedding_shape *shape = &network->shape;
    struct affine taker = network->last;

    taker.weights += embedding_top_hidden(shape) * shape->outputs;
    taker.rows = embedding_last_hidden(shape);
    return taker;
}

static enum status place_norms(struct embedding_network *network, struct error *err)
{
    const struct embedding_shape *shape = &network->shape;
    struct hidden_norms *norms = &network->norms;

    if (shape->norms == 0)
        return STATUS_OK;
    norms->count = shape->hidden_units.count;
    memcpy(norms->takers, network->hidden + 1, (norms->count - 1) * sizeof *norms->takers);
    norms->takers[norms->count - 1] = taker_of_last(network);
    norms->copied_from = first_of(network, embedding_behind_first(shape));
    TRY(hidden_norms_init(norms, network->dataset, network->parameter_count,
                          network->tensors + network->tensor_count, err));
    network->tensor_count += NORM_TENSORS;
    network->parameter_count += (uint32_t)shape->norms;
    return STATUS_OK;
}

static void place_tensors(struct embedding_network *network)
{
    const struct embedding_shape *shape = &network->shape;
    uint32_t first = 0;

    for (uint32_t i = 0; i < shape->array_count; i++) {
        const struct embedding_array *array = &shape->arrays[i];
        const uint32_t count = (uint32_t)(array->rows * array->width);

        network->tensors[i] =
            (struct tensor){.first = first, .count = count, .is_bias = array->is_bias};
        first += count;
    }
    network->tensor_count = shape->array_count;
    network->parameter_count = first;
    if (shape->table != NO_ARRAY) {
        network->tensors[shape->table].row_width = shape->row_width;
        network->tensors[shape->table].selects_most = network->fields.id_count;
    }
}

/* Marks the weights that the linear model's optimizer moves: the first weights of the table's rows,
 * and the first rows of the top. */
static void place_linear(struct embedding_network *network)
{
    const struct embedding_shape *shape = &network->shape;

    if (shape->table != NO_ARRAY)
        network->tensors[shape->table].linear = shape->wide_width;
    if (shape->last != NO_ARRAY)
        network->tensors[shape->last].linear = embedding_top_hidden(shape) * shape->outputs;
}

static enum status list_inputs(struct embedding_network *network, uint32_t dimension,
                               struct error *err)
{
    const struct embedding_shape *shape = &network->shape;

    TRY(embedding_inputs_init(&network->columns, &network->dataset->transform, shape->is_wide,
                              dimension, err));
    network->columns.dense_width = transform_features(&network->dataset->transform);
    network->fields = (struct embedded_fields){
        .wide_width = shape->wide_width,
        .dimension = shape->row_width - shape->wide_width,
        .embedded = shape->embedded,
        .id_count = network->columns.id_count,
        .fields = network->columns.fields,
        .field_count = network->columns.field_count,
    };
    return STATUS_OK;
}

enum status embedding_network_init(struct embedding_network *network, const struct jobspec *spec,
                                   const struct dataset *dataset, struct error *err)
{
    const struct embedding_params *params = embedding_params(&spec->params);
    const struct transform *transform = &dataset->transform;

    *network = (struct embedding_network){
        .shape = embedding_shape_of(&spec->params),
        .dropout = {params->dropout, spec->seed, params->hidden_units.count + 1},
        .seed = spec->seed,
        .dataset = dataset,
    };
    TRY(loss_head_init(&network->head, spec, network_outputs(spec->task, dataset->labels.count),
                       dataset, err));
    embedding_shape_take(&network->shape, transform);
    network->shape.id_rows = transform->id_rows;
    network->shape.outputs = network->head.outputs;
    TRY(embedding_shape_finish(&network->shape, err));
    network->pairs = (struct pairs_sum){network->shape.fields, network->shape.dimension};
    TRY(list_inputs(network, params->dimension, err));
    place_tensors(network);
    if (embedding_has_linear_optimizer(params))
        place_linear(network);
    network->fields.first = first_of(network, network->shape.table);
    place_layers(network);
    place_compressed(network);
    embedding_copy_shape_params(&spec->params, &network->content.params);
    return place_norms(network, err);
}

void embedding_network_deinit(struct embedding_network *network)
{
    embedding_inputs_deinit(&network->columns);
    hidden_norms_deinit(&network->norms);
}

/* ---- the start ---- */

/* Starts the embeddings of a field; numbers that it has no use for stay 0. */
static void start_field(const struct embedding_network *network,
                        const struct embedding_field *field, float *table)
{
    const struct embedding_shape *shape = &network->shape;

    for (uint64_t r = field->first_row; r < (uint64_t)field->first_row + field->rows; r++)
        start_uniform(network->seed, shape->table, r * shape->dimension, field->dimension,
                      EMBEDDING_START, table + r * shape->row_width + shape->wide_width);
}

static void start_table(const struct embedding_network *network, float *parameters)
{
    for (uint32_t f = 0; f < network->columns.field_count; f++)
        start_field(network, &network->columns.fields[f],
                    parameters + first_of(network, network->shape.table));
}

struct array_start embedding_array_start(const struct embedding_shape *shape, uint32_t number)
{
    const struct embedding_array *array = &shape->arrays[number];
    const bool is_hidden = shape->hidden != NO_ARRAY && number >= shape->hidden &&
                           number < shape->hidden + 2 * shape->hidden_units.count;

    if (array->is_bias)
        return (struct array_start){.zero_rows = array->rows};
    if (number == shape->table)
        return (struct array_start){.limit = EMBEDDING_START, .zeros = shape->wide_width};
    return (struct array_start){
        .limit = start_limit((double)array->rows, (double)array->width,
                             is_hidden ? shape->activation : ACTIVATION_IDENTITY),
        .zero_rows = number == shape->last ? embedding_top_hidden(shape) : 0,
    };
}

static void start_array(const struct embedding_network *network, uint32_t number, float *parameters)
{
    const struct array_start start = embedding_array_start(&network->shape, number);
    const struct tensor *tensor = &network->tensors[number];
    const uint64_t skipped = start.zero_rows * network->shape.arrays[number].width;

    start_uniform(network->seed, number, skipped, tensor->count - skipped, start.limit,
                  parameters + tensor->first + skipped);
}

void embedding_network_start(const void *self, float *parameters)
{
    const struct embedding_network *network = self;
    const struct embedding_shape *shape = &network->shape;

    memset(parameters, 0, network->parameter_count * sizeof *parameters);
    if (shape->table != NO_ARRAY)
        start_table(network, parameters);
    for (uint32_t i = 0; i < shape->array_count; i++)
        if (i != shape->table)
            start_array(network, i, parameters);
    start_outputs(&network->head, network->dataset, parameters + network->last.bias);
    hidden_norms_start(&network->norms, parameters);
}

/* ---- derived ---- */

uint32_t embedding_network_transpose(const void *self, const float *parameters, float *transposed)
{
    const struct embedding_network *network = self;
    const struct embedding_shape *shape = &network->shape;
    uint32_t over = 0;

    for (uint32_t l = 0; shape->hidden != NO_ARRAY && l < shape->hidden_units.count; l++)
        if (affine_has_transposed(&network->hidden[l]))
            over += affine_transpose(&network->hidden[l], parameters, transposed);
    for (uint32_t l = 0; l < shape->cross_layers; l++)
        if (network->cross[l].by_matrix && affine_has_transposed(&network->cross[l].map))
            over += affine_transpose(&network->cross[l].map, parameters, transposed);
    for (uint32_t l = 0; l < shape->cin_units.count; l++) {
        const struct compressed_layer *layer = &network->compressed[l];
        const struct affine as = {.rows = layer->maps * layer->fields,
                                  .width = layer->units,
                                  .weights = layer->weights,
                                  .transposed = layer->transposed};

        over += affine_transpose(&as, parameters, transposed);
    }
    if (shape->last != NO_ARRAY && affine_has_transposed(&network->last))
        over += affine_transpose(&network->last, parameters, transposed);
    return over;
}

/* ---- space ---- */

static uint32_t widest(const struct embedding_shape *shape)
{
    uint32_t most = (uint32_t)shape->inputs;

    for (uint32_t l = 0; l < shape->hidden_units.count; l++)
        most = shape->hidden_units.items[l] > most ? shape->hidden_units.items[l] : most;
    return most;
}

/* Room for a chunk of rows of so many floats; what was missing before stays so. */
static void make(float **room, size_t width, bool *is_there)
{
    *room = matrix_new(LANE_CHUNK_ROWS, width, sizeof **room);
    *is_there &= *room != NULL;
}

static void make_layers(struct embedding_space *space, const struct embedding_network *network,
                        bool *is_there)
{
    const struct embedding_shape *shape = &network->shape;

    for (uint32_t l = 0; l < shape->hidden_units.count; l++) {
        make(&space->hidden[l], shape->hidden_units.items[l], is_there);
        if (activation_keeps_sums(shape->activation))
            make(&space->kept[l], shape->hidden_units.items[l], is_there);
        if (network->dropout.rate > 0)
            make(&space->masks[l], shape->hidden_units.items[l], is_there);
    }
    *is_there &= hidden_norms_space_init(&space->norms, &network->norms);
    make(&space->deltas[0], widest(shape), is_there);
    make(&space->deltas[1], widest(shape), is_there);
    for (uint32_t l = 0; l < shape->cross_layers; l++) {
        make(&space->crossed[l], shape->inputs, is_there);
        make(&space->inner[l], shape->inputs, is_there);
    }
    make(&space->cross_room, shape->cross_layers ? 3 * shape->inputs : 0, is_there);
}

static void make_compressed(struct embedding_space *space, const struct embedding_network *network,
                            bool *is_there)
{
    const struct embedding_shape *shape = &network->shape;
    const size_t layers = shape->cin_units.count;
    size_t room = 0;

    for (uint32_t l = 0; l < layers; l++) {
        const size_t width = (size_t)shape->cin_units.items[l] * shape->dimension;
        const size_t own = compressed_room(&network->compressed[l]);

        make(&space->maps[l], width, is_there);
        make(&space->dmaps[l], width, is_there);
        room = own > room ? own : room;
    }
    make(&space->numbers, layers ? shape->embedded : 0, is_there);
    make(&space->dnumbers, layers ? shape->embedded : 0, is_there);
    make(&space->dmaps[layers], layers ? shape->embedded : 0, is_there);
    space->products = matrix_new(2, room, sizeof *space->products);
    *is_there &= space->products != NULL;
}

static void make_rows(struct embedding_space *space, const struct embedding_network *network,
                      bool *is_there)
{
    const struct embedding_shape *shape = &network->shape;

    make(&space->dense, network->columns.dense_width, is_there);
    if (network->dataset->transform.offset_width > 0)
        make(&space->offsets, 1, is_there);
    make(&space->inputs, shape->inputs, is_there);
    make(&space->dinputs, shape->inputs, is_there);
    make(&space->sums, shape->dimension, is_there);
    make(&space->top, shape->top, is_there);
    make(&space->dtop, shape->top, is_there);
    make(&space->wide, shape->outputs, is_there);
    make(&space->outputs, shape->outputs, is_there);
    make(&space->labels.targets, 1, is_there);
    make(&space->labels.weights, 1, is_there);
    space->ids = matrix_new(LANE_CHUNK_ROWS, network->fields.id_count, sizeof *space->ids);
    space->labels.classes = matrix_new(LANE_CHUNK_ROWS, 1, sizeof *space->labels.classes);
    space->labels.losses = matrix_new(LANE_CHUNK_ROWS, 1, sizeof *space->labels.losses);
    *is_there &= space->ids && space->labels.classes && space->labels.losses;
}

enum status embedding_space_init(struct embedding_space *space,
                                 const struct embedding_network *network, struct error *err)
{
    bool is_there = true;

    *space = (struct embedding_space){0};
    make_rows(space, network, &is_there);
    make_layers(space, network, &is_there);
    make_compressed(space, network, &is_there);
    /* Few pages of a large table are ever written to. */
    space->gradient = calloc(network->parameter_count, sizeof *space->gradient);
    if (is_there && space->gradient &&
        touched_rows_make(&space->touched, (uint32_t)network->shape.id_rows, err) == STATUS_OK)
        return STATUS_OK;
    embedding_space_deinit(space);
    return fail_no_memory(err);
}

void embedding_space_deinit(struct embedding_space *space)
{
    float *const rooms[] = {
        space->dense,     space->inputs,         space->dinputs,       space->deltas[0],
        space->deltas[1], space->cross_room,     space->numbers,       space->dnumbers,
        space->products,  space->sums,           space->top,           space->dtop,
        space->wide,      space->outputs,        space->gradient,      space->dmaps[COUNTS_MAX],
        space->offsets,   space->labels.targets, space->labels.weights};

    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        free(rooms[i]);
    for (uint32_t l = 0; l < HIDDEN_LAYERS_MAX; l++) {
        free(space->hidden[l]);
        free(space->masks[l]);
        free(space->kept[l]);
    }
    hidden_norms_space_deinit(&space->norms);
    for (uint32_t l = 0; l < CROSS_LAYERS_MAX; l++) {
        free(space->crossed[l]);
        free(space->inner[l]);
    }
    for (uint32_t l = 0; l < COUNTS_MAX; l++) {
        free(space->maps[l]);
        free(space->dmaps[l]);
    }
    free(space->ids);
    free(space->labels.classes);
    free(space->labels.losses);
    touched_rows_deinit(&space->touched);
    *space = (struct embedding_space){0};
}

static enum status space_open(const void *self, void **space, struct error *err)
{
    struct embedding_space *made = malloc(sizeof *made);
    enum status status;

    if (!made)
        return fail_no_memory(err);
    status = embedding_space_init(made, self, err);
    if (status == STATUS_OK)
        *space = made;
    else
        free(made);
    return status;
}

static void space_close(void *space)
{
    if (space)
        embedding_space_deinit(space);
    free(space);
}

/* ---- as descent learns it ---- */

static uint64_t space_bytes(const struct embedding_network *network)
{
    const struct embedding_shape *shape = &network->shape;
    uint64_t floats = shape->inputs * (2 + 2 * (uint64_t)shape->cross_layers + 3) + 2 * shape->top +
                      2 * (uint64_t)widest(shape),
             room = 0;

    for (uint32_t l = 0; l < shape->hidden_units.count; l++)
        floats += (uint64_t)shape->hidden_units.items[l] * (network->norms.count ? 3 : 2);
    for (uint32_t l = 0; l < shape->cin_units.count; l++) {
        floats += 2 * (uint64_t)shape->cin_units.items[l] * shape->dimension;
        if (2 * compressed_room(&network->compressed[l]) > room)
            room = 2 * compressed_room(&network->compressed[l]);
    }
    return (floats * LANE_CHUNK_ROWS + room) * sizeof(float);
}

static void fill_model(void *self, const float *parameters, struct model *model)
{
    struct embedding_network *network = self;

    network->content.shape = network->shape;
    hidden_norms_fold(&network->norms, parameters);
    for (uint32_t i = 0; i < network->shape.array_count; i++)
        network->content.elements[i] =
            hidden_norms_folded(&network->norms, parameters, network->tensors[i].first);
    model->content = &network->content;
    if (embedding_pair_columns(&network->shape) && model->format < MODEL_FORMAT_POOLED)
        model->format = MODEL_FORMAT_POOLED;
    loss_head_fill(&network->head, model);
}

static void put_shape(const void *self, struct text *out)
{
    const struct embedding_network *network = self;
    const struct embedding_shape *shape = &network->shape;

    put_u32(out, network->head.task);
    put_u32(out, network->columns.dense_width);
    put_u32(out, network->fields.id_count);
    put_u32(out, shape->fields);
    put_u32(out, shape->array_count);
    for (uint32_t i = 0; i < shape->array_count; i++) {
        put_u64(out, shape->arrays[i].rows);
        put_u64(out, shape->arrays[i].width);
    }
    if (network->norms.count)
        put_u32(out, 1);
}

static void close_network(void *self)
{
    embedding_network_deinit(self);
    free(self);
}

struct descent_settings embedding_network_settings(const struct jobspec *spec, uint64_t rows)
{
    struct descent_settings settings = network_settings(spec, rows);

    if (embedding_params(&spec->params)->l2 == REAL_AUTOMATIC)
        settings.l2 = embedding_length(&spec->params, spec->task).l2 / (double)rows;
    return settings;
}

/* The settings of all parameters, but for those that are the linear model's own. */
static struct descent_settings linear_settings_of(const struct jobspec *spec,
                                                  const struct descent_settings *all)
{
    const struct embedding_params *params = embedding_params(&spec->params);
    struct descent_settings linear = *all;

    linear.optimizer = embedding_linear_optimizer(params);
    linear.learning_rate = params->linear_rate;
    linear.initial_accumulator = params->linear_accumulator;
    linear.ftrl_l1 = params->linear_l1;
    linear.ftrl_l2 = params->linear_l2;
    if (linear.optimizer != all->optimizer) {
        linear.rate_power = -0.5;
        linear.momentum = linear.optimizer == OPTIMIZER_RMSPROP ? 0 : 0.9;
        linear.centered = false;
        linear.epsilon = linear.optimizer == OPTIMIZER_ADADELTA ? 1e-6 : 1e-8;
    }
    if (linear.optimizer == OPTIMIZER_FTRL) { /* its rate must not fall: network_optimizer.c */
        linear.schedule = SCHEDULE_CONSTANT;
        linear.warmup_steps = 0;
    }
    if (params->l2 == REAL_AUTOMATIC &&
        (linear.optimizer == OPTIMIZER_FTRL || linear.optimizer == OPTIMIZER_ADAMW))
        linear.l2 = 0; /* it has penalties of its own */
    return linear;
}

enum status embedding_network_open(const struct jobspec *spec, const struct dataset *dataset,
                                   struct differentiable *model, struct error *err)
{
    struct embedding_network *network = malloc(sizeof *network);
    enum status status;

    if (!network)
        return fail_no_memory(err);
    status = embedding_network_init(network, spec, dataset, err);
    if (status != STATUS_OK) {
        close_network(network);
        return status;
    }
    *model = (struct differentiable){
        .self = network,
        .tensors = network->tensors,
        .tensor_count = network->tensor_count,
        .parameter_count = network->parameter_count,
        .derived_count = network->transposed_count,
        .space_bytes = space_bytes(network),
        .settings = embedding_network_settings(spec, dataset->train.rows),
        .unit = loss_head_unit(&network->head),
        .close = close_network,
        .start = embedding_network_start,
        .derive = embedding_network_transpose,
        .space_open = space_open,
        .space_close = space_close,
        .gradient = embedding_network_gradient,
        .space_clear = embedding_network_clear,
        .evaluate = embedding_network_evaluate,
        .fill_model = fill_model,
        .put_shape = put_shape,
    };
    if (embedding_has_linear_optimizer(embedding_params(&spec->params)))
        model->linear = linear_settings_of(spec, &model->settings);
    return STATUS_OK;
}
