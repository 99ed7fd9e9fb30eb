#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/sums/hash.h"
#include "runtime/data/spool/spool_files.h"
#include "runtime/data/spool/spool_format.h"
#include "runtime/data/spool/spool_reader.h"
#include "runtime/data/spool/spool_writer_parts.h"
#include "tests/check.h"
#include "tests/unit/data_fixture.h"

static const struct spool_column mixed[] = {
    {{"x", 1}, SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
    {{"n", 1}, SPOOL_INTEGER, READING_NUMBER, 0, {LIST_NONE}},
    {{"t", 1}, SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}}};

/* Row i of a table with every kind of cell in every column. */
static void make_row(uint32_t i, char *buffer, struct cell cells[3])
{
    snprintf(buffer, 32, "text %u", i % 1000);
    cells[0] = i % 7 == 3 ? null_cell() : real_cell(i * 0.25 - 1000);
    cells[1] = i % 11 == 5 ? null_cell() : integer_cell((int64_t)i - 5);
    cells[2] = i % 13 == 2 ? null_cell() : text_cell(i % 17 ? buffer : "");
}

static void write_rows(const char *path, uint32_t rows)
{
    struct spool_writer *writer;
    struct cell cells[3];
    struct error err;
    char buffer[32];

    CHECK_OK(spool_writer_open(path, mixed, 3, 0, &writer, &err));
    for (uint32_t i = 0; i < rows; i++) {
        make_row(i, buffer, cells);
        for (int c = 0; c < 3; c++)
            CHECK_OK(put_cell(writer, &cells[c], &err));
        CHECK_OK(spool_end_row(writer, &err));
    }
    CHECK_OK(spool_writer_close(writer, &err));
}

static void check_cell(struct cell found, struct cell expected)
{
    CHECK_INT(found.type, expected.type);
    CHECK(found.real == expected.real && found.integer == expected.integer);
    CHECK(slice_equal(found.text, expected.text));
}

static void check_opened(const struct spool *spool, uint32_t rows)
{
    struct cell cells[3];
    char buffer[32];
    uint32_t at = 0;

    CHECK(spool->rows == rows && spool->column_count == 3);
    for (uint32_t b = 0; b < spool->block_count; b++) {
        CHECK(spool->blocks[b].first_row == at);
        for (uint32_t r = 0; r < spool->blocks[b].rows; r++, at++) {
            make_row(at, buffer, cells);
            for (int c = 0; c < 3; c++)
                check_cell(spool_cell(&spool->blocks[b].columns[c], r), cells[c]);
        }
    }
    CHECK(at == rows);
}

static void check_rows(const char *path, uint32_t rows)
{
    struct arena arena;
    struct spool spool;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(spool_open(path, NULL, NULL, &arena, &spool, &err));
    check_opened(&spool, rows);
    spool_close(&spool);
    arena_deinit(&arena);
}

static void rows_come_back_as_they_were_put(void **state)
{
    static const uint32_t sizes[] = {0,
                                     1,
                                     8,
                                     9,
                                     150,
                                     SPOOL_BLOCK_ROWS - 1,
                                     SPOOL_BLOCK_ROWS,
                                     SPOOL_BLOCK_ROWS + 1,
                                     3 * SPOOL_BLOCK_ROWS + 77};
    struct folder folder;
    (void)state;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_rows(folder_file(&folder, "train.spool"), sizes[i]);
        check_rows(folder.file, sizes[i]);
    }
    folder_close(&folder);
}

static void summaries_count_nulls_and_span_the_values(void **state)
{
    struct folder folder;
    struct arena arena;
    struct spool spool;
    struct error err;
    (void)state;

    folder_open(&folder);
    arena_init(&arena, ARENA_MAXIMUM);
    write_rows(folder_file(&folder, "train.spool"), 20000);
    CHECK_OK(spool_open(folder.file, NULL, NULL, &arena, &spool, &err));
    CHECK(spool.summaries[0].nulls == 2857);
    CHECK(spool.summaries[0].least == -1000 && spool.summaries[0].greatest == 19999 * .25 - 1000);
    CHECK(spool.summaries[1].least == -5 && spool.summaries[1].greatest == 19994);
    CHECK(spool.summaries[2].nulls == 1539);
    spool_close(&spool);
    arena_deinit(&arena);
    folder_close(&folder);
}

