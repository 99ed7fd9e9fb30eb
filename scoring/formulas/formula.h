/*
 * formula.h - a model as formulas: what other programs compute predictions by.
 *
 *     model  --model_formulas-->  program of formulas  --printers (interop/)-->  SQL, C, ONNX
 *
 * A formula is a number that follows from the cells of a row. It is a tree of operations, few of
 * which know of cells; those that several formulas use are variables. A variable has a stage: one
 * more than the last of those that it follows from, so that variables of one stage do not know of
 * each other, and a printer may write stage after stage.
 *
 *     stage 0   v0 = number of "age"       v1 = place of "plan" among its words
 *     stage 1   v2 = (v0 - 31.5) / 12
 *     outputs   probability = 1 / (1 + exp(-(v2 * 0.25 + ...)))
 *
 * All numbers are doubles. A missing one is NULL in SQL and NaN in C: whatever is computed with it
 * is missing, a comparison with it does not hold, so that FORMULA_IF takes its second choice.
 *
 * Formulas live in the program's arena. Where there is no memory a program has `failed` set and
 * its formulas are of no use, which one look at the end finds.
 */
#pragma once

#include "scoring/model.h"

enum formula_op {
    FORMULA_NUMBER, /* `number` */
    FORMULA_MISSING,
    FORMULA_VARIABLE, /* `index` of the program's variables */
    FORMULA_SUM,      /* sum of `terms` (count) */
    FORMULA_SUBTRACT,
    FORMULA_MULTIPLY,
    FORMULA_DIVIDE,
    FORMULA_LEAST, /* the lesser of a and b, neither missing */
    FORMULA_GREATEST,
    FORMULA_EXP, /* e^a; its builder keeps a within -700 to 700 */
    FORMULA_LOG, /* logarithm of a, a number above 0 */
    FORMULA_ROOT,
    FORMULA_FLOOR, /* a rounded down, less than 2^53 */
    FORMULA_IF,    /* where a holds b, else c */
    /* Conditions, as the `a` of FORMULA_IF and FORMULA_AND: */
    FORMULA_LESS, /* a < b */
    FORMULA_AT_MOST,
    FORMULA_EQUAL,
    FORMULA_IS_MISSING,
    FORMULA_IS_IN, /* a, a whole number or missing, is one of `numbers` (count), which ascend */
    FORMULA_AND,
    /* Numbers from lists: */
    FORMULA_LOOKUP, /* number a of `numbers` (count); 0 where a is below 0 or missing */
    /* Cells of column `index` of the transform: */
    FORMULA_READ_NUMBER, /* the number by cell_to_number and `reading` */
    FORMULA_READ_WORD,   /* the place among `words` (count), -1 for another one */
    FORMULA_READ_DATE,   /* seconds since 1970 in UTC, of ISO's form */
    FORMULA_READ_ITEM,   /* number `count` of the list, where is_graph */
    FORMULA_READ_LISTED, /* place among `words` (count) of word `number` of those of the list that
                            are among them, -1: there are fewer; where is_graph */
    FORMULA_READ_HASH,   /* the hash of the word, as categories have it, modulo `count` */
    FORMULA_READ_CROSS,  /* the bucket of `cross`, of what its rules make of each column: `terms`
                            (count), NULL where a value counts itself */
    FORMULA_READ_TERMS,  /* the terms of a text by `input`, whose words (count) and rarities these
                            are, and what each counts: no number, but a variable of which the next
                            two make one */
    FORMULA_REFUSE,      /* the row cannot be scored, for what column `index` holds */
    /* Numbers from terms, which are the variable a: */
    FORMULA_TERMS_SUM, /* the sum of the terms' `numbers` (count), each times its weight */
    FORMULA_TERMS_OF,  /* the count of term `number`, 0: there is none */
    /* Number `index` of what the model's own graph of operations gives for `terms` (count), the
     * columns and then the ids of a row, where is_graph: */
    FORMULA_GRAPH
};

struct formula {
    enum formula_op op;
    uint32_t stage;
    double number;
    uint32_t index, count;
    enum input_reading reading;
    const struct formula *a, *b, *c;
    const struct formula *const *terms;
    const double *numbers;
    const struct slice *words;
    const struct transform_input *input;
    const struct cross *cross;
};

struct formula_output {
    const char *name;
    bool is_class;               /* the number of one of the model's labels, or of these: */
    const struct labels *labels; /* those of one of several labels; NULL: the model's */
    const struct formula *formula;
};

