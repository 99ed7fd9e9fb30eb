#include <stdlib.h>

#include "base/random.h"
#include "runtime/data/statistics/exact_measure.h"
#include "runtime/data/statistics/exact_sum.h"
#include "tests/check.h"
#include "tests/unit/exact_columns.h"
#include "tests/unit/exact_reference.h"

#define WRITERS 5

typedef void add_rows(struct exact_moments *moments, uint32_t columns, const double *x,
                      size_t stride, uint32_t rows, const uint8_t *is_used);

/* (EXACT_ROWS, EXACT_COLUMNS) */
static double *rows_of_columns(void)
{
    double *x = malloc(EXACT_ROWS * EXACT_COLUMNS * sizeof *x);

    assert_non_null(x);
    for (uint32_t row = 0; row < EXACT_ROWS; row++)
        for (uint32_t i = 0; i < EXACT_COLUMNS; i++)
            x[row * EXACT_COLUMNS + i] = exact_columns[i](row);
    return x;
}

static void add_tiles(add_rows *add, struct exact_moments *moments, const double *x, uint32_t rows)
{
    for (uint32_t first = 0; first < rows; first += EXACT_TILE_ROWS)
        add(moments, EXACT_COLUMNS, x + first * EXACT_COLUMNS, EXACT_COLUMNS,
            rows - first < EXACT_TILE_ROWS ? rows - first : EXACT_TILE_ROWS, NULL);
}

static void results_are_those_of_rational_arithmetic(void **state)
{
    double *x = rows_of_columns();
    (void)state;

    for (uint32_t k = 0; k < 4; k++) {
        struct exact_moments moments[EXACT_COLUMNS] = {0};
        const uint32_t rows = exact_references[0][k].rows;

        add_tiles(exact_moments_add, moments, x, rows);
        for (uint32_t i = 0; i < EXACT_COLUMNS; i++) {
            const struct exact_reference *reference = &exact_references[i][k];
            double mean, scale;

            CHECK(moments[i].count == rows);
            CHECK(exact_moments_measure(&moments[i], &mean, &scale));
            if (mean != reference->mean || scale != reference->scale)
                check_failed("column %u, %u rows: mean %a and scale %a, not %a and %a", i, rows,
                             mean, scale, reference->mean, reference->scale);
        }
    }
    free(x);
}

static void check_same(const struct exact_moments *moments, const struct exact_moments *others,
                       uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++)
        if (memcmp(&moments[i], &others[i], sizeof *moments) != 0)
            check_failed("column %u differs", i);
}

static uint32_t draw(uint64_t seed, uint64_t number, uint32_t below)
{
    return (uint32_t)(random_bits(seed, RANDOM_SIMULATION, 0, number) % below);
}

/* Tiles of random sizes go to random writers, some to one that does not have them for long: they
 * are taken out by another. */
static void share_out(uint64_t seed, const double *x,
                      struct exact_moments (*writers)[EXACT_COLUMNS])
{
    for (uint32_t row = 0; row < EXACT_ROWS;) {
        const double *tile = x + row * EXACT_COLUMNS;
        uint32_t rows = 1 + draw(seed, 4 * row, EXACT_TILE_ROWS);

        rows = rows < EXACT_ROWS - row ? rows : EXACT_ROWS - row;
        exact_moments_add(writers[draw(seed, 4 * row + 1, WRITERS)], EXACT_COLUMNS, tile,
                          EXACT_COLUMNS, rows, NULL);
        exact_moments_subtract(writers[draw(seed, 4 * row + 2, WRITERS)], EXACT_COLUMNS, tile,
                               EXACT_COLUMNS, rows, NULL);
        exact_moments_add(writers[draw(seed, 4 * row + 3, WRITERS)], EXACT_COLUMNS, tile,
                          EXACT_COLUMNS, rows, NULL);
        row += rows;
    }
}

