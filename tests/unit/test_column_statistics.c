#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/random.h"
#include "runtime/data/columns/column_statistics_finish.h"
#include "runtime/data/spool/column_counts.h"
#include "runtime/data/spool/column_statistics.h"
#include "runtime/data/spool/column_statistics_bytes.h"
#include "runtime/data/spool/spool_reader.h"
#include "tests/check.h"
#include "tests/unit/data_fixture.h"

#define INPUTS     7
#define COLUMNS    (INPUTS + 1)
#define ROWS       3000
#define WRITERS    4
#define WORD_BYTES ((size_t)1 << 20)

/* A spool of columns of each kind, with NULLs, and the label. */
struct table {
    struct folder folder;
    struct spool_column columns[COLUMNS];
    struct input_spec inputs[INPUTS];
    struct jobspec spec;
    struct cell cells[ROWS][COLUMNS];
    struct arena arena;
    struct spool spool;
};

static struct cell cell_of(enum spool_type type, uint32_t column, uint32_t row)
{
    static const char *const words[] = {"", "a", "b", "blue", "red", "zebra", "an \xc3\xa4", "7"};
    const uint64_t bits = random_bits(11, RANDOM_SAMPLE, column, row);

    if (type == SPOOL_REAL)
        return real_cell(column == INPUTS ? (double)(bits % 20) - 7 : (double)(bits % 4001) / 7);
    if (type == SPOOL_INTEGER)
        return integer_cell((int64_t)(bits % (40 + row / 50)) - 10);
    return text_cell(words[bits % 8 * (row % 3 > 0)]);
}

static void table_open(struct table *table, enum task task, enum label_type label)
{
    static const enum spool_type types[] = {
        [LABEL_INTEGER] = SPOOL_INTEGER, [LABEL_REAL] = SPOOL_REAL, [LABEL_TEXT] = SPOOL_TEXT};

    *table = (struct table){
        .columns = {{SLICE("x"), SPOOL_REAL, READING_NUMBER, 0},
                    {SLICE("y"), SPOOL_REAL, READING_NUMBER, 0},
                    {SLICE("sometimes"), SPOOL_REAL, READING_NUMBER, 0},
                    {SLICE("whole"), SPOOL_INTEGER, READING_NUMBER, 0},
                    {SLICE("colour"), SPOOL_TEXT, READING_NUMBER, 0},
                    {SLICE("code"), SPOOL_INTEGER, READING_NUMBER, 0},
                    {SLICE("size"), SPOOL_REAL, READING_NUMBER, 0},
                    {SLICE("label"), types[label], READING_NUMBER, 0}},
        .inputs = {{.name = SLICE("x"), .type = INPUT_NUMERIC},
                   {.name = SLICE("y"), .type = INPUT_NUMERIC},
                   {.name = SLICE("sometimes"), .type = INPUT_NUMERIC},
                   {.name = SLICE("whole"), .type = INPUT_NUMERIC},
                   {.name = SLICE("colour"), .type = INPUT_CATEGORY, .vocabulary_max = 10000},
                   {.name = SLICE("code"), .type = INPUT_CATEGORY, .vocabulary_max = 20},
                   {.name = SLICE("size"), .type = INPUT_CATEGORY, .vocabulary_max = 3}},
        .spec = {.family = SLICE("network"),
                 .task = task,
                 .input_count = INPUTS,
                 .label = SLICE("label"),
                 .label_type = label,
                 .standardize = true,
                 .balanced = true},
    };
    table->spec.inputs = table->inputs;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++) {
            table->cells[row][column] = cell_of(table->columns[column].type, column, row);
            if (column > 1 && column < INPUTS && (row + column) % 17 == 0)
                table->cells[row][column] = null_cell();
        }
    folder_open(&table->folder);
}

/* Writes the cells as they are now. */
static void table_write(struct table *table, uint32_t rows)
{
    struct error err;

    arena_init(&table->arena, ARENA_MAXIMUM);
    write_spool(folder_file(&table->folder, "train.spool"), table->columns, COLUMNS,
                table->cells[0], rows, NULL);
    CHECK_OK(spool_open(table->folder.file, NULL, NULL, &table->arena, &table->spool, &err));
    CHECK_INT(table->spool.block_count, 1);
}

static void table_close(struct table *table)
{
    spool_close(&table->spool);
    arena_deinit(&table->arena);
    folder_close(&table->folder);
}

static struct column_statistics *new_statistics(const struct table *table)
{
    struct column_statistics *statistics;
    struct error err;

    CHECK_OK(column_statistics_new(&table->spec, WORD_BYTES, &statistics, &err));
    return statistics;
}

static void add(struct column_statistics *statistics, const struct table *table, uint32_t first,
                uint32_t rows, const uint8_t *is_used)
{
    struct error err;

    CHECK_OK(column_statistics_add(statistics, table->spool.blocks[0].columns, first, rows, is_used,
                                   &err));
}

static void subtract(struct column_statistics *statistics, const struct table *table,
                     uint32_t first, uint32_t rows, const uint8_t *is_used)
{
    struct error err;

    CHECK_OK(column_statistics_subtract(statistics, table->spool.blocks[0].columns, first, rows,
                                        is_used, &err));
}

static void put(const struct column_statistics *statistics, struct text *bytes)
{
    struct error err;

    text_init(bytes, TEXT_MAXIMUM);
    CHECK_OK(column_statistics_put(statistics, bytes, &err));
}

static void check_same_bytes(const struct column_statistics *statistics,
                             const struct column_statistics *others)
{
    struct text bytes, other_bytes;

    put(statistics, &bytes);
    put(others, &other_bytes);
    CHECK(slice_equal(text_slice(&bytes), text_slice(&other_bytes)));
    text_deinit(&bytes);
    text_deinit(&other_bytes);
}

