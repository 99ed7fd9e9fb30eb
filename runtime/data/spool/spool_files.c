#include "runtime/data/spool/spool_settle.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define NEEDED_MAX   2
#define EXPECTED_MAX 1024 /* extents that are asked for together */

struct spool_files {
    pthread_mutex_t lock; /* over all that changes; bytes are written outside of it */
    char *path;
    int descriptors[SPOOL_FILES_MAX]; /* -1: not made yet */
    uint64_t sizes[SPOOL_FILES_MAX];
    void *maps[SPOOL_FILES_MAX]; /* NULL: not mapped */
    const struct spool_source *source;
    uint32_t numbers[SPOOL_FILES_MAX]; /* by the source; of those that are here: none */
    uint64_t map_sizes[SPOOL_FILES_MAX];
    uint32_t writers; /* writers that have a file; the first one's is made at once */
    uint64_t bytes, bytes_max, rows;
    struct spool_block_entry *entries;
    uint32_t entry_count, entry_capacity;
};

bool spool_file_path(const char *path, uint32_t number, char buffer[SPOOL_PATH_MAX])
{
    const char *dot = strrchr(path, '.');
    const int stem = (int)(dot && !strchr(dot, '/') ? dot - path : (long)strlen(path));
    int size;

    if (number == 0)
        size = snprintf(buffer, SPOOL_PATH_MAX, "%s", path);
    else
        size = snprintf(buffer, SPOOL_PATH_MAX, "%.*s.%u%s", stem, path, number, path + stem);
    return size >= 0 && size < SPOOL_PATH_MAX;
}

bool spool_part_path(const char *path, uint32_t number, char buffer[SPOOL_PATH_MAX])
{
    const char *dot = strrchr(path, '.');
    const int stem = (int)(dot && !strchr(dot, '/') ? dot - path : (long)strlen(path));
    const int size =
        snprintf(buffer, SPOOL_PATH_MAX, "%.*s.part%u%s", stem, path, number, path + stem);

    return size >= 0 && size < SPOOL_PATH_MAX;
}

/* With the files locked. */
static enum status make_file(struct spool_files *files, uint32_t number, struct error *err)
{
    char path[SPOOL_PATH_MAX];

    if (!spool_file_path(files->path, number, path))
        return fail(err, STATUS_INVALID, "the path of the spool is too long");
    files->descriptors[number] = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (files->descriptors[number] < 0)
        return fail_errno(err, STATUS_IO, "cannot create %s", path);
    return STATUS_OK;
}

static void unmap(struct spool_files *files, uint32_t file)
{
    if (files->maps[file])
        munmap(files->maps[file], files->map_sizes[file]);
    files->maps[file] = NULL;
}

static void files_free(struct spool_files *files)
{
    for (uint32_t i = 0; i < SPOOL_FILES_MAX; i++) {
        unmap(files, i);
        if (files->descriptors[i] >= 0)
            close(files->descriptors[i]);
    }
    pthread_mutex_destroy(&files->lock);
    free(files->entries);
    free(files->path);
    free(files);
}

/* The first file begins behind `header` bytes. */
static enum status files_new(const char *path, uint64_t bytes_max, size_t header,
                             struct spool_files **files, struct error *err)
{
    struct spool_files *made = calloc(1, sizeof *made);
    enum status status;

    *files = NULL;
    if (!made)
        return fail_no_memory(err);
    pthread_mutex_init(&made->lock, NULL);
    made->bytes_max = bytes_max ? bytes_max : UINT64_MAX;
    made->bytes = made->sizes[0] = header;
    made->writers = 1;
    for (uint32_t i = 0; i < SPOOL_FILES_MAX; i++) {
        made->descriptors[i] = -1;
        made->numbers[i] = SPOOL_SOURCE_NO_FILE;
    }
    made->path = strdup(path);
    status = made->path ? make_file(made, 0, err) : fail_no_memory(err);
    if (status == STATUS_OK)
        *files = made;
    else
        files_free(made);
    return status;
}

enum status spool_files_new(const char *path, uint64_t bytes_max, struct spool_files **files,
                            struct error *err)
{
    return files_new(path, bytes_max, sizeof(struct spool_header), files, err);
}

enum status spool_files_new_part(const char *path, uint32_t number, struct spool_files **files,
                                 struct error *err)
{
    char part[SPOOL_PATH_MAX];

