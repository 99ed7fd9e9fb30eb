/*
 * output_file.h - what a command prints, into the file of -o, or to standard output.
 *
 * A file is replaced by a complete one, or stays as it was. A device or a pipe is written to.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"

/* path NULL: standard output. IO, PERMISSION, NOT_FOUND of the folder. */
enum status output_file_write(const char *path, const struct text *text, struct error *err);
