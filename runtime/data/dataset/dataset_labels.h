/*
 * dataset_labels.h - the classes among the labels.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "runtime/data/statistics/word_table.h"

struct team;

/* Finds a label's class: that of the table's entry i is classes[i]. Borrows
 * from the training spool, so that one must stay open as long. */
#define FEW_CLASSES 8
struct class_index {
    struct word_table table;
    uint32_t *classes;        /* (table.count), in the data set's arena */
    int64_t few[FEW_CLASSES]; /* the bits of up to so many numbers, which are faster compared */
};

/* -1 for one that is not known */
int32_t class_of(const struct class_index *index, const struct spool_column_view *column,
                 uint32_t row);
void class_index_deinit(struct class_index *index);