static void check_wide(const char *path, const struct spool_column *columns, uint32_t wide,
                       uint32_t block_rows)
{
    const uint32_t rows = block_rows + 52;
    struct spool_writer *writer;
    struct arena arena;
    struct spool spool;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(spool_writer_open(path, columns, wide, 0, &writer, &err));
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t c = 0; c < wide; c++)
            CHECK_OK(spool_put_real(writer, row * 30000. + c, &err));
        CHECK_OK(spool_end_row(writer, &err));
    }
    CHECK_OK(spool_writer_close(writer, &err));
    CHECK_OK(spool_open(path, NULL, NULL, &arena, &spool, &err));
    CHECK_INT(spool.block_count, 2);
    CHECK_INT(spool.blocks[0].rows, block_rows);
    CHECK(spool_real(&spool.blocks[1].columns[wide - 1], 51) == (rows - 1) * 30000. + wide - 1);
    spool_close(&spool);
    arena_deinit(&arena);
}

static void wide_tables_get_smaller_blocks(void **state)
{
    struct spool_column *columns = calloc(SPOOL_COLUMNS_MAX + 1, sizeof *columns);
    struct spool_writer *writer;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    check_wide(folder_file(&folder, "train.spool"), columns, 2001, 2048);
    check_wide(folder.file, columns, SPOOL_COLUMNS_MAX, 192);
    CHECK_FAILS(spool_writer_open(folder.file, columns, SPOOL_COLUMNS_MAX + 1, 0, &writer, &err),
                STATUS_LIMIT, "not 18386");
    free(columns);
    folder_close(&folder);
}

static struct row_hash first_hash(struct folder *folder, const struct spool_column *columns,
                                  size_t count, const struct cell *cells)
{
    struct row_hash hash;
    struct arena arena;
    struct spool spool;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    write_spool(folder_file(folder, "train.spool"), columns, count, cells, 1, NULL);
    CHECK_OK(spool_open(folder->file, NULL, NULL, &arena, &spool, &err));
    hash = spool.blocks[0].hashes[0];
    spool_close(&spool);
    arena_deinit(&arena);
    return hash;
}

static bool hashes_equal(struct row_hash a, struct row_hash b)
{
    return a.low == b.low && a.high == b.high;
}

static void a_row_hash_is_a_function_of_the_cells_alone(void **state)
{
    static const struct spool_column texts[] = {
        {{"a", 1}, SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}},
        {{"b", 1}, SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}}};
    static const struct spool_column real[] = {
        {{"a", 1}, SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}}};
    static const struct spool_column integer[] = {
        {{"a", 1}, SPOOL_INTEGER, READING_NUMBER, 0, {LIST_NONE}}};
    struct cell ab[] = {text_cell("a"), text_cell("b")};
    struct cell shifted[] = {text_cell("ab"), text_cell("")};
    struct cell null_b[] = {null_cell(), text_cell("b")};
    struct cell empty_b[] = {text_cell(""), text_cell("b")};
    struct cell zero = real_cell(0), minus_zero = real_cell(-0.0), not_a_number = real_cell(NAN);
    struct cell null = null_cell(), one = integer_cell(0);
    struct folder folder;
    (void)state;

    folder_open(&folder);
    CHECK(hashes_equal(first_hash(&folder, texts, 2, ab), first_hash(&folder, texts, 2, ab)));
    CHECK(!hashes_equal(first_hash(&folder, texts, 2, ab), first_hash(&folder, texts, 2, shifted)));
    CHECK(!hashes_equal(first_hash(&folder, texts, 2, null_b),
                        first_hash(&folder, texts, 2, empty_b)));
    CHECK(hashes_equal(first_hash(&folder, real, 1, &zero),
                       first_hash(&folder, real, 1, &minus_zero)));
    CHECK(hashes_equal(first_hash(&folder, real, 1, &not_a_number),
                       first_hash(&folder, real, 1, &null)));
    CHECK(
        !hashes_equal(first_hash(&folder, real, 1, &zero), first_hash(&folder, integer, 1, &one)));
    folder_close(&folder);
}

static long pages_of_files(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = -1;

    CHECK(file && fscanf(file, "%*s %*s %ld", &pages) == 1);
    fclose(file);
    return pages;
}

