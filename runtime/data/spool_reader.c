#include "data/spool_format.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "spool: %s", what);
}

static enum status map_file(const char *path, struct spool *spool, struct error *err)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat information;
    void *map;

    if (descriptor < 0)
        return fail_errno(err, STATUS_IO, "cannot open %s", path);
    if (fstat(descriptor, &information) != 0) {
        fail_errno(err, STATUS_IO, "cannot read %s", path);
        close(descriptor);
        return STATUS_IO;
    }
    if (!S_ISREG(information.st_mode) || information.st_size < (off_t)sizeof(struct spool_header)) {
        close(descriptor);
        return corrupt(err, "the file is cut short");
    }
    map = mmap(NULL, (size_t)information.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (map == MAP_FAILED)
        return fail_errno(err, STATUS_IO, "cannot map %s", path);
    spool->map = map;
    spool->map_size = (size_t)information.st_size;
    return STATUS_OK;
}

static enum status check_header(const struct spool *spool, const struct spool_header *header,
                                struct error *err)
{
    if (memcmp(header->magic, SPOOL_MAGIC, sizeof header->magic) != 0)
        return corrupt(err, "the file was not finished, or is no spool");
    if (header->version != SPOOL_VERSION || header->byte_order != SPOOL_BYTE_ORDER)
        return corrupt(err, "the file was written by another version");
    if (header->header_hash != XXH3_64bits(header, offsetof(struct spool_header, header_hash)))
        return corrupt(err, "the header's checksum differs");
    if (header->file_size != spool->map_size)
        return corrupt(err, "the file has another size than its header says");
    if (header->column_count == 0 || header->column_count > SPOOL_COLUMNS_MAX ||
        header->rows > SPOOL_ROWS_MAX || header->block_count > header->rows)
        return corrupt(err, "the header counts more than a spool can hold");
    if (header->index_offset < sizeof *header || header->index_offset % SPOOL_ALIGN ||
        header->index_offset > spool->map_size ||
        header->index_size != spool->map_size - header->index_offset ||
        header->index_size != header->column_count * sizeof(struct spool_column_entry) +
                                  (uint64_t)header->block_count * sizeof(struct spool_block_entry))
        return corrupt(err, "the index lies elsewhere than the header says");
    if (header->index_hash != XXH3_64bits(spool->map + header->index_offset, header->index_size))
        return corrupt(err, "the index's checksum differs");
    return STATUS_OK;
}

static enum status read_columns(struct spool *spool, const struct spool_column_entry *entries,
                                struct arena *arena, struct error *err)
{
    spool->summaries = ARENA_NEW(arena, struct spool_column_summary, spool->column_count);
    if (!spool->summaries)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < spool->column_count; i++) {
        if (entries[i].type > SPOOL_TEXT || entries[i].nulls > spool->rows)
            return corrupt(err, "a column is of no known type");
        spool->summaries[i] = (struct spool_column_summary){
            .nulls = entries[i].nulls, .least = entries[i].least, .greatest = entries[i].greatest};
        spool->number_count += entries[i].type != SPOOL_TEXT;
    }
    return STATUS_OK;
}

static size_t fixed_size(const struct spool *spool, uint32_t rows)
{
    const uint32_t texts = spool->column_count - spool->number_count;

    return spool_hashes_size(rows) + spool->column_count * spool_nulls_size(rows) +
           spool_numbers_size(rows, spool->number_count) + texts * spool_offsets_size(rows);
}

/* The bitmap, unless no bit is set in it. */
static enum status read_nulls(const uint8_t *bitmap, uint32_t rows, const uint8_t **nulls,
                              struct error *err)
{
    uint8_t any = 0;

    if (rows % 8 && bitmap[rows / 8] >> (rows % 8))
        return corrupt(err, "a NULL bitmap is longer than its block");
    for (uint32_t i = 0; i < (rows + 7) / 8; i++)
        any |= bitmap[i];
    *nulls = any ? bitmap : NULL;
    return STATUS_OK;
}

/* Offsets that start at 0 and never fall; *left is what the file still has. */
static enum status read_texts(struct spool_column_view *view, uint32_t rows, const uint8_t **at,
                              size_t *left, struct error *err)
{
    size_t size = view->offsets[rows];

    if (view->offsets[0] != 0)
        return corrupt(err, "a text starts before its column");
    for (uint32_t i = 0; i < rows; i++)
        if (view->offsets[i] > view->offsets[i + 1] ||
            view->offsets[i + 1] - view->offsets[i] > SPOOL_TEXT_BYTES_MAX)
            return corrupt(err, "a text ends before it starts");
    if (spool_pad(size) > *left)
        return corrupt(err, "a text is longer than its block");
    view->bytes = (const char *)*at;
    *at += spool_pad(size);
    *left -= spool_pad(size);
    return STATUS_OK;
}

static enum status read_block(const struct spool *spool, const struct spool_column_entry *columns,
                              const struct spool_block_entry *entry, struct spool_block *block,
                              struct error *err)
{
    const uint32_t rows = entry->rows;
    const uint8_t *at = spool->map + entry->offset;
    const uint8_t *texts = at + fixed_size(spool, rows);
    size_t left = entry->size - (size_t)(texts - at);
    uint32_t number = 0;

