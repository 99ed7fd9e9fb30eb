/*
 * direct_order.h - rows that a job's workers read themselves (job.read = 'direct').
 *
 *     session    SELECT a, b FROM t   -->   direct.json among the job's files
 *                LOCK t, export a snapshot, and keep both until all rows are staged
 *     worker     the snapshot, direct.json, a shard  -->  rows of t  -->  a part of train.spool
 *
 * A shard is a range of pages of the table, of all of its partitions side by side. Where partitions
 * are foreign tables, each partition is read by its own name, and a foreign one is one shard: its
 * rows come from one transaction of the server that holds them.
 *
 * What columns are is decided by all rows, as where the session reads them: workers count the cells
 * of the first spool as they stage it (`counted`), and put a text that its column cannot take as
 * NULL meanwhile (spooling.h, column_verdict.h).
 *
 * The order is data, no SQL: a table by its OID, columns by their names, and what each becomes
 * in the spool. Any role that may write the job's tables could have written it, so a worker checks
 * whether the owner of the job may read that table (libpq_direct.c).
 *
 * A partitioned table is read by its own name if it can be, for which one right is enough; only
 * the leaves that are listed count, so that one that is attached meanwhile adds no row.
 */
#pragma once

#include "planner/plan/vectors.h"
#include "runtime/data/spool/spool.h"

#define DIRECT_FILE       "direct.json"
#define DIRECT_BYTES_MAX  ((size_t)16 << 20)
#define DIRECT_LEAVES_MAX 10000

#define DIRECT_SHARD_PAGES_LEAST 256  /* for each is a statement */
#define DIRECT_SHARD_PAGES_MOST  8192 /* 64 MiB, unless there would be too many shards */
#define DIRECT_SHARDS_A_WORKER   16   /* so that all end at about the same time */
#define DIRECT_SHARDS_MAX        1024 /* for plain tables; each foreign partition is one more */

struct direct_leaf {
    uint32_t relation; /* OID */
    uint64_t pages;    /* when it was found: it may have more by now */
    bool is_foreign;
};

/* Where the rows lie. */
struct direct_table {
    struct slice name;          /* "schema"."table", for the session that locks it; not written */
    uint32_t relation;          /* OID */
    struct direct_leaf *leaves; /* (leaf_count); of a table without partitions itself */
    size_t leaf_count;
    uint64_t shard_pages; /* pages per shard */
};

/* The part of a table that one shard reads. */
struct direct_piece {
    uint32_t relation; /* the table, or a leaf of it */
    bool is_leaf, is_foreign;
    uint64_t first_page, end_page; /* end 0: to the end, however far it is by now */
};

/* One spool. */
struct direct_rows {
    struct slice spool; /* "train" or "validation" */
    struct direct_table table;
    struct slice *columns; /* (column_count) of the table, those that are needed */
    size_t column_count;
    struct vectors vectors; /* among them */
    struct spool_column *spooled;
    int *cells;   /* (count): where each of `spooled` is: a column, or behind them an element */
    size_t count; /* count of `spooled` */
    /* Count of cells that are counted, as in struct spool_order; `cells` has so many then. 0:
     * nothing is counted. */
    uint32_t counted;
    bool *are_keys; /* (counted) */
};

struct direct_order {
    struct direct_rows rows[2];
    size_t count; /* 0: nothing is read so */
};

/* Decides on shard_pages, for so many workers. */
void direct_table_cut(struct direct_table *table, uint32_t workers);
uint64_t direct_table_shards(const struct direct_table *table);
struct direct_piece direct_table_piece(const struct direct_table *table, uint32_t shard);
/* The shards of all spools. */
uint64_t direct_order_shards(const struct direct_order *order);
/* How the spool of these rows lies, and what is counted. */
struct spool_order direct_spool_order(const struct direct_rows *rows, const struct jobspec *spec,
                                      uint32_t threads);

/* NO_MEMORY, LIMIT: beyond DIRECT_BYTES_MAX. */
enum status direct_order_write(const struct direct_order *order, struct text *json,
                               struct error *err);
/* In the arena. CORRUPT for anything that the above did not write. */
enum status direct_order_read(struct slice json, struct arena *arena, struct direct_order *order,
                              struct error *err);
