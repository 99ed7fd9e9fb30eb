#include "runtime/learn/networks/embedding_network.h"

#include <string.h>

#include "arithmetic/kernels.h"
#include "base/process/progress.h"
#include "runtime/learn/layers/lane_gather.h"

/* A chunk of rows on its way. */
struct chunk {
    const struct embedding_network *network;
    const float *parameters;
    const struct lane_rows *rows;
    uint32_t offset, n;
    bool drops; /* not of an evaluation */
    struct embedding_space *space;
};

static struct chunk chunk_at(const struct embedding_network *network, const float *parameters,
                             const struct lane_rows *rows, uint32_t offset,
                             struct embedding_space *space)
{
    const struct gathered to = {space->dense, space->ids, space->offsets, &space->labels};
    const uint32_t n = lane_chunk_rows(rows, offset);

    progress_note();
    lane_gather(&network->head, rows, offset, n, &to);
    if (network->places)
        id_places_map(network->places, space->ids, (size_t)n * network->columns.id_count);
    return (struct chunk){network, parameters, rows, offset, n, false, space};
}

/* `count` columns of some rows, which lie `from_row` and `to_row` floats apart. */
static void copy_columns(const float *from, size_t from_row, float *to, size_t to_row, size_t count,
                         size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * to_row, from + i * from_row, count * sizeof *to);
}

static void add_columns(const float *from, size_t from_row, float *to, size_t to_row, size_t count,
                        size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < count; j++)
            to[i * to_row + j] += from[i * from_row + j];
}

/* ---- forward ---- */

static void fill_inputs(const struct chunk *chunk)
{
    const struct embedding_shape *shape = &chunk->network->shape;
    const struct embedding_inputs *columns = &chunk->network->columns;
    struct embedding_space *space = chunk->space;

    memset(space->wide, 0, (size_t)chunk->n * shape->outputs * sizeof *space->wide);
    embedding_columns_copy(columns, columns->deep, columns->deep_count, space->dense, chunk->n,
                           space->inputs + shape->embedded, shape->inputs);
    if (columns->field_count)
        embedded_fields_forward(&chunk->network->fields, chunk->parameters, chunk->n, space->ids,
                                space->inputs, shape->inputs, space->wide);
}

static void forward_hidden(const struct chunk *chunk)
{
    const struct embedding_network *network = chunk->network;
    const struct embedding_shape *shape = &network->shape;
    struct embedding_space *space = chunk->space;
    const float *a = space->inputs;

    for (uint32_t l = 0; shape->hidden != NO_ARRAY && l < shape->hidden_units.count; l++) {
        const uint32_t units = shape->hidden_units.items[l];
        const struct dropout_place place = {
            chunk->rows->step, (uint64_t)chunk->rows->position + chunk->offset, l, units};
        float *z = space->hidden[l];

        affine_forward(&network->hidden[l], chunk->parameters, chunk->n, a, z);
        if (chunk->drops && space->kept[l])
            memcpy(space->kept[l], z, (size_t)chunk->n * units * sizeof *z);
        activation_forward(shape->activation, z, (size_t)chunk->n * units);
        if (chunk->drops && network->dropout.rate > 0)
            dropout_forward(&network->dropout, &place, chunk->n, space->masks[l], z);
        a = hidden_norms_forward(&network->norms, l, chunk->parameters, chunk->n, chunk->drops, z,
                                 &space->norms);
    }
    if (embedding_last_hidden(shape) && shape->hidden != NO_ARRAY)
        copy_columns(a, embedding_last_hidden(shape), space->top + embedding_top_hidden(shape),
                     shape->top, embedding_last_hidden(shape), chunk->n);
}

static void forward_cross(const struct chunk *chunk)
{
    const struct embedding_shape *shape = &chunk->network->shape;
    struct embedding_space *space = chunk->space;
    const float *x = space->inputs;

    for (uint32_t l = 0; l < shape->cross_layers; l++) {
        cross_layer_forward(&chunk->network->cross[l], chunk->parameters, chunk->n, space->inputs,
                            x, space->inner[l], space->crossed[l]);
        x = space->crossed[l];
    }
    if (shape->cross_layers)
        copy_columns(x, shape->inputs, space->top + embedding_top_interaction(shape), shape->top,
                     shape->inputs, chunk->n);
}

