/*
 * dataset_check.h - what no model can be trained on, named with its column and count.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/data/spool/spool.h"

/* Adds a hint to the error that the label is NULL, in all rows or in some: how such rows are left
 * out. */
enum status label_null_hint(const struct jobspec *spec, bool in_all, struct error *err);

/* Refuses rows that no model can be trained on, and names column and count. `what` is the words for
 * an empty result ("the SELECT"). */
enum status dataset_check(const struct spool *spool, const struct jobspec *spec, const char *what,
                          struct error *err);
