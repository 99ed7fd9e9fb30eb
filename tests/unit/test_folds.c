#include "runtime/data/folds.h"
#include "tests/check.h"

#include "runtime/data/crossed.h"
#include "runtime/data/spool/spool_reader.h"
#include "runtime/data/store/fold_results.h"

#include "tests/unit/data_fixture.h"

#include <math.h>

#define ROWS    503
#define COLUMNS 3

/* A number (with NULLs and equal rows), a class, and a group as text. */
static const struct spool_column columns[COLUMNS] = {
    {{"x", 1}, SPOOL_REAL, 0, 0, {LIST_NONE}},
    {{"class", 5}, SPOOL_INTEGER, 0, 0, {LIST_NONE}},
    {{"group", 5}, SPOOL_TEXT, 0, 0, {LIST_NONE}}};

static struct folder folder;
static uint32_t order[ROWS]; /* in which rows come */

static struct spool_order lies(bool by_group)
{
    return (struct spool_order){
        .by_key = true,
        .seed = 7,
        .held_out = {.by_group = by_group, .group_column = 2, .group_columns = 1},
        .threads = 2};
}

static void put_row(struct spool_writer *writer, uint32_t row)
{
    char group[8];
    struct error err;

    snprintf(group, sizeof group, "g%u", row % 23);
    if (row % 31 == 0)
        CHECK_OK(spool_put_null(writer, &err));
    else
        CHECK_OK(spool_put_real(writer, row % 100 == 99 ? 5 : row / 8.0, &err));
    CHECK_OK(spool_put_integer(writer, row % 17 == 0 ? 2 : row % 3 == 0, &err));
    CHECK_OK(spool_put_text(writer, slice_of(group), &err));
    CHECK_OK(spool_end_row(writer, &err));
}

static struct spool_writer *open_writer(const char *path, bool by_group)
{
    const struct spool_order how = lies(by_group);
    struct spool_writer *writer;
    struct error err;

    CHECK_OK(spool_writer_open(path, columns, COLUMNS, 0, &writer, &err));
    CHECK_OK(spool_writer_sort(writer, &how, &err));
    return writer;
}

static void write_rows(const char *path, uint32_t rows, bool by_group)
{
    struct spool_writer *writer = open_writer(path, by_group);
    struct error err;

    for (uint32_t i = 0; i < rows; i++)
        put_row(writer, rows == ROWS ? order[i] : i);
    CHECK_OK(spool_writer_close(writer, &err));
}

static void shuffle(uint64_t seed)
{
    for (uint32_t i = 0; i < ROWS; i++)
        order[i] = i;
    for (uint32_t i = ROWS - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)(random_bits(seed, RANDOM_SIMULATION, i, 0) % (i + 1));
        const uint32_t row = order[i];

        order[i] = order[j];
        order[j] = row;
    }
}

static const char *folder_path(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    return path;
}

static struct folds *open_folds(const struct fold_rule *rule)
{
    struct folds *folds;
    struct error err;

    CHECK_OK(folds_open(folder_path("train.spool"), rule, &folds, &err));
    return folds;
}

/* Fold k into a.spool (the others) and b.spool. */
static void put(const struct folds *folds, uint32_t fold, bool by_group)
{
    const struct fold_writers writers = {.others = open_writer(folder_path("a.spool"), by_group),
                                         .fold = open_writer(folder_path("b.spool"), by_group)};
    struct error err;

    CHECK_OK(folds_put(folds, fold, &writers, &err));
    CHECK_OK(spool_writer_close(writers.others, &err));
    CHECK_OK(spool_writer_close(writers.fold, &err));
}

/* The content of a spool: rows by class and group, and a hash of them. */
struct content {
    uint64_t rows, classes[3], groups[23];
    struct row_hash sum;
};

/* "g12" is 12; a text in a spool has no end of its own. */
static size_t group_of(struct slice text)
{
    size_t group = 0;

    for (size_t i = 1; i < text.size; i++)
        group = group * 10 + (size_t)(text.data[i] - '0');
    return group;
}

static struct content content_of(const char *name)
{
    struct content content = {0};
    struct spool_column_view views[COLUMNS];
    struct spool_block block;
    struct arena arena;
    struct spool spool;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(spool_open(folder_path(name), NULL, NULL, &arena, &spool, &err));
    content.sum = spool.ranges.sums[SPOOL_KEPT];
    for (uint32_t b = 0; b < spool.ranges.sample_block; b++) {
        CHECK_OK(spool_open_block(&spool, b, views, &block, &err));
        for (uint32_t row = 0; row < block.rows; row++) {
            if (spool_is_gone(&block, row))
                continue;
            content.rows++;
            content.classes[spool_integer(&views[1], row)]++;
            content.groups[group_of(spool_cell(&views[2], row).text)]++;
        }
    }
    spool_close(&spool);
    arena_deinit(&arena);
    return content;
}

