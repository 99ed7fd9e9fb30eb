/*
 * result.h - the rows of a statement that ran inside a scalar function.
 *
 * A bare statement becomes a recursive query over such a result: a handle,
 * which is a number, and a row's index. The result lives as long as the query
 * that made it (it is SQLite's auxiliary data), and a handle is never used
 * twice.
 */
#ifndef EXTENSION_SQLITE_RESULT_H
#define EXTENSION_SQLITE_RESULT_H

#include "extension/engine/host/result.h"

struct query_result {
    struct query_result *next;
    struct results *owner;
    int64_t handle;
    struct result rows;
    /* Rows are asked for in order: the one last found, and its index. */
    struct result_row *at;
    int64_t at_index;
};

struct results {
    struct query_result *newest;
    int64_t handles; /* given out so far */
};

void results_init(struct results *results);
void results_deinit(struct results *results);

/* NULL when memory ran out. query_result_free takes it off its owner's list. */
struct query_result *query_result_new(struct results *results);
void query_result_free(void *result);
struct query_result *query_result_find(struct results *results, int64_t handle);

/* The cells of a row, NULL beyond the last. */
const struct cell *query_result_row(struct query_result *result, int64_t index);

#endif
