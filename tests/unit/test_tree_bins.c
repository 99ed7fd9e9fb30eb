#include "tests/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/trees/growth/tree_bins.h"

/* ---- data sets of a sample alone ---- */

#define COLUMNS_MOST 40

static const struct trees_params plain = {.min_bin_rows = 1}, of_three_rows = {.min_bin_rows = 3};

struct made {
    struct dataset dataset;
    struct transform_input inputs[COLUMNS_MOST];
};

static void made_init(struct made *made, uint32_t numbers, uint32_t rows)
{
    struct error err;

    memset(made, 0, sizeof *made);
    made->dataset.transform.inputs = made->inputs;
    made->dataset.transform.input_count = numbers;
    made->dataset.transform.dense_width = numbers;
    for (uint32_t i = 0; i < numbers; i++)
        made->inputs[i] = (struct transform_input){
            .spec.type = INPUT_NUMERIC, .spec.name = slice_of("number"), .dense_offset = i};
    made->dataset.sample.rows = rows;
    made->dataset.sample.dense = calloc((size_t)rows * numbers + 1, sizeof(float));
    made->dataset.sample.ids = calloc((size_t)rows + 1, sizeof(int32_t));
    made->dataset.sample.hashes = calloc(rows + 1u, sizeof(struct row_hash));
    CHECK_OK(row_store_open(&made->dataset, NULL, NULL, &err));
}

static void made_deinit(struct made *made)
{
    row_store_close(&made->dataset);
    free(made->dataset.sample.dense);
    free(made->dataset.sample.ids);
    free(made->dataset.sample.hashes);
}

/* One column of numbers. */
static struct tree_bins bins_of(struct made *made, const float *values, uint32_t rows,
                                uint32_t bins_most)
{
    struct tree_bins bins;
    struct error err;

    made_init(made, 1, rows);
    memcpy(made->dataset.sample.dense, values, rows * sizeof *values);
    CHECK_OK(tree_bins_init(&bins, &made->dataset, bins_most, &plain, NULL, &err));
    CHECK_INT(bins.column_count, 1);
    CHECK_INT(bins.offsets[1], bins.columns[0].bins);
    CHECK(bins.columns[0].cuts[bins.columns[0].bins - 3] == FLT_MAX);
    return bins;
}

static double draw(uint64_t a, uint64_t b)
{
    return random_uniform(3, RANDOM_SIMULATION, a, b);
}

/* ---- cuts ---- */

static void few_values_have_a_bin_each(void **state)
{
    const float values[] = {3, -1, 3, NAN, 0, -0.0f, 7, -1, NAN, 7};
    struct made made;
    struct tree_bins bins = bins_of(&made, values, 10, 255);
    const struct tree_column *column = &bins.columns[0];
    (void)state;

    CHECK_INT(column->bins, 6);
    CHECK(column->cuts[0] == -0.5f && column->cuts[1] == 1.5f && column->cuts[2] == 5);
    CHECK_INT(tree_bin_of_number(column, NAN), 0);
    CHECK_INT(tree_bin_of_number(column, -1e30f), 1);
    CHECK_INT(tree_bin_of_number(column, -1), 1);
    CHECK_INT(tree_bin_of_number(column, -0.5f), 2);
    CHECK_INT(tree_bin_of_number(column, -0.0f), 2);
    CHECK_INT(tree_bin_of_number(column, 3), 3);
    CHECK_INT(tree_bin_of_number(column, 7), 4);
    CHECK_INT(tree_bin_of_number(column, 1e38f), 4);
    CHECK_INT(tree_bin_of_number(column, FLT_MAX), 5);
    CHECK_INT(tree_bin_of_number(column, INFINITY), 5);
    tree_bins_deinit(&bins);
    made_deinit(&made);
}

/* Rows of a bin are counted by the sample, which has its share of them. */
static void bins_have_rows_enough(void **state)
{
    const float values[] = {1, 2, 2, 3, 3, 3, 4, 5, 6, 7};
    struct made made;
    struct tree_bins bins = bins_of(&made, values, 10, 255);
    struct error err;
    (void)state;

    tree_bins_deinit(&bins);
    CHECK_OK(tree_bins_init(&bins, &made.dataset, 255, &of_three_rows, NULL, &err));
    CHECK_INT(bins.columns[0].bins, 2 + 3 + 1);
    CHECK(bins.columns[0].cuts[0] == 2.5f && bins.columns[0].cuts[1] == 3.5f);
    CHECK(bins.columns[0].cuts[2] == 6.5f);
    tree_bins_deinit(&bins);
    CHECK_OK(
        tree_bins_init(&bins, &made.dataset, 5, &of_three_rows, NULL, &err)); /* three of 10 rows */
    CHECK_INT(bins.columns[0].bins, 2 + 2 + 1);
    tree_bins_deinit(&bins);
    made.dataset.train.rows = 30;
    CHECK_OK(tree_bins_init(&bins, &made.dataset, 255, &of_three_rows, NULL, &err));
    CHECK_INT(bins.columns[0].bins, 2 + 6 + 1);
    tree_bins_deinit(&bins);
    made_deinit(&made);
}

