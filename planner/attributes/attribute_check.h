/*
 * attribute_check.h - one setting of a statement, checked against the tables of attributes.
 */
#pragma once

#include "planner/attributes/estimators.h"

/* Check one setting against the tables: name, scope, type, range, and for TRAIN the estimator;
 * NULL: another statement. INVALID or UNSUPPORTED at the setting's name or value, with the nearest
 * name as hint. */
enum status attribute_check(const struct setting *setting, unsigned scope,
                            const struct estimator *estimator, const struct attribute **attribute,
                            struct error *err);

/* The attribute's word that equals this one or has it as another spelling, case ignored; NULL when
 * there is none. */
const char *attribute_word(const struct attribute *attribute, struct slice word);

/* Appends the values that the attribute takes, to stand in a sentence: "a whole number from 1 to
 * 1000000", "'relu' or 'tanh'". */
void attribute_append_expected(const struct attribute *attribute, struct text *out);

/* Is a list one value of it? */
bool attribute_takes_list(const struct attribute *attribute);

/* Is it 'auto', and does the attribute take that? */
bool attribute_takes_automatic(const struct attribute *attribute, const struct value *value);

/* The value as a person would write it: 'Adam', [16, 16], 0.001. */
void value_append(const struct value *value, struct text *out);
