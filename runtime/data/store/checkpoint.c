#include "runtime/data/store/checkpoint.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sums/hash.h"
#include "runtime/data/store/checkpoint_pieces.h"
#include "runtime/data/store/jobstore_parts.h"
#include "runtime/data/store/journal_parts.h"
#include "runtime/data/store/journal_record.h"
#include "runtime/data/store/step_log.h"

/* Room on the disk, in checkpoints, with which two are kept: the next one goes to the store and to
 * its log. ROOM_LEAST: bytes that stay free for other things of the job. */
#define ROOM_STATES 3
#define ROOM_LEAST  ((uint64_t)32 << 20)

uint64_t checkpoint_pieces(const struct checkpoint *checkpoint)
{
    return (checkpoint->bytes + checkpoint->piece_bytes - 1) / checkpoint->piece_bytes;
}

uint64_t checkpoint_piece_size(const struct checkpoint *checkpoint, uint64_t position)
{
    uint64_t left = checkpoint->bytes - position * checkpoint->piece_bytes;

    return left < checkpoint->piece_bytes ? left : checkpoint->piece_bytes;
}

enum status checkpoint_check(const struct checkpoint *checkpoint, struct error *err)
{
    if (checkpoint->bytes == 0 || checkpoint->bytes > CHECKPOINT_BYTES_MAX)
        return fail(err, STATUS_LIMIT, "a checkpoint of %" PRIu64 " bytes, expected 1 to %" PRIu64,
                    checkpoint->bytes, CHECKPOINT_BYTES_MAX);
    if (checkpoint->piece_bytes == 0 || checkpoint->piece_bytes > CHECKPOINT_PIECE_BYTES_MAX ||
        checkpoint_pieces(checkpoint) > CHECKPOINT_PIECES_MAX)
        return fail(err, STATUS_LIMIT, "a checkpoint in pieces of %" PRIu64 " bytes",
                    checkpoint->piece_bytes);
    return STATUS_OK;
}

/* A piece in the place of another is as wrong as a changed one. */
static uint64_t hash_piece(uint64_t id, uint64_t position, struct slice bytes)
{
    return bytes_hash(bytes.data, bytes.size, id ^ (position << 32));
}

static enum status step_done(struct jobstore *store, sqlite3_stmt *statement, struct error *err)
{
    return sqlite3_step(statement) == SQLITE_DONE ? STATUS_OK : jobstore_failed(store, err);
}

/* ---- writing ---- */

/* The log of steps stays. */
enum status checkpoint_abandon(struct jobstore *store, struct error *err)
{
    char sql[160];

    snprintf(sql, sizeof sql,
             "DELETE FROM checkpoint_pieces WHERE checkpoint < %" PRIu64
             " AND checkpoint NOT IN (SELECT id FROM checkpoint)",
             STEP_LOG_FIRST);
    return jobstore_run(store, sql, err);
}

enum status checkpoint_insert_piece(struct jobstore *store, uint64_t id, uint64_t position,
                                    struct slice bytes, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;

    TRY(jobstore_prepare(store, "INSERT OR REPLACE INTO checkpoint_pieces VALUES(?, ?, ?, ?)",
                         &statement, err));
    sqlite3_bind_int64(statement, 1, (int64_t)id);
    sqlite3_bind_int64(statement, 2, (int64_t)position);
    sqlite3_bind_int64(statement, 3, (int64_t)hash_piece(id, position, bytes));
    sqlite3_bind_blob64(statement, 4, bytes.data, bytes.size, SQLITE_STATIC);
    status = step_done(store, statement, err);
    sqlite3_finalize(statement);
    return status;
}

enum status checkpoint_put_piece(struct jobstore *store, uint64_t id, uint64_t position,
                                 struct slice bytes, struct error *err)
{
    if (position == 0)
        TRY(checkpoint_abandon(store, err));
    TRY(checkpoint_insert_piece(store, id, position, bytes, err));
    return record_piece(jobstore_recording(store), id, position, bytes, err);
}

/* In the log beside the store, and then in the store. */
enum status checkpoint_leave_room(const struct jobstore *store, uint64_t bytes, struct error *err)
{
    return jobstore_has_room(store, ROOM_LEAST + 2 * bytes)
               ? STATUS_OK
               : fail(err, STATUS_LIMIT, "little room is left on the disk");
}

