/*
 * plain_rows.h - the rows of a job whose spools lie as the SELECT gave them, all in memory.
 *
 *     spools --> rows held out, transform, labels --> all rows in their places, encoded
 *
 * What a job without shuffle learns from: its steps take rows from everywhere.
 */
#ifndef RUNTIME_DATA_PLAIN_ROWS_H
#define RUNTIME_DATA_PLAIN_ROWS_H

#include "jobspec/jobspec.h"
#include "runtime/data/dataset.h"

/* Of the data set the spools are there, and are not needed afterwards. It gets everything else, a
 * row store included. Errors: dataset_open's. */
enum status plain_rows_open(struct dataset *dataset, const struct jobspec *spec, struct team *team,
                            struct error *err);

#endif
