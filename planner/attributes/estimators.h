/*
 * estimators.h - the models that TO TRAIN knows, one row each.
 */
#pragma once

#include "base/error.h"
#include "kinds/kinds.h"
#include "parser/statement.h"

/* The value of an attribute where the statement does not set it, as it would be written. */
struct estimator_default {
    const char *attribute, *value;
};

/* A kind of model with a task, with some of its attributes fixed, and with defaults of its own. Two
 * rows of one name: the objective, or the label, says which of them is meant (task_choice.h). */
struct estimator {
    const char *name; /* "DNNClassifier" */
    const struct kind *kind;
    enum task task;
    const char *const *fixed; /* NULL-terminated: attributes that cannot be set: they have the
                               * default below, or are 0 */
    const char *fixed_as;     /* the model that these make: "a model without hidden layers" */
    const char *help;
    const struct estimator_default *defaults; /* the last has no attribute; NULL: there are none */
    const char *group; /* "boosted trees": of many that are alike; NULL: of none */
};

extern const struct estimator estimators[];
extern const size_t estimator_count;

/* By name, ASCII case ignored. INVALID with the nearest name as hint,
 * UNSUPPORTED for a name of the language that is not built yet. A definition's name, whether there
 * is one or not, finds that of graphs. */
enum status estimator_find(const struct name *name, const struct estimator **estimator,
                           struct error *err);

/* The one that a name of trees means with this booster, such as XGBClassifier with 'gblinear';
 * NULL: none other than it is. Not among `estimators`, as its name does not find it. */
const struct estimator *estimator_boosted(const struct estimator *estimator, struct slice booster);

/* The one that a network's name means where COLUMN names EMBEDDING: a network over embeddings, of
 * another kind. NULL: none other than it is. Nor is it among `estimators`. */
const struct estimator *estimator_embedded(const struct estimator *estimator);

/* A graph of operations that a definition says, of classes; the one beside it is of numbers. Nor
 * are they among `estimators`: the definition has the name. */
const struct estimator *estimator_defined(void);
/* The estimator of definitions with a loss of their own. */
const struct estimator *estimator_minimising(void);

/* The other estimator of this name, of classes where this one is of numbers; NULL: there is none.
 */
const struct estimator *estimator_beside(const struct estimator *estimator);

/* The value of a statement that does not set it, where the estimator has one of its own; else NULL.
 */
const char *estimator_default(const struct estimator *estimator, const struct attribute *attribute);
/* The attribute with that default. estimator NULL: as it is. */
struct attribute estimator_attribute(const struct estimator *estimator,
                                     const struct attribute *attribute);

/* Is it one of two columns alone, each a category of words, whatever it holds? */
bool estimator_is_of_two(const struct estimator *estimator);

/* Does the attribute mean anything to the estimator? */
bool estimator_uses(const struct estimator *estimator, const struct attribute *attribute);

/* Appends the estimators that use the attribute, or all for NULL: "DNNClassifier and DNNRegressor".
 * A group is written by its name: "boosted trees", "forests for classes". */
void estimators_append(const struct attribute *attribute, struct text *out);
