#include <float.h>
#include <math.h>

#include "runtime/data/column_moments.h"
#include "runtime/data/spool_reader.h"
#include "tests/check.h"
#include "tests/unit/data_fixture.h"

#define ROWS 30000

typedef double generator(uint32_t row);

static double noise(uint32_t row)
{
    return random_uniform(3, RANDOM_SAMPLE, 0, row);
}

static double timestamps(uint32_t row)
{
    return 1.6e9 + 1e-3 * noise(row);
}

static double one_outlier(uint32_t row)
{
    return row == 12345 ? 1e15 : noise(row);
}

static double tiny(uint32_t row)
{
    return 1 + DBL_EPSILON * (double)(row % 5);
}

static double small_reals(uint32_t row)
{
    return 1e-300 * noise(row);
}

static double whole_numbers(uint32_t row)
{
    return (double)(row % 100) - 30;
}

static double both_signs(uint32_t row)
{
    return (noise(row) - 0.5) * 1e100;
}

static void open_column(struct folder *folder, generator *value, const uint32_t *order,
                        struct arena *arena, struct spool *spool)
{
    static const struct spool_column column = {{"x", 1}, SPOOL_REAL};
    struct cell *cells = malloc(ROWS * sizeof *cells);
    struct error err;

    for (uint32_t i = 0; i < ROWS; i++)
        cells[i] = real_cell(value(i));
    write_spool(folder_file(folder, "train.spool"), &column, 1, cells, ROWS, order);
    CHECK_OK(spool_open(folder->file, NULL, arena, spool, &err));
    free(cells);
}

/* Textbook two-pass moments with 64 bits of mantissa, relative to the first
 * value, so that a large offset costs no bits. */
static void reference(generator *value, long double *mean, long double *scale)
{
    const long double first = value(0);
    long double sum = 0, squares = 0;

    for (uint32_t i = 0; i < ROWS; i++)
        sum += value(i) - first;
    for (uint32_t i = 0; i < ROWS; i++)
        squares += (value(i) - first - sum / ROWS) * (value(i) - first - sum / ROWS);
    *mean = first + sum / ROWS;
    *scale = sqrtl(squares / ROWS);
}

static void moments_agree_with_long_doubles_on_awkward_columns(void **state)
{
    generator *const columns[] = {noise,       timestamps,    one_outlier, tiny,
                                  small_reals, whole_numbers, both_signs};
    struct folder folder;
    (void)state;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct column_moments moments;
        struct error err;
        long double mean, scale;
        struct arena arena;
        struct spool spool;

        arena_init(&arena, ARENA_MAXIMUM);
        open_column(&folder, columns[i], NULL, &arena, &spool);
        CHECK_OK(column_moments(&spool, 0, 1, NULL, NULL, &moments, &err));
        reference(columns[i], &mean, &scale);
        CHECK(moments.count == ROWS);
        /* In the units of the standardised column, or to the last bits of the mean. */
        CHECK(fabsl(moments.mean - mean) <= 1e-12L * scale + 2 * DBL_EPSILON * fabsl(mean));
        CHECK(fabsl(moments.scale / scale - 1) < 1e-9L);
        spool_close(&spool);
        arena_deinit(&arena);
    }
    folder_close(&folder);
}

static void the_order_of_rows_changes_no_bit(void **state)
{
    generator *const columns[] = {noise, timestamps, one_outlier, both_signs};
    struct folder folder;
    (void)state;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct column_moments first = {0};

        for (uint64_t seed = 0; seed < 3; seed++) {
            uint32_t *order = shuffled(ROWS, seed);
            struct team *team = team_new((uint32_t)seed + 1);
            struct column_moments moments;
            struct error err;
            struct arena arena;
            struct spool spool;

            arena_init(&arena, ARENA_MAXIMUM);
            open_column(&folder, columns[i], order, &arena, &spool);
            CHECK_OK(column_moments(&spool, 0, 1, NULL, team, &moments, &err));
            if (seed == 0)
                first = moments;
            CHECK(moments.mean == first.mean && moments.scale == first.scale);
            spool_close(&spool);
            arena_deinit(&arena);
            free(order);
            team_free(team);
        }
    }
    folder_close(&folder);
}

static struct column_moments moments_of(const struct cell *cells, size_t count,
                                        enum spool_type type, const uint8_t *is_used)
{
    struct spool_column column = {SLICE("x"), type};
    struct column_moments moments;
    struct folder folder;
    struct arena arena;
    struct spool spool;
    struct error err;

    folder_open(&folder);
    arena_init(&arena, ARENA_MAXIMUM);
    write_spool(folder_file(&folder, "train.spool"), &column, 1, cells, count, NULL);
    CHECK_OK(spool_open(folder.file, NULL, &arena, &spool, &err));
    CHECK_OK(column_moments(&spool, 0, 1, is_used, NULL, &moments, &err));
    spool_close(&spool);
    arena_deinit(&arena);
    folder_close(&folder);
    return moments;
}

static void only_used_values_that_are_not_null_count(void **state)
{
    const struct cell cells[] = {integer_cell(1), null_cell(), integer_cell(1000), integer_cell(3),
                                 integer_cell(5)};
    const uint8_t is_used[] = {1, 1, 0, 1, 1};
    struct column_moments moments = moments_of(cells, 5, SPOOL_INTEGER, is_used);
    (void)state;

    CHECK(moments.count == 3 && moments.mean == 3);
    CHECK(fabs(moments.scale - sqrt(8.0 / 3)) < 1e-15);
}

static void constant_and_empty_columns_have_scale_one(void **state)
{
    const struct cell constant[] = {real_cell(0.1), real_cell(0.1), real_cell(0.1)};
    const struct cell nothing[] = {null_cell(), null_cell()};
    struct column_moments moments = moments_of(constant, 3, SPOOL_REAL, NULL);
    (void)state;

    CHECK(moments.mean == 0.1 && moments.scale == 1);
    moments = moments_of(nothing, 2, SPOOL_REAL, NULL);
    CHECK(moments.count == 0 && moments.mean == 0 && moments.scale == 1);
}

static void the_widest_and_the_narrowest_range_stay_finite(void **state)
{
    const struct cell wide[] = {real_cell(-DBL_MAX), real_cell(DBL_MAX), real_cell(0)};
    const struct cell narrow[] = {real_cell(0), real_cell(5e-324)};
    const struct cell integers[] = {integer_cell(INT64_MIN), integer_cell(INT64_MAX)};
    struct column_moments moments = moments_of(wide, 3, SPOOL_REAL, NULL);
    (void)state;

    CHECK(fabs(moments.mean) <= DBL_EPSILON * DBL_MAX);
    CHECK(fabs(moments.scale / (DBL_MAX * sqrt(2.0 / 3)) - 1) < 1e-12);
    moments = moments_of(narrow, 2, SPOOL_REAL, NULL);
    CHECK(moments.scale > 0 && isfinite(moments.mean));
    moments = moments_of(integers, 2, SPOOL_INTEGER, NULL);
    CHECK(moments.mean == 0 && moments.scale == 0x1p63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_agree_with_long_doubles_on_awkward_columns),
        cmocka_unit_test(the_order_of_rows_changes_no_bit),
        cmocka_unit_test(only_used_values_that_are_not_null_count),
        cmocka_unit_test(constant_and_empty_columns_have_scale_one),
        cmocka_unit_test(the_widest_and_the_narrowest_range_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
