/*
 * frame_copy.h - rows of a frame (frame.h) as PostgreSQL's COPY ... (FORMAT binary) takes them.
 *
 * For a DataFrame that becomes a table of a server: words are text, reals double precision, whole
 * numbers bigint, booleans boolean. The caller sends the header and the trailer.
 */
#pragma once

#include "extension/sqlite/frames/frame.h"

/* Rows from *row on, which moves behind the last, into `room` bytes at `into`: as many whole ones
 * as fit. Their bytes: 0 where the next row does not fit, or there is none. -1: there is no frame
 * of this key, or a column of whole numbers has one above 2^63 - 1, which bigint has not. */
FRAME_EXPORTED int64_t totrain_frame_copy(int64_t key, int64_t *row, uint8_t *into, int64_t room);
