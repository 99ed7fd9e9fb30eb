/*
 * A spool that opens can be read to its last byte, and one that the writer
 * closed opens with the cells that were put.
 *
 * Checksums would keep the fuzzer out: it patches a spool that the writer made,
 * and the checksums are made to fit again.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/data/spool/spool_format.h"
#include "runtime/data/spool/spool_reader.h"
#include "runtime/data/spool/spool_writer.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct spool_column columns[] = {{{"x", 1}, SPOOL_REAL, READING_NUMBER, 0},
                                              {{"n", 1}, SPOOL_INTEGER, READING_NUMBER, 0},
                                              {{"t", 1}, SPOOL_TEXT, READING_NUMBER, 0}};

/* Two files of memory, and the folder whose links reach them. */
static char folder[] = "/tmp/fuzz-spool-XXXXXX", path[64], second_path[64], third_path[64];
static int file = -1, second = -1, third = -1;

static int open_memory(const char *link)
{
    int memory = memfd_create("spool", MFD_CLOEXEC);
    char target[32];

    snprintf(target, sizeof target, "/proc/self/fd/%d", memory);
    if (memory < 0 || symlink(target, link) != 0)
        abort();
    return memory;
}

static void remove_folder(void)
{
    unlink(path);
    unlink(second_path);
    unlink(third_path);
    rmdir(folder);
}

static void open_files(void)
{
    if (file >= 0)
        return;
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/t.spool", folder);
    snprintf(second_path, sizeof second_path, "%s/t.1.spool", folder);
    snprintf(third_path, sizeof third_path, "%s/t.2.spool", folder);
    atexit(remove_folder);
    file = open_memory(path);
    second = open_memory(second_path);
    third = open_memory(third_path);
}

static uint64_t read_all(const struct spool *spool)
{
    static struct spool_column_view views[SPOOL_COLUMNS_MAX];
    uint64_t sum = 0;

    for (uint32_t b = 0; b < spool->block_count; b++) {
        struct spool_block block;

        if (spool_open_block(spool, b, views, &block, NULL) != STATUS_OK)
            continue;
        for (uint32_t row = 0; row < block.rows; row++) {
            sum += block.hashes[row].low ^ block.hashes[row].high ^ spool_is_gone(&block, row);
            for (uint32_t c = 0; c < spool->column_count; c++) {
                struct cell cell = spool_cell(&block.columns[c], row);
                sum += (uint64_t)cell.integer + (cell.real > 0) + cell.type;
                for (size_t i = 0; i < cell.text.size; i++)
                    sum += (uint8_t)cell.text.data[i];
            }
        }
    }
    for (size_t i = 0; i < spool->ranges.statistics.size; i++)
        sum += (uint8_t)spool->ranges.statistics.data[i];
    return sum;
}

static void open_and_read(void)
{
    static volatile uint64_t sink;
    struct arena arena;
    struct spool spool;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    if (spool_open(path, NULL, NULL, &arena, &spool, &err) == STATUS_OK) {
        sink = read_all(&spool);
        (void)sink;
        spool_close(&spool);
    }
    arena_deinit(&arena);
}

static void seal_block(const uint8_t *bytes, size_t size, struct spool_block_entry *entry)
{
    const size_t hashes = entry->rows * sizeof(struct row_hash);

    if (entry->file == 0 && entry->offset <= size && entry->size <= size - entry->offset &&
        entry->hashes <= size && hashes <= size - entry->hashes)
        entry->hash = XXH3_64bits_withSeed(bytes + entry->offset, entry->size,
                                           XXH3_64bits(bytes + entry->hashes, hashes));
}

/* Make the checksums of a patched file fit, as far as it still has the parts. */
static void seal(uint8_t *bytes, size_t size)
{
    struct spool_header *header = (struct spool_header *)bytes;
    const uint64_t offset = header->index_offset, index_size = header->index_size;
    const uint64_t first = sizeof(struct spool_column_entry) * (uint64_t)header->column_count +
                           sizeof(uint64_t) * ((uint64_t)header->file_count - 1);
    struct spool_block_entry *entries;

    if (offset >= sizeof *header && offset <= size && offset % 8 == 0 &&
        index_size <= size - offset && first <= index_size) {
        entries = (struct spool_block_entry *)(bytes + offset + first);
        for (uint64_t i = 0; i < (index_size - first) / sizeof *entries && i < header->block_count;
             i++)
            seal_block(bytes, size, &entries[i]);
        header->index_hash = XXH3_64bits(bytes + offset, index_size);
    }
    header->header_hash = XXH3_64bits(header, offsetof(struct spool_header, header_hash));
}

