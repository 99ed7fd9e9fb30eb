/*
 * frame.h - columns in the memory of this process, which a virtual table shows to SQL.
 *
 *     totrain_frame_add(columns) --> key     CREATE VIRTUAL TABLE temp.df USING totrain_frame(key)
 *     totrain_frame_remove(key)              DROP TABLE temp.df, before
 *
 * A DataFrame is trained on where it lies: no copy, and no way through text. The caller, our
 * package for Python, keeps the memory as it is until the frame is removed. A key is random: SQL of
 * another connection, which never got it, finds no frame; no address is ever part of SQL.
 *
 * Numbers come as SQLite has them: whole ones as INTEGER, above 2^63 - 1 and others as REAL, NaN
 * as NULL, a boolean as 0 or 1. A frame that is removed while a table shows it is empty from then
 * on, and reading it is an error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/cell.h"

#define FRAME_COLUMNS_MAX 2000 /* SQLite's own limit */
#define FRAME_ROWS_MAX    ((int64_t)1 << 40)

enum frame_kind {
    FRAME_FLOAT64,
    FRAME_FLOAT32,
    FRAME_INT64,
    FRAME_INT32,
    FRAME_INT16,
    FRAME_INT8,
    FRAME_UINT64,
    FRAME_UINT32,
    FRAME_UINT16,
    FRAME_UINT8,
    FRAME_BOOL, /* a byte */
    FRAME_WORDS /* int32 codes of texts in UTF-8; a negative code is NULL */
};

/* A column, which totrain/_frames.py fills: the two change together. */
struct frame_column {
    const char *name;
    const void *values;
    int64_t stride;       /* bytes from one value to the next */
    const uint8_t *valid; /* (rows) 0: NULL; NULL: all are there */
    const char *bytes;    /* texts of words: that of code c is bytes[offsets[c], offsets[c + 1]) */
    const int64_t *offsets; /* (texts + 1) */
    int64_t texts;
    int32_t kind;
    int32_t unused;
};

struct frame {
    struct frame *next;
    int64_t key, rows;
    struct frame_column *columns; /* with names of their own */
    int32_t count;
    unsigned users; /* tables that show it, and its caller */
    bool is_removed;
};

/* Marks functions for programs that loaded the extension (extension/sqlite/totrain.map). */
#define FRAME_EXPORTED __attribute__((visibility("default")))

/* The key, > 0; 0 where memory ran out or the columns are none of these. Any thread. */
FRAME_EXPORTED int64_t totrain_frame_add(const struct frame_column *columns, int32_t count,
                                         int64_t rows);
/* False where there is no such frame. Not while another thread reads it. */
FRAME_EXPORTED bool totrain_frame_remove(int64_t key);

/* NULL where there is none. To be let go of. */
struct frame *frame_use(int64_t key);
void frame_let_go(struct frame *frame);

/* The value of a row, from 0 on: NULL, INTEGER, REAL or TEXT, whose bytes are the caller's. */
void frame_cell(const struct frame_column *column, int64_t row, struct cell *cell);
