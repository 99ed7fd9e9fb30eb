/*
 * spool_keyed.h - a block of rows as many small ones, each of one range of keys.
 *
 *     rows of a block in memory --part, key--> hashes of all | block of a range | block | ...
 */
#pragma once

#include "runtime/data/spool/spool_writer_parts.h"

/* The writer's rows in memory go to its file, and those that are kept into its statistics. */
enum status spool_write_keyed(struct spool_writer *writer, struct error *err);
