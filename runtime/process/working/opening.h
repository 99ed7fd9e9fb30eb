/*
 * opening.h - the data set, and the learner where it is wanted, opened beside the loop.
 *
 * Encoding the rows can take seconds, in which a process must still react to a
 * cancel. So a thread does it; the loop is woken when it is ready.
 * A process that has to end before that just ends.
 */
#pragma once

#include "runtime/learn/learner.h"
#include "runtime/loop/loop.h"
#include "runtime/role/job.h"

struct learner_loader;

enum opening_what { OPENING_NOTHING, OPENING_LEARNER, OPENING_ROWS_ALONE };

/* `ready` is called once from the loop. */
enum status opening_start(struct loop *loop, const struct job *job, enum opening_what what,
                          void (*ready)(void *context), void *context,
                          struct learner_loader **opening, struct error *err);
bool opening_is_done(const struct learner_loader *opening);
/* NULL, and why, when the job's rows cannot be learned from. */
struct learner *opening_learner(const struct learner_loader *opening);
/* NULL, and why, when they cannot be opened. The team of its loader. */
const struct dataset *opening_dataset(const struct learner_loader *opening);
struct team *opening_team(const struct learner_loader *opening);
/* The learner computes with so many threads from now on. NO_MEMORY: it cannot go on. */
enum status opening_use_threads(struct learner_loader *opening, uint32_t threads,
                                struct error *err);
/* The rows are in a database that is away: the process ends, and its launcher starts it again
 * later. */
bool opening_lacks_database(const struct learner_loader *opening);
const struct error *opening_error(const struct learner_loader *opening);
/* Only when it is done. */
void opening_free(struct learner_loader *opening);
