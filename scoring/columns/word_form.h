/*
 * word_form.h - the form of a word with numbers in it: what stands before, between and behind them.
 *
 *     150-155   10 to 20   1 1/2    1.10.2   7h 29m   PT449M   3rd   >= 5   12°34'56"N
 *     #-#       #to#       # #/#    #.#.#    #h#m     pt#m     #O    >=#    #°#'#"H
 *
 * A number is digits, with a fraction or commas between thousands; of digits with several points
 * each run is one. Letters become small ones. O stands for the end of an ordinal, M for a month's
 * English name, H for N, S, E or W behind the last of several numbers. White space counts between
 * two numbers alone.
 */
#pragma once

#include "base/text.h"

#define FORM_BYTES_MAX 24

struct word_form {
    char text[FORM_BYTES_MAX];
    uint32_t size, numbers;
    bool has_commas; /* between thousands */
    bool has_codes;  /* a number has three digits or more, of which 0 is the first */
};

/* False: it has no number, or its form is longer. */
bool word_form_of(struct slice word, struct word_form *form);
bool word_form_is(const struct word_form *form, const char *text);

/* Is it a number of a few parts that are numbers: "150-155", "120/80 mm", "(3) 4"? At most three
 * bytes stand between two of them, letters before none, and none is a code such as 007. */
bool word_form_is_parts(const struct word_form *form);
/* Is it a sum of times, "7h 29m", or "PT449M"? */
bool word_form_is_duration(const struct word_form *form);
/* Is it one number, and before or behind it a sign such as < or +? */
bool word_form_is_bound(const struct word_form *form);
/* Does the unit measure time: "min", "Years"? */
bool word_unit_is_time(struct slice unit);
/* Are the units of a form's numbers hours and minutes alone? */
bool word_form_is_hours(const struct word_form *form);
