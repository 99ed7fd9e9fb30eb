/*
 * step_rows.h - rows of all tables of parameter servers, with a number or a gradient of each: what
 * lanes push, what a step is their sum of, what rows were before it, and what a worker keeps of
 * what it has pulled.
 *
 *     counts   3 0 2          rows of each table
 *     ids      2 5 9 | 0 7    of each table ascending
 *     values   one behind the other, of the width of their table
 */
#pragma once

#include "runtime/net/message.h"

struct step_rows {
    uint32_t counts[TABLES_MAX];
    uint32_t rows;
    uint64_t floats;
    uint64_t *ids;  /* (rows) */
    uint32_t *seen; /* (rows): rows of data that selected each */
    float *values;  /* (floats) */
    uint32_t ids_room, seen_room, values_room;
};

/* How many numbers a row of each table has. */
struct row_widths {
    const uint32_t *of; /* (tables) */
    uint32_t tables;
};

/* Makes room and keeps the rows there are. LIMIT, NO_MEMORY. */
enum status step_rows_reserve(struct step_rows *rows, uint64_t count, uint64_t floats,
                              struct error *err);
void step_rows_free(struct step_rows *rows);
/* Bytes that its arrays take. */
uint64_t step_rows_memory(const struct step_rows *rows);

/* Into `values` of the rows that counts and ids name those of them that `from` has, and where it is
 * not NULL whether it has each into has (all rows). */
void step_rows_copy(const struct step_rows *from, struct row_widths widths, const uint32_t *counts,
                    const uint64_t *ids, float *values, bool *has);

/* Rows that somebody else has. */
struct row_view {
    const uint32_t *counts; /* (tables) */
    const uint64_t *ids;
    const float *values;
};

/* `into` becomes the rows that one of them has, or both, which then have the same numbers. `seen`
 * is not set. */
enum status step_rows_unite(const struct step_rows *one, struct row_view other,
                            struct row_widths widths, struct step_rows *into, struct error *err);
