#include "kinds/network/network_kind.h"

#include <stdio.h>

#include "kinds/network/network_attributes.h"
#include "kinds/network/network_formulas.h"
#include "kinds/network/network_model.h"
#include "kinds/network/network_score.h"

#define LAYER_ROWS_MAX INT32_MAX

void network_write_content(const struct model *model, cJSON *object)
{
    const struct network_model *network = network_of(model);
    cJSON *layers;

    json_add_string(object, "activation", slice_of(activation_words[network->activation]));
    layers = json_add_array(object, "layers");
    for (uint32_t i = 0; i < network->layer_count; i++) {
        cJSON *layer = cJSON_CreateObject();
        json_add_integer(layer, "rows", network->layers[i].rows);
        json_add_integer(layer, "width", network->layers[i].width);
        json_append(layers, layer);
    }
}

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "model: %s", what);
}

static enum status check_shapes(const struct model *model, struct error *err)
{
    const struct network_model *network = network_of(model);
    const struct transform_size size = transform_size_of(&model->transform);
    uint64_t rows = size.dense + size.id_rows, parameters = 0; /* counts for the first layer */

    for (uint32_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];
        if (layer->rows != rows)
            return fail(err, STATUS_CORRUPT, "model: layer %u has %u rows, where %llu belong", i,
                        layer->rows, (unsigned long long)rows);
        parameters += ((uint64_t)layer->rows + 1) * layer->width;
        if (parameters > MODEL_PARAMETERS_MAX)
            return fail(err, STATUS_CORRUPT, "model: more than %llu parameters",
                        (unsigned long long)MODEL_PARAMETERS_MAX);
        rows = layer->width;
    }
    if (rows != model_outputs(model))
        return fail(err, STATUS_CORRUPT, "model: the last layer has %llu outputs, where %u belong",
                    (unsigned long long)rows, model_outputs(model));
    return STATUS_OK;
}

enum status network_read_content(const cJSON *object, struct arena *arena, struct model *model,
                                 struct error *err)
{
    struct network_model *network = ARENA_NEW(arena, struct network_model, 1);
    const cJSON *layers, *layer;
    unsigned activation;
    struct slice word;
    uint32_t i = 0;

    if (!network)
        return fail_no_memory(err);
    model->content = network;
    if (model->task != TASK_CLASSIFICATION && model->task != TASK_REGRESSION)
        return fail(err, STATUS_CORRUPT, "model: a network does no %s", task_words[model->task]);
    TRY(json_get_string(object, "activation", &word, err));
    if (!term_find(activation_words, word, &activation))
        return fail(err, STATUS_CORRUPT, "model: \"activation\" is \"%.*s\"",
                    word.size > 40 ? 40 : (int)word.size, word.data);
    network->activation = (enum activation)activation;
    TRY(json_get_array(object, "layers", NETWORK_LAYERS_MAX, &layers, err));
    network->layer_count = (uint32_t)cJSON_GetArraySize(layers);
    if (network->layer_count == 0)
        return corrupt(err, "there are no layers");
    network->layers = ARENA_NEW(arena, struct layer, network->layer_count);
    if (!network->layers)
        return fail_no_memory(err);
    cJSON_ArrayForEach(layer, layers)
    {
        int64_t rows, width;

        TRY(json_get_integer(layer, "rows", 1, LAYER_ROWS_MAX, &rows, err));
        TRY(json_get_integer(layer, "width", 1, NETWORK_WIDTH_MAX, &width, err));
        network->layers[i++] = (struct layer){.rows = (uint32_t)rows, .width = (uint32_t)width};
    }
    return check_shapes(model, err);
}

static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    const struct network_model *network = network_of(model);

    *number = i == 0 ? network->activation : network->layer_count;
    return i < 2;
}

/* layer0/weights, layer0/bias, layer1/weights, ... */
bool network_array_of(const struct model *model, uint32_t i, struct model_array *array)
{
    const struct network_model *network = network_of(model);
    const bool is_bias = i % 2 == 1;
    struct layer *layer;

    if (i / 2 >= network->layer_count)
        return false;
    layer = &network->layers[i / 2];
    *array = (struct model_array){
        .rows = is_bias ? 1 : layer->rows,
        .width = layer->width,
        .has_known_shape = is_bias,
        .elements = is_bias ? &layer->bias : &layer->weights,
    };
    snprintf(array->name, sizeof array->name, "layer%u/%s", i / 2, is_bias ? "bias" : "weights");
    return true;
}

static bool is_of_shape(const struct attribute *attribute)
{
    return slice_is(slice_of(attribute->name), "model.hidden_units") ||
           slice_is(slice_of(attribute->name), "model.activation");
}

static void params_of(const struct model *model, struct kind_params *params)
{
    const struct network_model *network = network_of(model);
    struct counts *hidden_units = &network_params(params)->hidden_units;

    network_params(params)->activation = (enum network_activation)network->activation;
    for (uint32_t i = 0; i + 1 < network->layer_count; i++)
        hidden_units->items[hidden_units->count++] = network->layers[i].width;
}

bool network_linear_of(const struct model *model, struct linear_weights *linear)
{
    const struct network_model *network = network_of(model);

    *linear = (struct linear_weights){network->layers[0].weights, network->layers[0].bias,
                                      network->layers[0].width};
    return network->layer_count == 1;
}

uint32_t network_outputs_of(const struct model *model)
{
    return network_outputs(model->task, model->labels.count);
}

const struct kind network_kind = {
    .name = "network",
    .attributes = &network_attributes,
    .sections = (const char *const[]){"optimizer", NULL},
    .without = (const char *const[]){"train.label_upper_bound", "train.base_margin", NULL},
    .goes_on = true,
    .is_of_shape = is_of_shape,
    .settle = network_settle,
    .uses = network_uses,
    .cost = network_cost,
    .keeps_best = true,
    .length = network_length,
    .far_values = network_far_values,
    .link = network_link,
    .squares_errors = network_squares_errors,
    .aim = network_aim,
    .list_cost = network_list_cost,
    .size_attribute = "model.hidden_units",
    .size_hint = "Parameters, gradients, their sums and optimizer state are counted; use fewer "
                 "units in model.hidden_units.",
    .held = "parameters, gradients, their sums and optimizer state",
    .explained = "layers",
    .explain = network_explain,
    .write_content = network_write_content,
    .read_content = network_read_content,
    .number = number_of,
    .array = network_array_of,
    .params_of = params_of,
    .linear = network_linear_of,
    .outputs = network_outputs_of,
    .row_bytes = network_row_bytes,
    .open = network_scorer_open,
    .score = network_score,
    .close = network_scorer_close,
    .formulas = network_formulas,
};
