#include "tests/check.h"

#include <float.h>
#include <math.h>

#include "runtime/data/dataset/dataset_encode.h"
#include "runtime/data/dataset/row_lanes.h"
#include "runtime/data/dataset_open.h"
#include "runtime/data/plain_rows.h"
#include "tests/unit/data_fixture.h"

/* Columns of the tables below: x (numeric), colour (category), y (the label). */
#define COLUMNS 3

struct table {
    struct folder folder;
    struct spool_column columns[COLUMNS];
    struct input_spec inputs[COLUMNS - 1];
    struct jobspec spec;
    struct cell *cells;
    uint32_t rows;
    struct dataset dataset;
};

static void table_open(struct table *table, enum task task, enum label_type type)
{
    static const enum spool_type types[] = {SPOOL_INTEGER, SPOOL_REAL, SPOOL_TEXT};

    *table = (struct table){
        .columns = {{SLICE("x"), SPOOL_REAL, READING_NUMBER, 0},
                    {SLICE("colour"), SPOOL_TEXT, READING_NUMBER, 0},
                    {SLICE("y"), types[type], READING_NUMBER, 0}},
        .inputs = {{.name = SLICE("x"), .type = INPUT_NUMERIC},
                   {.name = SLICE("colour"), .type = INPUT_CATEGORY, .vocabulary_max = 10000}},
        .spec = {.family = SLICE("network"),
                 .task = task,
                 .input_count = 2,
                 .label = SLICE("y"),
                 .label_type = type,
                 .standardize = true,
                 .shuffle = true,
                 .epochs = 100,
                 .seed = 42},
    };
    folder_open(&table->folder);
    table->spec.inputs = table->inputs;
}

static void add_row(struct table *table, struct cell x, struct cell colour, struct cell y)
{
    struct cell *row;

    if ((table->rows & (table->rows - 1)) == 0) /* a power of two: full */
        table->cells =
            realloc(table->cells, (2 * (size_t)table->rows + 1) * COLUMNS * sizeof *table->cells);
    row = table->cells + (size_t)table->rows++ * COLUMNS;
    row[0] = x, row[1] = colour, row[2] = y;
}

static struct team *team; /* opens the next table */

static enum status try_open(struct table *table, const uint32_t *order, struct error *err)
{
    const struct spool_held_out held_out = dataset_held_out(&table->spec);

    write_spool_to_split(folder_file(&table->folder, "train.spool"), table->columns, COLUMNS,
                         table->cells, table->rows, order, &held_out);
    return dataset_open(table->folder.path, NULL, &table->spec, team, &table->dataset, err);
}

static void reopen(struct table *table, const uint32_t *order)
{
    struct error err;

    dataset_close(&table->dataset);
    CHECK_OK(try_open(table, order, &err));
}

static void table_close(struct table *table)
{
    dataset_close(&table->dataset);
    free(table->cells);
    folder_close(&table->folder);
}

/* Rows with NULLs, repeated rows, rare words, and three classes. */
static void fill(struct table *table, uint32_t rows)
{
    static char words[40][8];

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t word = i * i % 37;
        struct cell y = integer_cell(i % 3);

        snprintf(words[word], sizeof words[word], "w%u", word);
        if (table->spec.label_type == LABEL_REAL)
            y = real_cell(1e6 + (double)(i % 91) / 7);
        add_row(table, i % 19 == 4 ? null_cell() : real_cell(1e3 + (double)(i % 101) / 3),
                i % 23 == 6 ? null_cell() : text_cell(words[word]), y);
    }
}

static void a_row_is_encoded_as_the_transform_says(void **state)
{
    struct table table;
    struct dataset_part *train = &table.dataset.train;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    table.spec.shuffle = false;
    add_row(&table, real_cell(1), text_cell("red"), text_cell("yes"));
    add_row(&table, null_cell(), text_cell("blue"), text_cell("no"));
    add_row(&table, real_cell(3), null_cell(), text_cell("no"));
    add_row(&table, real_cell(2), text_cell("red"), text_cell("maybe"));
    reopen(&table, NULL);

    const double scale = sqrt(2.0 / 3);
    CHECK_INT(table.dataset.transform.dense_width, 2);
    CHECK_INT(table.dataset.transform.id_rows, 2 + 1);
    CHECK(table.dataset.transform.inputs[0].mean == 2);
    CHECK_SLICE(table.dataset.transform.inputs[1].words[0], "red");
    CHECK(table.dataset.transform.inputs[1].word_counts[0] == 2);
    CHECK(fabs((double)train->dense[0] + 1 / scale) < 1e-6 && train->dense[1] == 0);
    CHECK(train->dense[2] == 0 && train->dense[3] == 1);
    CHECK(train->ids[0] == 0 && train->ids[1] == 1 && train->ids[2] == 2 && train->ids[3] == 0);
    /* maybe < no < yes */
    CHECK(train->classes[0] == 2 && train->classes[1] == 1 && train->classes[3] == 0);
    CHECK_SLICE(table.dataset.labels.values[2].text, "yes");
    CHECK_INT(table.dataset.validation.rows, 0);
    CHECK(!train->values);
    table_close(&table);
}

static void encoding_and_scoring_give_the_same_bits(void **state)
{
    struct table table;
    float dense[2];
    int32_t ids[1];
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    table.spec.shuffle = false;
    fill(&table, 1000);
    reopen(&table, NULL);
    for (uint32_t i = 0; i < table.rows; i++) {
        struct error err;

        CHECK_OK(transform_row(&table.dataset.transform, table.cells + (size_t)i * COLUMNS, dense,
                               ids, &err));
        assert_memory_equal(dense, table.dataset.train.dense + 2 * i, sizeof dense);
        CHECK_INT(ids[0], table.dataset.train.ids[i]);
        CHECK_INT(table.dataset.train.classes[i], i % 3);
    }
    table_close(&table);
}

static void check_same_part(const struct dataset_part *a, const struct dataset_part *b,
                            const struct transform *transform)
{
    CHECK_INT(a->rows, b->rows);
    assert_memory_equal(a->dense, b->dense, a->rows * transform->dense_width * sizeof(float));
    assert_memory_equal(a->ids, b->ids, a->rows * transform->id_count * sizeof(int32_t));
    assert_memory_equal(a->hashes, b->hashes, a->rows * sizeof *a->hashes);
    if (a->classes)
        assert_memory_equal(a->classes, b->classes, a->rows * sizeof *a->classes);
    else
        assert_memory_equal(a->values, b->values, a->rows * sizeof *a->values);
}

