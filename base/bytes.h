/*
 * bytes.h - little-endian fields in frames, spool blocks and tensors.
 *
 * A reader over untrusted bytes never runs past its end: a read that does not
 * fit gives zero and marks the reader failed, so that a row of reads needs one
 * check at the end.
 */
#pragma once

#include "base/text.h"

struct byte_reader {
    const uint8_t *at, *end;
    bool failed;
};

struct byte_reader byte_reader_over(struct slice bytes);
uint8_t read_u8(struct byte_reader *reader);
uint32_t read_u32(struct byte_reader *reader);
uint64_t read_u64(struct byte_reader *reader);
int64_t read_i64(struct byte_reader *reader);
double read_f64(struct byte_reader *reader);
struct slice read_bytes(struct byte_reader *reader, size_t size);     /* borrowed */
struct slice read_sized(struct byte_reader *reader, size_t size_max); /* u32 size, then bytes */
bool reader_is_done(const struct byte_reader *reader); /* nothing left and nothing failed */

void put_u8(struct text *out, uint8_t value);
void put_u32(struct text *out, uint32_t value);
void put_u64(struct text *out, uint64_t value);
void put_i64(struct text *out, int64_t value);
void put_f64(struct text *out, double value);
void put_sized(struct text *out, struct slice bytes);
/* The same of bytes that are put in between: what put_sized_begin returned says where. */
size_t put_sized_begin(struct text *out);
void put_sized_end(struct text *out, size_t start);
