#include "runtime/data/store/journal_record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/json.h"
#include "runtime/data/store/journal_parts.h"
#include "runtime/data/store/journal_replay.h"
#include "runtime/data/store/journal_sum.h"

#define PROGRESS_MS 800

struct recorded {
    enum journal_kind kind;
    size_t body, body_size, data, data_size; /* in bytes */
    bool has_data;
    bool is_course; /* a report of which the last one counts */
};

struct recording {
    const struct journal *journal;
    struct recorded *entries;
    size_t count, capacity;
    struct text bytes;
    /* Entries that earlier transactions have left to be sent with the next: how many, in how many
     * bytes. */
    size_t kept, kept_bytes;
    int64_t master; /* 0: no master has claimed it yet, and nothing is recorded */
    bool is_urgent; /* there is more than how the job goes */
    bool is_prompt; /* there is a report that is not to wait for the next second */
    bool is_closed; /* the job has ended: later actions of a master are not recorded */
    enum job_state state;
    int64_t flushed_at;
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum status recording_new(const struct journal *journal, struct recording **recording,
                          struct error *err)
{
    *recording = calloc(1, sizeof **recording);
    if (!*recording)
        return fail_no_memory(err);
    (*recording)->journal = journal;
    text_init(&(*recording)->bytes, TEXT_MAXIMUM);
    return STATUS_OK;
}

void recording_free(struct recording *recording)
{
    if (!recording)
        return;
    text_deinit(&recording->bytes);
    free(recording->entries);
    free(recording);
}

void recording_discard(struct recording *recording)
{
    if (!recording)
        return;
    recording->count = recording->kept;
    recording->bytes.size = recording->kept_bytes;
    recording->bytes.failed = false;
    recording->is_urgent = recording->is_prompt = false;
}

static void forget_all(struct recording *recording)
{
    recording->kept = recording->kept_bytes = 0;
    recording_discard(recording);
}

static void keep_all(struct recording *recording)
{
    recording->kept = recording->count;
    recording->kept_bytes = recording->bytes.size;
    recording_discard(recording);
}

/* ----- entries ----- */

static bool is_recording(const struct recording *recording)
{
    return recording && recording->master > 0 && !recording->is_closed;
}

static enum status add_entry(struct recording *recording, struct recorded **entry,
                             struct error *err)
{
    if (recording->count == recording->capacity) {
        const size_t capacity = recording->capacity ? 2 * recording->capacity : 16;
        struct recorded *entries = realloc(recording->entries, capacity * sizeof *entries);

        if (!entries)
            return fail_no_memory(err);
        recording->entries = entries;
        recording->capacity = capacity;
    }
    *entry = &recording->entries[recording->count++];
    return STATUS_OK;
}

/* An entry of the kind: `fields` is its struct, NULL for an empty body. */
static enum status add(struct recording *recording, enum journal_kind kind, cJSON *body,
                       const void *fields, const struct slice *data, struct error *err)
{
    struct text *bytes = &recording->bytes;
    struct recorded *entry = NULL;
    enum status status = add_entry(recording, &entry, err);

    if (status == STATUS_OK) {
        if (fields)
            journal_add_fields(body, kind, fields);
        recording->is_urgent |= journal_kind_is_urgent(kind);
        *entry = (struct recorded){.kind = kind, .body = bytes->size, .has_data = data != NULL};
        status = json_print(body, false, bytes, err);
        journal_sum_append(bytes, entry->body, kind, data);
        entry->body_size = bytes->size - entry->body;
        entry->data = bytes->size;
        if (data)
            text_append(bytes, *data);
        entry->data_size = bytes->size - entry->data;
        if (status == STATUS_OK && bytes->failed)
            status = fail_no_memory(err);
    }
    cJSON_Delete(body);
    return status;
}

enum status record_job(struct recording *recording, const struct job_row *row, struct error *err)
{
    cJSON *body;

    if (!is_recording(recording))
        return STATUS_OK;
    recording->is_urgent |= row->state != recording->state;
    recording->state = row->state;
    body = cJSON_CreateObject();
    json_add_string(body, "state", slice_of(job_state_name(row->state)));
    return add(recording, JOURNAL_JOB, body, row, NULL, err);
}

enum status record_entry(struct recording *recording, enum journal_kind kind, const void *fields,
                         struct error *err)
{
    return is_recording(recording) ? add(recording, kind, cJSON_CreateObject(), fields, NULL, err)
                                   : STATUS_OK;
}

enum status record_entry_with(struct recording *recording, enum journal_kind kind,
                              const void *fields, struct slice data, struct error *err)
{
    return is_recording(recording) ? add(recording, kind, cJSON_CreateObject(), fields, &data, err)
                                   : STATUS_OK;
}

enum status record_model_row(struct recording *recording, const struct model_row *row,
                             struct error *err)
{
    const struct journal_model fields = {.part = row->part,
                                         .name = row->name,
                                         .position = row->position,
                                         .has_value = row->has_value,
                                         .value = row->value,
                                         .is_text = row->data_is_text};

    if (!is_recording(recording))
        return STATUS_OK;
    return add(recording, JOURNAL_MODEL, cJSON_CreateObject(), &fields,
               row->has_data ? &row->data : NULL, err);
}

enum status record_report(struct recording *recording, struct slice json, enum report_haste haste,
                          struct error *err)
{
    cJSON *body;