static void a_released_block_leaves_memory_and_can_be_read_again(void **state)
{
    const uint32_t rows = 3 * SPOOL_BLOCK_ROWS + 77;
    struct folder folder;
    struct arena arena;
    struct spool spool;
    struct error err;
    long before;
    (void)state;

    folder_open(&folder);
    arena_init(&arena, ARENA_MAXIMUM);
    write_rows(folder_file(&folder, "train.spool"), rows);
    CHECK_OK(spool_open(folder.file, NULL, NULL, &arena, &spool, &err));
    before = pages_of_files();
    for (uint32_t b = 0; b < spool.block_count; b++)
        spool_release_block(&spool, b);
    CHECK(pages_of_files() < before - (long)(spool.map_size / 8192));
    check_opened(&spool, rows);
    spool_close(&spool);
    arena_deinit(&arena);
    folder_close(&folder);
}

static void a_wrong_cell_spoils_the_spool_for_good(void **state)
{
    struct spool_writer *writer;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), mixed, 3, 0, &writer, &err));
    CHECK_OK(spool_put_real(writer, 1, &err));
    CHECK_FAILS(spool_put_text(writer, SLICE("a"), &err), STATUS_INVALID,
                "column \"n\" of the spool is integer, and the cell is text");
    CHECK_FAILS(spool_put_integer(writer, 1, &err), STATUS_INVALID, "column \"n\"");
    CHECK_FAILS(spool_writer_close(writer, &err), STATUS_INVALID, "column \"n\"");
    CHECK(access(folder.file, F_OK) != 0);

    CHECK_OK(spool_writer_open(folder.file, mixed, 3, 0, &writer, &err));
    CHECK_OK(spool_put_real(writer, 1, &err));
    CHECK_FAILS(spool_end_row(writer, &err), STATUS_INVALID, "1 cells, where 3");
    spool_writer_abandon(writer);
    CHECK(access(folder.file, F_OK) != 0);
    folder_close(&folder);
}

/* Whole rows of numbers, cell by cell or as they lie side by side. */
static void write_numbers(const char *path, bool by_runs)
{
    static const double values[] = {1.5, -0.0, NAN, 3e300, NAN, NAN, 0.25};
    static const struct spool_column columns[] = {
        {{"a", 1}, SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
        {{"b", 1}, SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
        {{"c", 1}, SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
        {{"d", 1}, SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
        {{"n", 1}, SPOOL_INTEGER, READING_NUMBER, 0, {LIST_NONE}},
        {{"e", 1}, SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}}};
    struct spool_writer *writer;
    struct error err;

    CHECK_OK(spool_writer_open(path, columns, 6, 0, &writer, &err));
    for (int row = 0; row < 1000; row++) {
        const double *run = values + row % 4;
        for (int i = 0; i < 4 && !by_runs; i++)
            CHECK_OK(spool_put_real(writer, run[i], &err));
        if (by_runs)
            CHECK_OK(spool_put_reals(writer, run, 4, &err));
        CHECK_OK(spool_put_integer(writer, row, &err));
        CHECK_OK(by_runs ? spool_put_reals(writer, run, 1, &err)
                         : spool_put_real(writer, run[0], &err));
        CHECK_OK(spool_put_reals(writer, run, 0, &err));
        CHECK_OK(spool_end_row(writer, &err));
    }
    CHECK_OK(spool_writer_close(writer, &err));
}

static size_t read_file(const char *path, char *bytes, size_t most)
{
    int file = open(path, O_RDONLY);
    ssize_t size = read(file, bytes, most);

    close(file);
    CHECK(size > 0 && (size_t)size < most);
    return (size_t)size;
}

static void a_run_of_reals_is_the_same_as_one_cell_after_the_other(void **state)
{
    static char one[1 << 20], other[1 << 20];
    struct folder folder;
    size_t size;
    (void)state;

    folder_open(&folder);
    write_numbers(folder_file(&folder, "train.spool"), false);
    size = read_file(folder.file, one, sizeof one);
    write_numbers(folder.file, true);
    CHECK_INT(read_file(folder.file, other, sizeof other), size);
    CHECK(memcmp(one, other, size) == 0);
    folder_close(&folder);
}

static void a_run_of_reals_that_is_too_long_spoils_the_spool(void **state)
{
    static const double values[4] = {1, 2, 3, 4};
    struct spool_writer *writer;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), mixed, 3, 0, &writer, &err));
    CHECK_FAILS(spool_put_reals(writer, values, 2, &err), STATUS_INVALID,
                "column \"n\" of the spool is integer, and the cell is real");
    CHECK_FAILS(spool_put_reals(writer, values, 1, &err), STATUS_INVALID, "column \"n\"");
    spool_writer_abandon(writer);

    CHECK_OK(spool_writer_open(folder.file, mixed, 1, 0, &writer, &err));
    CHECK_OK(spool_put_reals(writer, values, 1, &err));
    CHECK_FAILS(spool_put_reals(writer, values, 1, &err), STATUS_INVALID, "more cells in a row");
    spool_writer_abandon(writer);
    folder_close(&folder);
}