static void neighbours_among_floats_are_told_apart(void **state)
{
    const float values[] = {1,       nextafterf(1, 2),      nextafterf(nextafterf(1, 2), 2),
                            0,       FLT_TRUE_MIN,          -FLT_MAX,
                            FLT_MAX, nextafterf(FLT_MAX, 0)};
    struct made made;
    struct tree_bins bins = bins_of(&made, values, 8, 255);
    const struct tree_column *column = &bins.columns[0];
    uint8_t seen[TREE_BINS_MAX] = {0};
    (void)state;

    CHECK_INT(column->bins, 9);
    for (uint32_t i = 0; i < 8; i++)
        CHECK(!seen[tree_bin_of_number(column, values[i])]++);
    CHECK_INT(seen[0], 0);
    CHECK_INT(tree_bin_of_number(column, FLT_MAX), 8);
    tree_bins_deinit(&bins);
    made_deinit(&made);
}

static void nothing_and_one_value_are_parted_from_missing_ones(void **state)
{
    const float missing[] = {NAN, NAN, NAN}, one[] = {4, NAN, 4};
    struct made made;
    struct tree_bins bins = bins_of(&made, missing, 3, 255);
    (void)state;

    CHECK_INT(bins.columns[0].bins, 3);
    CHECK_INT(tree_bin_of_number(&bins.columns[0], 9), 1);
    tree_bins_deinit(&bins);
    made_deinit(&made);
    bins = bins_of(&made, one, 3, 255);
    CHECK_INT(bins.columns[0].bins, 3);
    CHECK_INT(tree_bin_of_number(&bins.columns[0], 4), 1);
    tree_bins_deinit(&bins);
    made_deinit(&made);
    bins = bins_of(&made, one, 0, 255);
    CHECK_INT(bins.columns[0].bins, 3);
    tree_bins_deinit(&bins);
    made_deinit(&made);
}

/* How many rows of the sample each bin has. */
static void count_bins(const struct tree_column *column, const float *values, uint32_t rows,
                       uint32_t *counts)
{
    memset(counts, 0, TREE_BINS_MAX * sizeof *counts);
    for (uint32_t i = 0; i < rows; i++)
        counts[tree_bin_of_number(column, values[i])]++;
}

static void many_values_are_divided_evenly(void **state)
{
    enum { ROWS = 16384 };
    static float values[ROWS];
    uint32_t counts[TREE_BINS_MAX];
    struct made made;
    struct tree_bins bins;
    (void)state;

    for (uint32_t i = 0; i < ROWS; i++) /* all different */
        values[i] = (float)(i * 7919u % ROWS) * (i % 2 ? 1.0f : 1e-3f) + (float)i * 1e-7f;
    for (uint32_t most = 2; most < TREE_BINS_MAX; most += 11) {
        const uint32_t own = most < 254 ? most : 254;

        bins = bins_of(&made, values, ROWS, most);
        CHECK_INT(bins.columns[0].bins, own + 2);
        count_bins(&bins.columns[0], values, ROWS, counts);
        for (uint32_t b = 1; b <= own; b++)
            CHECK(counts[b] >= ROWS / own - 1 && counts[b] <= ROWS / own + ROWS / own / 8 + 2);
        CHECK_INT(counts[own + 1], 0);
        tree_bins_deinit(&bins);
        made_deinit(&made);
    }
}

