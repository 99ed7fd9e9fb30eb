#include "runtime/data/spool/spool_reader.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sums/hash.h"
#include "runtime/data/spool/column_sample.h"
#include "runtime/data/spool/spool_block.h"
#include "runtime/data/spool/spool_files.h"
#include "runtime/data/spool/spool_format.h"

#define SPOOL_MAP_MAX ((uint64_t)1 << 46) /* bytes of all files */

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

/* ---- bytes that come from a source ---- */

static enum status find_in_source(struct spool *spool, const char *path, uint32_t number,
                                  struct error *err)
{
    const char *slash = strrchr(path, '/');

    if (!spool->source)
        return STATUS_OK;
    spool->files[number].number =
        spool->source->find(spool->source->self, slash ? slash + 1 : path);
    return spool->files[number].number != SPOOL_SOURCE_NO_FILE
               ? STATUS_OK
               : corrupt(err, "a file is not among those of the job's rows");
}

/* Bytes of the first file, for as long as the spool is open. */
static enum status need_first(const struct spool *spool, uint64_t offset, uint64_t size,
                              struct error *err)
{
    const struct spool_extent extent = {spool->files[0].number, offset, size};

    return spool->source ? spool->source->need(spool->source->self, &extent, 1, NULL, err)
                         : STATUS_OK;
}

static struct spool_extent extent_of(const struct spool *spool, const struct spool_block *block,
                                     const void *bytes, size_t size)
{
    const struct spool_file *file = &spool->files[block->file];

    return (struct spool_extent){file->number,
                                 (size_t)((const uint8_t *)bytes - spool->map) - file->base, size};
}

/* Lists the extents of hashes and columns of each block, (2 * count); NULL: no memory. */
static struct spool_extent *list_extents(const struct spool *spool, const uint32_t *numbers,
                                         size_t count)
{
    struct spool_extent *extents = malloc((2 * count + 1) * sizeof *extents);

    for (size_t i = 0; extents && i < count; i++) {
        const struct spool_block *block = &spool->blocks[numbers[i]];

        extents[2 * i] =
            extent_of(spool, block, block->hashes, block->rows * sizeof *block->hashes);
        extents[2 * i + 1] = extent_of(spool, block, block->bytes, block->size);
    }
    return extents;
}

static void advise(const void *bytes, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)bytes;

    madvise((void *)(at / page * page), at % page + size, MADV_WILLNEED);
}

enum status spool_need_blocks(const struct spool *spool, const uint32_t *numbers, size_t count,
                              struct spool_need **need, struct error *err)
{
    struct spool_extent *extents;
    enum status status;

    *need = NULL;
    if (!spool->source)
        return STATUS_OK;
    extents = list_extents(spool, numbers, count);
    if (!extents)
        return fail_no_memory(err);
    status = spool->source->need(spool->source->self, extents, 2 * count, need, err);
    free(extents);
    return status;
}

void spool_read_ahead(const struct spool *spool, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct spool_block *block = &spool->blocks[numbers[i]];

        advise(block->hashes, block->rows * sizeof *block->hashes);
        advise(block->bytes, block->size);
    }
}

void spool_done_with(const struct spool *spool, struct spool_need *need)
{
    if (need)
        spool->source->done(spool->source->self, need);
}

void spool_expect_blocks(const struct spool *spool, const uint32_t *numbers, size_t count)
{
    struct spool_extent *extents = spool->source ? list_extents(spool, numbers, count) : NULL;

    if (extents)
        spool->source->expect(spool->source->self, extents, 2 * count);
    free(extents);
}

/* ---- files ---- */

static enum status map_first(const char *path, struct spool *spool, struct error *err)
{
    struct opened_file file;
    void *map;

    TRY(find_in_source(spool, path, 0, err));
    TRY(open_file(path, &file, err));
    if (file.size < sizeof(struct spool_header)) {
        close(file.descriptor);
        return corrupt(err, "the file is cut short");
    }
    map = mmap(NULL, file.size, PROT_READ, MAP_SHARED, file.descriptor, 0);
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
                            struct spool *spool, struct error *err)
{
    char name[SPOOL_PATH_MAX];
    struct opened_file file;
    void *map;

