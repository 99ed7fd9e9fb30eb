/*
 * final_fit.h - learns a classifier's final step (scoring/final_step.h) from rows that the model
 * has not learned from.
 *
 *     final_fit_open --> final_fit_add, a held-out row each --> final_fit_finish --> final_step
 *
 * With train.folds each row is scored by the model of the other folds, and nothing is added:
 *
 *     job of a fold: final_fit_open --> final_fit_add ... --> final_fit_scores --.
 *     job of all rows: final_fit_open takes those of all folds --> final_fit_finish --> final_step
 *
 * Isotonic and sigmoid calibration are those of scikit-learn's CalibratedClassifierCV of a fitted
 * classifier with a decision function, but for the ends of an isotonic one: n rows tell no
 * probability below 1 / (n + 2), or above 1 less that, so shares are cut there. A probability of 0
 * would make the loss of one row that is otherwise infinite.
 *
 * A threshold is chosen after calibration, among the probabilities of the same rows, and lies in
 * the middle between the least that is above it and the next one. Of thresholds that are equally
 * good the greatest is taken.
 *
 * Rows are sorted by score and counted before anything is computed: their order makes no difference
 * to a bit.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/data/dataset/dataset.h"
#include "scoring/model.h"

/* Scores, as many as classes that have a map of each row. */
#define FINAL_FIT_SCORES_MAX FOLD_SCORES_MAX

/* Does the statement want one? */
bool final_fit_is_wanted(const struct jobspec *spec);
/* Does the job score its held-out rows for one, or for that of the job whose fold it measures? */
bool final_fit_reads_rows(const struct jobspec *spec);
/* INVALID where labels and rows are none that it could be learned from. */
enum status final_fit_check(const struct jobspec *spec, const struct dataset *dataset,
                            struct error *err);

struct final_fit;
/* Everything that is made of it lives until it is closed. */
enum status final_fit_open(const struct jobspec *spec, const struct dataset *dataset,
                           struct final_fit **fit, struct error *err);
void final_fit_close(struct final_fit *fit); /* NULL: nothing */
/* The row that is selected, of a model without a final step, and its class; rows of a class that
 * the model does not know are left out. */
enum status final_fit_add(struct final_fit *fit, const struct scorer *scorer, int64_t class,
                          struct error *err);
/* The rows that were added, sorted and counted, for another job: slices of the fit's memory. */
enum status final_fit_scores(struct final_fit *fit, struct slice **slices, uint32_t *count,
                             struct error *err);
/* INVALID where no threshold does what is asked for. */
enum status final_fit_finish(struct final_fit *fit, struct final_step *final, struct error *err);
