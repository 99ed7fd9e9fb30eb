/*
 * compiler.h - a definition while its steps are carried out.
 *
 *     compile.c           steps, and the definition as a whole
 *     compile_values.c    expressions
 *     compile_names.c     what a name means, and which was meant by one that means nothing
 *     compile_arithmetic.c  + - * /
 *     compile_calls.c     calls of operations and of functions
 *     compile_lists.c     calls of apply, image, length, outputs, range, reverse, split, width
 *     compile_heads.c     several labels, and what is returned for each
 *
 * No other module includes this. Errors are placed in the definition's text.
 */
#pragma once

#include "definition/definition.h"
#include "graph/operation.h"

enum held_kind { HELD_NUMBER, HELD_OUTPUTS, HELD_WIDTH, HELD_TEXT, HELD_LIST, HELD_NODE };

/* A value. */
struct held {
    enum held_kind kind;
    double number;
    struct slice text;
    struct held *items; /* (count) */
    size_t count;
    uint32_t node; /* also the one whose width it is */
};

/* "a number", "a list", ... */
extern const char *const held_kinds[];

struct variable {
    struct slice name;
    struct held value;
    int place; /* where it got the value last */
    struct variable *next;
};

/* The meaning of names in the definition, or in one call of a function. */
struct scope {
    struct variable *variables;
    size_t count;
};

struct known_function {
    const struct step *step;
    struct known_function *next; /* those before it, which it may call */
};

struct compiler {
    const struct definition *definition;
    const struct definition_columns *columns;
    struct graph *graph;
    struct arena *arena;
    struct scope arguments;
    struct known_function *functions; /* those that may be called now */
    size_t steps;                     /* against COMPILE_STEPS_MAX */
    int calls;
    struct error *err;
};

/* ----- compile.c ----- */

/* *returned: the step that ended them; unchanged where none did. */
enum status compile_steps(struct compiler *compiler, struct scope *scope, const struct step *steps,
                          const struct step **returned);

/* ----- compile_values.c ----- */

enum status compile_value(struct compiler *compiler, struct scope *scope,
                          const struct expression *expression, struct held *held);
/* LIMIT when a step or a value is one too many. */
enum status compiler_count(struct compiler *compiler, int place);

/* ----- compile_names.c ----- */

#define NAMES_MAX 512 /* among which a misspelled one is looked for */

struct names {
    struct arena *arena;
    const char *names[NAMES_MAX];
    size_t count;
    bool failed; /* memory ran out: names_hint says so */
};

void names_add(struct names *names, struct slice name);
/* "Did you mean ...?", where one is near. */
enum status names_hint(const struct names *names, struct slice name, struct error *err);

bool compile_is_input(struct slice name);
const struct variable *compile_find_variable(const struct scope *scope, struct slice name);
/* Also among the definition's arguments; NULL: the steps gave it no value. */
const struct held *compile_find_value(const struct compiler *compiler, const struct scope *scope,
                                      struct slice name);
enum status compile_set_variable(struct compiler *compiler, struct scope *scope, struct slice name,
                                 int place, const struct held *value);
enum status compile_name(struct compiler *compiler, const struct scope *scope,
                         const struct expression *expression, struct held *held);
/* An input by the operation that takes it; an input that the graph has already is the same node.
 * column.size 0: of no one column. */
enum status compile_input(struct compiler *compiler, const char *operation, struct slice column,
                          int place, struct held *held);
/* The column of a name, or of an argument that holds it as a text. */
enum status compile_column(struct compiler *compiler, const struct scope *scope,
                           const struct expression *expression, struct held *held);
/* The name of a column in held->text becomes that of the SELECT. */
enum status compile_column_name(const struct compiler *compiler, int place, struct held *held);

/* ----- compile_heads.c ----- */

/* Is it the name of one of several labels? */
bool compile_is_label(const struct compiler *compiler, struct slice name);
enum status compile_label(struct compiler *compiler, struct slice name, int place,
                          struct held *held);
enum status compile_labels(struct compiler *compiler, int place, struct held *held);
enum status compile_outputs(struct compiler *compiler, struct scope *scope,
                            const struct expression *call, struct held *held);
/* Ends the graph with what the definition returns, a value, or a list of one for each label. The
 * sum of the heads' losses is what is minimised, unless the steps say it. */
enum status compile_heads(struct compiler *compiler, const struct scope *scope,
                          const struct held *returned, int place);

/* ----- compile_arithmetic.c ----- */

enum status compile_apply(struct compiler *compiler, char sign, int place, const struct held *left,
                          const struct held *right, struct held *held);

/* A node or a number, as a call of the graph takes it. */
struct graph_value compile_graph_value(const struct held *held, int place);

/* ----- compile_calls.c ----- */

enum status compile_call(struct compiler *compiler, struct scope *scope,
                         const struct expression *call, struct held *held);
/* Is it a function of the language, which is no operation of the graph? */
bool compile_is_list_function(struct slice name);
enum status compile_list_function(struct compiler *compiler, struct scope *scope,
                                  const struct expression *call, struct held *held);
void compile_list_functions(struct names *names);
enum status compile_operation(struct compiler *compiler, const char *operation,
                              const struct graph_value *values, uint32_t count, int place,
                              struct held *held);
