/*
 * completion.h - what may be typed next.
 *
 *     text, cursor, names of the database --> words that fit there, with help
 *
 * A pure function: no terminal, no database. The text is everything typed so
 * far, several lines and statements included; what counts is the statement
 * that the cursor stands in. Attributes and estimators come from the planner's
 * tables, so that completion knows what the checks know.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

#define COMPLETION_CANDIDATES_MAX 1000
#define COMPLETION_TOKENS_MAX     4000 /* tokens of the statement before the cursor */

/* Names are spelled as they are to be written: quoted where they must be. */
struct completion_table {
    struct slice name;
    const struct slice *columns;
    size_t column_count;
};

/* A dot command of the shell. Its argument is nothing (""), one of several words (on|off), FILE, or
 * [TABLE]. */
struct completion_command {
    const char *word, *argument, *help;
};

struct completion_names {
    const struct completion_table *tables;
    size_t table_count;
    const struct slice *models;
    size_t model_count;
    const struct completion_command *commands; /* dot commands, with their dot */
    size_t command_count;
};

struct completion_candidate {
    struct slice text;
    struct slice help; /* may be empty */
    const char *after; /* text after the only candidate: " ", " = ", "(" or "" */
};

struct completion {
    size_t start; /* text[start, cursor) is the word that a candidate replaces */
    struct completion_candidate *candidates;
    size_t count;
    struct slice note; /* says what is expected where no word can be offered; may be empty */
    bool is_file;      /* a file's name is wanted: file_names_find() knows which */
};

/* The candidates live in the arena. No candidates is not an error. */
enum status completion_find(struct slice text, size_t cursor, const struct completion_names *names,
                            struct arena *arena, struct completion *completion, struct error *err);

/* The longest text that all candidates begin with, ASCII case ignored unless
 * they are files; spelled as in the first. */
struct slice completion_common(const struct completion *completion);