static void check_same_transform(const struct transform *a, const struct transform *b)
{
    CHECK(a->inputs[0].mean == b->inputs[0].mean && a->inputs[0].scale == b->inputs[0].scale);
    CHECK_INT(a->inputs[1].word_count, b->inputs[1].word_count);
    CHECK_INT(a->inputs[1].hash_buckets, b->inputs[1].hash_buckets);
    for (uint32_t i = 0; i < a->inputs[1].word_count; i++)
        CHECK(slice_equal(a->inputs[1].words[i], b->inputs[1].words[i]));
}

#define LANES_MAX 8

/* The order of an epoch, of all lanes one after the other. */
static void epoch_order(const struct dataset *dataset, uint32_t lane_count, uint32_t epoch,
                        uint32_t *order)
{
    struct lane_share shares[LANES_MAX] = {{0, 0, 0}};
    uint32_t held = lane_count;
    struct row_lanes lanes;
    struct error err;

    CHECK_OK(row_lanes_init(&lanes, dataset, lane_count, &err));
    for (uint32_t lane = 0; lane < lane_count; lane++)
        shares[lane].count =
            (uint32_t)(row_lanes_first(&lanes, lane + 1) - row_lanes_first(&lanes, lane));
    row_lanes_begin_step(&lanes, 0, NULL);
    CHECK_OK(row_lanes_hold(&lanes, epoch, shares, 0, &held, team, &err));
    CHECK_INT(held, lane_count);
    for (uint32_t lane = 0; lane < lane_count; lane++)
        for (uint32_t i = 0; i < shares[lane].count; i++) {
            const uint64_t place = row_lanes_place(&lanes, lane, i);
            const uint64_t first = row_lanes_first(&lanes, lane);

            *order++ = (uint32_t)(lanes.order ? first + lanes.order[place] : place);
        }
    CHECK(row_lanes_are_intact(&lanes));
    row_lanes_deinit(&lanes);
}

/* The same rows in three physical orders, over more than one block, the last
 * by a team. */
static void check_order_does_not_matter(enum task task, enum label_type type)
{
    enum { ROWS = 20000 };
    static uint32_t epoch[ROWS], other_epoch[ROWS];
    struct table first, other;

    table_open(&first, task, type);
    first.spec.test_size = 0.2;
    first.spec.balanced = true;
    first.inputs[1].vocabulary_max = 12;
    fill(&first, ROWS);
    reopen(&first, NULL);
    epoch_order(&first.dataset, 7, 3, epoch);
    for (uint64_t seed = 1; seed < 3; seed++) {
        uint32_t *order = shuffled(ROWS, seed);

        team = team_new(seed == 2 ? 3 : 1);
        table_open(&other, task, type);
        other.spec = first.spec;
        other.spec.inputs = other.inputs;
        other.inputs[1].vocabulary_max = 12;
        fill(&other, ROWS);
        reopen(&other, order);
        CHECK_INT(other.dataset.validation.rows, first.dataset.validation.rows);
        CHECK(labs((long)other.dataset.validation.rows - ROWS / 5) < 3);
        check_same_transform(&first.dataset.transform, &other.dataset.transform);
        check_same_part(&first.dataset.train, &other.dataset.train, &first.dataset.transform);
        check_same_part(&first.dataset.validation, &other.dataset.validation,
                        &first.dataset.transform);
        CHECK(first.dataset.label_mean == other.dataset.label_mean);
        CHECK(first.dataset.label_scale == other.dataset.label_scale);
        epoch_order(&other.dataset, 7, 3, other_epoch);
        assert_memory_equal(epoch, other_epoch, first.dataset.train.rows * sizeof *epoch);
        table_close(&other);
        free(order);
        team_free(team);
        team = NULL;
    }
    table_close(&first);
}

static void the_physical_order_of_rows_changes_no_bit(void **state)
{
    (void)state;
    check_order_does_not_matter(TASK_CLASSIFICATION, LABEL_INTEGER);
    check_order_does_not_matter(TASK_REGRESSION, LABEL_REAL);
}

static void an_epoch_visits_each_row_once_in_an_order_of_its_own(void **state)
{
    static uint32_t first[1000], second[1000];
    uint8_t seen[1000] = {0};
    uint32_t same = 0;
    struct table table;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    fill(&table, 1000);
    reopen(&table, NULL);
    epoch_order(&table.dataset, 1, 0, first);
    epoch_order(&table.dataset, 1, 1, second);
    for (uint32_t i = 0; i < 1000; i++) {
        CHECK(first[i] < 1000 && !seen[first[i]]++);
        same += first[i] == second[i];
    }
    CHECK(same < 20);
    table.spec.seed = 43;
    reopen(&table, NULL);
    epoch_order(&table.dataset, 1, 0, second);
    CHECK(memcmp(first, second, sizeof first) != 0);
    table.spec.shuffle = false;
    reopen(&table, NULL);
    epoch_order(&table.dataset, 1, 5, second);
    for (uint32_t i = 0; i < 1000; i++)
        CHECK(second[i] == i && table.dataset.train.classes[i] == (int32_t)(i % 3));
    table_close(&table);
}

/* Keys whose upper halves agree are told apart by the rest and by the hash;
 * here all rows are one row. */
static void rows_that_tie_do_not_slow_or_break_the_order(void **state)
{
    static uint32_t order[5000];
    uint64_t sum = 0;
    struct table table;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    for (int i = 0; i < 5000; i++)
        add_row(&table, real_cell(1), text_cell("a"), real_cell(2));
    reopen(&table, NULL);
    epoch_order(&table.dataset, 1, 0, order);
    for (int i = 0; i < 5000; i++)
        sum += order[i];
    CHECK(sum == 5000ull * 4999 / 2);
    CHECK(table.dataset.label_mean == 2 && table.dataset.label_scale == 1);
    CHECK(table.dataset.train.values[0] == 0 && table.dataset.train.dense[0] == 0);
    table_close(&table);
}

/* Checks the mixture of three different rows, 400 times each: counts by class in the first `count`
 * of `classes`, taken in `order` (NULL: as they lie). */
/* Each has a third. Chance alone takes a class of 128 rows below a quarter in one of 40; a sixth is
 * four deviations away. */
static void check_mixed(const int32_t *classes, const uint32_t *order, uint32_t count)
{
    uint32_t counts[3] = {0, 0, 0};

    for (uint32_t i = 0; i < count; i++)
        counts[classes[order[i]]]++;
    for (int class = 0; class < 3; class ++)
        CHECK(counts[class] > count / 6 && counts[class] < count / 2);
}

