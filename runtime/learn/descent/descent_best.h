/*
 * descent_best.h - the weights of the best epoch, by the loss of the rows that are held out.
 *
 *     descent_best_plan     when the rows are known: is a copy of weights kept at all?
 *     descent_best_note     after each evaluation: the copy is of the epoch with the least loss
 *     descent_best_is_kept  at PHASE_DONE: is the model the copy, or what the last step left?
 *
 * train.early_stopping = n always takes the copy. 'auto' of a network (spec->keeps_best) learns all
 * epochs, and takes it only where the last epoch's loss is clearly above the least: the least of
 * many losses is partly luck, and the last epochs have the small steps of the schedule's end.
 * Clearly is by more than a share of the least loss, more than the loss rises from epoch to epoch
 * by chance, and more than the standard error of a mean over so many rows. docs/learning.md has the
 * rule, decision 0305 what was measured. The bits of all other models are those of
 * train.early_stopping = 0.
 *
 * All of it is decided by the job's settings, numbers of rows and exact sums: every worker decides
 * the same.
 */
#pragma once

#include "runtime/learn/descent/descent_parts.h"

/* Fewer rows say nothing of epochs: with these 'auto' keeps what the last step left. */
#define BEST_ROWS_LEAST 50

/* Fills keeps_best and has_room_for_best. A copy that 'auto' would keep beyond what the job allows
 * a worker is none. */
void descent_best_plan(struct descent *descent);
/* The loss after the step that phase tells. True: it is the least so far. */
bool descent_best_note(struct descent *descent, double loss);
bool descent_best_is_kept(const struct descent *descent);
/* From 1, at PHASE_DONE: the epoch with the least loss, and the last. */
uint32_t descent_best_epoch(const struct descent *descent);
uint32_t descent_last_epoch(const struct descent *descent);
/* The notice of a model that 'auto' made of the copy, or would have. */
void descent_best_tell(struct descent *descent);
