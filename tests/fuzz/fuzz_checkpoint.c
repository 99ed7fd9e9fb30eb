/*
 * The state of a job as it is read back: from the store, and by the learner.
 *
 * In the store: whatever was done to a checkpoint's rows, what can be read is
 * bit for bit what was put. By the learner: a state is loaded whole and saves
 * as the same bytes, or it is refused and nothing has changed. Its checksum
 * would keep the fuzzer out, so that is made to fit again.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/data/store/checkpoint.h"
#include "tests/unit/learn_rows.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PIECES 3
#define PIECE  16

static struct jobstore *store;
static sqlite3 *hand; /* another program's, on the same file */

static void open_store(void)
{
    char folder[] = "/tmp/totrain-fuzz.XXXXXX", path[64];

    if (store)
        return;
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/job.db", folder);
    if (jobstore_create(path, &store, NULL) != STATUS_OK ||
        sqlite3_open(path, &hand) != SQLITE_OK ||
        sqlite3_exec(hand, "SELECT * FROM job", NULL, NULL, NULL) != SQLITE_OK)
        abort();
    unlink(path); /* both have it open; nothing is left behind */
    snprintf(path, sizeof path, "%s/job.db-wal", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/job.db-shm", folder);
    unlink(path);
    rmdir(folder);
}

static char byte_at(uint64_t position, size_t i)
{
    return (char)(17 * position + 3 * i + 1);
}

static struct checkpoint put_checkpoint(uint64_t id)
{
    struct checkpoint head = {.id = id,
                              .job = 7,
                              .identity = 9,
                              .phase = 4,
                              .step = 3,
                              .rows_done = 30,
                              .bytes = PIECES * PIECE - 5,
                              .piece_bytes = PIECE};
    char bytes[PIECE];

    for (uint64_t position = 0; position < PIECES; position++) {
        for (size_t i = 0; i < PIECE; i++)
            bytes[i] = byte_at(position, i);
        if (checkpoint_put_piece(store, id, position,
                                 (struct slice){bytes, checkpoint_piece_size(&head, position)},
                                 NULL) != STATUS_OK)
            abort();
    }
    if (checkpoint_finish(store, &head, NULL) != STATUS_OK)
        abort();
    return head;
}

/* One change: which statement, which column or piece, which value. */
static void meddle(const uint8_t *data)
{
    static const char *const columns[] = {"id",   "version",   "job",   "identity",    "phase",
                                          "step", "rows_done", "bytes", "piece_bytes", "hash"};
    const char *column = columns[data[1] % 10];
    int value = data[2];
    char sql[160];

    if (data[0] % 6 == 0)
        snprintf(sql, sizeof sql, "UPDATE checkpoint SET %s = %d", column, value);
    else if (data[0] % 6 == 1)
        snprintf(sql, sizeof sql, "UPDATE checkpoint SET %s = %s ^ 1", column, column);
    else if (data[0] % 6 == 2)
        snprintf(sql, sizeof sql,
                 "UPDATE checkpoint_pieces SET bytes = zeroblob(%d)"
                 " WHERE position = %d",
                 value, data[1] % PIECES);
    else if (data[0] % 6 == 3)
        snprintf(sql, sizeof sql,
                 "UPDATE checkpoint_pieces SET bytes ="
                 " CAST(CAST(substr(bytes, 2) AS TEXT) || char(%d) AS BLOB)"
                 " WHERE position = %d",
                 value, data[1] % PIECES);
    else if (data[0] % 6 == 4)
        snprintf(sql, sizeof sql, "UPDATE checkpoint SET %s = 'text %d'", column, value);
    else
        snprintf(sql, sizeof sql,
                 "UPDATE OR IGNORE checkpoint_pieces SET position = %d"
                 " WHERE position = %d",
                 value % 8, data[1] % 8);
    (void)sqlite3_exec(hand, sql, NULL, NULL, NULL);
}

/* Checks that the checkpoint that can be read is the one that was put. */
static void check_store(const struct checkpoint *put)
{
    struct checkpoint found;
    struct text bytes;

    if (checkpoint_open(store, 7, 9, &found, NULL) != STATUS_OK)
        return;
    if (memcmp(&found, put, sizeof found) != 0)
        abort();
    for (uint64_t position = 0; position < PIECES; position++) {
        text_init(&bytes, CHECKPOINT_PIECE_BYTES_MAX);
        if (checkpoint_read_piece(store, &found, position, &bytes, NULL) == STATUS_OK) {
            if (bytes.size != checkpoint_piece_size(&found, position))
                abort();
            for (size_t i = 0; i < bytes.size; i++)
                if (bytes.data[i] != byte_at(position, i))
                    abort();
        }
        text_deinit(&bytes);
    }
}

static void fuzz_store(const uint8_t *data, size_t size)
{
    static uint64_t id;
    struct checkpoint put;

    open_store();
    put = put_checkpoint(++id);
    for (size_t i = 0; i + 3 <= size && i < 24; i += 3)
        meddle(data + i);
    check_store(&put);
    if (checkpoint_drop(store, NULL) != STATUS_OK)
        abort();
}

static struct dataset dataset;
static struct jobspec spec;
static struct descent *descent;

static void open_learner(void)
{
    if (descent)
        return;
    dataset = made_dataset((struct rows_shape){
        .train = 40, .validation = 10, .dense = 3, .ids = 0, .id_rows = 0, .classes = 2});
    spec = made_spec(&dataset);
    spec.early_stopping = 2;
    if (open_descent(&spec, &dataset, NULL, &descent, NULL) != STATUS_OK)
        abort();
}

static void save(struct text *out)
{
    text_init(out, TEXT_MAXIMUM);
    save_state(descent, out);
}

/* Patches of four bytes in the head of a learner's state: where (two), what (two). */
static void fuzz_learner(const uint8_t *data, size_t size)
{
    struct text before, patched, after;
    uint32_t head;
    uint64_t hash;

    open_learner();
    save(&before);
    save(&patched);
    memcpy(&head, patched.data, sizeof head);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        size_t at = (size_t)(data[i] | data[i + 1] << 8) % (head - 8);

        patched.data[4 + at] = (char)data[i + 2];
        patched.data[4 + (at + 1) % (head - 8)] ^= (char)data[i + 3];
    }
    hash = XXH3_64bits(patched.data + 4, head - 8);
    memcpy(patched.data + 4 + head - 8, &hash, 8);
    if (load_state(descent, text_slice(&patched), NULL) == STATUS_OK) {
        save(&after);
        if (!slice_equal(text_slice(&after), text_slice(&patched)) ||
            load_state(descent, text_slice(&before), NULL) != STATUS_OK)
            abort();
    } else {
        save(&after);
        if (!slice_equal(text_slice(&after), text_slice(&before)))
            abort();
    }
    text_deinit(&before);
    text_deinit(&patched);
    text_deinit(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && data[0] % 8 == 0)
        fuzz_store(data + 1, size - 1);
    else if (size)
        fuzz_learner(data + 1, size - 1);
    return 0;
}
