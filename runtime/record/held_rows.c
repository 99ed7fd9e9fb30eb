#include "runtime/record/held_rows.h"

#include <string.h>

void held_rows_close(struct held_rows *held)
{
    if (held->is_open)
        outbox_deinit(&held->rows);
    *held = (struct held_rows){.is_open = false};
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

/* Is it a row of job.db? Other entries are none that a full disk keeps waiting. */
static bool is_row(enum outbox_kind kind)
{
    return kind >= OUTBOX_JOB && kind <= OUTBOX_MODEL;
}

bool held_rows_may_take(const struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->count; i++)
        if (is_row(outbox->entries[i].kind) && !can_wait(outbox, &outbox->entries[i]))
            return false;
    return true;
}

/* Does the new row say all that the old one says? */
static bool is_replaced(const struct outbox *held, const struct outbox_entry *old,
                        const struct outbox *outbox, const struct outbox_entry *entry)
{
    struct worker_row before, after;

    if (old->kind != entry->kind)
        return false;
    if (entry->kind == OUTBOX_JOB)
        return true;
    memcpy(&before, outbox_bytes(held, old).data, sizeof before);
    memcpy(&after, outbox_bytes(outbox, entry).data, sizeof after);
    return before.index == after.index;
}

static void take(struct outbox *held, const struct outbox *outbox, const struct outbox_entry *entry)
{
    const struct slice bytes = outbox_bytes(outbox, entry);
    const bool replaces = entry->kind == OUTBOX_JOB || entry->kind == OUTBOX_WORKER;

    for (size_t i = 0; replaces && i < held->count; i++)
        if (is_replaced(held, &held->entries[i], outbox, entry)) {
            memcpy(held->bytes.data + held->entries[i].offset, bytes.data, bytes.size);
            return;
        }
    outbox_put(held, entry->kind, bytes.data, bytes.size);
}

enum status held_rows_take(struct held_rows *held, const struct outbox *outbox, struct error *err)
{
    if (!held->is_open)
        outbox_init(&held->rows);
    held->is_open = true;
    for (size_t i = 0; i < outbox->count; i++)
        if (is_row(outbox->entries[i].kind))
            take(&held->rows, outbox, &outbox->entries[i]);
    if (held->rows.bytes.size > HELD_ROWS_BYTES_MAX)
        return fail(err, STATUS_LIMIT,
                    "the disk is full, and records of the job take more than %zu MiB",
                    HELD_ROWS_BYTES_MAX >> 20);
    return held->rows.failed ? fail_no_memory(err) : STATUS_OK;
}
