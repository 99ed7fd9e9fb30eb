/*
 * fetch.h - a job's rows out of its table, in ranges of pieces, by several connections at once.
 * The reader of the files checks that they are what was written (runtime/data/spool/spool.h).
 */
#pragma once

#include "runtime/data/pgstore/pgstore_parts.h"

/* The files of the job's rows into the folder, over a few connections of its own, none of which is
 * left open afterwards. */
enum status pgstore_fetch(struct pgstore *store, const char *folder, struct error *err);
/* Those from the first on alone. */
enum status pgstore_fetch_from(struct pgstore *store, size_t first, const char *folder,
                               struct error *err);
