/*
 * expect.h - the error message about a token that cannot stand at its place.
 *
 *     expected COLUMN, LABEL, USING or INTO, found "LABLE"
 *     HINT: Did you mean LABEL?
 */
#pragma once

#include "parser/grammar_driver.h"

#define EXPECT_TOKENS_MAX 96 /* kinds of token in the grammar, at most */

/* The statement as far as it has been read, for the hints. */
struct progress {
    int verb;                     /* TRAIN, PREDICT, ..., SHOW; 0 before it */
    int clause;                   /* WITH, COLUMN, ... that is being read; 0 before the first */
    bool seen[EXPECT_TOKENS_MAX]; /* keywords that were read as keywords */
    struct token previous;        /* LEXER_END at the start */
    bool previous_is_name;        /* it is a keyword that was read as a name */
    bool after_comma;             /* a comma stood before it */
    bool explain_plan;            /* EXPLAIN SELECT ... */
    int parentheses;
};

/* Note that `token` has been fed. */
void progress_token(struct progress *progress, const struct token *token, bool as_keyword);

/* Always SYNTAX, with position, message and hint. */
enum status fail_syntax(const struct yyParser *parser, const struct progress *progress,
                        const struct token *found, struct error *err);
