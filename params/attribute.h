/*
 * attribute.h - one declaration of everything that WITH sets.
 *
 *     #define TREE_ATTRIBUTES(STORED, PLANNED)                                                \
 *         STORED(uint32_t, depth, "model.depth", SCOPE_TRAIN, IN_KIND(depth),                 \
 *                INTEGER(1, 32, "6"), "Most splits on the way to a leaf.",                    \
 *                .aliases = WORDS("model.max_depth"))                                         \
 *         PLANNED("model.draw", SCOPE_TRAIN, BOOLEAN("false", NULL), "Draw the tree.")
 *
 *     struct tree_params {
 *         TREE_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
 *     };
 *     ATTRIBUTE_TABLE(tree_attributes, struct tree_params, TREE_ATTRIBUTES)
 *
 * The list makes the members of a struct and, in a file that includes params/attribute_rows.h, the
 * table. STORED is an attribute whose value is a member: its C type and name, the attribute's name
 * in a statement, the statements that know it, where job.json has it (IN(object, member), or
 * IN_KIND(member): in the object that has the kind's name), what it may be (INTEGER, REAL, BOOLEAN,
 * WORD, INTEGERS, REALS, MEMORY: params/attribute_rows.h), what it is for, and by name what else a
 * struct attribute has. PLANNED is one without a member: the planner makes something else of the
 * value.
 *
 * Checks and their messages, SHOW ATTRIBUTES, completion and docs/attributes.md come from the
 * tables, and so do the job spec, its schema, comparison and a state's fingerprint. There are two
 * sorts of lists: what all kinds of models have in common (jobspec/job_attributes.h), and what one
 * kind takes (kinds/NAME/).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "params/terms.h"

enum attribute_type {
    ATTRIBUTE_INTEGER,
    ATTRIBUTE_REAL,
    ATTRIBUTE_BOOLEAN,
    ATTRIBUTE_WORD, /* one of `words` */
    ATTRIBUTE_TEXT,
    ATTRIBUTE_LABEL,    /* a text, a number, true or false */
    ATTRIBUTE_MEMORY,   /* '512Mi': bytes within the range */
    ATTRIBUTE_INTEGERS, /* a list of integers within the range */
    ATTRIBUTE_REALS,    /* a number within the range, or a list of such */
    ATTRIBUTE_WEIGHTS,  /* one of `words`, a list of numbers within the range, or a JSON object of
                           such by label */
    ATTRIBUTE_WORDS     /* 'Accuracy,AUC' or a list, each one of `words` */
};

enum attribute_scope { /* which statements know it */
                       SCOPE_TRAIN = 1,
                       SCOPE_EVALUATE = 2,
                       SCOPE_PREDICT = 4,
                       SCOPE_EXPLAIN = 8, /* TO EXPLAIN */
                       SCOPE_FORECAST = 16,
                       SCOPE_ALL = 7 /* those that may be jobs */
};

/* The type of the C member. */
enum attribute_store {
    STORE_NONE,    /* there is none: the planner makes something else of the value */
    STORE_U32,     /* INTEGER */
    STORE_U64,     /* INTEGER, MEMORY */
    STORE_REAL,    /* double: REAL */
    STORE_BOOLEAN, /* bool: BOOLEAN; WORD, WEIGHTS: whether its one word is said */
    STORE_ENUM,    /* WORD: an enum whose values are the places of `words` */
    STORE_COUNTS,  /* struct counts: INTEGERS */
    STORE_REALS    /* struct reals: REALS */
};

#define COUNTS_MAX HIDDEN_LAYERS_MAX

struct counts {
    uint32_t items[COUNTS_MAX];
    uint32_t count;
};

#define REALS_MAX 16

struct reals {
    double items[REALS_MAX];
    uint32_t count;
};

#define REAL_AUTOMATIC (-1.0)

/* Another spelling of a name. */
struct attribute_alias {
    const char *name, *attribute;
};

/* Another spelling of a word that an attribute takes. */
struct word_alias {
    const char *name, *word;
};

struct attribute {
    const char *name; /* in a statement: "model.dropout" */
    enum attribute_type type;
    unsigned scope;
    double least, most;         /* numbers, list elements */
    const char *default_value;  /* text of the default; NULL: none, which a member has as 0 */
    const char *const *words;   /* NULL-terminated; WORD(S); NULL: checked elsewhere */
    const char *const *later;   /* NULL-terminated: values known to the language and not built
                                   yet; WORD(S), BOOLEAN. NULL: none */
    const char *help;           /* one sentence */
    const char *const *aliases; /* NULL-terminated: other spellings of the name. NULL: none */

    enum attribute_store store;
    size_t offset;       /* the member's */
    const char *section; /* the object of the job spec; NULL: the one of the kind's name */
    const char *member;  /* in the object; NULL: it is not in the job spec */
    unsigned tasks;      /* bits 1 << TASK_...: models of others have no use for it. 0: all */
    bool same_bits;      /* a job learns the same bits whatever the value is */
    bool is_automatic;   /* takes 'auto', too, which is its default: INTEGER, REAL. A member has it
                            as 0 or as REAL_AUTOMATIC, and the learner makes a number of it */
    const char *example; /* it must be set; the hint where it is not */
    bool minus_one_is_0; /* INTEGER: -1, which other tools write for no limit, is taken for 0 */
    const struct word_alias *word_aliases; /* WORD: NULL: none; the last has no name */
    bool of_servers; /* an attribute of all kinds, used only by those whose weights may lie on
                        parameter servers */
    bool of_graphs;  /* likewise, used only by models of definitions */
};

struct attribute_table {
    const struct attribute *rows;
    size_t count;
};

/* The list as members of a struct. */
#define ATTRIBUTE_MEMBER(c_type, c_member, ...) c_type c_member;
#define ATTRIBUTE_NO_MEMBER(...)

/* The member, in the struct that it belongs to. */
static inline void *attribute_at(const struct attribute *attribute, void *members)
{
    return (char *)members + attribute->offset;
}

void attribute_set_integer(const struct attribute *attribute, void *members, uint64_t value);
/* Sets an attribute that is_automatic. */
void attribute_set_automatic(const struct attribute *attribute, void *members);
/* The value of a row without one of its own: its default, else 0. */
void attribute_set_default(const struct attribute *attribute, void *members);

/* ---- in a job spec ---- */

void attribute_write(const struct attribute *attribute, const void *members, cJSON *object);
/* CORRUPT, naming the member, for a value outside of the row's range and for none. 0 is
 * taken, too, of a real, and of an integer that has no default or is automatic; REAL_AUTOMATIC of a
 * real that is automatic. A list of one real is that number, in a job spec as in a statement. */
enum status attribute_read(const struct attribute *attribute, const cJSON *object, void *members,
                           struct error *err);
bool attribute_equal(const struct attribute *attribute, const void *a, const void *b);

/* Name and value as bytes that no other name and value have. */
void attribute_put(const struct attribute *attribute, const void *members, struct text *out);
