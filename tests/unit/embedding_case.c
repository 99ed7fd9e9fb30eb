#include "tests/unit/embedding_case.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDEST 512

/* ---- rows and a job ---- */

static void share_out(struct transform *transform)
{
    const uint32_t dense = transform->dense_width;

    transform->inputs[0].spec.model_part = PART_LINEAR;
    transform->inputs[1].spec.model_part = PART_DNN;
    transform->inputs[dense].spec.model_part = PART_LINEAR;
    transform->inputs[dense + 1].spec.model_part = PART_DNN;
    transform->inputs[dense + 1].spec.dimension = 2;
}

static void list_inputs(struct transform *transform, uint32_t words)
{
    const uint32_t categories = transform->id_count - words;
    struct transform_input *input;

    transform->input_count = transform->dense_width + categories + (words > 0);
    input = transform->inputs = calloc(transform->input_count, sizeof *transform->inputs);
    assert(input);
    for (uint32_t j = 0; j < transform->dense_width; j++)
        *input++ = (struct transform_input){
            .spec.type = INPUT_NUMERIC, .dense_offset = j, .dense_count = 1, .scale = 1};
    for (uint32_t j = 0; j < categories; j++)
        *input++ = (struct transform_input){.spec.type = INPUT_CATEGORY, .id_offset = j};
    if (words)
        *input = (struct transform_input){
            .spec.type = INPUT_TEXT, .id_offset = categories, .spec.words_max = words};
}

void embedding_case_open(struct embedding_case *of, struct rows_shape shape, uint32_t words,
                         struct embedding_parts parts)
{
    struct embedding_params *params = embedding_params(&of->spec.params);

    of->dataset = words ? made_text_dataset(shape, words) : made_dataset(shape);
    list_inputs(&of->dataset.transform, words);
    of->spec = made_spec(&of->dataset);
    of->spec.family = SLICE("embedding");
    if (parts.are_shared_out) {
        share_out(&of->dataset.transform);
        params->linear_optimizer = OPTIMIZER_ADAGRAD + 1;
        params->linear_rate = 0.05;
        params->linear_accumulator = 0.1;
    }
    params->hidden_units = (struct counts){{7, 5}, parts.hidden_layers};
    params->activation = NETWORK_ACTIVATION_TANH;
    params->batch_norm = parts.is_normalized;
    params->dimension = 3;
    params->is_wide = parts.is_wide;
    params->interaction = parts.interaction;
    params->cross_layers = 2;
    params->cross_weights = parts.cross_weights;
    params->cin_units = (struct counts){{4, 3}, 2};
}

void embedding_case_concat(struct embedding_case *of, enum combiner combiner)
{
    struct transform *transform = &of->dataset.transform;

    for (uint32_t i = transform->input_count - 2; i < transform->input_count; i++) {
        assert(transform->inputs[i].spec.type != INPUT_NUMERIC);
        transform->inputs[i].spec.concat = (struct concat){7, combiner};
    }
}

void embedding_case_close(struct embedding_case *of)
{
    free(of->dataset.transform.inputs);
    made_dataset_close(&of->dataset);
}

/* ---- the network in double ---- */

struct reference {
    const struct embedding_network *network;
    const double *parameters;
    const float *const *masks;
    uint32_t row;
    double inputs[WIDEST], hidden[WIDEST], top[WIDEST];
    uint32_t top_count;
};

static const double *array_of(const struct reference *of, uint32_t array)
{
    return of->parameters + of->network->tensors[array].first;
}

static double activate(enum activation activation, double z)
{
    switch (activation) {
    case ACTIVATION_RELU:
        return z > 0 ? z : 0;
    case ACTIVATION_TANH:
        return tanh(z);
    case ACTIVATION_SIGMOID:
        return 1 / (1 + exp(-z));
    default:
        return z;
    }
}

static double dense_of(const struct reference *of, uint32_t column)
{
    return (double)of->network->dataset->train
        .dense[(size_t)of->row * of->network->columns.dense_width + column];
}

/* The share of a member of a CONCAT, which has two, in its embedding. */
static double share_of_member(const struct transform_input *input)
{
    if (!input->spec.concat.number || input->spec.concat.combiner == COMBINER_SUM)
        return 1;
    return input->spec.concat.combiner == COMBINER_MEAN ? 0.5 : sqrt(0.5);
}

