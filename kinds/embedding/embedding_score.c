#include "kinds/embedding/embedding_score.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/embedding/embedding_inputs.h"
#include "kinds/embedding/embedding_model.h"
#include "scoring/numbers/activation.h"
#include "scoring/numbers/layer_sums.h"
#include "scoring/numbers/matrix.h"

struct workspace {
    const struct model *model;
    struct embedding_inputs columns;
    const struct sums_kernel *kernel;             /* for this processor */
    struct layer_sums sums[EMBEDDING_ARRAYS_MAX]; /* for each array of weights that is multiplied */
    float *inputs;                                /* (rows_max, inputs) */
    float *front, *back;                          /* (rows_max, widest): two layers' values */
    float *top;                                   /* (rows_max, top) */
    float *products, *maps; /* one row's: (dimension, compressed), (2, dimension, maps) */
};

/* ---- sizes ---- */

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t widest(const struct embedding_shape *shape)
{
    uint64_t most = shape->interaction == INTERACTION_CROSS ? shape->inputs : 1;

    for (uint32_t l = 0; l < shape->hidden_units.count; l++)
        most = greater(most, shape->hidden_units.items[l]);
    return most;
}

static uint64_t most_maps(const struct embedding_shape *shape)
{
    uint64_t most = shape->fields;

    for (uint32_t l = 0; l < shape->cin_units.count; l++)
        most = greater(most, shape->cin_units.items[l]);
    return most;
}

size_t embedding_row_bytes(const struct model *model)
{
    const struct embedding_shape *shape = &embedding_of(model)->shape;

    return (size_t)(shape->inputs + 2 * widest(shape) + shape->top) * sizeof(float);
}

/* ---- open, close ---- */

static enum status init_sums(struct workspace *workspace, uint32_t array, const float *bias,
                             struct error *err)
{
    const struct embedding_model *model = embedding_of(workspace->model);
    const struct embedding_array *weights = &model->shape.arrays[array];

    return layer_sums_init(&workspace->sums[array], model->elements[array], bias, weights->rows,
                           weights->width, err);
}

/* Weights whose bias follows them. */
static enum status init_layer(struct workspace *workspace, uint32_t array, struct error *err)
{
    return init_sums(workspace, array, embedding_of(workspace->model)->elements[array + 1], err);
}

/* The top may have no columns: then the bias alone is the output. */
static enum status init_layers(struct workspace *workspace, const float *zeros, struct error *err)
{
    const struct embedding_shape *shape = &embedding_of(workspace->model)->shape;

    for (uint32_t l = 0; shape->hidden != NO_ARRAY && l < shape->hidden_units.count; l++)
        TRY(init_layer(workspace, shape->hidden + 2 * l, err));
    for (uint32_t l = 0; shape->cross_weights == CROSS_MATRIX && l < shape->cross_layers; l++)
        TRY(init_layer(workspace, shape->cross + 2 * l, err));
    for (uint32_t l = 0; l < shape->cin_units.count; l++)
        TRY(init_sums(workspace, shape->cin + l, zeros, err));
    return shape->last == NO_ARRAY ? STATUS_OK : init_layer(workspace, shape->last, err);
}

static bool allocate(struct workspace *workspace, uint32_t rows_max)
{
    const struct embedding_shape *shape = &embedding_of(workspace->model)->shape;
    const uint64_t maps = most_maps(shape) + 1;

    workspace->inputs = matrix_new(rows_max, shape->inputs, sizeof(float));
    workspace->front = matrix_new(rows_max, widest(shape), sizeof(float));
    workspace->back = matrix_new(rows_max, widest(shape), sizeof(float));
    workspace->top = matrix_new(rows_max, shape->top, sizeof(float));
    workspace->products = matrix_new(shape->dimension, maps * (shape->fields + 1), sizeof(float));
    workspace->maps = matrix_new(2 * maps, shape->dimension, sizeof(float));
    return workspace->inputs && workspace->front && workspace->back && workspace->top &&
           workspace->products && workspace->maps;
}