/* ----- what is learned ----- */

struct learned {
    struct dataset dataset;
    struct class_index index;
};

static enum status try_finish(const struct column_statistics *statistics, struct learned *learned,
                              struct error *err)
{
    *learned = (struct learned){0};
    arena_init(&learned->dataset.arena, ARENA_MAXIMUM);
    return column_statistics_finish(statistics, &learned->dataset, &learned->index, err);
}

static void finish(const struct column_statistics *statistics, struct learned *learned)
{
    struct error err;

    CHECK_OK(try_finish(statistics, learned, &err));
}

static void learned_deinit(struct learned *learned)
{
    class_index_deinit(&learned->index);
    arena_deinit(&learned->dataset.arena);
}

/* Every fifth row is held out, and with them some words and classes. */
static void mark_training(uint8_t *is_training)
{
    for (uint32_t row = 0; row < ROWS; row++)
        is_training[row] = row % 5 != 2 && row < 2900;
}

static void a_model_without_label_has_none(void **state)
{
    static struct table table;
    struct column_statistics *statistics;
    struct learned learned;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    table_write(&table, 10);
    table.spec.task = TASK_CLUSTERING;
    table.spec.label_type = LABEL_NONE;
    statistics = new_statistics(&table);
    add(statistics, &table, 0, 10, NULL);
    finish(statistics, &learned);
    CHECK(learned.dataset.labels.type == LABEL_NONE && learned.dataset.labels.count == 0);
    CHECK_INT(learned.dataset.transform.input_count, INPUTS);
    learned_deinit(&learned);
    column_statistics_free(statistics);
    table_close(&table);
}

/* By hand, so that it does not depend on another way of learning. */
static void words_come_by_count_and_classes_by_value(void **state)
{
    static struct table table;
    const int64_t labels[] = {3, -2, 3, 10, -2, 3};
    const char *const colours[] = {"b", "a", "a", "c", "b", "c"};
    struct column_statistics *statistics;
    struct learned learned;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    for (uint32_t row = 0; row < 6; row++) {
        for (uint32_t i = 0; i < INPUTS; i++)
            table.cells[row][i] =
                table.columns[i].type == SPOOL_INTEGER ? integer_cell(row) : real_cell(row);
        table.cells[row][4] = text_cell(colours[row]);
        table.cells[row][INPUTS] = integer_cell(labels[row]);
    }
    table.cells[5][4] = null_cell();
    table_write(&table, 6);
    statistics = new_statistics(&table);
    add(statistics, &table, 0, 6, NULL);
    CHECK(column_statistics_rows(statistics) == 6);
    finish(statistics, &learned);

    const struct transform_input *inputs = learned.dataset.transform.inputs;
    CHECK(inputs[0].mean == 2.5 && inputs[0].scale == sqrt(35.0 / 12));
    CHECK_INT(inputs[4].word_count, 3);
    CHECK_SLICE(inputs[4].words[0], "a");
    CHECK_SLICE(inputs[4].words[1], "b");
    CHECK_SLICE(inputs[4].words[2], "c");
    CHECK(inputs[4].has_nulls && inputs[4].word_counts[2] == 1);
    CHECK(inputs[5].word_count == 6 && inputs[5].hash_buckets == 0);
    CHECK(inputs[6].word_count == 3 && inputs[6].hash_buckets == 1); /* 6, at most 3 */
    CHECK_SLICE(inputs[6].words[2], "2");
    CHECK_INT(learned.dataset.labels.count, 3);
    CHECK_INT(learned.dataset.labels.values[0].integer, -2);
    CHECK_INT(learned.dataset.labels.values[2].integer, 10);
    CHECK(learned.dataset.class_weights[0] == 1 && learned.dataset.class_weights[2] == 2);
    CHECK_INT(class_of(&learned.index, &table.spool.blocks[0].columns[INPUTS], 0), 1);
    learned_deinit(&learned);
    column_statistics_free(statistics);
    table_close(&table);
}

/* Those that are cut off need no order: the others come as if all were sorted. */
static void the_most_frequent_words_are_found_without_sorting_all(void **state)
{
    enum { WORDS = 400 };
    char texts[WORDS][8];
    struct error err;
    (void)state;

    for (uint32_t most = 1; most < WORDS; most += 7) {
        struct word_entry all[WORDS], some[WORDS];
        uint32_t kept;

        for (uint32_t i = 0; i < WORDS; i++) {
            const uint64_t count = random_bits(9, RANDOM_SIMULATION, 0, i) % 11;

            snprintf(texts[i], sizeof texts[i], "%u", i * 7 % WORDS);
            some[i] = all[i] = (struct word_entry){.word = slice_of(texts[i]),
                                                   .count = count == 10 ? 5000 + i % 3 : count + 1,
                                                   .start = slice_start(slice_of(texts[i]))};
        }
        CHECK_OK(sort_words(all, WORDS, WORDS_BY_COUNT, &err));
        kept = frequent_words(some, WORDS, most);
        CHECK(kept >= most && (kept < WORDS || most > WORDS - 50));
        CHECK_OK(sort_words(some, kept, WORDS_BY_COUNT, &err));
        for (uint32_t i = 0; i < most; i++)
            CHECK(slice_equal(some[i].word, all[i].word) && some[i].count == all[i].count);
    }
}

static int compare_entries(const void *a, const void *b)
{
    return slice_compare(((const struct word_entry *)a)->word,
                         ((const struct word_entry *)b)->word);
}

