/*
 * libpq_direct.h - the transaction in which a worker reads shards of a user's table: under the
 * snapshot of the session that sent the job, as the login of all jobs.
 *
 *     direct_open --> a transaction under the snapshot --direct_read--> a part of a spool
 *                                                      --direct_close--> the snapshot is let go
 *
 * A server that has the extension can do better than to send each row: it makes the part itself, in
 * another transaction under the same snapshot (server/stage_shard.c). For that the snapshot is
 * exported once more, which lives no longer than this transaction.
 */
#pragma once

#include "extension/engine/rows/direct_order.h"
#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/sql/direct_read.h"

struct direct_reader;

/* Over a connection in which no transaction is open. All outlives the reader. INVALID: the snapshot
 * is gone. */
enum status direct_open(struct libpq *libpq, const struct direct_reading *reading,
                        struct slice snapshot, const struct direct_order *order,
                        struct direct_reader **reader, struct error *err);
/* The snapshot's name for another transaction, by which the server stages. Borrowed. */
enum status direct_export(struct direct_reader *reader, struct slice *snapshot, struct error *err);
/* The shard of a spool of the order, as in direct_read.h. */
enum status direct_read(struct direct_reader *reader, uint32_t spool, uint32_t shard,
                        struct text *index, struct error *err);
/* Ends the transaction. */
void direct_close(struct direct_reader *reader);
