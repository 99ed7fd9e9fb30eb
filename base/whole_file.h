/*
 * whole_file.h - a small file, with a limit.
 */
#pragma once

#include "base/error.h"

/* Appends the file to `out`, up to its maximum. NOT_FOUND, PERMISSION, IO, or
 * LIMIT with the path; directories, pipes and devices are refused. */
enum status whole_file_read(const char *path, struct text *out, struct error *err);