/* Few letters, so that many begin alike; zero bytes, and words that end where others go on. */
static void words_of_any_length_are_sorted_by_their_bytes(void **state)
{
    enum { WORDS = 3000, LENGTH = 20 };
    static char texts[WORDS][LENGTH];
    static struct word_entry entries[WORDS], sorted[WORDS];
    struct error err;
    (void)state;

    for (uint32_t words = 1; words <= WORDS; words = 3 * words + 1)
        for (enum word_order order = WORDS_BY_BYTES; order <= WORDS_BY_COUNT; order++) {
            for (uint32_t i = 0; i < words; i++) {
                struct slice word = {texts[i], random_bits(9, RANDOM_SIMULATION, 1, i) % LENGTH};

                for (uint32_t c = 0; c < word.size; c++)
                    texts[i][c] = "\0aaaaa\xff"[random_bits(9, RANDOM_SIMULATION, i, c) % 7];
                entries[i] = (struct word_entry){word, 3, slice_start(word)};
            }
            memcpy(sorted, entries, sizeof entries);
            qsort(sorted, words, sizeof *sorted, compare_entries);
            CHECK_OK(sort_words(entries, words, order, &err));
            for (uint32_t i = 0; i < words; i++)
                CHECK_INT(slice_compare(entries[i].word, sorted[i].word), 0);
        }
}

/* Two columns of three that lie in the other order, and not side by side. */
static void columns_may_lie_anywhere(void **state)
{
    static int64_t numbers[600][3];
    const struct spool_column_view columns[] = {
        {.type = SPOOL_REAL, .numbers = &numbers[0][2], .stride = 3},
        {.type = SPOOL_REAL, .numbers = &numbers[0][0], .stride = 3}};
    struct input_spec inputs[] = {{.name = SLICE("x"), .type = INPUT_NUMERIC},
                                  {.name = SLICE("y"), .type = INPUT_NUMERIC}};
    struct jobspec spec = {.family = SLICE("network"),
                           .task = TASK_CLUSTERING,
                           .inputs = inputs,
                           .input_count = 2,
                           .label_type = LABEL_NONE,
                           .standardize = true};
    struct column_statistics *statistics;
    struct learned learned;
    struct error err;
    (void)state;

    for (uint32_t row = 0; row < 600; row++)
        for (uint32_t i = 0; i < 3; i++) {
            const double number = row + 1000.0 * i;

            memcpy(&numbers[row][i], &number, sizeof number);
        }
    CHECK_OK(column_statistics_new(&spec, WORD_BYTES, &statistics, &err));
    CHECK_OK(column_statistics_add(statistics, columns, 100, 500, NULL, &err));
    finish(statistics, &learned);
    CHECK(learned.dataset.transform.inputs[0].mean == 2349.5);
    CHECK(learned.dataset.transform.inputs[1].mean == 349.5);
    learned_deinit(&learned);
    column_statistics_free(statistics);

    /* Statistics with as many rows taken out as added have no rows, but others must not take their
     * place.
     */
    CHECK_OK(column_statistics_new(&spec, WORD_BYTES, &statistics, &err));
    CHECK(column_statistics_is_fresh(statistics));
    CHECK_OK(column_statistics_add(statistics, columns, 0, 1, NULL, &err));
    CHECK_OK(column_statistics_subtract(statistics, columns, 1, 1, NULL, &err));
    CHECK_INT(column_statistics_rows(statistics), 0);
    CHECK(!column_statistics_is_fresh(statistics));
    CHECK_OK(column_statistics_subtract(statistics, columns, 0, 1, NULL, &err));
    CHECK_OK(column_statistics_add(statistics, columns, 1, 1, NULL, &err));
    CHECK(column_statistics_is_fresh(statistics));
    column_statistics_free(statistics);
}

/* ----- groups ----- */

static uint32_t draw(uint64_t seed, uint64_t number, uint32_t below)
{
    return (uint32_t)(random_bits(seed, RANDOM_SIMULATION, 1, number) % below);
}

/* Runs of rows go to random writers. Another one takes out those that are held out, before or after
 * they are added. */
static void share_out(uint64_t seed, const struct table *table, const uint8_t *is_training,
                      struct column_statistics **writers)
{
    static uint8_t is_held_out[ROWS];

    for (uint32_t row = 0; row < ROWS; row++)
        is_held_out[row] = !is_training[row];
    for (uint32_t row = 0; row < ROWS;) {
        uint32_t rows = 1 + draw(seed, 4 * row, 700);
        const uint32_t other = draw(seed, 4 * row + 1, WRITERS);

        rows = rows < ROWS - row ? rows : ROWS - row;
        if (seed % 2)
            subtract(writers[other], table, row, rows, is_held_out + row);
        add(writers[draw(seed, 4 * row + 2, WRITERS)], table, row, rows, NULL);
        if (seed % 2 == 0)
            subtract(writers[other], table, row, rows, is_held_out + row);
        row += rows;
    }
}

/* Some by bytes. */
static void merge(struct column_statistics *statistics, const struct column_statistics *other,
                  bool by_bytes)
{
    struct text bytes;
    struct error err;

    if (!by_bytes) {
        CHECK_OK(column_statistics_merge(statistics, other, &err));
        return;
    }
    put(other, &bytes);
    CHECK_OK(column_statistics_read(statistics, text_slice(&bytes), &err));
    text_deinit(&bytes);
}

