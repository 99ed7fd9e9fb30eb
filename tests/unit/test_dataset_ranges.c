/*
 * A spool that lies by key gives the same data set as one that lies as the SELECT gave the rows:
 * which rows are held out, under which hash, in which place, with which inputs.
 */
#include "tests/check.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "kinds/network/network_attributes.h"
#include "runtime/data/dataset/dataset_ranges.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/dataset_open.h"
#include "runtime/data/spool/spool_format.h"
#include "runtime/data/spool/spool_reader.h"
#include "tests/unit/data_fixture.h"
#include "tests/unit/resident.h"
#include "tests/unit/toy_origin.h"

#define COLUMNS 4 /* x, n (numeric), colour (category), y (the label) */

static const struct spool_column columns[COLUMNS] = {
    {{"x", 1}, SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
    {{"n", 1}, SPOOL_INTEGER, READING_NUMBER, 0, {LIST_NONE}},
    {{"colour", 6}, SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}},
    {{"y", 1}, SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}}};

struct table {
    struct folder keyed, plain;
    struct input_spec inputs[COLUMNS - 1];
    struct jobspec spec;
    uint32_t rows, different; /* `rows` rows, of which so many are different */
    bool has_huge;            /* one of them has an x of 1e12 */
};

static void table_open(struct table *table, uint32_t rows, uint32_t different, double test_size)
{
    *table = (struct table){
        .rows = rows,
        .different = different,
        .inputs = {{.name = SLICE("x"), .type = INPUT_NUMERIC},
                   {.name = SLICE("n"), .type = INPUT_NUMERIC},
                   {.name = SLICE("colour"), .type = INPUT_CATEGORY, .vocabulary_max = 100}},
        .spec = {.family = SLICE("network"),
                 .task = TASK_CLASSIFICATION,
                 .input_count = 3,
                 .label = SLICE("y"),
                 .label_type = LABEL_TEXT,
                 .standardize = true,
                 .shuffle = true,
                 .epochs = 100,
                 .test_size = test_size,
                 .seed = 7}};
    table->spec.inputs = table->inputs;
    folder_open(&table->keyed);
    folder_open(&table->plain);
}

static void table_close(struct table *table)
{
    folder_close(&table->keyed);
    folder_close(&table->plain);
}

static void put_row(const struct table *table, struct spool_writer *writer, uint32_t i)
{
    const uint32_t row = i % table->different;
    const struct slice label = row % 3 ? SLICE("yes") : SLICE("no");
    struct error err;
    char colour[16];

    snprintf(colour, sizeof colour, "c%u", row * row % 61);
    CHECK_OK(
        row % 19 == 4
            ? spool_put_null(writer, &err)
            : spool_put_real(writer, table->has_huge && row == 5 ? 1e12 : row * 0.37 - 1e4, &err));
    CHECK_OK(row % 29 == 7 ? spool_put_null(writer, &err) : spool_put_integer(writer, row, &err));
    CHECK_OK(row % 23 == 6 ? spool_put_null(writer, &err)
                           : spool_put_text(writer, slice_of(colour), &err));
    CHECK_OK(spool_put_text(writer, label, &err));
    CHECK_OK(spool_end_row(writer, &err));
}

/* From last to first, by two writers; the last rows by another process. */
static void write_keyed(struct table *table, uint32_t threads)
{
    const struct spool_order order = dataset_order(&table->spec, false, threads);
    const char *path = folder_file(&table->keyed, "train.spool");
    struct spool_writer *writer, *branch, *part;
    struct text index;
    struct error err;

    text_init(&index, SPOOL_PART_INDEX_BYTES_MAX);
    CHECK_OK(spool_writer_open(path, columns, COLUMNS, 0, &writer, &err));
    CHECK_OK(spool_writer_sort(writer, &order, &err));
    CHECK_OK(spool_writer_branch(writer, &branch, &err));
    CHECK_OK(spool_part_open(path, 5, columns, COLUMNS, &part, &err));
    CHECK_OK(spool_writer_sort(part, &order, &err));
    for (uint32_t i = table->rows; i-- > 0;)
        put_row(table, i % 3 == 0 ? writer : i % 3 == 1 ? branch : part, i);
    CHECK_OK(spool_part_close(part, &index, &err));
    CHECK_OK(spool_writer_join(writer, branch, &err));
    CHECK_OK(spool_writer_join_part(writer, 5, text_slice(&index), &err));
    CHECK_INT(spool_writer_rows(writer), table->rows);
    CHECK_OK(spool_writer_close(writer, &err));
    text_deinit(&index);
}

