/*
 * graph.h - a model as a graph of operations.
 *
 *     graph_call    a call of an operation, as a definition writes it
 *     graph_end     the nodes whose values are the model's outputs
 *     graph_infer   the shape of each value, for the rows that there are
 *
 *     numbers()   user_id            A graph is data: no pointer into a program is stored, and no
 *         |          |               node is code of a user's. Nodes stand in the order of their
 *         |    embedding(16)         calls, so that inputs have lesser numbers than what takes
 *          \        /               them.
 *            concat
 *              |
 *          dense(outputs)
 *
 * A node is one call. Its value is, for each row of data, an array of floats (GRAPH_FLOATS) of at
 * most GRAPH_RANK_MAX axes, row major, or numbers of rows of the table of words (GRAPH_IDS), which
 * embedding, dense and one_hot take alone. Shapes are those of one row of data: how many rows are
 * computed together is no part of them.
 *
 * Two lives:
 *     called     graph_begin, graph_call..., graph_end, and graph_minimise of a graph with a loss
 *                of its own: operations, inputs and arguments are checked. Sizes of inputs are not
 *                known yet. This is what graph_json.h stores.
 *     inferred   graph_infer (graph_infer.h), with the columns that a row has (struct graph_row)
 *                and the number of outputs: shapes, parameters, memory, cost. May be called again
 *                with other rows.
 *
 * Parameters are one flat array of floats: first those of the nodes, in their order, each a
 * parameter with a name ("dense_1/weights": operation, number of the call among those of the
 * operation, part), and last the table of words, if there is one. The table has a row for each
 * word of each category and text (transform.h: id_rows), of table_width floats; each node that
 * takes ids has its columns of the table, beside those of the other nodes that take ids of the same
 * column. So a step moves the rows that its words touch, and no others.
 *
 * Memory: all of a graph lies in the arena of graph_begin. Errors: INVALID with err->position the
 * place of the call in the definition's text, LIMIT where the graph is larger than the limits here,
 * NO_MEMORY.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "params/terms.h"

#define GRAPH_NODES_MAX      1024
#define GRAPH_RANK_MAX       4
#define GRAPH_INPUTS_MAX     64 /* a node's */
#define GRAPH_ARGUMENTS_MAX  8  /* an operation's */
#define GRAPH_OPERATIONS_MAX 128
#define GRAPH_LIST_MAX       16          /* numbers of a list that is an argument */
#define GRAPH_FLOATS_MAX     (1u << 20)  /* in one value of a row */
#define GRAPH_PARAMETERS_MAX 120         /* arrays of parameters */
#define GRAPH_ROOM_MAX       (64u << 20) /* floats of a row that are kept at a time */
#define GRAPH_NONE           UINT32_MAX  /* no node */
#define GRAPH_OUTPUTS        (-1.0)      /* a number that is the model's count of outputs */
#define GRAPH_WIDTH_OF(node)                                                                       \
    (-2.0 - (double)(node)) /* a number that is the last size of another value */
#define GRAPH_NAME_MAX 40   /* bytes of a parameter's name and its zero */

struct operation;

/* ---- what a call is given ---- */

enum graph_value_type { GRAPH_NODE, GRAPH_NUMBER, GRAPH_LIST, GRAPH_TEXT };

/* A value in a call: a node, or an argument, by its name or by its place behind the nodes. */
struct graph_value {
    enum graph_value_type type;
    struct slice name; /* size 0: it has none */
    int place;         /* in the definition's text; -1: none */
    uint32_t node;
    double number; /* GRAPH_OUTPUTS, GRAPH_WIDTH_OF: where the argument is a size */
    double list[GRAPH_LIST_MAX];
    uint32_t list_count;
    struct slice text; /* a word, or the name of a column */
};

/* ---- what a row of data has ---- */

/* An input of the transform (scoring/transform/transform.h). */
struct graph_column {
    struct slice name, source;   /* the input's, and its column's where that has another */
    uint32_t dense, dense_count; /* its features: the first one, and how many */
    uint32_t ids, id_count;      /* its ids, of a text without their shares, likewise */
    uint32_t first_row, rows;    /* its rows of the table of words, */
    uint32_t words;              /* and how many of these are of one word each, in front */
    enum input_label label;      /* it is one of several labels (graph_labels.h) */
    bool is_text;                /* ids in front select something, those behind are -1 */
    bool is_weighted;            /* id_count places with what each counts follow */
    bool is_sequence;            /* made of a cell's items, which are in order: */
    bool has_order;              /* ids of words are in this order, and none is missing */
    enum combiner combiner;      /* how the rows of a text become one */
};

struct graph_row {
    const struct graph_column *columns; /* (column_count), in the transform's order */
    uint32_t column_count;
    uint32_t features;    /* columns of dense that are features */
    uint32_t ids;         /* ids of a row, with shares */
    uint32_t id_rows;     /* rows of the table of words */
    uint32_t outputs;     /* floats that the model has to give; of a graph with a loss of its own
                             graph_infer says how many it gives */
    bool guesses_outputs; /* so far they are a guess: the classes of a label are not known */
};

/* ---- the graph ---- */

enum graph_type { GRAPH_FLOATS, GRAPH_IDS };

struct graph_shape {
    enum graph_type type;
    uint32_t rank; /* 0: one number */
    uint32_t sizes[GRAPH_RANK_MAX];
};

/* An argument as the operation's table has it: defaults are filled in. */
struct graph_argument {
    double number;
    double list[GRAPH_LIST_MAX];
    uint32_t list_count;
    struct slice text;
    unsigned word; /* place of the text among the argument's words */
    bool is_set;   /* the call has it */
};

