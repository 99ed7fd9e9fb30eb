/*
 * rows_scoring.h - scores rows of the job's folder: the model of job.db, or of a job in tables of
 * model.rows (runtime/data/dataset/model_file.h), over the cells of rows.spool, into the bytes of
 * runtime/data/store/shard_results.h.
 *
 *     rows.spool   one text column: a row is its cells, by base/cell_bytes.h
 *
 * The same cells through the same code as in the session, so the same bits.
 */
#pragma once

#include "runtime/role/job.h"
#include "runtime/score/scorer_role.h"

#define ROWS_SPOOL "rows.spool"

struct rows_scoring;

/* CORRUPT for rows or a model that do not fit the job's spec. */
enum status rows_scoring_open(const struct job *job, uint32_t index, uint32_t incarnation,
                              struct rows_scoring **scoring, struct error *err);
void rows_scoring_close(struct rows_scoring *scoring);

struct shard_scoring shard_scoring_of(struct rows_scoring *scoring);
uint64_t rows_scoring_count(const struct rows_scoring *scoring); /* rows scored so far */
