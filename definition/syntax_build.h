/*
 * syntax_build.h - what the grammar of definitions calls to put the tree together, and the calls
 * into the parser that lemon generates of it.
 *
 * The first failure is kept in syntax->status, and ends the reading. What actions do after it is
 * never read, so they may be given NULL.
 */
#pragma once

#include "definition/syntax.h"

struct syntax_token {
    int kind;          /* SYNTAX_...; 0: the end */
    struct slice text; /* the text as written */
    int place;
};

struct syntax {
    struct arena *arena;
    struct step *steps; /* the result */
    size_t parts;       /* against DEFINITION_PARTS_MAX */
    enum status status;
    struct error *err;
};

struct step_list {
    struct step *first, *last;
};

struct argument_list {
    struct argument *first, *last;
    size_t count;
};

struct step_list syntax_step_added(struct step_list list, struct step *step);
struct step *syntax_assign(struct syntax *syntax, const struct syntax_token *name,
                           struct expression *value);
struct step *syntax_return(struct syntax *syntax, const struct syntax_token *word,
                           struct expression *value);
struct step *syntax_for(struct syntax *syntax, const struct syntax_token *word,
                        const struct syntax_token *name, struct expression *list,
                        struct step_list body);
/* A function's step before its name is known, and with one parameter more. */
struct step *syntax_parameters(struct syntax *syntax);
struct step *syntax_parameter(struct syntax *syntax, struct step *function,
                              const struct syntax_token *name);
struct step *syntax_function(struct syntax *syntax, const struct syntax_token *word,
                             const struct syntax_token *name, struct step *function,
                             struct step_list body);

struct expression *syntax_number(struct syntax *syntax, const struct syntax_token *token);
struct expression *syntax_text(struct syntax *syntax, const struct syntax_token *token);
struct expression *syntax_name(struct syntax *syntax, const struct syntax_token *token);
struct expression *syntax_list(struct syntax *syntax, const struct syntax_token *open,
                               struct argument_list items);
struct expression *syntax_call(struct syntax *syntax, const struct syntax_token *name,
                               struct argument_list items);
struct expression *syntax_element(struct syntax *syntax, const struct syntax_token *open,
                                  struct expression *list, struct expression *number);
struct expression *syntax_negate(struct syntax *syntax, const struct syntax_token *sign,
                                 struct expression *value);
struct expression *syntax_binary(struct syntax *syntax, const struct syntax_token *sign,
                                 struct expression *left, struct expression *right);
/* `name` is NULL for an item without one. */
struct argument *syntax_item(struct syntax *syntax, const struct syntax_token *name,
                             struct expression *value);
struct argument_list syntax_item_added(struct syntax *syntax, struct argument_list list,
                                       struct argument *item);

/* ----- the generated parser ----- */

struct yyParser;

/* In the arena; NULL when memory ran out. */
struct yyParser *syntax_grammar_new(struct syntax *syntax);
void syntax_grammar(void *parser, int kind, struct syntax_token token);
bool syntax_grammar_accepts(const struct yyParser *parser, int kind, bool as_name);
/* It met what syntax_grammar_accepts had refused: our mistake, reported rather than hidden. */
void syntax_fail_unexplained(struct syntax *syntax);
