/*
 * syntax.h - a definition's text as a tree, without its meaning.
 *
 *     h = dense(numbers, 64);            STEP_ASSIGN
 *     for n in hidden { h = ... }        STEP_FOR
 *     function tower(x, n) { ... }       STEP_FUNCTION
 *     return dense(h, outputs)           STEP_RETURN
 *
 * Which operations, arguments and columns there are is the compiler's business (compile.h). The
 * tree lives in the arena given to the reader, and its slices point into the text, which must
 * outlive it. A place is a byte offset of the text.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

#define DEFINITION_BYTES_MAX ((size_t)64 << 10) /* one text */
#define DEFINITION_DEPTH_MAX 32                 /* nested parentheses, brackets and braces */
#define DEFINITION_TERMS_MAX                                                                       \
    200 /* values that one value is made of one after another: a + b + c                           \
         */
#define DEFINITION_PARTS_MAX      8192 /* steps, expressions and arguments, together */
#define DEFINITION_PARAMETERS_MAX 32   /* arguments of one function */

enum expression_kind {
    EXPRESSION_NUMBER,
    EXPRESSION_TEXT, /* 'same' */
    EXPRESSION_NAME,
    EXPRESSION_LIST,    /* [64, 32]: its items */
    EXPRESSION_CALL,    /* dense(h, units = 32): name and items */
    EXPRESSION_ELEMENT, /* hidden[0]: left is the list, right the number */
    EXPRESSION_NEGATE,  /* - left */
    EXPRESSION_BINARY   /* left sign right */
};

struct expression {
    enum expression_kind kind;
    int place;
    struct slice name; /* NAME, CALL: as written, quotes taken off; TEXT: unescaped */
    bool is_quoted;    /* NAME: it stands in double quotes, and is a column */
    double number;
    bool is_integer; /* NUMBER: written without point or exponent, and exact */
    char sign;       /* BINARY: + - * / */
    struct expression *left, *right;
    struct argument *items; /* (count), in their order */
    size_t count;
    int depth; /* values in each other, against DEFINITION_TERMS_MAX */
};

/* An item of a list, or an argument of a call. */
struct argument {
    struct slice name; /* units in units = 32; size 0: it has no name */
    int place;
    struct expression *value;
    struct argument *next;
};

enum step_kind { STEP_ASSIGN, STEP_FOR, STEP_FUNCTION, STEP_RETURN };

struct parameter {
    struct slice name;
    int place;
};

struct step {
    enum step_kind kind;
    int place;
    struct slice name;        /* ASSIGN, FOR, FUNCTION: what gets the value, or its name */
    struct expression *value; /* ASSIGN, FOR: the list; RETURN */
    struct step *body;        /* FOR, FUNCTION: the first of its steps */
    struct parameter parameters[DEFINITION_PARAMETERS_MAX]; /* FUNCTION */
    size_t parameter_count;
    struct step *next;
};

/* SYNTAX or LIMIT, with the position in the text; see definition_place for its line. */
enum status definition_read(struct slice text, struct arena *arena, struct step **steps,
                            struct error *err);

/* Line and column of a place, both from 1; the column counts characters. */
struct line_column {
    int line, column;
};
struct line_column definition_place(struct slice text, int place);
