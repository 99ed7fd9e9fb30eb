/*
 * unfamiliar_count.h - the NULLs of rows that are scored, in columns where the model has learned of
 * none and the statement's sample shows none either (planner/notices/unseen_nulls.h); the numbers
 * that are too far off for the model (planner/notices/far_numbers.h); words that it does not know
 * (unseen_words.h); and numbers of another unit (other_units.h).
 *
 *     init --> row, row, row ... --> note
 *
 * Rows are counted where they pass, in PostgreSQL's server on their way to the client. Those that
 * PREDICT writes in SQL pass nowhere: their table is read again.
 */
#pragma once

#include "base/arena.h"
#include "extension/engine/host/host.h"
#include "extension/engine/score/other_units.h"
#include "extension/engine/score/unseen_words.h"
#include "planner/plan/plan.h"

struct unfamiliar_count {
    const struct plan *plan;
    size_t *inputs; /* (count): of the model, that are looked at */
    size_t count;
    uint64_t *nulls; /* (model.input_count) */
    double *far;     /* (model.input_count): the farthest number of each; NaN: there is none */
    struct unseen_words words;
    struct other_units units;
    uint64_t rows;
    const struct sink *to; /* where predictions go on to */
};

/* In the arena. model: the plan's, loaded, which stays; NULL: it is loaded for its words and read
 * for its statistics, if it is not large. NO_MEMORY. */
enum status unfamiliar_count_init(const struct host *host, const struct plan *plan,
                                  const struct model *model, struct arena *arena,
                                  struct unfamiliar_count *counting, struct error *err);
/* A row of the plan's SELECT, which has all of its columns. */
void unfamiliar_count_row(struct unfamiliar_count *counting, const struct cell *cells);
/* Predictions on their way to `to`, as a sink has them, with `self` the counting. */
enum status unfamiliar_count_columns(void *self, const struct slice *names, size_t count,
                                     struct error *err);
enum status unfamiliar_count_pass(void *self, const struct cell *cells, size_t count,
                                  struct error *err);
/* The place of an input's column, the i-th of `inputs`, among predictions: the prediction stands in
 * place of a column of the SELECT, or behind all. */
size_t unfamiliar_count_place(const struct unfamiliar_count *counting, size_t i);
/* A prediction's cell of the i-th of `inputs`; of each row once for each of them. */
void unfamiliar_count_cell(struct unfamiliar_count *counting, size_t i, const struct cell *cell);
/* Adds to the plan's notices. */
void unfamiliar_count_note(struct unfamiliar_count *counting);
/* All rows of the table that PREDICT wrote. */
enum status unfamiliar_count_target(const struct host *host, struct unfamiliar_count *counting,
                                    struct error *err);
/* Adds to the plan's notices which words and units the first QUERY_SAMPLE_ROWS rows of its SELECT
 * have, for EXPLAIN, which scores none. NO_MEMORY, INTERRUPTED, DATABASE. */
enum status unfamiliar_count_explain(const struct host *host, const struct plan *plan,
                                     struct arena *arena, struct error *err);