static void any_split_merged_in_any_order_is_the_same_bytes(void **state)
{
    static uint8_t is_training[ROWS];
    static struct table table;
    struct column_statistics *whole, *writers[WRITERS], *merged;
    (void)state;

    mark_training(is_training);
    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    table.cells[5][6] = table.cells[2000][6] = real_cell(INFINITY);
    table.cells[7][0] = real_cell(-INFINITY);
    table_write(&table, ROWS);
    whole = new_statistics(&table);
    add(whole, &table, 0, ROWS, is_training);
    for (uint64_t seed = 0; seed < 20; seed++) {
        merged = new_statistics(&table);
        for (uint32_t i = 0; i < WRITERS; i++)
            writers[i] = new_statistics(&table);
        share_out(seed, &table, is_training, writers);
        for (uint32_t i = 0; i < WRITERS; i++) {
            merge(merged, writers[(i + seed) % WRITERS], (i + seed) % 3 == 0);
            column_statistics_free(writers[(i + seed) % WRITERS]);
        }
        check_same_bytes(merged, whole);
        column_statistics_free(merged);
    }
    column_statistics_free(whole);
    table_close(&table);
}

static void what_is_taken_out_leaves_nothing(void **state)
{
    static struct table table;
    struct column_statistics *statistics, *none;
    (void)state;

    table_open(&table, TASK_REGRESSION, LABEL_REAL);
    table_write(&table, ROWS);
    statistics = new_statistics(&table);
    none = new_statistics(&table);
    add(statistics, &table, 0, ROWS, NULL);
    for (uint32_t row = ROWS; row-- > 0;)
        subtract(statistics, &table, row, 1, NULL);
    check_same_bytes(statistics, none);
    CHECK(column_statistics_rows(statistics) == 0);
    column_statistics_free(statistics);
    column_statistics_free(none);
    table_close(&table);
}

/* ----- what is refused ----- */

static void check_refused(const struct table *table, uint32_t rows, enum status status,
                          const char *message)
{
    struct column_statistics *statistics = new_statistics(table);
    struct learned learned;
    struct error err;

    add(statistics, table, 0, rows, NULL);
    CHECK_INT(try_finish(statistics, &learned, &err), status);
    assert_string_equal(err.message, message);
    learned_deinit(&learned);
    column_statistics_free(statistics);
}

static void labels_that_are_no_classes_are_refused(void **state)
{
    static struct table table;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_REAL);
    for (uint32_t row = 0; row < 3; row++)
        table.cells[row][INPUTS] = real_cell(12 + row);
    table.cells[3][INPUTS] = real_cell(7.5);
    table.cells[9][INPUTS] = real_cell(2.25);
    table_write(&table, 20);
    check_refused(&table, 20, STATUS_INVALID,
                  "label column \"label\" has 2.25, and the labels of a classifier are whole "
                  "numbers or text");
    table.spec.n_classes = 2;
    check_refused(&table, 3, STATUS_INVALID,
                  "label column \"label\" has 3 different values, and model.n_classes is 2");
    table.spec.n_classes = 0;
    check_refused(
        &table, 1, STATUS_INVALID,
        "label column \"label\" has only the value \"12\": a classifier needs at least two");
    check_refused(&table, 0, STATUS_INVALID, "there are no rows to learn from");
    table_close(&table);
}

static void texts_with_zero_bytes_are_no_classes(void **state)
{
    static struct table table;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    table.cells[2][INPUTS].text = (struct slice){"a\0b", 3};
    table_write(&table, 20);
    check_refused(&table, 20, STATUS_INVALID, "label column \"label\" has a text with a zero byte");
    table_close(&table);
}

/* One input that is always 0, and as many classes as rows. */
static enum status learn_many_classes(uint32_t rows, size_t word_bytes_max, struct error *err)
{
    static int64_t numbers[CLASSES_MAX + 2][2];
    const struct spool_column_view columns[] = {
        {.type = SPOOL_REAL, .numbers = &numbers[0][0], .stride = 2},
        {.type = SPOOL_INTEGER, .numbers = &numbers[0][1], .stride = 2}};
    struct input_spec input = {.name = SLICE("x"), .type = INPUT_NUMERIC};
    struct jobspec spec = {.family = SLICE("network"),
                           .task = TASK_CLASSIFICATION,
                           .inputs = &input,
                           .input_count = 1,
                           .label = SLICE("label"),
                           .label_type = LABEL_INTEGER};
    struct column_statistics *statistics;
    struct learned learned = {0};
    enum status status;

    for (uint32_t i = 0; i < CLASSES_MAX + 2; i++)
        numbers[i][1] = i;
    CHECK(column_statistics_new(&spec, word_bytes_max, &statistics, err) == STATUS_OK);
    status = column_statistics_add(statistics, columns, 0, rows, NULL, err);
    if (status == STATUS_OK)
        status = try_finish(statistics, &learned, err);
    learned_deinit(&learned);
    column_statistics_free(statistics);
    return status;
}

static void more_classes_than_a_classifier_has_are_refused(void **state)
{
    const char *const message = "label column \"label\" has more than 65536 different values";
    struct error err;
    (void)state;

    CHECK_OK(learn_many_classes(CLASSES_MAX, SIZE_MAX, &err));
    CHECK_FAILS(learn_many_classes(CLASSES_MAX + 1, SIZE_MAX, &err), STATUS_INVALID, message);
    assert_string_equal(err.hint, "Train a regressor to predict a number.");
    /* Also where there is no room for one more; where there are few enough, that is the reason. */
    CHECK_FAILS(learn_many_classes(CLASSES_MAX + 2, (CLASSES_MAX + 1) * 88, &err), STATUS_INVALID,
                message);
    CHECK_FAILS(learn_many_classes(CLASSES_MAX, 1000000, &err), STATUS_LIMIT, "column \"label\"");
}

