/*
 * search.h - a search over folds, as the engine makes it (trials.h, cross_validation.h): each of
 * its jobs is a world of its own, and what the job's store has at the end is all that the search
 * gets of it.
 *
 *     rows --dealt once--> folds     trial: a job for each fold --> mean and deviation
 *                                    values of the best: a job of all rows
 *
 * Trials have other learning rates and hidden layers of the classifier of real.h, and are judged by
 * LogLoss.
 */
#pragma once

#include "tests/sim/world.h"

#define SEARCH_TRIALS 3
#define SEARCH_FOLDS  3
#define SEARCH_JOBS   (SEARCH_TRIALS * SEARCH_FOLDS + 1)

struct search;
/* With the rows of a CSV as real.h reads them. Ends the program when it cannot be made. */
struct search *search_open(const char *csv);
void search_close(struct search *search); /* NULL: nothing */

/* Runs one of the jobs, which are counted from 0. */
typedef enum status search_job(void *context, uint32_t number, const struct subject *subject,
                               const struct oracle *oracle, struct world_result *result,
                               struct error *err);
/* FAILED where a trial comes to something else than in the undisturbed search, beside what a job
 * returns. */
enum status search_run(const struct search *search, search_job *run, void *context,
                       struct error *err);
