/*
 * attribute.h - the attributes of WITH, from the tables of all of them, as statements use them.
 *
 * Checks, error hints, SHOW ATTRIBUTES, shell completion and docs/attributes.md come from here.
 */
#ifndef PLANNER_ATTRIBUTE_H
#define PLANNER_ATTRIBUTE_H

#include "params/attribute.h"
#include "parser/statement.h"
#include "planner/estimator.h"

/* Attribute `number`, in the order in which people see them; NULL: there are no more. A name that
 * several kinds have is there once. */
const struct attribute *attribute_number(size_t number);
const struct attribute_alias *attribute_alias_number(size_t number);
/* What an alias stands for; NULL: it is none. */
const char *attribute_canonical(struct slice name);
bool attribute_is_of_kind(const struct attribute *attribute, const struct kind *kind);
bool attribute_is_of_all_kinds(const struct attribute *attribute);

/* The attribute of this name or of an alias of it (train.epochs, SQLFlow's and
 * ElasticDL's spellings); NULL when there is none. */
const struct attribute *attribute_find(struct slice name);

/* Check one setting against the tables: name, scope, type, range, and for TRAIN the estimator;
 * NULL: another statement. INVALID or UNSUPPORTED at the setting's name or value, with the nearest
 * name as hint. */
enum status attribute_check(const struct setting *setting, unsigned scope,
                            const struct estimator *estimator, const struct attribute **attribute,
                            struct error *err);

/* The attribute's word that equals this one, case ignored; NULL when there is none. */
const char *attribute_word(const struct attribute *attribute, struct slice word);

/* What the attribute takes, to stand in a sentence: "a whole number from 1 to
 * 1000000", "'relu' or 'tanh'". */
void attribute_append_expected(const struct attribute *attribute, struct text *out);

/* The value as a person would write it: 'Adam', [16, 16], 0.001. */
void value_append(const struct value *value, struct text *out);

/* The whole of docs/attributes.md. */
void attributes_print_document(struct text *out);

#endif