static void a_text_that_is_too_long_is_refused_with_its_column(void **state)
{
    struct slice longest = {calloc(1, SPOOL_TEXT_BYTES_MAX + 1), SPOOL_TEXT_BYTES_MAX};
    struct spool_column column = {SLICE("essay"), SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}};
    struct spool_writer *writer;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), &column, 1, 0, &writer, &err));
    CHECK_OK(spool_put_text(writer, longest, &err));
    CHECK_OK(spool_end_row(writer, &err));
    longest.size++;
    CHECK_FAILS(spool_put_text(writer, longest, &err), STATUS_LIMIT,
                "column \"essay\" holds a text of 1048577 bytes");
    spool_writer_abandon(writer);
    free((void *)longest.data);
    folder_close(&folder);
}

static void a_spool_larger_than_allowed_is_refused(void **state)
{
    struct spool_writer *writer;
    struct folder folder;
    enum status status = STATUS_OK;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(
        spool_writer_open(folder_file(&folder, "train.spool"), mixed, 1, 1 << 20, &writer, &err));
    for (int i = 0; i < 100000 && status == STATUS_OK; i++) {
        CHECK_OK(spool_put_real(writer, i, &err));
        status = spool_end_row(writer, &err);
    }
    CHECK_FAILS(status, STATUS_LIMIT, "more than the 1048576 bytes");
    CHECK_FAILS(spool_writer_close(writer, &err), STATUS_LIMIT, "1048576");
    CHECK(access(folder.file, F_OK) != 0);
    folder_close(&folder);
}

/* A limit on the size of files fails a write as a full disk does. */
static void a_disk_that_is_full_leaves_no_spool(void **state)
{
    struct rlimit old, small;
    struct spool_writer *writer;
    struct folder folder;
    enum status status = STATUS_OK;
    struct error err;
    (void)state;

    folder_open(&folder);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100000;
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), mixed, 1, 0, &writer, &err));
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    for (int i = 0; i < 100000 && status == STATUS_OK; i++) {
        status = spool_put_real(writer, i, &err);
        if (status == STATUS_OK)
            status = spool_end_row(writer, &err);
    }
    enum status closed = spool_writer_close(writer, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK_INT(status, STATUS_IO);
    CHECK_FAILS(closed, STATUS_IO, strerror(EFBIG));
    CHECK(access(folder.file, F_OK) != 0);
    folder_close(&folder);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    struct spool_writer *writer;
    struct error err;
    (void)state;

    CHECK_FAILS(spool_writer_open("/nowhere/train.spool", mixed, 3, 0, &writer, &err), STATUS_IO,
                "cannot create /nowhere/train.spool: No such file");
    CHECK(!writer);
}

struct branch_rows {
    struct spool_writer *writer;
    uint32_t first, rows;
};

static void *write_branch(void *argument)
{
    const struct branch_rows *branch = argument;
    struct cell cells[3];
    struct error err;
    char buffer[32];

    for (uint32_t i = branch->first; i < branch->first + branch->rows; i++) {
        make_row(i, buffer, cells);
        for (int c = 0; c < 3; c++)
            if (put_cell(branch->writer, &cells[c], &err) != STATUS_OK)
                return branch->writer;
        if (spool_end_row(branch->writer, &err) != STATUS_OK)
            return branch->writer;
    }
    return NULL;
}

/* The path of the second file of a spool whose writer had one branch. */
static void second_file(const struct folder *folder, char path[SPOOL_PATH_MAX])
{
    CHECK(spool_file_path(folder->file, 1, path));
    CHECK(strstr(path, "/train.1.spool"));
}