static void put_head(struct text *out, const struct checkpoint *checkpoint)
{
    put_u64(out, CHECKPOINT_VERSION);
    put_u64(out, checkpoint->id);
    put_u64(out, checkpoint->job);
    put_u64(out, checkpoint->identity);
    put_u64(out, checkpoint->phase);
    put_u64(out, checkpoint->step);
    put_u64(out, checkpoint->rows_done);
    put_u64(out, checkpoint->bytes);
    put_u64(out, checkpoint->piece_bytes);
}

/* Appends the hash of each piece, in order; CORRUPT unless all are there and
 * of the size that they should have. */
static enum status put_piece_hashes(struct jobstore *store, const struct checkpoint *checkpoint,
                                    struct text *out, struct error *err)
{
    const uint64_t pieces = checkpoint_pieces(checkpoint);
    sqlite3_stmt *statement;
    uint64_t position = 0;
    int stepped;

    TRY(jobstore_prepare(store,
                         "SELECT position, hash, length(bytes) FROM checkpoint_pieces"
                         " WHERE checkpoint = ? ORDER BY position",
                         &statement, err));
    sqlite3_bind_int64(statement, 1, (int64_t)checkpoint->id);
    while ((stepped = sqlite3_step(statement)) == SQLITE_ROW && position < pieces &&
           (uint64_t)sqlite3_column_int64(statement, 0) == position &&
           (uint64_t)sqlite3_column_int64(statement, 2) ==
               checkpoint_piece_size(checkpoint, position)) {
        put_u64(out, (uint64_t)sqlite3_column_int64(statement, 1));
        position++;
    }
    sqlite3_finalize(statement);
    if (stepped != SQLITE_DONE && stepped != SQLITE_ROW)
        return jobstore_failed(store, err);
    if (stepped == SQLITE_ROW || position < pieces)
        return fail(err, STATUS_CORRUPT, "piece %" PRIu64 " of %" PRIu64 " is not as it should be",
                    position, pieces);
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status hash_head(struct jobstore *store, const struct checkpoint *checkpoint,
                             uint64_t *hash, struct error *err)
{
    enum status status;
    struct text bytes;

    TRY(checkpoint_check(checkpoint, err));
    text_init(&bytes, (CHECKPOINT_PIECES_MAX + 16) * sizeof(uint64_t));
    put_head(&bytes, checkpoint);
    status = put_piece_hashes(store, checkpoint, &bytes, err);
    *hash = bytes_hash(bytes.data, bytes.size, 0);
    text_deinit(&bytes);
    return status;
}

static enum status insert_head(struct jobstore *store,
                               const uint64_t values[CHECKPOINT_HEAD_VALUES], struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;

    TRY(jobstore_prepare(store, "INSERT INTO checkpoint VALUES(?,?,?,?,?,?,?,?,?,?)", &statement,
                         err));
    for (int i = 0; i < CHECKPOINT_HEAD_VALUES; i++)
        sqlite3_bind_int64(statement, i + 1, (int64_t)values[i]);
    status = step_done(store, statement, err);
    sqlite3_finalize(statement);
    return status;
}

static enum status run_with_number(struct jobstore *store, const char *sql, uint64_t number,
                                   struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;

    TRY(jobstore_prepare(store, sql, &statement, err));
    sqlite3_bind_int64(statement, 1, (int64_t)number);
    status = step_done(store, statement, err);
    sqlite3_finalize(statement);
    return status;
}

enum status checkpoint_keep(struct jobstore *store, uint64_t id, struct error *err)
{
    TRY(run_with_number(store, "DELETE FROM checkpoint WHERE id <> ?", id, err));
    return checkpoint_abandon(store, err);
}

/* The newest and the one before. What is of a later phase was damaged, or this would not be the
 * newest. Where the disk is nearly full the newest alone: its rows matter more to a job. */
static enum status keep_two(struct jobstore *store, const struct checkpoint *newest,
                            struct error *err)
{
    if (!jobstore_has_room(store, ROOM_STATES * newest->bytes))
        return checkpoint_keep(store, newest->id, err);
    TRY(run_with_number(store,
                        "DELETE FROM checkpoint WHERE id <> ?1 AND (phase >= (SELECT phase FROM"
                        " checkpoint WHERE id = ?1) OR id NOT IN (SELECT id FROM checkpoint"
                        " WHERE phase < (SELECT phase FROM checkpoint WHERE id = ?1)"
                        " ORDER BY phase DESC LIMIT 1))",
                        newest->id, err));
    return checkpoint_abandon(store, err);
}

enum status checkpoint_make_room(struct jobstore *store, struct error *err)
{
    TRY(jobstore_run(store,
                     "DELETE FROM checkpoint WHERE id <> (SELECT id FROM checkpoint"
                     " ORDER BY phase DESC, id DESC LIMIT 1)",
                     err));
    return checkpoint_abandon(store, err);
}

static enum status replace_head(struct jobstore *store, const struct checkpoint *checkpoint,
                                struct error *err)
{
    uint64_t values[CHECKPOINT_HEAD_VALUES] = {
        checkpoint->id,        CHECKPOINT_VERSION, checkpoint->job,
        checkpoint->identity,  checkpoint->phase,  checkpoint->step,
        checkpoint->rows_done, checkpoint->bytes,  checkpoint->piece_bytes};

