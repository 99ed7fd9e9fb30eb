#include <string.h>
#include <unistd.h>

#include "extension/engine/rows/spooling_close.h"
#include "runtime/data/spool/spool_reader.h"
#include "tests/check.h"
#include "tests/unit/data_fixture.h"

enum { ROWS = 200000, DIFFERENT = 1000 };

static const struct spool_column columns[] = {
    {{"x", 1}, SPOOL_INTEGER, READING_NUMBER, 0, {LIST_NONE}}};

static struct spool_writer *write_rows(const char *path, uint32_t rows)
{
    const struct spool_order order = {
        .by_key = true, .seed = 3, .held_out = {.share = 0.2}, .threads = 2};
    struct spool_writer *writer;
    struct error err;

    CHECK_OK(spool_writer_open(path, columns, 1, 0, &writer, &err));
    CHECK_OK(spool_writer_sort(writer, &order, &err));
    for (uint32_t i = 0; i < rows; i++) {
        CHECK_OK(spool_put_integer(writer, i % DIFFERENT, &err));
        CHECK_OK(spool_end_row(writer, &err));
    }
    return writer;
}

/* A session that is interrupted when it has been asked so often. */
struct session {
    uint32_t asked, patience;
};

static bool interrupted(void *self)
{
    struct session *session = self;

    return session->asked++ >= session->patience;
}

static struct host host_of(struct session *session)
{
    return (struct host){.self = session, .session = {.interrupted = interrupted}};
}

static void check_rows(const char *path, uint64_t rows)
{
    struct spool spool;
    struct arena arena;
    struct error err;

    arena_init(&arena, (size_t)1 << 30);
    CHECK_OK(spool_open(path, NULL, NULL, &arena, &spool, &err));
    CHECK(spool.rows == rows && spool.ranges.rows[SPOOL_HELD_OUT] == rows / 5);
    spool_close(&spool);
    arena_deinit(&arena);
}

static void a_session_that_is_not_interrupted_gets_its_spool(void **state)
{
    struct session session = {0, UINT32_MAX};
    const struct host host = host_of(&session);
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spooling_close(&host, write_rows(folder_file(&folder, "train.spool"), ROWS), &err));
    CHECK(session.asked > 0);
    check_rows(folder.file, ROWS);
    session = (struct session){0, 0};
    CHECK_OK(spooling_close(&host, write_rows(folder.file, 500), &err));
    CHECK_INT(session.asked, 0); /* it takes no time */
    check_rows(folder.file, 500);
    folder_close(&folder);
}

static void a_session_that_is_interrupted_gets_none(void **state)
{
    struct session session = {0, 0};
    const struct host host = host_of(&session);
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_FAILS(spooling_close(&host, write_rows(folder_file(&folder, "train.spool"), ROWS), &err),
                STATUS_INTERRUPTED, "interrupted");
    CHECK_INT(session.asked, 1);
    folder_close(&folder);
}

static void what_fails_is_said(void **state)
{
    struct session session = {0, UINT32_MAX};
    const struct host host = host_of(&session);
    struct spool_writer *writer;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    writer = write_rows(folder_file(&folder, "train.spool"), ROWS);
    CHECK_FAILS(spool_end_row(writer, &err), STATUS_INVALID, "a row of 0 cells");
    CHECK_FAILS(spooling_close(&host, writer, &err), STATUS_INVALID, "a row of 0 cells");
    CHECK(access(folder.file, F_OK) != 0);
    folder_close(&folder);
}

/* ---- a writer that is asked to stop ---- */

struct patience {
    uint32_t asked, left;
};

static bool is_out_of_patience(void *context)
{
    struct patience *patience = context;

    return patience->asked++ >= patience->left;
}

static enum status close_after(const char *path, struct patience *patience, struct error *err)
{
    const struct spool_order order = {
        .by_key = true, .seed = 3, .held_out = {.share = 0.2}, .threads = 1};
    struct spool_writer *writer;

    TRY(spool_writer_open(path, columns, 1, 0, &writer, err));
    TRY(spool_writer_sort(writer, &order, err));
    for (uint32_t i = 0; i < 3000; i++) {
        TRY(spool_put_integer(writer, i % 2500, err));
        TRY(spool_end_row(writer, err));
    }
    spool_writer_watch(writer, is_out_of_patience, patience);
    return spool_writer_close(writer, err);
}

/* In whichever pass over the rows it is, for each of which it asks. */
static void a_writer_stops_wherever_it_is(void **state)
{
    struct patience patient = {0, UINT32_MAX};
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(close_after(folder_file(&folder, "train.spool"), &patient, &err));
    check_rows(folder.file, 3000);
    CHECK(patient.asked > 500); /* each of the copies at least */
    for (uint32_t left = 0; left < patient.asked; left += left < patient.asked - 40 ? 37 : 1) {
        struct patience patience = {0, left};

        CHECK_FAILS(close_after(folder.file, &patience, &err), STATUS_INTERRUPTED, "interrupted");
        CHECK_INT(patience.asked, left + 1);
        CHECK(access(folder.file, F_OK) != 0);
    }
    folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_that_is_not_interrupted_gets_its_spool),
        cmocka_unit_test(a_session_that_is_interrupted_gets_none),
        cmocka_unit_test(what_fails_is_said),
        cmocka_unit_test(a_writer_stops_wherever_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