    if (!spool_file_path(path, number, name))
        return fail(err, STATUS_INVALID, "the path of the spool is too long");
    TRY(find_in_source(spool, name, number, err));
    TRY(open_file(name, &file, err));
    if (file.size != size) {
        close(file.descriptor);
        return corrupt(err, "a file has another size than the index says");
    }
    map = mmap(at, size, PROT_READ, MAP_SHARED | MAP_FIXED, file.descriptor, 0);
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
        if (map_over(path, i + 1, sizes[i], room + at, spool, err) != STATUS_OK) {
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

/* Without what a spool that lies by key has more. */
static uint64_t plain_index_size(const struct spool_header *header)
{
    return header->column_count * sizeof(struct spool_column_entry) +
           (header->file_count - 1) * sizeof(uint64_t) +
           (uint64_t)header->block_count * sizeof(struct spool_block_entry);
}

static enum status check_header(const struct spool *spool, const struct spool_header *header,
                                struct error *err)
{
    if (memcmp(header->magic, SPOOL_MAGIC, sizeof header->magic) != 0)
        return corrupt(err, "the file was not finished, or is no spool");
    if (header->version != SPOOL_VERSION || header->byte_order != SPOOL_BYTE_ORDER)
        return corrupt(err, "the file was written by another version");
    if (header->header_hash != bytes_hash(header, offsetof(struct spool_header, header_hash), 0))
        return corrupt(err, "the header's checksum differs");
    if (header->file_size != spool->map_size)
        return corrupt(err, "the file has another size than its header says");
    if (header->column_count == 0 || header->column_count > SPOOL_COLUMNS_MAX ||
        header->rows > SPOOL_ROWS_MAX || header->is_keyed > 1 || header->file_count == 0 ||
        header->file_count > SPOOL_FILES_MAX)
        return corrupt(err, "the header counts more than a spool can hold");
    if (header->index_offset < sizeof *header || header->index_offset % SPOOL_ALIGN ||
        header->index_offset > spool->map_size ||
        header->index_size != spool->map_size - header->index_offset ||
        header->index_size < plain_index_size(header) ||
        (!header->is_keyed && header->index_size != plain_index_size(header)))
        return corrupt(err, "the index lies elsewhere than the header says");
    return STATUS_OK;
}

static enum status check_index(const struct spool *spool, const struct spool_header *header,
                               struct error *err)
{
    TRY(need_first(spool, header->index_offset, header->index_size, err));
    if (header->index_hash != bytes_hash(spool->map + header->index_offset, header->index_size, 0))
        return corrupt(err, "the index's checksum differs");
    return STATUS_OK;
}

static enum status read_columns(struct spool *spool, const struct spool_column_entry *entries,
                                struct arena *arena, struct error *err)
{
    spool->summaries = ARENA_NEW(arena, struct spool_column_summary, spool->column_count);
    spool->types = ARENA_NEW(arena, enum spool_type, spool->column_count);
    if (!spool->summaries || !spool->types)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < spool->column_count; i++) {
        if (entries[i].type > SPOOL_TEXT || entries[i].nulls > spool->rows)
            return corrupt(err, "a column has an unknown type");
        spool->types[i] = (enum spool_type)entries[i].type;
        spool->summaries[i] = (struct spool_column_summary){
            .nulls = entries[i].nulls, .least = entries[i].least, .greatest = entries[i].greatest};
        spool->number_count += entries[i].type != SPOOL_TEXT;
    }
    return STATUS_OK;
}

/* Where the next block of each file begins, from spool->map, and where the last must end. */
struct extents {
    size_t next[SPOOL_FILES_MAX], end[SPOOL_FILES_MAX];
};

static void measure_files(struct spool *spool, const struct spool_header *header,
                          const uint64_t *sizes, struct extents *extents)
{
    size_t base = whole_pages(header->file_size);

    extents->next[0] = sizeof *header;
    extents->end[0] = header->index_offset;
    for (uint32_t i = 1; i < header->file_count; i++) {
        spool->files[i].base = extents->next[i] = base;
        extents->end[i] = base + sizes[i - 1];
        base += whole_pages(sizes[i - 1]);
    }
}

static struct spool_shape shape_of(const struct spool *spool)
{
    return (struct spool_shape){spool->types, spool->column_count, spool->number_count};
}

static enum status place_block(const struct spool *spool, const struct spool_block_entry *entry,
                               uint64_t first_row, struct extents *extents,
                               struct spool_block *block, struct error *err)
{
    const struct spool_shape shape = shape_of(spool);
    size_t base, hashes_end, from, at;

