/*
 * Readers of RNN, GRU and LSTM: of (steps, rows, width) the states Y, (steps, ways, rows, units),
 * and the last ones, (ways, rows, units). They begin with zeros.
 */
#include "interop/onnx/import/onnx_import_recurrent.h"

#include <string.h>

#include "interop/onnx/import/onnx_import_axes.h"
#include "interop/onnx/import/onnx_import_parts.h"
#include "interop/onnx/onnx_recurrent_gates.h"

enum input { INPUT_X, INPUT_WEIGHTS, INPUT_STATE_WEIGHTS, INPUT_BIAS, INPUT_LENGTHS, INPUT_STATE };

struct layer {
    const struct onnx_gates *gates;
    uint32_t steps, width, units, ways;
    bool goes_back;
    struct onnx_array weights, state_weights, bias; /* the last of no numbers: there is none */
};

/* ----- what is not read ----- */

static bool says(const Onnx__AttributeProto *attribute, const char *word)
{
    return attribute && attribute->s.len == strlen(word) &&
           memcmp(attribute->s.data, word, attribute->s.len) == 0;
}

/* The functions of each way are those that the operator has by itself. */
static bool has_own_functions(const struct onnx_import *import, const struct onnx_gates *gates)
{
    const Onnx__AttributeProto *said = onnx_attribute(import, "activations");

    for (size_t i = 0; said && i < said->n_strings; i++) {
        const char *usual = gates->functions[i % gates->function_count];

        if (said->strings[i].len != strlen(usual) ||
            memcmp(said->strings[i].data, usual, said->strings[i].len) != 0)
            return false;
    }
    return true;
}

static bool is_zero(const struct onnx_known *state)
{
    if (!state)
        return true;
    if (state->held != ONNX_HOLDS_ARRAY || !state->array.floats)
        return false;
    for (size_t i = 0; i < state->array.count; i++)
        if (state->array.floats[i] != 0)
            return false;
    return true;
}

static bool is_named(const struct onnx_import *import, size_t i)
{
    return i < import->node->n_input && import->node->input[i][0];
}

static enum status check_layer(const struct onnx_import *import, const struct onnx_gates *gates)
{
    if (is_named(import, INPUT_LENGTHS))
        return onnx_refuse_node(import, "lengths of sequences are not read");
    for (size_t i = INPUT_STATE; i < import->node->n_input; i++)
        if (is_named(import, i) && (i > INPUT_STATE + 1 || !is_zero(onnx_taken(import, i))))
            return onnx_refuse_node(import, i > INPUT_STATE + 1
                                                ? "peepholes are not read"
                                                : "its first states are to be zeros");
    if (onnx_integer_of(import, "layout", 0) != 0)
        return onnx_refuse_node(import, "its layout is to be 0, the steps in front of the rows");
    if (gates->count == 3 && onnx_integer_of(import, "linear_before_reset", 0) == 0)
        return onnx_refuse_node(import, "its linear_before_reset is to be 1");
    if (onnx_attribute(import, "clip") || onnx_integer_of(import, "input_forget", 0) != 0)
        return onnx_refuse_node(import, "clip and input_forget are not read");
    return has_own_functions(import, gates)
               ? STATUS_OK
               : onnx_refuse_node(import, "its activations are not the usual ones");
}

static enum status take_layer(struct onnx_import *import, const struct onnx_known *x,
                              struct layer *layer)
{
    const Onnx__AttributeProto *direction = onnx_attribute(import, "direction");

    layer->ways = says(direction, "bidirectional") ? 2 : 1;
    layer->goes_back = says(direction, "reverse");
    TRY(onnx_take_array(import, INPUT_WEIGHTS, &layer->weights));
    TRY(onnx_take_array(import, INPUT_STATE_WEIGHTS, &layer->state_weights));
    if (is_named(import, INPUT_BIAS))
        TRY(onnx_take_array(import, INPUT_BIAS, &layer->bias));
    if (x->rank != 2 || x->before != 1 || x->joins_outer || x->joins_inner)
        return onnx_refuse_node(import, "it takes (steps, rows, width)");
    layer->steps = x->sizes[0];
    layer->width = x->sizes[1];
    layer->units = layer->state_weights.sizes[2];
    if (!layer->weights.floats || layer->weights.rank != 3 || !layer->state_weights.floats ||
        layer->state_weights.rank != 3 || layer->units < 1 || layer->units > 4096 ||
        layer->weights.sizes[0] != layer->ways || layer->state_weights.sizes[0] != layer->ways ||
        layer->weights.sizes[1] != layer->gates->count * layer->units ||
        layer->state_weights.sizes[1] != layer->weights.sizes[1] ||
        layer->weights.sizes[2] != layer->width ||
        (layer->bias.count > 0 &&
         (!layer->bias.floats || layer->bias.count != 2u * layer->ways * layer->weights.sizes[1])))
        return onnx_refuse_node(import, "its weights have other sizes than its input and state");
    return STATUS_OK;
}

/* ----- weights ----- */

/* (gates, units, rows) as (rows, gates, units), in our order of gates; of a bias rows is 1. */
static enum status give_turned(struct onnx_import *import, const struct layer *layer, uint32_t node,
                               uint32_t part, const float *from, uint32_t rows)
{
    const uint32_t gates = layer->gates->count, units = layer->units;
    float *to = onnx_room(import, (size_t)gates * units * rows);

    if (!to)
        return STATUS_NO_MEMORY;
    for (uint32_t gate = 0; from && gate < gates; gate++)
        for (uint32_t unit = 0; unit < units; unit++)
            for (uint32_t row = 0; row < rows; row++)
                to[((size_t)row * gates + layer->gates->places[gate]) * units + unit] =
                    from[((size_t)gate * units + unit) * rows + row];
    return onnx_give_weights(import, node, part, to, (size_t)gates * units * rows);
}

