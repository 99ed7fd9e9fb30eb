#include "tests/check.h"

#include <stdlib.h>
#include <unistd.h>

#include "runtime/data/store/shard_results.h"
#include "runtime/data/store/shardstore.h"

struct seen {
    uint32_t count;
    uint64_t first[8];
    bool is_bad[8];
    char results[8][16];
};

static enum status see(void *context, const struct shard_row *row, struct error *err)
{
    struct seen *seen = context;
    (void)err;

    seen->first[seen->count] = row->first;
    seen->is_bad[seen->count] = row->state == SHARD_BAD;
    snprintf(seen->results[seen->count++], 16, "%.*s", SLICE_FORMAT(row->results));
    return STATUS_OK;
}

static struct jobstore *open_new(char path[64])
{
    char folder[] = "/tmp/totrain-test.XXXXXX";
    struct jobstore *store;
    struct error err;

    assert_non_null(mkdtemp(folder));
    snprintf(path, 64, "%s/job.db", folder);
    CHECK_OK(jobstore_create(path, &store, &err));
    return store;
}

static void close_and_remove(struct jobstore *store, const char *path)
{
    char other[80];

    jobstore_close(store);
    (void)unlink(path);
    snprintf(other, sizeof other, "%s-wal", path);
    (void)unlink(other);
    snprintf(other, sizeof other, "%s-shm", path);
    (void)unlink(other);
    snprintf(other, sizeof other, "%.*s", (int)(strrchr(path, '/') - path), path);
    CHECK_INT(rmdir(other), 0);
}

static void settled_shards_come_back_in_order_and_no_row_is_settled_twice(void **state)
{
    struct shard_row row = {.lease = 5, .first = 10, .count = 10, .state = SHARD_LEASED};
    struct seen seen = {.count = 0};
    struct jobstore *store;
    struct error err;
    char path[64];
    (void)state;

    store = open_new(path);
    CHECK_OK(shardstore_put(store, &row, &err));
    row.state = SHARD_DONE;
    row.results = SLICE("second");
    CHECK_OK(shardstore_put(store, &row, &err));
    row = (struct shard_row){.lease = 6, .first = 0, .count = 10, .state = SHARD_LEASED};
    CHECK_OK(shardstore_put(store, &row, &err));
    CHECK_OK(shardstore_return_all(store, &err));
    row = (struct shard_row){
        .lease = 7, .first = 0, .count = 10, .state = SHARD_DONE, .results = SLICE("first")};
    CHECK_OK(shardstore_put(store, &row, &err));
    row = (struct shard_row){.lease = 8, .first = 20, .count = 1, .state = SHARD_BAD};
    CHECK_OK(shardstore_put(store, &row, &err));
    row = (struct shard_row){.lease = 9, .first = 0, .count = 10, .state = SHARD_DONE};
    CHECK_FAILS(shardstore_put(store, &row, &err), STATUS_DATABASE, "UNIQUE");
    CHECK_OK(shardstore_each_settled(store, true, see, &seen, &err));
    CHECK_INT(seen.count, 3);
    CHECK(seen.first[0] == 0 && seen.first[1] == 10 && seen.first[2] == 20);
    CHECK(!seen.is_bad[1] && seen.is_bad[2]);
    CHECK_INT(shardstore_rows_settled(store), 21); /* those that are put aside, too */
    assert_string_equal(seen.results[0], "first");
    assert_string_equal(seen.results[1], "second");
    CHECK_OK(shardstore_drop_results(store, &err));
    seen.count = 0;
    CHECK_OK(shardstore_each_settled(store, true, see, &seen, &err));
    assert_string_equal(seen.results[0], "");
    close_and_remove(store, path);
}

static void targets_come_back_as_they_were_put(void **state)
{
    const struct shard_target target = {SLICE(""), SLICE("my \"p\""), SLICE("CREATE TABLE x(a)")};
    struct shard_target found;
    struct jobstore *store;
    struct arena arena;
    struct error err;
    char path[64];
    (void)state;

    store = open_new(path);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(shardstore_put_target(store, 0, &target, &err));
    CHECK_OK(shardstore_get_target(store, 0, &arena, &found, &err));
    CHECK_SLICE(found.name, "my \"p\"");
    CHECK_SLICE(found.definition, "CREATE TABLE x(a)");
    CHECK_FAILS(shardstore_get_target(store, 1, &arena, &found, &err), STATUS_NOT_FOUND, "table 1");
    arena_deinit(&arena);
    close_and_remove(store, path);
}

