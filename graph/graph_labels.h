/*
 * graph_labels.h - the heads of a graph: what it returns for each of several labels.
 *
 *     LABEL clicked, amount       h = relu(dense(numbers, 16));
 *                                 return [dense(h, outputs(clicked)), dense(h, outputs(amount))]
 *
 *     label('clicked') --+        dense_2 --+-- concat, which is returned: 2 + 1 numbers
 *     dense_2 -----------+-- label_loss     |
 *     label('amount') --- ... --- dense_3 --+
 *
 * Labels are inputs (input_spec.h: label) that label() alone takes, so that rows can be scored
 * without them. A head is a value that is returned, and that a label_loss compares with a label.
 */
#pragma once

#include "graph/graph_run.h"

#define GRAPH_LABEL      "label"
#define GRAPH_LABEL_LOSS "label_loss"
#define GRAPH_HEADS_MAX  32

struct graph_head {
    uint32_t column;       /* its label in graph->row */
    uint32_t node;         /* the value that is returned for it */
    uint32_t first, count; /* its numbers among those that the graph returns */
};

/* How many heads an inferred graph has, in the order in which it returns them: heads
 * (GRAPH_HEADS_MAX). 0: not each number that it returns is a head's. */
uint32_t graph_heads(const struct graph *graph, struct graph_head *heads);

/* How good a head is on some rows. */
struct graph_head_sums {
    uint64_t rows;    /* those that have its label */
    uint64_t correct; /* rows whose greatest number is that of their class; a head of classes */
    double squares;   /* squares of the differences, as the label is learned; a number's head */
};

/* After graph_forward, which returned outputs: adds those of the rows. */
void graph_head_measure(const struct graph *graph, const struct graph_head *head,
                        const struct graph_rows *rows, const float *outputs,
                        struct graph_head_sums *sums);

/* A row's label among the head's numbers; GRAPH_NONE: the row has none. */
uint32_t graph_label_class(const struct graph_column *column, const int32_t *ids, uint32_t classes);
/* NaN: likewise. */
float graph_label_number(const struct graph_column *column, const float *features);

/* INVALID where a node that is used takes a label, and is no label_loss. */
enum status graph_labels_check(const struct graph *graph, struct error *err);
