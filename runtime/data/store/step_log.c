#include "runtime/data/store/step_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/data/store/checkpoint_pieces.h"
#include "runtime/data/store/jobstore_parts.h"
#include "runtime/data/store/journal_record.h"

#define PIECE_BYTES ((size_t)8 << 20)
#define MOVES_FIRST step_log_move(0, 0)
#define NUMBERS_END (INT64_MAX - STEP_LOG_FIRST)

/* A log is written through once: where its pages went to the file after each megabyte or two, as
 * they do by default, each step would wait for the disk. */
enum status step_log_begin(struct jobstore *store, struct error *err)
{
    return jobstore_run(store, "PRAGMA wal_autocheckpoint = 16384", err);
}

static enum status put_piece(struct jobstore *store, uint64_t id, uint64_t position,
                             struct slice bytes, struct error *err)
{
    struct recording *recording = jobstore_recording(store);

    return recording ? record_piece(recording, id, position, bytes, err)
                     : checkpoint_insert_piece(store, id, position, bytes, err);
}

static enum status forget(struct jobstore *store, uint64_t first, uint64_t end, struct error *err)
{
    char sql[128];

    snprintf(sql, sizeof sql,
             "DELETE FROM checkpoint_pieces WHERE checkpoint >= %" PRIu64
             " AND checkpoint < %" PRIu64,
             STEP_LOG_FIRST + first, STEP_LOG_FIRST + end);
    if (jobstore_recording(store))
        record_forget(jobstore_recording(store), STEP_LOG_FIRST + first, STEP_LOG_FIRST + end);
    return jobstore_run(store, sql, err);
}

static bool begins_move(uint64_t number)
{
    return number >= MOVES_FIRST && number << 40 == 0;
}

enum status step_log_put(struct jobstore *store, uint64_t number, struct slice entry,
                         struct error *err)
{
    uint64_t position = 0;

    if (entry.size > STEP_LOG_BYTES_MAX)
        return fail(err, STATUS_LIMIT, "an entry of %zu bytes is too large for the log of steps",
                    entry.size);
    if (begins_move(number)) {
        TRY(jobstore_check_journal(store, err)); /* else it is its successor's that it forgets */
        TRY(forget(store, number, NUMBERS_END, err));
    }
    if (!jobstore_recording(store))
        TRY(checkpoint_leave_room(store, entry.size, err));
    for (size_t at = 0; at < entry.size; position++) {
        const size_t left = entry.size - at, size = left < PIECE_BYTES ? left : PIECE_BYTES;

        TRY(put_piece(store, STEP_LOG_FIRST + number, position,
                      (struct slice){entry.data + at, size}, err));
        at += size;
    }
    return STATUS_OK;
}

static enum status append_piece(void *context, uint64_t position, struct slice bytes,
                                struct error *err)
{
    struct text *out = context;
    (void)position;

    if (out->size + bytes.size > STEP_LOG_BYTES_MAX + PIECE_BYTES)
        return fail(err, STATUS_CORRUPT, "the log of a step is longer than any");
    text_append(out, bytes);
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status step_log_read(struct jobstore *store, uint64_t number, struct text *out,
                          struct error *err)
{
    struct recording *recording = jobstore_recording(store);
    const size_t start = out->size;
    uint32_t size;

    if (recording)
        TRY(record_each_piece(recording, STEP_LOG_FIRST + number, append_piece, out, err));
    else
        TRY(checkpoint_each_piece(store, STEP_LOG_FIRST + number, append_piece, out, err));
    if (out->size - start >= sizeof size) {
        memcpy(&size, out->data + start, sizeof size); /* little-endian, as all of it */
        if (out->size - start - sizeof size == size)
            return STATUS_OK;
    }
    return fail(err, STATUS_NOT_FOUND, "the log has no entry %" PRIu64, number);
}

enum status step_log_forget(struct jobstore *store, uint64_t step, uint32_t move, struct error *err)
{
    TRY(forget(store, 0, step, err));
    return forget(store, MOVES_FIRST, step_log_move(move, 0), err);
}

enum status step_log_forget_all(struct jobstore *store, struct error *err)
{
    return forget(store, 0, NUMBERS_END, err);
}
