/*
 * parser.h - SQL text -> statements.
 *
 *     text --split--> pieces --parse--> statement
 *
 * The splitter cuts a program at semicolons and decides for each piece whether
 * it is ours. A piece is ours when, outside strings, comments, quoted names,
 * dollar quotes and parentheses, a SELECT or WITH statement contains the word
 * TO (the hosts' own SIMILAR TO, AS to and INTERVAL '1' DAY TO SECOND apart),
 * or when it begins with one of our own commands (SHOW TRAIN | MODELS |
 * VERSIONS | TRIALS | JOBS | ATTRIBUTES | DEFINITIONS, also in the singular, FORECAST, DEFINE, DROP
 * DEFINITION, CANCEL JOB, ROLLBACK MODEL, EXPORT MODEL, IMPORT MODEL, EXPLAIN SELECT ... TO ...;
 * and TO TRAIN, whose SELECT was forgotten). All else is the host's, byte for byte.
 */
#pragma once

#include "parser/statement.h"

enum piece_kind {
    PIECE_EMPTY, /* white space and comments only */
    PIECE_SQL,   /* the host's */
    PIECE_OURS
};

struct piece {
    enum piece_kind kind;
    struct span span; /* from the first token to before the semicolon, trailing space trimmed */
    int next;         /* where the following piece begins: after the semicolon, or the text's end */
    bool terminated;  /* a semicolon closed it; else the text ended */
    bool open;        /* the text ended inside a string, comment, quoted name or parenthesis */
    int select_start; /* PIECE_OURS with a SELECT half: where it starts, */
    int select_end;   /*   where its last token ends, comments after it left out, */
    int to_position;  /*   and where its TO is; -1 otherwise */
};

/* Parse the piece at text[piece->span]: a PIECE_OURS into its statement, a
 * PIECE_SQL into STATEMENT_SQL with `select` holding its text. SYNTAX with
 * position, the offending token, what was expected and the nearest keyword. */
enum status parse_piece(struct slice text, const struct piece *piece, struct arena *arena,
                        struct statement *statement, struct error *err);

/* The one statement of the text. SYNTAX where a second one begins: what would
 * not run must not look as if it had. */
enum status parse_statement(struct slice text, struct arena *arena, struct statement *statement,
                            struct error *err);