    if (!spool_part_path(path, number, part))
        return fail(err, STATUS_INVALID, "the path of the spool is too long");
    return files_new(part, 0, 0, files, err);
}

/* The four below: with the files locked. */
static enum status check_room(const struct spool_files *files, size_t size, uint32_t rows,
                              struct error *err)
{
    if (size > files->bytes_max || files->bytes > files->bytes_max - size)
        return fail(err, STATUS_LIMIT, "the rows take more than the %llu bytes that are allowed",
                    (unsigned long long)files->bytes_max);
    if (rows > SPOOL_ROWS_MAX - files->rows)
        return fail(err, STATUS_LIMIT, "the SELECT returned more than %llu rows",
                    (unsigned long long)SPOOL_ROWS_MAX);
    return STATUS_OK;
}

static bool reserve_entry(struct spool_files *files)
{
    uint32_t capacity = files->entry_capacity ? 2 * files->entry_capacity : 16;
    struct spool_block_entry *entries;

    if (files->entry_count < files->entry_capacity)
        return true;
    if (files->entry_capacity > UINT32_MAX / 2)
        return false;
    entries = realloc(files->entries, capacity * sizeof *entries);
    if (!entries)
        return false;
    files->entries = entries;
    files->entry_capacity = capacity;
    return true;
}

static enum status choose_file(struct spool_files *files, uint32_t *file, struct error *err)
{
    const uint32_t number = files->writers < SPOOL_FILES_MAX ? files->writers : 0;

    if (*file != SPOOL_FILE_NONE)
        return STATUS_OK;
    if (number > 0) {
        TRY(make_file(files, number, err));
        files->writers++;
    }
    *file = number;
    return STATUS_OK;
}

static enum status place_block(struct spool_files *files, uint32_t *file,
                               const struct spool_block_entry *block, struct spool_place *place,
                               struct error *err)
{
    struct spool_block_entry *entry;

    TRY(check_room(files, block->size, block->part == SPOOL_SAMPLED ? 0 : block->rows, err));
    if (!reserve_entry(files))
        return fail_no_memory(err);
    TRY(choose_file(files, file, err));
    *place = (struct spool_place){*file, files->entry_count++, files->sizes[*file]};
    entry = &files->entries[place->entry];
    *entry = *block;
    entry->offset = place->offset;
    entry->file = *file;
    files->sizes[*file] += block->size;
    files->bytes += block->size;
    if (block->part != SPOOL_SAMPLED) /* these rows lie elsewhere, too */
        files->rows += block->rows;
    return STATUS_OK;
}

enum status spool_files_reserve(struct spool_files *files, uint32_t *file, size_t size,
                                uint64_t *offset, struct error *err)
{
    enum status status;

    pthread_mutex_lock(&files->lock);
    status = check_room(files, size, 0, err);
    if (status == STATUS_OK)
        status = choose_file(files, file, err);
    if (status == STATUS_OK) {
        *offset = files->sizes[*file];
        files->sizes[*file] += size;
        files->bytes += size;
    }
    pthread_mutex_unlock(&files->lock);
    return status;
}

enum status spool_files_place(struct spool_files *files, uint32_t *file,
                              const struct spool_block_entry *block, struct spool_place *place,
                              struct error *err)
{
    enum status status;

    pthread_mutex_lock(&files->lock);
    status = place_block(files, file, block, place, err);
    pthread_mutex_unlock(&files->lock);
    return status;
}

static enum status map_file(struct spool_files *files, uint32_t file, struct error *err)
{
    char path[SPOOL_PATH_MAX];

    unmap(files, file);
    if (files->sizes[file] == 0)
        return STATUS_OK;
    if (!spool_file_path(files->path, file, path))
        return fail(err, STATUS_INVALID, "the path of the spool is too long");
    if (files->descriptors[file] < 0) /* another process wrote it */
        files->descriptors[file] = open(path, O_RDONLY | O_CLOEXEC);
    if (files->descriptors[file] >= 0)
        files->maps[file] =
            mmap(NULL, files->sizes[file], PROT_READ, MAP_SHARED, files->descriptors[file], 0);
    if (files->descriptors[file] < 0 || files->maps[file] == MAP_FAILED) {
        files->maps[file] = NULL;
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    }
    files->map_sizes[file] = files->sizes[file];
    /* Hashes are wanted, and not the blocks around them. */
    madvise(files->maps[file], files->map_sizes[file], MADV_RANDOM);
    return STATUS_OK;
}

