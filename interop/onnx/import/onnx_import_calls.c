#include "interop/onnx/import/onnx_import_calls.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "interop/onnx/import/onnx_import_axes.h"

enum status onnx_refuse_node(const struct onnx_import *import, const char *format, ...)
{
    const Onnx__NodeProto *node = import->node;
    char why[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return fail(import->err, STATUS_UNSUPPORTED, "node \"%.50s\" (%.30s, operator set %lld): %s",
                node->name && node->name[0] ? node->name
                : node->n_output > 0        ? node->output[0]
                                            : "",
                node->op_type, (long long)import->operators, why);
}

struct onnx_known *onnx_find(const struct onnx_import *import, const char *name)
{
    for (uint32_t i = import->known_count; i-- > 0;)
        if (strcmp(import->known[i].name, name) == 0)
            return &import->known[i];
    return NULL;
}

struct onnx_known *onnx_taken(const struct onnx_import *import, size_t i)
{
    const Onnx__NodeProto *node = import->node;
    struct onnx_known *found;

    if (i >= node->n_input || node->input[i][0] == 0)
        return NULL;
    found = onnx_find(import, node->input[i]);
    return found && found->held != ONNX_HOLDS_NOTHING ? found : NULL;
}

enum status onnx_take_any(const struct onnx_import *import, size_t i, struct onnx_known **taken)
{
    *taken = onnx_taken(import, i);
    if (*taken && (*taken)->held == ONNX_HOLDS_FLOATS)
        return STATUS_OK;
    if (*taken && (*taken)->held == ONNX_HOLDS_SHARE)
        return onnx_refuse_node(import, "Erf is read as a part of gelu alone");
    return onnx_refuse_node(import, "input %zu is not computed from floats of a row", i);
}

enum status onnx_take_floats(const struct onnx_import *import, size_t i, struct onnx_known **taken)
{
    TRY(onnx_take_any(import, i, taken));
    if (onnx_is_plain(*taken))
        return STATUS_OK;
    return onnx_refuse_node(import, "the rows are to be the first axis of input %zu", i);
}

enum status onnx_take_array(const struct onnx_import *import, size_t i, struct onnx_array *array)
{
    const struct onnx_known *taken = onnx_taken(import, i);

    if (!taken || taken->held != ONNX_HOLDS_ARRAY)
        return onnx_refuse_node(import, "input %zu is no constant", i);
    *array = taken->array;
    return STATUS_OK;
}

const Onnx__AttributeProto *onnx_attribute(const struct onnx_import *import, const char *name)
{
    for (size_t i = 0; i < import->node->n_attribute; i++)
        if (import->node->attribute[i]->name && strcmp(import->node->attribute[i]->name, name) == 0)
            return import->node->attribute[i];
    return NULL;
}

int64_t onnx_integer_of(const struct onnx_import *import, const char *name, int64_t otherwise)
{
    const Onnx__AttributeProto *found = onnx_attribute(import, name);

    return found ? found->i : otherwise;
}

double onnx_real_of(const struct onnx_import *import, const char *name, double otherwise)
{
    const Onnx__AttributeProto *found = onnx_attribute(import, name);

    return found ? (double)found->f : otherwise;
}

float *onnx_room(struct onnx_import *import, size_t count)
{
    float *room = ARENA_NEW(import->arena, float, count + 1);

    if (!room)
        fail_no_memory(import->err);
    return room;
}

/* ----- calls ----- */

enum status onnx_call(struct onnx_import *import, const char *operation, const uint32_t *nodes,
                      uint32_t node_count, const struct graph_value *arguments, uint32_t count,
                      uint32_t *node)
{
    struct graph_value values[GRAPH_INPUTS_MAX + GRAPH_ARGUMENTS_MAX];

    if (node_count > GRAPH_INPUTS_MAX)
        return onnx_refuse_node(import, "it has more than %d inputs", GRAPH_INPUTS_MAX);
    for (uint32_t i = 0; i < node_count; i++)
        values[i] = (struct graph_value){.type = GRAPH_NODE, .node = nodes[i], .place = -1};
    for (uint32_t i = 0; i < count; i++)
        values[node_count + i] = arguments[i];
    return graph_call(&import->graph, slice_of(operation), values, node_count + count, -1, node,
                      import->err);
}

struct graph_value onnx_number_argument(const char *name, double number)
{
    return (struct graph_value){
        .type = GRAPH_NUMBER, .name = slice_of(name), .place = -1, .number = number};
}

struct graph_value onnx_list_argument(const char *name, const uint32_t *items, uint32_t count)
{
    struct graph_value value = {
        .type = GRAPH_LIST, .name = slice_of(name), .place = -1, .list_count = count};

