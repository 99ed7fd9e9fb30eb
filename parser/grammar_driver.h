/*
 * grammar_driver.h - the calls into the parser that lemon generates.
 */
#pragma once

#include "parser/build.h"

struct yyParser;

/* In the arena, so that nothing is left behind when a host jumps out. NULL
 * when memory ran out. */
struct yyParser *grammar_new(struct parse *parse);

/* Feed one token; LEXER_END last. The first token that cannot follow must be
 * found with grammar_accepts() before it is fed. */
void grammar(void *parser, int kind, struct token token);

/* Whether a token of this kind may come next. With `as_name` also where it
 * may come only because a keyword can be a name. */
bool grammar_accepts(const struct yyParser *parser, int kind, bool as_name);

int grammar_token_count(void); /* kinds are 0 .. count - 1 */

/* The grammar met what grammar_accepts() had refused: our mistake, reported
 * rather than hidden. */
void fail_syntax_unexplained(struct parse *parse);