static void unlink_spools(void)
{
    unlink(folder_path("a.spool"));
    unlink(folder_path("b.spool"));
}

/* ---- which rows ---- */

static void each_class_is_the_same_in_all_folds(void **state)
{
    const struct fold_rule rule = {.folds = 5, .seed = 3, .by_class = true, .class_column = 1};
    struct content whole, sum = {0};
    struct folds *folds;
    (void)state;

    write_rows(folder_path("train.spool"), ROWS, false);
    whole = content_of("train.spool");
    folds = open_folds(&rule);
    for (uint32_t fold = 0; fold < rule.folds; fold++) {
        struct content held_out, others;

        put(folds, fold, false);
        held_out = content_of("b.spool");
        others = content_of("a.spool");
        CHECK_INT(held_out.rows, folds_rows(folds, fold));
        CHECK(held_out.rows == ROWS / 5 || held_out.rows == ROWS / 5 + 1);
        CHECK_INT(held_out.rows + others.rows, ROWS);
        for (size_t i = 0; i < 3; i++) {
            CHECK(held_out.classes[i] == whole.classes[i] / 5 ||
                  held_out.classes[i] == whole.classes[i] / 5 + 1);
            CHECK_INT(held_out.classes[i] + others.classes[i], whole.classes[i]);
            sum.classes[i] += held_out.classes[i];
        }
        unlink_spools();
    }
    for (size_t i = 0; i < 3; i++)
        CHECK_INT(sum.classes[i], whole.classes[i]);
    folds_close(folds);
}

static void groups_stay_whole(void **state)
{
    const struct fold_rule rule = {.folds = 4, .seed = 3, .by_group = true};
    struct content whole, held_out;
    struct folds *folds;
    uint64_t sum = 0;
    (void)state;

    write_rows(folder_path("train.spool"), ROWS, true);
    whole = content_of("train.spool");
    folds = open_folds(&rule);
    for (uint32_t fold = 0; fold < rule.folds; fold++) {
        put(folds, fold, true);
        held_out = content_of("b.spool");
        for (size_t i = 0; i < 23; i++)
            CHECK(held_out.groups[i] == 0 || held_out.groups[i] == whole.groups[i]);
        CHECK(held_out.rows > ROWS / 4 - 22 && held_out.rows < ROWS / 4 + 23);
        sum += held_out.rows;
        unlink_spools();
    }
    CHECK_INT(sum, ROWS);
    folds_close(folds);
}

static void fold_is(const struct fold_rule *rule, const struct content *expected, bool same)
{
    struct folds *folds = open_folds(rule);
    struct content found;

    put(folds, 1, false);
    found = content_of("b.spool");
    CHECK((memcmp(&found, expected, sizeof found) == 0) == same);
    unlink_spools();
    folds_close(folds);
}

/* Equal rows are told apart by their number among each other alone. */
static void the_order_of_rows_does_not_matter_and_the_seed_does(void **state)
{
    struct fold_rule rule = {.folds = 3, .seed = 3, .by_class = true, .class_column = 1};
    struct content first;
    struct folds *folds;
    (void)state;

    write_rows(folder_path("train.spool"), ROWS, false);
    folds = open_folds(&rule);
    put(folds, 1, false);
    first = content_of("b.spool");
    unlink_spools();
    folds_close(folds);
    unlink(folder_path("train.spool"));
    shuffle(11);
    write_rows(folder_path("train.spool"), ROWS, false);
    fold_is(&rule, &first, true);
    rule.seed = 4;
    fold_is(&rule, &first, false);
    rule.seed = 3;
    rule.by_class = false;
    fold_is(&rule, &first, false);
    shuffle(0);
}

static void too_few_rows_or_groups_are_refused(void **state)
{
    const struct fold_rule rows = {.folds = 5, .seed = 1};
    const struct fold_rule groups = {.folds = 20, .seed = 1, .by_group = true};
    struct folds *folds;
    struct error err;
    (void)state;

    write_rows(folder_path("train.spool"), 4, false);
    CHECK_FAILS(folds_open(folder_path("train.spool"), &rows, &folds, &err), STATUS_INVALID,
                "5 folds need as many rows, and there are 4");
    CHECK(!folds);
    unlink(folder_path("train.spool"));
    write_rows(folder_path("train.spool"), 15, true);
    CHECK_FAILS(folds_open(folder_path("train.spool"), &groups, &folds, &err), STATUS_INVALID,
                "20 folds need as many");
}

