/*
 * dataset_open.h - from the spools of a job's folder to its rows (dataset.h).
 *
 *     spool --check--> rows held out --learn--> transform, labels --encode--> parts
 */
#pragma once

#include "runtime/data/dataset/dataset.h"

/*
 * Opens `folder`/train.spool (and validation.spool when the spec says so), and takes transform and
 * labels from the statistics of the training rows. Rows of spools that lie by key are read and
 * encoded when somebody holds them (row_store.h); others at once, with the team (NULL: the caller
 * alone). The folder's name outlives the data set. source: of the spools' bytes, where they lie by
 * key; NULL: all are in the folder.
 *
 * INVALID, naming column and count: no rows at all; a NULL label; a label that
 * is not a finite number (regression); one class only; more classes than
 * n_classes or CLASSES_MAX; an infinite value; a label beyond DATASET_LABEL_MAX
 * where the kind of model keeps numbers; a sample weight that is NULL, negative, infinite or beyond
 * DATASET_WEIGHT_MAX, and none above 0 among the training rows; an upper bound that is
 * infinite or negative. LIMIT beyond DATASET_BYTES_MAX. Where the job goes on from a model
 * (spec->old_model), `folder`/model.rows has it: INVALID for a class that it does not know, CORRUPT
 * for another model.
 */
enum status dataset_open(const char *folder, const struct spool_source *source,
                         const struct jobspec *spec, struct team *team, struct dataset *dataset,
                         struct error *err);
void dataset_close(struct dataset *dataset);

/* For how long rows that come from a source were waited for and encoded since the data set is open:
 * those of a bucket come at once, for many steps. 0 without a source. */
uint64_t dataset_waited_ms(const struct dataset *dataset);
