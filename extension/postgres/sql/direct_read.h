/*
 * direct_read.h - one shard of a user's table as a part of a spool.
 *
 *     direct.json, number of the shard --SELECT--> rows --> part (spool_writer.h) and its index
 *
 * It is read over the seam database.h, in the caller's transaction: by a worker over a connection
 * (libpq_direct.c), or by the server itself (server/stage_shard.c). The reader has the login of all
 * jobs, so a table is read only where the owner of this job may read it, too.
 */
#pragma once

#include "extension/engine/rows/direct_order.h"
#include "extension/sql/sql_host.h"

/* Where the part goes, and whose order it is. All of it outlives the call. */
struct direct_reading {
    const char *folder; /* for the part's file: of the caller alone */
    const struct jobspec *spec;
    struct slice schema, journal; /* the job's table, whose owner ordered it */
};

/* The shard of this spool, as the part of the same number; appends its index. INVALID: the owner of
 * the journal may not read the table. */
enum status direct_read_part(struct sql_host *host, const struct direct_reading *reading,
                             const struct direct_rows *rows, uint32_t shard, struct text *index,
                             struct error *err);
