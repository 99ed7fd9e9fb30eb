/*
 * waiting_rows.h - rows of a running job that found no room on the disk, until they do.
 *
 *     rows that can wait --no room--> memory --next transaction, before its own rows--> job.db
 *
 * Progress, workers, events and metrics are for people who look at the job: it goes on without them
 * for a while. Of the job and of each worker the last row is enough. What the job cannot do without
 * (its model, its end, results of shards) does not wait: where it finds no room the job fails.
 */
#pragma once

#include "runtime/role/outbox.h"

#define WAITING_ROWS_BYTES_MAX ((size_t)16 << 20)

struct waiting_rows {
    bool is_open;
    struct outbox rows; /* is_open */
};

void waiting_rows_close(struct waiting_rows *waiting);

/* Can all rows of the outbox wait? */
bool waiting_rows_may_take(const struct outbox *outbox);
/* Copies the outbox's rows. LIMIT above WAITING_ROWS_BYTES_MAX, NO_MEMORY. */
enum status waiting_rows_take(struct waiting_rows *waiting, const struct outbox *outbox,
                              struct error *err);

static inline bool waiting_rows_are_there(const struct waiting_rows *waiting)
{
    return waiting->is_open && waiting->rows.count > 0;
}