static void write_plain(struct table *table)
{
    struct spool_order order = dataset_order(&table->spec, false, 1);
    struct spool_writer *writer;
    struct error err;

    order.by_key = false;
    CHECK_OK(spool_writer_open(folder_file(&table->plain, "train.spool"), columns, COLUMNS, 0,
                               &writer, &err));
    CHECK_OK(spool_writer_sort(writer, &order, &err));
    for (uint32_t i = 0; i < table->rows; i++)
        put_row(table, writer, i);
    CHECK_OK(spool_writer_close(writer, &err));
}

static void check_part(const struct dataset *dataset, const struct dataset_part *x,
                       const struct dataset_part *y)
{
    const size_t width = dataset->transform.dense_width, ids = dataset->transform.id_count;

    CHECK_INT(x->rows, y->rows);
    for (uint32_t row = 0; row < x->rows; row++) {
        assert_memory_equal(&x->hashes[row], &y->hashes[row], sizeof *x->hashes);
        assert_memory_equal(x->dense + row * width, y->dense + row * width, width * sizeof(float));
        assert_memory_equal(x->ids + row * ids, y->ids + row * ids, ids * sizeof(int32_t));
        CHECK_INT(x->classes[row], y->classes[row]);
    }
}

/* In some pieces of whole ranges, the last one first. */
static void hold(const struct dataset *dataset, const struct dataset_part *part, struct team *team)
{
    uint64_t starts[6];
    struct error err;

    dataset_share_out(dataset, part, 5, starts);
    for (int i = 5; i-- > 0;)
        CHECK_OK(row_store_hold(dataset, part, starts[i], starts[i + 1], team, &err));
}

static float greatest_dense(const struct dataset *dataset, const struct dataset_part *part)
{
    float greatest = 0;

    for (uint64_t i = 0; i < part->rows * dataset->transform.dense_width; i++)
        greatest = fmaxf(greatest, fabsf(part->dense[i]));
    return greatest;
}

static void check_same(struct table *table, struct team *team)
{
    struct dataset x, y;
    struct error err;

    CHECK_OK(dataset_open(table->keyed.path, NULL, &table->spec, team, &x, &err));
    CHECK_OK(dataset_open(table->plain.path, NULL, &table->spec, NULL, &y, &err));
    CHECK(x.transform.inputs[0].mean == y.transform.inputs[0].mean);
    CHECK(x.transform.inputs[0].scale == y.transform.inputs[0].scale);
    CHECK_INT(x.transform.id_rows, y.transform.id_rows);
    CHECK_INT(x.labels.count, y.labels.count);
    CHECK(x.dense_greatest == y.dense_greatest);
    CHECK(x.dense_greatest ==
          fmaxf(greatest_dense(&y, &y.train), greatest_dense(&y, &y.validation)));
    hold(&x, &x.train, team);
    hold(&x, &x.validation, team);
    CHECK_OK(row_store_hold(&x, &x.sample, 0, x.sample.rows, team, &err));
    check_part(&x, &x.train, &y.train);
    check_part(&x, &x.validation, &y.validation);
    check_part(&x, &x.sample, &y.sample);
    assert_memory_equal(&x.train.sum, &y.train.sum, sizeof x.train.sum);
    assert_memory_equal(&x.validation.sum, &y.validation.sum, sizeof x.validation.sum);
    dataset_close(&x);
    dataset_close(&y);
}

static void compare(uint32_t rows, uint32_t different, double test_size)
{
    struct team *team = team_new(3);
    struct table table;

    table_open(&table, rows, different, test_size);
    write_plain(&table);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        write_keyed(&table, threads);
        check_same(&table, team);
    }
    table_close(&table);
    team_free(team);
}

static void rows_that_lie_by_key_are_the_same_rows(void **state)
{
    (void)state;
    compare(20, 20, 0.3);
    compare(2, 2, 0);
    compare(150, 150, 0.2);
    compare(5000, 5000, 0);
    compare(100000, 100000, 0.1);
}

static void equal_rows_are_numbered_in_any_order(void **state)
{
    (void)state;
    compare(150, 149, 0.2);
    compare(3000, 2, 0.2);
    compare(60000, 4, 0.3);
    compare(70000, 50000, 0.25);
}