/* Number by number: (n * dimension, fields). */
static void turn_embeddings(const struct chunk *chunk)
{
    const struct embedding_shape *shape = &chunk->network->shape;
    float *to = chunk->space->numbers;

    for (size_t i = 0; i < chunk->n; i++)
        for (uint32_t j = 0; j < shape->dimension; j++)
            for (uint32_t f = 0; f < shape->fields; f++)
                *to++ = chunk->space->inputs[i * shape->inputs + f * shape->dimension + j];
}

/* The top has the sum of each map over its numbers. */
static void sum_maps(const struct embedding_shape *shape, const float *maps, uint32_t units,
                     size_t n, float *top)
{
    for (size_t i = 0; i < n; i++, top += shape->top) {
        memset(top, 0, units * sizeof *top);
        for (uint32_t j = 0; j < shape->dimension; j++, maps += units)
            for (uint32_t h = 0; h < units; h++)
                top[h] += maps[h];
    }
}

static void forward_compressed(const struct chunk *chunk)
{
    const struct embedding_shape *shape = &chunk->network->shape;
    struct embedding_space *space = chunk->space;
    const float *before = space->numbers;
    float *top = space->top + embedding_top_interaction(shape);

    if (shape->cin_units.count)
        turn_embeddings(chunk);
    for (uint32_t l = 0; l < shape->cin_units.count; l++) {
        const struct compressed_layer *layer = &chunk->network->compressed[l];

        compressed_layer_forward(layer, chunk->parameters, (size_t)chunk->n * shape->dimension,
                                 space->numbers, before, space->products, space->maps[l]);
        sum_maps(shape, space->maps[l], layer->units, chunk->n, top);
        before = space->maps[l];
        top += layer->units;
    }
}

/* The pairs of a network with several outputs are columns of the top. */
static void forward_pooled(const struct chunk *chunk)
{
    const struct embedding_shape *shape = &chunk->network->shape;
    struct embedding_space *space = chunk->space;

    if (embedding_pair_columns(shape))
        pairs_pooled_forward(&chunk->network->pairs, chunk->n, space->inputs, shape->inputs,
                             space->sums, space->top + embedding_top_interaction(shape),
                             shape->top);
}

/* Leaves the outputs in the space. */
static void forward(const struct chunk *chunk)
{
    const struct embedding_network *network = chunk->network;
    const struct embedding_shape *shape = &network->shape;
    struct embedding_space *space = chunk->space;

    fill_inputs(chunk);
    if (shape->is_wide)
        embedding_columns_copy(&network->columns, network->columns.wide,
                               network->columns.wide_count, space->dense, chunk->n, space->top,
                               shape->top);
    forward_hidden(chunk);
    forward_cross(chunk);
    forward_compressed(chunk);
    forward_pooled(chunk);
    affine_forward(&network->last, chunk->parameters, chunk->n, space->top, space->outputs);
    if (shape->wide_width)
        add_columns(space->wide, shape->outputs, space->outputs, shape->outputs, shape->outputs,
                    chunk->n);
    if (shape->interaction == INTERACTION_PAIRS && shape->outputs == 1)
        pairs_sum_forward(&network->pairs, chunk->n, space->inputs, shape->inputs, space->sums,
                          space->outputs);
    for (uint32_t i = 0; space->offsets && i < chunk->n; i++)
        space->outputs[i] += space->offsets[i];
}

/* ---- backward: each part adds to the gradient of the inputs ---- */

/* Where gradients of weights go, and whether they start there. */
struct backward {
    const float *transposed;
    bool is_first;
};