static void equal_rows_are_spread_over_batches_and_held_out_rows(void **state)
{
    struct table table;
    uint32_t order[600], held_out[3] = {0};
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    table.spec.test_size = 0.5;
    for (uint32_t i = 0; i < 1200; i++)
        add_row(&table, real_cell(i % 3), text_cell("same"), integer_cell(i % 3));
    reopen(&table, NULL);
    CHECK_INT(table.dataset.validation.rows, 600);
    for (uint32_t i = 0; i < 600; i++)
        held_out[table.dataset.validation.classes[i]]++;
    CHECK(held_out[0] == 200 && held_out[1] == 200 && held_out[2] == 200);
    epoch_order(&table.dataset, 4, 0, order);
    check_mixed(table.dataset.train.classes, order, 128);
    check_mixed(table.dataset.train.classes, order + 128, 128);
    table_close(&table);
}

/* Four kinds of rows in a large table: every lane has a quarter of its rows of each. */
static void equal_rows_are_spread_over_lanes(void **state)
{
    enum { ROWS = 400000, LANES = 8, KINDS = 4 };
    uint32_t least = ROWS, most = 0;
    struct row_lanes lanes;
    struct table table;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    for (uint32_t i = 0; i < ROWS; i++)
        add_row(&table, real_cell(i * (uint64_t)KINDS / ROWS), text_cell("same"),
                integer_cell(i * (uint64_t)KINDS / ROWS));
    reopen(&table, NULL);
    CHECK_OK(row_lanes_init(&lanes, &table.dataset, LANES, &err));
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint64_t first = row_lanes_first(&lanes, lane);
        const uint32_t rows = (uint32_t)(row_lanes_first(&lanes, lane + 1) - first);
        uint32_t counts[KINDS] = {0};

        least = rows < least ? rows : least;
        most = rows > most ? rows : most;
        for (uint64_t row = first; row < first + rows; row++)
            counts[table.dataset.train.classes[row]]++;
        for (int kind = 0; kind < KINDS; kind++)
            CHECK(counts[kind] > rows / KINDS * 95 / 100 &&
                  counts[kind] < rows / KINDS * 105 / 100);
    }
    CHECK(most - least < least / 20);
    row_lanes_deinit(&lanes);
    table_close(&table);
}

/* Without shuffle all rows are in memory: those of 28 numbers and a label take 116 bytes. */
static void without_shuffle_rows_take_16_gib_at_most(void **state)
{
    const struct jobspec spec = {.family = SLICE("network"), .task = TASK_REGRESSION};
    struct dataset dataset = {.transform.dense_width = 28};
    struct error err;
    (void)state;

    CHECK_OK(plain_rows_check(&dataset, DATASET_BYTES_MAX / 116, &err));
    CHECK_FAILS(plain_rows_check(&dataset, DATASET_BYTES_MAX / 116 + 1, &err), STATUS_LIMIT,
                "148102321 rows take 17179869236 bytes of memory without shuffle, more than "
                "17179869184");
    /* Such a number of rows is refused before anything is read or allocated. */
    dataset = (struct dataset){.spool.rows = (uint64_t)1 << 32};
    CHECK_FAILS(plain_rows_open(&dataset, &spec, NULL, &err), STATUS_LIMIT,
                "4294967296 rows take 17179869184 bytes");
    dataset = (struct dataset){.spool.rows = ((uint64_t)1 << 32) + 7};
    CHECK_FAILS(plain_rows_open(&dataset, &spec, NULL, &err), STATUS_LIMIT,
                "4294967303 rows take 17179869212 bytes");
}

/* A part has addresses for all of its rows, and no memory yet. */
static void a_part_has_addresses_for_all_of_its_rows(void **state)
{
    struct dataset dataset = {.transform.dense_width = 28};
    struct dataset_part part = {.rows = 0};
    struct error err;
    (void)state;

    CHECK_OK(part_allocate(&dataset, TASK_REGRESSION, 5000000000, &part, &err));
    CHECK(part.rows == 5000000000);
    part.dense[28 * part.rows - 1] = part.values[part.rows - 1] = 3;
    part.hashes[part.rows - 1].high = 7;
    CHECK(part.dense[28 * part.rows - 1] == 3 && part.values[0] == 0);
    part_free(&part);
    CHECK_FAILS(part_allocate(&dataset, TASK_REGRESSION, (uint64_t)1 << 50, &part, &err),
                STATUS_NO_MEMORY, "no addresses are free for 1125899906842624 rows");
    CHECK(part.rows == 0 && !part.memory);
    CHECK_FAILS(part_allocate(&dataset, TASK_REGRESSION, (uint64_t)1 << 57, &part, &err),
                STATUS_LIMIT, "144115188075855872 rows are more than can have addresses");
}

static void at_least_one_row_is_held_out_and_never_all(void **state)
{
    static const struct {
        uint32_t rows;
        double test_size;
        uint32_t held_out;
    } cases[] = {{150, 0.2, 30}, {150, 0, 0}, {3, 0.1, 1}, {2, 0.999, 1},
                 {1, 0.5, 0},    {7, 0.5, 3}, {4, 1, 3}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table table;

        table_open(&table, TASK_REGRESSION, LABEL_REAL);
        table.spec.test_size = cases[i].test_size;
        fill(&table, cases[i].rows);
        reopen(&table, NULL);
        CHECK_INT(table.dataset.validation.rows, cases[i].held_out);
        CHECK_INT(table.dataset.train.rows, cases[i].rows - cases[i].held_out);
        table_close(&table);
    }
}

/* A word, a class and an outlier that only the held-out rows have teach nothing. */
static void statistics_come_from_the_training_rows_alone(void **state)
{
    struct table table;
    int32_t unseen = 0;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    table.spec.has_validation = true;
    for (int i = 0; i < 10; i++)
        add_row(&table, real_cell(i), text_cell(i % 2 ? "a" : "b"), integer_cell(i % 2));
    write_spool(folder_file(&table.folder, "validation.spool"), table.columns, COLUMNS,
                (struct cell[]){real_cell(1e9), text_cell("c"), integer_cell(7), null_cell(),
                                null_cell(), integer_cell(1)},
                2, NULL);
    reopen(&table, NULL);
    CHECK(table.dataset.transform.inputs[0].mean == 4.5);
    CHECK_INT(table.dataset.transform.inputs[1].word_count, 2);
    CHECK_INT(table.dataset.transform.dense_width, 1); /* training saw no NULL */
    CHECK_INT(table.dataset.labels.count, 2);
    CHECK_INT(table.dataset.train.rows, 10);
    CHECK_INT(table.dataset.validation.rows, 2);
    for (int i = 0; i < 2; i++) {
        CHECK(table.dataset.validation.ids[i] == -1);
        unseen += table.dataset.validation.classes[i];
    }
    CHECK_INT(unseen, -1 + 1);
    table_close(&table);
}

