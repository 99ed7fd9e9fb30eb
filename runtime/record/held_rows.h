/*
 * held_rows.h - rows of a running job that found no room on the disk, until they do.
 *
 *     rows that can wait --no room--> held --next transaction, before its own rows--> job.db
 *
 * Progress, workers, events and metrics are for people who look at the job: it goes on without them
 * for a while. Of the job and of each worker the last row is enough. What the job cannot do without
 * (its model, its end, results of shards) is not held: where it finds no room the job fails.
 */
#ifndef RUNTIME_RECORD_HELD_ROWS_H
#define RUNTIME_RECORD_HELD_ROWS_H

#include "runtime/role/outbox.h"

#define HELD_ROWS_BYTES_MAX ((size_t)16 << 20)

struct held_rows {
    bool is_open;
    struct outbox rows; /* is_open */
};

void held_rows_close(struct held_rows *held);

/* Can all rows of the outbox wait? */
bool held_rows_may_take(const struct outbox *outbox);
/* Copies the outbox's rows. LIMIT above HELD_ROWS_BYTES_MAX, NO_MEMORY. */
enum status held_rows_take(struct held_rows *held, const struct outbox *outbox, struct error *err);

static inline bool held_rows_are_there(const struct held_rows *held)
{
    return held->is_open && held->rows.count > 0;
}

#endif
