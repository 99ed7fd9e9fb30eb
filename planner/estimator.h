/*
 * estimator.h - the models that TO TRAIN knows, one row each.
 */
#ifndef PLANNER_ESTIMATOR_H
#define PLANNER_ESTIMATOR_H

#include "base/error.h"
#include "params/terms.h"
#include "parser/statement.h"
#include "planner/attribute.h"

struct estimator {
    const char *name;   /* "DNNClassifier" */
    const char *family; /* the file under runtime/learn/ that fits it: "network" */
    enum task task;
    bool has_hidden_layers;
    bool is_supported; /* false: known to the language, answers 'not supported yet' */
    const char *help;
};

extern const struct estimator estimators[];
extern const size_t estimator_count;

/* By name, ASCII case ignored. INVALID with the nearest name as hint,
 * UNSUPPORTED for a name of the language that is not built yet. */
enum status estimator_find(const struct name *name, const struct estimator **estimator,
                           struct error *err);

/* Is this attribute built, and does it mean anything to the estimator? */
bool estimator_uses(const struct estimator *estimator, const struct attribute *attribute);

#endif
