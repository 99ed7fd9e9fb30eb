/*
 * bad_rows.h - rows that cannot be learned from or scored: left out, or kept until
 * the query is finished and then written into a table, as the SELECT gave them and
 * with the reason.
 *
 *     add, add, add ...   count them, keep them
 *     write               the table anew, where the plan wants one
 *
 * Used by TRAIN and EVALUATE in the session. PREDICT puts rows aside in SQL.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

#define BAD_ROWS_BYTES_MAX ((size_t)256 << 20) /* in memory */

struct bad_rows {
    const struct host *host;
    const struct plan *plan;
    bool by_number; /* the host keeps what a row was; its number is enough */
    bool is_kept;   /* it does so now */
    uint64_t count;
    char first[256]; /* why the first of them is bad */
    struct text kept;
};

void bad_rows_init(struct bad_rows *bad, const struct host *host, const struct plan *plan);
void bad_rows_deinit(struct bad_rows *bad);

/* Before the query: may its table be written? It is replaced only where it holds
 * bad rows already. */
enum status quarantine_check(const struct host *host, const struct plan *plan, struct error *err);

/* The rows of the plan's SELECT, in its order. */
enum status bad_rows_query(struct bad_rows *bad, const struct sink *sink, struct error *err);

/* `row` counts all rows that bad_rows_query has returned, from 0. `columns`: for each column of the
 * plan's query the number of its cell, -1 for none; NULL: the same. LIMIT when more are bad than
 * fit into the memory that is set aside for them. */
enum status bad_rows_add(struct bad_rows *bad, uint64_t row, const struct cell *cells, size_t count,
                         const int *columns, const struct error *why, struct error *err);

/* In a transaction of its own; and a notice of how many there were. */
enum status bad_rows_write(struct bad_rows *bad, const struct sink *sink, struct error *err);
