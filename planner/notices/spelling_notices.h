/*
 * spelling_notices.h - what is said of columns of texts that are, or nearly are, numbers or dates.
 *
 *     "€1,234.50", "79,19"          read as numbers: how, and where it may mean something else
 *     numbers, and 'unknown'        words to the model: most are numbers, and what makes them so
 *     "03/04/2024" alone            words: nothing tells which is the day
 */
#pragma once

#include "planner/plan/plan.h"

/* Notices on a column that is read as numbers by READING_SEPARATED or in other spellings, or by
 * READING_NUMBER with points that may stand between thousands. */
void note_written_numbers(const struct plan *plan, const struct query_column *column,
                          enum input_reading reading, bool is_label);

/* Notices on a column that is taken as words, or left out as a key. False: it has nothing to be
 * said. */
bool note_nearly_read(const struct plan *plan, const struct query_column *column, bool is_left_out);
