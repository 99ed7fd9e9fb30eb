/*
 * drift.h - how far rows have moved away from those that a model was trained on.
 *
 *     drift_new --> drift_take_row, and drift_take_prediction once it is scored, for each row
 *               --> drift_make --> drift_free
 *
 * The population stability index compares the shares of the bins (input_statistics.h) then, p, and
 * now, q: the sum of (q - p) ln(q / p), where a share below DRIFT_SHARE_LEAST counts as that. It is
 * 0 where nothing has changed. Where only chance has, it is about (bins - 1)(1 / then + 1 / now) in
 * the mean, by the numbers of rows. Its usual reading: below 0.1 stable, below 0.25 moderate, else
 * shifted (Siddiqi, Credit Risk Scorecards, 2006).
 *
 * Rows are counted, and numbers sorted: their order makes no difference to a bit. Means and medians
 * are of at most DRIFT_NUMBERS_MAX numbers, all columns together; beyond it they are NULL.
 */
#pragma once

#include "scoring/report.h"
#include "scoring/statistics/input_statistics.h"

#define DRIFT_SHARE_LEAST 0.0001
#define DRIFT_MODERATE    0.1
#define DRIFT_SHIFTED     0.25
#define DRIFT_NUMBERS_MAX ((uint64_t)1 << 26)

struct drift;

/* The model is borrowed. INVALID where it keeps no statistics, CORRUPT where they are not those of
 * its inputs. numbers_max: DRIFT_NUMBERS_MAX, or fewer. */
enum status drift_new(const struct model *model, uint64_t numbers_max, struct drift **drift,
                      struct error *err);
void drift_free(struct drift *drift);

/* Row `place` of the scorer, which is transformed; cells: in the order of the model's columns.
 * NO_MEMORY. */
enum status drift_take_row(struct drift *drift, const struct scorer *scorer, uint32_t place,
                           const struct cell *cells, struct error *err);
/* The prediction of a row; the scorer has it selected. NO_MEMORY. */
enum status drift_take_prediction(struct drift *drift, const struct scorer *scorer,
                                  struct error *err);

/* Rows of the report 'drift' in the arena: the predictions first, then the inputs, the greatest
 * index first and of equal ones in the order of the model. Without those of several labels that no
 * row has. */
enum status drift_make(struct drift *drift, struct arena *arena, struct report_rows *rows,
                       struct error *err);
/* Were there too many numbers to sort? */
bool drift_lost_middles(const struct drift *drift);
