/*
 * notice_list.h - what the user should know of a model beyond its numbers: one list from the plan
 * to the model's table.
 *
 *     planner    plan.notices             --EXPLAIN prints them
 *                     |
 *     session    the same list, while rows are spooled
 *                     |  lower_train: jobspec.notices, in job.json
 *     worker     dataset.notices: what all rows tell (runtime/data/columns/column_notices.h)
 *                     |  measuring.notices: and what the measured model tells
 *     model      "notices" of its meta row --TRAIN's result, SHOW TRAIN and SHOW MODEL print them
 *
 * Each is a row `notice` of a result: programs that read results see no standard error. So a notice
 * is for what the user would do something about, or would be misled without; how the job goes is
 * said by sink_notice. The text is one line, as error messages are: lower case, no full stop, the
 * column in double quotes, the counts that it is about. The hint is a sentence with what to write.
 *
 *     notice_add(notices, NOTICE_MISSING, "column \"%.*s\": 29 of 500 values read as NULL: ...",
 * ...); notice_hint(notices, "WITH ... keeps them as words.");
 *
 * A list has fixed memory, so that nothing can fail where one is added. It keeps the first
 * NOTICES_OF_KIND_MAX notices of a kind and counts the rest. The lists are functions of statement
 * and set of rows, as the model is: code that adds to one must not depend on the order of rows, on
 * processors, workers or the time, unless the model itself does.
 */
#pragma once

#include "base/json.h"

#define NOTICES_MAX         64
#define NOTICES_OF_KIND_MAX 8
#define NOTICE_BYTES_MAX    400 /* bytes of a text, and of a hint */

/* A classifier's labels: more different numbers than these are rather a quantity than classes. */
#define NUMBER_CLASSES_MAX 30

/* The subject of a notice. The words stand in job.json and in model tables: added at the end, and
 * never changed. A word of a later version is not known and is read as "other". */
#define NOTICE_KIND_MAP(X)                                                                         \
    X(NOTICE_OTHER, "other")                                                                       \
    X(NOTICE_KEY, "key")                  /* a column that tells rows apart and nothing else */    \
    X(NOTICE_FREE_TEXT, "free text")      /* a column of sentences */                              \
    X(NOTICE_MISSING, "missing values")   /* texts that were read as NULL */                       \
    X(NOTICE_READING, "reading")          /* how a column's cells were read: dates, separators */  \
    X(NOTICE_CONSTANT, "constant column") /* no value, or the same in all rows */                  \
    X(NOTICE_VOCABULARY, "vocabulary")    /* more words than are kept */                           \
    X(NOTICE_OUTLIERS, "outliers")                                                                 \
    X(NOTICE_LABEL, "label")           /* labels that rather are numbers */                        \
    X(NOTICE_RARE_CLASS, "rare class") /* too few rows to learn it from */                         \
    X(NOTICE_LEAK, "leak")             /* one column alone predicts the label */                   \
    X(NOTICE_BASELINE, "baseline")     /* the model is no better than a constant */                \
    X(NOTICE_METRIC, "metric")         /* a metric's rows, or why it is NULL */                    \
    X(NOTICE_DEFAULTS, "defaults")     /* values chosen by the data */                             \
    X(NOTICE_ROLE, "role")             /* a column that is for something else than an input */     \
    X(NOTICE_SETTING, "setting")       /* an attribute that changes nothing */                     \
    X(NOTICE_TIME, "time")             /* the part that train.max_seconds cut off */

#define X(name, word) name,
enum notice_kind { NOTICE_KIND_MAP(X) NOTICE_KINDS };
#undef X

/* By value; NULL-terminated. */
extern const char *const notice_words[];

struct notice {
    enum notice_kind kind;
    uint32_t others; /* notices of its kind beyond the list, said with the last one that is in it */
    char text[NOTICE_BYTES_MAX + 1];
    char hint[NOTICE_BYTES_MAX + 1]; /* may be empty */
};

/* Zeros: empty. */
struct notice_list {
    size_t count;
    bool was_dropped; /* the last notice_add only counted: notice_hint adds nothing */
    struct notice items[NOTICES_MAX];
};

/* Adds a notice. A text that is too long is cut at a whole character. */
void notice_add(struct notice_list *list, enum notice_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a hint to the notice added last. */
void notice_hint(struct notice_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Those of another list, which may be NULL, behind those of this one. */
void notice_list_join(struct notice_list *list, const struct notice_list *other);
/* NULL is an empty one. */
bool notice_list_equal(const struct notice_list *a, const struct notice_list *b);

/* Prints a notice as a row shows it: "text; so do 3 others. Hint." */
void notice_print(const struct notice *notice, struct text *out);

/* [{"kind", "text", "hint", "others"}, ...], the last two where they are not empty. The list may be
 * NULL. */
cJSON *notice_list_to_json(const struct notice_list *list);
/* The member "notices" of an object. CORRUPT for what is no such array; the list is then of no use.
 */
enum status notice_list_from_json(const cJSON *object, struct notice_list *list, struct error *err);
