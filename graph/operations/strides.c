#include "graph/operations/strides.h"

struct strides strides_of(const struct graph_shape *shape)
{
    struct strides strides = {0};
    size_t step = 1;

    for (uint32_t i = 0; i < GRAPH_RANK_MAX; i++)
        strides.sizes[i] = i < shape->rank ? shape->sizes[i] : 1;
    for (uint32_t i = shape->rank; i-- > 0; step *= shape->sizes[i])
        strides.here[i] = step;
    return strides;
}

/* Where the numbers of the last axis begin in both arrays, line after line. */
struct line {
    uint32_t at[GRAPH_RANK_MAX - 1];
    size_t here, there;
};

static bool next_line(const struct strides *strides, struct line *line)
{
    for (uint32_t i = GRAPH_RANK_MAX - 1; i-- > 0;) {
        line->here += strides->here[i];
        line->there += strides->there[i];
        if (++line->at[i] < strides->sizes[i])
            return true;
        line->at[i] = 0;
        line->here -= strides->here[i] * strides->sizes[i];
        line->there -= strides->there[i] * strides->sizes[i];
    }
    return false;
}

void strides_add_there(const struct strides *strides, const float *here, float scale, float *there)
{
    const uint32_t last = GRAPH_RANK_MAX - 1;
    struct line line = {.there = strides->there_first};

    do
        for (size_t j = 0; j < strides->sizes[last]; j++)
            there[line.there + j * strides->there[last]] +=
                scale * here[line.here + j * strides->here[last]];
    while (next_line(strides, &line));
}

void strides_add_here(const struct strides *strides, float *here, float scale, const float *there)
{
    const uint32_t last = GRAPH_RANK_MAX - 1;
    struct line line = {.there = strides->there_first};

    do
        for (size_t j = 0; j < strides->sizes[last]; j++)
            here[line.here + j * strides->here[last]] +=
                scale * there[line.there + j * strides->there[last]];
    while (next_line(strides, &line));
}

void strides_each(const struct strides *strides,
                  void (*visit)(void *self, size_t here, size_t there), void *self)
{
    const uint32_t last = GRAPH_RANK_MAX - 1;
    struct line line = {.there = strides->there_first};

    do
        for (size_t j = 0; j < strides->sizes[last]; j++)
            visit(self, line.here + j * strides->here[last], line.there + j * strides->there[last]);
    while (next_line(strides, &line));
}
