/*
 * compile.h - a definition's tree, and the values of its arguments, into a graph of operations.
 *
 *     steps + arguments + columns --definition_compile--> struct graph, called but not inferred
 *
 * Loops and functions are carried out here: the graph has calls alone. So a graph is finite, and
 * what computes it knows neither names nor loops. Values are numbers, texts, lists, and nodes of
 * the graph; + - * / of numbers are computed, those of nodes become calls of add, subtract,
 * multiply and divide, and + joins two lists.
 *
 * A name means, in this order: what the steps have given it; an argument of the definition; one of
 * the inputs (definition_inputs); a column. In double quotes it is a column.
 */
#pragma once

#include "definition/syntax.h"
#include "graph/graph.h"
#include "parser/statement.h"

#define COMPILE_STEPS_MAX                                                                          \
    100000 /* steps and values that are computed, loops and functions unrolled */
#define COMPILE_ITEMS_MAX     1024   /* items of one list */
#define COMPILE_VARIABLES_MAX 256    /* names in the definition, or in one call of a function */
#define COMPILE_CALLS_MAX     16     /* functions in each other */
#define DEFINITION_LOSS       "loss" /* the name of the value that is minimised */

struct definition;

/* An input of the model: a column of the SELECT, or what COLUMN makes of one. */
struct definition_column {
    struct slice name, source; /* the input's, and its column's where that has another */
    bool is_word;              /* a category or a text, which has ids; else numbers */
    bool is_sequence;          /* made of items in order: sequence(name) takes it step by step */
};

struct definition_columns {
    const struct definition_column *columns; /* (count) */
    size_t count;
    const struct slice *labels; /* (label_count): the labels' names, where there are several */
    size_t label_count;         /* 0: there is one, or */
    bool has_no_label;          /* there is none */
    bool are_unknown;           /* there is no SELECT: any name may be a column */
};

/* values (definition->argument_count): those that the statement sets; NULL: the default holds.
 * INVALID, LIMIT: err->position is an offset of the definition's text. All lies in the graph's
 * arena. */
enum status definition_compile(const struct definition *definition,
                               const struct value *const *values,
                               const struct definition_columns *columns, struct arena *arena,
                               struct graph *graph, struct error *err);

/* The names that a definition may give to nothing of its own; NULL-terminated. */
extern const char *const definition_inputs[];