enum status spool_files_map(struct spool_files *files, struct error *err)
{
    for (uint32_t file = 0; file < SPOOL_FILES_MAX; file++)
        TRY(map_file(files, file, err));
    return STATUS_OK;
}

/* ---- parts that lie elsewhere ---- */

void spool_files_read_from(struct spool_files *files, const struct spool_source *source)
{
    files->source = source;
}

static enum status need_bytes(const struct spool_files *files, uint32_t file, uint64_t offset,
                              uint64_t size, struct spool_need **need, struct error *err)
{
    const struct spool_extent extent = {files->numbers[file], offset, size};

    *need = NULL;
    return extent.file == SPOOL_SOURCE_NO_FILE
               ? STATUS_OK
               : files->source->need(files->source->self, &extent, 1, need, err);
}

enum status spool_files_need_hashes(const struct spool_files *files,
                                    const struct spool_block_entry *entry, struct spool_need **need,
                                    struct error *err)
{
    return need_bytes(files, entry->file, entry->hashes, entry->rows * sizeof(struct row_hash),
                      need, err);
}

enum status spool_files_need_rows(const struct spool_files *files,
                                  const struct spool_block_entry *entry, struct spool_need **need,
                                  struct error *err)
{
    return need_bytes(files, entry->file, entry->offset, entry->size, need, err);
}

enum status spool_files_need_bytes(const struct spool_files *files, const struct spool_bytes *bytes,
                                   size_t count, struct spool_need **need, struct error *err)
{
    const uint32_t file = files->numbers[bytes->entry->file];
    struct spool_extent extents[NEEDED_MAX];

    *need = NULL;
    if (file == SPOOL_SOURCE_NO_FILE)
        return STATUS_OK;
    assert(count <= NEEDED_MAX);
    for (size_t i = 0; i < count; i++)
        extents[i] =
            (struct spool_extent){file, bytes[i].entry->offset + bytes[i].offset, bytes[i].size};
    return files->source->need(files->source->self, extents, count, need, err);
}

void spool_files_done_with(const struct spool_files *files, struct spool_need *need)
{
    if (need)
        files->source->done(files->source->self, need);
}

/* ---- reading ---- */

/* Extents that are expected of files elsewhere. They are asked for together: each question takes
 * their source longer than its bytes do. */
struct expected {
    const struct spool_files *files;
    struct spool_extent extents[EXPECTED_MAX];
    size_t count;
};

static void expect_gathered(struct expected *expected)
{
    const struct spool_source *source = expected->files->source;

    if (expected->count)
        source->expect(source->self, expected->extents, expected->count);
    expected->count = 0;
}

static bool is_elsewhere(const struct spool_files *files, uint32_t file)
{
    return files->numbers[file] != SPOOL_SOURCE_NO_FILE;
}

static void expect_later(struct expected *expected, uint32_t file, uint64_t offset, uint64_t size)
{
    if (expected->count == EXPECTED_MAX)
        expect_gathered(expected);
    expected->extents[expected->count++] =
        (struct spool_extent){expected->files->numbers[file], offset, size};
}

/* Has the kernel read ahead in a file that is here. */
static void expect_pages(const struct spool_files *files, uint32_t file, uint64_t offset,
                         uint64_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t at = (uintptr_t)files->maps[file] + offset;

    madvise((void *)(at / page * page), at % page + size, MADV_WILLNEED);
}

void spool_files_expect_hashes(const struct spool_files *files,
                               const struct spool_block_entry *entries, const uint32_t *numbers,
                               uint32_t count)
{
    struct expected expected = {.files = files};

    for (uint32_t i = 0, end; i < count; i = end) {
        const struct spool_block_entry *first = &entries[numbers[i]];
        uint64_t size = 0;

        for (end = i; end < count && entries[numbers[end]].file == first->file &&
                      entries[numbers[end]].hashes == first->hashes + size;
             end++)
            size += entries[numbers[end]].rows * sizeof(struct row_hash);
        if (is_elsewhere(files, first->file))
            expect_later(&expected, first->file, first->hashes, size);
        else
            expect_pages(files, first->file, first->hashes, size);
    }
    expect_gathered(&expected);
}

