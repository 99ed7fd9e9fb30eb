/*
 * A job's books in another place: what one master puts is what the next one, and what waits
 * for the job, find; and nothing else is taken.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "runtime/data/store/journal.h"
#include "runtime/data/store/journal_replay.h"
#include "runtime/data/store/shardstore.h"
#include "runtime/data/store/step_log.h"
#include "tests/check.h"

#define JOB         7
#define ENTRIES_MAX 64
#define PIECES_MAX  16

/* ----- a journal in memory, that several writers share ----- */

struct kept {
    int64_t master;
    enum journal_kind kind;
    char body[2048], data[64];
    size_t body_size, data_size;
    bool has_data;
};

struct shared {
    struct kept entries[ENTRIES_MAX];
    size_t count;
    struct {
        uint64_t checkpoint, position;
        char bytes[16];
        size_t size;
    } pieces[PIECES_MAX];
    size_t piece_count;
    bool is_cut;
    unsigned appends, urgent;
};

struct writer {
    struct shared *shared;
    size_t seen;
    struct journal journal;
};

static enum status read_entries(void *self, int64_t after, journal_reader *each, void *context,
                                struct error *err)
{
    struct writer *writer = self;

    for (size_t i = (size_t)after; i < writer->shared->count; i++) {
        const struct kept *kept = &writer->shared->entries[i];
        const struct journal_entry entry = {.number = (int64_t)i + 1,
                                            .master = kept->master,
                                            .kind = kept->kind,
                                            .body = {kept->body, kept->body_size},
                                            .data = {kept->data, kept->data_size},
                                            .has_data = kept->has_data};

        TRY(each(context, &entry, err));
        writer->seen = i + 1;
    }
    return STATUS_OK;
}

static void keep(struct shared *shared, const struct journal_entry *entry)
{
    struct kept *kept = &shared->entries[shared->count++];

    CHECK(shared->count <= ENTRIES_MAX && entry->body.size <= sizeof kept->body &&
          entry->data.size <= sizeof kept->data);
    *kept = (struct kept){.master = entry->master,
                          .kind = entry->kind,
                          .body_size = entry->body.size,
                          .data_size = entry->data.size,
                          .has_data = entry->has_data};
    memcpy(kept->body, entry->body.data, entry->body.size);
    if (entry->data.size > 0)
        memcpy(kept->data, entry->data.data, entry->data.size);
}

static enum status append(void *self, const struct journal_entry *entries, size_t count,
                          bool is_urgent, struct error *err)
{
    struct writer *writer = self;
    struct shared *shared = writer->shared;

    if (shared->is_cut)
        return fail(err, STATUS_CONNECTION, "cut");
    if (shared->count != writer->seen)
        return fail(err, STATUS_STALE, "somebody else has written");
    for (size_t i = 0; i < count; i++)
        keep(shared, &entries[i]);
    writer->seen = shared->count;
    shared->appends++;
    shared->urgent += is_urgent;
    return STATUS_OK;
}

static enum status check(void *self, struct error *err)
{
    struct writer *writer = self;

    return writer->shared->count == writer->seen ? STATUS_OK : fail(err, STATUS_STALE, "another");
}

static enum status put_piece(void *self, uint64_t checkpoint, uint64_t position, struct slice bytes,
                             struct error *err)
{
    struct shared *shared = ((struct writer *)self)->shared;
    (void)err;

    CHECK(shared->piece_count < PIECES_MAX && bytes.size <= 16);
    shared->pieces[shared->piece_count].checkpoint = checkpoint;
    shared->pieces[shared->piece_count].position = position;
    shared->pieces[shared->piece_count].size = bytes.size;
    memcpy(shared->pieces[shared->piece_count++].bytes, bytes.data, bytes.size);
    return STATUS_OK;
}

static enum status each_piece(void *self, uint64_t checkpoint, piece_reader *each, void *context,
                              struct error *err)
{
    const struct shared *shared = ((struct writer *)self)->shared;

    for (size_t i = 0; i < shared->piece_count; i++)
        if (shared->pieces[i].checkpoint == checkpoint)
            TRY(each(context, shared->pieces[i].position,
                     (struct slice){shared->pieces[i].bytes, shared->pieces[i].size}, err));
    return STATUS_OK;
}

static void writer_init(struct writer *writer, struct shared *shared)
{
    *writer = (struct writer){
        .shared = shared,
        .journal = {writer, JOB, 0, read_entries, append, check, put_piece, each_piece}};
}

static void add(struct shared *shared, int64_t master, enum journal_kind kind, const char *body)
{
    const struct journal_entry entry = {.master = master, .kind = kind, .body = slice_of(body)};

    keep(shared, &entry);
}

static struct shared *submitted(void)
{
    struct shared *shared = calloc(1, sizeof *shared);

    CHECK(shared != NULL);
    add(shared, 0, JOURNAL_SPEC, "{}");
    add(shared, 0, JOURNAL_INPUT, "{}");
    return shared;
}

static int count_of(const struct shared *shared, enum journal_kind kind)
{
    int count = 0;

    for (size_t i = 0; i < shared->count; i++)
        count += shared->entries[i].kind == kind;
    return count;
}

/* ----- stores ----- */

struct fixture {
    char folder[32], path[64];
    struct jobstore *store;
    struct writer writer;
};

static void open_store(struct fixture *fixture, struct shared *shared)
{
    struct error err;

    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/totrain-test.XXXXXX");
    CHECK(mkdtemp(fixture->folder) != NULL);
    snprintf(fixture->path, sizeof fixture->path, "%s/job.db", fixture->folder);
    CHECK_OK(jobstore_create(fixture->path, &fixture->store, &err));
    writer_init(&fixture->writer, shared);
}

static uint32_t lead(struct fixture *fixture, struct shared *shared)
{
    uint32_t incarnation = 0;
    struct error err;

    open_store(fixture, shared);
    CHECK_OK(jobstore_attach(fixture->store, &fixture->writer.journal, &err));
    CHECK_OK(jobstore_claim(fixture->store, 0, &incarnation, &err));
    return incarnation;
}

static void close_store(struct fixture *fixture)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[80];

    jobstore_close(fixture->store);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", fixture->path, ends[i]);
        unlink(path);
    }
    rmdir(fixture->folder);
}

