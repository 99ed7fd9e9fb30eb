/*
 * scan.h - where one run of characters ends: the lexical rules that the
 * splitter and the lexer share, so that the two can never disagree about what
 * is inside a string.
 *
 * The host's half (before TO) follows the hosts: no backslash escapes, except
 * in E'...'. Our half (after TO, and our own commands) lets a backslash carry
 * the next character in both kinds of quotes.
 */
#pragma once

#include "base/text.h"

enum scan_kind {
    SCAN_END,
    SCAN_BLANK,
    SCAN_COMMENT, /* -- to the line's end, or between slash-star and star-slash (not nested) */
    SCAN_WORD,
    SCAN_NUMBER,   /* and letters glued to it, which make it a wrong one */
    SCAN_STRING,   /* '...' */
    SCAN_QUOTED,   /* "..." */
    SCAN_BACKTICK, /* `...` */
    SCAN_BRACKET,  /* [...], only from scan_bracket() */
    SCAN_DOLLAR,   /* $tag$...$tag$ */
    SCAN_SYMBOL    /* one or two characters */
};

enum scan_rules { SCAN_HOST, SCAN_OURS };

struct scan {
    enum scan_kind kind;
    int start, end;
    bool closed; /* false: the text ended before the closing quote */
};

struct scan scan_next(struct slice text, int at, enum scan_rules rules);

/* The name in brackets that begins at `at`, which runs to the first ]. */
struct scan scan_bracket(struct slice text, int at);

struct slice scan_text(struct slice text, const struct scan *scan);
bool scan_is_word_byte(char c); /* may continue a word */