enum status embedding_scorer_open(const struct model *model, uint32_t rows_max, void **opened,
                                  struct error *err)
{
    static const float zeros[CIN_UNITS_MAX];
    struct workspace *workspace = calloc(1, sizeof *workspace);
    enum status status;

    *opened = NULL;
    if (!workspace)
        return fail_no_memory(err);
    assert(embedding_of(model)->shape.id_rows == model->transform.id_rows);
    workspace->model = model;
    workspace->kernel = sums_kernel_best();
    status = embedding_inputs_init(&workspace->columns, &model->transform,
                                   embedding_of(model)->shape.is_wide,
                                   embedding_params(&embedding_of(model)->params)->dimension, err);
    if (status == STATUS_OK)
        status = init_layers(workspace, zeros, err);
    if (status == STATUS_OK && !allocate(workspace, rows_max))
        status = fail_no_memory(err);
    if (status == STATUS_OK)
        *opened = workspace;
    else
        embedding_scorer_close(workspace);
    return status;
}

void embedding_scorer_close(void *closed)
{
    struct workspace *workspace = closed;

    if (!workspace)
        return;
    for (uint32_t i = 0; i < EMBEDDING_ARRAYS_MAX; i++)
        layer_sums_deinit(&workspace->sums[i]);
    embedding_inputs_deinit(&workspace->columns);
    free(workspace->inputs);
    free(workspace->front);
    free(workspace->back);
    free(workspace->top);
    free(workspace->products);
    free(workspace->maps);
    free(workspace);
}

/* ---- inputs ---- */

/* The ids of a field, and what each counts. */
struct selected {
    const int32_t *ids;
    uint32_t count;
    struct text_shares shares;
};

static struct selected selected_by(const struct embedding_field *field, const int32_t *ids)
{
    struct selected selected = {ids + field->ids.first, 1, {1, NULL}};

    if (field->is_text) {
        selected.count = text_ids_used(selected.ids, field->ids.count);
        selected.shares = text_shares_of(&field->ids, ids, selected.count);
    }
    return selected;
}

/* to (count) += its share * scale * the numbers of each row of the table that the ids select, from
 * `at` on */
static void add_rows(const struct embedding_model *model, uint32_t at, uint32_t count,
                     const struct selected *selected, float scale, float *restrict to)
{
    const float *table = model->elements[model->shape.table] + at;

    for (uint32_t i = 0; i < selected->count; i++) {
        const int32_t id = selected->ids[i];
        const float *row = table + (size_t)(id < 0 ? 0 : id) * model->shape.row_width;
        const float share = text_share(&selected->shares, i) * scale;

        for (uint32_t j = 0; id >= 0 && j < count; j++)
            to[j] += share * row[j];
    }
}

/* Fills in the embedding of each field for a row of data; the dense columns are behind them. */
static void fill_embeddings(const struct workspace *workspace, const int32_t *ids, float *inputs)
{
    const struct embedding_model *model = embedding_of(workspace->model);

    memset(inputs, 0, model->shape.embedded * sizeof *inputs);
    for (uint32_t f = 0; f < workspace->columns.field_count; f++) {
        const struct embedding_field *field = &workspace->columns.fields[f];
        const struct selected selected = selected_by(field, ids);

        add_rows(model, model->shape.wide_width, field->dimension, &selected, field->scale,
                 inputs + field->place);
    }
}

/* outputs += the wide part of each id */
static void add_wide(const struct workspace *workspace, const int32_t *ids, float *outputs)
{
    const struct embedding_model *model = embedding_of(workspace->model);

    for (uint32_t f = 0; f < workspace->columns.field_count; f++) {
        const struct embedding_field *field = &workspace->columns.fields[f];
        const struct selected selected = selected_by(field, ids);

        if (field->is_wide)
            add_rows(model, 0, model->shape.wide_width, &selected, 1, outputs);
    }
}

/* ---- parts ---- */

static void copy_columns(const float *from, size_t from_width, size_t count, float *to,
                         size_t to_width, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * to_width, from + i * from_width, count * sizeof *to);
}