static struct job_row row_of(enum job_state state, uint64_t step)
{
    struct job_row row = {.id = JOB, .state = state, .step = step, .loss = 0.1, .goodput = NAN};

    snprintf(row.statement, sizeof row.statement,
             "SELECT \"gr\xc3\xb6\xc3\x9f"
             "e\"\nFROM t");
    snprintf(row.model, sizeof row.model, "m");
    return row;
}

static void put_job(struct fixture *fixture, enum job_state state, uint64_t step)
{
    const struct job_row row = row_of(state, step);
    struct error err;

    CHECK_OK(jobstore_begin(fixture->store, &err));
    CHECK_OK(jobstore_put_job(fixture->store, &row, &err));
    CHECK_OK(jobstore_commit(fixture->store, &err));
}

static enum status put_event(struct fixture *fixture, struct error *err)
{
    TRY(jobstore_begin(fixture->store, err));
    TRY(jobstore_put_event(fixture->store, 1.5, "worker", 3, "joined", "from far", err));
    return jobstore_commit(fixture->store, err);
}

static void put_checkpoint(struct fixture *fixture, uint64_t id, uint64_t phase)
{
    const struct checkpoint head = {
        .id = id, .job = JOB, .identity = 1, .phase = phase, .bytes = 15, .piece_bytes = 10};
    struct error err;

    CHECK_OK(checkpoint_put_piece(fixture->store, id, 0, SLICE("0123456789"), &err));
    CHECK_OK(checkpoint_put_piece(fixture->store, id, 1, SLICE("abcde"), &err));
    CHECK_OK(checkpoint_finish(fixture->store, &head, &err));
}

static void put_shard(struct fixture *fixture, uint64_t lease, uint64_t first,
                      enum shard_state state, const char *results)
{
    const struct shard_row row = {.lease = lease,
                                  .first = first,
                                  .count = 10,
                                  .worker = 3,
                                  .state = state,
                                  .results = slice_of(results ? results : "")};
    struct error err;

    CHECK_OK(jobstore_begin(fixture->store, &err));
    CHECK_OK(shardstore_put(fixture->store, &row, &err));
    CHECK_OK(jobstore_commit(fixture->store, &err));
}

/* All rows of all tables that people read, as one text. */
static enum status print_cells(void *context, const struct cell *cells, struct error *err)
{
    (void)err;
    for (int i = 0; i < 4; i++) {
        if (cells[i].type == CELL_TEXT)
            text_printf(context, "%.*s|", SLICE_FORMAT(cells[i].text));
        else
            text_printf(context, "%.17g|",
                        cells[i].type == CELL_REAL ? cells[i].real : (double)cells[i].integer);
    }
    return STATUS_OK;
}

static enum status print_result(void *context, const char *name, double train, double validation,
                                struct error *err)
{
    (void)err;
    text_printf(context, "%s %.17g %d|", name, train, isnan(validation));
    return STATUS_OK;
}

static enum status print_model(void *context, const struct model_row *row, struct error *err)
{
    (void)err;
    text_printf(context, "%.*s/%.*s/%lld/%d/%.17g/%d/%d/%.*s|", SLICE_FORMAT(row->part),
                SLICE_FORMAT(row->name), (long long)row->position, row->has_value, row->value,
                row->has_data, row->data_is_text, SLICE_FORMAT(row->data));
    return STATUS_OK;
}

static void print_store(struct jobstore *store, struct text *out)
{
    struct job_row row;
    struct error err;

    CHECK_OK(jobstore_get_job(store, &row, &err));
    text_printf(out, "%lld %s %s %s %llu %.17g|", (long long)row.id, job_state_name(row.state),
                row.statement, row.model, (unsigned long long)row.step, row.loss);
    for (int listing = LISTING_WORKERS; listing <= LISTING_METRICS; listing++)
        CHECK_OK(jobstore_each_of(store, (enum jobstore_listing)listing, print_cells, out, &err));
    CHECK_OK(jobstore_each_result(store, print_result, out, &err));
    CHECK_OK(jobstore_each_model_row(store, print_model, out, &err));
}

static void put_everything(struct fixture *fixture)
{
    const struct model_row rows[] = {
        {SLICE("meta"), SLICE("meta"), 0, false, 0, true, true, SLICE("{\"a\": 1}")},
        {SLICE("weight"), SLICE("\"x\\"), -1, true, 0.1, false, false, SLICE("")},
        {SLICE("tensor"), SLICE("t"), 1, false, 0, true, false, {"\0\xff\x80", 3}}};
    const struct job_row row = row_of(JOB_STATE_DONE, 9);
    struct error err;

    CHECK_OK(jobstore_begin(fixture->store, &err));
    CHECK_OK(jobstore_put_worker(fixture->store, 2, "working", 5, 1e300, &err));
    CHECK_OK(jobstore_put_event(fixture->store, 0.5, "master", -1, "e", "d", &err));
    CHECK_OK(jobstore_put_metric(fixture->store, 1, 2, "loss", "train", 1.0 / 3, &err));
    CHECK_OK(jobstore_put_result(fixture->store, "Accuracy", 0.7, (double)NAN, &err));
    for (int i = 0; i < 3; i++)
        CHECK_OK(jobstore_stage_model_row(fixture->store, &rows[i], &err));
    CHECK_OK(jobstore_take_staged_model(fixture->store, &err));
    CHECK_OK(jobstore_put_job(fixture->store, &row, &err));
    CHECK_OK(jobstore_commit(fixture->store, &err));
}

static void what_was_put_is_what_a_replay_finds(void **state)
{
    struct shared *shared = submitted();
    struct fixture master, session;
    struct journal_position position;
    struct text mine, theirs;
    struct error err;
    (void)state;

    text_init(&mine, TEXT_MAXIMUM);
    text_init(&theirs, TEXT_MAXIMUM);
    assert_int_equal(lead(&master, shared), 1);
    put_everything(&master);
    open_store(&session, shared);
    CHECK_OK(journal_replay(&session.writer.journal, session.store, &position, &err));
    assert_true(position.has_ended);
    print_store(master.store, &mine);
    print_store(session.store, &theirs);
    assert_string_equal(text_string(&mine), text_string(&theirs));
    /* Once more, with nothing new in it. */
    CHECK_OK(journal_replay(&session.writer.journal, session.store, &position, &err));
    text_clear(&theirs);
    print_store(session.store, &theirs);
    assert_string_equal(text_string(&mine), text_string(&theirs));
    text_deinit(&mine);
    text_deinit(&theirs);
    close_store(&master);
    close_store(&session);
    free(shared);
}

