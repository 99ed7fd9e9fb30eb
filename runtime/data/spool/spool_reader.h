/*
 * spool_reader.h - a spool's rows, mapped into memory.
 */
#pragma once

#include "runtime/data/spool/spool.h"
#include "runtime/data/spool/spool_source.h"

struct team;

/* Maps the files read-only and checks the index; and all blocks with the team (NULL: alone),
 * unless the spool lies by key. The views live in the arena. CORRUPT for what no writer wrote.
 * source: of the files' bytes, of spools that lie by key; NULL: all are there. */
enum status spool_open(const char *path, const struct spool_source *source, struct team *team,
                       struct arena *arena, struct spool *spool, struct error *err);
void spool_close(struct spool *spool);

/* The blocks can be opened until they are done with. */
enum status spool_need_blocks(const struct spool *spool, const uint32_t *numbers, size_t count,
                              struct spool_need **need, struct error *err);
void spool_done_with(const struct spool *spool, struct spool_need *need);
/* The kernel begins to read blocks that are needed, where their files are not in memory. */
void spool_read_ahead(const struct spool *spool, const uint32_t *numbers, size_t count);
/* They will be needed soon. Nothing is done where all bytes are there. */
void spool_expect_blocks(const struct spool *spool, const uint32_t *numbers, size_t count);

/* Checks the block and makes views of it, in columns (column_count). Its pages are read then. */
enum status spool_open_block(const struct spool *spool, uint32_t number,
                             struct spool_column_view *columns, struct spool_block *block,
                             struct error *err);

/* All pages leave our memory, and stay in the system's; later accesses find them there. */
void spool_release(const struct spool *spool);
/* The block's pages leave our memory; a later access reads them from the file again. */
void spool_release_block(const struct spool *spool, uint32_t number);

/* One value as a cell; texts stay in the map. */
struct cell spool_cell(const struct spool_column_view *column, uint32_t row);
