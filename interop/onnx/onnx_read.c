#include "interop/onnx/onnx_read.h"

#include <math.h>
#include <string.h>

#include "scoring/model.h"

#define NESTING_MOST 12 /* messages within messages */
#define KEY_BITS     3  /* bits of a key that say how the value lies */
#define VARINT_BYTES 10

enum wire { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };

bool onnx_begins(struct slice bytes)
{
    return bytes.size > 2 && bytes.data[0] == 0x08; /* ir_version */
}

/* ----- lengths and nesting ----- */

static bool take_varint(struct slice *rest, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < VARINT_BYTES && rest->size > 0; i++) {
        const uint8_t byte = (uint8_t)*rest->data;

        *value |= (uint64_t)(byte & 0x7f) << (7 * i);
        *rest = (struct slice){rest->data + 1, rest->size - 1};
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool take(struct slice *rest, uint64_t size)
{
    if (size > rest->size)
        return false;
    *rest = (struct slice){rest->data + size, rest->size - size};
    return true;
}

/* The message that a field holds; NULL: it holds none. */
static const ProtobufCMessageDescriptor *message_of(const ProtobufCMessageDescriptor *in,
                                                    uint64_t field)
{
    const ProtobufCFieldDescriptor *found =
        field <= UINT32_MAX ? protobuf_c_message_descriptor_get_field(in, (unsigned)field) : NULL;

    return found && found->type == PROTOBUF_C_TYPE_MESSAGE ? found->descriptor : NULL;
}

static bool is_sound(const ProtobufCMessageDescriptor *message, struct slice rest, unsigned nesting)
{
    while (rest.size > 0) {
        const ProtobufCMessageDescriptor *inner;
        uint64_t key, size;
        struct slice value;

        if (!take_varint(&rest, &key))
            return false;
        switch (key & ((1u << KEY_BITS) - 1)) {
        case WIRE_VARINT:
            if (!take_varint(&rest, &size))
                return false;
            break;
        case WIRE_64:
        case WIRE_32:
            if (!take(&rest, (key & ((1u << KEY_BITS) - 1)) == WIRE_64 ? 8 : 4))
                return false;
            break;
        case WIRE_BYTES:
            if (!take_varint(&rest, &size))
                return false;
            value = (struct slice){rest.data, (size_t)size};
            if (!take(&rest, size))
                return false;
            inner = message_of(message, key >> KEY_BITS);
            if (inner && (nesting == NESTING_MOST || !is_sound(inner, value, nesting + 1)))
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

/* ----- messages ----- */

static void *allocate(void *arena, size_t size)
{
    return arena_alloc(arena, size);
}

static void release(void *arena, void *bytes)
{
    (void)arena;
    (void)bytes;
}

static enum status check_operators(const Onnx__ModelProto *model, int64_t *operators,
                                   struct error *err)
{
    *operators = 0;
    for (size_t i = 0; i < model->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *set = model->opset_import[i];

        if (!set->domain || set->domain[0] == 0 || strcmp(set->domain, "ai.onnx") == 0)
            *operators = set->version;
    }
    if (*operators >= ONNX_READ_LEAST && *operators <= ONNX_READ_MOST)
        return STATUS_OK;
    fail(err, STATUS_UNSUPPORTED, "the file uses operator set %lld, and only %d to %d can be read",
         (long long)*operators, ONNX_READ_LEAST, ONNX_READ_MOST);
    return error_hint(err, "Export it with opset_version=%d.", ONNX_READ_MOST - 3);
}

enum status onnx_read(struct slice bytes, struct arena *arena, Onnx__ModelProto **model,
                      int64_t *operators, struct error *err)
{
    ProtobufCAllocator allocator = {allocate, release, arena};

    if (!is_sound(&onnx__model_proto__descriptor, bytes, 0))
        return fail(err, STATUS_CORRUPT, "the file is no model of ONNX, or it ends too early");
    *model = onnx__model_proto__unpack(&allocator, bytes.size, (const uint8_t *)bytes.data);
    if (!*model)
        return arena_alloc(arena, bytes.size)
                   ? fail(err, STATUS_CORRUPT, "the file is no model of ONNX")
                   : fail_no_memory(err);
    TRY(check_operators(*model, operators, err));
    if (!(*model)->graph)
        return fail(err, STATUS_CORRUPT, "the model has no graph");
    if ((*model)->n_functions > 0 || (*model)->graph->n_sparse_initializer > 0)
        return fail(err, STATUS_UNSUPPORTED, "the model has %s, which are not read",
                    (*model)->n_functions > 0 ? "functions of its own" : "sparse tensors");
    return STATUS_OK;
}

/* ----- tensors ----- */

static const char *name_of(const Onnx__TensorProto *tensor)
{
    return tensor->name ? tensor->name : "";
}

static enum status fail_tensor(const Onnx__TensorProto *tensor, enum status status, const char *why,
                               struct error *err)
{
    return fail(err, status, "tensor \"%.60s\" %s", name_of(tensor), why);
}

static enum status take_sizes(const Onnx__TensorProto *tensor, struct onnx_array *array,
                              struct error *err)
{
    array->rank = (uint32_t)tensor->n_dims;
    array->count = 1;
    if (tensor->n_dims > sizeof array->sizes / sizeof *array->sizes)
        return fail_tensor(tensor, STATUS_UNSUPPORTED, "has more than four axes", err);
    for (uint32_t i = 0; i < array->rank; i++) {
        if (tensor->dims[i] < 0 || tensor->dims[i] > (int64_t)MODEL_PARAMETERS_MAX ||
            array->count * (uint64_t)tensor->dims[i] > MODEL_PARAMETERS_MAX)
            return fail_tensor(tensor, STATUS_LIMIT, "is larger than a model may be", err);
        array->sizes[i] = (uint32_t)tensor->dims[i];
        array->count *= array->sizes[i];
    }
    return STATUS_OK;
}

/* Where the numbers lie, and how many bytes each has. */
struct numbers {
    const void *bytes;
    size_t count, width;
};

static struct numbers numbers_of(const Onnx__TensorProto *tensor, size_t width)
{
    if (tensor->has_raw_data && tensor->raw_data.len > 0)
        return (struct numbers){tensor->raw_data.data, tensor->raw_data.len / width, width};
    switch (tensor->data_type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
        return (struct numbers){tensor->float_data, tensor->n_float_data, sizeof(float)};
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
        return (struct numbers){tensor->double_data, tensor->n_double_data, sizeof(double)};
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
        return (struct numbers){tensor->int64_data, tensor->n_int64_data, sizeof(int64_t)};
    default:
        return (struct numbers){tensor->int32_data, tensor->n_int32_data, sizeof(int32_t)};
    }
}

static double number_at(const Onnx__TensorProto *tensor, const struct numbers *numbers, size_t i)
{
    const char *at = (const char *)numbers->bytes + i * numbers->width;
    double number;
    float single;

    if (tensor->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE) {
        memcpy(&number, at, sizeof number);
        return number;
    }
    memcpy(&single, at, sizeof single);
    return (double)single;
}

static int64_t integer_at(const struct numbers *numbers, size_t i)
{
    const char *at = (const char *)numbers->bytes + i * numbers->width;
    int64_t number;
    int32_t half;

    if (numbers->width == 1) /* a bool */
        return *at != 0;
    if (numbers->width == sizeof number) {
        memcpy(&number, at, sizeof number);
        return number;
    }
    memcpy(&half, at, sizeof half);
    return half;
}

static enum status copy_floats(const Onnx__TensorProto *tensor, const struct numbers *numbers,
                               struct arena *arena, struct onnx_array *array, struct error *err)
{
    float *floats = ARENA_NEW(arena, float, array->count + 1);

    if (!floats)
        return fail_no_memory(err);
    for (size_t i = 0; i < array->count; i++) {
        floats[i] = (float)number_at(tensor, numbers, i);
        if (isnan(floats[i]))
            return fail_tensor(tensor, STATUS_CORRUPT, "has what is not a number", err);
    }
    array->floats = floats;
    return STATUS_OK;
}

static enum status copy_integers(const struct numbers *numbers, struct arena *arena,
                                 struct onnx_array *array, struct error *err)
{
    int64_t *integers = ARENA_NEW(arena, int64_t, array->count + 1);

    if (!integers)
        return fail_no_memory(err);
    for (size_t i = 0; i < array->count; i++)
        integers[i] = integer_at(numbers, i);
    array->integers = integers;
    return STATUS_OK;
}

enum status onnx_read_array(const Onnx__TensorProto *tensor, struct arena *arena,
                            struct onnx_array *array, struct error *err)
{
    const bool is_wide = tensor->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE ||
                         tensor->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
    const bool is_real = tensor->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT ||
                         tensor->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE;
    const bool is_bool = tensor->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
    struct numbers numbers;

    *array = (struct onnx_array){0};
    if (tensor->n_external_data > 0 ||
        tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
        fail_tensor(tensor, STATUS_UNSUPPORTED, "has its numbers in another file", err);
        return error_hint(err, "Save the model with save_as_external_data=False: one file with "
                               "all of it.");
    }
    if (!is_real && tensor->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__INT64 &&
        tensor->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__INT32 && !is_bool)
        return fail_tensor(tensor, STATUS_UNSUPPORTED, "is neither of floats, doubles nor integers",
                           err);
    TRY(take_sizes(tensor, array, err));
    numbers = numbers_of(tensor, is_wide ? 8 : is_bool ? 1 : 4);
    if (numbers.count != array->count)
        return fail_tensor(tensor, STATUS_CORRUPT, "has other sizes than numbers", err);
    return is_real ? copy_floats(tensor, &numbers, arena, array, err)
                   : copy_integers(&numbers, arena, array, err);
}