static void rare_words_share_hash_buckets(void **state)
{
    const struct transform_input *colour;
    static char words[30][16];
    struct table table;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    table.inputs[1].vocabulary_max = 20;
    for (int w = 0; w < 30; w++) {
        snprintf(words[w], sizeof words[w], "w%02d", w);
        for (int i = 0; i <= w % 10; i++)
            add_row(&table, real_cell(i), text_cell(words[w]), real_cell(i));
    }
    reopen(&table, NULL);
    colour = &table.dataset.transform.inputs[1];
    CHECK_INT(colour->word_count, 20);
    CHECK_INT(colour->hash_buckets, 2);
    /* ten of each, then nine, ...; equal counts by bytes */
    CHECK_SLICE(colour->words[0], "w09");
    CHECK_SLICE(colour->words[1], "w19");
    CHECK_SLICE(colour->words[2], "w29");
    CHECK_SLICE(colour->words[3], "w08");
    CHECK_SLICE(colour->words[19], "w13");
    CHECK(colour->word_counts[0] == 10 && colour->word_counts[19] == 4);
    table_close(&table);
}

static void without_standardising_numbers_stay_and_null_takes_the_mean(void **state)
{
    struct table table;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    table.spec.standardize = false;
    table.spec.shuffle = false;
    add_row(&table, real_cell(10), null_cell(), real_cell(1));
    add_row(&table, real_cell(30), null_cell(), real_cell(2));
    add_row(&table, null_cell(), null_cell(), real_cell(3));
    reopen(&table, NULL);
    CHECK(table.dataset.train.dense[0] == 10 && table.dataset.train.dense[2] == 30);
    CHECK(table.dataset.train.dense[4] == 20 && table.dataset.train.dense[5] == 1);
    CHECK_INT(table.dataset.transform.inputs[1].word_count, 0);
    CHECK_INT(table.dataset.train.ids[0], 0); /* the NULL bucket of no words */
    table_close(&table);
}

static void trees_open(struct table *table, enum task task, enum label_type type)
{
    table_open(table, task, type);
    table->spec.family = SLICE("trees");
    table->spec.shuffle = false;
}

static void trees_take_numbers_and_labels_as_they_are(void **state)
{
    struct table table;
    const struct dataset *dataset = &table.dataset;
    const float *dense;
    (void)state;

    trees_open(&table, TASK_REGRESSION, LABEL_REAL);
    add_row(&table, real_cell(10.5), text_cell("red"), real_cell(1e6 + 1));
    add_row(&table, null_cell(), text_cell("blue"), real_cell(1e6 + 3));
    add_row(&table, real_cell(-1e300), null_cell(), real_cell(1e6 - 1));
    reopen(&table, NULL);
    dense = dataset->train.dense;
    CHECK_INT(dataset->transform.dense_width, 1);
    CHECK(dataset->transform.keeps_numbers && dataset->transform.inputs[0].has_nulls);
    CHECK(dense[0] == 10.5f && isnan(dense[1]) && dense[2] == -TRANSFORM_KEPT_MOST);
    CHECK(dataset->dense_greatest == TRANSFORM_KEPT_MOST);
    CHECK(dataset->train.ids[0] == 1 && dataset->train.ids[1] == 0); /* blue, red */
    CHECK_INT(dataset->train.ids[2], -1);
    CHECK(dataset->label_mean == 1e6 + 1 && dataset->label_scale == 1); /* their median */
    CHECK(dataset->train.values[0] == 0 && dataset->train.values[1] == 2);
    CHECK(dataset->train.values[2] == -2);
    CHECK(dataset->label_average == 1e6 + 1);
    CHECK(fabs(dataset->label_deviation - sqrt(8.0 / 3)) < 1e-9);
    table_close(&table);
}

static void trees_encode_and_score_the_same_bits(void **state)
{
    struct table table;
    float dense[1];
    int32_t ids[1];
    (void)state;

    for (int has_nulls = 0; has_nulls < 2; has_nulls++) { /* without any a row's numbers are taken
                                                             together */
        trees_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
        fill(&table, 1000);
        for (uint32_t i = 0; !has_nulls && i < table.rows; i++)
            if (table.cells[(size_t)i * COLUMNS].type == CELL_NULL)
                table.cells[(size_t)i * COLUMNS] = real_cell(1e300);
        reopen(&table, NULL);
        CHECK_INT(table.dataset.transform.inputs[0].has_nulls, has_nulls);
        for (uint32_t i = 0; i < table.rows; i++) {
            struct error err;

            CHECK_OK(transform_row(&table.dataset.transform, table.cells + (size_t)i * COLUMNS,
                                   dense, ids, &err));
            assert_memory_equal(dense, table.dataset.train.dense + i, sizeof dense);
            CHECK_INT(ids[0], table.dataset.train.ids[i]);
        }
        table_close(&table);
    }
}

static void labels_too_large_to_be_kept_are_refused(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    trees_open(&table, TASK_REGRESSION, LABEL_REAL);
    add_row(&table, real_cell(1), text_cell("a"), real_cell(-1e18));
    add_row(&table, real_cell(2), text_cell("a"), real_cell(3));
    reopen(&table, NULL);
    add_row(&table, real_cell(2), text_cell("a"), real_cell(-1.5e18));
    dataset_close(&table.dataset);
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID,
                "label column \"y\" has the number -1.5e+18, where at most 1e+18 is learned");
    table.spec.family = SLICE("network"); /* which takes it relative to the others */
    CHECK_OK(try_open(&table, NULL, &err));
    table_close(&table);
}

static void numbers_can_be_categories(void **state)
{
    struct table table;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_INTEGER);
    table.columns[1].type = SPOOL_INTEGER;
    table.spec.shuffle = false;
    for (int i = 0; i < 6; i++)
        add_row(&table, real_cell(i), integer_cell(i == 0 ? 7 : -3), integer_cell(i));
    reopen(&table, NULL);
    CHECK_SLICE(table.dataset.transform.inputs[1].words[0], "-3");
    CHECK_SLICE(table.dataset.transform.inputs[1].words[1], "7");
    CHECK(table.dataset.train.ids[0] == 1 && table.dataset.train.ids[1] == 0);
    CHECK(table.dataset.label_mean == 2.5);
    table_close(&table);
}

