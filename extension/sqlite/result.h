/*
 * result.h - the rows of a statement that ran inside a scalar function.
 *
 * A bare statement becomes a recursive query over such a result: a handle,
 * which is a number, and a row's index. The result lives as long as the query
 * that made it (SQLite's auxiliary data tells us), and a handle is never used
 * twice.
 */
#ifndef SQLITE_HOST_RESULT_H
#define SQLITE_HOST_RESULT_H

#include "engine/sink.h"

#define RESULT_BYTES_MAX ((size_t)1 << 30)

struct result_row {
    struct result_row *next;
    struct cell *cells;
};

struct result {
    struct result *next;
    struct results *owner;
    int64_t handle;
    struct arena arena;
    struct slice *names;
    size_t column_count;
    struct result_row *first, *last;
    /* Rows are asked for in order: the one last found, and its index. */
    struct result_row *at;
    int64_t at_index;
};

struct results {
    struct result *newest;
    int64_t handles; /* given out so far */
};

void results_init(struct results *results);
void results_deinit(struct results *results);

/* NULL when memory ran out. result_free takes it off its owner's list. */
struct result *result_new(struct results *results);
void result_free(void *result);
struct result *result_find(struct results *results, int64_t handle);

/* A sink that keeps all rows: notices and progress are left to the caller. */
struct sink result_sink(struct result *result);
/* The cells of a row, NULL beyond the last. */
const struct cell *result_row(struct result *result, int64_t index);

#endif
