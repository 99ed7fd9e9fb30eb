/*
 * written_number.h - numbers as people and other programs write them.
 *
 *     1,234.50   12,34,567   1'234.50   1 234.50     a point before the fraction
 *     1.234,50   79,19       1'234,50   1 234,50     a comma
 *     1,234      1.234       12         EUR 12       either, though not always of the same value
 *     ١٢٫٥       １２        the digits of other scripts (digits.h)
 *
 *     number    = [sign | "("] digits with separators [exponent] ["-" | ")"]
 *     around it = one currency before or behind, one "%" behind, white space between these
 *
 * Separators between groups are all of one kind: three digits behind each, or two and at last three
 * as in India. What begins with a zero before other digits is a code and no number. Brackets, and a
 * minus behind, are as accountants write what is negative; the minus may be Unicode's. "5,-" is 5.
 * A percent is
 * a hundredth: 12% is 0.12, whatever else is in the column.
 *
 * Which of the two ways of writing a column has, all of its cells tell (cell_counts.h).
 */
#pragma once

#include "base/text.h"

enum written_by {
    WRITTEN_BY_POINT = 1,
    WRITTEN_BY_COMMA = 2,
    WRITTEN_EITHER = 4 /* both, and the values differ */
};

/* Kinds of money have numbers below this one; 0 is none. */
#define WRITTEN_CURRENCIES 64

struct written_number {
    unsigned by;               /* bits of enum written_by; at least one of the first two */
    double by_point, by_comma; /* where it is written so */
    bool is_percent;
    unsigned currency;
};

/* Reads a text without white space around it. False: it is no such number, or an infinite one. */
bool written_number_read(struct slice text, struct written_number *number);

/* Is it a whole mark of money, "EUR"? */
bool written_number_marks(struct slice letters);

/* The marks of money, by their number from 0 on; NULL: there are no more. */
const char *written_mark(size_t number);

/* How money of this kind is marked: "EUR", "$". */
const char *written_currency(unsigned currency);