    TRY(hash_head(store, checkpoint, &values[CHECKPOINT_HEAD_VALUES - 1], err));
    TRY(insert_head(store, values, err));
    TRY(keep_two(store, checkpoint, err));
    return record_entry(jobstore_recording(store), JOURNAL_CHECKPOINT, values, err);
}

/* From the first checkpoint on the store survives a power cut: what was
 * written before without waiting is brought to the disk now, and later writes
 * keep the order that makes a torn one harmless. */
static enum status begin_durably(struct jobstore *store, struct error *err)
{
    TRY(jobstore_run(store, "PRAGMA synchronous = FULL", err));
    return jobstore_begin(store, err);
}

/* Elsewhere, too, what is older than all heads has gone. Ids grow with the time. */
static void forget_before(struct jobstore *store)
{
    struct recording *recording = jobstore_recording(store);
    sqlite3_stmt *statement;

    if (!recording ||
        jobstore_prepare(store, "SELECT min(id) FROM checkpoint", &statement, NULL) != STATUS_OK)
        return;
    if (sqlite3_step(statement) == SQLITE_ROW)
        record_forget(recording, 0, (uint64_t)sqlite3_column_int64(statement, 0));
    sqlite3_finalize(statement);
}

enum status checkpoint_finish(struct jobstore *store, const struct checkpoint *checkpoint,
                              struct error *err)
{
    enum status status;

    TRY_OR(done, status, begin_durably(store, err));
    status = replace_head(store, checkpoint, err);
    if (status != STATUS_OK) {
        jobstore_rollback(store);
        goto done;
    }
    TRY_OR(done, status, jobstore_commit(store, err));
    /* it is stored, whether the log can be emptied or not */
    if (!jobstore_leaves_sync(store))
        (void)jobstore_end_log(store, NULL);
    forget_before(store);
done:
    (void)jobstore_run(store, "PRAGMA synchronous = NORMAL", NULL);
    return status;
}

enum status checkpoint_forget(struct jobstore *store, struct error *err)
{
    TRY(jobstore_run(store, "DELETE FROM checkpoint", err));
    return jobstore_run(store, "DELETE FROM checkpoint_pieces", err);
}

enum status checkpoint_drop(struct jobstore *store, struct error *err)
{
    TRY(record_drop(jobstore_recording(store), err));
    return checkpoint_forget(store, err);
}

/* ---- from another place ---- */

struct foreign {
    struct jobstore *store;
    struct checkpoint head;
    uint64_t bytes;
};

static enum status take_foreign_piece(void *context, uint64_t position, struct slice bytes,
                                      struct error *err)
{
    struct foreign *foreign = context;