static void what_is_null_or_infinite_is_counted(void **state)
{
    static struct table table;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_REAL);
    table.cells[4][6] = table.cells[5][6] = real_cell(INFINITY);
    table_write(&table, 20);
    check_refused(&table, 20, STATUS_INVALID, "column \"size\" is infinite in 2 of 20 rows");
    spool_close(&table.spool);
    arena_deinit(&table.arena);
    table.cells[7][0] = table.cells[8][2] = real_cell(-INFINITY);
    table_write(&table, 20);
    check_refused(&table, 20, STATUS_INVALID, "column \"x\" is infinite in 1 of 20 rows");
    spool_close(&table.spool);
    arena_deinit(&table.arena);
    table.cells[1][INPUTS] = real_cell(INFINITY);
    table_write(&table, 20);
    check_refused(&table, 20, STATUS_INVALID, "label column \"label\" is infinite in 1 of 20 rows");
    spool_close(&table.spool);
    arena_deinit(&table.arena);
    table.cells[2][INPUTS] = null_cell();
    table_write(&table, 20);
    check_refused(&table, 20, STATUS_INVALID, "label column \"label\" is NULL in 1 of 20 rows");
    table_close(&table);
}

static void columns_of_another_type_are_refused(void **state)
{
    static struct table table;
    struct column_statistics *statistics;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_REAL);
    table_write(&table, 20);
    table.spec.label_type = LABEL_TEXT;
    statistics = new_statistics(&table);
    CHECK_FAILS(column_statistics_add(statistics, table.spool.blocks[0].columns, 0, 1, NULL, &err),
                STATUS_INVALID, "label column \"label\" is real, where text was expected");
    column_statistics_free(statistics);
    table.spec.label_type = LABEL_REAL;
    table.inputs[4].type = INPUT_NUMERIC;
    statistics = new_statistics(&table);
    CHECK_FAILS(column_statistics_add(statistics, table.spool.blocks[0].columns, 0, 1, NULL, &err),
                STATUS_INVALID, "column \"colour\" is text, where numbers were expected");
    column_statistics_free(statistics);
    table_close(&table);
}

static void words_have_a_limit(void **state)
{
    static struct table table;
    struct column_statistics *statistics, *others;
    struct text bytes;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    table_write(&table, ROWS);
    others = new_statistics(&table);
    add(others, &table, 0, ROWS, NULL);
    put(others, &bytes);
    CHECK_OK(column_statistics_new(&table.spec, 40000, &statistics, &err));
    CHECK_FAILS(
        column_statistics_add(statistics, table.spool.blocks[0].columns, 0, ROWS, NULL, &err),
        STATUS_LIMIT, "column \"size\" has more than ");
    CHECK(strstr(err.hint, "Leave the column out"));
    column_statistics_free(statistics);
    CHECK_OK(column_statistics_new(&table.spec, 40000, &statistics, &err));
    CHECK_FAILS(column_statistics_merge(statistics, others, &err), STATUS_LIMIT, "\"size\"");
    column_statistics_free(statistics);
    CHECK_OK(column_statistics_new(&table.spec, 40000, &statistics, &err));
    CHECK_FAILS(column_statistics_read(statistics, text_slice(&bytes), &err), STATUS_LIMIT,
                "\"size\"");
    column_statistics_free(statistics);
    column_statistics_free(others);
    text_deinit(&bytes);
    table_close(&table);
}

static void statistics_of_no_rows_are_refused(void **state)
{
    static struct table table;
    struct column_statistics *statistics;
    struct learned learned;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    for (uint32_t row = 0; row < 40; row++)
        table.cells[row][6] = real_cell(row);
    table_write(&table, 40);
    for (uint32_t row = 0; row < 40; row++) {
        statistics = new_statistics(&table);
        add(statistics, &table, 0, 20, NULL);
        subtract(statistics, &table, row, 1, NULL);
        if (row < 20)
            CHECK_OK(try_finish(statistics, &learned, &err));
        else
            CHECK_FAILS(try_finish(statistics, &learned, &err), STATUS_CORRUPT, "no rows have");
        learned_deinit(&learned);
        column_statistics_free(statistics);
    }
    table_close(&table);
}

static enum status read_into_new(const struct table *table, struct slice bytes, struct error *err)
{
    struct column_statistics *statistics = new_statistics(table);
    const enum status status = column_statistics_read(statistics, bytes, err);

    column_statistics_free(statistics);
    return status;
}

static void bytes_that_were_not_put_are_refused(void **state)
{
    static struct table table, other;
    struct column_statistics *statistics;
    struct text bytes;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    table_write(&table, 40);
    statistics = new_statistics(&table);
    add(statistics, &table, 0, 40, NULL);
    put(statistics, &bytes);
    CHECK_OK(read_into_new(&table, text_slice(&bytes), &err));
    for (size_t size = 0; size < bytes.size; size++)
        CHECK_INT(read_into_new(&table, (struct slice){bytes.data, size}, &err), STATUS_CORRUPT);
    text_append_char(&bytes, 0);
    CHECK_INT(read_into_new(&table, text_slice(&bytes), &err), STATUS_CORRUPT);
    bytes.size--;
    table_open(&other, TASK_CLASSIFICATION, LABEL_INTEGER); /* classes of eight bytes */
    CHECK_INT(read_into_new(&other, text_slice(&bytes), &err), STATUS_CORRUPT);
    other.inputs[0].type = INPUT_CATEGORY;
    CHECK_INT(read_into_new(&other, text_slice(&bytes), &err), STATUS_CORRUPT);
    folder_close(&other.folder);
    text_deinit(&bytes);
    column_statistics_free(statistics);
    table_close(&table);
}

/* One category and a label of reals; each word of the category once. */
struct put_counts {
    uint64_t rows, nulls;
    const char *words; /* a letter each */
    uint64_t times;
    double label;    /* beside another one, which is 8 */
    uint8_t content; /* content of the category's column */
};

