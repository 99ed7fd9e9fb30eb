/*
 * graph_plan.h - where the values of a graph lie in one piece of memory while rows are computed.
 *
 *     step        0    1    2    3   |   4        5        6        7        of a graph of 4 nodes
 *     forward     n0   n1   n2   n3  |
 *     backward                       |   n3       n2       n1       n0
 *     value of n1      [---------]        its taker is n2, whose backward does not look at it
 *     value of n2           [--------------------]         n2's backward looks at it
 *     delta of n1                        . . . . [--------]
 *
 * A value is there from its step to the last that looks at it, and so are its gradient and what
 * forward keeps for backward; what is not there at one time may lie at one place. Where nothing is
 * learned there is no backward, and few values are there together.
 *
 * An operation in place (operation.h) has its value where that of its input was, if nothing looks
 * at that any more, and its input's gradient where its own was.
 */
#pragma once

#include "graph/graph.h"

/* Places in floats from the start of the memory; GRAPH_PLAN_NONE: there is nothing. */
#define GRAPH_PLAN_NONE SIZE_MAX

struct graph_place {
    size_t value; /* none for an input that is ids */
    size_t delta; /* none where its node has nothing to learn */
    size_t kept;
    bool takes_features; /* its value lies where the row's features do, which are the same */
};

struct graph_plan {
    struct graph_place *places; /* (node_count) */
    size_t scratch;             /* place that operations work in */
    size_t floats;              /* size of all the memory */
};

/* For `rows` rows together; learns: with backward. The graph was inferred; places lie in its arena.
 * LIMIT where the memory of a chunk of rows would be more than GRAPH_MEMORY_MAX bytes. */
#define GRAPH_MEMORY_MAX ((size_t)4 << 30)
enum status graph_plan_make(const struct graph *graph, uint32_t rows, bool learns,
                            struct arena *arena, struct graph_plan *plan, struct error *err);
