/*
 * score.h - PREDICT and EVALUATE in the session itself, and what they share with jobs that score
 * (score_job.h).
 */
#pragma once

#include "extension/engine/host/host.h"
#include "extension/engine/rows/bad_rows.h"
#include "extension/engine/score/evaluation.h"
#include "planner/plan/plan.h"

/* PREDICT without a target: the rows are the result. */
bool score_gives_rows(const struct plan *plan);
/* The names of their columns, in the arena. */
enum status predict_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                            size_t *count, struct error *err);
/* The query that it is where the session scores them. */
enum status predict_query(const struct plan *plan, struct text *sql, struct error *err);
enum status predict_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                        struct error *err);
/* The names of the columns that EVALUATE returns, in the arena. */
enum status evaluate_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                             size_t *count, struct error *err);
/* The order that the plan is for: what its evaluation measures. */
struct evaluation_order score_order_of(const struct plan *plan);

/* ----- what both ways to score a table begin and end with ----- */

double score_seconds_now(void);
/* The table that the plan's statement writes. */
struct table_target score_target(const struct plan *plan);
enum status score_check_targets(const struct host *host, const struct plan *plan,
                                struct error *err);
/* Checks the targets, and uses the plan's model, which is there until `use` returns. */
typedef enum status score_use(const struct host *host, const struct plan *plan,
                              const struct model *model, struct arena *arena,
                              const struct sink *sink, struct error *err);
enum status score_with_model(const struct host *host, const struct plan *plan, struct arena *arena,
                             const struct sink *sink, struct error *err, score_use *use);
/* The plan's notices from a number on. */
enum status score_put_notices(const struct plan *plan, size_t first, const struct sink *sink,
                              struct error *err);
/* One of the rows that the statement returns: table, rows, seconds. */
enum status score_target_row(struct slice table, uint64_t rows, double started,
                             const struct sink *sink, struct error *err);

/* A row of the plan's SELECT into place `place` of a scorer of the model, and its label. `row`
 * counts from 1, for messages. */
struct row_room {
    struct cell *inputs; /* (model input_count) */
    struct cell *spread; /* a row, where it has vectors */
};
enum status row_room_make(const struct plan *plan, struct arena *arena, struct row_room *room,
                          struct error *err);
enum status score_take_row(const struct plan *plan, const struct row_room *room, uint64_t row,
                           const struct cell *cells, size_t count, struct scorer *scorer,
                           uint32_t place, struct row_label *label, struct error *err);

/* The hint at a row that EVALUATE cannot take. */
#define LEAVE_BAD_ROWS_OUT                                                                         \
    "WITH evaluate.bad_rows = 'skip' leaves such rows out, and 'quarantine' with INTO puts them "  \
    "aside."

/* After score_take_row has failed: "column "x" holds ..." becomes "row 12: column ...", with the
 * hint where it has none. Returns err->status. */
enum status score_name_row(uint64_t row, const char *hint, struct error *err);
/* INVALID: there is nothing to evaluate, whether no row was returned or all of them were bad. */
enum status score_no_rows(const struct bad_rows *bad, struct error *err);

/* Into the plan's table, or to the sink. */
enum status evaluation_put(const struct host *host, const struct plan *plan,
                           const struct evaluation_rows *rows, double started,
                           const struct sink *sink, struct error *err);

/* The statements that make PREDICT's tables. */
struct predict_tables {
    struct text create, quarantine_create; /* the latter empty without such a table */
};
void predict_tables_init(struct predict_tables *tables);
void predict_tables_deinit(struct predict_tables *tables);
enum status predict_tables_lower(const struct plan *plan, struct predict_tables *tables,
                                 struct error *err);
