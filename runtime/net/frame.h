/*
 * frame.h - how a message lies in a stream of bytes.
 *
 *      0  u32  payload bytes, at most FRAME_PAYLOAD_MAX
 *      4  u32  type
 *      8  u64  job
 *     16  u64  group epoch: the fencing number
 *     24  u64  XXH3-64 of the 24 bytes before
 *     32  u64  XXH3-64 of the payload, with the one before as its seed
 *     40       payload
 *
 * Little-endian. The first frame of a stream that is not exactly this ends the
 * connection: after it nothing in the stream can be trusted. The header has a
 * checksum of its own, since a reader that takes a wrong size waits for bytes
 * that never come.
 */
#pragma once

#include "base/error.h"

#define FRAME_HEADER_BYTES 40
#define FRAME_PAYLOAD_MAX  ((size_t)64 << 20)

struct frame {
    uint32_t type;
    uint64_t job, epoch;
    struct slice payload; /* borrowed from the bytes that were read */
};

/* Append a header; the payload is appended after it, and frame_end completes
 * the header. `start` is where the frame begins in `out`. */
size_t frame_begin(struct text *out, uint32_t type, uint64_t job, uint64_t epoch);
/* LIMIT when the payload is too large: `out` is then as it was at frame_begin. */
enum status frame_end(struct text *out, size_t start, struct error *err);

/* The size of the frame that begins `bytes`, 0 when its header is not all
 * there yet. PROTOCOL when the size is beyond the maximum, or the header is not
 * what was sent. */
enum status frame_size(struct slice bytes, size_t *size, struct error *err);

/* Read exactly one frame. PROTOCOL for a wrong size or checksum. */
enum status frame_read(struct slice bytes, struct frame *frame, struct error *err);