static void stage_row(struct fixture *fixture, const char *part, int64_t position)
{
    const struct model_row row = {.part = slice_of(part), .name = SLICE("t"), .position = position};
    struct error err;

    CHECK_OK(jobstore_begin(fixture->store, &err));
    CHECK_OK(jobstore_stage_model_row(fixture->store, &row, &err));
    CHECK_OK(jobstore_commit(fixture->store, &err));
}

/* The first master is killed between two rows; the second begins again. */
static void the_rows_of_a_model_that_was_not_finished_are_not_replayed_into_the_next(void **state)
{
    struct shared *shared = submitted();
    struct fixture first, second, session;
    struct journal_position position;
    struct text model;
    struct error err;
    (void)state;

    lead(&first, shared);
    stage_row(&first, "meta", 0);
    stage_row(&first, "tensor", 0);
    lead(&second, shared);
    stage_row(&second, "meta", 0);
    open_store(&session, shared);
    text_init(&model, TEXT_MAXIMUM);
    CHECK_OK(journal_replay(&session.writer.journal, session.store, &position, &err));
    CHECK_OK(jobstore_each_model_row(session.store, print_model, &model, &err));
    CHECK_INT(model.size, 0);
    stage_row(&second, "tensor", 1);
    CHECK_OK(jobstore_take_staged_model(second.store, &err));
    put_job(&second, JOB_STATE_DONE, 9);
    CHECK_OK(journal_replay(&session.writer.journal, session.store, &position, &err));
    CHECK_OK(jobstore_each_model_row(session.store, print_model, &model, &err));
    assert_string_equal(text_string(&model), "meta/t/0/0/0/0/0/|tensor/t/1/0/0/0/0/|");
    text_deinit(&model);
    close_store(&first);
    close_store(&second);
    close_store(&session);
    free(shared);
}

static void the_next_master_has_books_and_checkpoint(void **state)
{
    struct shared *shared = submitted();
    struct fixture first, second;
    struct checkpoint checkpoint;
    struct job_row row;
    struct text piece;
    struct error err;
    (void)state;

    lead(&first, shared);
    put_job(&first, JOB_STATE_RUNNING, 4);
    put_checkpoint(&first, 10, 3);
    put_checkpoint(&first, 11, 5);
    assert_int_equal(lead(&second, shared), 2);
    CHECK_OK(jobstore_get_job(second.store, &row, &err));
    assert_int_equal(row.step, 4);
    CHECK_OK(checkpoint_open(second.store, JOB, 1, &checkpoint, &err));
    assert_int_equal(checkpoint.phase, 5);
    text_init(&piece, 100);
    CHECK_OK(checkpoint_read_piece(second.store, &checkpoint, 1, &piece, &err));
    assert_string_equal(text_string(&piece), "abcde");
    text_deinit(&piece);
    close_store(&first);
    close_store(&second);
    free(shared);
}

/* ----- the journal of a parameter server ----- */

static uint64_t oldest_kept;

static void forget_pieces(void *self, uint64_t first, uint64_t end)
{
    (void)self;
    CHECK_INT(first, 0);
    oldest_kept = end;
}

/* The entries of the submission stand in another journal. */
static uint32_t serve(struct fixture *fixture, struct shared *shared, uint32_t least)
{
    uint32_t incarnation = 0;
    struct error err;

    open_store(fixture, shared);
    fixture->writer.journal.before = 2;
    fixture->writer.journal.forget_pieces = forget_pieces;
    fixture->writer.seen = 2;
    CHECK_OK(jobstore_attach(fixture->store, &fixture->writer.journal, &err));
    CHECK_OK(jobstore_claim(fixture->store, least, &incarnation, &err));
    return incarnation;
}

static void a_server_goes_on_from_its_newest_snapshot_and_older_ones_go(void **state)
{
    struct shared *shared = submitted();
    struct fixture first, second;
    struct checkpoint found;
    struct error err;
    (void)state;

    assert_int_equal(serve(&first, shared, 1), 1);
    put_checkpoint(&first, 5, 1);
    assert_int_equal(oldest_kept, 5);
    put_checkpoint(&first, 6, 2);
    assert_int_equal(oldest_kept, 5);
    put_checkpoint(&first, 7, 3);
    assert_int_equal(oldest_kept, 6);
    assert_int_equal(serve(&second, shared, 4), 4);
    CHECK_OK(checkpoint_open(second.store, JOB, 1, &found, &err));
    assert_int_equal(found.id, 7);
    CHECK(jobstore_check_journal(first.store, NULL) == STATUS_STALE);
    close_store(&first);
    close_store(&second);
    free(shared);
}

static uint32_t times_forgotten;

static void count_forgetting(void *self, uint64_t first, uint64_t end)
{
    (void)self;
    CHECK(first == STEP_LOG_FIRST + step_log_move(2, 0) && end > first);
    times_forgotten++;
}

/* Its moves have the numbers of its successor's. */
static void a_server_that_was_frozen_forgets_nothing_of_the_log_of_moves(void **state)
{
    const char entry[] = "\3\0\0\0abc"; /* with its size */
    const struct slice bytes = {entry, sizeof entry - 1};
    struct shared *shared = submitted();
    struct fixture first, second;
    struct error err;
    (void)state;

    times_forgotten = 0;
    (void)serve(&first, shared, 1);
    (void)serve(&second, shared, 2);
    first.writer.journal.forget_pieces = second.writer.journal.forget_pieces = count_forgetting;
    CHECK(step_log_put(first.store, step_log_move(2, 0), bytes, &err) == STATUS_STALE);
    CHECK_INT(times_forgotten, 0);
    CHECK_OK(step_log_put(second.store, step_log_move(2, 0), bytes, &err));
    CHECK_INT(times_forgotten, 1);
    close_store(&first);
    close_store(&second);
    free(shared);
}