/* outputs: += the wide parts */
static void embed(struct reference *of, double *outputs)
{
    const struct embedding_shape *shape = &of->network->shape;
    const struct dataset_part *part = &of->network->dataset->train;

    const struct transform *transform = &of->network->dataset->transform;
    const struct transform_input *input = transform->inputs + transform->input_count -
                                          of->network->fields.field_count; /* numbers come first */
    double *embedding = of->inputs;

    memset(of->inputs, 0, sizeof of->inputs);
    for (uint32_t f = 0; f < of->network->fields.field_count; f++, input++) {
        const struct embedding_field *field = &of->network->columns.fields[f];
        const bool is_joined = f > 0 && input->spec.concat.number && input[-1].spec.concat.number;
        const int32_t *ids =
            part->ids + (size_t)of->row * of->network->fields.id_count + field->ids.first;
        double *to = is_joined ? embedding - field->dimension : embedding;
        uint32_t used = 0;

        for (uint32_t k = 0; k < field->ids.count; k++)
            used += ids[k] >= 0;
        for (uint32_t k = 0; k < field->ids.count; k++) {
            const double share = field->is_text ? 1 / sqrt(used) : 1;
            const double of_concat = share * share_of_member(input);
            const double *row;

            if (ids[k] < 0)
                continue;
            row = array_of(of, shape->table) + (size_t)ids[k] * shape->row_width;
            for (uint32_t j = 0; field->is_wide && j < shape->wide_width; j++)
                outputs[j] += share * row[j];
            for (uint32_t j = 0; j < field->dimension; j++)
                to[j] += of_concat * row[shape->wide_width + j];
        }
        embedding += is_joined ? 0 : field->dimension;
    }
    for (uint32_t j = 0; j < shape->dense; j++)
        embedding[j] = dense_of(of, of->network->columns.deep[j]);
}

static void hide(struct reference *of, uint32_t l)
{
    const struct embedding_shape *shape = &of->network->shape;
    const double *weights = array_of(of, shape->hidden + 2 * l);
    const double *bias = array_of(of, shape->hidden + 2 * l + 1);
    const double *a = l == 0 ? of->inputs : of->hidden;
    const uint32_t units = shape->hidden_units.items[l];
    double z[WIDEST];

    for (uint32_t u = 0; u < units; u++) {
        z[u] = bias[u];
        for (uint32_t i = 0; i < embedding_hidden_inputs(shape, l); i++)
            z[u] += a[i] * weights[i * units + u];
    }
    for (uint32_t u = 0; u < units; u++)
        of->hidden[u] = activate(shape->activation, z[u]) *
                        (of->masks ? (double)of->masks[l][of->row * units + u] : 1);
}

/* Unit u of all rows. */
static void normalize_unit(struct reference *of, uint32_t rows, bool learns,
                           const struct batch_norm *norm, uint32_t u)
{
    const double *parameters = of->parameters;
    double mean = 0, variance = 0;

    for (uint32_t i = 0; i < rows; i++)
        mean += of[i].hidden[u] / rows;
    for (uint32_t i = 0; i < rows; i++)
        variance += (of[i].hidden[u] - mean) * (of[i].hidden[u] - mean) / rows;
    if (!learns) {
        mean = parameters[norm->mean + u];
        variance = parameters[norm->variance + u];
    }
    for (uint32_t i = 0; i < rows; i++)
        of[i].hidden[u] = (of[i].hidden[u] - mean) / sqrt(variance + BATCH_NORM_EPSILON) *
                              parameters[norm->gamma + u] +
                          parameters[norm->beta + u];
}

/* The hidden layers of all rows: a norm looks at all of them. */
static void hide_rows_of(struct reference *of, uint32_t rows, bool learns)
{
    const struct embedding_network *network = of->network;
    const struct counts *units = &network->shape.hidden_units;

    for (uint32_t l = 0; l < units->count; l++) {
        for (uint32_t i = 0; i < rows; i++)
            hide(&of[i], l);
        for (uint32_t u = 0; network->norms.count && u < units->items[l]; u++)
            normalize_unit(of, rows, learns, &network->norms.layers[l], u);
    }
}

