#include "graph/graph_shape.h"

void graph_shape_print(const struct graph_shape *shape, struct text *out)
{
    text_append_char(out, '(');
    for (uint32_t i = 0; i < shape->rank; i++)
        text_printf(out, "%s%u", i ? ", " : "", shape->sizes[i]);
    text_append_string(out, shape->type == GRAPH_IDS ? " ids)" : ")");
}

const char *graph_shape_text(const struct graph_shape *shape, char buffer[GRAPH_SHAPE_BYTES])
{
    struct text text;

    text_init(&text, GRAPH_SHAPE_BYTES - 1);
    graph_shape_print(shape, &text);
    slice_copy(text_slice(&text), buffer, GRAPH_SHAPE_BYTES);
    text_deinit(&text);
    return buffer;
}

bool graph_shape_equal(const struct graph_shape *a, const struct graph_shape *b)
{
    bool is_equal = a->type == b->type && a->rank == b->rank;

    for (uint32_t i = 0; is_equal && i < a->rank; i++)
        is_equal = a->sizes[i] == b->sizes[i];
    return is_equal;
}

uint64_t graph_shape_size(const struct graph_shape *shape)
{
    uint64_t size = 1;

    for (uint32_t i = 0; i < shape->rank && size <= UINT32_MAX; i++)
        size *= shape->sizes[i];
    return size;
}

uint32_t graph_shape_last(const struct graph_shape *shape)
{
    return shape->rank ? shape->sizes[shape->rank - 1] : 1;
}
