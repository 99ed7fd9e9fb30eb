#include "kinds/embedding/embedding_kind.h"

#include <string.h>

#include "kinds/embedding/embedding_formulas.h"
#include "kinds/embedding/embedding_inputs.h"
#include "kinds/embedding/embedding_model.h"
#include "kinds/embedding/embedding_score.h"
#include "kinds/network/network_model.h"

/* ---- what the shape follows from ---- */

/* Is the attribute one of these? They are the members of the stored object. */
static bool is_of_shape(const struct attribute *attribute)
{
    static const char *const names[] = {"hidden_units",
                                        "activation",
                                        "embedding_dimension",
                                        "wide",
                                        "interaction",
                                        "cross_layers",
                                        "cross_parameterization",
                                        "cin_layer_size",
                                        NULL};
    size_t i = 0;

    while (attribute->member && !attribute->section && names[i] &&
           strcmp(names[i], attribute->member) != 0)
        i++;
    return attribute->member && !attribute->section && names[i];
}

void embedding_copy_shape_params(const struct kind_params *from, struct kind_params *to)
{
    const struct embedding_params *said = embedding_params(from);
    struct embedding_params *copy = embedding_params(to);

    copy->hidden_units = said->hidden_units;
    copy->activation = said->activation;
    copy->dimension = said->dimension;
    copy->is_wide = said->is_wide;
    copy->interaction = said->interaction;
    copy->cross_layers = said->cross_layers;
    copy->cross_weights = said->cross_weights;
    copy->cin_units = said->cin_units;
}

/* ---- stored models ---- */

static void write_content(const struct model *model, cJSON *object)
{
    for (size_t i = 0; i < embedding_attributes.count; i++)
        if (is_of_shape(&embedding_attributes.rows[i]))
            attribute_write(&embedding_attributes.rows[i], embedding_of(model)->params.bytes,
                            object);
}

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct embedding_model *made = ARENA_NEW(arena, struct embedding_model, 1);
    struct transform_size size;

    if (!made)
        return fail_no_memory(err);
    model->content = made;
    if (model->task != TASK_CLASSIFICATION && model->task != TASK_REGRESSION)
        return fail(err, STATUS_CORRUPT, "model: a network does no %s", task_words[model->task]);
    for (size_t i = 0; i < embedding_attributes.count; i++)
        if (is_of_shape(&embedding_attributes.rows[i]))
            TRY(attribute_read(&embedding_attributes.rows[i], object, made->params.bytes, err));
    if (embedding_params(&made->params)->dimension == 0)
        return fail(err, STATUS_CORRUPT, "model: embeddings of no numbers");
    size = transform_size_of(&model->transform);
    made->shape = embedding_shape_of(&made->params);
    embedding_shape_take(&made->shape, &model->transform);
    made->shape.id_rows = size.id_rows;
    made->shape.outputs = network_outputs(model->task, model->labels.count);
    if (embedding_pair_columns(&made->shape) && model->format < MODEL_FORMAT_POOLED)
        return fail(err, STATUS_CORRUPT, "model: pairs of several outputs in format %u",
                    model->format);
    if (embedding_shape_finish(&made->shape, err) == STATUS_OK)
        return STATUS_OK;
    err->status = STATUS_CORRUPT; /* no training made such a model */
    return STATUS_CORRUPT;
}

/* The numbers that decide how the arrays are used; the digest has their shapes with the arrays. */
static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    const struct embedding_shape *shape = &embedding_of(model)->shape;
    const uint64_t numbers[] = {
        shape->activation, shape->interaction,  shape->cross_weights,      shape->is_wide,
        shape->dimension,  shape->cross_layers, shape->hidden_units.count, shape->cin_units.count};

    if (i < sizeof numbers / sizeof *numbers)
        *number = numbers[i];
    return i < sizeof numbers / sizeof *numbers;
}

static bool array_of(const struct model *model, uint32_t i, struct model_array *array)
{
    struct embedding_model *embedding = (struct embedding_model *)(uintptr_t)model->content;
    const struct embedding_array *of = &embedding->shape.arrays[i];

    if (i >= embedding->shape.array_count)
        return false;
    *array = (struct model_array){
        .rows = of->rows, .width = of->width, .elements = &embedding->elements[i]};
    memcpy(array->name, of->name, sizeof array->name);
    return true;
}

static void params_of(const struct model *model, struct kind_params *params)
{
    embedding_copy_shape_params(&embedding_of(model)->params, params);
}

static uint32_t outputs_of(const struct model *model)
{
    return network_outputs(model->task, model->labels.count);
}

const struct kind embedding_kind = {
    .name = "embedding",
    .attributes = &embedding_attributes,
    .sections = (const char *const[]){"optimizer", NULL},
    .without = (const char *const[]){"train.label_upper_bound", "train.base_margin", NULL},
    .lies_on_servers = true,
    .goes_on = true,
    .is_of_shape = is_of_shape,
    .settle = embedding_settle,
    .uses = embedding_uses,
    .check_inputs = embedding_check_inputs,
    .cost = embedding_cost,
    .keeps_best = true,
    .length = embedding_length,
    .far_values = network_far_values,
    .link = network_link,
    .squares_errors = network_squares_errors,
    .aim = network_aim,
    .list_cost = network_list_cost,
    .size_attribute = "model.embedding_dimension",
    .size_hint = "Parameters, gradients, their sums and optimizer state are counted; use a smaller "
                 "model.embedding_dimension, or fewer distinct values by VOCABULARY(column, n).",
    .held = "parameters, gradients, their sums and optimizer state",
    .explained = "parts",
    .explain = embedding_explain,
    .write_content = write_content,
    .read_content = read_content,
    .number = number_of,
    .array = array_of,
    .params_of = params_of,
    .outputs = outputs_of,
    .row_bytes = embedding_row_bytes,
    .open = embedding_scorer_open,
    .score = embedding_score,
    .close = embedding_scorer_close,
    .formulas = embedding_formulas,
};
