/*
 * stage_source.h - parts that lie in rows_JOB, for who settles them in the server: their bytes are
 * taken from there when they are needed.
 *
 *     extents --one query--> slices of pieces --> files of full size in the folder
 *
 * What sparse_files.h is for a worker, in the one thread of a backend: whatever is expected is
 * brought at once. What was brought stays until the source is closed: 16 bytes a row, and some
 * rows.
 */
#pragma once

#include "extension/postgres/server/staging/stage_store.h"
#include "runtime/data/staged/sparse_files.h"

/* Makes the files anew in the store's folder. The store outlives the source. CORRUPT: they would
 * be larger than the table. */
enum status stage_source_open(struct stage_store *store, const struct sparse_file *parts,
                              size_t count, const struct spool_source **source, struct error *err);