static enum status read_and_finish(const struct put_counts *counts, struct error *err)
{
    struct input_spec input = {.name = SLICE("c"), .type = INPUT_CATEGORY, .vocabulary_max = 10};
    struct jobspec spec = {.family = SLICE("network"),
                           .task = TASK_CLASSIFICATION,
                           .inputs = &input,
                           .input_count = 1,
                           .label = SLICE("label"),
                           .label_type = LABEL_REAL};
    const double eight = 8;
    struct column_statistics *statistics;
    struct learned learned = {0};
    struct text bytes;
    enum status status;

    text_init(&bytes, TEXT_MAXIMUM);
    put_u8(&bytes, 1);
    put_u32(&bytes, 2);
    put_u64(&bytes, counts->rows);
    put_u8(&bytes, counts->content);
    put_u64(&bytes, counts->nulls);
    put_u64(&bytes, 0);
    put_u32(&bytes, (uint32_t)strlen(counts->words));
    for (const char *word = counts->words; *word; word++) {
        put_sized(&bytes, (struct slice){word, 1});
        put_u64(&bytes, counts->times);
    }
    put_u8(&bytes, 2); /* classes */
    put_u64(&bytes, 0);
    put_u64(&bytes, 0);
    put_u32(&bytes, 2);
    put_sized(&bytes, (struct slice){(const char *)&counts->label, sizeof counts->label});
    put_u64(&bytes, 1);
    put_sized(&bytes, (struct slice){(const char *)&eight, sizeof eight});
    put_u64(&bytes, counts->rows - 1);
    CHECK(column_statistics_new(&spec, WORD_BYTES, &statistics, err) == STATUS_OK);
    status = column_statistics_read(statistics, text_slice(&bytes), err);
    if (status == STATUS_OK)
        status = try_finish(statistics, &learned, err);
    learned_deinit(&learned);
    column_statistics_free(statistics);
    text_deinit(&bytes);
    return status;
}

/* Whatever its words are, and however many: they are hashed when a row is encoded. */
static void of_a_text_only_what_is_null_is_counted(void **state)
{
    struct table table;
    struct column_statistics *statistics, *others;
    struct learned learned = {0};
    struct text bytes;
    struct error err;
    const struct transform_input *input;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    table.inputs[4] = (struct input_spec){
        .name = SLICE("colour"), .type = INPUT_TEXT, .vocabulary_max = 50, .words_max = 6};
    table_write(&table, ROWS);
    statistics = new_statistics(&table);
    others = new_statistics(&table);
    add(statistics, &table, 0, 40, NULL);
    add(others, &table, 0, ROWS, NULL);
    subtract(others, &table, 40, ROWS - 40, NULL);
    check_same_bytes(statistics, others);
    put(statistics, &bytes);
    CHECK_OK(read_into_new(&table, text_slice(&bytes), &err));
    finish(statistics, &learned);
    input = &learned.dataset.transform.inputs[4];
    CHECK_INT(input->spec.type, INPUT_TEXT);
    CHECK_INT(input->hash_buckets, 50);
    CHECK_INT(input->spec.words_max, 6);
    CHECK(!input->has_nulls && input->word_count == 0);
    learned_deinit(&learned);
    text_deinit(&bytes);
    column_statistics_free(statistics);
    column_statistics_free(others);
    table_close(&table);
}

/* The words that are kept of each text, as often as they are there; also where there are more of
 * them than rows. */
static void words_of_sequences_are_counted(void **state)
{
    static const char *const texts[] = {"a,b,b", "c,b,a,a", "", "[\"b\"]", "b,a"};
    struct table table;
    struct column_statistics *statistics, *others;
    struct learned learned = {0};
    struct text bytes;
    struct error err;
    const struct transform_input *input;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    table.inputs[4] = (struct input_spec){.name = SLICE("SEQUENCE(colour)"),
                                          .source = SLICE("colour"),
                                          .type = INPUT_TEXT,
                                          .rule = RULE_SEQUENCE,
                                          .list = {.form = LIST_SEQUENCE, .size = 3},
                                          .vocabulary_max = 50,
                                          .words_max = 3};
    for (uint32_t row = 0; row < ROWS; row++)
        table.cells[row][4] = row % 7 == 6 ? null_cell() : text_cell(texts[row % 5]);
    table_write(&table, ROWS);
    statistics = new_statistics(&table);
    others = new_statistics(&table);
    add(statistics, &table, 0, 35, NULL);
    add(others, &table, 0, ROWS, NULL);
    subtract(others, &table, 35, ROWS - 35, NULL);
    check_same_bytes(statistics, others);
    put(statistics, &bytes);
    CHECK_OK(read_into_new(&table, text_slice(&bytes), &err));
    finish(statistics, &learned);
    input = &learned.dataset.transform.inputs[4];
    CHECK(!input->has_nulls);
    CHECK_INT(input->word_count, 2); /* c is kept by no row */
    CHECK_SLICE(input->words[0], "b");
    CHECK_SLICE(input->words[1], "a");
    CHECK_INT(input->word_counts[0], 30); /* 6 rows of each text are no NULL */
    CHECK_INT(input->word_counts[1], 24);
    learned_deinit(&learned);
    text_deinit(&bytes);
    column_statistics_free(statistics);
    column_statistics_free(others);
    table_close(&table);
}

