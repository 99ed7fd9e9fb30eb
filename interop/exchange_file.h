/*
 * exchange_file.h - the file of an exchanged model: read whole, and written whole or not at all.
 */
#pragma once

#include "base/error.h"

/* Appends the file to `out`. NOT_FOUND, PERMISSION, IO; INVALID for what is no ordinary file, LIMIT
 * for more than `out` takes. */
enum status exchange_file_read(const char *path, struct text *out, struct error *err);

/* An ordinary file of the name is replaced by a complete one, or stays as it was; a link to one
 * stays a link. INVALID where something else has the name. */
enum status exchange_file_write(const char *path, struct slice bytes, struct error *err);
