/*
 * input.h - a file, or standard input, as one text.
 */
#pragma once

#include "base/error.h"

#define INPUT_BYTES_MAX ((size_t)64 << 20) /* bytes of SQL in one file */

/* Append what the file holds; "-" is standard input. INVALID where it cannot
 * be opened, LIMIT where it is too large, INTERRUPTED after Ctrl-C. */
enum status input_read(const char *path, struct text *text, struct error *err);
