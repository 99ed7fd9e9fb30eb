/*
 * column_statistics_finish.h - transform and labels of a job, from the statistics of its columns.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "runtime/data/dataset/dataset_labels.h"
#include "runtime/data/spool/column_statistics.h"

/*
 * Fills the data set's transform, labels, mean and scale of the label, class weights and notices,
 * in its arena, and the index of the classes, whose words are in the arena, too. What the rows are
 * not good for is refused here: INVALID for no rows, infinite numbers, and labels that are NULL,
 * that are no classes, or that are too many or too few of them; CORRUPT where no rows have such
 * statistics, which is so when more was taken out than added.
 */
enum status column_statistics_finish(const struct column_statistics *statistics,
                                     struct dataset *dataset, struct class_index *index,
                                     struct error *err);