    if (entry->file >= SPOOL_FILES_MAX || entry->part > SPOOL_SAMPLED ||
        (entry->part != SPOOL_KEPT && !spool->is_keyed) || entry->first_range > entry->last_range)
        return corrupt(err, "the index is wrong about a block");
    base = spool->files[entry->file].base;
    from = extents->end[entry->file] - base; /* where it must end */
    hashes_end = entry->rows * sizeof(struct row_hash);
    if (entry->offset % SPOOL_ALIGN || entry->offset > from || entry->size % SPOOL_ALIGN ||
        entry->size > from - entry->offset || entry->hashes % SPOOL_ALIGN ||
        entry->hashes > entry->offset || hashes_end > entry->offset - entry->hashes ||
        entry->offset < extents->next[entry->file] - base || entry->rows == 0 ||
        entry->rows > (spool->is_keyed ? SPOOL_BLOCK_ROWS_MAX : SPOOL_BLOCK_ROWS) ||
        spool_fixed_size(&shape, entry->rows) > entry->size)
        return corrupt(err, "the index is wrong about a block");
    at = base + entry->offset;
    *block =
        (struct spool_block){.rows = entry->rows,
                             .file = entry->file,
                             .first_row = first_row,
                             .hashes = (const struct row_hash *)(spool->map + base + entry->hashes),
                             .bytes = spool->map + at,
                             .size = entry->size,
                             .hash = entry->hash,
                             .part = (enum spool_part)entry->part,
                             .first_range = entry->first_range,
                             .last_range = entry->last_range};
    extents->next[entry->file] = at + entry->size;
    return STATUS_OK;
}

/* Blocks lie one behind the other in each file, so that none can overlap
 * another and views take no more room than the files. */
static enum status place_blocks(struct spool *spool, const struct spool_block_entry *entries,
                                struct extents *extents, struct arena *arena, struct error *err)
{
    uint64_t rows = 0;

    spool->blocks = ARENA_NEW(arena, struct spool_block, spool->block_count);
    if (!spool->blocks)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < spool->block_count; i++) {
        TRY(place_block(spool, &entries[i], rows, extents, &spool->blocks[i], err));
        if (entries[i].gone > entries[i].rows || (entries[i].gone > 0 && !spool->is_keyed))
            return corrupt(err, "the index is wrong about a block");
        if (entries[i].part == SPOOL_SAMPLED)
            continue;
        rows += entries[i].rows - entries[i].gone;
        if (rows > spool->rows)
            return corrupt(err, "the index is wrong about a block");
    }
    for (uint32_t i = 0; i < SPOOL_FILES_MAX; i++)
        if (extents->next[i] != extents->end[i])
            return corrupt(err, "blocks are missing");
    return rows == spool->rows ? STATUS_OK : corrupt(err, "blocks are missing");
}

enum status spool_open_block(const struct spool *spool, uint32_t number,
                             struct spool_column_view *columns, struct spool_block *block,
                             struct error *err)
{
    const struct spool_shape shape = shape_of(spool);

    *block = spool->blocks[number];
    memset(columns, 0, spool->column_count * sizeof *columns);
    block->columns = columns;
    if (block->hash !=
        bytes_hash(block->bytes, block->size,
                   bytes_hash(block->hashes, block->rows * sizeof *block->hashes, 0)))
        return corrupt(err, "a block's checksum differs");
    return spool_view_columns(&shape, block, err);
}

struct opening {
    struct spool *spool;
    struct error *errors; /* (block_count) */
};

static void open_block(void *context, uint32_t member, uint32_t number)
{
    const struct opening *opening = context;
    struct spool_block *block = &opening->spool->blocks[number];
    (void)member;

    error_clear(&opening->errors[number]);
    spool_open_block(opening->spool, number, block->columns, block, &opening->errors[number]);
}