static void classes_are_ordered_by_value_and_weighted_when_balanced(void **state)
{
    struct table table;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_REAL);
    table.spec.balanced = true;
    table.spec.n_classes = 5; /* fewer in the data are fine */
    for (int i = 0; i < 8; i++)
        add_row(&table, real_cell(i), null_cell(), real_cell(i < 6 ? 10 : -2));
    reopen(&table, NULL);
    CHECK_INT(table.dataset.labels.count, 2);
    CHECK(table.dataset.labels.values[0].real == -2 && table.dataset.labels.values[1].real == 10);
    CHECK(table.dataset.class_weights[0] == 2);
    CHECK(fabs((double)table.dataset.class_weights[1] - 8.0 / 12) < 1e-6);
    table_close(&table);
}

/* The texts of the notices, one after the other; to be freed. */
static char *notices_of(const struct dataset *dataset)
{
    struct text out;

    text_init(&out, TEXT_MAXIMUM);
    text_append_string(&out, "");
    for (size_t i = 0; i < dataset->notices->count; i++)
        text_printf(&out, "%s\n", dataset->notices->items[i].text);
    return out.data;
}

static void check_notices(struct table *table, const char *expected)
{
    char *notices;

    reopen(table, NULL);
    notices = notices_of(&table->dataset);
    assert_string_equal(notices, expected);
    free(notices);
    table_close(table);
}

static void columns_that_tell_nothing_are_noticed(void **state)
{
    struct table table;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    for (int i = 0; i < 40; i++)
        add_row(&table, real_cell(-0.1), null_cell(), real_cell(i));
    check_notices(&table, "column \"x\" is -0.1 in all 40 rows\n"
                          "column \"colour\" is NULL in all 40 rows\n");
    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    for (int i = 0; i < 40; i++)
        add_row(&table, real_cell(i == 20 ? 0.1 + 0x1p-56 : 0.1), text_cell("it"), real_cell(i));
    check_notices(&table, "column \"colour\" is 'it' in all 40 rows\n");
    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    for (int i = 0; i < 40; i++) /* a NULL among equal values tells something */
        add_row(&table, i ? real_cell(1) : null_cell(), i ? text_cell("a") : null_cell(),
                real_cell(i));
    check_notices(&table, "");
}

static void labels_that_squares_do_not_suit_are_noticed(void **state)
{
    struct table table;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    for (int i = 0; i < 40; i++)
        add_row(&table, real_cell(i), text_cell(i % 2 ? "a" : "b"), real_cell(i == 5 ? 1e9 : i));
    check_notices(&table, "label column \"y\": a few labels are far from all others (from 0 to "
                          "1e+09, where the middle half is 20 wide), and the squared error learns "
                          "from these first\n");
    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    for (int i = 0; i < 40; i++)
        add_row(&table, real_cell(i), text_cell(i % 2 ? "a" : "b"), real_cell(i * 1e-300));
    check_notices(&table,
                  "label column \"y\" has no number beyond 3.9e-299, whose square is 0 to a "
                  "computer: neither losses nor R2 mean anything\n");
}

static void classes_that_say_yes_or_no_are_noticed(void **state)
{
    static const char *const classes[] = {"yes", "no", "Y", "0", "1", "NO"};
    static const char *const foreign[] = {"s\u00ed", "no", "si"};
    struct table table;
    char *notices;
    (void)state;

    for (int count = 2; count <= 6; count++) {
        table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
        for (int i = 0; i < 60 * count; i++)
            add_row(&table, real_cell(i), text_cell(i % 2 ? "a" : "b"),
                    text_cell(classes[i % count]));
        reopen(&table, NULL);
        notices = notices_of(&table.dataset);
        CHECK((strstr(notices, "that all mean yes or no") != NULL) == (count > 2));
        free(notices);
        table_close(&table);
    }
    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    for (int i = 0; i < 180; i++)
        add_row(&table, real_cell(i), text_cell(i % 2 ? "a" : "b"), text_cell(foreign[i % 3]));
    reopen(&table, NULL);
    notices = notices_of(&table.dataset);
    CHECK(strstr(notices, "that all mean yes or no") != NULL);
    for (size_t i = 0; i < table.dataset.notices->count; i++)
        if (strstr(table.dataset.notices->items[i].text, "yes or no"))
            CHECK(strstr(table.dataset.notices->items[i].hint, "y IN ('si', 's\u00ed') AS y"));
    free(notices);
    table_close(&table);
}

static void words_that_share_buckets_are_noticed(void **state)
{
    static char words[40][16];
    struct table table;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    table.inputs[1].vocabulary_max = 30;
    for (int i = 0; i < 40; i++) {
        snprintf(words[i], sizeof words[i], "w%d", i);
        add_row(&table, real_cell(i), text_cell(words[i]), real_cell(i));
    }
    check_notices(&table, "column \"colour\" has 40 different words: 10 of them share 3 hash "
                          "buckets\n");
}

static void rare_classes_are_noticed(void **state)
{
    struct table table;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    for (int i = 0; i < 1000; i++)
        add_row(&table, real_cell(i), null_cell(), text_cell(i % 25 ? "legit" : "fraud"));
    add_row(&table, real_cell(0), text_cell("a"), text_cell("legit"));
    check_notices(&table, "1 of 2 classes is rare in 1001 rows: 'fraud' has 40\n");
    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    for (int i = 0; i < 1000; i++)
        add_row(&table, real_cell(i), i ? null_cell() : text_cell("a"),
                integer_cell(i < 9 ? i / 2 : 10 + i % 2));
    check_notices(&table,
                  "5 of 7 classes are rare in 1000 rows; the rarest: 4 has 1, 0 has 2, 1 has 2\n");
    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    for (int i = 0; i < 18; i++)
        add_row(&table, real_cell(i), i ? null_cell() : text_cell("a"), integer_cell(i % 2));
    check_notices(&table, "few rows, 18 in all: 0 has 9, 1 has 9\n");
    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    for (int i = 0; i < 50; i++)
        add_row(&table, real_cell(i), i ? null_cell() : text_cell("a"), integer_cell(i % 5));
    check_notices(&table, "few rows, 50 in all; the fewest: 0 has 10, 1 has 10, 2 has 10\n");
    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    for (int i = 0; i < 1200; i++) /* none of thirty classes has 5 % */
        add_row(&table, real_cell(i), i ? null_cell() : text_cell("a"), integer_cell(i % 30));
    check_notices(&table, "");
}

