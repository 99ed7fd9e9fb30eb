/* Inputs of a file as columns of a row, and its tensors. */
#include "interop/onnx/import/onnx_import_inputs.h"

#include <string.h>

#define KNOWN_MOST 4096 /* tensors of a file */

static enum status refuse_input(const struct onnx_import *import, const char *name, const char *why)
{
    return fail(import->err, STATUS_UNSUPPORTED, "input \"%.60s\": %s", name, why);
}

/* The shape without the rows. */
static enum status take_shape(const struct onnx_import *import, const Onnx__ValueInfoProto *info,
                              struct onnx_known *known, uint32_t *count)
{
    const Onnx__TypeProto__Tensor *tensor = info->type->tensor_type;
    const Onnx__TensorShapeProto *shape = tensor->shape;

    *count = 1;
    if (!shape || shape->n_dim < 1 || shape->n_dim > GRAPH_RANK_MAX + 1)
        return refuse_input(import, info->name,
                            "its shape is not (rows, ...) of at most five axes");
    for (size_t i = 1; i < shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *size = shape->dim[i];

        if (size->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE ||
            size->dim_value < 1 || size->dim_value > LIST_SIZE_MAX ||
            *count * (uint64_t)size->dim_value > LIST_SIZE_MAX)
            return refuse_input(import, info->name,
                                "the sizes after the number of rows must be known, and not large");
        known->sizes[known->rank++] = (uint32_t)size->dim_value;
        *count *= (uint32_t)size->dim_value;
    }
    return STATUS_OK;
}

static enum status add_numbers(struct onnx_import *import, const char *name, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct transform_input *input = &import->inputs[import->input_count++];

        *input = (struct transform_input){.scale = 1, .spec.name = slice_of(name)};
        if (count == 1)
            continue;
        input->spec.name = arena_printf(import->arena, "%s[%u]", name, i + 1);
        if (!input->spec.name.data)
            return fail_no_memory(import->err);
        input->spec.source = slice_of(name);
        input->spec.list = (struct cell_list){.form = LIST_DENSE, .size = count};
        input->spec.element = i;
    }
    return STATUS_OK;
}

/* How many ids there are, the table tells that they select rows of. */
static enum status add_id(struct onnx_import *import, const char *name)
{
    struct transform_input *input = &import->inputs[import->input_count++];

    *input = (struct transform_input){
        .spec = {.name = arena_printf(import->arena, "CATEGORY_ID(%s)", name),
                 .type = INPUT_CATEGORY,
                 .source = slice_of(name),
                 .rule = RULE_ID},
        .null_id = -1};
    return input->spec.name.data ? STATUS_OK : fail_no_memory(import->err);
}

static enum status take_input(struct onnx_import *import, const Onnx__ValueInfoProto *info)
{
    const struct graph_value name = {
        .type = GRAPH_TEXT, .name = SLICE("name"), .place = -1, .text = slice_of(info->name)};
    struct onnx_known known = {.held = ONNX_HOLDS_FLOATS};
    struct graph_value shape;
    uint32_t count;
    int32_t type;

    if (!info->type || info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return refuse_input(import, info->name, "it is no tensor");
    type = info->type->tensor_type->elem_type;
    TRY(take_shape(import, info, &known, &count));
    if (count > LIST_SIZE_MAX - import->input_count)
        return refuse_input(import, info->name, "the file has more inputs than a model");
    known.input = import->input_count;
    TRY(onnx_call(import, "column", NULL, 0, &name, 1, &known.node));
    if (type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ||
        type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32) {
        if (count > 1)
            return refuse_input(import, info->name, "of integers there may be one in a row");
        known.held = ONNX_HOLDS_IDS;
        TRY(add_id(import, info->name));
        return onnx_know(import, info->name, &known, NULL);
    }
    if (type != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT &&
        type != ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE)
        return refuse_input(import, info->name, "its elements must be floats or integers");
    if (known.rank == 0)
        return refuse_input(import, info->name, "its shape is to be (rows, numbers)");
    TRY(add_numbers(import, info->name, count));
    shape = onnx_list_argument("shape", known.sizes, known.rank);
    if (known.rank > 1)
        TRY(onnx_call(import, "reshape", &known.node, 1, &shape, 1, &known.node));
    return onnx_know(import, info->name, &known, NULL);
}

static enum status take_inputs(struct onnx_import *import)
{
    const Onnx__GraphProto *file = import->file;

    for (size_t i = 0; i < file->n_initializer; i++) {
        struct onnx_known known = {.held = ONNX_HOLDS_ARRAY};

        if (!file->initializer[i]->name)
            return fail(import->err, STATUS_CORRUPT, "a tensor has no name");
        TRY(onnx_read_array(file->initializer[i], import->arena, &known.array, import->err));
        TRY(onnx_know(import, file->initializer[i]->name, &known, NULL));
    }
    for (size_t i = 0; i < file->n_input; i++) {
        if (!file->input[i]->name || file->input[i]->name[0] == 0)
            return fail(import->err, STATUS_CORRUPT, "an input has no name");
        if (!onnx_find(import, file->input[i]->name) ||
            onnx_find(import, file->input[i]->name)->held == ONNX_HOLDS_NOTHING)
            TRY(take_input(import, file->input[i]));
    }
    return STATUS_OK;
}

/* How often each tensor is taken. */
static enum status count_uses(struct onnx_import *import, const char *name)
{
    static const struct onnx_known nothing = {0};
    struct onnx_known *known = onnx_find(import, name);

    if (!known && name[0])
        TRY(onnx_know(import, name, &nothing, &known));
    if (known)
        known->uses++;
    return STATUS_OK;
}

enum status onnx_take_inputs(struct onnx_import *import)
{
    const Onnx__GraphProto *file = import->file;
    size_t room = file->n_initializer + file->n_input + file->n_output + 1;

    for (size_t i = 0; i < file->n_node; i++)
        room += file->node[i]->n_input + file->node[i]->n_output;
    if (room > KNOWN_MOST)
        return fail(import->err, STATUS_LIMIT,
                    "the file has %zu tensors, where at most %d are read", room, KNOWN_MOST);
    import->known_room = (uint32_t)room;
    import->known = ARENA_NEW(import->arena, struct onnx_known, room);
    import->inputs = ARENA_NEW(import->arena, struct transform_input, LIST_SIZE_MAX + 1);
    if (!import->known || !import->inputs)
        return fail_no_memory(import->err);
    graph_begin(&import->graph, import->arena);
    for (size_t i = 0; i < file->n_node; i++)
        for (size_t j = 0; j < file->node[i]->n_input; j++)
            TRY(count_uses(import, file->node[i]->input[j]));
    for (size_t i = 0; i < file->n_output; i++)
        TRY(count_uses(import, file->output[i]->name ? file->output[i]->name : ""));
    return take_inputs(import);
}