static void compute_hidden(const struct workspace *workspace, uint32_t count)
{
    const struct embedding_shape *shape = &embedding_of(workspace->model)->shape;
    const float *x = workspace->inputs;

    if (shape->hidden == NO_ARRAY)
        return;
    for (uint32_t l = 0; l < shape->hidden_units.count; l++) {
        float *z = l % 2 ? workspace->back : workspace->front;

        layer_sums_compute(&workspace->sums[shape->hidden + 2 * l], workspace->kernel, x, count, z);
        activation_forward(shape->activation, z, (size_t)count * shape->hidden_units.items[l]);
        x = z;
    }
    copy_columns(x, embedding_last_hidden(shape), embedding_last_hidden(shape),
                 workspace->top + embedding_top_hidden(shape), shape->top, count);
}

/* By a vector: next = inputs * (x w) + b + x */
static void cross_by_vector(const struct embedding_model *model, uint32_t layer,
                            const float *restrict inputs, const float *restrict x,
                            float *restrict next)
{
    const float *weights = model->elements[model->shape.cross + 2 * layer];
    const float *bias = model->elements[model->shape.cross + 2 * layer + 1];
    float sum = 0;

    for (uint32_t j = 0; j < model->shape.inputs; j++)
        sum += x[j] * weights[j];
    for (uint32_t j = 0; j < model->shape.inputs; j++)
        next[j] = inputs[j] * sum + bias[j] + x[j];
}

/* By a matrix: next = inputs * (x W + b) + x, of which `next` has the parenthesis */
static void cross_by_matrix(uint64_t count, const float *restrict inputs, const float *restrict x,
                            float *restrict next)
{
    for (uint64_t j = 0; j < count; j++)
        next[j] = inputs[j] * next[j] + x[j];
}

static void compute_cross(const struct workspace *workspace, uint32_t count)
{
    const struct embedding_model *model = embedding_of(workspace->model);
    const struct embedding_shape *shape = &model->shape;
    const size_t width = shape->inputs;
    const float *x = workspace->inputs;

    for (uint32_t l = 0; l < shape->cross_layers; l++) {
        float *next = l % 2 ? workspace->back : workspace->front;

        if (shape->cross_weights == CROSS_MATRIX) {
            layer_sums_compute(&workspace->sums[shape->cross + 2 * l], workspace->kernel, x, count,
                               next);
            cross_by_matrix(count * width, workspace->inputs, x, next);
        }
        for (size_t i = 0; shape->cross_weights == CROSS_VECTOR && i < count; i++)
            cross_by_vector(model, l, workspace->inputs + i * width, x + i * width,
                            next + i * width);
        x = next;
    }
    if (shape->cross_layers)
        copy_columns(x, width, width, workspace->top + embedding_top_interaction(shape), shape->top,
                     count);
}

/* products (dimension, before * fields): of each number of the embeddings the products of a map
 * before, (dimension, before), with an embedding */
static void multiply_maps(const struct embedding_shape *shape, const float *embeddings,
                          const float *maps, uint32_t before, float *products)
{
    for (uint32_t j = 0; j < shape->dimension; j++)
        for (uint32_t m = 0; m < before; m++)
            for (uint32_t f = 0; f < shape->fields; f++)
                *products++ = maps[j * before + m] * embeddings[f * shape->dimension + j];
}

/* The maps of a row, layer by layer; the top has the sum of each over its numbers. */
static void compress_row(const struct workspace *workspace, const float *embeddings, float *top)
{
    const struct embedding_shape *shape = &embedding_of(workspace->model)->shape;
    const size_t room = (most_maps(shape) + 1) * shape->dimension;
    float *maps = workspace->maps;
    uint32_t before = shape->fields;

    for (uint32_t j = 0; j < shape->dimension; j++)
        for (uint32_t f = 0; f < shape->fields; f++)
            maps[j * shape->fields + f] = embeddings[f * shape->dimension + j];
    for (uint32_t l = 0; l < shape->cin_units.count; l++) {
        const uint32_t units = shape->cin_units.items[l];
        float *next = workspace->maps + (l % 2 ? 0 : room);

        multiply_maps(shape, embeddings, maps, before, workspace->products);
        layer_sums_compute(&workspace->sums[shape->cin + l], workspace->kernel, workspace->products,
                           shape->dimension, next);
        memset(top, 0, units * sizeof *top);
        for (uint32_t j = 0; j < shape->dimension; j++)
            for (uint32_t h = 0; h < units; h++)
                top[h] += next[j * units + h];
        top += units;
        maps = next;
        before = units;
    }
}