static void any_split_merged_in_any_order_is_the_same_bytes(void **state)
{
    double *x = rows_of_columns();
    struct exact_moments whole[EXACT_COLUMNS] = {0};
    (void)state;

    add_tiles(exact_moments_add, whole, x, EXACT_ROWS);
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct exact_moments writers[WRITERS][EXACT_COLUMNS] = {0}, merged[EXACT_COLUMNS] = {0};

        share_out(seed, x, writers);
        for (uint32_t i = 0; i < WRITERS; i++)
            for (uint32_t column = 0; column < EXACT_COLUMNS; column++)
                exact_moments_merge(&merged[column], &writers[(i + seed) % WRITERS][column]);
        check_same(merged, whole, EXACT_COLUMNS);
    }
    free(x);
}

static void what_is_taken_out_leaves_nothing(void **state)
{
    double *x = rows_of_columns();
    struct exact_moments moments[EXACT_COLUMNS] = {0}, some[EXACT_COLUMNS],
                         none[EXACT_COLUMNS] = {0};
    (void)state;

    add_tiles(exact_moments_add, moments, x, 700);
    memcpy(some, moments, sizeof some);
    add_tiles(exact_moments_add, moments, x, EXACT_ROWS);
    add_tiles(exact_moments_subtract, moments, x, EXACT_ROWS);
    check_same(moments, some, EXACT_COLUMNS);
    for (uint32_t row = 0; row < 700; row++)
        exact_moments_subtract(moments, EXACT_COLUMNS, x + (699 - row) * EXACT_COLUMNS, 1, 1, NULL);
    check_same(moments, none, EXACT_COLUMNS);
    free(x);
}

/* Sums in 128 bits, of whole numbers of 40 bits. */
static void sums_are_those_of_integers(void **state)
{
    struct exact_moments moments = {0};
    __int128 sum = 0, squares = 0;
    double x[EXACT_TILE_ROWS];
    (void)state;

    for (uint32_t tile = 0; tile < 50; tile++) {
        for (uint32_t row = 0; row < EXACT_TILE_ROWS; row++) {
            const int64_t number = (int64_t)mixed_bits(tile * EXACT_TILE_ROWS + row) >> 24;

            x[row] = (double)number;
            sum += number;
            squares += (__int128)number * number;
        }
        exact_moments_add(&moments, 1, x, 1, EXACT_TILE_ROWS, NULL);
    }
    for (uint32_t i = 0; i < 1074 / 64; i++)
        CHECK(moments.sum[i] == 0);
    CHECK((moments.sum[1074 / 64] >> 1074 % 64 | moments.sum[1074 / 64 + 1] << (64 - 1074 % 64)) ==
          (uint64_t)sum);
    CHECK((moments.squares[2148 / 64] >> 2148 % 64 | moments.squares[2148 / 64 + 1]
                                                         << (64 - 2148 % 64)) == (uint64_t)squares);
    CHECK(moments.squares[2148 / 64 + 1] >> 2148 % 64 == (uint64_t)(squares >> 64));
}

static void only_marked_rows_and_finite_numbers_count(void **state)
{
    /* Two columns of four, in ten rows of which three do not count. */
    const uint8_t is_used[] = {1, 0, 1, 1, 0, 1, 1, 1, 0, 1};
    struct exact_moments moments[2] = {0}, expected[2] = {0};
    double x[10 * 4], mean, scale;
    (void)state;

    for (uint32_t i = 0; i < 40; i++)
        x[i] = share(i);
    x[2 * 4 + 1] = NAN;
    x[5 * 4 + 1] = INFINITY;
    x[7 * 4 + 1] = -INFINITY;
    for (uint32_t row = 0; row < 10; row++)
        for (uint32_t i = 0; i < 2; i++)
            if (is_used[row] && isfinite(x[row * 4 + i]))
                exact_moments_add(&expected[i], 1, &x[row * 4 + i], 1, 1, NULL);
    exact_moments_add(moments, 2, x, 4, 10, is_used);
    check_same(moments, expected, 2);
    CHECK(moments[0].count == 7 && moments[1].count == 4);
    CHECK(exact_moments_measure(&moments[1], &mean, &scale));
    exact_moments_subtract(moments, 2, x, 4, 10, is_used);
    CHECK(moments[1].count == 0 && exact_moments_measure(&moments[1], &mean, &scale));
    CHECK(mean == 0 && scale == 1);
}

