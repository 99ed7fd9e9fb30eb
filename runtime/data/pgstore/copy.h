/*
 * copy.h - binary values: big-endian, behind their length in four bytes, -1 for NULL.
 */
#pragma once

#include "lazy/pq.h"

/* Rows of COPY (FORMAT binary). */
void copy_begin(struct text *out);
void copy_row(struct text *out, uint16_t columns);
void copy_integer(struct text *out, int64_t value);
void copy_bytes(struct text *out, const struct slice *value); /* NULL: NULL */
void copy_end(struct text *out);
#define COPY_HEADER_BYTES 19

/* A cell of a binary result. */
struct slice result_bytes(const PGresult *result, int row, int column);
/* CORRUPT for what is no bigint. */
enum status result_integer(const PGresult *result, int row, int column, int64_t *value,
                           struct error *err);