/* A change in the files is found when it is read, and only by a worker that needs it. */
static void a_block_that_changed_is_found_by_who_holds_its_rows(void **state)
{
    struct table table;
    struct dataset dataset;
    uint64_t starts[9], refused = 0;
    struct error err;
    uint8_t byte;
    int file;
    (void)state;

    table_open(&table, 20000, 20000, 0);
    write_keyed(&table, 1);
    CHECK_OK(dataset_open(table.keyed.path, NULL, &table.spec, NULL, &dataset, &err));
    file = open(table.keyed.file, O_RDWR);
    CHECK(file >= 0 && pread(file, &byte, 1, 150000) == 1);
    byte ^= 4;
    CHECK(pwrite(file, &byte, 1, 150000) == 1);
    close(file);
    dataset_share_out(&dataset, &dataset.train, 8, starts);
    for (int i = 0; i < 8; i++) {
        const enum status status =
            row_store_hold(&dataset, &dataset.train, starts[i], starts[i + 1], NULL, &err);

        if (status == STATUS_OK)
            continue;
        CHECK_FAILS(status, STATUS_IO, "a block's checksum differs");
        refused++;
    }
    CHECK_INT(refused, 1);
    dataset_close(&dataset);
    table_close(&table);
}

static void rows_that_are_released_take_no_memory(void **state)
{
    struct table table;
    struct dataset dataset;
    uint64_t starts[65];
    const struct dataset_part *train = &dataset.train;
    struct error err;
    (void)state;

    table_open(&table, 400000, 400000, 0);
    write_keyed(&table, 2);
    CHECK_OK(dataset_open(table.keyed.path, NULL, &table.spec, NULL, &dataset, &err));
    dataset_share_out(&dataset, &dataset.train, 64, starts);
    for (int i = 0; i < 64; i++) {
        CHECK_OK(row_store_hold(&dataset, train, starts[i], starts[i + 1], NULL, &err));
        CHECK(resident(train->memory, train->memory_size) > train->memory_size / 80);
        row_store_release(&dataset, train, starts[i], starts[i + 1]);
        /* Pages that it shares with its neighbours stay, of each of four arrays. */
        CHECK(resident(train->memory, train->memory_size) <= (i + 2) * 4 * 4096ul);
    }
    dataset_close(&dataset);
    table_close(&table);
}

/* Four kinds of rows in a large table: each lane has its share, and a quarter of each kind. */
static void equal_rows_are_spread_over_lanes(void **state)
{
    enum { ROWS = 400000, KINDS = 4, LANES = 8 };
    uint64_t starts[LANES + 1];
    struct dataset dataset;
    struct table table;
    struct error err;
    (void)state;

    table_open(&table, ROWS, KINDS, 0);
    write_keyed(&table, 2);
    CHECK_OK(dataset_open(table.keyed.path, NULL, &table.spec, NULL, &dataset, &err));
    dataset_share_out(&dataset, &dataset.train, LANES, starts);
    CHECK(starts[0] == 0 && starts[LANES] == ROWS);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint64_t first = starts[lane], end = starts[lane + 1];
        uint32_t kinds[KINDS] = {0};

        CHECK(end - first > ROWS / LANES * 39 / 40 && end - first < ROWS / LANES * 41 / 40);
        CHECK_OK(row_store_hold(&dataset, &dataset.train, first, end, NULL, &err));
        for (uint64_t row = first; row < end; row++)
            kinds[dataset.train.ids[row]]++;
        for (uint32_t kind = 0; kind < KINDS; kind++)
            CHECK(kinds[kind] > (end - first) / KINDS * 95 / 100 &&
                  kinds[kind] < (end - first) / KINDS * 105 / 100);
        row_store_release(&dataset, &dataset.train, first, end);
    }
    dataset_close(&dataset);
    table_close(&table);
}

/* The index counts more rows than 32 bits do, which are in no block here. */
static void ranges_of_many_rows_begin_where_the_counts_say(void **state)
{
    enum { RANGES = 1 << SPOOL_RANGE_BITS, OF_RANGE = 100001 };
    static uint32_t counts[RANGES];
    const struct spool spool = {.is_keyed = true,
                                .ranges = {.bits = SPOOL_RANGE_BITS, .counts = {counts, counts}}};
    const struct transform transform = {.dense_width = 1};
    struct part_source source;
    uint32_t first, end;
    struct error err;
    (void)state;

    for (uint32_t range = 0; range < RANGES; range++)
        counts[range] = OF_RANGE;
    CHECK_OK(part_source_init(&source, &spool, SPOOL_KEPT, &transform, &err));
    CHECK(source.starts[RANGES] == (uint64_t)RANGES * OF_RANGE);
    CHECK_OK(
        part_source_find(&source, 60000ull * OF_RANGE, 60003ull * OF_RANGE, &first, &end, &err));
    CHECK(first == 60000 && end == 60003);
    CHECK_FAILS(
        part_source_find(&source, 60000ull * OF_RANGE, 60003ull * OF_RANGE + 1, &first, &end, &err),
        STATUS_INVALID, "rows 6000060000 to 6000360004 are not whole ranges");
    part_source_deinit(&source);
}