static void a_group_may_have_any_number_of_columns(void **state)
{
    enum { COLUMNS = 21, ROWS = 300 };
    double *x = malloc(ROWS * COLUMNS * sizeof *x);
    (void)state;

    assert_non_null(x);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        x[i] = many_magnitudes(i);
    for (uint32_t columns = 1; columns <= COLUMNS; columns++) {
        struct exact_moments moments[COLUMNS] = {0}, single[COLUMNS] = {0};

        exact_moments_add(moments, columns, x, COLUMNS, 200, NULL);
        exact_moments_add(moments, columns, x + 200 * COLUMNS, COLUMNS, 100, NULL);
        for (uint32_t row = 0; row < ROWS; row++)
            for (uint32_t i = 0; i < columns; i++)
                exact_moments_add(&single[i], 1, &x[row * COLUMNS + i], 1, 1, NULL);
        check_same(moments, single, COLUMNS);
    }
    free(x);
}

static void bytes_of(const struct exact_moments *moments, struct text *bytes)
{
    text_init(bytes, EXACT_BYTES_MAX);
    exact_moments_put(moments, bytes);
    CHECK(!bytes->failed);
}

static void sums_are_read_as_they_were_put(void **state)
{
    double *x = rows_of_columns();
    struct exact_moments moments[EXACT_COLUMNS] = {0}, found;
    (void)state;

    for (uint32_t rows = 0; rows < 600; rows += 50) {
        for (uint32_t i = 0; i < EXACT_COLUMNS; i++) {
            struct byte_reader reader;
            struct text bytes;

            bytes_of(&moments[i], &bytes);
            reader = byte_reader_over(text_slice(&bytes));
            CHECK(exact_moments_read(&reader, &found) && reader_is_done(&reader));
            check_same(&found, &moments[i], 1);
            text_deinit(&bytes);
        }
        exact_moments_subtract(moments, EXACT_COLUMNS, x + rows * EXACT_COLUMNS, EXACT_COLUMNS, 50,
                               NULL);
    }
    free(x);
}

static bool is_read(const struct text *bytes, size_t size)
{
    struct byte_reader reader = byte_reader_over((struct slice){bytes->data, size});
    struct exact_moments found;

    return exact_moments_read(&reader, &found);
}

/* Words [first, end) of a sum: 0 but for word 16. */
static bool is_read_with_words(uint8_t first, uint8_t end, uint64_t word)
{
    struct text bytes;
    bool result;

    text_init(&bytes, TEXT_MAXIMUM);
    put_u64(&bytes, 1);
    put_u8(&bytes, first);
    put_u8(&bytes, end);
    for (uint32_t i = first; i < end; i++)
        put_u64(&bytes, i == 16 ? word : 0);
    put_u8(&bytes, 1); /* squares that are 0 */
    put_u8(&bytes, 1);
    result = is_read(&bytes, bytes.size);
    text_deinit(&bytes);
    return result;
}