/* Half of the rows are 0, a quarter 5; the others are different. */
static void a_frequent_value_has_a_bin_of_its_own(void **state)
{
    enum { ROWS = 8000 };
    static float values[ROWS];
    uint32_t counts[TREE_BINS_MAX];
    struct made made;
    struct tree_bins bins;
    const struct tree_column *column;
    (void)state;

    for (uint32_t i = 0; i < ROWS; i++)
        values[i] = i % 4 < 2 ? 0 : i % 4 == 2 ? 5 : (float)(draw(i, 0) * 20 - 10);
    bins = bins_of(&made, values, ROWS, 42);
    column = &bins.columns[0];
    count_bins(column, values, ROWS, counts);
    CHECK_INT(counts[tree_bin_of_number(column, 0)], ROWS / 2);
    CHECK_INT(counts[tree_bin_of_number(column, 5)], ROWS / 4);
    CHECK(column->bins >= 42 && column->bins <= 44);
    for (uint32_t b = 1; b + 1 < column->bins; b++)
        CHECK(counts[b] >= 20 && (counts[b] <= 75 || counts[b] >= ROWS / 4));
    tree_bins_deinit(&bins);
    made_deinit(&made);
}

/* ---- a table of all sorts of columns ---- */

enum { SORTS = 12 };

static float value_of_sort(uint32_t sort, uint64_t row)
{
    const double u = draw(row, 2 * sort), v = draw(row, 2 * sort + 1);

    switch (sort) {
    case 0:
        return (float)(u - v);
    case 1:
        return (float)exp(40 * u - 20);
    case 2:
        return (float)floor(400 * u * v);
    case 3:
        return u < 0.9 ? 0 : (float)v;
    case 4:
        return u < 0.5 ? NAN : (float)v;
    case 5:
        return (float)(v * 0x1p-140);
    case 6:
        return u < 0.01 ? 1e30f : u < 0.02 ? -1e30f : (float)v;
    case 7:
        return 42;
    case 8:
        return NAN;
    case 9:
        return 16777216 + (float)floor(u * 600);
    case 10:
        return (float)floor(u * 254);
    default:
        return u < 0.3 ? -FLT_MAX : u > 0.7 ? FLT_MAX : (float)floor(v * 300);
    }
}

static void fill_sorts(float *dense, uint32_t rows, uint64_t first)
{
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t c = 0; c < SORTS; c++)
            dense[(size_t)row * SORTS + c] = value_of_sort(c, first + row);
}

/* Cuts ascend, all values of the sample keep their order, and the loop over rows has the same bins
 * as one value has, however bins lie and wherever the rows end. */
static void rows_have_the_bins_of_their_values(void **state)
{
    enum { SAMPLE = 5000, ROWS = 2500 };
    static float dense[ROWS * SORTS];
    static uint8_t wide[ROWS * 16], tall[SORTS * ROWS];
    uint8_t *to_wide[SORTS], *to_tall[SORTS];
    struct made made;
    struct tree_bins bins;
    struct error err;
    (void)state;

    made_init(&made, SORTS, SAMPLE);
    fill_sorts(made.dataset.sample.dense, SAMPLE, 0);
    fill_sorts(dense, ROWS, 3000); /* some are in the sample, some not */
    for (uint32_t c = 0; c < SORTS; c++) {
        to_wide[c] = wide + c;
        to_tall[c] = tall + (size_t)c * ROWS;
    }
    for (uint32_t most = 2; most < TREE_BINS_MAX; most += 23) {
        CHECK_OK(tree_bins_init(&bins, &made.dataset, most, &plain, NULL, &err));
        memset(wide, 0xee, sizeof wide);
        tree_bins_rows(&bins, &made.dataset, dense, NULL, ROWS, to_wide, 16);
        tree_bins_rows(&bins, &made.dataset, dense, NULL, ROWS - 37, to_tall, 1);
        for (uint32_t c = 0; c < SORTS; c++) {
            const struct tree_column *column = &bins.columns[c];

            CHECK(column->bins >= 3 && column->bins <= (most < 254 ? most : 254) + 2);
            for (uint32_t i = 1; i + 2 < column->bins; i++)
                CHECK(column->cuts[i - 1] < column->cuts[i]);
            for (uint32_t row = 0; row < ROWS; row++) {
                const float value = dense[(size_t)row * SORTS + c];
                const uint8_t bin = tree_bin_of_number(column, value);

                CHECK(bin < column->bins && (bin == 0) == (isnan(value) != 0));
                CHECK(bin < 2 || column->cuts[bin - 2] <= value);
                CHECK(bin == 0 || bin == column->bins - 1 || value < column->cuts[bin - 1]);
                CHECK_INT(wide[row * 16 + c], bin);
                if (row < ROWS - 37)
                    CHECK_INT(tall[(size_t)c * ROWS + row], bin);
            }
        }
        for (uint32_t i = SORTS; i < ROWS * 16; i++)
            CHECK(i % 16 < SORTS || wide[i] == 0xee);
        tree_bins_deinit(&bins);
    }
    made_deinit(&made);
}