enum graph_start_rule {
    GRAPH_START_ZERO,
    GRAPH_START_ONE,
    GRAPH_START_FORGET, /* 1 in the second of four parts, else 0: biases of an lstm, which forgets
                           little at first (Jozefowicz et al., 2015) */
    GRAPH_START_FAN,    /* uniform, by fans and what follows (runtime/learn/networks/start.h) */
    GRAPH_START_LIMIT,  /* uniform in +-limit */
    GRAPH_START_OUTPUTS /* the best constants of the label: the last bias of a model */
};

/* The values that a parameter has before it is learned. */
struct graph_start {
    enum graph_start_rule rule;
    double fan_in, fan_out; /* numbers that each is a sum of, and sums that it is in */
    enum activation next;   /* the function that these sums go through */
    double limit;
};

struct graph_parameter {
    char name[GRAPH_NAME_MAX];
    uint32_t node;
    uint32_t first;       /* in the flat array */
    uint32_t rows, width; /* row major */
    struct graph_start start;
    bool is_bias;        /* has no penalty */
    bool is_statistic;   /* a running mean or variance (differentiable.h) */
    bool is_transposed;  /* backward wants a copy (width, rows): */
    uint32_t transposed; /* where that begins among the copies */
};

struct graph_node {
    const struct operation *operation;
    uint32_t number; /* the call's, among those of its operation, from 1 */
    uint32_t *inputs;
    uint32_t input_count;
    struct graph_argument *arguments; /* in the order of the operation's table */
    int place;                        /* the call's, in the definition's text; -1: none */

    /* ---- graph_infer fills in: ---- */
    bool is_used;        /* an output or the loss depends on it; nothing else of it is set if not */
    bool is_learned;     /* it depends on a parameter */
    bool is_minimised;   /* its value is part of what is minimised: with both it has a gradient */
    uint32_t takers;     /* how often it is an input of nodes that are minimised, */
    uint32_t last_taker; /* and of which last */
    struct graph_shape shape;
    uint32_t size;      /* floats or ids of a row: the product of the sizes */
    uint32_t parameter; /* its first, in graph->parameters */
    uint32_t parameter_count;
    uint32_t table_column;          /* its first column of the table of words */
    uint32_t table_columns;         /* 0: it takes no ids */
    struct graph_start table_start; /* start of its columns of the table */
    bool is_sequence;               /* its first axis are steps of a sequence */
    uint32_t mask;                  /* the node whose steps are there or not; GRAPH_NONE: all are */
    uint32_t first_column;          /* a sequence's: the column of the row that its first step is */
    uint32_t scratch;               /* floats that forward and backward work in */
    uint32_t kept;                  /* floats of a row that forward leaves for backward */
};

struct graph {
    struct arena *arena;
    struct graph_node *nodes; /* (node_count) */
    uint32_t node_count, node_room;
    uint32_t *outputs; /* (output_count): nodes */
    uint32_t output_count;
    uint32_t loss; /* the node whose value is minimised; GRAPH_NONE: the label's loss is */

    /* ---- graph_infer fills in: ---- */
    struct graph_row row;
    struct graph_parameter *parameters; /* (parameter_count), in the order of the flat array */
    uint32_t parameter_count;
    uint32_t floats;        /* all parameters, the table of words included */
    uint32_t table;         /* the table's number among the parameters; GRAPH_NONE: there is none */
    uint32_t table_width;   /* floats of a row of the table */
    uint32_t transposed;    /* floats of all copies that are transposed */
    double multiplications; /* for a row, forward */
};

/* ---- calls ---- */

void graph_begin(struct graph *graph, struct arena *arena);

/*
 * Adds a call, `name(values...)`: nodes first, and then arguments in the order of the operation's
 * table (operation.h) or by name, as in dense(h, 64) and conv2d(x, 32, 3, stride = 2). Checks what
 * does not depend on sizes: the operation (a hint names the nearest), how many nodes it takes,
 * names, types and ranges of arguments. *node is its number.
 *
 * Inputs are calls, too: numbers() are all features that are numbers, words() the ids of all
 * categories and texts, column('name') the features or the ids of one column, sequence('name')
 * those of a SEQUENCE, step by step. Columns that the graph takes by sequence() are not among
 * numbers() and words().
 */
enum status graph_call(struct graph *graph, struct slice name, const struct graph_value *values,
                       uint32_t count, int place, uint32_t *node, struct error *err);
/* The nodes whose values are the outputs: one, as yet. */
enum status graph_end(struct graph *graph, const uint32_t *outputs, uint32_t count,
                      struct error *err);
/* The node's value, one number for a row, is what is minimised: the graph learns without a label.
 * After graph_end. INVALID where a call has the label's `outputs` as a size. */
enum status graph_minimise(struct graph *graph, uint32_t loss, struct error *err);

/* The same calls, which are borrowed, for other rows: not inferred yet. */
enum status graph_copy(const struct graph *graph, struct arena *arena, struct graph *copy,
                       struct error *err);
/* Have they the same calls, at the same places? */
bool graph_equal(const struct graph *a, const struct graph *b);
/* The first call in which they differ, wherever it stands in a text; as many as `a` has where b
 * goes on behind it, or what they return differs. GRAPH_NONE: they have the same calls. */
uint32_t graph_difference(const struct graph *a, const struct graph *b);

/* The node where gradients begin. */
static inline uint32_t graph_minimised(const struct graph *graph)
{
    return graph->loss == GRAPH_NONE ? graph->outputs[0] : graph->loss;
}

static inline const struct graph_node *graph_input(const struct graph *graph,
                                                   const struct graph_node *node, uint32_t i)
{
    return &graph->nodes[node->inputs[i]];
}