static void a_dropped_checkpoint_does_not_come_back(void **state)
{
    struct shared *shared = submitted();
    struct fixture first, second, session;
    struct journal_position position;
    struct checkpoint checkpoint;
    struct error err;
    (void)state;

    lead(&first, shared);
    put_checkpoint(&first, 10, 3);
    open_store(&session, shared);
    CHECK_OK(journal_replay(&session.writer.journal, session.store, &position, &err));
    CHECK_OK(checkpoint_open(session.store, JOB, 1, &checkpoint, &err));
    CHECK_OK(checkpoint_drop(first.store, &err));
    lead(&second, shared);
    CHECK_FAILS(checkpoint_open(second.store, JOB, 1, &checkpoint, &err), STATUS_NOT_FOUND,
                "no checkpoint");
    /* Nor does it stay with its reader. */
    CHECK_OK(journal_replay(&session.writer.journal, session.store, &position, &err));
    CHECK_FAILS(checkpoint_open(session.store, JOB, 1, &checkpoint, &err), STATUS_NOT_FOUND,
                "no checkpoint");
    close_store(&first);
    close_store(&second);
    close_store(&session);
    free(shared);
}

/* The one before is fetched only then. */
static void a_changed_checkpoint_is_replaced_by_the_one_before(void **state)
{
    struct shared *shared = submitted();
    struct fixture first, second, third;
    struct checkpoint checkpoint;
    struct text piece;
    struct error err;
    (void)state;

    text_init(&piece, 100);
    lead(&first, shared);
    put_checkpoint(&first, 10, 3);
    put_checkpoint(&first, 11, 5);
    lead(&second, shared);
    CHECK_FAILS(checkpoint_open_older(second.store, JOB, 1, &checkpoint, &err), STATUS_NOT_FOUND,
                "no checkpoint");
    shared->pieces[3].bytes[0] ^= 1; /* 11 bytes */
    lead(&third, shared);
    CHECK_FAILS(checkpoint_open(third.store, JOB, 1, &checkpoint, &err), STATUS_CORRUPT,
                "not used");
    CHECK_OK(checkpoint_open_older(third.store, JOB, 1, &checkpoint, &err));
    CHECK_INT(checkpoint.phase, 3);
    CHECK_OK(checkpoint_read_piece(third.store, &checkpoint, 1, &piece, &err));
    assert_string_equal(text_string(&piece), "abcde");
    /* Its next checkpoint is of an earlier phase than the damaged one, and counts. */
    put_checkpoint(&third, 12, 4);
    close_store(&second);
    lead(&second, shared);
    CHECK_OK(checkpoint_open(second.store, JOB, 1, &checkpoint, &err));
    CHECK_INT(checkpoint.phase, 4);
    text_deinit(&piece);
    close_store(&first);
    close_store(&second);
    close_store(&third);
    free(shared);
}

static void a_changed_checkpoint_is_refused(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct shared *shared = submitted();
        struct fixture first, second;
        struct checkpoint checkpoint;
        struct error err;

        lead(&first, shared);
        put_checkpoint(&first, 10, 3);
        if (how == 0)
            shared->pieces[1].bytes[0] ^= 1;
        else if (how == 1)
            shared->pieces[1].size = 16;
        else
            shared->piece_count = 1;
        lead(&second, shared);
        CHECK_FAILS(checkpoint_open(second.store, JOB, 1, &checkpoint, &err), STATUS_CORRUPT,
                    "not used");
        close_store(&first);
        close_store(&second);
        free(shared);
    }
}

static void a_master_that_was_replaced_writes_nothing(void **state)
{
    struct shared *shared = submitted();
    struct fixture first, second;
    struct job_row row;
    struct error err;
    (void)state;

    lead(&first, shared);
    CHECK_OK(jobstore_check_journal(first.store, &err));
    lead(&second, shared);
    CHECK_FAILS(jobstore_check_journal(first.store, &err), STATUS_STALE, "another");
    const size_t count = shared->count;
    CHECK_FAILS(put_event(&first, &err), STATUS_STALE, "somebody else");
    assert_int_equal(shared->count, count);
    CHECK_FAILS(jobstore_get_job(first.store, &row, &err), STATUS_NOT_FOUND, "no job");
    CHECK_OK(put_event(&second, &err));
    close_store(&first);
    close_store(&second);
    free(shared);
}

static void progress_is_told_now_and_then_and_may_fail(void **state)
{
    struct shared *shared = submitted();
    struct fixture master;
    struct job_row row;
    struct error err;
    (void)state;

    lead(&master, shared);
    put_job(&master, JOB_STATE_RUNNING, 1);
    const unsigned appends = shared->appends;
    for (uint64_t step = 2; step < 50; step++)
        put_job(&master, JOB_STATE_RUNNING, step);
    assert_true(shared->appends - appends < 10);
    shared->is_cut = true;
    put_job(&master, JOB_STATE_RUNNING, 50);
    CHECK_OK(jobstore_begin(master.store, &err));
    CHECK_OK(jobstore_put_metric(master.store, 1, 50, "loss", "train", 0.5, &err));
    CHECK_OK(jobstore_commit(master.store, &err));
    CHECK_FAILS(put_event(&master, &err), STATUS_CONNECTION, "cut");
    shared->is_cut = false;
    CHECK_OK(put_event(&master, &err));
    CHECK_OK(jobstore_get_job(master.store, &row, &err));
    assert_int_equal(row.step, 50);
    /* Each once, and the event that failed not at all. */
    assert_int_equal(count_of(shared, JOURNAL_METRIC), 1);
    assert_int_equal(count_of(shared, JOURNAL_EVENT), 1);
    CHECK_OK(put_event(&master, &err));
    assert_int_equal(count_of(shared, JOURNAL_METRIC), 1);
    close_store(&master);
    free(shared);
}

static void put_reports(struct fixture *fixture, const char *first, const char *second,
                        enum report_haste haste)
{
    struct error err;

    CHECK_OK(jobstore_begin(fixture->store, &err));
    CHECK_OK(jobstore_put_report(fixture->store, slice_of(first), haste, &err));
    CHECK_OK(jobstore_put_report(fixture->store, slice_of(second), haste, &err));
    CHECK_OK(jobstore_commit(fixture->store, &err));
}

/* The last report of the job's course is written, all others at once and before the row of the
 * job's end. A replay passes them over. */
