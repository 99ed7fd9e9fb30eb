/*
 * json_rows.h - rows of a result as JSON arrays, for the page.
 */
#pragma once

#include "base/cell.h"
#include "extension/engine/host/sink.h"

/* A string in its quotes. Bytes that are no UTF-8 become U+FFFD. */
void json_append_string(struct text *out, struct slice value);
/* [1, 2.5, "x", null]. A number that is not finite is null. */
void json_append_cells(struct text *out, const struct cell *cells, size_t count);

/* A sink that appends rows, with commas between them; the brackets are the caller's. */
struct json_rows {
    struct text *out;
    uint64_t skip;  /* rows that are left out at the front */
    uint64_t most;  /* rows that are appended; more are counted */
    uint64_t count; /* rows that came, with those that are left out */
};
struct sink json_rows_sink(struct json_rows *rows);
