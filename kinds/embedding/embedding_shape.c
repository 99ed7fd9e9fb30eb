#include "kinds/embedding/embedding_shape.h"

#include <stdarg.h>
#include <stdio.h>

struct embedding_shape embedding_shape_of(const struct kind_params *params)
{
    const struct embedding_params *embedding = embedding_params(params);

    return (struct embedding_shape){
        .activation = (enum activation)embedding->activation,
        .interaction = embedding->interaction,
        .cross_weights = embedding->cross_weights,
        .is_wide = embedding->is_wide,
        .dimension = embedding->dimension,
        .cross_layers = embedding->interaction == INTERACTION_CROSS ? embedding->cross_layers : 0,
        .hidden_units = embedding->hidden_units,
        .norms = network_norm_parameters(network_params(params)),
        .cin_units = embedding->interaction == INTERACTION_COMPRESSED ? embedding->cin_units
                                                                      : (struct counts){.count = 0},
    };
}

/* Its number; nothing is added that has no elements. */
__attribute__((format(printf, 5, 6))) static uint32_t add_array(struct embedding_shape *shape,
                                                                uint64_t rows, uint64_t width,
                                                                bool is_bias, const char *name, ...)
{
    struct embedding_array *array = &shape->arrays[shape->array_count];
    va_list arguments;

    if (rows == 0 || width == 0)
        return NO_ARRAY;
    *array = (struct embedding_array){.rows = rows, .width = width, .is_bias = is_bias};
    va_start(arguments, name);
    vsnprintf(array->name, sizeof array->name, name, arguments);
    va_end(arguments);
    shape->parameters += rows * width;
    return shape->array_count++;
}

/* The first of several arrays is where their part begins. */
static void begin_part(uint32_t *part, uint32_t array)
{
    if (*part == NO_ARRAY)
        *part = array;
}

static void add_hidden(struct embedding_shape *shape)
{
    for (uint32_t l = 0; l < shape->hidden_units.count; l++) {
        const uint32_t units = shape->hidden_units.items[l];

        begin_part(&shape->hidden, add_array(shape, embedding_hidden_inputs(shape, l), units, false,
                                             "hidden%u/weights", l));
        add_array(shape, 1, units, true, "hidden%u/bias", l);
    }
}

static void add_cross(struct embedding_shape *shape)
{
    const uint64_t width = shape->cross_weights == CROSS_MATRIX ? shape->inputs : 1;

    for (uint32_t l = 0; l < shape->cross_layers; l++) {
        begin_part(&shape->cross,
                   add_array(shape, shape->inputs, width, false, "cross%u/weights", l));
        add_array(shape, 1, shape->inputs, true, "cross%u/bias", l);
    }
    shape->top += shape->cross_layers > 0 ? shape->inputs : 0;
}

static void add_compressed(struct embedding_shape *shape)
{
    uint64_t before = shape->fields;

    for (uint32_t l = 0; l < shape->cin_units.count; l++) {
        const uint32_t units = shape->cin_units.items[l];

        begin_part(&shape->cin, add_array(shape, before * shape->fields, units, false,
                                          "compressed%u/weights", l));
        shape->top += units;
        before = units;
    }
}

/* Float, optimizer slots, gradient and 64-bit sum of each. */
static enum status check_size(const struct embedding_shape *shape, struct error *err)
{
    const uint64_t parameters = shape->parameters + shape->norms;

    if (parameters <= MODEL_PARAMETERS_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "a network of %llu parameters needs %llu bytes to train, at most %llu parameters are "
         "allowed",
         (unsigned long long)parameters, (unsigned long long)parameters * 24,
         (unsigned long long)MODEL_PARAMETERS_MAX);
    return error_hint(err, "Use a smaller model.embedding_dimension, smaller model.hidden_units, "
                           "or categories with fewer distinct values.");
}

/* Checks the number of products for a row, in each number of an embedding: a map before with an
 * embedding. */
static enum status check_products(const struct embedding_shape *shape, struct error *err)
{
    uint64_t most = 0, before = shape->fields;

    for (uint32_t l = 0; l < shape->cin_units.count; l++) {
        most = before > most ? before : most;
        before = shape->cin_units.items[l];
    }
    most *= (uint64_t)shape->fields * shape->dimension;
    if (most <= EMBEDDING_PRODUCTS_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "compressed interactions of %llu products a row, where at most %d are computed",
         (unsigned long long)most, EMBEDDING_PRODUCTS_MAX);
    return error_hint(err, "Use smaller model.cin_layer_size, a smaller model.embedding_dimension, "
                           "or fewer categories.");
}

enum status embedding_shape_check(const struct embedding_shape *shape, struct error *err)
{
    const bool is_of_fields =
        shape->interaction == INTERACTION_PAIRS || shape->interaction == INTERACTION_COMPRESSED;

    if (is_of_fields && shape->fields == 0) {
        fail(err, STATUS_INVALID, "the model is one of categories, and no column is a category");
        return error_hint(
            err, "DNNLinearCombinedClassifier, DNNLinearCombinedRegressor and DCNClassifier "
                 "take numbers alone, too; COLUMN VOCABULARY(column) makes a "
                 "category of a number.");
    }
    if (is_of_fields && shape->embedded != shape->fields * shape->dimension) {
        fail(err, STATUS_INVALID, "products of embeddings of several dimensions");
        return error_hint(err, "Give all of them the same one, or use a model without "
                               "model.interaction.");
    }
    if (shape->hidden_units.count > 0 && shape->embedded + shape->dense == 0) {
        fail(err, STATUS_INVALID, "the hidden layers have no inputs");
        return error_hint(err, "COLUMN ... FOR dnn_feature_columns says which they take.");
    }
    return STATUS_OK;
}

enum status embedding_shape_finish(struct embedding_shape *shape, struct error *err)
{
    shape->wide_width = shape->is_wide && shape->wide_fields > 0 ? shape->outputs : 0;
    shape->row_width = shape->wide_width + (shape->fields > 0 ? shape->dimension : 0);
    shape->inputs = (uint64_t)shape->embedded + shape->dense;
    shape->top = embedding_top_interaction(shape);
    shape->table = shape->hidden = shape->cross = shape->cin = shape->last = NO_ARRAY;
    shape->array_count = 0;
    shape->parameters = 0;
    shape->table = add_array(shape, shape->id_rows, shape->row_width, false, "table");
    add_hidden(shape);
    if (shape->interaction == INTERACTION_CROSS)
        add_cross(shape);
    if (shape->interaction == INTERACTION_COMPRESSED)
        add_compressed(shape);
    shape->top += embedding_pair_columns(shape);
    shape->last = add_array(shape, shape->top, shape->outputs, false, "last/weights");
    add_array(shape, 1, shape->outputs, true, "last/bias");
    TRY(embedding_shape_check(shape, err));
    TRY(check_products(shape, err));
    return check_size(shape, err);
}