static void spellings_of_a_word_are_noticed(void **state)
{
    static const char *const towns[] = {"Rome", "rome", " ROME ", "Oslo"};
    struct table table;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    for (int i = 0; i < 400; i++)
        add_row(&table, real_cell(i), text_cell(towns[i % 4]), real_cell(i));
    check_notices(&table,
                  "column \"colour\": 3 words differ from others in capitals or spaces around them "
                  "alone, such as ' ROME ' in 100 rows, 'Rome' in 100 rows and 'rome' in 100 "
                  "rows\n");
    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    for (int i = 0; i < 400; i++) /* two rows of 400; genotypes */
        add_row(&table, real_cell(i),
                text_cell(i < 2   ? "rome"
                          : i % 2 ? "Rome"
                          : i % 4 ? "Aa"
                                  : "AA"),
                real_cell(i));
    check_notices(&table, "");
    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    for (int i = 0; i < 400; i++)
        add_row(&table, real_cell(i), null_cell(), text_cell(i % 2 ? "no" : i % 4 ? "yes" : "Yes"));
    add_row(&table, real_cell(0), text_cell("a"), text_cell("no"));
    check_notices(&table, "label column \"y\": 2 classes differ from others in capitals or spaces "
                          "around them alone, such as 'Yes' in 100 rows and 'yes' in 100 rows\n");
}

/* A table has the two in 100 rows each, beside Oslo. */
static void check_look(const char *one, const char *other, const char *notice)
{
    const char *const towns[] = {one, other, "Oslo", "Oslo"};
    struct table table;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    for (int i = 0; i < 400; i++)
        add_row(&table, real_cell(i), text_cell(towns[i % 4]), real_cell(i));
    check_notices(&table, notice);
}

static void words_that_look_alike_are_noticed(void **state)
{
    (void)state;
    check_look("Caf\u00e9", "Cafe\u0301",
               "column \"colour\": 2 words look like others and have other characters, such as "
               "'Cafe\u0301' with U+0065 U+0301 in 100 rows and 'Caf\u00e9' with U+00E9 in 100 "
               "rows\n");
    check_look("Rome", "Ro\u200bme",
               "column \"colour\": 2 words look like others and have other characters, such as "
               "'Ro\u200bme' with U+200B in 100 rows and 'Rome' without it in 100 rows\n");
    check_look("Caf\u00e9", "Cafe", "");
    check_look("Caf\u00e9", "caf\u00e9",
               "column \"colour\": 2 words differ from others in capitals or spaces around them "
               "alone, such as 'Caf\u00e9' in 100 rows and 'caf\u00e9' in 100 rows\n");
    check_look("a  b", "c", "");
}

static void spellings_of_a_number_among_words_are_noticed(void **state)
{
    static const char *const classes[] = {"0", "1", "-0", "0.0", "no", "1"};
    struct table table;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    for (int i = 0; i < 600; i++)
        add_row(&table, real_cell(i), i ? null_cell() : text_cell("a"), text_cell(classes[i % 6]));
    check_notices(&table,
                  "label column \"y\": 3 classes differ from others in the spelling of a number "
                  "alone, such as '-0' in 100 rows, '0' in 100 rows and '0.0' in 100 rows\n");
    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    for (int i = 0; i < 600; i++) /* codes */
        add_row(&table, real_cell(i), i ? null_cell() : text_cell("a"),
                text_cell(i % 2 ? "01" : "1"));
    check_notices(&table, "");
}

static void classes_that_stand_for_missing_labels_are_noticed(void **state)
{
    static const struct {
        int classes[6], count;
        const char *notices;
    } cases[] = {
        {{1, 2, 3, 4, 5, 99},
         6,
         "label column \"y\" is 99 in 50 rows, far from all others, which is a "
         "class of its own\n"},
        {{-999, 0, 1},
         3,
         "label column \"y\" is -999 in 100 rows, far from all others, which is a "
         "class of its own\n"},
        {{0, 1, 88, 99},
         4,
         "label column \"y\" is 88 in 75 rows, far from all others, which is a class "
         "of its own\nlabel column \"y\" is 99 in 75 rows, far from all others, "
         "which is a class of its own\n"},
        {{-1, 0, 1}, 3, ""},
        {{0, 1, 9}, 3, ""},
        {{0, 99}, 2, ""},
        {{200, 301, 404, 500, 999}, 5, ""},
        {{2007, 2008, 2009, 2010, 2011, 2012}, 6, ""},
        {{10, 20, 30, 77, 88, 99}, 6, ""},
    };
    struct table table;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
        for (int row = 0; row < 300; row++)
            add_row(&table, real_cell(row), row ? null_cell() : text_cell("a"),
                    integer_cell(cases[i].classes[row % cases[i].count]));
        check_notices(&table, cases[i].notices);
    }
}

/* Three classes, of 100 rows each. */
static void check_classes(const char *first, const char *second, const char *third,
                          const char *notice)
{
    const char *const classes[] = {first, second, third};
    struct table table;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    for (int row = 0; row < 300; row++)
        add_row(&table, real_cell(row), row ? null_cell() : text_cell("a"),
                text_cell(classes[row % 3]));
    check_notices(&table, notice);
}

static void words_for_a_missing_label_are_noticed(void **state)
{
    static const char *const words[] = {"unknown", "N/A", "?", "-", "#DIV/0!", "Not available"};
    char notice[200];
    (void)state;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(notice, sizeof notice,
                 "label column \"y\" is '%s' in 100 rows, which is a class of its own\n", words[i]);
        check_classes("good", "bad", words[i], notice);
    }
    check_classes("good", "bad", "none", "");
    check_classes("good", "bad", "unknowns", "");
    check_classes("+", "0", "-", "");
    check_classes("?", "!", ".", "");
    check_classes(
        "good", "bad", "-999",
        "label column \"y\" is '-999' in 100 rows, a number beside words, which is a class "
        "of its own\n");
    check_classes("good", "bad", "5", "");
    check_classes("good", "77", "88", "");
    check_classes(
        "0", "1", "99",
        "label column \"y\" is '99' in 100 rows, far from all others, which is a class of "
        "its own\n");
    check_classes("1", "12", "2", "");
}

