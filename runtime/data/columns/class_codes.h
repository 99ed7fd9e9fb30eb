/*
 * class_codes.h - classes that stand for a missing label: the number 99 beside 1 to 5 or beside
 * words, the words 'unknown' and 'N/A'.
 *
 * A class is one where it looks like a code (odd_numbers.h), has two digits or more, and is farther
 * from the classes next to it than all others are from each other, many times. So -1 beside 0 and
 * 1, 9 among digits, and numbers of wards, teams or answers of HTTP are classes like others.
 *
 * A text that is a number is such a class likewise, or where most classes are no numbers. Words are
 * those by which numbers and dates say that they are missing (cell_text.h), and those by which
 * people do. "none" and "0" are classes like others, "-" is one beside "+".
 *
 * Classes that are words for yes and no, more than two of them, are told of as well.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"

#define CLASS_CODES_MAX 3 /* at one end; two classes are left */
#define CLASS_CODE_GAP  8 /* times as far as the others are from each other, and one more */

/* The first of the codes, and how many there are, of classes that ascend; 0: there are none. */
size_t class_codes_of(const double *classes, size_t count, size_t *first);

/* Is one of the classes a word for a missing label? */
bool class_says_missing(const struct labels *labels, const struct cell *class);

/* Adds a notice for each code and for yes and no in several spellings to the data set's, whose
 * labels are counted. */
enum status class_codes_note(struct slice label, struct dataset *dataset, struct error *err);
