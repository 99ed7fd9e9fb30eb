#include "runtime/data/spool_reader.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "runtime/data/spool_files.h"
#include "runtime/data/spool_format.h"

#define SPOOL_MAP_MAX ((uint64_t)1 << 46) /* of all files */

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "spool: %s", what);
}

/* One of the spool's files while it is opened. */
struct opened_file {
    int descriptor;
    size_t size;
};

static enum status open_file(const char *path, struct opened_file *file, struct error *err)
{
    struct stat information;

    file->size = 0;
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0)
        return fail_errno(err, STATUS_IO, "cannot open %s", path);
    if (fstat(file->descriptor, &information) != 0) {
        fail_errno(err, STATUS_IO, "cannot read %s", path);
        close(file->descriptor);
        return STATUS_IO;
    }
    file->size = (size_t)information.st_size;
    if (S_ISREG(information.st_mode) && information.st_size > 0)
        return STATUS_OK;
    close(file->descriptor);
    return corrupt(err, "the file is cut short");
}

static enum status map_first(const char *path, struct spool *spool, struct error *err)
{
    struct opened_file file;
    void *map;

    TRY(open_file(path, &file, err));
    if (file.size < sizeof(struct spool_header)) {
        close(file.descriptor);
        return corrupt(err, "the file is cut short");
    }
    map = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, file.descriptor, 0);
    close(file.descriptor);
    if (map == MAP_FAILED)
        return fail_errno(err, STATUS_IO, "cannot map %s", path);
    spool->map = map;
    spool->map_size = file.size;
    return STATUS_OK;
}

static size_t whole_pages(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (size + page - 1) / page * page;
}

/* Maps file `number` over `at`, where there is room for it. */
static enum status map_over(const char *path, uint32_t number, size_t size, uint8_t *at,
                            struct error *err)
{
    char name[SPOOL_PATH_MAX];
    struct opened_file file;
    void *map;

    if (!spool_file_path(path, number, name))
        return fail(err, STATUS_INVALID, "the path of the spool is too long");
    TRY(open_file(name, &file, err));
    if (file.size != size) {
        close(file.descriptor);
        return corrupt(err, "a file has another size than the index says");
    }
    map = mmap(at, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.descriptor, 0);
    close(file.descriptor);
    return map == MAP_FAILED ? fail_errno(err, STATUS_IO, "cannot map %s", name) : STATUS_OK;
}

/* One behind the other, so that every cell is at some offset from spool->map.
 * sizes (count - 1) lie in the map of the first. */
static enum status map_others(const char *path, uint32_t count, const uint64_t *sizes,
                              struct spool *spool, struct error *err)
{
    size_t total = whole_pages(spool->map_size), at = total;
    uint8_t *room;

    for (uint32_t i = 0; i + 1 < count; i++) {
        if (sizes[i] > SPOOL_MAP_MAX || total > SPOOL_MAP_MAX)
            return corrupt(err, "the index is wrong about a file");
        total += whole_pages(sizes[i]);
    }
    room = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return fail_errno(err, STATUS_IO, "cannot map %s", path);
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (map_over(path, i + 1, sizes[i], room + at, err) != STATUS_OK) {
            munmap(room, total);
            return err->status;
        }
        at += whole_pages(sizes[i]);
    }
    /* The first one's pages move, so that what was checked is what is read. */
    if (mremap((void *)spool->map, spool->map_size, spool->map_size, MREMAP_MAYMOVE | MREMAP_FIXED,
               room) == MAP_FAILED) {
        munmap(room, total);
        return fail_errno(err, STATUS_IO, "cannot map %s", path);
    }
    spool->map = room;
    spool->map_size = total;
    return STATUS_OK;
}

static enum status check_header(const struct spool *spool, const struct spool_header *header,
                                struct error *err)
{
    if (memcmp(header->magic, SPOOL_MAGIC, sizeof header->magic) != 0)
        return corrupt(err, "the file was not finished, or is no spool");
    if (header->version != SPOOL_VERSION || header->byte_order != SPOOL_BYTE_ORDER)
        return corrupt(err, "the file was written by another version");
    if (header->header_hash != hash_bytes(header, offsetof(struct spool_header, header_hash), 0))
        return corrupt(err, "the header's checksum differs");
    if (header->file_size != spool->map_size)
        return corrupt(err, "the file has another size than its header says");
    if (header->column_count == 0 || header->column_count > SPOOL_COLUMNS_MAX ||
        header->rows > SPOOL_ROWS_MAX || header->block_count > header->rows ||
        header->file_count == 0 || header->file_count > SPOOL_FILES_MAX)
        return corrupt(err, "the header counts more than a spool can hold");
    if (header->index_offset < sizeof *header || header->index_offset % SPOOL_ALIGN ||
        header->index_offset > spool->map_size ||
        header->index_size != spool->map_size - header->index_offset ||
        header->index_size != header->column_count * sizeof(struct spool_column_entry) +
                                  (header->file_count - 1) * sizeof(uint64_t) +
                                  (uint64_t)header->block_count * sizeof(struct spool_block_entry))
        return corrupt(err, "the index lies elsewhere than the header says");
    if (header->index_hash != hash_bytes(spool->map + header->index_offset, header->index_size, 0))
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
    const uint8_t *at = (const uint8_t *)block->hashes;
    const uint8_t *texts = at + fixed_size(spool, rows);
    size_t left = entry->size - (size_t)(texts - at);
    uint32_t number = 0;

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

/* Where the next block of each file begins, from spool->map, and where the last must end. */
struct extents {
    size_t base[SPOOL_FILES_MAX], next[SPOOL_FILES_MAX], end[SPOOL_FILES_MAX];
};

static void measure_files(const struct spool_header *header, const uint64_t *sizes,
                          struct extents *extents)
{
    size_t base = whole_pages(header->file_size);

