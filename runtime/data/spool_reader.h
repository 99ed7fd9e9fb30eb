/*
 * spool_reader.h - a spool's rows, mapped into memory.
 */
#ifndef RUNTIME_DATA_SPOOL_READER_H
#define RUNTIME_DATA_SPOOL_READER_H

#include "runtime/data/spool.h"

struct team;

/* Maps the file read-only and checks it whole, block hashes included, with the
 * team (NULL: alone). The views live in the arena. CORRUPT for what was not
 * written by the above. */
enum status spool_open(const char *path, struct team *team, struct arena *arena,
                       struct spool *spool, struct error *err);
void spool_close(struct spool *spool);

/* The block's pages leave our memory; a later access reads them from the file again. */
void spool_release_block(const struct spool *spool, uint32_t number);

/* One value as a cell; texts stay in the map. */
struct cell spool_cell(const struct spool_column_view *column, uint32_t row);

#endif
