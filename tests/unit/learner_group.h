/*
 * learner_group.h - learners as a group of workers has them, and their states.
 */
#pragma once

#include "runtime/learn/learning.h"

#define WORKERS_MAX 8

struct group {
    struct learner *learners[WORKERS_MAX];
    uint32_t count;
};

void group_open(struct group *group, const struct jobspec *spec, const struct dataset *dataset,
                uint32_t workers);
void group_close(struct group *group);
const struct phase *phase_of(const struct group *group); /* the phase of all of them */

/* By pieces of a size that divides nothing. */
void give_state(struct learner *from, struct learner *to);

/* Checks that a state's head that is cut, changed or of another job than `other`'s, a body of
 * another size and one that did not come are refused, and change nothing. The state is that of
 * `from`. */
void check_bad_states(struct learner *from, struct learner *to, struct learner *other);