static void reports_are_in_the_journal_and_in_no_store(void **state)
{
    struct shared *shared = submitted();
    struct journal_position position;
    struct fixture master, session;
    const struct kept *kept;
    struct job_row row;
    struct error err;
    (void)state;

    lead(&master, shared);
    put_job(&master, JOB_STATE_RUNNING, 1);
    put_reports(&master, "{\"n\":1}", "{\"n\":2}", REPORT_LATER);
    put_reports(&master, "{\"n\":3}", "{\"n\":4}\n", REPORT_SOON);
    assert_int_equal(count_of(shared, JOURNAL_REPORT), 3);
    kept = &shared->entries[shared->count - 3];
    CHECK_SLICE(((struct slice){kept[0].body, kept[0].body_size}), "{\"n\":2}");
    CHECK_SLICE(((struct slice){kept[1].body, kept[1].body_size}), "{\"n\":3}");
    CHECK_SLICE(((struct slice){kept[2].body, kept[2].body_size}), "{\"n\":4}");
    CHECK_OK(jobstore_begin(master.store, &err));
    CHECK_FAILS(jobstore_put_report(master.store, SLICE("word"), REPORT_SOON, &err), STATUS_CORRUPT,
                "JSON");
    jobstore_rollback(master.store);
    put_job(&master, JOB_STATE_FAILED, 2);
    close_store(&master);
    open_store(&session, shared);
    session.writer.journal.each_piece = NULL;
    CHECK_OK(journal_replay(&session.writer.journal, session.store, &position, &err));
    CHECK(position.has_ended);
    CHECK_OK(jobstore_get_job(session.store, &row, &err));
    CHECK_INT(row.step, 2);
    CHECK_OK(jobstore_put_report(session.store, SLICE("word"), REPORT_SOON,
                                 &err)); /* it has no journal */
    close_store(&session);
    free(shared);
}

/* A job may go on while its database is away, and what it says then comes when that is back. */
static void a_notice_waits_for_the_database_and_a_turn_fails_without(void **state)
{
    struct shared *shared = submitted();
    struct fixture master;
    struct error err;
    (void)state;

    lead(&master, shared);
    put_job(&master, JOB_STATE_RUNNING, 1);
    shared->is_cut = true;
    put_reports(&master, "{\"n\":1}", "{\"n\":2}", REPORT_SOON);
    CHECK_OK(jobstore_begin(master.store, &err));
    CHECK_OK(jobstore_put_report(master.store, SLICE("{\"n\":3}"), REPORT_MUST, &err));
    CHECK_FAILS(jobstore_commit(master.store, &err), STATUS_CONNECTION, "cut");
    assert_int_equal(count_of(shared, JOURNAL_REPORT), 0);
    shared->is_cut = false;
    put_reports(&master, "{\"n\":4}", "{\"n\":5}", REPORT_SOON);
    assert_int_equal(count_of(shared, JOURNAL_REPORT), 4);
    close_store(&master);
    free(shared);
}

static void an_ended_job_is_not_led_again(void **state)
{
    struct shared *shared = submitted();
    struct fixture first, second;
    uint32_t incarnation;
    struct error err;
    (void)state;

    lead(&first, shared);
    put_job(&first, JOB_STATE_DONE, 9);
    open_store(&second, shared);
    CHECK_OK(jobstore_attach(second.store, &second.writer.journal, &err));
    CHECK_FAILS(jobstore_claim(second.store, 0, &incarnation, &err), STATUS_INVALID,
                "ended already");
    close_store(&first);
    close_store(&second);
    free(shared);
}