    extents->next[0] = sizeof *header;
    extents->end[0] = header->index_offset;
    for (uint32_t i = 1; i < header->file_count; i++) {
        extents->base[i] = extents->next[i] = base;
        extents->end[i] = base + sizes[i - 1];
        base += whole_pages(sizes[i - 1]);
    }
}

static enum status place_block(struct spool *spool, const struct spool_block_entry *entry,
                               uint64_t first_row, struct extents *extents,
                               struct spool_block *block, struct error *err)
{
    size_t at;

    if (entry->file >= SPOOL_FILES_MAX)
        return corrupt(err, "the index is wrong about a block");
    at = extents->next[entry->file];
    if (entry->offset != at - extents->base[entry->file] || entry->size % SPOOL_ALIGN ||
        entry->size > extents->end[entry->file] - at || entry->rows == 0 ||
        entry->rows > SPOOL_BLOCK_ROWS || entry->rows > spool->rows - first_row ||
        fixed_size(spool, entry->rows) > entry->size)
        return corrupt(err, "the index is wrong about a block");
    *block = (struct spool_block){.rows = entry->rows,
                                  .first_row = first_row,
                                  .size = entry->size,
                                  .hashes = (const struct row_hash *)(spool->map + at)};
    extents->next[entry->file] += entry->size;
    return STATUS_OK;
}

/* Blocks lie one behind the other in each file, so that none can overlap
 * another and views take no more room than the files. */
static enum status place_blocks(struct spool *spool, const struct spool_block_entry *entries,
                                struct extents *extents, struct arena *arena, struct error *err)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < spool->block_count; i++) {
        TRY(place_block(spool, &entries[i], rows, extents, &spool->blocks[i], err));
        spool->blocks[i].columns = ARENA_NEW(arena, struct spool_column_view, spool->column_count);
        if (!spool->blocks[i].columns)
            return fail_no_memory(err);
        rows += entries[i].rows;
    }
    for (uint32_t i = 0; i < SPOOL_FILES_MAX; i++)
        if (extents->next[i] != extents->end[i])
            return corrupt(err, "blocks are missing");
    return rows == spool->rows ? STATUS_OK : corrupt(err, "blocks are missing");
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

    if (entry->hash != hash_bytes(checking->spool->blocks[number].hashes, entry->size, 0))
        atomic_store(&checking->differs, true);
}

static enum status read_blocks(struct spool *spool, const struct spool_column_entry *columns,
                               const struct spool_block_entry *entries, struct extents *extents,
                               struct team *team, struct arena *arena, struct error *err)
{
    struct checking checking = {.spool = spool, .entries = entries};

    spool->blocks = ARENA_NEW(arena, struct spool_block, spool->block_count);
    if (!spool->blocks)
        return fail_no_memory(err);
    TRY(place_blocks(spool, entries, extents, arena, err));
    team_run(team, spool->block_count, check_block, &checking);
    if (atomic_load(&checking.differs))
        return corrupt(err, "a block's checksum differs");
    for (uint32_t i = 0; i < spool->block_count; i++)
        TRY(read_block(spool, columns, &entries[i], &spool->blocks[i], err));
    return STATUS_OK;
}

static enum status read_spool(const char *path, struct spool *spool, struct team *team,
                              struct arena *arena, struct error *err)
{
    const struct spool_header *header = (const struct spool_header *)spool->map;
    const struct spool_column_entry *columns;
    const uint64_t *sizes;
    struct extents extents = {0};

    TRY(check_header(spool, header, err));
    sizes = (const uint64_t *)(spool->map + header->index_offset +
                               header->column_count * sizeof *columns);
    if (header->file_count > 1)
        TRY(map_others(path, header->file_count, sizes, spool, err));
    header = (const struct spool_header *)spool->map;
    columns = (const struct spool_column_entry *)(spool->map + header->index_offset);
    sizes = (const uint64_t *)(columns + header->column_count);
    spool->rows = header->rows;
    spool->column_count = header->column_count;
    spool->block_count = header->block_count;
    measure_files(header, sizes, &extents);
    TRY(read_columns(spool, columns, arena, err));
    return read_blocks(spool, columns,
                       (const struct spool_block_entry *)(sizes + header->file_count - 1), &extents,
                       team, arena, err);
}

enum status spool_open(const char *path, struct team *team, struct arena *arena,
                       struct spool *spool, struct error *err)
{
    enum status status;

    *spool = (struct spool){0};
    TRY(map_first(path, spool, err));
    status = read_spool(path, spool, team, arena, err);
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
    const uintptr_t first = (uintptr_t)spool->blocks[number].hashes / page * page;
    const uintptr_t end = (uintptr_t)spool->blocks[number].hashes + spool->blocks[number].size;

    madvise((void *)first, end / page * page - first, MADV_DONTNEED);
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
