/*
 * dataset_learn.h - the transform of the inputs, learned from the training rows.
 */
#ifndef RUNTIME_DATA_DATASET_LEARN_H
#define RUNTIME_DATA_DATASET_LEARN_H

#include "runtime/data/dataset.h"

struct team;

/* From the rows that `is_used` marks (NULL: all). */
enum status learn_transform(const struct spool *spool, const struct jobspec *spec,
                            const uint8_t *is_used, struct team *team, struct dataset *dataset,
                            struct error *err);

#endif
