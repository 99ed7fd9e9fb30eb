/*
 * series_rows.h - rows of one series, which lie side by side in the data set.
 */
#pragma once

#include "runtime/learn/series/series_learner.h"

uint64_t series_end_of(const struct dataset_part *part, uint64_t first, uint64_t end);
/* The points of a task's rows, and their regressors, into a member's space. */
enum status series_take_points(const struct series_learner *series, const struct series_task *task,
                               struct series_member *member, struct error *err);
/* "series store = 'north', item = '7': ..." ids (groups): those of a record. */
enum status series_name(const struct series_learner *series, const int64_t *ids, struct error *err);
/* The ids of the row's series. */
void series_row_ids(const struct series_learner *series, uint64_t row,
                    int64_t ids[FORECAST_GROUPS_MAX]);