    block->hashes = (const struct row_hash *)at;
    at += spool_hashes_size(rows);
    for (uint32_t i = 0; i < spool->column_count; i++, at += spool_nulls_size(rows))
        TRY(read_nulls(at, rows, &block->columns[i].nulls, err));
    block->numbers = (const int64_t *)at;
    at += spool_numbers_size(rows, spool->number_count);
    for (uint32_t i = 0; i < spool->column_count; i++) {
        struct spool_column_view *view = &block->columns[i];

        view->type = columns[i].type;
        if (view->type != SPOOL_TEXT) {
            view->numbers = block->numbers + number++;
            view->stride = spool->number_count;
            continue;
        }
        view->offsets = (const uint32_t *)at;
        at += spool_offsets_size(rows);
        TRY(read_texts(view, rows, &texts, &left, err));
    }
    return left == 0 ? STATUS_OK : corrupt(err, "a block is longer than its rows");
}

/* Blocks lie one behind the other from the header to the index, so that none
 * can overlap another and views take no more room than the file. */
static enum status place_blocks(struct spool *spool, const struct spool_header *header,
                                const struct spool_block_entry *entries, struct arena *arena,
                                struct error *err)
{
    uint64_t offset = sizeof *header, rows = 0;

    for (uint32_t i = 0; i < spool->block_count; i++) {
        const struct spool_block_entry *entry = &entries[i];
        struct spool_block *block = &spool->blocks[i];

        if (entry->offset != offset || entry->size % SPOOL_ALIGN ||
            entry->size > header->index_offset - offset || entry->rows == 0 ||
            entry->rows > SPOOL_BLOCK_ROWS || entry->rows > spool->rows - rows ||
            fixed_size(spool, entry->rows) > entry->size)
            return corrupt(err, "the index is wrong about a block");
        block->rows = entry->rows;
        block->first_row = rows;
        block->columns = ARENA_NEW(arena, struct spool_column_view, spool->column_count);
        if (!block->columns)
            return fail_no_memory(err);
        offset += entry->size;
        rows += entry->rows;
    }
    if (offset != header->index_offset || rows != spool->rows)
        return corrupt(err, "blocks are missing");
    return STATUS_OK;
}

struct checking {
    const struct spool *spool;
    const struct spool_block_entry *entries;
    atomic_bool differs;
};

static void check_block(void *context, uint32_t member, uint32_t number)
{
    struct checking *checking = context;
    const struct spool_block_entry *entry = &checking->entries[number];
    (void)member;

    if (entry->hash != XXH3_64bits(checking->spool->map + entry->offset, entry->size))
        atomic_store(&checking->differs, true);
}

static enum status read_blocks(struct spool *spool, const struct spool_header *header,
                               const struct spool_column_entry *columns, struct team *team,
                               struct arena *arena, struct error *err)
{
    const struct spool_block_entry *entries =
        (const struct spool_block_entry *)(columns + spool->column_count);
    struct checking checking = {.spool = spool, .entries = entries};

    spool->blocks = ARENA_NEW(arena, struct spool_block, spool->block_count);
    if (!spool->blocks)
        return fail_no_memory(err);
    TRY(place_blocks(spool, header, entries, arena, err));
    team_run(team, spool->block_count, check_block, &checking);
    if (atomic_load(&checking.differs))
        return corrupt(err, "a block's checksum differs");
    for (uint32_t i = 0; i < spool->block_count; i++)
        TRY(read_block(spool, columns, &entries[i], &spool->blocks[i], err));
    return STATUS_OK;
}

static enum status read_spool(struct spool *spool, struct team *team, struct arena *arena,
                              struct error *err)
{
    const struct spool_header *header = (const struct spool_header *)spool->map;
    const struct spool_column_entry *columns;

    TRY(check_header(spool, header, err));
    columns = (const struct spool_column_entry *)(spool->map + header->index_offset);
    spool->rows = header->rows;
    spool->column_count = header->column_count;
    spool->block_count = header->block_count;
    TRY(read_columns(spool, columns, arena, err));
    return read_blocks(spool, header, columns, team, arena, err);
}

enum status spool_open(const char *path, struct team *team, struct arena *arena,
                       struct spool *spool, struct error *err)
{
    enum status status;

    *spool = (struct spool){0};
    TRY(map_file(path, spool, err));
    status = read_spool(spool, team, arena, err);
    if (status != STATUS_OK)
        spool_close(spool);
    return status;
}

void spool_close(struct spool *spool)
{
    if (spool->map)
        munmap((void *)spool->map, spool->map_size);
    *spool = (struct spool){0};
}

/* A page that two blocks share goes with the second. */
void spool_release_block(const struct spool *spool, uint32_t number)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)spool->blocks[number].hashes;
    const uintptr_t end = number + 1 < spool->block_count
                              ? (uintptr_t)spool->blocks[number + 1].hashes
                              : (uintptr_t)spool->map + spool->map_size;

    madvise((void *)(first / page * page), end / page * page - first / page * page, MADV_DONTNEED);
}

struct cell spool_cell(const struct spool_column_view *column, uint32_t row)
{
    if (spool_is_null(column, row))
        return (struct cell){.type = CELL_NULL};
    if (column->type == SPOOL_REAL)
        return (struct cell){.type = CELL_REAL, .real = spool_real(column, row)};
    if (column->type == SPOOL_INTEGER)
        return (struct cell){.type = CELL_INTEGER, .integer = spool_integer(column, row)};
    return (struct cell){.type = CELL_TEXT,
                         .text = {column->bytes + column->offsets[row],
                                  column->offsets[row + 1] - column->offsets[row]}};
}