    foreign->bytes += bytes.size;
    if (foreign->bytes > foreign->head.bytes)
        return fail(err, STATUS_CORRUPT,
                    "the pieces of the checkpoint are longer than its head says");
    return checkpoint_insert_piece(foreign->store, foreign->head.id, position, bytes, err);
}

static struct checkpoint head_from(const uint64_t values[CHECKPOINT_HEAD_VALUES])
{
    return (struct checkpoint){values[0], values[2], values[3], values[4],
                               values[5], values[6], values[7], values[8]};
}

static enum status put_foreign(struct jobstore *store,
                               const uint64_t values[CHECKPOINT_HEAD_VALUES],
                               const struct journal *journal, struct error *err)
{
    struct foreign foreign = {.store = store, .head = head_from(values)};
    enum status status;

    TRY(insert_head(store, values, err));
    status = checkpoint_check(&foreign.head, err);
    if (status == STATUS_OK)
        status =
            journal->each_piece(journal->self, foreign.head.id, take_foreign_piece, &foreign, err);
    /* A record that is no checkpoint is refused when it is opened. */
    return status == STATUS_LIMIT || status == STATUS_CORRUPT ? STATUS_OK : status;
}

static bool is_whole(struct jobstore *store, const uint64_t values[CHECKPOINT_HEAD_VALUES])
{
    const struct checkpoint head = head_from(values);
    uint64_t hash;

    return hash_head(store, &head, &hash, NULL) == STATUS_OK &&
           hash == values[CHECKPOINT_HEAD_VALUES - 1];
}

/* The one before is fetched where it is needed: it is as large. */
enum status checkpoint_put_foreign(struct jobstore *store,
                                   const uint64_t values[CHECKPOINT_HEAD_VALUES],
                                   const uint64_t *older, const struct journal *journal,
                                   struct error *err)
{
    TRY(checkpoint_forget(store, err));
    TRY(put_foreign(store, values, journal, err));
    if (!older || older[0] == values[0] || is_whole(store, values))
        return STATUS_OK;
    return put_foreign(store, older, journal, err);
}

/* ---- reading ---- */

static enum status refuse(struct error *err, const char *why)
{
    return fail(err, STATUS_CORRUPT, "the checkpoint is not used: %s", why);
}

/* The row's columns, as they were bound in insert_head; `age` 0: of the newest. */
static enum status read_head(struct jobstore *store, int age, uint64_t values[10],
                             struct error *err)
{
    sqlite3_stmt *statement;
    enum status status = STATUS_OK;
    int stepped;

    TRY(jobstore_prepare(store,
                         "SELECT * FROM checkpoint ORDER BY phase DESC, id DESC LIMIT 1 OFFSET ?",
                         &statement, err));
    sqlite3_bind_int(statement, 1, age);
    stepped = sqlite3_step(statement);
    if (stepped == SQLITE_DONE)
        status = fail(err, STATUS_NOT_FOUND, "the job has no checkpoint");
    else if (stepped != SQLITE_ROW)
        status = jobstore_failed(store, err);
    for (int i = 0; status == STATUS_OK && i < 10; i++) {
        if (sqlite3_column_type(statement, i) != SQLITE_INTEGER)
            status = refuse(err, "its head is malformed");
        values[i] = (uint64_t)sqlite3_column_int64(statement, i);
    }
    sqlite3_finalize(statement);
    return status;
}

void checkpoint_oldest(struct jobstore *store, uint64_t *phase, uint64_t *step)
{
    sqlite3_stmt *statement;

    *phase = *step = 0;
    if (jobstore_prepare(store, "SELECT min(phase), min(step) FROM checkpoint", &statement, NULL) !=
        STATUS_OK)
        return;
    if (sqlite3_step(statement) == SQLITE_ROW) {
        *phase = (uint64_t)sqlite3_column_int64(statement, 0);
        *step = (uint64_t)sqlite3_column_int64(statement, 1);
    }
    sqlite3_finalize(statement);
}

enum status checkpoint_peek(struct jobstore *store, struct checkpoint *checkpoint,
                            struct error *err)
{
    uint64_t values[10];

    memset(checkpoint, 0, sizeof *checkpoint);
    TRY(read_head(store, 0, values, err));
    *checkpoint = head_from(values);
    return STATUS_OK;
}

static enum status open_one(struct jobstore *store, int age, uint64_t job, uint64_t identity,
                            struct checkpoint *checkpoint, struct error *err)
{
    uint64_t values[10], hash = 0;
    struct error why;