/* A word counts once a text, and texts that were cut are no word. */
static void texts_that_have_a_word_are_counted(void **state)
{
    static const char *const texts[] = {"a b b", "c b a a", "", "b", "b a"};
    struct table table;
    struct column_statistics *statistics;
    struct learned learned = {0};
    struct error err;
    const struct transform_input *input;
    struct text bytes;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    table.inputs[4] = (struct input_spec){.name = SLICE("colour"),
                                          .type = INPUT_TEXT,
                                          .weight = TEXT_WEIGHT_TFIDF,
                                          .is_weighted = true,
                                          .vocabulary_max = 2,
                                          .words_max = 2};
    for (uint32_t row = 0; row < ROWS; row++)
        table.cells[row][4] = row % 7 == 6 ? null_cell() : text_cell(texts[row % 5]);
    table_write(&table, ROWS);
    statistics = new_statistics(&table);
    add(statistics, &table, 0, 35, NULL);
    put(statistics, &bytes);
    CHECK_OK(read_into_new(&table, text_slice(&bytes), &err));
    finish(statistics, &learned);
    input = &learned.dataset.transform.inputs[4];
    CHECK(!input->has_nulls && input->hash_buckets == 0);
    CHECK_INT(input->word_count, 2); /* c is in fewer texts */
    CHECK_SLICE(input->words[0], "b");
    CHECK_SLICE(input->words[1], "a");
    CHECK_INT(input->word_counts[0], 24); /* 6 rows of each text are no NULL */
    CHECK_INT(input->word_counts[1], 12); /* a is behind c and b, and does not count there */
    CHECK_INT(input->texts, 35);
    CHECK_INT(input->cut_texts, 6);
    learned_deinit(&learned);
    text_deinit(&bytes);
    column_statistics_free(statistics);
    table_close(&table);
}

/* Sorts n values: the one with the number floor(b n / buckets) begins bucket b. */
static uint32_t sort_out(const struct table *table, uint32_t column, const uint8_t *is_training,
                         uint32_t buckets, double *bounds)
{
    static double values[ROWS];
    uint32_t count = 0, found = 0;

    for (uint32_t row = 0; row < ROWS; row++) {
        const struct cell *cell = &table->cells[row][column];
        uint32_t at = count;

        if (!is_training[row] || cell->type == CELL_NULL)
            continue;
        for (; at > 0 && values[at - 1] > cell->real; at--)
            values[at] = values[at - 1];
        values[at] = cell->real;
        count++;
    }
    for (uint32_t b = 1; b < buckets; b++) {
        const double value = values[(uint64_t)b * count / buckets];

        if (value > values[0] && (found == 0 || value > bounds[found - 1]))
            bounds[found++] = value;
    }
    return found;
}

static void buckets_are_quantiles_of_the_training_rows(void **state)
{
    static const uint32_t numbers[] = {2, 3, 10, 100, 1000};
    static uint8_t is_training[ROWS];
    static struct table table;
    struct column_statistics *statistics;
    struct learned learned;
    double bounds[1000];
    (void)state;

    mark_training(is_training);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct transform_input *input;
        uint32_t count;

        table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
        table.inputs[6] = (struct input_spec){.name = SLICE("BUCKET(size)"),
                                              .type = INPUT_CATEGORY,
                                              .rule = RULE_BUCKET,
                                              .source = SLICE("size"),
                                              .vocabulary_max = numbers[i]};
        for (uint32_t row = 0; i == 1 && row < ROWS; row += 2) /* half have one value */
            table.cells[row][6] = real_cell(0);
        table_write(&table, ROWS);
        statistics = new_statistics(&table);
        add(statistics, &table, 0, ROWS, is_training);
        finish(statistics, &learned);
        input = &learned.dataset.transform.inputs[6];
        count = sort_out(&table, 6, is_training, numbers[i], bounds);
        CHECK_INT(input->spec.bound_count, count);
        CHECK_INT(input->word_count, count + 1);
        if (i != 1 && numbers[i] <= 100)
            CHECK_INT(count, numbers[i] - 1);
        else /* one value has the rows of several buckets */
            CHECK(count < numbers[i] - 1);
        for (uint32_t b = 0; b < count; b++)
            CHECK(!(input->spec.bounds[b] < bounds[b]) && !(input->spec.bounds[b] > bounds[b]));
        CHECK(input->has_nulls);
        learned_deinit(&learned);
        column_statistics_free(statistics);
        table_close(&table);
    }
}

static void what_needs_no_statistics_is_as_the_statement_says(void **state)
{
    static const double bounds[] = {1, 2.5};
    struct table table;
    struct column_statistics *statistics;
    const struct transform_input *inputs;
    struct learned learned;
    struct text bytes;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_TEXT);
    table.inputs[4].rule = RULE_HASH;
    table.inputs[4].vocabulary_max = 50;
    table.inputs[5].rule = RULE_ID;
    table.inputs[6].rule = RULE_BUCKET;
    table.inputs[6].bounds = bounds;
    table.inputs[6].bound_count = 2;
    table_write(&table, ROWS);
    statistics = new_statistics(&table);
    add(statistics, &table, 0, ROWS, NULL);
    put(statistics, &bytes);
    CHECK(bytes.size < 2000); /* no word, no value */
    finish(statistics, &learned);
    inputs = learned.dataset.transform.inputs;
    CHECK(inputs[4].spec.rule == RULE_HASH && inputs[4].word_count == 0);
    CHECK_INT(inputs[4].hash_buckets, 50);
    CHECK(inputs[5].spec.rule == RULE_ID && inputs[5].hash_buckets == 20 && inputs[5].has_nulls);
    CHECK_INT(inputs[6].spec.bound_count, 2);
    CHECK_SLICE(inputs[6].words[1], "[1, 2.5)");
    learned_deinit(&learned);
    text_deinit(&bytes);
    column_statistics_free(statistics);
    table_close(&table);
}

