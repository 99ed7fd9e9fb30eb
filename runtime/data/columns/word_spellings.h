/*
 * word_spellings.h - words of a column, or classes, that differ in capitals, in the spaces around
 * them or in the spelling of a number alone: 'Berlin', 'berlin' and ' Berlin' are three words to a
 * model, and so are '0', '-0' and '0.0' among words. A zero before other digits makes a name.
 *
 * A notice says so, with the SQL that makes them one. Capitals are those of ASCII and spaces are
 * ' ', as lower() and trim() of both databases take them. Words that look alike for other reasons
 * (inputs/cells/alike.h), as 'é' of one character beside 'é' of two, have a notice of their own,
 * which names the characters. Genotypes ("AA", "Aa", "aa") are meant as they are, and a few rows of
 * many are not worth a word, unless they make a class.
 */
#pragma once

#include "runtime/data/statistics/word_table.h"

struct notice_list;

#define SPELLINGS_WORDS_MAX 100000 /* more different words are not compared */
#define SPELLINGS_ROWS_MIN  3      /* rows of other spellings than the most frequent one, and */
#define SPELLINGS_ROWS_OF   100    /* one of so many */

/* Adds a notice where there is a reason. The words are texts; entries of count 0 are none. */
enum status word_spellings_note(const struct word_table *words, struct slice name, bool are_classes,
                                struct notice_list *notices, struct error *err);