struct formula_program {
    struct arena *arena;
    const struct model *model;
    const struct formula **variables; /* (variable_count), each after those that it follows from */
    uint32_t variable_count, variable_room;
    struct formula_output *outputs; /* (output_count) */
    uint32_t output_count, output_room;
    /* Printed as a graph, which knows no depth and no length: trees and sums are whole, and each
     * class has its probability. Set before there are formulas. */
    bool is_graph;
    bool failed;
};

/* A row as a kind takes it. */
struct formula_row {
    const struct formula **dense; /* (dense_width): the rests are NULL, and in their numbers */
    const struct formula **ids;   /* (id_count): of each from its input's first one on; -1: none.
                                     A text's first one is its terms, and it has no other, unless
                                     the program is a graph */
    const struct formula *offset; /* NULL: there is none */
};

/* Formulas of which a kind makes its own. Stages follow. */
const struct formula *formula_number(struct formula_program *program, double number);
const struct formula *formula_missing(struct formula_program *program);
const struct formula *formula_of(struct formula_program *program, enum formula_op op,
                                 const struct formula *a, const struct formula *b);
const struct formula *formula_if(struct formula_program *program, const struct formula *condition,
                                 const struct formula *then, const struct formula *otherwise);
/* terms (count), numbers (count) and words (count) are the arena's. */
const struct formula *formula_sum(struct formula_program *program,
                                  const struct formula *const *terms, uint32_t count);
const struct formula *formula_in(struct formula_program *program, const struct formula *a,
                                 const double *numbers, uint32_t count);
/* Where a is the terms of a text it is their sum. */
const struct formula *formula_lookup(struct formula_program *program, const struct formula *a,
                                     const double *numbers, uint32_t count);
const struct formula *formula_read(struct formula_program *program, enum formula_op op,
                                   uint32_t column, enum input_reading reading);
const struct formula *formula_word(struct formula_program *program, uint32_t column,
                                   const struct slice *words, uint32_t count);
/* Not where is_graph: */
const struct formula *formula_hash(struct formula_program *program, uint32_t column,
                                   uint32_t buckets);
/* terms (of the cross's columns) are the arena's. */
const struct formula *formula_cross(struct formula_program *program, const struct cross *cross,
                                    const struct formula *const *terms);
const struct formula *formula_terms(struct formula_program *program,
                                    const struct transform_input *input);
const struct formula *formula_terms_of(struct formula_program *program, const struct formula *terms,
                                       uint32_t term);
const struct formula *formula_item(struct formula_program *program, uint32_t column, uint32_t item);
const struct formula *formula_listed(struct formula_program *program, uint32_t column,
                                     uint32_t item, const struct slice *words, uint32_t count);
/* terms (count) are the arena's. */
const struct formula *formula_graph(struct formula_program *program,
                                    const struct formula *const *terms, uint32_t count,
                                    uint32_t output);
/* A variable that is this formula; a number and a variable stay what they are. */
const struct formula *formula_let(struct formula_program *program, const struct formula *formula);
/* The formula, and 0 - a, a + b, |a|; |a| takes a variable. */
const struct formula *formula_add(struct formula_program *program, const struct formula *a,
                                  const struct formula *b);
const struct formula *formula_size(struct formula_program *program, const struct formula *a);
/* e to the power of a, which is cut to -most to most before. */
const struct formula *formula_exp(struct formula_program *program, const struct formula *a,
                                  double most);
/* a times weight, and NULL for the weight 0. */
const struct formula *formula_times(struct formula_program *program, const struct formula *a,
                                    double weight);
/* The nearest number that a float is, of a variable within floats. */
const struct formula *formula_float(struct formula_program *program, const struct formula *a);
/* The name is copied. */
void formula_output(struct formula_program *program, const char *name, bool is_class,
                    const struct formula *formula);
/* The same of the number of a class of one of several labels. */
void formula_output_class(struct formula_program *program, const char *name,
                          const struct labels *labels, const struct formula *formula);

/* The number that a cell has whose word this is; false: no number is written so. */
bool formula_word_number(struct slice word, double *number);

/* Room for terms that are added one after the other; those that are NULL are left out. */
struct formula_terms {
    const struct formula **items;
    uint32_t count;
};
void formula_terms_init(struct formula_terms *terms, struct formula_program *program, size_t most);
static inline void formula_terms_add(struct formula_terms *terms, const struct formula *term)
{
    if (terms->items && term)
        terms->items[terms->count++] = term;
}