static void check_branched(const char *path, uint32_t rows)
{
    uint64_t sum = 0, numbers = 0, nulls = 0;
    struct arena arena;
    struct spool spool;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(spool_open(path, NULL, NULL, &arena, &spool, &err));
    CHECK_INT(spool.rows, rows);
    for (uint32_t i = 0; i < rows; i++) {
        numbers += i % 11 == 5 ? 0 : i;
        nulls += i % 11 == 5;
    }
    for (uint32_t b = 0; b < spool.block_count; b++)
        for (uint32_t row = 0; row < spool.blocks[b].rows; row++)
            if (!spool_is_null(&spool.blocks[b].columns[1], row))
                sum += (uint64_t)(spool_integer(&spool.blocks[b].columns[1], row) + 5);
    CHECK(sum == numbers && spool.summaries[1].nulls == nulls);
    CHECK(spool.summaries[1].least == -5 && spool.summaries[1].greatest == (double)rows - 6);
    spool_close(&spool);
    arena_deinit(&arena);
}

static void branches_write_one_spool_from_several_threads(void **state)
{
    enum { BRANCHES = 3, ROWS = 40001 };
    struct branch_rows branches[BRANCHES];
    pthread_t threads[BRANCHES];
    struct spool_writer *writer;
    struct folder folder;
    struct error err;
    void *failed;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), mixed, 3, 0, &writer, &err));
    for (uint32_t i = 0; i < BRANCHES; i++) {
        branches[i] = (struct branch_rows){.first = i * ROWS, .rows = ROWS};
        CHECK_OK(spool_writer_branch(writer, &branches[i].writer, &err));
        CHECK(pthread_create(&threads[i], NULL, write_branch, &branches[i]) == 0);
    }
    for (uint32_t i = 0; i < BRANCHES; i++) {
        CHECK(pthread_join(threads[i], &failed) == 0 && !failed);
        CHECK_OK(spool_writer_join(writer, branches[i].writer, &err));
    }
    CHECK_INT(spool_writer_rows(writer), BRANCHES * ROWS);
    CHECK_OK(spool_writer_close(writer, &err));
    check_branched(folder.file, BRANCHES * ROWS);
    folder_close(&folder);
}

static void a_branch_is_written_when_it_is_flushed(void **state)
{
    struct branch_rows rows = {.first = 0, .rows = 5};
    struct spool_writer *writer;
    struct stat before = {0}, after;
    char path[SPOOL_PATH_MAX];
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), mixed, 3, 0, &writer, &err));
    CHECK_OK(spool_writer_branch(writer, &rows.writer, &err));
    CHECK_OK(spool_writer_flush(rows.writer, &err)); /* flushes no rows */
    second_file(&folder, path);
    CHECK(access(path, F_OK) != 0);
    for (int part = 0; part < 3; part++, rows.first += rows.rows) {
        CHECK(!write_branch(&rows));
        CHECK_OK(spool_writer_flush(rows.writer, &err));
        CHECK(stat(path, &after) == 0 && after.st_size > before.st_size);
        before = after;
    }
    CHECK_OK(spool_writer_join(writer, rows.writer, &err));
    CHECK_OK(spool_writer_close(writer, &err));
    check_rows(folder.file, 15);
    folder_close(&folder);
}

/* Rows [first, first + rows) as the part of another process. */
static void write_part(const char *path, uint32_t number, uint32_t first, uint32_t rows,
                       struct text *index)
{
    struct branch_rows branch = {.first = first, .rows = rows};
    struct error err;

    text_init(index, SPOOL_PART_INDEX_BYTES_MAX);
    CHECK_OK(spool_part_open(path, number, mixed, 3, &branch.writer, &err));
    CHECK(!write_branch(&branch));
    CHECK_OK(spool_part_close(branch.writer, index, &err));
}

static void parts_of_other_processes_become_files_of_the_spool(void **state)
{
    enum { PARTS = 3, ROWS = 20001 };
    struct branch_rows own = {.first = PARTS * ROWS, .rows = ROWS};
    struct text indices[PARTS];
    char part[SPOOL_PATH_MAX];
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(
        spool_writer_open(folder_file(&folder, "train.spool"), mixed, 3, 0, &own.writer, &err));
    for (uint32_t i = 0; i < PARTS; i++)
        write_part(folder.file, i, i * ROWS, ROWS, &indices[i]);
    CHECK(!write_branch(&own));
    for (uint32_t i = 0; i < PARTS; i++) {
        CHECK(spool_part_path(folder.file, i, part) && access(part, F_OK) == 0);
        CHECK_OK(spool_writer_join_part(own.writer, i, text_slice(&indices[i]), &err));
        CHECK(access(part, F_OK) != 0);
        text_deinit(&indices[i]);
    }
    CHECK_OK(spool_writer_close(own.writer, &err));
    check_branched(folder.file, (PARTS + 1) * ROWS);
    folder_close(&folder);
}