static void values_that_were_not_put_are_refused(void **state)
{
    static struct table table;
    struct column_statistics *statistics;
    struct text bytes;
    struct error err;
    (void)state;

    table_open(&table, TASK_CLASSIFICATION, LABEL_INTEGER);
    table.inputs[6].rule = RULE_BUCKET;
    table_write(&table, ROWS);
    statistics = new_statistics(&table);
    add(statistics, &table, 0, 10, NULL);
    put(statistics, &bytes);
    CHECK_OK(read_into_new(&table, text_slice(&bytes), &err));
    for (size_t at = 0; at + 8 < bytes.size; at++) { /* the greatest value becomes no number */
        const double greatest = table.cells[1][6].real;

        if (memcmp(bytes.data + at, &greatest, 8) != 0)
            continue;
        memset(bytes.data + at, 0xff, 8);
        CHECK_FAILS(read_into_new(&table, text_slice(&bytes), &err), STATUS_CORRUPT,
                    "statistics of column \"size\" are other bytes");
        break;
    }
    text_deinit(&bytes);
    column_statistics_free(statistics);
    table_close(&table);
}

static void counts_that_do_not_fit_are_refused(void **state)
{
    static const struct put_counts wrong[] = {
        {3, 1, "ba", 1, 2, 1},
        {3, 1, "aa", 1, 2, 1},
        {3, 3, "ab", 0, 2, 1},
        {3, 0, "ab", 1, 2, 1},
        {3, 4, "ab", 1, 2, 1},
        {1, 2, "", 1, 2, 1},
        {3, 4, "ab", UINT64_MAX / 2 + 1, 2, 1},
        {3, 1, "ab", 1, -0.0, 1},
        {3, 1, "ab", 1, -INFINITY, 1},
        {3, 1, "ab", 1, (double)NAN, 1},
        {3, 1, "ab", 1, 2, 2},
    };
    struct error err;
    (void)state;

    CHECK_OK(read_and_finish(&(struct put_counts){3, 1, "ab", 1, 2, 1}, &err));
    CHECK_OK(read_and_finish(&(struct put_counts){3, 1, "ab", 1, 0.0, 1}, &err));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (read_and_finish(&wrong[i], &err) != STATUS_CORRUPT)
            check_failed("counts %zu are not refused", i);
}

/* Three classes, whose rows weigh 1, 1 or 0 and what `weight` says. */
static void weigh(struct table *table, double weight)
{
    table_open(table, TASK_CLASSIFICATION, LABEL_TEXT);
    table->spec.input_count = 5;
    table->spec.label = SLICE("code");
    table->spec.label_type = LABEL_INTEGER;
    table->spec.roles[0] = (struct spec_role){.role = ROLE_SAMPLE_WEIGHT, .name = SLICE("size")};
    table->spec.role_count = 1;
    for (uint32_t row = 0; row < 300; row++) {
        table->cells[row][5] = integer_cell(row % 3);
        table->cells[row][6] = real_cell(row % 3 < 2 ? 1 : weight);
    }
    table_write(table, 300);
}

static void a_class_whose_rows_weigh_nothing_is_told(void **state)
{
    static struct table table;
    static const uint8_t others[300] = {[2] = 1, [150] = 1};
    struct column_statistics *statistics, *read;
    struct learned learned;
    struct text bytes;
    struct error err;
    (void)state;

    for (int weight = 0; weight < 2; weight++) {
        weigh(&table, weight);
        statistics = new_statistics(&table);
        read = new_statistics(&table);
        add(statistics, &table, 0, 300, NULL);
        subtract(statistics, &table, 0, 300, others);
        put(statistics, &bytes);
        CHECK_OK(column_statistics_read(read, text_slice(&bytes), &err));
        check_same_bytes(statistics, read);
        finish(read, &learned);
        CHECK_INT(learned.dataset.weightless_classes, weight == 0);
        if (weight == 0)
            assert_string_equal(
                learned.dataset.notices->items[learned.dataset.notices->count - 1].text,
                "weight column \"size\" is 0 in all 99 training rows of class 2 of "
                "\"code\": nothing is learned of them, and none is predicted");
        table.spec.family = SLICE("bayes");
        learned_deinit(&learned);
        CHECK(try_finish(read, &learned, &err) == (weight > 0 ? STATUS_OK : STATUS_INVALID));
        learned_deinit(&learned);
        text_deinit(&bytes);
        column_statistics_free(statistics);
        column_statistics_free(read);
        table_close(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_without_label_has_none),
        cmocka_unit_test(words_come_by_count_and_classes_by_value),
        cmocka_unit_test(the_most_frequent_words_are_found_without_sorting_all),
        cmocka_unit_test(words_of_any_length_are_sorted_by_their_bytes),
        cmocka_unit_test(columns_may_lie_anywhere),
        cmocka_unit_test(any_split_merged_in_any_order_is_the_same_bytes),
        cmocka_unit_test(what_is_taken_out_leaves_nothing),
        cmocka_unit_test(labels_that_are_no_classes_are_refused),
        cmocka_unit_test(texts_with_zero_bytes_are_no_classes),
        cmocka_unit_test(more_classes_than_a_classifier_has_are_refused),
        cmocka_unit_test(what_is_null_or_infinite_is_counted),
        cmocka_unit_test(columns_of_another_type_are_refused),
        cmocka_unit_test(words_have_a_limit),
        cmocka_unit_test(statistics_of_no_rows_are_refused),
        cmocka_unit_test(bytes_that_were_not_put_are_refused),
        cmocka_unit_test(of_a_text_only_what_is_null_is_counted),
        cmocka_unit_test(words_of_sequences_are_counted),
        cmocka_unit_test(texts_that_have_a_word_are_counted),
        cmocka_unit_test(buckets_are_quantiles_of_the_training_rows),
        cmocka_unit_test(what_needs_no_statistics_is_as_the_statement_says),
        cmocka_unit_test(values_that_were_not_put_are_refused),
        cmocka_unit_test(a_class_whose_rows_weigh_nothing_is_told),
        cmocka_unit_test(counts_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