static void what_does_not_follow_is_refused(void **state)
{
    static const struct {
        int64_t master;
        enum journal_kind kind;
        const char *body;
    } bad[] = {
        {1, JOURNAL_SPEC, "{}"},
        {0, JOURNAL_SPEC, "{}"},
        {1, JOURNAL_CLAIM, "{}"},
        {0, JOURNAL_CLAIM, "{}"},
        {2, JOURNAL_DROP, "{}"},
        {0, JOURNAL_DROP, "{}"},
        {1, JOURNAL_DROP, "{"},
        {1, JOURNAL_JOB, "{\"state\": \"lost\"}"},
        {1, JOURNAL_JOB, "{}"},
        {1, JOURNAL_JOB, "[1]"},
        {1, JOURNAL_EVENT, "{\"at\": 1, \"role\": 7}"},
        {1, JOURNAL_WORKER, "{\"index\": -1, \"lanes\": 1, \"state\": \"x\"}"},
        {1, JOURNAL_METRIC, "{\"epoch\": 1, \"step\": 1.5, \"metric\": \"m\", \"part\": \"p\"}"},
        {1, JOURNAL_RESULT,
         "{\"name\": \"0123456789012345678901234567890123456789012345678901"
         "23456789012345678901234567890123456789\"}"},
        {1, JOURNAL_MODEL, "{\"part\": \"meta\"}"},
        {1, JOURNAL_CHECKPOINT, "{\"id\": 1}"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct shared *shared = submitted();
        struct journal_position position;
        struct fixture session;
        struct error err;

        add(shared, 1, JOURNAL_CLAIM, "{}");
        open_store(&session, shared);
        add(shared, bad[i].master, bad[i].kind, bad[i].body);
        CHECK_FAILS(journal_replay(&session.writer.journal, session.store, &position, &err),
                    STATUS_CORRUPT, "entry 4 ");
        close_store(&session);
        free(shared);
    }
}

static void nothing_follows_the_end(void **state)
{
    struct shared *shared = submitted();
    struct journal_position position;
    struct fixture master, session;
    struct error err;
    (void)state;

    lead(&master, shared);
    put_everything(&master);
    add(shared, 1, JOURNAL_MODEL,
        "{\"part\": \"meta\", \"name\": \"meta\", \"position\": 0, \"has_value\": false,"
        " \"is_text\": true}");
    open_store(&session, shared);
    CHECK_FAILS(journal_replay(&session.writer.journal, session.store, &position, &err),
                STATUS_CORRUPT, "ended before");
    close_store(&master);
    close_store(&session);
    free(shared);
}

/* Entries as they stand. */
struct listed {
    const struct journal_entry *entries;
    size_t count;
};

static enum status read_listed(void *self, int64_t after, journal_reader *each, void *context,
                               struct error *err)
{
    const struct listed *listed = self;

    for (size_t i = (size_t)after; i < listed->count; i++)
        TRY(each(context, &listed->entries[i], err));
    return STATUS_OK;
}

/* A journal of one claim by this master and one row of a model with that much data. */
static enum status replay_far(int64_t master, size_t bytes, struct error *err)
{
    static const char *const row =
        "{\"part\": \"meta\", \"name\": \"meta\", \"position\": 0, \"has_value\": false,"
        " \"is_text\": true}";
    char *data = calloc(1, bytes + 1);
    struct journal_entry entries[] = {
        {.number = 1, .kind = JOURNAL_SPEC, .body = SLICE("{}")},
        {.number = 2, .kind = JOURNAL_INPUT, .body = SLICE("{}")},
        {.number = 3, .master = master, .kind = JOURNAL_CLAIM, .body = SLICE("{}")},
        {.number = 4,
         .master = master,
         .kind = JOURNAL_MODEL,
         .body = slice_of(row),
         .data = {data, bytes},
         .has_data = true},
    };
    struct listed listed = {entries, sizeof entries / sizeof *entries};
    const struct journal journal = {.self = &listed, .job = JOB, .read = read_listed};
    struct journal_position position;
    struct fixture fixture;
    struct shared *shared = submitted();
    enum status status;

    CHECK(data != NULL);
    open_store(&fixture, shared);
    status = journal_replay(&journal, fixture.store, &position, err);
    close_store(&fixture);
    free(shared);
    free(data);
    return status;
}

static void a_masters_number_and_a_rows_data_have_limits(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(replay_far(UINT32_MAX, 10, &err));
    CHECK_FAILS(replay_far((int64_t)UINT32_MAX + 1, 10, &err), STATUS_CORRUPT,
                "entry 3 of the job's journal is refused: it is of master 4294967296");
    CHECK_FAILS(replay_far(INT64_MAX, 10, &err), STATUS_CORRUPT, "it is of master");
    CHECK_OK(replay_far(1, JOURNAL_DATA_BYTES_MAX, &err));
    CHECK_FAILS(replay_far(1, JOURNAL_DATA_BYTES_MAX + 1, &err), STATUS_CORRUPT, "it has ");
}

/* Entries as the program wrote them before there was a list of fields. */
static const struct {
    enum journal_kind kind;
    const char *body;
} recorded[] = {
    {JOURNAL_CLAIM, "{}"},
    {JOURNAL_JOB, "{\"state\":\"running\",\"statement\":\"SELECT \\\"größe\\\"\\nFROM t\",\"model\""
                  ":\"m\",\"workers\":4,\"step\":3,\"rows_done\":\"1152921504606846976\",\"rows_red"
                  "one\":6,\"loss\":0.1,\"goodput\":null,\"seconds_waiting\":1.5,\"seconds\":2.5,\""
                  "error\":\"say \\\"what\\\"\",\"started_at\":\"2026-01-02T03:04:05Z\",\"steps\":8"
                  ",\"epoch\":2,\"epochs\":3,\"rows_per_second\":1000000,\"validation_loss\":0.25,"
                  "\"slot_seconds\":7.5,\"metrics\":\"h:1\"}"},
    {JOURNAL_CHECKPOINT,
     "{\"id\":1,\"version\":1,\"job\":7,\"identity\":1,\"phase\":5,\"step\":0,\"rows_d"
     "one\":0,\"bytes\":15,\"piece_bytes\":10,\"hash\":\"2414079280743344119\"}"},
    {JOURNAL_SHARD, "{\"lease\":8589934593,\"first\":20,\"count\":10,\"worker\":3,\"state\":"
                    "\"done\"}"},
    {JOURNAL_WORKER, "{\"index\":2,\"state\":\"working\",\"lanes\":5,\"rows_per_second\":1e+300}"},
    {JOURNAL_EVENT,
     "{\"at\":0.5,\"role\":\"master\",\"index\":-1,\"event\":\"e\",\"detail\":\"d\"}"},
    {JOURNAL_METRIC,
     "{\"epoch\":1,\"step\":2,\"metric\":\"loss\",\"part\":\"train\",\"value\":0.33333"
     "33333333333}"},
    {JOURNAL_RESULT, "{\"name\":\"Accuracy\",\"train\":0.7,\"validation\":null}"},
    {JOURNAL_MODEL,
     "{\"part\":\"meta\",\"name\":\"meta\",\"position\":0,\"has_value\":false,\"value"
     "\":0,\"is_text\":true}"},
    {JOURNAL_MODEL,
     "{\"part\":\"weight\",\"name\":\"\\\"x\\\\\",\"position\":-1,\"has_value\":true,"
     "\"value\":0.1,\"is_text\":false}"},
    {JOURNAL_MODEL,
     "{\"part\":\"tensor\",\"name\":\"t\",\"position\":1,\"has_value\":false,\"value\""
     ":0,\"is_text\":false}"},
    {JOURNAL_JOB, "{\"state\":\"done\",\"statement\":\"SELECT \\\"größe\\\"\\nFROM t\",\"model\":\""
                  "m\",\"workers\":0,\"step\":9,\"rows_done\":0,\"rows_redone\":0,\"loss\":0.1,\"go"
                  "odput\":null,\"seconds_waiting\":0,\"seconds\":0,\"error\":\"\",\"started_at\":"
                  "\"\",\"steps\":0,\"epoch\":0,\"epochs\":0,\"rows_per_second\":0,\"validation_los"
                  "s\":0,\"slot_seconds\":0,\"metrics\":\"\"}"},
};

static void entries_are_written_as_they_always_were(void **state)
{
    struct shared *shared = submitted();
    struct job_row row = row_of(JOB_STATE_RUNNING, 3);
    struct fixture master;
    struct error err;
    (void)state;

    row.workers = 4;
    row.rows_done = (uint64_t)1 << 60;
    row.rows_redone = 6;
    row.seconds_waiting = 1.5;
    row.seconds = 2.5;
    row.steps = 8;
    row.epoch = 2;
    row.epochs = 3;
    row.rows_per_second = 1e6;
    row.validation_loss = 0.25;
    row.slot_seconds = 7.5;
    snprintf(row.error, sizeof row.error, "say \"what\"");
    snprintf(row.started_at, sizeof row.started_at, "2026-01-02T03:04:05Z");
    snprintf(row.metrics, sizeof row.metrics, "h:1");
    lead(&master, shared);
    CHECK_OK(jobstore_begin(master.store, &err));
    CHECK_OK(jobstore_put_job(master.store, &row, &err));
    CHECK_OK(jobstore_commit(master.store, &err));
    put_checkpoint(&master, 1, 5);
    put_shard(&master, ((uint64_t)2 << 32) + 1, 20, SHARD_DONE, "abc");
    put_everything(&master);
    CHECK_INT(shared->count, 2 + sizeof recorded / sizeof *recorded);
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        const struct kept *kept = &shared->entries[2 + i];

        CHECK_INT(kept->kind, recorded[i].kind);
        CHECK_SLICE(slice_trim((struct slice){kept->body, kept->body_size}), recorded[i].body);
    }
    close_store(&master);
    free(shared);
}