static void results_are_read_as_they_were_put_and_damage_is_refused(void **state)
{
    const struct cell cell = {.type = CELL_REAL, .real = 0.1};
    const struct metrics_row measured = {.label = 1,
                                         .predicted = METRICS_UNKNOWN,
                                         .score = 0.5f,
                                         .scores = SLICE("abcd"),
                                         .loss = -0.25,
                                         .value = 3,
                                         .inputs = SLICE("12345678"),
                                         .numbers = {0.5, 0.75},
                                         .number_count = 2,
                                         .upper = 9,
                                         .group = 77,
                                         .key = 88};
    struct metrics_row row;
    struct byte_reader reader;
    struct slice reason;
    struct text bytes;
    struct cell found;
    struct error err;
    bool has_label;
    (void)state;

    text_init(&bytes, TEXT_MAXIMUM);
    shard_put_outputs(&bytes);
    cell_put(&bytes, &cell);
    shard_put_reason(&bytes, "too bad");
    shard_put_metrics(&bytes, &measured);
    reader = byte_reader_over(text_slice(&bytes));
    CHECK_OK(shard_read_outputs(&reader, &found, 1, &reason, &err));
    CHECK(found.type == CELL_REAL && found.real == 0.1 && reason.size == 0);
    CHECK_OK(shard_read_outputs(&reader, &found, 1, &reason, &err));
    CHECK_SLICE(reason, "too bad");
    CHECK_OK(shard_read_metrics(&reader, &row, NULL, &err));
    CHECK(row.label == 1 && row.predicted == METRICS_UNKNOWN && row.score == 0.5f);
    CHECK(row.loss == -0.25 && row.value == 3 && reader_is_done(&reader));
    CHECK_SLICE(row.inputs, "12345678");
    CHECK_SLICE(row.scores, "abcd");
    CHECK(row.number_count == 2 && row.numbers[1] == 0.75);
    CHECK(row.upper == 9 && row.group == 77 && row.key == 88);
    CHECK_FAILS(shard_read_metrics(&reader, &row, NULL, &err), STATUS_CORRUPT, "damaged");
    text_clear(&bytes);
    shard_put_reason(&bytes, "too bad");
    shard_put_outputs(&bytes);
    shard_put_metrics(&bytes, &measured);
    reader = byte_reader_over(text_slice(&bytes));
    CHECK_OK(shard_read_metrics(&reader, &row, &reason, &err));
    CHECK_SLICE(reason, "too bad");
    CHECK_OK(shard_read_metrics(&reader, &row, &reason, &err));
    CHECK(reason.size == 0 && row.loss == -0.25 && reader_is_done(&reader));
    CHECK_FAILS(shard_read_metrics(&reader, &row, &reason, &err), STATUS_CORRUPT, "damaged");
    text_clear(&bytes);
    shard_put_label_metrics(&bytes, NULL);
    shard_put_label_metrics(&bytes, &measured);
    reader = byte_reader_over(text_slice(&bytes));
    CHECK_OK(shard_read_label_metrics(&reader, &has_label, &row, &err));
    CHECK(!has_label);
    CHECK_OK(shard_read_label_metrics(&reader, &has_label, &row, &err));
    CHECK(has_label && row.loss == -0.25 && reader_is_done(&reader));
    CHECK_FAILS(shard_read_label_metrics(&reader, &has_label, &row, &err), STATUS_CORRUPT,
                "damaged");
    reader = byte_reader_over(SLICE("\2"));
    CHECK_FAILS(shard_read_label_metrics(&reader, &has_label, &row, &err), STATUS_CORRUPT,
                "damaged");
    text_clear(&bytes);
    shard_put_outputs(&bytes);
    cell_put(&bytes, &cell);
    for (size_t size = 0; size < 10; size++) {
        reader = byte_reader_over((struct slice){bytes.data, size});
        CHECK_FAILS(shard_read_outputs(&reader, &found, 1, &reason, &err), STATUS_CORRUPT,
                    "damaged");
    }
    reader = byte_reader_over(SLICE("\7abc"));
    CHECK_FAILS(shard_read_outputs(&reader, &found, 1, &reason, &err), STATUS_CORRUPT, "damaged");
    text_deinit(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settled_shards_come_back_in_order_and_no_row_is_settled_twice),
        cmocka_unit_test(targets_come_back_as_they_were_put),
        cmocka_unit_test(results_are_read_as_they_were_put_and_damage_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
