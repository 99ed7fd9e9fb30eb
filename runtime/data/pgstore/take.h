/*
 * take.h - files that lie in a table, taken as far as they are needed.
 *
 *     extents --one query--> slices of pieces --> sparse files (runtime/data/staged/sparse_files.h)
 *
 * A query asks for many slices at once, by several connections, each of which is closed when there
 * is nothing to take for some seconds.
 */
#pragma once

#include "runtime/data/pgstore/pgstore_parts.h"

/* Takes the files from the table, which is quoted as in SQL and has columns as input_JOB
 * (pgstore.h), in pieces of so many bytes. The store need not stay open. */
enum status pgstore_take_table(const struct pgstore *store, const char *table, size_t piece_bytes,
                               const struct sparse_file *files, size_t count, const char *folder,
                               const struct spool_source **source, struct error *err);

/* The files of the job's rows into the folder. The store's own connection is closed. A model that
 * lies behind them (model_file.h) is fetched as a whole. */
enum status pgstore_take(struct pgstore *store, const char *folder,
                         const struct spool_source **source, struct error *err);
