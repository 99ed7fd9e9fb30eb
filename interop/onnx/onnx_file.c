#include "interop/onnx/onnx_file.h"

#include <stdio.h>

#include "interop/onnx/onnx-ml.pb-c.h"

#define ATTRIBUTES_MOST 16
#define VALUES_MOST     3 /* values of an operator */
#define PRODUCER        "ToTrain"

/* Pointers, as messages have them. */
struct list {
    void **items;
    size_t count, room;
};

struct onnx_file {
    struct arena *arena;
    struct list nodes, constants, inputs, outputs, notes;
    uint32_t values;
    bool failed;
};

struct onnx_node {
    Onnx__NodeProto message;
    char *values[VALUES_MOST];
    Onnx__AttributeProto *attributes[ATTRIBUTES_MOST];
};

static void *allocate(struct onnx_file *file, size_t count, size_t size)
{
    void *found = arena_alloc_array(file->arena, count, size);

    file->failed |= !found;
    return found;
}

#define NEW(file, type, count) ((type *)allocate((file), (count), sizeof(type)))

static char *copied(struct onnx_file *file, struct slice text)
{
    const struct slice copy = arena_copy(file->arena, text);

    file->failed |= !copy.data;
    return (char *)(uintptr_t)copy.data;
}

static void add(struct onnx_file *file, struct list *list, void *item)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        void **items = NEW(file, void *, room);

        if (!items)
            return;
        if (list->count > 0)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = item;
}

struct onnx_file *onnx_file_new(struct arena *arena)
{
    struct onnx_file *file = ARENA_NEW(arena, struct onnx_file, 1);

    if (file)
        file->arena = arena;
    return file;
}

bool onnx_file_failed(const struct onnx_file *file)
{
    return file->failed;
}

static char *own_name(struct onnx_file *file)
{
    char name[32];

    snprintf(name, sizeof name, ONNX_OWN_PREFIX "%u", ++file->values);
    return copied(file, slice_of(name));
}

/* ----- operators ----- */

struct onnx_node *onnx_node_new(struct onnx_file *file, const char *domain, const char *operator,
                                const onnx_value * inputs, uint32_t count)
{
    static struct onnx_node nothing; /* nobody reads it once the file has failed */
    struct onnx_node *node = NEW(file, struct onnx_node, 1);
    char **names = NEW(file, char *, count + 1u);

    if (!node || !names)
        return &nothing;
    for (uint32_t i = 0; i < count; i++)
        names[i] = (char *)(uintptr_t)inputs[i];
    onnx__node_proto__init(&node->message);
    node->values[0] = own_name(file);
    node->message.input = names;
    node->message.n_input = count;
    node->message.output = node->values;
    node->message.n_output = 1;
    node->message.name = node->values[0];
    node->message.op_type = copied(file, slice_of(operator));
    node->message.domain = copied(file, slice_of(domain));
    node->message.attribute = node->attributes;
    add(file, &file->nodes, &node->message);
    return node;
}

onnx_value onnx_node_value(const struct onnx_node *node)
{
    return node->values[0];
}

onnx_value onnx_node_next(struct onnx_file *file, struct onnx_node *node)
{
    const size_t next = node->message.n_output;

    if (file->failed || next == VALUES_MOST) {
        file->failed = true;
        return "";
    }
    node->values[next] = own_name(file);
    node->message.n_output++;
    return node->values[next];
}

onnx_value onnx_apply(struct onnx_file *file, const char *operator, onnx_value a, onnx_value b,
                      onnx_value c)
{
    return onnx_node_value(onnx_node_new(file, "", operator,(const onnx_value[]){a, b, c},
                                         c   ? 3
                                         : b ? 2
                                             : 1));
}

onnx_value onnx_cast(struct onnx_file *file, onnx_value a, enum onnx_type type)
{
    struct onnx_node *node = onnx_node_new(file, "", "Cast", &a, 1);

    onnx_set_integer(file, node, "to", type);
    return onnx_node_value(node);
}

