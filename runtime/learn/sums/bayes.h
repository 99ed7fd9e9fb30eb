/*
 * bayes.h - the learner of naive Bayes.
 *
 *     COUNT --> SPREAD --> DONE
 *
 *     COUNT    of each class its weight, and of each number the weight of the rows that have it and
 *              its sum; of each word its weight
 *     SPREAD   of each class and number the squares about the mean of the class
 */
#ifndef RUNTIME_LEARN_SUMS_BAYES_H
#define RUNTIME_LEARN_SUMS_BAYES_H

#include "runtime/learn/learning.h"

/* Does what learning_open does, for the kind "bayes". LIMIT for more bytes than a worker has. */
enum status bayes_open(const struct jobspec *spec, const struct dataset *dataset, struct team *team,
                       struct learning *learning, struct error *err);

#endif