static void put_template(struct spool_writer *writer, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        if (i % 3 ? spool_put_real(writer, i, NULL) : spool_put_null(writer, NULL))
            abort();
        if (spool_put_integer(writer, i, NULL) ||
            spool_put_text(writer, (struct slice){"abcdefgh", i % 8}, NULL) ||
            spool_end_row(writer, NULL))
            abort();
    }
}

/* Rows in a second file. */
static void put_branch(struct spool_writer *writer, uint32_t rows)
{
    struct spool_writer *branch;

    if (spool_writer_branch(writer, &branch, NULL))
        abort();
    put_template(branch, rows);
    if (spool_writer_join(writer, branch, NULL))
        abort();
}

/* Patches of four bytes: where (two), what (two); the first cuts the file. */
static void patch(const uint8_t *data, size_t size)
{
    const struct spool_order order = {
        .by_key = size && data[0] & 2,
        .seed = 1,
        .held_out = {.share = 0.3, .by_class = size && data[0] & 4, .class_column = 2},
        .threads = 1,
    };
    struct spool_writer *writer;
    uint8_t *bytes;
    off_t file_size;

    if (spool_writer_open(path, columns, 3, 0, &writer, NULL) ||
        spool_writer_sort(writer, &order, NULL))
        abort();
    put_template(writer, size ? data[0] : 0);
    if (size && data[0] % 2)
        put_branch(writer, data[0]);
    if (spool_writer_close(writer, NULL))
        abort();
    file_size = lseek(file, 0, SEEK_END);
    bytes = mmap(NULL, (size_t)file_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED)
        abort();
    for (size_t i = 1; i + 4 <= size; i += 4) {
        size_t at = (size_t)(data[i] | data[i + 1] << 8) % (size_t)file_size;
        bytes[at] = data[i + 2];
        bytes[(at + 1) % (size_t)file_size] ^= data[i + 3];
    }
    seal(bytes, (size_t)file_size);
    munmap(bytes, (size_t)file_size);
    open_and_read();
    if (size > 1 && ftruncate(file, file_size * data[1] / 255) == 0)
        open_and_read();
}

/* Cell i of the round trip: a byte that says its kind and value. */
static struct cell make_cell(uint8_t byte, uint32_t column)
{
    static const double reals[] = {0, -1.5, INFINITY, 1e-310};

    if (byte % 4 == 0)
        return (struct cell){.type = CELL_NULL};
    if (column == 0)
        return (struct cell){.type = CELL_REAL, .real = reals[byte / 4 % 4]};
    if (column == 1)
        return (struct cell){.type = CELL_INTEGER, .integer = (int64_t)byte << 55};
    return (struct cell){.type = CELL_TEXT, .text = {"text of a cell", byte / 4 % 15}};
}

static enum status put_cell(struct spool_writer *writer, struct cell cell)
{
    if (cell.type == CELL_REAL)
        return spool_put_real(writer, cell.real, NULL);
    if (cell.type == CELL_INTEGER)
        return spool_put_integer(writer, cell.integer, NULL);
    if (cell.type == CELL_TEXT)
        return spool_put_text(writer, cell.text, NULL);
    return spool_put_null(writer, NULL);
}

static void check_row(const struct spool_block *block, uint32_t row, const uint8_t *bytes)
{
    for (uint32_t c = 0; c < 3; c++) {
        struct cell put = make_cell(bytes[c], c), found = spool_cell(&block->columns[c], row);

        if (put.type != found.type || put.integer != found.integer || put.real != found.real ||
            !slice_equal(put.text, found.text))
            abort();
    }
}

static void round_trip(const uint8_t *data, size_t size)
{
    struct spool_writer *writer;
    struct arena arena;
    struct spool spool;

    if (spool_writer_open(path, columns, 3, 0, &writer, NULL))
        abort();
    for (size_t i = 0; i < size / 3 * 3; i++) {
        if (put_cell(writer, make_cell(data[i], (uint32_t)(i % 3))))
            abort();
        if (i % 3 == 2 && spool_end_row(writer, NULL))
            abort();
    }
    arena_init(&arena, ARENA_MAXIMUM);
    if (spool_writer_close(writer, NULL) || spool_open(path, NULL, NULL, &arena, &spool, NULL) ||
        spool.rows != size / 3)
        abort();
    for (uint32_t b = 0; b < spool.block_count; b++)
        for (uint32_t row = 0; row < spool.blocks[b].rows; row++)
            check_row(&spool.blocks[b], row, data + 3 * (spool.blocks[b].first_row + row));
    spool_close(&spool);
    arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    open_files();
    if (size && data[0] == 0)
        round_trip(data + 1, size - 1);
    else
        patch(data, size);
    return 0;
}