/* NULL: no memory. */
static Onnx__AttributeProto *attribute(struct onnx_file *file, struct onnx_node *node,
                                       const char *name, Onnx__AttributeProto__AttributeType type)
{
    Onnx__AttributeProto *made = NEW(file, Onnx__AttributeProto, 1);

    if (file->failed || node->message.n_attribute == ATTRIBUTES_MOST) {
        file->failed = true;
        return NULL;
    }
    onnx__attribute_proto__init(made);
    made->name = copied(file, slice_of(name));
    made->has_type = 1;
    made->type = type;
    node->attributes[node->message.n_attribute++] = made;
    return made;
}

static ProtobufCBinaryData bytes_of(struct slice value)
{
    return (ProtobufCBinaryData){value.size, (uint8_t *)(uintptr_t)value.data};
}

void onnx_set_integer(struct onnx_file *file, struct onnx_node *node, const char *name,
                      int64_t value)
{
    Onnx__AttributeProto *made =
        attribute(file, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

    if (!made)
        return;
    made->has_i = 1;
    made->i = value;
}

void onnx_set_integers(struct onnx_file *file, struct onnx_node *node, const char *name,
                       const int64_t *values, size_t count)
{
    Onnx__AttributeProto *made =
        attribute(file, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

    if (!made)
        return;
    made->ints = (int64_t *)(uintptr_t)values;
    made->n_ints = count;
}

void onnx_set_string(struct onnx_file *file, struct onnx_node *node, const char *name,
                     struct slice value)
{
    Onnx__AttributeProto *made =
        attribute(file, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);

    if (!made)
        return;
    made->has_s = 1;
    made->s = bytes_of((struct slice){copied(file, value), value.size});
}

static ProtobufCBinaryData *all_bytes(struct onnx_file *file, const struct slice *values,
                                      size_t count)
{
    ProtobufCBinaryData *all = NEW(file, ProtobufCBinaryData, count + 1);

    for (size_t i = 0; all && i < count; i++)
        all[i] = bytes_of((struct slice){copied(file, values[i]), values[i].size});
    return all;
}

void onnx_set_strings(struct onnx_file *file, struct onnx_node *node, const char *name,
                      const struct slice *values, size_t count)
{
    Onnx__AttributeProto *made =
        attribute(file, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);

    if (!made)
        return;
    made->strings = all_bytes(file, values, count);
    made->n_strings = count;
}

/* A tensor without numbers yet; NULL: no memory. */
static Onnx__TensorProto *tensor(struct onnx_file *file, enum onnx_type type, size_t rows,
                                 size_t columns)
{
    Onnx__TensorProto *made = NEW(file, Onnx__TensorProto, 1);
    int64_t *sizes = NEW(file, int64_t, ONNX_RANK_MAX);

    if (!made || !sizes)
        return NULL;
    onnx__tensor_proto__init(made);
    made->has_data_type = 1;
    made->data_type = (int32_t)type;
    made->dims = sizes;
    if (rows > 0)
        sizes[made->n_dims++] = (int64_t)rows;
    sizes[made->n_dims++] = (int64_t)columns;
    return made;
}

static void set_tensor(struct onnx_file *file, struct onnx_node *node, const char *name,
                       Onnx__TensorProto *value)
{
    Onnx__AttributeProto *made =
        attribute(file, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR);

    if (!made || !value)
        return;
    value->name = copied(file, slice_of(name));
    made->t = value;
}

void onnx_set_doubles(struct onnx_file *file, struct onnx_node *node, const char *name,
                      const double *values, size_t count)
{
    Onnx__TensorProto *made = tensor(file, ONNX_DOUBLE, 0, count);

    if (!made)
        return;
    made->double_data = (double *)(uintptr_t)values;
    made->n_double_data = count;
    set_tensor(file, node, name, made);
}

void onnx_set_bytes(struct onnx_file *file, struct onnx_node *node, const char *name,
                    const uint8_t *values, size_t count)
{
    Onnx__TensorProto *made = tensor(file, ONNX_UINT8, 0, count);

    if (!made)
        return;
    made->has_raw_data = 1;
    made->raw_data = bytes_of((struct slice){(const char *)values, count});
    set_tensor(file, node, name, made);
}

/* ----- constants ----- */

static onnx_value constant(struct onnx_file *file, Onnx__TensorProto *made)
{
    if (!made)
        return "";
    made->name = own_name(file);
    add(file, &file->constants, made);
    return made->name;
}

onnx_value onnx_doubles(struct onnx_file *file, const double *values, size_t rows, size_t columns)
{
    Onnx__TensorProto *made = tensor(file, ONNX_DOUBLE, rows, columns);

    if (made) {
        made->double_data = (double *)(uintptr_t)values;
        made->n_double_data = (rows ? rows : 1) * columns;
    }
    return constant(file, made);
}

onnx_value onnx_integers(struct onnx_file *file, const int64_t *values, size_t rows, size_t columns)
{
    Onnx__TensorProto *made = tensor(file, ONNX_INT64, rows, columns);

    if (made) {
        made->int64_data = (int64_t *)(uintptr_t)values;
        made->n_int64_data = (rows ? rows : 1) * columns;
    }
    return constant(file, made);
}

onnx_value onnx_floats(struct onnx_file *file, const float *values, const uint32_t *sizes,
                       uint32_t rank)
{
    Onnx__TensorProto *made = tensor(file, ONNX_FLOAT, 0, 1);
    size_t count = 1;

    if (!made || rank > ONNX_RANK_MAX)
        return constant(file, NULL);
    for (uint32_t i = 0; i < rank; i++) {
        made->dims[i] = sizes[i];
        count *= sizes[i];
    }
    made->n_dims = rank;
    made->float_data = (float *)(uintptr_t)values;
    made->n_float_data = count;
    return constant(file, made);
}

onnx_value onnx_strings(struct onnx_file *file, const struct slice *values, size_t columns)
{
    Onnx__TensorProto *made = tensor(file, ONNX_STRING, 0, columns);

    if (made) {
        made->string_data = all_bytes(file, values, columns);
        made->n_string_data = columns;
    }
    return constant(file, made);
}

/* ----- what a program sees ----- */

/* A tensor's name, type and sizes: N rows, and columns unless there are 0. */
struct declaration {
    Onnx__ValueInfoProto info;
    Onnx__TypeProto type;
    Onnx__TypeProto__Tensor tensor;
    Onnx__TensorShapeProto shape;
    Onnx__TensorShapeProto__Dimension sizes[2];
    Onnx__TensorShapeProto__Dimension *size_places[2];
};

static char *declare(struct onnx_file *file, struct list *list, struct slice name,
                     enum onnx_type type, size_t columns)
{
    struct declaration *made = NEW(file, struct declaration, 1);

    if (!made)
        return NULL;
    onnx__value_info_proto__init(&made->info);
    onnx__type_proto__init(&made->type);
    onnx__type_proto__tensor__init(&made->tensor);
    onnx__tensor_shape_proto__init(&made->shape);
    for (size_t i = 0; i < 2; i++) {
        onnx__tensor_shape_proto__dimension__init(&made->sizes[i]);
        made->size_places[i] = &made->sizes[i];
    }
    made->info.name = copied(file, name);
    made->info.type = &made->type;
    made->type.value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    made->type.tensor_type = &made->tensor;
    made->tensor.has_elem_type = 1;
    made->tensor.elem_type = (int32_t)type;
    made->tensor.shape = &made->shape;
    made->shape.dim = made->size_places;
    made->shape.n_dim = columns ? 2 : 1;
    made->sizes[0].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
    made->sizes[0].dim_param = copied(file, SLICE("N"));
    made->sizes[1].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    made->sizes[1].dim_value = (int64_t)columns;
    add(file, list, &made->info);
    return made->info.name;
}

onnx_value onnx_input(struct onnx_file *file, struct slice name, enum onnx_type type,
                      size_t columns)
{
    return declare(file, &file->inputs, name, type, columns);
}

/* The operator that makes the value gets the output's name by a last one that changes nothing. */
void onnx_output(struct onnx_file *file, struct slice name, enum onnx_type type, size_t columns,
                 onnx_value value)
{
    struct onnx_node *node = onnx_node_new(file, "", "Identity", &value, 1);
    char *declared = declare(file, &file->outputs, name, type, columns);

    if (!file->failed)
        node->values[0] = declared;
}

void onnx_note(struct onnx_file *file, const char *key, struct slice value)
{
    Onnx__StringStringEntryProto *made = NEW(file, Onnx__StringStringEntryProto, 1);

    if (!made)
        return;
    onnx__string_string_entry_proto__init(made);
    made->key = copied(file, slice_of(key));
    made->value = copied(file, value);
    add(file, &file->notes, made);
}

/* ----- bytes ----- */

/* The text that protobuf-c appends to. */
struct sink {
    ProtobufCBuffer base;
    struct text *out;
};

static void append(ProtobufCBuffer *buffer, size_t size, const uint8_t *data)
{
    text_append(((struct sink *)buffer)->out, (struct slice){(const char *)data, size});
}

static enum status write_model(const Onnx__ModelProto *model, struct text *out, struct error *err)
{
    struct sink sink = {{append}, out};

    protobuf_c_message_pack_to_buffer(&model->base, &sink.base);
    return out->failed ? fail(err, STATUS_LIMIT, "the model is larger than a file that is written")
                       : STATUS_OK;
}

enum status onnx_file_write(const struct onnx_file *file, struct slice graph_name,
                            struct slice description, struct text *out, struct error *err)
{
    static char producer[] = PRODUCER, version[] = TOTRAIN_VERSION, domain[] = "",
                learned[] = "ai.onnx.ml";
    Onnx__OperatorSetIdProto sets[2];
    Onnx__OperatorSetIdProto *set_places[] = {&sets[0], &sets[1]};
    Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
    Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
    const struct slice name = arena_copy(file->arena, graph_name),
                       text = arena_copy(file->arena, description);

    if (file->failed || !name.data || !text.data)
        return fail_no_memory(err);
    for (size_t i = 0; i < 2; i++) {
        onnx__operator_set_id_proto__init(&sets[i]);
        sets[i].domain = i ? learned : domain;
        sets[i].has_version = 1;
        sets[i].version = i ? ONNX_LEARNED_OPERATORS : ONNX_OPERATORS;
    }
    graph.name = (char *)(uintptr_t)name.data;
    graph.node = (Onnx__NodeProto **)file->nodes.items;
    graph.n_node = file->nodes.count;
    graph.initializer = (Onnx__TensorProto **)file->constants.items;
    graph.n_initializer = file->constants.count;
    graph.input = (Onnx__ValueInfoProto **)file->inputs.items;
    graph.n_input = file->inputs.count;
    graph.output = (Onnx__ValueInfoProto **)file->outputs.items;
    graph.n_output = file->outputs.count;
    model.has_ir_version = 1;
    model.ir_version = ONNX_VERSION;
    model.opset_import = set_places;
    model.n_opset_import = 2;
    model.producer_name = producer;
    model.producer_version = version;
    model.doc_string = (char *)(uintptr_t)text.data;
    model.graph = &graph;
    model.metadata_props = (Onnx__StringStringEntryProto **)file->notes.items;
    model.n_metadata_props = file->notes.count;
    return write_model(&model, out, err);
}
