/*
 * cell_bytes.h - cells as bytes, one behind the other: a row that travels.
 *
 *     u8 type, and of numbers 16 * time | integer: i64 | real: f64 | text, blob: u32 size, bytes |
 * NULL: nothing | vector: i64 fault, u32 size, f64 ...
 *
 * What is read back is the same cell to the last bit, -0 and blobs included.
 */
#pragma once

#include "base/bytes.h"
#include "base/cell.h"

void cell_put(struct text *out, const struct cell *cell);
/* Texts borrow from what is read. NULL, and the reader failed, for anything that
 * cell_put does not write. */
void cell_read(struct byte_reader *reader, struct cell *cell);
