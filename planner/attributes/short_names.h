/*
 * short_names.h - attributes without what stands before their dot, and by the names of other tools.
 *
 *     WITH epochs = 5, learning_rate = 0.1, hidden_units = [64]
 *
 * A name without a dot is the attribute whose name, or another spelling of it, ends in this part.
 * Only attributes that mean something to the statement count: bad_rows is train.bad_rows in TO
 * TRAIN and predict.bad_rows in TO PREDICT. One of the job's gives way to any other: metrics is
 * validation.metrics, and job.metrics only in TO PREDICT, which has no other. Names that end no
 * attribute may be those of scikit-learn, Keras, XGBoost or BigQuery ML: random_state is
 * train.seed.
 */
#pragma once

#include "planner/attributes/estimators.h"

/* `scope`: SCOPE_..., the statement that has the name; `estimator`: of TRAIN, NULL of the others.
 * NULL: the name stands for nothing. Where nothing that it could be means anything to the statement
 * it is one of those, so that the caller can say where it belongs. */
const struct attribute *short_name_find(struct slice name, unsigned scope,
                                        const struct estimator *estimator);

/* The attribute of a statement that the name means, exactly or shortened; NULL: none. */
const struct attribute *attribute_find_written(struct slice name, unsigned scope,
                                               const struct estimator *estimator);

/* The part behind the last dot; all of a name without one. */
struct slice attribute_last_part(struct slice name);

/* A name of another tool, and what it is here. NULL: there are no more. */
const struct attribute_alias *short_name_of_others(size_t number);
