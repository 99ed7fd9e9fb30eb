/*
 * estimators.h - the models that TO TRAIN knows, one row each.
 */
#ifndef PLANNER_ESTIMATORS_H
#define PLANNER_ESTIMATORS_H

#include "base/error.h"
#include "kinds/kinds.h"
#include "parser/statement.h"

/* A kind of model with a task, and with some of its attributes fixed. */
struct estimator {
    const char *name; /* "DNNClassifier" */
    const struct kind *kind;
    enum task task;
    const char *const *fixed; /* NULL-terminated: attributes that are 0 and cannot be set */
    const char *fixed_as;     /* what these make of it: "a model without hidden layers" */
    const char *help;
};

extern const struct estimator estimators[];
extern const size_t estimator_count;

/* By name, ASCII case ignored. INVALID with the nearest name as hint,
 * UNSUPPORTED for a name of the language that is not built yet. */
enum status estimator_find(const struct name *name, const struct estimator **estimator,
                           struct error *err);

/* Does the attribute mean anything to the estimator? */
bool estimator_uses(const struct estimator *estimator, const struct attribute *attribute);

/* "DNNClassifier and DNNRegressor": those to whom it does; NULL: all. */
void estimators_append(const struct attribute *attribute, struct text *out);

#endif