    if (!is_recording(recording))
        return STATUS_OK;
    TRY(json_parse(json, JOURNAL_ROW_BYTES_MAX, &body, err));
    TRY(add(recording, JOURNAL_REPORT, body, NULL, NULL, err));
    recording->entries[recording->count - 1].is_course = haste == REPORT_LATER;
    recording->is_prompt |= haste == REPORT_SOON;
    recording->is_urgent |= haste == REPORT_MUST;
    return STATUS_OK;
}

enum status record_piece(struct recording *recording, uint64_t checkpoint, uint64_t position,
                         struct slice bytes, struct error *err)
{
    if (!is_recording(recording))
        return STATUS_OK;
    return recording->journal->put_piece(recording->journal->self, checkpoint, position, bytes,
                                         err);
}

enum status record_each_piece(struct recording *recording, uint64_t checkpoint, piece_reader *each,
                              void *context, struct error *err)
{
    const struct journal *journal = recording->journal;

    return journal->each_piece ? journal->each_piece(journal->self, checkpoint, each, context, err)
                               : STATUS_OK;
}

void record_forget(struct recording *recording, uint64_t first, uint64_t end)
{
    const struct journal *journal = recording ? recording->journal : NULL;

    if (is_recording(recording) && journal->forget_pieces)
        journal->forget_pieces(journal->self, first, end);
}

/* ----- appending ----- */

static struct journal_entry entry_of(const struct recording *recording,
                                     const struct recorded *recorded)
{
    const char *bytes = recording->bytes.data;

    return (struct journal_entry){.master = recording->master,
                                  .kind = recorded->kind,
                                  .body = {bytes + recorded->body, recorded->body_size},
                                  .data = {bytes + recorded->data, recorded->data_size},
                                  .has_data = recorded->has_data};
}

/* The last row of the job comes last: it may be the job's end, which nothing follows. */
static size_t order_entries(const struct recording *recording, struct journal_entry *entries)
{
    const struct recorded *job = NULL, *course = NULL;
    size_t count = 0;

    for (size_t i = 0; i < recording->count; i++)
        if (recording->entries[i].is_course)
            course = &recording->entries[i];
    for (size_t i = 0; i < recording->count; i++) {
        const struct recorded *entry = &recording->entries[i];

        if (entry->kind == JOURNAL_JOB)
            job = entry;
        else if (!entry->is_course || entry == course)
            entries[count++] = entry_of(recording, entry);
    }
    if (job)
        entries[count++] = entry_of(recording, job);
    return count;
}

static enum status append(struct recording *recording, struct error *err)
{
    struct journal_entry *entries = calloc(recording->count, sizeof *entries);
    enum status status;

    if (!entries)
        return fail_no_memory(err);
    status =
        recording->journal->append(recording->journal->self, entries,
                                   order_entries(recording, entries), recording->is_urgent, err);
    free(entries);
    return status;
}

static bool has_ended(const struct recording *recording)
{
    return recording->state == JOB_STATE_DONE || recording->state == JOB_STATE_FAILED ||
           recording->state == JOB_STATE_CANCELLED;
}

/* Progress is written in one piece every second: as rows of their own, the metrics of short steps
 * would take longer than the steps. */
enum status recording_flush(struct recording *recording, struct error *err)
{
    const bool is_due = is_recording(recording) && recording->count > 0 &&
                        (recording->is_urgent || recording->is_prompt ||
                         now_ms() - recording->flushed_at >= PROGRESS_MS);
    enum status status;

    if (!is_recording(recording))
        return STATUS_OK;
    if (!is_due) {
        keep_all(recording);
        return STATUS_OK;
    }
    status = append(recording, err);
    recording->flushed_at = now_ms();
    if (status == STATUS_OK) {
        recording->is_closed = has_ended(recording);
        forget_all(recording);
    } else if (status == STATUS_CONNECTION && !recording->is_urgent) {
        keep_all(recording); /* later */
        return STATUS_OK;
    }
    return status;
}

/* Outside of a transaction. */
static enum status flush_now(struct recording *recording, struct error *err)
{
    const enum status status = recording_flush(recording, err);

    if (status != STATUS_OK)
        recording_discard(recording);
    return status;
}

enum status record_drop(struct recording *recording, struct error *err)
{
    if (!is_recording(recording))
        return STATUS_OK;
    TRY(record_entry(recording, JOURNAL_DROP, NULL, err));
    return flush_now(recording, err);
}

enum status recording_check(struct recording *recording, struct error *err)
{
    return is_recording(recording) ? recording->journal->check(recording->journal->self, err)
                                   : STATUS_OK;
}

/* ----- claiming ----- */

/* Two masters that claim at once with the same number write different entries. */
static enum status append_claim(struct recording *recording, struct error *err)
{
    unsigned char lot[16];
    const struct slice data = {(const char *)lot, sizeof lot};
    enum status status;

    if (getrandom(lot, sizeof lot, 0) != (ssize_t)sizeof lot)
        return fail_errno(err, STATUS_IO, "there are no random numbers");
    status = add(recording, JOURNAL_CLAIM, cJSON_CreateObject(), NULL, &data, err);
    if (status == STATUS_OK)
        status = append(recording, err);
    forget_all(recording);
    return status;
}

enum status recording_claim(struct recording *recording, struct jobstore *store, uint32_t least,
                            uint32_t *incarnation, struct error *err)
{
    const struct journal *journal = recording->journal;
    enum status status = STATUS_STALE;

    while (status == STATUS_STALE) {
        struct journal_position position;

        recording->master = 0;
        TRY(journal_replay(journal, store, &position, err));
        if (position.has_ended)
            return fail(err, STATUS_INVALID, "the job has ended already");
        if (position.master >= UINT32_MAX)
            return fail(err, STATUS_CORRUPT, "the job's journal: master %lld",
                        (long long)position.master);
        *incarnation = position.master + 1 > least ? (uint32_t)(position.master + 1) : least;
        recording->master = *incarnation;
        recording->state = JOB_STATE_LOST; /* the first row of each master is written at once */
        status = append_claim(recording, err);
    }
    return status;
}
