#include "runtime/record/waiting_rows.h"

#include <string.h>

void waiting_rows_close(struct waiting_rows *waiting)
{
    if (waiting->is_open)
        outbox_deinit(&waiting->rows);
    *waiting = (struct waiting_rows){.is_open = false};
}

static bool can_wait(const struct outbox *outbox, const struct outbox_entry *entry)
{
    struct job_row row;

    switch (entry->kind) {
    case OUTBOX_JOB:
        memcpy(&row, outbox_bytes(outbox, entry).data, sizeof row);
        return !job_state_has_ended(row.state);
    case OUTBOX_WORKER:
    case OUTBOX_EVENT:
    case OUTBOX_METRIC:
        return true;
    default:
        return false;
    }
}

bool waiting_rows_may_take(const struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->count; i++)
        if (outbox_is_row(outbox->entries[i].kind) && !can_wait(outbox, &outbox->entries[i]))
            return false;
    return true;
}

/* Does the new row say all that the old one says? */
static bool is_replaced(const struct outbox *waiting, const struct outbox_entry *old,
                        const struct outbox *outbox, const struct outbox_entry *entry)
{
    struct worker_row before, after;

    if (old->kind != entry->kind)
        return false;
    if (entry->kind == OUTBOX_JOB)
        return true;
    memcpy(&before, outbox_bytes(waiting, old).data, sizeof before);
    memcpy(&after, outbox_bytes(outbox, entry).data, sizeof after);
    return before.index == after.index;
}

static void take(struct outbox *waiting, const struct outbox *outbox,
                 const struct outbox_entry *entry)
{
    const struct slice bytes = outbox_bytes(outbox, entry);
    const bool replaces = entry->kind == OUTBOX_JOB || entry->kind == OUTBOX_WORKER;

    for (size_t i = 0; replaces && i < waiting->count; i++)
        if (is_replaced(waiting, &waiting->entries[i], outbox, entry)) {
            memcpy(waiting->bytes.data + waiting->entries[i].offset, bytes.data, bytes.size);
            return;
        }
    outbox_put(waiting, entry->kind, bytes.data, bytes.size);
}

enum status waiting_rows_take(struct waiting_rows *waiting, const struct outbox *outbox,
                              struct error *err)
{
    if (!waiting->is_open)
        outbox_init(&waiting->rows);
    waiting->is_open = true;
    for (size_t i = 0; i < outbox->count; i++)
        if (outbox_is_row(outbox->entries[i].kind))
            take(&waiting->rows, outbox, &outbox->entries[i]);
    if (waiting->rows.bytes.size > WAITING_ROWS_BYTES_MAX)
        return fail(err, STATUS_LIMIT,
                    "the disk is full, and records of the job take more than %zu MiB",
                    WAITING_ROWS_BYTES_MAX >> 20);
    return waiting->rows.failed ? fail_no_memory(err) : STATUS_OK;
}