/* Twice the products of all pairs, in one number of the embeddings: the square of the sum - the sum
 * of squares. */
static float twice_pairs(const struct embedding_shape *shape, const float *embeddings,
                         uint32_t number)
{
    float sum = 0, squares = 0;

    for (uint32_t f = 0; f < shape->fields; f++) {
        const float one = embeddings[f * shape->dimension + number];

        sum += one;
        squares += one * one;
    }
    return sum * sum - squares;
}

static float pairs_of(const struct embedding_shape *shape, const float *embeddings)
{
    float all = 0;

    for (uint32_t j = 0; j < shape->dimension; j++)
        all += twice_pairs(shape, embeddings, j);
    return all / 2;
}

/* ---- a block of rows ---- */

static void fill_top(const struct workspace *workspace, const float *dense, uint32_t count)
{
    const struct embedding_shape *shape = &embedding_of(workspace->model)->shape;

    if (shape->is_wide)
        embedding_columns_copy(&workspace->columns, workspace->columns.wide,
                               workspace->columns.wide_count, dense, count, workspace->top,
                               shape->top);
    compute_hidden(workspace, count);
    compute_cross(workspace, count);
    for (size_t i = 0; shape->cin_units.count && i < count; i++)
        compress_row(workspace, workspace->inputs + i * shape->inputs,
                     workspace->top + i * shape->top + embedding_top_interaction(shape));
    for (size_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < embedding_pair_columns(shape); j++)
            workspace->top[i * shape->top + embedding_top_interaction(shape) + j] =
                twice_pairs(shape, workspace->inputs + i * shape->inputs, j) / 2;
}

/* The outputs of a model whose top has no columns. */
static void copy_bias(const struct embedding_model *model, uint32_t count, float *outputs)
{
    const float *bias = model->elements[model->shape.array_count - 1];

    for (uint32_t i = 0; i < count; i++)
        memcpy(outputs + (size_t)i * model->shape.outputs, bias,
               model->shape.outputs * sizeof *bias);
}

void embedding_score(void *opened, const float *dense, const int32_t *ids, uint32_t count,
                     float *outputs)
{
    const struct workspace *workspace = opened;
    const struct transform *transform = &workspace->model->transform;
    const struct embedding_shape *shape = &embedding_of(workspace->model)->shape;

    for (size_t i = 0; i < count; i++)
        fill_embeddings(workspace, ids + i * transform->id_count,
                        workspace->inputs + i * shape->inputs);
    embedding_columns_copy(&workspace->columns, workspace->columns.deep,
                           workspace->columns.deep_count, dense, count,
                           workspace->inputs + shape->embedded, shape->inputs);
    fill_top(workspace, dense, count);
    if (shape->last == NO_ARRAY)
        copy_bias(embedding_of(workspace->model), count, outputs);
    else
        layer_sums_compute(&workspace->sums[shape->last], workspace->kernel, workspace->top, count,
                           outputs);
    for (size_t i = 0; i < count; i++) {
        add_wide(workspace, ids + i * transform->id_count, outputs + i * shape->outputs);
        if (shape->interaction == INTERACTION_PAIRS && shape->outputs == 1)
            outputs[i] += pairs_of(shape, workspace->inputs + i * shape->inputs);
    }
    for (size_t i = 0; transform->offset_width > 0 && i < count; i++)
        outputs[i] += (float)transform_offset(transform, dense + i * transform->dense_width);
}
