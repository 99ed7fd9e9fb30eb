/*
 * direct_order.h - rows that a job's workers read themselves (job.read = 'direct').
 *
 *     session    SELECT a, b FROM t   -->   direct.json among the job's files
 *                LOCK t, export a snapshot, and keep both until the job has ended
 *     worker     the snapshot, direct.json  -->  the rows of t  -->  its own train.spool
 *
 * The order is data, no SQL: a table by its OID, columns by their names, and what each becomes
 * in the spool. Any role that may write the job's tables could have written it, so a worker checks
 * whether the owner of the job may read that table (libpq_direct.c).
 *
 * A partitioned table is read by its own name, for which one right is enough; only
 * the leaves that are listed count, so that one that is attached meanwhile adds no row.
 */
#ifndef EXTENSION_ENGINE_ROWS_DIRECT_ORDER_H
#define EXTENSION_ENGINE_ROWS_DIRECT_ORDER_H

#include "planner/vectors.h"
#include "runtime/data/spool.h"

#define DIRECT_FILE       "direct.json"
#define DIRECT_BYTES_MAX  ((size_t)16 << 20)
#define DIRECT_LEAVES_MAX 10000

/* Where the rows lie. */
struct direct_table {
    struct slice name; /* "schema"."table", for the session that locks it; not written */
    uint32_t relation; /* OID */
    uint32_t *leaves;  /* (leaf_count) OIDs; of a table without partitions its own */
    size_t leaf_count;
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
    size_t count; /* of spooled */
};

struct direct_order {
    struct direct_rows rows[2];
    size_t count; /* 0: nothing is read so */
};

/* NO_MEMORY, LIMIT: beyond DIRECT_BYTES_MAX. */
enum status direct_order_write(const struct direct_order *order, struct text *json,
                               struct error *err);
/* In the arena. CORRUPT for anything that the above did not write. */
enum status direct_order_read(struct slice json, struct arena *arena, struct direct_order *order,
                              struct error *err);

#endif
