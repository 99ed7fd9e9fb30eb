/*
 * job_log.h - the log of a job's processes, read in parts of whole lines.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* A part of one job's log. */
struct job_log_part {
    int64_t job;
    uint64_t from; /* the byte at which it begins */
    size_t most;   /* bytes */
};

/*
 * Appends the lines of a part, and sets *next to the byte behind them; *next is `from` if nothing
 * follows. A line that its process may still be writing is left for later, and one longer than
 * `most` is cut. NOT_FOUND for a job that does not exist, or that has no log.
 */
enum status job_log_read(const char *state, const struct job_log_part *part, struct text *out,
                         uint64_t *next, struct error *err);