static void a_part_without_rows_leaves_no_file(void **state)
{
    struct spool_writer *writer;
    struct text index;
    char part[SPOOL_PATH_MAX];
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), mixed, 3, 0, &writer, &err));
    write_part(folder.file, 3, 0, 0, &index);
    CHECK_OK(spool_writer_join_part(writer, 3, text_slice(&index), &err));
    CHECK(spool_part_path(folder.file, 3, part) && access(part, F_OK) != 0);
    CHECK_OK(spool_writer_close(writer, &err));
    check_rows(folder.file, 0);
    text_deinit(&index);
    folder_close(&folder);
}

static void an_index_of_other_bytes_spoils_the_spool(void **state)
{
    struct spool_writer *writer;
    struct text index;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    folder_file(&folder, "train.spool");
    write_part(folder.file, 0, 0, 5, &index);
    for (size_t size = 0; size < index.size; size++) {
        CHECK_OK(spool_writer_open(folder.file, mixed, 3, 0, &writer, &err));
        CHECK_FAILS(spool_writer_join_part(writer, 0, (struct slice){index.data, size}, &err),
                    STATUS_CORRUPT, "the part of a spool");
        CHECK(spool_writer_close(writer, &err) != STATUS_OK);
    }
    CHECK_OK(spool_writer_open(folder.file, mixed, 2, 0, &writer, &err));
    CHECK_FAILS(spool_writer_join_part(writer, 0, text_slice(&index), &err), STATUS_CORRUPT,
                "other columns");
    spool_writer_abandon(writer);
    spool_part_remove(folder.file, 0);
    text_deinit(&index);
    folder_close(&folder);
}

static void a_branch_that_failed_spoils_the_spool(void **state)
{
    struct spool_writer *writer, *branch;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), mixed, 3, 0, &writer, &err));
    CHECK_OK(spool_writer_branch(writer, &branch, &err));
    CHECK_OK(spool_put_real(branch, 1, &err));
    CHECK_FAILS(spool_writer_flush(branch, &err), STATUS_INVALID, "the last row has 1 cells");
    CHECK_FAILS(spool_writer_join(writer, branch, &err), STATUS_INVALID,
                "the last row has 1 cells, where 3 were expected");
    CHECK_FAILS(spool_writer_close(writer, &err), STATUS_INVALID, "the last row has 1 cells");
    CHECK(access(folder.file, F_OK) != 0);
    folder_close(&folder);
}

/* Rows in the first file, in a branch's, and again in the first. */
static void write_two_files(const char *path, uint32_t rows)
{
    struct branch_rows parts[] = {{.first = 0, .rows = rows},
                                  {.first = rows, .rows = rows},
                                  {.first = 2 * rows, .rows = rows}};
    struct spool_writer *writer;
    struct error err;

    CHECK_OK(spool_writer_open(path, mixed, 3, 0, &writer, &err));
    CHECK_OK(spool_writer_branch(writer, &parts[1].writer, &err));
    parts[0].writer = parts[2].writer = writer;
    for (int i = 0; i < 3; i++) {
        CHECK(!write_branch(&parts[i]));
        CHECK_OK(spool_writer_flush(parts[i].writer, &err));
    }
    CHECK_OK(spool_writer_join(writer, parts[1].writer, &err));
    CHECK_OK(spool_writer_close(writer, &err));
}

static void check_refused(const char *path, const char *message)
{
    struct arena arena;
    struct spool spool;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_FAILS(spool_open(path, NULL, NULL, &arena, &spool, &err), STATUS_CORRUPT, message);
    arena_deinit(&arena);
}