static enum status give_way(struct onnx_import *import, const struct layer *layer, uint32_t node,
                            uint32_t way)
{
    const size_t width = (size_t)layer->gates->count * layer->units;
    const uint32_t part = way * ONNX_WAY_PARAMETERS;
    const float *bias = layer->bias.count > 0 ? layer->bias.floats + way * 2 * width : NULL;

    TRY(give_turned(import, layer, node, part, layer->weights.floats + way * width * layer->width,
                    layer->width));
    TRY(give_turned(import, layer, node, part + 1, bias, 1));
    TRY(give_turned(import, layer, node, part + 2,
                    layer->state_weights.floats + way * width * layer->units, layer->units));
    return give_turned(import, layer, node, part + 3, bias ? bias + width : NULL, 1);
}

/* ----- outputs ----- */

static uint32_t uses_of(const struct onnx_import *import, size_t i)
{
    const struct onnx_known *known;

    if (i >= import->node->n_output || !import->node->output[i][0])
        return 0;
    known = onnx_find(import, import->node->output[i]);
    return known ? known->uses : 0;
}

static enum status call_layer(struct onnx_import *import, const struct layer *layer, bool has_steps,
                              uint32_t *node)
{
    struct graph_value arguments[3] = {onnx_number_argument("units", layer->units)};
    uint32_t count = 1;

    if (has_steps)
        arguments[count++] = onnx_number_argument("sequences", 1);
    if (layer->ways == 2 || layer->goes_back)
        arguments[count++] =
            (struct graph_value){.type = GRAPH_TEXT,
                                 .name = SLICE("direction"),
                                 .place = -1,
                                 .text = layer->ways == 2 ? SLICE("both") : SLICE("backward")};
    TRY(onnx_call(import, layer->gates->name, node, 1, arguments, count, node));
    for (uint32_t way = 0; way < layer->ways; way++)
        TRY(give_way(import, layer, *node, way));
    return STATUS_OK;
}

/* (ways * units) as (ways, rows, units), or with steps (steps, ways * units). */
static enum status give_states(struct onnx_import *import, const struct layer *layer, uint32_t node,
                               bool has_steps)
{
    struct onnx_known known = {.held = ONNX_HOLDS_FLOATS,
                               .rank = has_steps ? 3 : 2,
                               .before = has_steps ? 2 : 1,
                               .sizes = {layer->steps, layer->ways, layer->units}};
    struct graph_value shape;

    if (!has_steps)
        memcpy(known.sizes, (uint32_t[]){layer->ways, layer->units}, 2 * sizeof(uint32_t));
    shape = onnx_list_argument("shape", known.sizes, known.rank);
    TRY(onnx_call(import, "reshape", &node, 1, &shape, 1, &known.node));
    return onnx_know(import, import->node->output[has_steps ? 0 : 1], &known, NULL);
}

/* The states after the last step of each way, out of all. */
static enum status call_last(struct onnx_import *import, const struct layer *layer, uint32_t states,
                             uint32_t *node)
{
    const uint32_t units = layer->units, last = layer->steps - 1;
    const struct graph_value axis = onnx_number_argument("axis", 0);
    uint32_t nodes[2];

    for (uint32_t way = 0; way < layer->ways; way++) {
        const uint32_t step = way == 1 || layer->goes_back ? 0 : last;

        TRY(onnx_call_slice(import, states, 0, step, step + 1, &nodes[way]));
        TRY(onnx_call_slice(import, nodes[way], 1, (int64_t)way * units, ((int64_t)way + 1) * units,
                            &nodes[way]));
    }
    *node = nodes[0];
    return layer->ways == 1 ? STATUS_OK : onnx_call(import, "concat", nodes, 2, &axis, 1, node);
}

static enum status read_layer(struct onnx_import *import, const struct onnx_gates *gates)
{
    struct layer layer = {.gates = gates};
    uint32_t node, last;
    struct onnx_known *x;
    bool has_steps;

    TRY(onnx_take_any(import, INPUT_X, &x));
    TRY(check_layer(import, gates));
    TRY(take_layer(import, x, &layer));
    if (uses_of(import, 2) > 0)
        return onnx_refuse_node(import, "its last memory is not read");
    has_steps = uses_of(import, 0) > 0;
    TRY(onnx_in_order(import, x, &node));
    TRY(call_layer(import, &layer, has_steps, &node));
    last = node;
    if (has_steps)
        TRY(give_states(import, &layer, node, true));
    if (uses_of(import, 1) == 0)
        return STATUS_OK;
    if (has_steps)
        TRY(call_last(import, &layer, node, &last));
    return give_states(import, &layer, last, false);
}

static enum status read_rnn(struct onnx_import *import)
{
    return read_layer(import, &onnx_gates[0]);
}

static enum status read_gru(struct onnx_import *import)
{
    return read_layer(import, &onnx_gates[1]);
}

static enum status read_lstm(struct onnx_import *import)
{
    return read_layer(import, &onnx_gates[2]);
}

const struct onnx_operator onnx_recurrent_readers[] = {
    {"GRU", read_gru},
    {"LSTM", read_lstm},
    {"RNN", read_rnn},
    {.name = NULL},
};
