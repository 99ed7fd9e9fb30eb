/*
 * requirement.h - train.require: a bound that a metric must keep, or the model is not published.
 *
 *     'AUC >= 0.8' --requirement_read--> struct requirement --requirement_is_met--> publish or not
 */
#pragma once

#include "base/error.h"
#include "params/terms.h"

struct requirement {
    struct measure measure;
    double bound;
    bool is_most;   /* the bound is the greatest value, not the least */
    bool is_strict; /* and not reached */
};

/* False: the text is no metric, >=, <=, > or <, and number. */
bool requirement_read(struct slice text, struct requirement *requirement);
bool requirement_is_of(const struct requirement *requirement, struct slice metric);
/* A value that is not known (NaN) meets none. */
bool requirement_is_met(const struct requirement *requirement, double value);

struct planning;
/* Checks the setting: its metric is one of those that the statement measures. */
enum status requirement_plan(struct planning *planning);