/* ---- rows that are elsewhere ---- */

#define WORKERS 8

static void add_files(struct table *table, struct toy_origin *toy, uint64_t *bytes)
{
    *bytes = 0;
    for (int i = 0; i < SPOOL_FILES_MAX; i++) {
        char name[32];

        snprintf(name, sizeof name, i ? "train.%d.spool" : "train.spool", i);
        if (access(folder_file(&table->keyed, name), F_OK) != 0)
            return;
        toy_add(toy, table->keyed.path, name);
        *bytes += toy->files[i].bytes;
    }
}

/* The index, and behind it nothing; in front of it the sample. */
static void measure(const struct spool *spool, uint64_t *index, uint64_t *sample)
{
    const struct spool_header *header = (const struct spool_header *)spool->map;

    *index = sizeof *header + header->index_size;
    *sample = 0;
    for (uint32_t b = spool->ranges.sample_block; b < spool->block_count; b++)
        *sample += spool->blocks[b].size + spool->blocks[b].rows * sizeof(struct row_hash);
}

static void check_range(const struct dataset *x, const struct dataset *y, uint64_t first,
                        uint64_t end)
{
    const size_t width = x->transform.dense_width;

    assert_memory_equal(x->train.hashes + first, y->train.hashes + first,
                        (end - first) * sizeof *x->train.hashes);
    assert_memory_equal(x->train.dense + first * width, y->train.dense + first * width,
                        (end - first) * width * sizeof(float));
}

/* One of several workers holds its rows, and the sample where it measures: how many bytes it took
 * of how many there are, without index and sample. */
static void work(struct table *table, const struct dataset *all, uint32_t worker, struct team *team)
{
    struct toy_origin toy = {.count = 0};
    uint64_t bytes, index, sample, own;
    const struct spool_source *source;
    struct dataset dataset;
    struct folder folder;
    uint64_t starts[WORKERS + 1];
    struct error err;

    folder_open(&folder);
    add_files(table, &toy, &bytes);
    source = toy_open(&toy, folder.path);
    CHECK_OK(dataset_open(folder.path, source, &table->spec, team, &dataset, &err));
    measure(&dataset.spool, &index, &sample);
    CHECK_INT(toy.bytes, index); /* which has what scales a network's inputs */
    CHECK(dataset.transform.inputs[0].limit < TRANSFORM_DENSE_MAX);
    dataset_share_out(&dataset, &dataset.train, WORKERS, starts);
    CHECK_OK(
        row_store_hold(&dataset, &dataset.train, starts[worker], starts[worker + 1], team, &err));
    check_range(&dataset, all, starts[worker], starts[worker + 1]);
    own = toy.bytes - index;
    CHECK(own > 0 && own <= (bytes - index - sample) / WORKERS * 6 / 5);
    CHECK_OK(row_store_hold(&dataset, &dataset.sample, 0, dataset.sample.rows, team, &err));
    CHECK_INT(toy.bytes, index + own + sample);
    check_part(&dataset, &dataset.sample, &all->sample);
    dataset_close(&dataset);
    source->close(source->self);
    folder_close(&folder);
}

static void a_worker_takes_the_blocks_of_its_rows(void **state)
{
    struct team *team = team_new(3);
    struct table table;
    struct dataset all;
    struct error err;
    (void)state;

    table_open(&table, 300000, 300000, 0.1);
    table.has_huge = true;
    network_params(&table.spec.params)->hidden_units.count = 1;
    write_keyed(&table, 2);
    CHECK_OK(dataset_open(table.keyed.path, NULL, &table.spec, team, &all, &err));
    CHECK_OK(row_store_hold(&all, &all.train, 0, all.train.rows, team, &err));
    CHECK_OK(row_store_hold(&all, &all.sample, 0, all.sample.rows, team, &err));
    for (uint32_t worker = 0; worker < WORKERS; worker++)
        work(&table, &all, worker, team);
    dataset_close(&all);
    table_close(&table);
    team_free(team);
}