static void labels_that_rather_are_numbers_are_noticed(void **state)
{
    static char words[31][8];
    struct table table;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    for (int i = 0; i < 1240; i++)
        add_row(&table, real_cell(i), i ? null_cell() : text_cell("a"), integer_cell(i % 31));
    check_notices(&table, "label column \"y\" has 31 different numbers, and each is a class of its "
                          "own\n");
    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    for (int i = 0; i < 31; i++) {
        snprintf(words[i], sizeof words[i], "%d.5", i);
        add_row(&table, real_cell(i), i ? null_cell() : text_cell("a"), text_cell(words[i]));
    }
    check_notices(&table, "label column \"y\" has 31 different numbers, written as text, and each "
                          "is a class of its own\n");
}

static void the_most_classes_work_and_one_more_does_not(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    for (int i = 0; i < CLASSES_MAX; i++)
        add_row(&table, real_cell(i), null_cell(), integer_cell(-i));
    reopen(&table, NULL);
    CHECK_INT(table.dataset.labels.count, CLASSES_MAX);
    CHECK(table.dataset.labels.values[0].integer == 1 - CLASSES_MAX);
    add_row(&table, real_cell(0), null_cell(), integer_cell(1));
    dataset_close(&table.dataset);
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID,
                "label column \"y\" has more than 65536 different values");
    CHECK(strstr(err.hint, "regressor"));
    table_close(&table);
}

/* A table of four rows, spoilt by one cell, gives this error. */
static void check_refused(enum task task, enum label_type type, int column, struct cell cell,
                          const char *message)
{
    struct table table;
    struct error err;

    table_open(&table, task, type);
    for (int i = 0; i < 4; i++) {
        struct cell y = type == LABEL_REAL ? real_cell(i % 2) : integer_cell(i % 2);
        add_row(&table, real_cell(i), text_cell("a"), y);
    }
    table.cells[2 * COLUMNS + column] = cell;
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID, message);
    table_close(&table);
}

static void values_that_cannot_be_learned_are_named_with_their_column(void **state)
{
    (void)state;
    check_refused(TASK_CLASSIFICATION, LABEL_INTEGER, 2, null_cell(),
                  "label column \"y\" is NULL in 1 of 4 rows");
    check_refused(TASK_REGRESSION, LABEL_REAL, 2, real_cell(NAN),
                  "label column \"y\" is NULL in 1 of 4 rows");
    check_refused(TASK_REGRESSION, LABEL_REAL, 2, real_cell(INFINITY),
                  "label column \"y\" is infinite in 1 of 4 rows");
    check_refused(TASK_REGRESSION, LABEL_REAL, 0, real_cell(-INFINITY),
                  "column \"x\" is infinite in 1 of 4 rows");
    check_refused(TASK_CLASSIFICATION, LABEL_REAL, 2, real_cell(0.5),
                  "label column \"y\" has 0.5, and the labels of a classifier are whole numbers");
}

static void labels_that_tell_nothing_apart_are_refused(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID, "the SELECT returned no rows");
    add_row(&table, real_cell(1), null_cell(), text_cell("yes"));
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID,
                "label column \"y\" has only the value \"yes\": a classifier needs at least two");
    add_row(&table, real_cell(1), null_cell(), text_cell("no"));
    add_row(&table, real_cell(1), null_cell(), text_cell("maybe"));
    table.spec.n_classes = 2;
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID,
                "label column \"y\" has 3 different values, and model.n_classes is 2");
    table.spec.has_validation = true;
    table.spec.n_classes = 0;
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_IO, "validation.spool");
    write_spool(folder_file(&table.folder, "validation.spool"), table.columns, COLUMNS, NULL, 0,
                NULL);
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID, "validation.select returned no rows");
    table_close(&table);
}

static void a_hint_shows_how_to_leave_null_labels_out(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    add_row(&table, real_cell(1), null_cell(), null_cell());
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID, "NULL in 1 of 1 row");
    assert_string_equal(err.hint, "LABEL names the column to learn: is there another one?");
    add_row(&table, real_cell(1), null_cell(), real_cell(2));
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID, "NULL in 1 of 2 rows");
    assert_string_equal(err.hint, "Add WHERE y IS NOT NULL to the SELECT, or WHERE y <> '' if it "
                                  "has empty texts.");
    table_close(&table);
}

static void a_spool_of_other_columns_is_refused(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    fill(&table, 10);
    table.inputs[1].type = INPUT_NUMERIC;
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID,
                "column \"colour\" is text, where numbers were expected");
    table.spec.input_count = 1;
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_CORRUPT, "3 columns, and the job spec 2");
    table.spec.input_count = 2;
    table.inputs[1].type = INPUT_CATEGORY;
    table.spec.label_type = LABEL_TEXT;
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_INVALID,
                "label column \"y\" is integer, where text was expected");
    table_close(&table);
}

static void one_row_is_enough_for_a_regressor(void **state)
{
    struct table table;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    table.spec.test_size = 0.3;
    add_row(&table, null_cell(), null_cell(), real_cell(3.5));
    reopen(&table, NULL);
    CHECK(table.dataset.train.rows == 1 && table.dataset.validation.rows == 0);
    CHECK(table.dataset.label_mean == 3.5 && table.dataset.train.values[0] == 0);
    CHECK(table.dataset.transform.inputs[0].mean == 0 && table.dataset.train.dense[1] == 1);
    table_close(&table);
}

/* The mean and the scale of the label are those of the training rows: standardised by them, the
 * training labels have mean 0 and variance 1, and the held-out ones have not. */
static void held_out_labels_teach_nothing(void **state)
{
    struct table table;
    double sum = 0, squares = 0, held_out = 0;
    uint32_t rows;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    table.spec.test_size = 0.5;
    for (int i = 0; i < 12; i++)
        add_row(&table, real_cell(i), text_cell("a"), real_cell(i * i * i));
    reopen(&table, NULL);
    rows = table.dataset.train.rows;
    CHECK_INT(rows, 6);
    for (uint32_t row = 0; row < rows; row++) {
        sum += (double)table.dataset.train.values[row];
        squares += pow((double)table.dataset.train.values[row], 2);
        held_out += (double)table.dataset.validation.values[row];
    }
    CHECK(fabs(sum) < 1e-5);
    CHECK(fabs(squares / rows - 1) < 1e-5);
    CHECK(fabs(held_out) > 0.1);
    table_close(&table);
}

