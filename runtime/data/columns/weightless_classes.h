/*
 * weightless_classes.h - classes whose training rows all weigh 0, by the column of sample weights
 * or by train.class_weight: nothing is learned of them, and no row is predicted to be one.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "runtime/data/spool/column_statistics.h"

/* Counts them in dataset->weightless_classes, and adds a notice that names them. INVALID where the
 * kind of model needs weight of each class. Labels, their counts and their weights are there. */
enum status weightless_classes(const struct column_statistics *statistics, struct dataset *dataset,
                               struct error *err);