static enum status replay_shared(struct shared *shared, struct error *err)
{
    struct journal_position position;
    struct fixture session;
    enum status status;

    open_store(&session, shared);
    session.writer.journal.each_piece = NULL;
    status = journal_replay(&session.writer.journal, session.store, &position, err);
    close_store(&session);
    return status;
}

static void no_bit_of_a_model_its_metrics_or_a_result_can_change(void **state)
{
    struct shared *shared = submitted();
    struct fixture master;
    unsigned tried = 0;
    struct error err;
    (void)state;

    lead(&master, shared);
    put_shard(&master, 1, 0, SHARD_DONE, "scored");
    put_everything(&master);
    close_store(&master);
    CHECK_OK(replay_shared(shared, &err));
    for (size_t i = 0; i < shared->count; i++) {
        struct kept *kept = &shared->entries[i];
        const size_t bits = kept->kind == JOURNAL_MODEL || kept->kind == JOURNAL_RESULT ||
                                    kept->kind == JOURNAL_SHARD
                                ? 8 * (kept->body_size + kept->data_size)
                                : 0;

        for (size_t bit = 0; bit < bits; bit += 23, tried++) {
            const size_t at = bit / 8;
            char *byte = at < kept->body_size ? &kept->body[at] : &kept->data[at - kept->body_size];

            *byte = (char)(*byte ^ 1 << bit % 8);
            CHECK_INT(replay_shared(shared, &err), STATUS_CORRUPT);
            *byte = (char)(*byte ^ 1 << bit % 8);
        }
    }
    CHECK(tried > 50);
    free(shared);
}

/* ----- shards ----- */

static enum status print_shard(void *context, const struct shard_row *row, struct error *err)
{
    (void)err;
    text_printf(context, "%llu %llu+%u %s by %u: %.*s|", (unsigned long long)row->lease,
                (unsigned long long)row->first, row->count,
                row->state == SHARD_BAD ? "bad" : "done", row->worker, SLICE_FORMAT(row->results));
    return STATUS_OK;
}

static void check_shards(struct jobstore *store, const char *expected)
{
    struct text found;
    struct error err;

    text_init(&found, TEXT_MAXIMUM);
    CHECK_OK(shardstore_each_settled(store, true, print_shard, &found, &err));
    assert_string_equal(text_string(&found), expected);
    text_deinit(&found);
}

static enum status print_state(void *context, const struct cell *cells, struct error *err)
{
    (void)err;
    text_printf(context, "%lld %.*s|", (long long)cells[4].integer, SLICE_FORMAT(cells[3].text));
    return STATUS_OK;
}

/* The second master finds what the first has settled; results are in the journal alone. */
static void shards_are_settled_once_under_all_masters(void **state)
{
    struct shared *shared = submitted();
    struct fixture first, second, session;
    struct journal_position position;
    struct text leases;
    struct error err;
    (void)state;

    lead(&first, shared);
    put_shard(&first, 1, 0, SHARD_LEASED, NULL);
    put_shard(&first, 2, 10, SHARD_LEASED, NULL);
    put_shard(&first, 1, 0, SHARD_DONE, "abc");
    CHECK_INT(lead(&second, shared), 2);
    check_shards(second.store, "1 0+10 done by 3: |");
    put_shard(&second, 4, 20, SHARD_BAD, NULL);
    put_shard(&second, 3, 10, SHARD_DONE, "de");
    put_shard(&second, 5, 30, SHARD_DONE, "");
    check_shards(second.store, "1 0+10 done by 3: |3 10+10 done by 3: |4 20+10 bad by 3: |"
                               "5 30+10 done by 3: |");
    put_job(&second, JOB_STATE_DONE, 4);
    open_store(&session, shared);
    CHECK_OK(journal_replay(&session.writer.journal, session.store, &position, &err));
    check_shards(session.store, "1 0+10 done by 3: abc|3 10+10 done by 3: de|4 20+10 bad by 3: |"
                                "5 30+10 done by 3: |");
    text_init(&leases, TEXT_MAXIMUM);
    CHECK_OK(jobstore_each_of(session.store, LISTING_SHARDS, print_state, &leases, &err));
    CHECK(strstr(text_string(&leases), "2 returned|") != NULL);
    text_deinit(&leases);
    close_store(&first);
    close_store(&second);
    close_store(&session);
    free(shared);
}

#define SHARD_BODY "{\"lease\": 1, \"first\": 0, \"count\": 10, \"worker\": 0, \"state\": \"%s\"}"

static void a_shard_that_does_not_fit_is_refused(void **state)
{
    static const struct {
        const char *state, *why;
        bool has_data;
        enum status status;
    } cases[] = {{"done", NULL, true, STATUS_OK},
                 {"leased", NULL, false, STATUS_OK},
                 {"leased", "a shard that is leased, with results", true, STATUS_CORRUPT},
                 {"done", "a shard that is done, without results", false, STATUS_CORRUPT},
                 {"dozing", "no shard is in state \"dozing\"", false, STATUS_CORRUPT}};
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shared *shared = submitted();
        struct journal_entry entry = {
            .master = 1, .kind = JOURNAL_SHARD, .data = SLICE("x"), .has_data = cases[i].has_data};
        char body[160];

        snprintf(body, sizeof body, SHARD_BODY, cases[i].state);
        entry.body = slice_of(body);
        if (!entry.has_data)
            entry.data.size = 0;
        add(shared, 1, JOURNAL_CLAIM, "{}");
        keep(shared, &entry);
        error_clear(&err);
        CHECK_INT(replay_shared(shared, &err), cases[i].status);
        if (cases[i].why)
            CHECK(strstr(err.message, cases[i].why) != NULL);
        if (cases[i].status == STATUS_OK && entry.has_data) { /* another lease of the same rows */
            body[strlen("{\"lease\": ")] = '2';
            keep(shared, &entry);
            CHECK(replay_shared(shared, &err) != STATUS_OK);
        }
        free(shared);
    }
}

