/*
 * alike.h - texts that look alike to people and are others to a program.
 *
 *     é        U+00E9 beside U+0065 U+0301, as files of a Mac have it; likewise kana and Hangul
 *     É é      capitals of all alphabets that characters.h knows
 *     １２ ｱ   wide and narrow forms of East Asia, and digits of other scripts (digits.h)
 *     spaces   of any width, also one that keeps words on a line, and several in place of one
 *     marks    of no width, which nobody sees
 *     ' - "    and the signs that printers use for them; Cyrillic and Greek letters like Latin ones
 *
 * A text is folded to the one that all of them have in common. Folded texts are compared, never
 * shown or stored: two that are folded alike may still mean different things.
 */
#pragma once

#include "base/text.h"

/* Folds the text; bytes: room for as many as it has, where the result lies. */
struct slice alike_fold(struct slice text, char *bytes);

/* Two different texts that are folded alike: what is left of each. is_begun: false at first. */
struct alike_pair {
    struct slice a, b;
    bool is_begun;
};

/* The next pieces in which they differ, of which one may be empty: "e" U+0301 and "é". Capitals of
 * ASCII are no difference. A space that one lacks at an end is one space there. False: there are no
 * more, or they are too long. */
bool alike_difference(struct alike_pair *pair, struct slice *a, struct slice *b);
