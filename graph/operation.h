/*
 * operation.h - all that a graph asks of an operation: one row of a table, one file an operation or
 * a family of them (graph/operations/).
 *
 *     shape      the shape of its value, and its parameters, from those of its inputs
 *     forward    the value of n rows. The value of a row has the same bits whatever rows are
 *                computed with it
 *     backward   from the gradient of the value those of inputs and parameters
 *     cost       multiplications of a row, forward
 *
 * Only additions, products and divisions in a fixed order, the products of arithmetic/products.h
 * and the functions of scoring/numbers/elementary.h: the same bits on every processor.
 *
 * To add one, write its file and a line in graph/operations/operations.c;
 * tests/unit/test_graph_operations.c goes over all of the table, and wants a trial of each against
 * finite differences.
 */
#pragma once

#include "arithmetic/touched_rows.h"
#include "graph/graph.h"

enum operation_argument_type {
    ARGUMENT_SIZE,  /* a whole number, GRAPH_OUTPUTS, or GRAPH_WIDTH_OF */
    ARGUMENT_WHOLE, /* a whole number */
    ARGUMENT_REAL,
    ARGUMENT_LIST,  /* whole numbers */
    ARGUMENT_WORD,  /* one of `words` */
    ARGUMENT_COLUMN /* the name of a column */
};

struct operation_argument {
    const char *name;
    enum operation_argument_type type;
    double least, most;       /* numbers, items of a list */
    const char *const *words; /* ARGUMENT_WORD: NULL-terminated */
    bool is_needed;           /* it has no default: */
    double number;            /* the default; of a word its place */
    const char *help;
};

/* Some rows on their way through one node. Values are (n, size) of the nodes' shapes. */
struct operation_call {
    const struct graph *graph;
    const struct graph_node *node;
    const float *parameters; /* (graph->floats) */
    uint32_t n;
    const float *features;                 /* (n, graph->row.features): all of the rows */
    const int32_t *ids;                    /* (n, graph->row.ids): likewise */
    const float *inputs[GRAPH_INPUTS_MAX]; /* values of those that are floats */
    float *value;
    float *scratch; /* (node->scratch): of no meaning between calls */
    float *kept;  /* (n, node->kept): what forward leaves for backward; NULL: nothing is learned */
    double share; /* the rows' part of those of the step; for running numbers */
    uint64_t seed, step, position; /* for dropout; position: the first row's in its batch */

    /* ---- backward: ---- */
    const float *transposed; /* (graph->transposed) */
    const float *delta;      /* gradient of the value */
    /* += the gradient of each input; NULL: nobody asks for it. */
    float *deltas[GRAPH_INPUTS_MAX];
    bool is_empty[GRAPH_INPUTS_MAX]; /* sets_deltas: it is written, not added to */
    float *gradient;                 /* (graph->floats) += the gradient of the parameters */
    struct touched_rows *touched;    /* rows of the table of words; gradients lie at their places */
};

struct operation {
    const char *name;
    const char *help;                           /* one sentence */
    const struct operation_argument *arguments; /* the last has no name; NULL: it has none */
    uint32_t inputs_least, inputs_most;
    bool takes_ids;    /* an input may be ids; else all are floats */
    bool keeps_inputs; /* backward looks at the values of inputs, */
    bool keeps_value;  /* at its own value */
    bool is_in_place;  /* its value may lie where that of its input does, and the gradient of the
                          input where its own does: call->value, call->deltas[0] */
    bool sets_deltas;  /* backward looks at is_empty; else deltas that are empty are zeros */

    /* Fills in node->shape, ->kept and, by graph_parameter_add, the parameters. Inputs are
     * inferred. */
    enum status (*shape)(struct graph *graph, struct graph_node *node, struct error *err);
    void (*forward)(const struct operation_call *call);
    void (*backward)(const struct operation_call *call); /* NULL: it is an input */
    double (*cost)(const struct graph *graph, const struct graph_node *node); /* NULL: none */
};

extern const struct operation *const operations[]; /* graph/operations/; NULL-terminated */

const struct operation *operation_find(struct slice name); /* NULL: there is none of that name */

/* ---- arguments of a node ---- */

/* The argument of that name; one of the operation's. */
const struct graph_argument *graph_argument(const struct graph_node *node, const char *name);
/* The same of an ARGUMENT_SIZE: GRAPH_OUTPUTS is row.outputs, and GRAPH_WIDTH_OF is inferred. */
uint32_t graph_argument_size(const struct graph *graph, const struct graph_node *node,
                             const char *name);

/* The node whose width the number is; GRAPH_NONE: it is no width. */
uint32_t graph_width_node(double number);

/* ---- for shape ---- */

/* A parameter of the node, (rows, width), named "dense_1/part". LIMIT for one too many. It is
 * the caller's to say how it starts; zeros, if he says nothing. */
enum status graph_parameter_add(struct graph *graph, struct graph_node *node, const char *part,
                                uint64_t rows, uint64_t width, struct graph_parameter **made,
                                struct error *err);
/* INVALID at the node's place: "dense: " and the message. */
enum status graph_fail(const struct graph_node *node, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
