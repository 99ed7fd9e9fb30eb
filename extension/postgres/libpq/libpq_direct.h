/*
 * libpq_direct.h - shards of a user's table, read by a worker under the snapshot of the session
 * that sent the job, as the login of all jobs, and only where the owner of this job may read as
 * well.
 *
 *     direct_open --> a transaction under the snapshot --direct_read--> a part of a spool
 *                                                      --direct_close--> the snapshot is let go
 */
#ifndef EXTENSION_POSTGRES_LIBPQ_LIBPQ_DIRECT_H
#define EXTENSION_POSTGRES_LIBPQ_LIBPQ_DIRECT_H

#include "extension/engine/rows/direct_order.h"
#include "extension/postgres/libpq/libpq.h"

struct direct_reader;

/* Where the rows are read from, and where the parts go. All of it outlives the reader. */
struct direct_reading {
    const char *folder; /* of the job: of the worker alone */
    const struct jobspec *spec;
    struct slice snapshot;
    struct slice schema, journal; /* the job's table, whose owner ordered it */
};

/* Over a connection in which no transaction is open. INVALID: the snapshot is gone. */
enum status direct_open(struct libpq *libpq, const struct direct_reading *reading,
                        const struct direct_order *order, struct direct_reader **reader,
                        struct error *err);
/* The shard of a spool of the order, as the spool's part `number` (spool_writer.h) in the folder;
 * appends the part's index. INVALID: the owner of the journal may not read the table. */
enum status direct_read(struct direct_reader *reader, uint32_t spool, uint32_t shard,
                        uint32_t number, struct text *index, struct error *err);
/* Ends the transaction. */
void direct_close(struct direct_reader *reader);

#endif
