/*
 * lexer.h - our half of a statement, token by token.
 *
 * Token kinds are those of the grammar (grammar.h, which lemon writes). What
 * may stand at a place decides how it is read: the parser asks the grammar and
 * passes the answer to the lexer, so that a/b:v1/Class is one token after TRAIN,
 * and [a b] is a name where no list can be.
 */
#pragma once

#include "base/error.h"

struct token {
    int kind;
    struct slice text; /* the text as written; borrowed from the source */
    int position;
};

enum lexer_want {
    LEXER_ANY,
    LEXER_BRACKET_NAME, /* [ begins a name */
    LEXER_MODEL,        /* a model's name: letters, digits and _ . / : @ - */
    LEXER_DEFINITION,   /* a definition's, likewise, or IF before it */
    LEXER_IMAGE         /* an image's name, likewise */
};

struct lexer {
    struct slice text;
    int at, end;
    int previous; /* kind of the token before; after a dot every word is a name */
};

#define LEXER_END 0 /* the kind of the last token, which is empty */

/* SYNTAX for what is no token: an unclosed string, 12abc. */
enum status lexer_next(struct lexer *lexer, enum lexer_want want, struct token *token,
                       struct error *err);

/* "TRAIN" for a keyword, else NULL. */
const char *keyword_spelling(int kind);

/* Words that are names only in quotes: without them a forgotten name would
 * swallow the next clause's first word. Both hosts reserve most of them. */
bool keyword_is_reserved(int kind);

/* Where the token ends. */
int token_end(const struct token *token);