/* A body of the kind, with one member replaced; NULL takes it away. */
static void body_with(struct text *out, enum journal_kind kind, const char *name, cJSON *value)
{
    struct error err;
    cJSON *body = NULL;

    for (size_t i = 0; i < sizeof recorded / sizeof *recorded && !body; i++)
        if (recorded[i].kind == kind)
            CHECK_OK(json_parse(slice_of(recorded[i].body), TEXT_MAXIMUM, &body, &err));
    CHECK(body != NULL);
    cJSON_DeleteItemFromObjectCaseSensitive(body, name);
    if (value)
        json_add(body, name, value);
    text_clear(out);
    CHECK_OK(json_print(body, false, out, &err));
    cJSON_Delete(body);
}

/* STATUS_OK, or why a journal with this entry is refused. */
static enum status replayed(enum journal_kind kind, struct slice body, struct error *err)
{
    struct shared *shared = submitted();
    struct journal_position position;
    struct fixture session;
    enum status status;

    add(shared, 1, JOURNAL_CLAIM, "{}");
    add(shared, 1, kind, body.data);
    open_store(&session, shared);
    session.writer.journal.each_piece = NULL; /* the head of a checkpoint alone is here */
    status = journal_replay(&session.writer.journal, session.store, &position, err);
    close_store(&session);
    free(shared);
    return status;
}

static cJSON *beyond_the_limit(const struct field *field)
{
    static char many[4096];

    memset(many, 'x', sizeof many);
    switch (field->type) {
    case FIELD_U32:
        return json_integer((int64_t)UINT32_MAX + 1);
    case FIELD_INDEX:
        return json_integer((int64_t)field->limit + 1);
    case FIELD_U64:
        return json_integer(-1);
    case FIELD_STRING:
    case FIELD_CHARS:
        return json_string((struct slice){many, field->limit});
    default:
        return NULL; /* has no limit */
    }
}

/* The limit of each member, and what is missing or of another type. */
static void every_member_of_a_body_is_checked(void **state)
{
    struct text body;
    struct error err;
    (void)state;

    text_init(&body, TEXT_MAXIMUM);
    for (int kind = JOURNAL_JOB; kind < JOURNAL_KINDS; kind++) {
        const struct field_table table = journal_fields((enum journal_kind)kind);

        CHECK((table.count > 0) == (kind != JOURNAL_DROP && kind != JOURNAL_REPORT));
        for (size_t i = 0; i < table.count; i++) {
            const struct field *field = &table.fields[i];
            /* An event without its time is refused by the store. */
            const enum status without = field->type != FIELD_F64         ? STATUS_CORRUPT
                                        : strcmp(field->name, "at") == 0 ? STATUS_DATABASE
                                                                         : STATUS_OK;
            cJSON *beyond = beyond_the_limit(field);

            body_with(&body, (enum journal_kind)kind, field->name, NULL);
            CHECK_INT(replayed((enum journal_kind)kind, text_slice(&body), &err), without);
            body_with(&body, (enum journal_kind)kind, field->name, cJSON_CreateObject());
            CHECK_INT(replayed((enum journal_kind)kind, text_slice(&body), &err), without);
            if (without == STATUS_CORRUPT)
                CHECK(strstr(err.message, field->name) != NULL);
            if (!beyond)
                continue;
            body_with(&body, (enum journal_kind)kind, field->name, beyond);
            CHECK_FAILS(replayed((enum journal_kind)kind, text_slice(&body), &err), STATUS_CORRUPT,
                        field->name);
        }
    }
    text_deinit(&body);
}

static void the_document_is_printed_from_the_lists(void **state)
{
    static char stored[1 << 16];
    const bool writes = getenv("TOTRAIN_WRITE") != NULL;
    FILE *file = fopen(JOURNAL_DOCUMENT, writes ? "wb" : "rb");
    struct text printed;
    size_t size;
    (void)state;

    CHECK(file != NULL);
    text_init(&printed, sizeof stored);
    journal_print_document(&printed);
    if (writes) {
        CHECK_INT(fwrite(printed.data, 1, printed.size, file), printed.size);
    } else {
        size = fread(stored, 1, sizeof stored, file);
        if (!slice_equal(text_slice(&printed), (struct slice){stored, size}))
            check_failed("docs/journal.md is not what the lists say: "
                         "run this test with TOTRAIN_WRITE=1");
    }
    CHECK_INT(fclose(file), 0);
    text_deinit(&printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_what_a_replay_finds),
        cmocka_unit_test(the_rows_of_a_model_that_was_not_finished_are_not_replayed_into_the_next),
        cmocka_unit_test(the_next_master_has_books_and_checkpoint),
        cmocka_unit_test(a_server_goes_on_from_its_newest_snapshot_and_older_ones_go),
        cmocka_unit_test(a_server_that_was_frozen_forgets_nothing_of_the_log_of_moves),
        cmocka_unit_test(a_dropped_checkpoint_does_not_come_back),
        cmocka_unit_test(a_changed_checkpoint_is_replaced_by_the_one_before),
        cmocka_unit_test(a_changed_checkpoint_is_refused),
        cmocka_unit_test(a_master_that_was_replaced_writes_nothing),
        cmocka_unit_test(progress_is_told_now_and_then_and_may_fail),
        cmocka_unit_test(reports_are_in_the_journal_and_in_no_store),
        cmocka_unit_test(a_notice_waits_for_the_database_and_a_turn_fails_without),
        cmocka_unit_test(an_ended_job_is_not_led_again),
        cmocka_unit_test(what_does_not_follow_is_refused),
        cmocka_unit_test(nothing_follows_the_end),
        cmocka_unit_test(shards_are_settled_once_under_all_masters),
        cmocka_unit_test(a_shard_that_does_not_fit_is_refused),
        cmocka_unit_test(a_masters_number_and_a_rows_data_have_limits),
        cmocka_unit_test(entries_are_written_as_they_always_were),
        cmocka_unit_test(no_bit_of_a_model_its_metrics_or_a_result_can_change),
        cmocka_unit_test(every_member_of_a_body_is_checked),
        cmocka_unit_test(the_document_is_printed_from_the_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