/* All blocks, for as long as the spool is open. */
static enum status open_blocks(struct spool *spool, struct team *team, struct arena *arena,
                               struct error *err)
{
    struct opening opening = {.spool = spool};
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < spool->block_count; i++) {
        spool->blocks[i].columns = ARENA_NEW(arena, struct spool_column_view, spool->column_count);
        if (!spool->blocks[i].columns)
            return fail_no_memory(err);
    }
    opening.errors = calloc(spool->block_count + 1ull, sizeof *opening.errors);
    if (!opening.errors)
        return fail_no_memory(err);
    team_run(team, spool->block_count, open_block, &opening);
    for (uint32_t i = 0; i < spool->block_count && status == STATUS_OK; i++)
        if (opening.errors[i].status != STATUS_OK) {
            *err = opening.errors[i];
            status = err->status;
        }
    free(opening.errors);
    return status;
}

/* ---- spools that lie by key ---- */

static enum status read_counts(struct spool_ranges *ranges, const uint32_t *counts,
                               struct error *err)
{
    for (uint32_t part = 0; part < SPOOL_PARTS; part++) {
        uint64_t rows = 0;

        ranges->counts[part] = counts + ((size_t)part << ranges->bits);
        for (uint32_t range = 0; range < 1u << ranges->bits; range++)
            rows += ranges->counts[part][range];
        if (rows != ranges->rows[part])
            return corrupt(err, "ranges have other rows than there are");
    }
    return STATUS_OK;
}

/* The last blocks are the sample, and no others. */
static enum status find_sample(struct spool *spool, struct error *err)
{
    struct spool_ranges *ranges = &spool->ranges;
    uint64_t rows = 0;

    ranges->sample_block = spool->block_count;
    while (ranges->sample_block > 0 &&
           spool->blocks[ranges->sample_block - 1].part == SPOOL_SAMPLED)
        rows += spool->blocks[--ranges->sample_block].rows;
    for (uint32_t i = 0; i < ranges->sample_block; i++)
        if (spool->blocks[i].part == SPOOL_SAMPLED)
            return corrupt(err, "a block of the sample lies elsewhere");
    return rows == ranges->sample_rows ? STATUS_OK
                                       : corrupt(err, "a row of the sample is not there");
}

static bool is_range(const struct robust_range *range)
{
    return isfinite(range->middle) && isfinite(range->deviation) && range->deviation >= 0;
}

static enum status check_sampled(const struct spool *spool, struct error *err)
{
    for (uint32_t i = 0; spool->ranges.sampled && i < spool->column_count; i++) {
        const struct sampled_column *column = &spool->ranges.sampled[i];

        if (!is_range(&column->range) || !is_range(&column->rest) || !isfinite(column->code) ||
            !isfinite(column->origin) || !isfinite(column->odd.code) ||
            !isfinite(column->odd.nearest) ||
            !is_range(&(struct robust_range){column->rest_mean, column->rest_deviation}) ||
            (column->code_cells > 0 && !(column->rest.deviation > 0 && column->rest_deviation > 0)))
            return corrupt(err, "the index is wrong about the middle of a column");
    }
    return STATUS_OK;
}

static enum status read_gone(struct spool *spool, const struct spool_block_entry *entries,
                             const uint64_t *words, uint64_t count, struct error *err)
{
    for (uint32_t i = 0; i < spool->block_count; i++) {
        const size_t own = spool_bit_words(entries[i].rows);
        uint32_t gone = 0;

        if (entries[i].gone == 0)
            continue;
        if (entries[i].gone_at > count || own > count - entries[i].gone_at)
            return corrupt(err, "the index is wrong about a block");
        spool->blocks[i].gone = words + entries[i].gone_at;
        for (uint32_t row = 0; row < entries[i].rows; row++)
            gone += spool_is_gone(&spool->blocks[i], row);
        if (gone != entries[i].gone)
            return corrupt(err, "the index is wrong about a block");
    }
    return STATUS_OK;
}

