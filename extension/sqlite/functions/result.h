/*
 * result.h - the rows of a statement that ran inside a scalar function.
 *
 * A bare statement becomes a recursive query over such a result: a handle,
 * which is a number, and a row's index. The result lives as long as the query
 * that made it (it is SQLite's auxiliary data), and a handle is never used
 * twice. Its first rows are kept in memory; where there are many, the others lie in a file.
 */
#pragma once

#include <limits.h>

#include "extension/engine/host/result.h"
#include "extension/sqlite/functions/row_file.h"

struct query_result {
    struct query_result *next;
    struct results *owner;
    int64_t handle;
    struct result rows; /* the first of them */
    uint64_t kept;      /* how many these are */
    size_t kept_bytes;
    struct row_file others;
    char folder[PATH_MAX]; /* for their file; "": all are kept in memory */
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

/* The rows go into it, and where they are many into a file in this folder, if it takes one; NULL:
 * into no file. Notices and progress are left to the caller. */
struct sink query_result_sink(struct query_result *result, const char *folder);
/* There are no more. */
enum status query_result_end(struct query_result *result, struct error *err);

/* Is there a row of this index? */
bool query_result_has(const struct query_result *result, int64_t index);
/* The cells of a row, NULL beyond the last. */
const struct cell *query_result_row(struct query_result *result, int64_t index);