static void backward_hidden(const struct chunk *chunk, const struct backward *way)
{
    const struct embedding_network *network = chunk->network;
    const struct embedding_shape *shape = &network->shape;
    struct embedding_space *space = chunk->space;
    const uint32_t layers = shape->hidden == NO_ARRAY ? 0 : shape->hidden_units.count;
    float *delta = space->deltas[layers % 2];

    if (layers == 0)
        return;
    copy_columns(space->dtop + embedding_top_hidden(shape), shape->top, delta,
                 embedding_last_hidden(shape), embedding_last_hidden(shape), chunk->n);
    for (uint32_t l = layers; l-- > 0;) {
        const struct affine *layer = &network->hidden[l];
        const size_t count = (size_t)chunk->n * layer->width;
        const float *below =
            l ? hidden_norms_above(&space->norms, l - 1, space->hidden[l - 1]) : space->inputs;
        float *next = space->deltas[l % 2];

        hidden_norms_backward(&network->norms, l, chunk->parameters, chunk->n,
                              chunk->n / chunk->rows->divisor, space->hidden[l], &space->norms,
                              way->is_first, delta, space->gradient);
        if (space->masks[l])
            dropout_backward(&network->dropout, space->masks[l], count, space->hidden[l], delta);
        activation_backward(shape->activation, space->kept[l] ? space->kept[l] : space->hidden[l],
                            delta, count);
        affine_backward(layer, chunk->n, below, delta, way->is_first, space->gradient);
        affine_backward_inputs(layer, chunk->parameters, way->transposed, chunk->n, delta, false,
                               next);
        delta = next;
    }
    add_columns(delta, shape->inputs, space->dinputs, shape->inputs, shape->inputs, chunk->n);
}

static void backward_cross(const struct chunk *chunk, const struct backward *way)
{
    const struct embedding_shape *shape = &chunk->network->shape;
    struct embedding_space *space = chunk->space;
    const size_t count = (size_t)chunk->n * shape->inputs;
    float *delta = space->cross_room + 2 * count;

    if (shape->cross_layers == 0)
        return;
    copy_columns(space->dtop + embedding_top_interaction(shape), shape->top, delta, shape->inputs,
                 shape->inputs, chunk->n);
    for (uint32_t l = shape->cross_layers; l-- > 0;)
        cross_layer_backward(&chunk->network->cross[l], chunk->parameters, way->transposed,
                             chunk->n, space->inputs, l ? space->crossed[l - 1] : space->inputs,
                             space->inner[l], way->is_first, space->cross_room, delta,
                             space->dinputs, space->gradient);
    add_columns(delta, shape->inputs, space->dinputs, shape->inputs, shape->inputs, chunk->n);
}

/* Each number of a map has the gradient of its sum, and what the next layer gave. */
static void spread_sums(const struct embedding_shape *shape, const float *dtop, uint32_t units,
                        size_t n, float *dmaps)
{
    for (size_t i = 0; i < n; i++, dtop += shape->top)
        for (uint32_t j = 0; j < shape->dimension; j++, dmaps += units)
            for (uint32_t h = 0; h < units; h++)
                dmaps[h] += dtop[h];
}

/* The numbers of the embeddings come back to where they came from. */
static void turn_back(const struct chunk *chunk, const float *dnumbers)
{
    const struct embedding_shape *shape = &chunk->network->shape;

    for (size_t i = 0; i < chunk->n; i++)
        for (uint32_t j = 0; j < shape->dimension; j++)
            for (uint32_t f = 0; f < shape->fields; f++)
                chunk->space->dinputs[i * shape->inputs + f * shape->dimension + j] += *dnumbers++;
}