static void other_bytes_are_refused(void **state)
{
    const double x = 3;
    struct exact_moments moments = {0};
    struct text bytes;
    (void)state;

    exact_moments_add(&moments, 1, &x, 1, 1, NULL);
    bytes_of(&moments, &bytes);
    CHECK(is_read(&bytes, bytes.size));
    for (size_t size = 0; size < bytes.size; size++)
        CHECK(!is_read(&bytes, size));
    text_deinit(&bytes);
    /* The words of the sum, from the first to the end, in more bytes than any have: */
    CHECK(is_read_with_words(16, 17, 1 << 20));
    CHECK(!is_read_with_words(15, 17, 1 << 20)); /* the first is 0 */
    CHECK(!is_read_with_words(16, 18, 1 << 20)); /* the last repeats the sign */
    CHECK(!is_read_with_words(16, EXACT_SUM_WORDS + 1, 1 << 20));
    CHECK(!is_read_with_words(17, 16, 0));
    CHECK(!is_read_with_words(0, 0, 0));
    CHECK(is_read_with_words(1, 1, 0));
    moments.sum[1074 / 64] = 0;
    moments.sum[1074 / 64 + 1] = UINT64_MAX; /* a word more than is needed for it: */
    bytes_of(&moments, &bytes);
    CHECK(is_read(&bytes, bytes.size));
    memset(bytes.data + 10, 0, 8);
    CHECK(!is_read(&bytes, bytes.size));
    text_deinit(&bytes);
}

static void sums_of_no_numbers_are_not_measured(void **state)
{
    const double x[] = {3, 4};
    struct exact_moments moments = {0}, wrong;
    double mean, scale;
    (void)state;

    exact_moments_add(&moments, 1, x, 1, 2, NULL);
    CHECK(exact_moments_measure(&moments, &mean, &scale) && mean == 3.5 && scale == 0.5);
    wrong = moments;
    wrong.count = 1; /* the sum of squares is less than one number with that sum has */
    CHECK(!exact_moments_measure(&wrong, &mean, &scale));
    wrong.count = 0;
    CHECK(!exact_moments_measure(&wrong, &mean, &scale));
    wrong = (struct exact_moments){.count = (uint64_t)1 << 63}; /* fewer than none */
    CHECK(!exact_moments_measure(&wrong, &mean, &scale));
    wrong = moments;
    wrong.squares[EXACT_SQUARE_WORDS - 1] = 1; /* beyond the square of any double */
    CHECK(!exact_moments_measure(&wrong, &mean, &scale));
    exact_moments_subtract(&moments, 1, x, 1, 2, NULL);
    exact_moments_subtract(&moments, 1, x, 1, 1, NULL);
    CHECK(!exact_moments_measure(&moments, &mean, &scale));
}

#if defined(__x86_64__)
/* The same source, compiled for one set of vectors each (data.cmake). */
add_rows exact_moments_add_baseline, exact_moments_add_avx2, exact_moments_add_avx512f;

static void check_vectors(add_rows *add)
{
    double *x = rows_of_columns();
    struct exact_moments moments[EXACT_COLUMNS] = {0}, others[EXACT_COLUMNS] = {0};

    add_tiles(exact_moments_add, moments, x, EXACT_ROWS);
    add_tiles(add, others, x, EXACT_ROWS);
    check_same(moments, others, EXACT_COLUMNS);
    free(x);
}

static void sums_are_the_same_bits_on_every_processor(void **state)
{
    (void)state;
    check_vectors(exact_moments_add_baseline);
    if (__builtin_cpu_supports("avx2"))
        check_vectors(exact_moments_add_avx2);
    if (__builtin_cpu_supports("avx512f"))
        check_vectors(exact_moments_add_avx512f);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_rational_arithmetic),
        cmocka_unit_test(any_split_merged_in_any_order_is_the_same_bytes),
        cmocka_unit_test(what_is_taken_out_leaves_nothing),
        cmocka_unit_test(sums_are_those_of_integers),
        cmocka_unit_test(only_marked_rows_and_finite_numbers_count),
        cmocka_unit_test(a_group_may_have_any_number_of_columns),
        cmocka_unit_test(sums_are_read_as_they_were_put),
        cmocka_unit_test(other_bytes_are_refused),
        cmocka_unit_test(sums_of_no_numbers_are_not_measured),
#if defined(__x86_64__)
        cmocka_unit_test(sums_are_the_same_bits_on_every_processor),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