    for (uint32_t i = 0; i < count; i++)
        value.list[i] = items[i];
    return value;
}

static enum status turn(struct onnx_import *import, struct onnx_known *value, bool to_last)
{
    const uint32_t last = value->rank - 1;
    uint32_t axes[GRAPH_RANK_MAX];
    struct graph_value list;

    for (uint32_t i = 0; i <= last; i++)
        axes[i] = to_last ? (i + 1) % value->rank : (i + last) % value->rank;
    list = onnx_list_argument("axes", axes, value->rank);
    value->is_last = to_last;
    value->weights = NULL;
    return onnx_call(import, "transpose", &value->node, 1, &list, 1, &value->node);
}

enum status onnx_in_order(struct onnx_import *import, struct onnx_known *value, uint32_t *node)
{
    if (value->is_last && value->rank > 1)
        TRY(turn(import, value, false));
    *node = value->node;
    return STATUS_OK;
}

enum status onnx_with_last(struct onnx_import *import, struct onnx_known *value, uint32_t *node)
{
    if (!value->is_last && value->rank > 1)
        TRY(turn(import, value, true));
    *node = value->node;
    return STATUS_OK;
}

/* ----- what is known ----- */

bool onnx_is_too_large(const struct onnx_known *known)
{
    uint64_t count = 1;

    for (uint32_t i = 0; i < known->rank && count <= GRAPH_FLOATS_MAX; i++)
        count *= known->sizes[i];
    return count == 0 || count > GRAPH_FLOATS_MAX;
}

enum status onnx_know(struct onnx_import *import, const char *name, const struct onnx_known *known,
                      struct onnx_known **added)
{
    struct onnx_known *place = onnx_find(import, name);
    const uint32_t uses = place ? place->uses : 0;

    if (place && place->held != ONNX_HOLDS_NOTHING)
        return fail(import->err, STATUS_CORRUPT, "the file has two tensors \"%.60s\"", name);
    if (onnx_is_too_large(known))
        return fail(import->err, STATUS_LIMIT,
                    "tensor \"%.60s\" has more than %u numbers of a row, or none", name,
                    GRAPH_FLOATS_MAX);
    if (!place && import->known_count == import->known_room)
        return fail(import->err, STATUS_LIMIT, "the file has too many tensors");
    place = place ? place : &import->known[import->known_count++];
    *place = *known;
    place->name = name;
    place->uses = uses;
    if (added)
        *added = place;
    return STATUS_OK;
}

enum status onnx_give(struct onnx_import *import, uint32_t node, uint32_t rank,
                      const uint32_t *sizes, bool is_last, struct onnx_known **given)
{
    struct onnx_known known = {
        .held = ONNX_HOLDS_FLOATS, .node = node, .rank = rank, .is_last = is_last && rank > 1};

    memcpy(known.sizes, sizes, rank * sizeof *sizes);
    return onnx_know(import, import->node->output[0], &known, given);
}

enum status onnx_give_like(struct onnx_import *import, uint32_t node, const struct onnx_known *like)
{
    struct onnx_known known = {.held = ONNX_HOLDS_FLOATS,
                               .node = node,
                               .rank = like->rank,
                               .is_last = like->is_last,
                               .before = like->before,
                               .joins_outer = like->joins_outer,
                               .joins_inner = like->joins_inner};

    memcpy(known.sizes, like->sizes, sizeof known.sizes);
    return onnx_know(import, import->node->output[0], &known, NULL);
}

enum status onnx_give_same(struct onnx_import *import, const struct onnx_known *value)
{
    struct onnx_known same = *value;

    if (value->uses > 1)
        same.weights = NULL;
    return onnx_know(import, import->node->output[0], &same, NULL);
}

enum status onnx_give_weights(struct onnx_import *import, uint32_t node, uint32_t part,
                              const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return fail(import->err, STATUS_CORRUPT,
                        "weights of node \"%.50s\" have a number that is not finite",
                        import->node->name ? import->node->name : "");
    if (import->weight_count == sizeof import->weights / sizeof *import->weights)
        return fail(import->err, STATUS_LIMIT, "the file has too many weights");
    import->weights[import->weight_count++] = (struct onnx_weights){node, part, values, count};
    return STATUS_OK;
}