static uint32_t rows_of_class(const struct dataset_part *part, int32_t class)
{
    uint32_t count = 0;

    for (uint32_t row = 0; row < part->rows; row++)
        count += part->classes[row] == class;
    return count;
}

/* Each class gives its share, and the only row of a class is learned from. */
static void each_class_is_learned_and_gives_its_share(void **state)
{
    struct table table;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    table.spec.test_size = 0.25;
    for (int i = 0; i < 444; i++) /* 4 classes of one row, one of 40, one of 400 */
        add_row(&table, real_cell(i), text_cell("a"), integer_cell(i < 4 ? i : i < 44 ? 100 : 200));
    reopen(&table, NULL);
    CHECK_INT(table.dataset.labels.count, 6);
    CHECK_INT(table.dataset.validation.rows, 110);
    for (int32_t class = 0; class < 4; class ++) {
        CHECK_INT(rows_of_class(&table.dataset.train, class), 1);
        CHECK_INT(rows_of_class(&table.dataset.validation, class), 0);
    }
    /* 10.25 and 99.75. */
    CHECK_INT(rows_of_class(&table.dataset.validation, 4), 10);
    CHECK_INT(rows_of_class(&table.dataset.validation, 5), 100);
    table_close(&table);
}

/* Where the statement does not say: a tenth, of 500 rows or more. */
static void few_rows_are_all_learned_from(void **state)
{
    static const struct {
        int rows;
        uint32_t held_out;
    } cases[] = {{499, 0}, {500, 50}, {1234, 123}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table table;

        table_open(&table, TASK_REGRESSION, LABEL_REAL);
        table.spec.test_size = REAL_AUTOMATIC;
        for (int row = 0; row < cases[i].rows; row++)
            add_row(&table, real_cell(row), text_cell("a"), real_cell(row));
        reopen(&table, NULL);
        CHECK_INT(table.dataset.validation.rows, cases[i].held_out);
        CHECK_INT(table.dataset.train.rows, cases[i].rows - (int)cases[i].held_out);
        table_close(&table);
    }
}

static void rows_without_a_label_have_neither_classes_nor_values(void **state)
{
    const struct cell red = {.type = CELL_TEXT, .text = SLICE("red")};
    struct table table;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLUSTERING, LABEL_TEXT);
    table.spec.label_type = LABEL_NONE;
    table.spec.label = (struct slice){NULL, 0};
    table.spec.test_size = 0.25;
    for (int i = 0; i < 8; i++)
        add_row(&table, (struct cell){.type = CELL_REAL, .real = i}, red, red);
    CHECK_FAILS(try_open(&table, NULL, &err), STATUS_CORRUPT,
                "the spool has 3 columns, and the job spec 2");
    for (int i = 0; i < 8; i++) { /* rows of two cells */
        table.cells[2 * i] = (struct cell){.type = CELL_REAL, .real = i};
        table.cells[2 * i + 1] = red;
    }
    write_spool(folder_file(&table.folder, "train.spool"), table.columns, 2, table.cells, 8, NULL);
    CHECK_OK(dataset_open(table.folder.path, NULL, &table.spec, NULL, &table.dataset, &err));
    CHECK_INT(table.dataset.labels.type, LABEL_NONE);
    CHECK_INT(table.dataset.labels.count, 0);
    CHECK_INT(table.dataset.train.rows, 6);
    CHECK_INT(table.dataset.validation.rows, 2);
    CHECK(!table.dataset.train.classes && !table.dataset.train.values);
    CHECK(table.dataset.train.dense && table.dataset.train.hashes);
    dataset_expect_label(&table.dataset.train, 5);
    table_close(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_encoded_as_the_transform_says),
        cmocka_unit_test(encoding_and_scoring_give_the_same_bits),
        cmocka_unit_test(the_physical_order_of_rows_changes_no_bit),
        cmocka_unit_test(an_epoch_visits_each_row_once_in_an_order_of_its_own),
        cmocka_unit_test(rows_that_tie_do_not_slow_or_break_the_order),
        cmocka_unit_test(equal_rows_are_spread_over_batches_and_held_out_rows),
        cmocka_unit_test(equal_rows_are_spread_over_lanes),
        cmocka_unit_test(without_shuffle_rows_take_16_gib_at_most),
        cmocka_unit_test(a_part_has_addresses_for_all_of_its_rows),
        cmocka_unit_test(at_least_one_row_is_held_out_and_never_all),
        cmocka_unit_test(statistics_come_from_the_training_rows_alone),
        cmocka_unit_test(rare_words_share_hash_buckets),
        cmocka_unit_test(without_standardising_numbers_stay_and_null_takes_the_mean),
        cmocka_unit_test(trees_take_numbers_and_labels_as_they_are),
        cmocka_unit_test(trees_encode_and_score_the_same_bits),
        cmocka_unit_test(labels_too_large_to_be_kept_are_refused),
        cmocka_unit_test(numbers_can_be_categories),
        cmocka_unit_test(classes_are_ordered_by_value_and_weighted_when_balanced),
        cmocka_unit_test(columns_that_tell_nothing_are_noticed),
        cmocka_unit_test(words_that_share_buckets_are_noticed),
        cmocka_unit_test(labels_that_squares_do_not_suit_are_noticed),
        cmocka_unit_test(classes_that_say_yes_or_no_are_noticed),
        cmocka_unit_test(rare_classes_are_noticed),
        cmocka_unit_test(spellings_of_a_word_are_noticed),
        cmocka_unit_test(words_that_look_alike_are_noticed),
        cmocka_unit_test(spellings_of_a_number_among_words_are_noticed),
        cmocka_unit_test(classes_that_stand_for_missing_labels_are_noticed),
        cmocka_unit_test(words_for_a_missing_label_are_noticed),
        cmocka_unit_test(labels_that_rather_are_numbers_are_noticed),
        cmocka_unit_test(the_most_classes_work_and_one_more_does_not),
        cmocka_unit_test(values_that_cannot_be_learned_are_named_with_their_column),
        cmocka_unit_test(labels_that_tell_nothing_apart_are_refused),
        cmocka_unit_test(a_hint_shows_how_to_leave_null_labels_out),
        cmocka_unit_test(a_spool_of_other_columns_is_refused),
        cmocka_unit_test(one_row_is_enough_for_a_regressor),
        cmocka_unit_test(held_out_labels_teach_nothing),
        cmocka_unit_test(each_class_is_learned_and_gives_its_share),
        cmocka_unit_test(few_rows_are_all_learned_from),
        cmocka_unit_test(rows_without_a_label_have_neither_classes_nor_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