static void cross(struct reference *of)
{
    const struct embedding_shape *shape = &of->network->shape;
    const uint32_t width = (uint32_t)shape->inputs;
    double x[WIDEST], next[WIDEST];

    memcpy(x, of->inputs, sizeof x);
    for (uint32_t l = 0; l < shape->cross_layers; l++) {
        const double *weights = array_of(of, shape->cross + 2 * l);
        const double *bias = array_of(of, shape->cross + 2 * l + 1);
        const bool by_matrix = shape->cross_weights == CROSS_MATRIX;

        for (uint32_t j = 0; j < width; j++) {
            double inner = 0;

            for (uint32_t i = 0; i < width; i++)
                inner += x[i] * (by_matrix ? weights[i * width + j] : weights[i]);
            next[j] = of->inputs[j] * (inner + (by_matrix ? bias[j] : 0)) +
                      (by_matrix ? 0 : bias[j]) + x[j];
        }
        memcpy(x, next, sizeof x);
    }
    for (uint32_t j = 0; shape->cross_layers && j < width; j++)
        of->top[of->top_count++] = x[j];
}

static void compress(struct reference *of)
{
    const struct embedding_shape *shape = &of->network->shape;
    const uint32_t fields = shape->fields, dimension = shape->dimension;
    double maps[WIDEST], next[WIDEST];
    uint32_t before = fields;

    memcpy(maps, of->inputs, sizeof maps);
    for (uint32_t l = 0; l < shape->cin_units.count; l++) {
        const double *weights = array_of(of, shape->cin + l);
        const uint32_t units = shape->cin_units.items[l];

        for (uint32_t h = 0; h < units; h++) {
            double sum = 0;

            for (uint32_t j = 0; j < dimension; j++) {
                double *number = &next[h * dimension + j];

                *number = 0;
                for (uint32_t m = 0; m < before; m++)
                    for (uint32_t f = 0; f < fields; f++)
                        *number += weights[(m * fields + f) * units + h] * maps[m * dimension + j] *
                                   of->inputs[f * dimension + j];
                sum += *number;
            }
            of->top[of->top_count++] = sum;
        }
        memcpy(maps, next, sizeof maps);
        before = units;
    }
}

/* The pairs of one number of the embeddings, as the formula is written: pair by pair. */
static double pairs(const struct reference *of, uint32_t j)
{
    const struct embedding_shape *shape = &of->network->shape;
    double sum = 0;

    for (uint32_t f = 0; f < shape->fields; f++)
        for (uint32_t g = 0; g < f; g++)
            sum += of->inputs[f * shape->dimension + j] * of->inputs[g * shape->dimension + j];
    return sum;
}

/* Finishes a row whose hidden layers are computed. */
static void finish(struct reference *of, double *outputs)
{
    const struct embedding_shape *shape = &of->network->shape;
    const double *bias = array_of(of, shape->array_count - 1);
    const bool has_pairs = shape->interaction == INTERACTION_PAIRS;

    for (uint32_t j = 0; shape->is_wide && j < shape->wide_dense; j++)
        of->top[of->top_count++] = dense_of(of, of->network->columns.wide[j]);
    for (uint32_t u = 0; u < embedding_last_hidden(shape); u++)
        of->top[of->top_count++] = of->hidden[u];
    cross(of);
    compress(of);
    for (uint32_t j = 0; has_pairs && shape->outputs > 1 && j < shape->dimension; j++)
        of->top[of->top_count++] = pairs(of, j);
    assert(of->top_count == shape->top);
    for (uint32_t o = 0; o < shape->outputs; o++) {
        outputs[o] += bias[o];
        for (uint32_t i = 0; i < of->top_count; i++)
            outputs[o] += of->top[i] * array_of(of, shape->last)[i * shape->outputs + o];
    }
    for (uint32_t j = 0; has_pairs && shape->outputs == 1 && j < shape->dimension; j++)
        outputs[0] += pairs(of, j);
}

void embedding_reference(const struct embedding_network *network, const double *parameters,
                         uint32_t rows, bool learns, const float *const *masks, double *outputs)
{
    const struct embedding_shape *shape = &network->shape;
    struct reference *of = calloc(rows, sizeof *of);

    assert(of && shape->inputs <= WIDEST && shape->top <= WIDEST);
    memset(outputs, 0, (size_t)rows * shape->outputs * sizeof *outputs);
    for (uint32_t i = 0; i < rows; i++) {
        of[i].network = network;
        of[i].parameters = parameters;
        of[i].masks = masks;
        of[i].row = i;
        embed(&of[i], outputs + (size_t)i * shape->outputs);
    }
    hide_rows_of(of, rows, learns);
    for (uint32_t i = 0; i < rows; i++)
        finish(&of[i], outputs + (size_t)i * shape->outputs);
    free(of);
}
