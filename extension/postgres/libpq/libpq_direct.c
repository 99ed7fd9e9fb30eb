#include "extension/postgres/libpq/libpq_direct.h"

#include <stdlib.h>

#include "extension/postgres/libpq/libpq_snapshot.h"
#include "extension/postgres/libpq/libpq_wait.h"
#include "extension/postgres/sql/postgres_host.h"

struct direct_reader {
    struct libpq *libpq;
    struct sql_host host;
    const struct direct_reading *reading;
    const struct direct_order *order;
    struct text exported; /* the snapshot as we export it; empty: it is not yet */
};

/* ----- the snapshot ----- */

static enum status begin(struct direct_reader *reader, struct slice snapshot, struct error *err)
{
    struct error why;
    enum status status;

    error_clear(&why);
    TRY(libpq_execute(reader->libpq, "SET max_parallel_workers_per_gather = 0", err));
    TRY(libpq_execute(reader->libpq, "SET idle_in_transaction_session_timeout = 0", err));
    TRY(libpq_execute(reader->libpq, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", err));
    status = libpq_take_snapshot(reader->libpq, snapshot, &why);
    if (status == STATUS_OK || status == STATUS_CONNECTION || status == STATUS_NO_MEMORY) {
        *err = why;
        return status;
    }
    fail(err, STATUS_INVALID, "the job's rows can be read no more: %s", why.message);
    return error_hint(err, "With job.read = 'direct' the session that sent the job holds the "
                           "snapshot of its rows until the workers have staged them, and must "
                           "live for so long. Run the statement again.");
}

/* ----- life ----- */

enum status direct_open(struct libpq *libpq, const struct direct_reading *reading,
                        struct slice snapshot, const struct direct_order *order,
                        struct direct_reader **reader, struct error *err)
{
    struct direct_reader *made = calloc(1, sizeof *made);
    enum status status;

    *reader = NULL;
    if (!made)
        return fail_no_memory(err);
    made->libpq = libpq;
    made->reading = reading;
    made->order = order;
    text_init(&made->exported, TEXT_MAXIMUM);
    postgres_host_init(&made->host, &libpq->database, "", NULL);
    status = begin(made, snapshot, err);
    if (status == STATUS_OK)
        *reader = made;
    else
        direct_close(made);
    return status;
}

enum status direct_export(struct direct_reader *reader, struct slice *snapshot, struct error *err)
{
    if (reader->exported.size == 0)
        TRY(libpq_export_snapshot(reader->libpq, &reader->exported, err));
    *snapshot = text_slice(&reader->exported);
    return STATUS_OK;
}

enum status direct_read(struct direct_reader *reader, uint32_t spool, uint32_t shard,
                        struct text *index, struct error *err)
{
    return direct_read_part(&reader->host, reader->reading, &reader->order->rows[spool], shard,
                            index, err);
}

void direct_close(struct direct_reader *reader)
{
    struct error ignored;

    if (!reader)
        return;
    (void)libpq_execute(reader->libpq, "ROLLBACK", &ignored);
    text_deinit(&reader->exported);
    free(reader);
}