static enum status read_keyed(struct spool *spool, const struct spool_block_entry *entries,
                              uint64_t size, struct error *err)
{
    const struct spool_keyed_entry *entry =
        (const struct spool_keyed_entry *)(entries + spool->block_count);
    struct spool_ranges *ranges = &spool->ranges;
    const uint32_t *counts = (const uint32_t *)(entry + 1);
    const uint64_t *gone;
    uint64_t counts_size;

    if (size < sizeof *entry || entry->range_bits != spool_range_bits(spool->rows) ||
        entry->sample_rows > SPOOL_SAMPLE_ROWS || entry->gone_words > size / sizeof(uint64_t) ||
        entry->statistics_size > size)
        return corrupt(err, "the index is cut short");
    counts_size = (SPOOL_PARTS * sizeof *counts) << entry->range_bits;
    if (size != sizeof *entry + counts_size + entry->gone_words * sizeof(uint64_t) +
                    spool_pad(entry->statistics_size) +
                    entry->sampled_columns * sizeof *ranges->sampled ||
        (entry->sampled_columns > 0 && entry->sampled_columns != spool->column_count) ||
        entry->rows[SPOOL_KEPT] > spool->rows ||
        entry->rows[SPOOL_HELD_OUT] != spool->rows - entry->rows[SPOOL_KEPT])
        return corrupt(err, "the index is cut short");
    ranges->seed = entry->seed;
    ranges->bits = entry->range_bits;
    memcpy(ranges->rows, entry->rows, sizeof ranges->rows);
    memcpy(ranges->sums, entry->sums, sizeof ranges->sums);
    ranges->sample_rows = entry->sample_rows;
    gone = (const uint64_t *)((const char *)counts + counts_size);
    ranges->statistics =
        (struct slice){(const char *)(gone + entry->gone_words), entry->statistics_size};
    if (entry->sampled_columns)
        ranges->sampled = (const struct sampled_column *)(ranges->statistics.data +
                                                          spool_pad(entry->statistics_size));
    TRY(check_sampled(spool, err));
    TRY(read_counts(ranges, counts, err));
    TRY(find_sample(spool, err));
    return read_gone(spool, entries, gone, entry->gone_words, err);
}

static enum status read_spool(const char *path, struct spool *spool, struct team *team,
                              struct arena *arena, struct error *err)
{
    const struct spool_header *header = (const struct spool_header *)spool->map;
    const struct spool_column_entry *columns;
    const struct spool_block_entry *entries;
    const uint64_t *sizes;
    struct extents extents = {0};

    TRY(need_first(spool, 0, sizeof *header, err));
    TRY(check_header(spool, header, err));
    TRY(check_index(spool, header, err));
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
    spool->is_keyed = header->is_keyed;
    entries = (const struct spool_block_entry *)(sizes + header->file_count - 1);
    measure_files(spool, header, sizes, &extents);
    TRY(read_columns(spool, columns, arena, err));
    TRY(place_blocks(spool, entries, &extents, arena, err));
    if (spool->source && !spool->is_keyed)
        return corrupt(err, "rows in the SELECT's order are read as a whole");
    if (spool->is_keyed)
        return read_keyed(spool, entries, header->index_size - plain_index_size(header), err);
    return open_blocks(spool, team, arena, err);
}

enum status spool_open(const char *path, const struct spool_source *source, struct team *team,
                       struct arena *arena, struct spool *spool, struct error *err)
{
    enum status status;

    *spool = (struct spool){.source = source};
    TRY(map_first(path, spool, err));
    status = read_spool(path, spool, team, arena, err);
    if (status != STATUS_OK)
        spool_close(spool);
    else if (spool
                 ->is_keyed) /* blocks of a range lie anywhere: what is around them is not wanted */
        madvise((void *)spool->map, spool->map_size, MADV_RANDOM);
    return status;
}

void spool_close(struct spool *spool)
{
    if (spool->map)
        munmap((void *)spool->map, spool->map_size);
    *spool = (struct spool){0};
}

void spool_release(const struct spool *spool)
{
    madvise((void *)spool->map, spool->map_size, MADV_DONTNEED);
}

/* A page that two blocks share goes with the second. */
void spool_release_block(const struct spool *spool, uint32_t number)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)spool->blocks[number].hashes / page * page;
    const uintptr_t end = (uintptr_t)spool->blocks[number].bytes + spool->blocks[number].size;

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
    return (struct cell){.type = CELL_TEXT, .text = spool_text(column, row)};
}
