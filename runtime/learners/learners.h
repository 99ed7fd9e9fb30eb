/*
 * learners.h - the learners, by the kind of model that they learn.
 */
#pragma once

#include "runtime/learn/learner.h"

/*
 * The learner of spec's kind of model over a data set, at phase 0, whose lanes the team computes
 * (NULL: the caller alone). It keeps pointers to all three. INVALID for a kind that none learns;
 * LIMIT with the number of bytes for absurd sizes.
 */
enum status learning_open(const struct jobspec *spec, const struct dataset *dataset,
                          struct team *team, struct learner **learner, struct error *err);