static bool always(void *context)
{
    (void)context;
    return true;
}

static void writing_can_be_stopped(void **state)
{
    const struct fold_rule rule = {.folds = 2, .seed = 1};
    struct fold_writers writers = {.is_stopped = always};
    struct folds *folds;
    struct error err;
    (void)state;

    write_rows(folder_path("train.spool"), ROWS, false);
    folds = open_folds(&rule);
    writers.others = open_writer(folder_path("a.spool"), false);
    writers.fold = open_writer(folder_path("b.spool"), false);
    CHECK_FAILS(folds_put(folds, 0, &writers, &err), STATUS_INTERRUPTED, "interrupted");
    spool_writer_abandon(writers.others);
    spool_writer_abandon(writers.fold);
    folds_close(folds);
}

/* ---- what was measured ---- */

/* The folds have 1, 2 and 6 in any order: the mean is 3, and the deviation the root of 7. */
static void metrics_of_folds_have_a_mean_and_a_deviation(void **state)
{
    static const double values[] = {6, 1, 2, 6};
    (void)state;

    for (uint32_t turn = 0; turn < 2; turn++) {
        struct crossed crossed = {.folds = 3};
        struct fold_result result;
        struct error err;

        for (uint32_t fold = 0; fold < 3; fold++) {
            CHECK_OK(crossed_put(&crossed, fold, "F1", fold, &err));
            CHECK_OK(crossed_put(&crossed, fold, "AUC", values[fold + turn], &err));
        }
        CHECK_OK(crossed_put(&crossed, 1, "AUC", values[1 + turn], &err)); /* said again */
        result = crossed_result(&crossed, SLICE("AUC"));
        assert_string_equal(result.name, "AUC");
        CHECK(result.mean == 3 && result.deviation == sqrt(7));
        CHECK(crossed_result_at(&crossed, 1).mean == 3);
        CHECK(isnan(crossed_result(&crossed, SLICE("RMSE")).mean));
        CHECK_OK(crossed_put(&crossed, 2, "AUC", (double)NAN, &err));
        CHECK(isnan(crossed_result(&crossed, SLICE("AUC")).mean));
        CHECK(crossed_result(&crossed, SLICE("F1")).mean == 1);
    }
}

static void more_metrics_than_there_is_room_for_are_refused(void **state)
{
    struct crossed crossed = {.folds = 2};
    char name[16];
    struct error err;
    (void)state;

    for (int i = 0; i < CROSSED_METRICS_MAX; i++) {
        snprintf(name, sizeof name, "m%d", i);
        CHECK_OK(crossed_put(&crossed, 0, name, i, &err));
    }
    CHECK_OK(crossed_put(&crossed, 1, "m63", 0, &err));
    CHECK_FAILS(crossed_put(&crossed, 1, "another", 0, &err), STATUS_LIMIT, "more than 64 metrics");
}

static void results_are_in_the_store_of_the_job(void **state)
{
    struct fold_result result;
    struct jobstore *store;
    struct error err;
    bool has;
    (void)state;

    CHECK_OK(jobstore_create(folder_path("job.db"), &store, &err));
    CHECK_OK(fold_result_find(store, "AUC", &result, &has, &err));
    CHECK(!has);
    CHECK_OK(fold_result_put(store, &(struct fold_result){"AUC", .75, .125}, &err));
    CHECK_OK(fold_result_put(store, &(struct fold_result){"F1", (double)NAN, (double)NAN}, &err));
    CHECK_OK(fold_result_find(store, "AUC", &result, &has, &err));
    CHECK(has && result.mean == .75 && result.deviation == .125);
    CHECK_OK(fold_result_find(store, "F1", &result, &has, &err));
    CHECK(has && isnan(result.mean) && isnan(result.deviation));
    CHECK_OK(fold_result_find(store, "RMSE", &result, &has, &err));
    CHECK(!has);
    jobstore_close(store);
}

static int open_folder(void **state)
{
    (void)state;
    folder_open(&folder);
    shuffle(0);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    unlink_spools();
    folder_close(&folder);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_class_is_the_same_in_all_folds),
        TEST(groups_stay_whole),
        TEST(the_order_of_rows_does_not_matter_and_the_seed_does),
        TEST(too_few_rows_or_groups_are_refused),
        TEST(writing_can_be_stopped),
        TEST(results_are_in_the_store_of_the_job),
        cmocka_unit_test(metrics_of_folds_have_a_mean_and_a_deviation),
        cmocka_unit_test(more_metrics_than_there_is_room_for_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
