/*
 * dataset_learn.h - transform and labels, learned from the training rows.
 */
#pragma once

#include "runtime/data/dataset/dataset_labels.h"

struct team;

/* From the statistics of a spool that lies by key; from the rows of another one that `is_used`
 * marks (NULL: all). Errors: column_statistics_finish.h. */
enum status dataset_learn(const struct spool *spool, const struct jobspec *spec,
                          const uint8_t *is_used, struct team *team, struct dataset *dataset,
                          struct class_index *index, struct error *err);
