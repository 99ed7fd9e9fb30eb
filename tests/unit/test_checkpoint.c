/*
 * A checkpoint in a store: whole or not there, whatever happens to it.
 */
#include "tests/check.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/data/store/checkpoint.h"
#include "runtime/data/store/step_log.h"

#define JOB      7
#define IDENTITY 0xfeedface12345678u

struct fixture {
    char folder[32], path[64];
    struct jobstore *store;
};

static void open_store(struct fixture *fixture)
{
    struct error err;

    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/totrain-test.XXXXXX");
    CHECK(mkdtemp(fixture->folder) != NULL);
    snprintf(fixture->path, sizeof fixture->path, "%s/job.db", fixture->folder);
    CHECK_OK(jobstore_create(fixture->path, &fixture->store, &err));
}

static void close_store(struct fixture *fixture)
{
    char log[80];

    jobstore_close(fixture->store);
    unlink(fixture->path);
    snprintf(log, sizeof log, "%s-wal", fixture->path);
    unlink(log);
    snprintf(log, sizeof log, "%s-shm", fixture->path);
    unlink(log);
    rmdir(fixture->folder);
}

/* Another program changes the store. */
static void meddle(const struct fixture *fixture, const char *sql)
{
    sqlite3 *database;

    CHECK(sqlite3_open(fixture->path, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK);
    CHECK(sqlite3_changes(database) > 0);
    sqlite3_close(database);
}

static struct checkpoint head_of(uint64_t id, uint64_t phase)
{
    return (struct checkpoint){.id = id,
                               .job = JOB,
                               .identity = IDENTITY,
                               .phase = phase,
                               .step = phase,
                               .rows_done = 100 * phase,
                               .bytes = 25,
                               .piece_bytes = 10};
}

/* 25 bytes in three pieces, all of the letter `what`. */
static void put(struct fixture *fixture, uint64_t id, char what)
{
    char bytes[10];
    struct error err;

    memset(bytes, what, sizeof bytes);
    for (uint64_t position = 0; position < 3; position++)
        CHECK_OK(checkpoint_put_piece(fixture->store, id, position,
                                      (struct slice){bytes, position < 2 ? 10 : 5}, &err));
}

static void finish(struct fixture *fixture, uint64_t id, uint64_t phase)
{
    struct checkpoint head = head_of(id, phase);
    struct error err;

    CHECK_OK(checkpoint_finish(fixture->store, &head, &err));
}

/* Its pieces of that letter, and its head. */
static void store_checkpoint(struct fixture *fixture, uint64_t id, char letter, uint64_t phase)
{
    put(fixture, id, letter);
    finish(fixture, id, phase);
}

/* The stored one is of this id and letter. */
static void check_is(struct fixture *fixture, uint64_t id, char what)
{
    struct checkpoint found;
    struct text bytes;
    struct error err;

    CHECK_OK(checkpoint_open(fixture->store, JOB, IDENTITY, &found, &err));
    CHECK(found.id == id && found.bytes == 25 && found.rows_done == 100 * found.phase);
    text_init(&bytes, 1000);
    for (uint64_t position = 0; position < checkpoint_pieces(&found); position++)
        CHECK_OK(checkpoint_read_piece(fixture->store, &found, position, &bytes, &err));
    CHECK_INT(bytes.size, 25);
    for (size_t i = 0; i < bytes.size; i++)
        CHECK_INT(bytes.data[i], what);
    text_deinit(&bytes);
}

static void a_finished_checkpoint_takes_the_place_of_the_one_before(void **state)
{
    struct fixture fixture;
    struct checkpoint found;
    struct error err;
    (void)state;

    open_store(&fixture);
    CHECK_FAILS(checkpoint_open(fixture.store, JOB, IDENTITY, &found, &err), STATUS_NOT_FOUND,
                "no checkpoint");
    put(&fixture, 1, 'a');
    CHECK(checkpoint_open(fixture.store, JOB, IDENTITY, &found, &err) == STATUS_NOT_FOUND);
    finish(&fixture, 1, 4);
    check_is(&fixture, 1, 'a');
    put(&fixture, 2, 'b'); /* on its way: the old one counts */
    check_is(&fixture, 1, 'a');
    finish(&fixture, 2, 9);
    check_is(&fixture, 2, 'b');
    CHECK_OK(checkpoint_drop(fixture.store, &err));
    CHECK(checkpoint_open(fixture.store, JOB, IDENTITY, &found, &err) == STATUS_NOT_FOUND);
    close_store(&fixture);
}

static void the_one_before_is_kept_and_no_third(void **state)
{
    struct fixture fixture;
    struct checkpoint found;
    struct error err;
    (void)state;

    open_store(&fixture);
    store_checkpoint(&fixture, 1, 'a', 4);
    CHECK_FAILS(checkpoint_open_older(fixture.store, JOB, IDENTITY, &found, &err), STATUS_NOT_FOUND,
                "no checkpoint");
    store_checkpoint(&fixture, 2, 'b', 9);
    CHECK_OK(checkpoint_open_older(fixture.store, JOB, IDENTITY, &found, &err));
    CHECK_INT(found.id, 1);
    store_checkpoint(&fixture, 3, 'c', 12);
    CHECK_OK(checkpoint_open_older(fixture.store, JOB, IDENTITY, &found, &err));
    CHECK_INT(found.id, 2);
    check_is(&fixture, 3, 'c');
    close_store(&fixture);
}

/* The newest is damaged; the job goes on from the one before, and makes the next of an earlier
 * phase than that had. */
static void the_one_before_serves_when_the_newest_is_damaged(void **state)
{
    struct fixture fixture;
    struct checkpoint found;
    struct error err;
    (void)state;

    open_store(&fixture);
    store_checkpoint(&fixture, 1, 'a', 4);
    store_checkpoint(&fixture, 2, 'b', 9);
    meddle(&fixture, "UPDATE checkpoint SET step = step + 1 WHERE id = 2");
    CHECK_FAILS(checkpoint_open(fixture.store, JOB, IDENTITY, &found, &err), STATUS_CORRUPT,
                "head is damaged");
    CHECK_OK(checkpoint_open_older(fixture.store, JOB, IDENTITY, &found, &err));
    store_checkpoint(&fixture, 3, 'c', 7);
    check_is(&fixture, 3, 'c');
    CHECK_OK(checkpoint_open_older(fixture.store, JOB, IDENTITY, &found, &err));
    CHECK_INT(found.id, 1);
    CHECK_OK(checkpoint_keep(fixture.store, 1, &err));
    check_is(&fixture, 1, 'a');
    CHECK_FAILS(checkpoint_open_older(fixture.store, JOB, IDENTITY, &found, &err), STATUS_NOT_FOUND,
                "no checkpoint");
    close_store(&fixture);
}

static void a_checkpoint_with_a_piece_missing_is_not_finished(void **state)
{
    struct fixture fixture;
    struct checkpoint head = head_of(2, 9);
    struct error err;
    (void)state;

    open_store(&fixture);
    store_checkpoint(&fixture, 1, 'a', 4);
    CHECK_OK(checkpoint_put_piece(fixture.store, 2, 0, SLICE("0123456789"), &err));
    CHECK_OK(checkpoint_put_piece(fixture.store, 2, 2, SLICE("01234"), &err));
    CHECK_FAILS(checkpoint_finish(fixture.store, &head, &err), STATUS_CORRUPT, "piece 1 of 3");
    CHECK_OK(checkpoint_put_piece(fixture.store, 2, 1, SLICE("short"), &err));
    CHECK_FAILS(checkpoint_finish(fixture.store, &head, &err), STATUS_CORRUPT, "piece 1 of 3");
    check_is(&fixture, 1, 'a');
    close_store(&fixture);
}

static void a_replaced_checkpoint_is_not_mixed_with_its_successor(void **state)
{
    struct fixture fixture;
    struct checkpoint old;
    struct text bytes;
    struct error err;
    (void)state;

    open_store(&fixture);
    store_checkpoint(&fixture, 1, 'a', 4);
    CHECK_OK(checkpoint_open(fixture.store, JOB, IDENTITY, &old, &err));
    store_checkpoint(&fixture, 2, 'b', 9);
    store_checkpoint(&fixture, 3, 'c', 12);
    text_init(&bytes, 100);
    CHECK_FAILS(checkpoint_read_piece(fixture.store, &old, 1, &bytes, &err), STATUS_NOT_FOUND,
                "has been replaced");
    text_deinit(&bytes);
    close_store(&fixture);
}

static void what_was_changed_or_is_of_another_job_is_refused(void **state)
{
    static const struct {
        const char *damage, *reason;
    } cases[] = {
        {"UPDATE checkpoint SET version = 2", "another version"},
        {"UPDATE checkpoint SET job = 8", "another job"},
        {"UPDATE checkpoint SET identity = 1", "another job spec or other rows"},
        {"UPDATE checkpoint SET phase = phase + 1", "head is damaged"},
        {"UPDATE checkpoint SET step = step + 1", "head is damaged"},
        {"UPDATE checkpoint SET rows_done = 0", "head is damaged"},
        {"UPDATE checkpoint SET hash = hash + 1", "head is damaged"},
        {"UPDATE checkpoint SET bytes = bytes - 1", "not as it should be"},
        {"UPDATE checkpoint SET bytes = -1", "a checkpoint of"},
        {"UPDATE checkpoint SET piece_bytes = 0", "in pieces of 0 bytes"},
        {"UPDATE checkpoint SET phase = 'x'", "malformed"},
        {"UPDATE checkpoint_pieces SET hash = hash + 1 WHERE position = 1", "head is damaged"},
        {"UPDATE checkpoint_pieces SET bytes = x'00' WHERE position = 2", "piece 2 of 3"},
        {"DELETE FROM checkpoint_pieces WHERE position = 0", "piece 0 of 3"},
        {"INSERT INTO checkpoint SELECT id + 1, version, job, identity, phase, step, rows_done,"
         " bytes, piece_bytes, hash FROM checkpoint",
         "piece 0 of 3"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        struct checkpoint found;
        struct error err;

        open_store(&fixture);
        put(&fixture, 1, 'a');
        finish(&fixture, 1, 4);
        meddle(&fixture, cases[i].damage);
        CHECK_FAILS(checkpoint_open(fixture.store, JOB, IDENTITY, &found, &err), STATUS_CORRUPT,
                    cases[i].reason);
        CHECK_INT(found.phase, 0);
        close_store(&fixture);
    }
}

static void a_changed_bit_in_a_piece_is_seen_when_it_is_read(void **state)
{
    struct fixture fixture;
    struct checkpoint found;
    struct text bytes;
    struct error err;
    (void)state;

    open_store(&fixture);
    store_checkpoint(&fixture, 1, 'a', 4);
    meddle(&fixture, "UPDATE checkpoint_pieces SET bytes = CAST('aaaaaaaaac' AS BLOB)"
                     " WHERE position = 1");
    CHECK_OK(checkpoint_open(fixture.store, JOB, IDENTITY, &found, &err));
    text_init(&bytes, 100);
    CHECK_OK(checkpoint_read_piece(fixture.store, &found, 0, &bytes, &err));
    CHECK_FAILS(checkpoint_read_piece(fixture.store, &found, 1, &bytes, &err), STATUS_CORRUPT,
                "piece 1 is damaged");
    CHECK_INT(bytes.size, 10);
    text_deinit(&bytes);
    close_store(&fixture);
}

static void only_the_last_who_claimed_the_store_leads(void **state)
{
    struct fixture fixture;
    uint32_t first, second, third;
    struct error err;
    (void)state;

    open_store(&fixture);
    CHECK_OK(jobstore_claim(fixture.store, 0, &first, &err));
    CHECK_INT(first, 0);
    CHECK_OK(jobstore_check_claim(fixture.store, first, &err));
    CHECK_OK(jobstore_claim(fixture.store, 0, &second, &err));
    CHECK_INT(second, 1);
    CHECK_FAILS(jobstore_check_claim(fixture.store, first, &err), STATUS_STALE, "master 1 leads");
    CHECK_OK(jobstore_claim(fixture.store, 5, &third, &err));
    CHECK_INT(third, 5);
    close_store(&fixture);
}

/* ---- the log of steps (step_log.h) ---- */

static void put_step(struct fixture *fixture, uint64_t step, struct slice body)
{
    struct text entry;
    struct error err;
    uint32_t size = (uint32_t)body.size;

    text_init(&entry, TEXT_MAXIMUM);
    text_append(&entry, (struct slice){(const char *)&size, sizeof size});
    text_append(&entry, body);
    CHECK_OK(step_log_put(fixture->store, step, text_slice(&entry), &err));
    text_deinit(&entry);
}

static enum status read_step(struct fixture *fixture, uint64_t step, struct text *entry)
{
    struct error err;

    text_clear(entry);
    return step_log_read(fixture->store, step, entry, &err);
}

static void steps_stay_in_the_log_until_all_checkpoints_have_them(void **state)
{
    struct fixture fixture;
    struct text entry;
    struct error err;
    char *large = calloc(1, 20u << 20);
    (void)state;

    open_store(&fixture);
    text_init(&entry, TEXT_MAXIMUM);
    CHECK(large != NULL);
    CHECK_OK(step_log_begin(fixture.store, &err));
    for (uint64_t step = 3; step < 6; step++)
        put_step(&fixture, step, SLICE("abc"));
    put_step(&fixture, 6, (struct slice){large, 20u << 20}); /* a checkpoint of several pieces */
    CHECK_OK(checkpoint_abandon(fixture.store, &err));       /* takes none of them */
    for (uint64_t step = 3; step < 6; step++) {
        CHECK_OK(read_step(&fixture, step, &entry));
        CHECK_INT(entry.size, sizeof(uint32_t) + 3);
    }
    CHECK_OK(read_step(&fixture, 6, &entry));
    CHECK_INT(entry.size, sizeof(uint32_t) + (20u << 20));
    CHECK(read_step(&fixture, 7, &entry) == STATUS_NOT_FOUND);
    CHECK_OK(step_log_forget(fixture.store, 5, 0, &err));
    CHECK(read_step(&fixture, 4, &entry) == STATUS_NOT_FOUND);
    CHECK_OK(read_step(&fixture, 5, &entry));
    CHECK_OK(step_log_forget_all(fixture.store, &err));
    CHECK(read_step(&fixture, 5, &entry) == STATUS_NOT_FOUND);
    free(large);
    text_deinit(&entry);
    close_store(&fixture);
}

static void the_first_entry_of_a_move_forgets_those_of_one_that_was_given_up(void **state)
{
    const uint64_t move = step_log_move(3, 0);
    struct fixture fixture;
    struct text entry;
    struct error err;
    (void)state;

    open_store(&fixture);
    text_init(&entry, TEXT_MAXIMUM);
    put_step(&fixture, 8, SLICE("abc"));
    for (uint32_t i = 0; i < 4; i++)
        put_step(&fixture, step_log_move(2, i), SLICE("before"));
    for (uint32_t i = 0; i < 4; i++)
        put_step(&fixture, move + i, SLICE("abc"));
    put_step(&fixture, move, SLICE("other"));
    CHECK_OK(read_step(&fixture, move, &entry));
    CHECK(read_step(&fixture, move + 1, &entry) == STATUS_NOT_FOUND);
    put_step(&fixture, move + 1, SLICE("abc"));
    CHECK_OK(step_log_put(fixture.store, move, SLICE(""), &err)); /* it does not take place */
    for (uint32_t i = 0; i < 4; i++)
        CHECK(read_step(&fixture, move + i, &entry) == STATUS_NOT_FOUND);
    CHECK_OK(read_step(&fixture, step_log_move(2, 3), &entry));
    CHECK_OK(read_step(&fixture, 8, &entry));
    put_step(&fixture, move, SLICE("abc"));
    CHECK_OK(step_log_forget(fixture.store, 0, 3, &err)); /* the move is the first to be kept */
    CHECK(read_step(&fixture, step_log_move(2, 3), &entry) == STATUS_NOT_FOUND);
    CHECK_OK(read_step(&fixture, move, &entry));
    CHECK_OK(read_step(&fixture, 8, &entry));
    text_deinit(&entry);
    close_store(&fixture);
}

static void a_step_that_is_damaged_or_not_whole_is_not_read(void **state)
{
    struct fixture fixture;
    struct text entry;
    (void)state;

    open_store(&fixture);
    text_init(&entry, TEXT_MAXIMUM);
    put_step(&fixture, 0, SLICE("abc"));
    meddle(&fixture, "UPDATE checkpoint_pieces SET bytes = x'030000006162'");
    CHECK(read_step(&fixture, 0, &entry) == STATUS_CORRUPT);
    meddle(&fixture, "DELETE FROM checkpoint_pieces");
    CHECK(read_step(&fixture, 0, &entry) == STATUS_NOT_FOUND);
    text_deinit(&entry);
    close_store(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finished_checkpoint_takes_the_place_of_the_one_before),
        cmocka_unit_test(the_one_before_is_kept_and_no_third),
        cmocka_unit_test(the_one_before_serves_when_the_newest_is_damaged),
        cmocka_unit_test(a_checkpoint_with_a_piece_missing_is_not_finished),
        cmocka_unit_test(a_replaced_checkpoint_is_not_mixed_with_its_successor),
        cmocka_unit_test(what_was_changed_or_is_of_another_job_is_refused),
        cmocka_unit_test(a_changed_bit_in_a_piece_is_seen_when_it_is_read),
        cmocka_unit_test(only_the_last_who_claimed_the_store_leads),
        cmocka_unit_test(steps_stay_in_the_log_until_all_checkpoints_have_them),
        cmocka_unit_test(the_first_entry_of_a_move_forgets_those_of_one_that_was_given_up),
        cmocka_unit_test(a_step_that_is_damaged_or_not_whole_is_not_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