/* Checks the damage of one of the files of the spool at `path`. */
static void check_damage(const char *path, const char *damaged)
{
    struct stat information;
    int file = open(damaged, O_RDWR);
    uint8_t byte;

    CHECK(file >= 0 && fstat(file, &information) == 0);
    for (off_t at = 0; at < information.st_size; at++) {
        if (path == damaged && at >= 80 && at < 128)
            continue; /* the header's padding is not read */
        CHECK(pread(file, &byte, 1, at) == 1);
        byte ^= (uint8_t)(1 << (at % 8));
        CHECK(pwrite(file, &byte, 1, at) == 1);
        check_refused(path, "spool: ");
        byte ^= (uint8_t)(1 << (at % 8));
        CHECK(pwrite(file, &byte, 1, at) == 1);
    }
    check_rows(path, 120);
    CHECK(ftruncate(file, information.st_size + 64) == 0);
    check_refused(path, "spool: ");
    for (off_t size = information.st_size - 1; size >= 0; size -= 13) {
        CHECK(ftruncate(file, size) == 0);
        check_refused(path, "spool: ");
    }
    close(file);
}

static void every_flipped_bit_and_every_cut_is_noticed(void **state)
{
    char second[SPOOL_PATH_MAX];
    struct folder folder;
    (void)state;

    folder_open(&folder);
    write_two_files(folder_file(&folder, "train.spool"), 40);
    check_damage(folder.file, folder.file);
    write_two_files(folder.file, 40);
    second_file(&folder, second);
    check_damage(folder.file, second);
    folder_close(&folder);
}

static void a_file_that_is_gone_is_named(void **state)
{
    char second[SPOOL_PATH_MAX];
    struct folder folder;
    struct arena arena;
    struct spool spool;
    struct error err;
    (void)state;

    folder_open(&folder);
    arena_init(&arena, ARENA_MAXIMUM);
    write_two_files(folder_file(&folder, "train.spool"), 40);
    second_file(&folder, second);
    CHECK(unlink(second) == 0);
    CHECK_FAILS(spool_open(folder.file, NULL, NULL, &arena, &spool, &err), STATUS_IO,
                "train.1.spool");
    arena_deinit(&arena);
    folder_close(&folder);
}

static void what_is_abandoned_leaves_no_file(void **state)
{
    struct branch_rows rows = {.first = 0, .rows = 5};
    struct spool_writer *writer;
    char second[SPOOL_PATH_MAX];
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), mixed, 3, 0, &writer, &err));
    CHECK_OK(spool_writer_branch(writer, &rows.writer, &err));
    CHECK(!write_branch(&rows));
    CHECK_OK(spool_writer_join(writer, rows.writer, &err));
    second_file(&folder, second);
    CHECK(access(folder.file, F_OK) == 0 && access(second, F_OK) == 0);
    spool_writer_abandon(writer);
    CHECK(access(folder.file, F_OK) != 0 && access(second, F_OK) != 0);
    folder_close(&folder);
}

/* Seals a changed header, as an attacker who knows the format could: the checksums fit. */
static void seal(uint8_t *bytes)
{
    struct spool_header *header = (struct spool_header *)bytes;
    struct spool_block_entry *entry =
        (struct spool_block_entry *)(bytes + header->index_offset +
                                     header->column_count * sizeof(struct spool_column_entry));

    entry->hash =
        bytes_hash(bytes + entry->offset, entry->size,
                   bytes_hash(bytes + entry->hashes, entry->rows * sizeof(struct row_hash), 0));
    header->index_hash = bytes_hash(bytes + header->index_offset, header->index_size, 0);
    header->header_hash = bytes_hash(header, offsetof(struct spool_header, header_hash), 0);
}