void spool_files_expect_bytes(const struct spool_files *files, const struct spool_bytes *bytes,
                              size_t count)
{
    struct expected expected = {.files = files};

    for (size_t i = 0; i < count; i++)
        if (is_elsewhere(files, bytes[i].entry->file))
            expect_later(&expected, bytes[i].entry->file, bytes[i].entry->offset + bytes[i].offset,
                         bytes[i].size);
    expect_gathered(&expected);
}

void spool_files_expect_rows(const struct spool_files *files, const struct spool_block_entry *entry,
                             uint64_t offset, uint64_t size)
{
    if (!is_elsewhere(files, entry->file))
        expect_pages(files, entry->file, entry->offset + offset, size);
}

struct spool_block spool_files_block(const struct spool_files *files,
                                     const struct spool_block_entry *entry)
{
    const char *map = files->maps[entry->file];

    return (struct spool_block){.rows = entry->rows,
                                .size = entry->size,
                                .bytes = (const uint8_t *)map + entry->offset,
                                .hashes = (const struct row_hash *)(map + entry->hashes)};
}

uint64_t spool_files_size(const struct spool_files *files, uint32_t file)
{
    return files->sizes[file];
}

void spool_files_mark(struct spool_files *files, uint32_t entry, uint32_t gone, uint64_t gone_at)
{
    files->entries[entry].gone = gone;
    files->entries[entry].gone_at = gone_at;
}

enum status spool_files_write(struct spool_files *files, uint32_t file, const void *bytes,
                              size_t size, uint64_t offset, struct error *err)
{
    const char *at = bytes;
    char path[SPOOL_PATH_MAX];

    while (size) {
        ssize_t written = pwrite(files->descriptors[file], at, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            fail_errno(err, STATUS_IO, "cannot write %s",
                       spool_file_path(files->path, file, path) ? path : files->path);
            return STATUS_IO;
        }
        at += written;
        size -= (size_t)written;
        offset += (uint64_t)written;
    }
    return STATUS_OK;
}

void spool_files_seal(struct spool_files *files, const struct spool_place *place, uint64_t hash)
{
    pthread_mutex_lock(&files->lock);
    files->entries[place->entry].hash = hash;
    pthread_mutex_unlock(&files->lock);
}

const struct spool_block_entry *spool_files_entries(const struct spool_files *files,
                                                    uint32_t *count, uint64_t *size)
{
    *count = files->entry_count;
    *size = files->sizes[0];
    return files->entries;
}

/* With the files locked: as if its blocks had been placed here, one after the other. */
static enum status place_part(struct spool_files *files, uint32_t number, uint32_t file,
                              const struct spool_block_entry *entries, uint32_t count,
                              uint64_t size, struct error *err)
{
    char from[SPOOL_PATH_MAX], to[SPOOL_PATH_MAX];

    if (file >= SPOOL_FILES_MAX)
        return fail(err, STATUS_LIMIT, "a spool has at most %d files", SPOOL_FILES_MAX);
    if (!spool_part_path(files->path, number, from) || !spool_file_path(files->path, file, to))
        return fail(err, STATUS_INVALID, "the path of the spool is too long");
    for (uint32_t i = 0; i < count; i++) {
        TRY(check_room(files, entries[i].size, entries[i].rows, err));
        if (!reserve_entry(files))
            return fail_no_memory(err);
        files->entries[files->entry_count] = entries[i];
        files->entries[files->entry_count++].file = file;
        files->bytes += entries[i].size;
        files->rows += entries[i].rows;
    }
    if (files->source)
        files->numbers[file] = files->source->find(files->source->self, strrchr(from, '/') + 1);
    if (rename(from, to) != 0)
        return fail_errno(err, STATUS_IO, "cannot rename %s", from);
    files->sizes[file] = size;
    files->writers++;
    return STATUS_OK;
}

enum status spool_files_adopt(struct spool_files *files, uint32_t number,
                              const struct spool_block_entry *entries, uint32_t count,
                              uint64_t size, struct error *err)
{
    enum status status;

    if (count == 0) {
        spool_part_remove(files->path, number);
        return STATUS_OK;
    }
    pthread_mutex_lock(&files->lock);
    status = place_part(files, number, files->writers, entries, count, size, err);
    pthread_mutex_unlock(&files->lock);
    return status;
}

