/*
 * plain_rows.h - the rows of a job whose spools lie as the SELECT gave them, all in memory.
 *
 *     spools --> rows held out, transform, labels --> all rows in their places, encoded
 *
 * What a job without shuffle learns from: its steps take rows from everywhere.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/data/dataset/dataset.h"

/* Whether so many rows can be in memory: their encoded bytes are at most DATASET_BYTES_MAX. LIMIT.
 */
enum status plain_rows_check(const struct dataset *dataset, uint64_t rows, struct error *err);

/* Opens the rows of a data set that has its spools, which are not needed afterwards. The
 * data set gets everything else, a row store included. Errors: dataset_open's. */
enum status plain_rows_open(struct dataset *dataset, const struct jobspec *spec, struct team *team,
                            struct error *err);
