/*
 * graph_words.h - a node's columns of the table of words, in the rows that the ids of a column
 * select, and back.
 *
 *     table (id_rows, table_width)   | . . . | table_columns of the node | . . . |
 *
 * A category selects one row, or none; a text those of its words, each with its share
 * (inputs/input.h).
 */
#pragma once

#include "graph/operation.h"

/* to (n, table_columns), whose rows lie to_row floats apart, += what the column's ids select. */
void graph_words_add(const struct operation_call *call, const struct graph_column *column,
                     enum combiner combiner, float *to, size_t to_row);
/* to (n, steps, table_columns) is what the ids of a column in order select, step by step; 0 where
 * there is none. */
void graph_words_steps(const struct operation_call *call, const struct graph_column *column,
                       float *to);
void graph_words_give_steps(const struct operation_call *call, const struct graph_column *column,
                            const float *delta);
/* The gradient of the rows that were selected += delta, which lies as `to`. */
void graph_words_give(const struct operation_call *call, const struct graph_column *column,
                      enum combiner combiner, const float *delta, size_t delta_row);
