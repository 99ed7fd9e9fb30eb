/*
 * A journal that anybody may have written, replayed into a store.
 *
 * What is taken at once is what is taken in two replays, the second of which goes on in the
 * store of the first: same position, same rows. A report that is read says the same when written
 * and read again.
 *
 *     input: entries of  kind, master << 1 | has data, body size (2), data size (2), body, data
 *     the first byte: where the first of the two replays ends
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/data/store/journal.h"
#include "runtime/data/store/journal_replay.h"
#include "runtime/launch/job_event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ENTRIES_MAX 64
#define HEAD_BYTES  6

struct script {
    struct journal_entry entries[ENTRIES_MAX];
    size_t count, end; /* entries behind `end` are not there yet */
};

static struct script script_of(const uint8_t *data, size_t size)
{
    struct script script = {.count = 0};

    while (size >= HEAD_BYTES && script.count < ENTRIES_MAX) {
        const size_t body = data[2] | (size_t)data[3] << 8, more = data[4] | (size_t)data[5] << 8;
        const char *bytes = (const char *)data + HEAD_BYTES;

        if (body + more > size - HEAD_BYTES)
            break;
        script.entries[script.count] =
            (struct journal_entry){.number = (int64_t)script.count + 1,
                                   .master = data[1] >> 1,
                                   .kind = (enum journal_kind)(data[0] % JOURNAL_KINDS),
                                   .body = {bytes, body},
                                   .data = {bytes + body, more},
                                   .has_data = data[1] & 1};
        script.count++;
        data += HEAD_BYTES + body + more;
        size -= HEAD_BYTES + body + more;
    }
    script.end = script.count;
    return script;
}

static enum status read_script(void *self, int64_t after, journal_reader *each, void *context,
                               struct error *err)
{
    const struct script *script = self;

    for (size_t i = (size_t)after; i < script->end; i++)
        TRY(each(context, &script->entries[i], err));
    return STATUS_OK;
}

/* Two pieces of any checkpoint. */
static enum status each_piece(void *self, uint64_t checkpoint, piece_reader *each, void *context,
                              struct error *err)
{
    (void)self;
    (void)checkpoint;

    TRY(each(context, 0, SLICE("0123456789abcdef"), err));
    return each(context, 1, SLICE("0123"), err);
}

static struct jobstore *store_new(sqlite3 **hand)
{
    char folder[] = "/dev/shm/totrain-fuzz.XXXXXX", path[64];
    struct jobstore *store;

    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/job.db", folder);
    if (jobstore_create(path, &store, NULL) != STATUS_OK || sqlite3_open(path, hand) != SQLITE_OK ||
        sqlite3_exec(*hand, "SELECT * FROM job", NULL, NULL, NULL) != SQLITE_OK)
        abort();
    unlink(path);
    snprintf(path, sizeof path, "%s/job.db-wal", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/job.db-shm", folder);
    unlink(path);
    rmdir(folder);
    return store;
}

static int append_row(void *context, int count, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < count; i++)
        text_printf(context, "%s|", values[i] ? values[i] : "NULL");
    text_append_char(context, '\n');
    return 0;
}

/* All that a replay can have written. Whether the job that has ended has a checkpoint
 * left does not matter. */
static void dump(sqlite3 *hand, bool has_ended, struct text *out)
{
    static const char *const tables[] = {"replayed", "job",    "workers", "metrics",
                                         "events",   "result", "model"},
                             *const of_checkpoint[] = {"checkpoint", "checkpoint_pieces"};
    char sql[64];

    text_init(out, TEXT_MAXIMUM);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY 1, 2, 3", tables[i]);
        if (sqlite3_exec(hand, sql, append_row, out, NULL) != SQLITE_OK)
            abort();
    }
    for (size_t i = 0; i < 2 && !has_ended; i++) {
        snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY 1, 2", of_checkpoint[i]);
        if (sqlite3_exec(hand, sql, append_row, out, NULL) != SQLITE_OK)
            abort();
    }
}

static void check_same(sqlite3 *first, sqlite3 *second, bool has_ended)
{
    struct text here, there;

    dump(first, has_ended, &here);
    dump(second, has_ended, &there);
    if (!slice_equal(text_slice(&here), text_slice(&there)))
        abort();
    text_deinit(&here);
    text_deinit(&there);
}

static void check_report(struct slice body)
{
    struct text once, twice;
    struct job_event event;
    struct error err;

    if (job_event_read(body, &event, &err) != STATUS_OK)
        return;
    text_init(&once, TEXT_MAXIMUM);
    text_init(&twice, TEXT_MAXIMUM);
    job_event_write(&event, &once);
    if (job_event_read(text_slice(&once), &event, &err) != STATUS_OK)
        abort();
    job_event_write(&event, &twice);
    if (!slice_equal(text_slice(&once), text_slice(&twice)))
        abort();
    text_deinit(&once);
    text_deinit(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script script = script_of(data + 1, size > 0 ? size - 1 : 0);
    const struct journal journal = {
        .self = &script, .job = 7, .read = read_script, .each_piece = each_piece};
    struct journal_position at_once, first, second;
    struct jobstore *whole, *halves;
    sqlite3 *whole_hand, *halves_hand;
    enum status status, again;

    if (size == 0)
        return 0;
    for (size_t i = 0; i < script.count; i++)
        if (script.entries[i].kind == JOURNAL_REPORT)
            check_report(script.entries[i].body);
    whole = store_new(&whole_hand);
    halves = store_new(&halves_hand);
    status = journal_replay(&journal, whole, &at_once, NULL);
    script.end = data[0] % (script.count + 1);
    again = journal_replay(&journal, halves, &first, NULL);
    script.end = script.count;
    if (again == STATUS_OK)
        again = journal_replay(&journal, halves, &second, NULL);
    if (status == STATUS_OK &&
        (again != STATUS_OK || second.number != at_once.number || second.master != at_once.master ||
         second.has_ended != at_once.has_ended))
        abort();
    if (status == STATUS_OK)
        check_same(whole_hand, halves_hand, at_once.has_ended);
    jobstore_close(whole);
    jobstore_close(halves);
    sqlite3_close(whole_hand);
    sqlite3_close(halves_hand);
    return 0;
}