/* The spool of one block again, with one offset of its column of text changed. */
static void write_offset(const char *path, uint32_t row, uint32_t offset)
{
    static uint8_t bytes[1 << 16];
    struct arena arena;
    struct spool spool;
    struct error err;
    size_t size = 0, at;
    FILE *file;

    write_rows(path, 20);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(spool_open(path, NULL, NULL, &arena, &spool, &err));
    at = (size_t)((const uint8_t *)&spool.blocks[0].columns[2].offsets[row] - spool.map);
    spool_close(&spool);
    arena_deinit(&arena);
    file = fopen(path, "r+e");
    CHECK(file && (size = fread(bytes, 1, sizeof bytes, file)) < sizeof bytes);
    memcpy(bytes + at, &offset, sizeof offset);
    seal(bytes);
    rewind(file);
    CHECK(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void texts_that_end_before_they_start_are_refused(void **state)
{
    struct folder folder;
    (void)state;

    folder_open(&folder);
    folder_file(&folder, "train.spool");
    write_offset(folder.file, 0, 0); /* the old offset: the checksums do fit */
    check_rows(folder.file, 20);
    write_offset(folder.file, 0, 1);
    check_refused(folder.file, "a text starts before its column");
    write_offset(folder.file, 5, 1); /* the texts before it are longer */
    check_refused(folder.file, "a text ends before it starts");
    write_offset(folder.file, 5, UINT32_MAX);
    check_refused(folder.file, "a text ends before it starts");
    write_offset(folder.file, 20, 1 << 20);
    check_refused(folder.file, "a text is longer than its block");
    folder_close(&folder);
}

/* ---- more rows than 32 bits count ---- */

/* A spool of 20 rows, whose header says that it has others. */
static void write_row_count(const char *path, uint64_t rows)
{
    static uint8_t bytes[1 << 16];
    size_t size = 0;
    FILE *file;

    write_rows(path, 20);
    file = fopen(path, "r+e");
    CHECK(file && (size = fread(bytes, 1, sizeof bytes, file)) < sizeof bytes);
    ((struct spool_header *)bytes)->rows = rows;
    seal(bytes);
    rewind(file);
    CHECK(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void a_count_of_rows_is_read_in_64_bits(void **state)
{
    struct folder folder;
    (void)state;

    folder_open(&folder);
    folder_file(&folder, "train.spool");
    write_row_count(folder.file, 20);
    check_rows(folder.file, 20);
    write_row_count(folder.file, ((uint64_t)1 << 32) + 20);
    check_refused(folder.file, "blocks are missing");
    write_row_count(folder.file, SPOOL_ROWS_MAX);
    check_refused(folder.file, "blocks are missing");
    write_row_count(folder.file, SPOOL_ROWS_MAX + 1);
    check_refused(folder.file, "the header counts more than a spool can hold");
    folder_close(&folder);
}

static enum status put_small_row(struct spool_writer *writer, struct error *err)
{
    TRY(spool_put_real(writer, 1, err));
    TRY(spool_put_integer(writer, 1, err));
    TRY(spool_put_text(writer, SLICE("a"), err));
    return spool_end_row(writer, err);
}

static void a_writer_counts_rows_in_64_bits(void **state)
{
    struct spool_writer *writer;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(spool_writer_open(folder_file(&folder, "train.spool"), mixed, 3, 0, &writer, &err));
    writer->rows = UINT32_MAX; /* pretends that so many rows are behind it */
    CHECK_OK(put_small_row(writer, &err));
    CHECK(writer->rows == (uint64_t)UINT32_MAX + 1);
    writer->rows = SPOOL_ROWS_MAX;
    CHECK_FAILS(put_small_row(writer, &err), STATUS_LIMIT,
                "the SELECT returned more than 1099511627776 rows");
    spool_writer_abandon(writer);
    folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_of_rows_is_read_in_64_bits),
        cmocka_unit_test(a_writer_counts_rows_in_64_bits),
        cmocka_unit_test(rows_come_back_as_they_were_put),
        cmocka_unit_test(summaries_count_nulls_and_span_the_values),
        cmocka_unit_test(wide_tables_get_smaller_blocks),
        cmocka_unit_test(a_row_hash_is_a_function_of_the_cells_alone),
        cmocka_unit_test(a_released_block_leaves_memory_and_can_be_read_again),
        cmocka_unit_test(a_wrong_cell_spoils_the_spool_for_good),
        cmocka_unit_test(a_run_of_reals_is_the_same_as_one_cell_after_the_other),
        cmocka_unit_test(a_run_of_reals_that_is_too_long_spoils_the_spool),
        cmocka_unit_test(a_text_that_is_too_long_is_refused_with_its_column),
        cmocka_unit_test(a_spool_larger_than_allowed_is_refused),
        cmocka_unit_test(a_disk_that_is_full_leaves_no_spool),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
        cmocka_unit_test(branches_write_one_spool_from_several_threads),
        cmocka_unit_test(a_branch_is_written_when_it_is_flushed),
        cmocka_unit_test(parts_of_other_processes_become_files_of_the_spool),
        cmocka_unit_test(a_part_without_rows_leaves_no_file),
        cmocka_unit_test(an_index_of_other_bytes_spoils_the_spool),
        cmocka_unit_test(a_branch_that_failed_spoils_the_spool),
        cmocka_unit_test(every_flipped_bit_and_every_cut_is_noticed),
        cmocka_unit_test(a_file_that_is_gone_is_named),
        cmocka_unit_test(what_is_abandoned_leaves_no_file),
        cmocka_unit_test(texts_that_end_before_they_start_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