void spool_part_remove(const char *path, uint32_t number)
{
    char part[SPOOL_PATH_MAX];

    if (spool_part_path(path, number, part))
        unlink(part);
}

uint64_t spool_files_rows(const struct spool_files *files)
{
    return files->rows;
}

/* ----- the end ----- */

static uint32_t file_count(const struct spool_files *files)
{
    return files->writers < SPOOL_FILES_MAX ? files->writers : SPOOL_FILES_MAX;
}

static enum status append(struct spool_files *files, const void *bytes, size_t size,
                          XXH3_state_t *hash, struct error *err)
{
    TRY(spool_files_write(files, 0, bytes, size, files->sizes[0], err));
    XXH3_64bits_update(hash, bytes, size);
    files->sizes[0] += size;
    return STATUS_OK;
}

static enum status append_keyed(struct spool_files *files, const struct spool_settled *settled,
                                XXH3_state_t *hash, struct error *err)
{
    const struct spool_keyed_entry *entry = &settled->entry;

    TRY(append(files, entry, sizeof *entry, hash, err));
    TRY(append(files, settled->counts, (SPOOL_PARTS * sizeof *settled->counts) << entry->range_bits,
               hash, err));
    TRY(append(files, settled->gone, entry->gone_words * sizeof *settled->gone, hash, err));
    TRY(append(files, settled->statistics.data, settled->statistics.size, hash, err));
    return append(files, settled->sampled, entry->sampled_columns * sizeof *settled->sampled, hash,
                  err);
}

static enum status write_index(struct spool_files *files, const struct spool_column_entry *columns,
                               const struct spool_settled *settled, struct spool_header *header,
                               struct error *err)
{
    XXH3_state_t hash;

    header->index_offset = files->sizes[0];
    XXH3_64bits_reset(&hash);
    TRY(append(files, columns, header->column_count * sizeof *columns, &hash, err));
    /* The first of the sizes is in the header. */
    TRY(append(files, files->sizes + 1, (header->file_count - 1) * sizeof *files->sizes, &hash,
               err));
    TRY(append(files, files->entries, files->entry_count * sizeof *files->entries, &hash, err));
    if (settled)
        TRY(append_keyed(files, settled, &hash, err));
    header->index_size = files->sizes[0] - header->index_offset;
    header->index_hash = XXH3_64bits_digest(&hash);
    return STATUS_OK;
}

enum status spool_files_finish(struct spool_files *files, const struct spool_column_entry *columns,
                               uint32_t count, const struct spool_settled *settled,
                               struct error *err)
{
    struct spool_header header = {.version = SPOOL_VERSION,
                                  .byte_order = SPOOL_BYTE_ORDER,
                                  .rows = files->rows,
                                  .column_count = count,
                                  .block_count = files->entry_count,
                                  .file_count = file_count(files),
                                  .is_keyed = settled != NULL};

    memcpy(header.magic, SPOOL_MAGIC, sizeof header.magic);
    if (settled)
        header.rows = settled->entry.rows[SPOOL_KEPT] + settled->entry.rows[SPOOL_HELD_OUT];
    TRY(write_index(files, columns, settled, &header, err));
    header.file_size = files->sizes[0];
    header.header_hash = XXH3_64bits(&header, offsetof(struct spool_header, header_hash));
    return spool_files_write(files, 0, &header, sizeof header, 0, err);
}

static void unlink_files(const struct spool_files *files)
{
    char path[SPOOL_PATH_MAX];

    for (uint32_t i = 0; i < file_count(files); i++)
        if (spool_file_path(files->path, i, path))
            unlink(path);
}

enum status spool_files_close(struct spool_files *files, struct error *err)
{
    enum status status = STATUS_OK;

    /* Some file systems report only now that there was no room. */
    for (uint32_t i = 0; i < SPOOL_FILES_MAX; i++) {
        if (files->descriptors[i] >= 0 && close(files->descriptors[i]) != 0 && status == STATUS_OK)
            status = fail_errno(err, STATUS_IO, "cannot write %s", files->path);
        files->descriptors[i] = -1;
    }
    if (status != STATUS_OK)
        unlink_files(files);
    files_free(files);
    return status;
}

void spool_files_abandon(struct spool_files *files)
{
    unlink_files(files);
    files_free(files);
}