/* ---- a part that is elsewhere when it is joined ---- */

#define PART 5

/* Some of the rows by another process, whose index is appended. */
static void write_part(const struct table *table, struct folder *folder, struct text *index)
{
    const struct spool_order order = dataset_order(&table->spec, false, 1);
    struct spool_writer *part;
    struct error err;

    CHECK_OK(
        spool_part_open(folder_file(folder, "train.spool"), PART, columns, COLUMNS, &part, &err));
    CHECK_OK(spool_writer_sort(part, &order, &err));
    for (uint32_t i = 0; i < table->rows; i += 2)
        put_row(table, part, i);
    CHECK_OK(spool_part_close(part, index, &err));
}

/* The others, and the part, whose file is in the folder or comes from the source. */
static void join_part(const struct table *table, struct folder *folder, struct slice index,
                      const struct spool_source *source)
{
    const struct spool_order order = dataset_order(&table->spec, false, 1);
    struct spool_writer *writer;
    struct error err;

    CHECK_OK(
        spool_writer_open(folder_file(folder, "train.spool"), columns, COLUMNS, 0, &writer, &err));
    CHECK_OK(spool_writer_sort(writer, &order, &err));
    spool_writer_read_from(writer, source);
    for (uint32_t i = 1; i < table->rows; i += 2)
        put_row(table, writer, i);
    CHECK_OK(spool_writer_join_part(writer, PART, index, &err));
    CHECK_OK(spool_writer_close(writer, &err));
}

static void check_same_file(struct folder *a, struct folder *b, const char *name)
{
    FILE *x = fopen(folder_file(a, name), "r"), *y = fopen(folder_file(b, name), "r");
    int byte;

    CHECK(x && y);
    while ((byte = getc(x)) != EOF)
        if (getc(y) != byte)
            check_failed("%s differs at byte %ld", name, ftell(y) - 1);
    CHECK(getc(y) == EOF);
    fclose(x);
    fclose(y);
}

/* Its hashes are taken, and the blocks of which rows move or are of the sample. */
static void a_part_is_joined_without_its_bytes(void **state)
{
    struct toy_origin toy = {.count = 0};
    struct folder elsewhere;
    const struct spool_source *source;
    struct table table;
    struct text index;
    (void)state;

    table_open(&table, 300000, 299990, 0.1);
    folder_open(&elsewhere);
    text_init(&index, SPOOL_PART_INDEX_BYTES_MAX);
    write_part(&table, &elsewhere, &index);
    toy_add(&toy, elsewhere.path, "train.part5.spool");
    source = toy_open(&toy, table.keyed.path); /* it keeps the file open, whatever its name is */
    join_part(&table, &table.keyed, text_slice(&index), source);
    CHECK(toy.bytes >= table.rows / 2 * sizeof(struct row_hash));
    CHECK(2 * toy.calls < toy.extents); /* the origin is asked for many at once */
    join_part(&table, &elsewhere, text_slice(&index), NULL);
    check_same_file(&elsewhere, &table.keyed, "train.spool");
    source->close(source->self);
    text_deinit(&index);
    folder_close(&elsewhere);
    table_close(&table);
}

#define NUMBERS 12

/* Every row, or every other one, of a table of numbers. */
static void put_numbers(struct spool_writer *writer, uint32_t first, uint32_t rows, bool has_nulls)
{
    struct error err;

    for (uint32_t row = first; row < rows; row += 2) {
        for (uint32_t i = 0; i < NUMBERS; i++)
            CHECK_OK(has_nulls && row % 97 == i ? spool_put_null(writer, &err)
                                                : spool_put_real(writer, row * 0.37 + i, &err));
        CHECK_OK(spool_end_row(writer, &err));
    }
}

static void join_numbers(struct folder *folder, struct slice index, bool has_nulls, uint32_t rows,
                         const struct spool_source *source)
{
    const struct spool_order order = {.by_key = true, .seed = 7, .threads = 1};
    static const struct spool_column of_numbers[NUMBERS];
    struct spool_writer *writer;
    struct error err;

    CHECK_OK(spool_writer_open(folder_file(folder, "train.spool"), of_numbers, NUMBERS, 0, &writer,
                               &err));
    CHECK_OK(spool_writer_sort(writer, &order, &err));
    spool_writer_read_from(writer, source);
    put_numbers(writer, 1, rows, has_nulls);
    CHECK_OK(spool_writer_join_part(writer, PART, index, &err));
    CHECK_OK(spool_writer_close(writer, &err));
}

