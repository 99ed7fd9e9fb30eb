/*
 * attribute.h - every WITH attribute, in one table.
 *
 * Checks, error hints, SHOW ATTRIBUTES, shell completion and
 * docs/attributes.md all come from it. An attribute is known to all estimators
 * or only to those whose task or family it names.
 */
#ifndef PLANNER_ATTRIBUTE_H
#define PLANNER_ATTRIBUTE_H

#include "base/error.h"
#include "parser/statement.h"

enum attribute_type {
    ATTRIBUTE_INTEGER,
    ATTRIBUTE_REAL,
    ATTRIBUTE_BOOLEAN,
    ATTRIBUTE_WORD, /* one of `words` */
    ATTRIBUTE_TEXT,
    ATTRIBUTE_INTEGERS, /* a list of integers within the range */
    ATTRIBUTE_WORDS     /* 'Accuracy,AUC' or a list, each one of `words` */
};

enum attribute_scope { /* which statements and estimators know it */
                       SCOPE_TRAIN = 1,
                       SCOPE_EVALUATE = 2,
                       SCOPE_PREDICT = 4,
                       SCOPE_NETWORK = 8 /* besides: only estimators with hidden layers */
};

struct attribute {
    const char *name;
    enum attribute_type type;
    unsigned scope;
    double least, most;        /* numbers, list elements */
    const char *default_value; /* as it would be written; NULL: none, see help */
    const char *const *words;  /* NULL-terminated; ATTRIBUTE_WORD(S); NULL: checked elsewhere */
    const char *const *later;  /* NULL-terminated: values known to the language and not built
                                  yet; ATTRIBUTE_WORD(S), ATTRIBUTE_BOOLEAN. NULL: none */
    bool is_supported;         /* false: known, answers 'not supported yet' */
    const char *help;          /* one sentence */
};

/* Another spelling of an attribute. */
struct attribute_alias {
    const char *name, *attribute;
};

extern const struct attribute attributes[];
extern const size_t attribute_count;
extern const struct attribute_alias attribute_aliases[];
extern const size_t attribute_alias_count;

/* The attribute of this name or of an alias of it (train.epochs, SQLFlow's and
 * ElasticDL's spellings); NULL when there is none. */
const struct attribute *attribute_find(struct slice name);

/* Check one setting against the table: name, scope, type, range. INVALID or
 * UNSUPPORTED at the setting's name or value, with the nearest name as hint. */
enum status attribute_check(const struct setting *setting, unsigned scope,
                            const struct attribute **attribute, struct error *err);

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
