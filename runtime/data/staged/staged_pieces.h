/*
 * staged_pieces.h - how the files of rows that were staged shard by shard lie in a table.
 *
 *     shard 7 of train --> train.7.index   the index of a spool's part (spool_writer.h)
 *                          train.7.part    its bytes
 *     all of them      --> settled         JSON: the files of the spools, and where they lie
 *                          train.spool     what is settled over all shards (staged_settle.h)
 *                          train.census    of rows that are counted: how many there are (8 bytes),
 *                                          and what their cells are (cell_census_put)
 *
 * A worker puts them there (pgstore/staged_rows.h), or the server itself
 * (extension/postgres/server/staging/stage_shard.c). A piece is what fits into one page of a table:
 * for a larger one the server makes four rows of another table for each page, each with an entry of
 * an index.
 */
#pragma once

#include "base/text.h"

#define STAGED_INDEX_NAME   "%s.%u.index"
#define STAGED_PART_NAME    "%s.%u.part"
#define STAGED_SETTLED_NAME "settled"
#define STAGED_CENSUS_NAME  "%s.census"
#define STAGED_NAME_MAX     64
#define STAGED_PIECE_BYTES  ((size_t)8000) /* the last of a file is shorter */

#define STAGED_CENSUS_BYTES_MAX ((size_t)256 << 20)

/* Version of the form that a worker and a server share: raised with SPOOL_VERSION, and where the
 * order to read a table, or what is stored of a shard, changes. */
#define STAGED_VERSION 8

/* In the place of a spool's number, in the call of totrain.stage_shard: all are settled. */
#define STAGED_ALL_SPOOLS (-1)

/* From a file of this process, or from memory where there is no path. */
struct staged_file {
    char name[STAGED_NAME_MAX];
    const char *path;
    struct slice bytes;
};