/* The same spool, whichever way; the bytes that were taken of how many. */
static void settle_numbers(uint32_t rows, bool has_nulls, uint64_t *taken, uint64_t *bytes)
{
    const struct spool_order order = {.by_key = true, .seed = 7, .threads = 1};
    static const struct spool_column of_numbers[NUMBERS];
    struct toy_origin toy = {.count = 0};
    struct folder here, elsewhere;
    const struct spool_source *source;
    struct spool_writer *part;
    struct text index;
    struct error err;

    folder_open(&here);
    folder_open(&elsewhere);
    text_init(&index, SPOOL_PART_INDEX_BYTES_MAX);
    CHECK_OK(spool_part_open(folder_file(&elsewhere, "train.spool"), PART, of_numbers, NUMBERS,
                             &part, &err));
    CHECK_OK(spool_writer_sort(part, &order, &err));
    put_numbers(part, 0, rows, has_nulls);
    CHECK_OK(spool_part_close(part, &index, &err));
    toy_add(&toy, elsewhere.path, "train.part5.spool");
    source = toy_open(&toy, here.path);
    join_numbers(&here, text_slice(&index), has_nulls, rows, source);
    join_numbers(&elsewhere, text_slice(&index), has_nulls, rows, NULL);
    check_same_file(&elsewhere, &here, "train.spool");
    *taken = toy.bytes;
    *bytes = toy.files[0].bytes;
    source->close(source->self);
    text_deinit(&index);
    folder_close(&elsewhere);
    folder_close(&here);
}

/* A table of numbers takes hashes and sample; blocks with rows of the sample are read for NULLs
 * only where there are some. */
static void a_part_of_numbers_is_settled_by_single_rows(void **state)
{
    enum { ROWS = 200000 };
    const uint64_t hashes = ROWS / 2 * sizeof(struct row_hash);
    const uint64_t sample = (uint64_t)SPOOL_SAMPLE_ROWS * NUMBERS * sizeof(double);
    uint64_t taken, bytes;
    (void)state;

    settle_numbers(ROWS, false, &taken, &bytes);
    CHECK(taken > hashes && taken < hashes + sample * 11 / 20); /* half of it is in the part */
    settle_numbers(ROWS, true, &taken, &bytes);
    CHECK(taken > hashes + sample / 2 * 9 / 10 && taken < bytes / 2);
}

/* Rows that could not be brought are this worker's trouble, and may be there the next time. */
static void rows_that_do_not_come_are_not_held(void **state)
{
    struct toy_origin toy = {.count = 0};
    const struct spool_source *source;
    struct dataset dataset;
    struct folder folder;
    struct table table;
    struct error err;
    uint64_t bytes;
    (void)state;

    table_open(&table, 50000, 50000, 0);
    write_keyed(&table, 1);
    folder_open(&folder);
    add_files(&table, &toy, &bytes);
    source = toy_open(&toy, folder.path);
    CHECK_OK(dataset_open(folder.path, source, &table.spec, NULL, &dataset, &err));
    toy.extents_left = 1;
    CHECK_FAILS(row_store_hold(&dataset, &dataset.train, 0, dataset.train.rows, NULL, &err),
                STATUS_IO, "the toy has had enough");
    toy.extents_left = -1;
    CHECK_OK(row_store_hold(&dataset, &dataset.train, 0, dataset.train.rows, NULL, &err));
    dataset_close(&dataset);
    source->close(source->self);
    folder_close(&folder);
    table_close(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_are_spread_over_lanes),
        cmocka_unit_test(ranges_of_many_rows_begin_where_the_counts_say),
        cmocka_unit_test(rows_that_lie_by_key_are_the_same_rows),
        cmocka_unit_test(equal_rows_are_numbered_in_any_order),
        cmocka_unit_test(a_block_that_changed_is_found_by_who_holds_its_rows),
        cmocka_unit_test(rows_that_are_released_take_no_memory),
        cmocka_unit_test(a_worker_takes_the_blocks_of_its_rows),
        cmocka_unit_test(rows_that_do_not_come_are_not_held),
        cmocka_unit_test(a_part_is_joined_without_its_bytes),
        cmocka_unit_test(a_part_of_numbers_is_settled_by_single_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