static void backward_compressed(const struct chunk *chunk, const struct backward *way)
{
    const struct embedding_shape *shape = &chunk->network->shape;
    struct embedding_space *space = chunk->space;
    const size_t rows = (size_t)chunk->n * shape->dimension;
    const uint32_t layers = shape->cin_units.count;
    const float *dtop = space->dtop + shape->top;
    float *of_inputs = space->dmaps[layers]; /* gradient as the first layer's maps */

    if (layers == 0)
        return;
    memset(space->dnumbers, 0, rows * shape->fields * sizeof *space->dnumbers);
    memset(of_inputs, 0, rows * shape->fields * sizeof *of_inputs);
    for (uint32_t l = 0; l < layers; l++)
        memset(space->dmaps[l], 0, rows * shape->cin_units.items[l] * sizeof *space->dmaps[l]);
    for (uint32_t l = layers; l-- > 0;) {
        const struct compressed_layer *layer = &chunk->network->compressed[l];

        dtop -= layer->units; /* the last columns of the top are the last layer's */
        spread_sums(shape, dtop, layer->units, chunk->n, space->dmaps[l]);
        compressed_layer_backward(layer, way->transposed, rows, space->numbers,
                                  l ? space->maps[l - 1] : space->numbers, space->dmaps[l],
                                  way->is_first, space->products, space->dnumbers,
                                  l ? space->dmaps[l - 1] : of_inputs, space->gradient);
    }
    turn_back(chunk, space->dnumbers);
    turn_back(chunk, of_inputs);
}

/* From dL/dz, which lies where the outputs were. */
static void backward(const struct chunk *chunk, const struct backward *way)
{
    const struct embedding_network *network = chunk->network;
    const struct embedding_shape *shape = &network->shape;
    struct embedding_space *space = chunk->space;

    memset(space->dinputs, 0, chunk->n * shape->inputs * sizeof *space->dinputs);
    affine_backward(&network->last, chunk->n, space->top, space->outputs, way->is_first,
                    space->gradient);
    if (shape->top)
        affine_backward_inputs(&network->last, chunk->parameters, way->transposed, chunk->n,
                               space->outputs, false, space->dtop);
    backward_hidden(chunk, way);
    backward_cross(chunk, way);
    backward_compressed(chunk, way);
    if (embedding_pair_columns(shape))
        pairs_pooled_backward(&network->pairs, chunk->n, space->inputs, shape->inputs, space->sums,
                              space->dtop + embedding_top_interaction(shape), shape->top,
                              space->dinputs);
    else if (shape->interaction == INTERACTION_PAIRS)
        pairs_sum_backward(&network->pairs, chunk->n, space->inputs, shape->inputs, space->sums,
                           space->outputs, space->dinputs);
    if (network->columns.field_count)
        embedded_fields_backward(&network->fields, chunk->n, space->ids, space->dinputs,
                                 shape->inputs, space->outputs, space->gradient, &space->touched);
}

/* ---- lanes ---- */

struct lane_gradient embedding_network_gradient(const void *self, const float *parameters,
                                                const float *transposed,
                                                const struct lane_rows *rows, void *room)
{
    const struct embedding_network *network = self;
    struct embedding_space *space = room;
    double loss = 0;

    for (uint32_t offset = 0; offset < rows->count; offset += LANE_CHUNK_ROWS) {
        struct chunk chunk = chunk_at(network, parameters, rows, offset, space);

        chunk.drops = true;
        forward(&chunk);
        loss += loss_head_backward(&network->head, chunk.n, rows->divisor, &space->labels,
                                   space->outputs);
        backward(&chunk, &(struct backward){transposed, offset == 0});
    }
    return (struct lane_gradient){loss, space->gradient, space->touched.rows, space->touched.count};
}

void embedding_network_clear(const void *self, void *room)
{
    const struct embedding_network *network = self;
    struct embedding_space *space = room;

    embedded_fields_clear(&network->fields, space->gradient, &space->touched);
}

double embedding_network_evaluate(const void *self, const float *parameters,
                                  const struct lane_rows *rows, void *room, uint64_t *correct)
{
    const struct embedding_network *network = self;
    struct embedding_space *space = room;
    double loss = 0;

    *correct = 0;
    for (uint32_t offset = 0; offset < rows->count; offset += LANE_CHUNK_ROWS) {
        const struct chunk chunk = chunk_at(network, parameters, rows, offset, space);

        forward(&chunk);
        *correct +=
            loss_head_evaluate(&network->head, chunk.n, &space->labels, space->outputs, &loss);
    }
    return loss;
}
