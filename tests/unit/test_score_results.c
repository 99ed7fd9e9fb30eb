#include <stdlib.h>
#include <unistd.h>

#include "base/cell_bytes.h"
#include "extension/engine/score/score_results.h"
#include "runtime/data/spool/spool_writer.h"
#include "runtime/data/store/shard_results.h"
#include "runtime/data/store/shardstore.h"
#include "tests/check.h"

#define ROWS 3

/* The folder of a job whose rows are one number each, of which nothing is settled yet. */
struct fixture {
    char folder[64], path[96];
    struct jobspec spec;
    struct scored scored;
    struct jobstore *store;
};

static void spool_rows(const char *path)
{
    const struct spool_column column = {SLICE("row"), SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}};
    struct spool_writer *writer;
    struct error err;
    struct text row;

    CHECK_OK(spool_writer_open(path, &column, 1, 0, &writer, &err));
    text_init(&row, TEXT_MAXIMUM);
    for (int i = 0; i < ROWS; i++) {
        const struct cell cell = cell_integer(i);

        text_clear(&row);
        cell_put(&row, &cell);
        CHECK_OK(spool_put_text(writer, text_slice(&row), &err));
        CHECK_OK(spool_end_row(writer, &err));
    }
    text_deinit(&row);
    CHECK_OK(spool_writer_close(writer, &err));
}

static void fixture_init(struct fixture *fixture)
{
    struct error err;

    *fixture = (struct fixture){.folder = "/tmp/totrain-scores-XXXXXX"};
    CHECK(mkdtemp(fixture->folder) != NULL);
    snprintf(fixture->path, sizeof fixture->path, "%s/rows.spool", fixture->folder);
    spool_rows(fixture->path);
    fixture->spec.scoring = (struct spec_scoring){
        .rows = ROWS, .columns = 1, .label = JOBSPEC_NO_LABEL, .output_count = 1};
    CHECK_OK(scored_open(&fixture->scored, fixture->folder, &fixture->spec, &err));
    (void)unlink(fixture->path);
    snprintf(fixture->path, sizeof fixture->path, "%s/job.db", fixture->folder);
    CHECK_OK(jobstore_create(fixture->path, &fixture->store, &err));
}

static void fixture_deinit(struct fixture *fixture)
{
    char other[128];

    jobstore_close(fixture->store);
    scored_close(&fixture->scored);
    (void)unlink(fixture->path);
    snprintf(other, sizeof other, "%s-wal", fixture->path);
    (void)unlink(other);
    snprintf(other, sizeof other, "%s-shm", fixture->path);
    (void)unlink(other);
    CHECK(rmdir(fixture->folder) == 0);
}

/* A shard of `count` rows with the results of `results` rows, and some bytes behind them. */
static void settle(struct fixture *fixture, uint64_t first, uint32_t count, int results,
                   const char *behind)
{
    const struct cell output = cell_real(0.5);
    struct shard_row row = {
        .lease = first + 1, .first = first, .count = count, .state = SHARD_DONE};
    struct text bytes;
    struct error err;

    text_init(&bytes, TEXT_MAXIMUM);
    for (int i = 0; i < results; i++) {
        shard_put_outputs(&bytes);
        cell_put(&bytes, &output);
    }
    text_append_string(&bytes, behind);
    row.results = text_slice(&bytes);
    CHECK_OK(shardstore_put(fixture->store, &row, &err));
    text_deinit(&bytes);
}

static void every_row_has_its_results(void **state)
{
    struct fixture fixture;
    uint64_t rows[2];
    struct error err;
    (void)state;

    fixture_init(&fixture);
    settle(&fixture, 2, 1, 1, "");
    CHECK_FAILS(scored_count(&fixture.scored, fixture.store, rows, &err), STATUS_CORRUPT,
                "where 1 is next");
    settle(&fixture, 0, 2, 2, "");
    CHECK_OK(scored_count(&fixture.scored, fixture.store, rows, &err));
    CHECK(rows[0] == ROWS && rows[1] == 0);
    fixture_deinit(&fixture);
}

static void a_shard_that_holds_more_than_its_rows_is_refused(void **state)
{
    static const struct {
        int results;
        const char *behind;
    } more[] = {{ROWS + 1, ""}, {ROWS, "x"}};
    (void)state;

    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        struct fixture fixture;
        uint64_t rows[2];
        struct error err;

        fixture_init(&fixture);
        settle(&fixture, 0, ROWS, more[i].results, more[i].behind);
        CHECK_FAILS(scored_count(&fixture.scored, fixture.store, rows, &err), STATUS_CORRUPT,
                    "results of more rows than a shard has");
        fixture_deinit(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_its_results),
        cmocka_unit_test(a_shard_that_holds_more_than_its_rows_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
