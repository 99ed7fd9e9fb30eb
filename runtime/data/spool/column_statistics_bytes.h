/*
 * column_statistics_bytes.h - the statistics of one writer on their way to another process.
 */
#pragma once

#include "runtime/data/spool/column_statistics.h"

/* The same rows are the same bytes. */
enum status column_statistics_put(const struct column_statistics *statistics, struct text *out,
                                  struct error *err);
/* Adds those that were put. CORRUPT for bytes that column_statistics_put does not write for this
 * spec. */
enum status column_statistics_read(struct column_statistics *statistics, struct slice bytes,
                                   struct error *err);