    memset(checkpoint, 0, sizeof *checkpoint);
    TRY(read_head(store, age, values, err));
    if (values[1] != CHECKPOINT_VERSION)
        return refuse(err, "it has another version");
    if (values[2] != job)
        return refuse(err, "it belongs to another job");
    if (values[3] != identity)
        return refuse(err, "it belongs to another job spec or other rows");
    *checkpoint = head_from(values);
    error_clear(&why);
    if (checkpoint->phase == 0 || hash_head(store, checkpoint, &hash, &why) != STATUS_OK ||
        hash != values[9]) {
        memset(checkpoint, 0, sizeof *checkpoint);
        return refuse(err, why.status != STATUS_OK ? why.message : "its head is damaged");
    }
    return jobstore_run(store, "PRAGMA synchronous = NORMAL", err);
}

enum status checkpoint_open(struct jobstore *store, uint64_t job, uint64_t identity,
                            struct checkpoint *checkpoint, struct error *err)
{
    return open_one(store, 0, job, identity, checkpoint, err);
}

enum status checkpoint_open_older(struct jobstore *store, uint64_t job, uint64_t identity,
                                  struct checkpoint *checkpoint, struct error *err)
{
    return open_one(store, 1, job, identity, checkpoint, err);
}

static enum status take_piece(sqlite3_stmt *statement, const struct checkpoint *checkpoint,
                              uint64_t position, struct text *out, struct error *err)
{
    struct slice bytes = {sqlite3_column_blob(statement, 1),
                          (size_t)sqlite3_column_bytes(statement, 1)};

    if (bytes.size != checkpoint_piece_size(checkpoint, position) ||
        hash_piece(checkpoint->id, position, bytes) != (uint64_t)sqlite3_column_int64(statement, 0))
        return fail(err, STATUS_CORRUPT, "the checkpoint is not used: piece %" PRIu64 " is damaged",
                    position);
    text_append(out, bytes);
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status checkpoint_each_piece(struct jobstore *store, uint64_t id, piece_reader *each,
                                  void *context, struct error *err)
{
    enum status status = STATUS_OK;
    sqlite3_stmt *statement;
    int stepped = SQLITE_DONE;

    TRY(jobstore_prepare(store,
                         "SELECT hash, bytes, position FROM checkpoint_pieces"
                         " WHERE checkpoint = ? ORDER BY position",
                         &statement, err));
    sqlite3_bind_int64(statement, 1, (int64_t)id);
    for (uint64_t position = 0; status == STATUS_OK; position++) {
        struct slice bytes;

        stepped = sqlite3_step(statement);
        if (stepped != SQLITE_ROW || (uint64_t)sqlite3_column_int64(statement, 2) != position)
            break;
        bytes = (struct slice){sqlite3_column_blob(statement, 1),
                               (size_t)sqlite3_column_bytes(statement, 1)};
        status = hash_piece(id, position, bytes) == (uint64_t)sqlite3_column_int64(statement, 0)
                     ? each(context, position, bytes, err)
                     : fail(err, STATUS_CORRUPT, "piece %" PRIu64 " is damaged", position);
    }
    if (status == STATUS_OK && stepped != SQLITE_ROW && stepped != SQLITE_DONE)
        status = jobstore_failed(store, err);
    sqlite3_finalize(statement);
    return status;
}

enum status checkpoint_read_piece(struct jobstore *store, const struct checkpoint *checkpoint,
                                  uint64_t position, struct text *out, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;
    int stepped;

    if (position >= checkpoint_pieces(checkpoint))
        return fail(err, STATUS_INVALID, "piece %" PRIu64 " of %" PRIu64, position,
                    checkpoint_pieces(checkpoint));
    TRY(jobstore_prepare(store,
                         "SELECT hash, bytes FROM checkpoint_pieces"
                         " WHERE checkpoint = ? AND position = ?",
                         &statement, err));
    sqlite3_bind_int64(statement, 1, (int64_t)checkpoint->id);
    sqlite3_bind_int64(statement, 2, (int64_t)position);
    stepped = sqlite3_step(statement);
    if (stepped == SQLITE_ROW)
        status = take_piece(statement, checkpoint, position, out, err);
    else if (stepped == SQLITE_DONE)
        status = fail(err, STATUS_NOT_FOUND, "the checkpoint has been replaced");
    else
        status = jobstore_failed(store, err);
    sqlite3_finalize(statement);
    return status;
}