/* Whatever the order of the sample's rows and the size of the team. */
static void cuts_are_those_of_the_set_of_values(void **state)
{
    enum { SAMPLE = 3000 };
    struct team *team = team_new(3);
    struct made made, turned;
    struct tree_bins bins, others;
    struct error err;
    (void)state;

    made_init(&made, SORTS, SAMPLE);
    made_init(&turned, SORTS, SAMPLE);
    fill_sorts(made.dataset.sample.dense, SAMPLE, 0);
    for (uint32_t row = 0; row < SAMPLE; row++)
        memcpy(turned.dataset.sample.dense + (size_t)row * SORTS,
               made.dataset.sample.dense + (size_t)(row * 1009u % SAMPLE) * SORTS,
               SORTS * sizeof(float));
    CHECK_OK(tree_bins_init(&bins, &made.dataset, 100, &plain, NULL, &err));
    CHECK_OK(tree_bins_init(&others, &turned.dataset, 100, &plain, team, &err));
    for (uint32_t c = 0; c < SORTS; c++) {
        CHECK_INT(bins.columns[c].bins, others.columns[c].bins);
        CHECK(memcmp(bins.columns[c].cuts, others.columns[c].cuts,
                     (bins.columns[c].bins - 2) * sizeof(float)) == 0);
        CHECK_INT(bins.offsets[c + 1], others.offsets[c + 1]);
    }
    tree_bins_deinit(&bins);
    tree_bins_deinit(&others);
    made_deinit(&made);
    made_deinit(&turned);
    team_free(team);
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Some values that are frequent, and others that are not, by shares that are drawn. */
static void draw_column(uint64_t number, float *values, uint32_t rows)
{
    const uint32_t frequent = (uint32_t)(draw(number, 0) * 12);
    const double of_frequent = draw(number, 1), grain = exp(12 * draw(number, 2));

    for (uint32_t i = 0; i < rows; i++) {
        const double u = draw(number, 10 + 3 * (uint64_t)i), v = draw(number, 11 + 3 * (uint64_t)i);

        values[i] = frequent > 0 && draw(number, 12 + 3 * (uint64_t)i) < of_frequent
                        ? (float)floor(frequent * u * v)
                        : (float)(floor(grain * (u + v) * 6) / grain);
    }
    qsort(values, rows, sizeof *values, compare_floats);
}

/* The rows of a bin, sorted, without those of its most frequent value. */
static uint32_t others_of(const float *values, uint32_t rows)
{
    uint32_t most = 0;

    for (uint32_t i = 0, run = 0; i < rows; i++) {
        run = i > 0 && values[i] == values[i - 1] ? run + 1 : 1;
        most = run > most ? run : most;
    }
    return rows - most;
}

/* Whatever the column: no bin is empty, and beside its most frequent value none has many rows more
 * than its share: neither those that lie with a frequent value nor the last one. */
static void no_bin_has_much_more_than_its_share(void **state)
{
    enum { ROWS = 4000, COLUMNS = 400 };
    static float values[ROWS];
    (void)state;

    for (uint64_t number = 0; number < COLUMNS; number++) {
        const uint32_t most = 2 + (uint32_t)(number % 254);
        uint32_t counts[TREE_BINS_MAX], first = 0;
        struct made made;
        struct tree_bins bins;

        draw_column(number, values, ROWS);
        bins = bins_of(&made, values, ROWS, most);
        count_bins(&bins.columns[0], values, ROWS, counts);
        for (uint32_t b = 1; b + 1 < bins.columns[0].bins; b++) {
            CHECK(others_of(values + first, counts[b]) * most <= 2 * ROWS);
            CHECK(counts[b] > 0);
            first += counts[b];
        }
        tree_bins_deinit(&bins);
        made_deinit(&made);
    }
}

/* ---- categories ---- */

static void words_have_bins_by_how_often_they_are(void **state)
{
    enum { ROWS = 300 };
    struct transform_input inputs[3] = {
        {.spec.type = INPUT_CATEGORY, .id_offset = 0, .first_id = 0, .id_rows = 5, .word_count = 5},
        {.spec.type = INPUT_NUMERIC},
        {.spec.type = INPUT_CATEGORY,
         .id_offset = 1,
         .first_id = 5,
         .id_rows = 290,
         .word_count = 280,
         .hash_buckets = 10}};
    struct made made;
    struct tree_bins bins;
    struct error err;
    int32_t ids[ROWS * 2];
    float dense[ROWS];
    uint8_t out[3][ROWS], *to[3] = {out[0], out[1], out[2]};
    uint16_t wide[ROWS];
    (void)state;

    made_init(&made, 1, 1);
    made.dataset.transform.inputs = inputs;
    made.dataset.transform.input_count = 3;
    made.dataset.transform.id_count = 2;
    CHECK_OK(tree_bins_init(&bins, &made.dataset, 100, &plain, NULL, &err));
    CHECK(!bins.columns[0].is_category && bins.columns[1].is_category);
    CHECK_INT(bins.columns[0].input, 1);
    CHECK_INT(bins.columns[1].input, 0);
    CHECK_INT(bins.columns[1].words, 5);
    CHECK_INT(bins.columns[1].bins, 6);
    CHECK_INT(bins.columns[2].words, 280); /* whatever numbers may have */
    CHECK_INT(bins.columns[2].bins, 282);
    CHECK_INT(bins.columns[2].place, 1);
    CHECK_INT(bins.offsets[3], 3 + 6 + 282);
    CHECK_INT(bins.wide_count, 1);
    CHECK_INT(tree_bins_widest(&bins), 282);
    for (int32_t row = 0; row < ROWS; row++) {
        dense[row] = 0;
        ids[2 * row] = row % 6 - 1;
        ids[2 * row + 1] = row < 290 ? 5 + row : -1;
    }
    tree_bins_rows(&bins, &made.dataset, dense, ids, ROWS, to, 1);
    for (int32_t row = 0; row < ROWS; row++) {
        CHECK_INT(out[0][row], 1);
        CHECK_INT(out[1][row], row % 6);
    }
    tree_bins_wide_rows(&bins, &made.dataset, 2, ids, ROWS, wide);
    for (int32_t row = 0; row < ROWS; row++)
        CHECK_INT(wide[row], row >= 290 ? 0 : row < 280 ? row + 1 : 281);
    tree_bins_deinit(&bins);
    inputs[2].word_count = 7; /* other words than these seven are hashed */
    CHECK_OK(tree_bins_init(&bins, &made.dataset, 255, &plain, NULL, &err));
    CHECK_INT(bins.columns[2].bins, 9);
    CHECK_INT(tree_bin_of_word(&bins.columns[2], 5 + 6), 7);
    CHECK_INT(tree_bin_of_word(&bins.columns[2], 5 + 7), 8);
    tree_bins_deinit(&bins);
    made_deinit(&made);
}

static uint32_t words_with_bins(uint32_t words, double cat_smooth, bool is_old)
{
    const struct trees_params params = {.min_bin_rows = 1, .cat_smooth = cat_smooth};
    uint64_t counts[600];
    struct transform_input input = {
        .spec.type = INPUT_CATEGORY, .word_count = words, .word_counts = counts, .hash_buckets = 3};
    const struct model old = {0};
    struct made made;
    struct tree_bins found;
    struct error err;
    uint32_t apart;

    for (uint32_t i = 0; i < words; i++)
        counts[i] = words - i; /* the most frequent come first */
    made_init(&made, 1, 1);
    made.dataset.transform.inputs = &input;
    made.dataset.transform.dense_width = 0;
    made.dataset.transform.id_count = 1;
    made.dataset.old_model = is_old ? &old : NULL;
    CHECK_OK(tree_bins_init(&found, &made.dataset, 255, &params, NULL, &err));
    apart = found.columns[0].words;
    CHECK_INT(found.columns[0].bins, apart + 2);
    CHECK_INT(tree_bin_of_word(&found.columns[0], (int32_t)apart), apart + 1);
    tree_bins_deinit(&found);
    made_deinit(&made);
    return apart;
}

static void words_that_are_never_sorted_share_a_bin(void **state)
{
    (void)state;
    CHECK_INT(words_with_bins(600, 0, false), 600);
    CHECK_INT(words_with_bins(600, 1, false), 600);
    CHECK_INT(words_with_bins(600, 10, false), 591);
    CHECK_INT(words_with_bins(600, 10.4, false), 591); /* rows are rounded where they are sorted */
    CHECK_INT(words_with_bins(600, 10.6, false), 590);
    CHECK_INT(words_with_bins(600, 500, false), 101);
    CHECK_INT(words_with_bins(600, 1000, false), 0);
    CHECK_INT(words_with_bins(600, 10, true), 600);  /* other rows were counted */
    CHECK_INT(words_with_bins(254, 10, false), 254); /* few */
}

static void check_category(uint32_t words, uint32_t buckets, uint32_t bins, bool is_wide)
{
    struct transform_input input = {
        .spec.type = INPUT_CATEGORY, .word_count = words, .hash_buckets = buckets, .first_id = 7};
    struct made made;
    struct tree_bins found;
    struct error err;

    made_init(&made, 1, 1);
    made.dataset.transform.inputs = &input;
    made.dataset.transform.input_count = 1;
    made.dataset.transform.id_count = 1;
    CHECK_OK(tree_bins_init(&found, &made.dataset, 2, &plain, NULL, &err));
    CHECK_INT(found.columns[0].bins, bins);
    CHECK_INT(found.wide_count, is_wide);
    CHECK_INT(tree_bin_of_word(&found.columns[0], -1), 0);
    CHECK_INT(tree_bin_of_word(&found.columns[0], 7), 1);
    CHECK_INT(tree_bin_of_word(&found.columns[0], 7 + (int32_t)(words + buckets) - 1), bins - 1);
    tree_bins_deinit(&found);
    made_deinit(&made);
}

static void a_category_has_a_bin_for_each_word(void **state)
{
    (void)state;

    check_category(255, 0, 256, false);
    check_category(254, 3, 256, false);
    check_category(255, 3, 257, true);
    check_category(256, 0, 257, true);
    check_category(65535, 0, 65536, true);
    check_category(65536, 0, 65536, true);
    check_category(100000, 10, 65536, true);
}

static void a_text_is_refused(void **state)
{
    struct made made;
    struct tree_bins bins;
    struct error err;
    (void)state;

    made_init(&made, 1, 1);
    made.inputs[0].spec.type = INPUT_TEXT;
    made.inputs[0].spec.name = slice_of("comment");
    CHECK_FAILS(tree_bins_init(&bins, &made.dataset, 255, &plain, NULL, &err), STATUS_INVALID,
                "\"comment\"");
    CHECK(strstr(err.hint, "category"));
    tree_bins_deinit(&bins);
    made_deinit(&made);
}

/* A row of weight n cuts as n rows do, one of weight 0 as none. */
static void rows_count_by_their_weights(void **state)
{
    enum { ROWS = 600 };
    float values[3 * ROWS], all[ROWS], weights[ROWS];
    struct tree_bins wanted, bins;
    struct made repeated, made;
    uint32_t count = 0;
    struct error err;
    (void)state;

    for (uint32_t i = 0; i < ROWS; i++) {
        weights[i] = (float)(i * 7 % 4);
        all[i] = (float)draw(5, i);
        for (uint32_t j = 0; j < (uint32_t)weights[i] && count < 3 * ROWS; j++)
            values[count++] = all[i];
    }
    wanted = bins_of(&repeated, values, count, 30);
    made_init(&made, 1, ROWS);
    memcpy(made.dataset.sample.dense, all, sizeof all);
    made.dataset.sample.roles[ROLE_SAMPLE_WEIGHT] = weights;
    CHECK_OK(tree_bins_init(&bins, &made.dataset, 30, &plain, NULL, &err));
    CHECK_INT(bins.columns[0].bins, wanted.columns[0].bins);
    assert_memory_equal(bins.columns[0].cuts, wanted.columns[0].cuts,
                        (wanted.columns[0].bins - 2) * sizeof(float));
    tree_bins_deinit(&bins);
    tree_bins_deinit(&wanted);
    made_deinit(&made);
    made_deinit(&repeated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_values_have_a_bin_each),
        cmocka_unit_test(bins_have_rows_enough),
        cmocka_unit_test(neighbours_among_floats_are_told_apart),
        cmocka_unit_test(nothing_and_one_value_are_parted_from_missing_ones),
        cmocka_unit_test(many_values_are_divided_evenly),
        cmocka_unit_test(a_frequent_value_has_a_bin_of_its_own),
        cmocka_unit_test(rows_have_the_bins_of_their_values),
        cmocka_unit_test(cuts_are_those_of_the_set_of_values),
        cmocka_unit_test(no_bin_has_much_more_than_its_share),
        cmocka_unit_test(words_have_bins_by_how_often_they_are),
        cmocka_unit_test(a_category_has_a_bin_for_each_word),
        cmocka_unit_test(words_that_are_never_sorted_share_a_bin),
        cmocka_unit_test(a_text_is_refused),
        cmocka_unit_test(rows_count_by_their_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
