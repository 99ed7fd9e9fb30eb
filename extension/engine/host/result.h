/*
 * result.h - the rows of a statement, kept until a door has given them on.
 */
#pragma once

#include "base/arena.h"
#include "extension/engine/host/sink.h"

#define RESULT_BYTES_MAX ((size_t)1 << 30)

struct result_row {
    struct result_row *next;
    struct cell *cells;
};

struct result {
    struct arena arena;
    struct slice *names;
    size_t column_count;
    struct result_row *first, *last;
};

void result_init(struct result *result);
void result_deinit(struct result *result);

/* A sink that keeps columns and rows: notices and progress are left to the caller. */
struct sink result_sink(struct result *result);

/* Append a row as one JSON object. */
enum status result_row_to_json(const struct result *result, const struct result_row *row,
                               struct text *json, struct error *err);
