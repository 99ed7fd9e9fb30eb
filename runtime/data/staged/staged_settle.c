#include "runtime/data/staged/staged_settle.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/process/team.h"
#include "runtime/data/spool/spool_files.h"
#include "runtime/data/spool/spool_writer.h"

#define SETTLED_SPOOLS_MAX 2

struct settling_rows {
    const struct staged_table *table;
    const char *folder;
    cJSON *list;               /* list of the files that the spools lie in */
    struct staged_file *files; /* (count) that are stored, the first of them the list */
    char (*paths)[SPOOL_PATH_MAX];
    size_t count, capacity;
    struct text census[SETTLED_SPOOLS_MAX];
};

static void list_file(struct settling_rows *settling, const char *name, const char *stored,
                      uint64_t bytes)
{
    cJSON *entry = cJSON_CreateObject();

    json_add_string(entry, "name", slice_of(name));
    json_add_string(entry, "stored", slice_of(stored));
    json_add_integer(entry, "bytes", (int64_t)bytes);
    json_append(settling->list, entry);
}

/* ----- the parts ----- */

/* Lists, for each shard that has rows, the file of its part, without bytes. */
static enum status list_parts(struct settling_rows *settling, const struct settled_spool *spool,
                              const char *path, struct sparse_file *parts, size_t *count,
                              struct error *err)
{
    char index[STAGED_NAME_MAX], part[SPOOL_PATH_MAX];

    *count = 0;
    for (uint32_t shard = 0; shard < spool->shards; shard++) {
        struct sparse_file *file = &parts[*count];

        snprintf(index, sizeof index, STAGED_INDEX_NAME, spool->name, shard);
        TRY(settling->table->part_bytes(settling->table->self, index, &file->bytes, err));
        if (file->bytes == 0)
            continue;
        if (!spool_part_path(path, shard, part))
            return fail(err, STATUS_INVALID, "the path of %s is too long", settling->folder);
        snprintf(file->name, sizeof file->name, "%s", strrchr(part, '/') + 1);
        snprintf(file->stored, sizeof file->stored, STAGED_PART_NAME, spool->name, shard);
        ++*count;
    }
    return STATUS_OK;
}

/* Their hashes are taken, and single blocks. */
static enum status open_parts(struct settling_rows *settling, const struct settled_spool *spool,
                              const char *path, const struct spool_source **source,
                              struct error *err)
{
    struct sparse_file *parts = calloc(spool->shards + 1ull, sizeof *parts);
    enum status status;
    size_t count;

    if (!parts)
        return fail_no_memory(err);
    status = list_parts(settling, spool, path, parts, &count, err);
    if (status == STATUS_OK)
        status = settling->table->open(settling->table->self, parts, count, settling->folder,
                                       source, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        char name[STAGED_NAME_MAX]; /* which the writer gives it */

        snprintf(name, sizeof name, "%s.%zu.spool", spool->name, i + 1);
        list_file(settling, name, parts[i].stored, parts[i].bytes);
    }
    free(parts);
    return status;
}

static enum status join_shard(struct settling_rows *settling, const struct settled_spool *spool,
                              uint32_t shard, struct spool_writer *writer, struct error *err)
{
    char stored[STAGED_NAME_MAX];
    enum status status;
    struct text index;

    snprintf(stored, sizeof stored, STAGED_INDEX_NAME, spool->name, shard);
    text_init(&index, SPOOL_PART_INDEX_BYTES_MAX);
    status = settling->table->read(settling->table->self, stored, &index, err);
    if (status == STATUS_OK)
        status = spool_writer_join_part(writer, shard, text_slice(&index), err);
    text_deinit(&index);
    return status;
}

static enum status join_shards(struct settling_rows *settling, const struct settled_spool *spool,
                               struct spool_writer *writer, const struct spool_source *source,
                               struct error *err)
{
    TRY(spool_writer_sort(writer, &spool->order, err));
    spool_writer_read_from(writer, source);
    if (settling->table->is_stopped)
        spool_writer_watch(writer, settling->table->is_stopped, settling->table->self);
    for (uint32_t shard = 0; shard < spool->shards; shard++)
        TRY(join_shard(settling, spool, shard, writer, err));
    return STATUS_OK;
}

/* ----- what is settled ----- */

static enum status keep_file(struct settling_rows *settling, const char *path, const char *name,
                             uint64_t bytes, struct error *err)
{
    if (settling->count == settling->capacity)
        return fail(err, STATUS_LIMIT, "the settled rows lie in too many files");
    snprintf(settling->paths[settling->count], SPOOL_PATH_MAX, "%s", path);
    snprintf(settling->files[settling->count].name, STAGED_NAME_MAX, "%s", name);
    settling->files[settling->count].path = settling->paths[settling->count];
    settling->count++;
    list_file(settling, name, name, bytes);
    return STATUS_OK;
}

/* The file with the index, and those behind the parts: copies of rows that had to move. */
static enum status keep_settled(struct settling_rows *settling, const struct settled_spool *spool,
                                const char *path, uint32_t parts_end, struct error *err)
{
    char file[SPOOL_PATH_MAX], name[STAGED_NAME_MAX];
    struct stat found;

    if (stat(path, &found) != 0)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    snprintf(name, sizeof name, "%s.spool", spool->name);
    TRY(keep_file(settling, path, name, (uint64_t)found.st_size, err));
    for (uint32_t number = parts_end;
         spool_file_path(path, number, file) && stat(file, &found) == 0; number++) {
        snprintf(name, sizeof name, "%s.%u.spool", spool->name, number);
        TRY(keep_file(settling, file, name, (uint64_t)found.st_size, err));
    }
    return STATUS_OK;
}

static void remove_files(const char *path, uint32_t parts_end)
{
    char file[SPOOL_PATH_MAX];

    for (uint32_t number = 0; number < parts_end; number++)
        if (spool_file_path(path, number, file))
            unlink(file);
    for (uint32_t number = parts_end; spool_file_path(path, number, file); number++)
        if (unlink(file) != 0)
            break;
}

/* No file of the spool: whoever planned the job reads it. */
static enum status keep_census(struct settling_rows *settling, const struct settled_spool *spool,
                               struct spool_writer *writer, struct text *bytes, struct error *err)
{
    const struct cell_census *census = spool_writer_census(writer);
    struct staged_file *file = &settling->files[settling->count];

    if (!census)
        return STATUS_OK;
    if (settling->count == settling->capacity)
        return fail(err, STATUS_LIMIT, "the settled rows lie in too many files");
    put_u64(bytes, spool_writer_rows(writer));
    cell_census_put(census, bytes);
    if (bytes->failed)
        return fail_no_memory(err);
    snprintf(file->name, sizeof file->name, STAGED_CENSUS_NAME, spool->name);
    file->bytes = text_slice(bytes);
    settling->count++;
    return STATUS_OK;
}

/* *files: how many the spool has with its parts. */
static enum status settle_from(struct settling_rows *settling, const struct settled_spool *spool,
                               const char *path, const struct spool_source *source,
                               struct text *census, uint32_t *files, struct error *err)
{
    struct spool_writer *writer;
    enum status status;

    TRY(spool_writer_open(path, spool->columns, spool->column_count, 0, &writer, err));
    status = join_shards(settling, spool, writer, source, err);
    if (status == STATUS_OK)
        status = keep_census(settling, spool, writer, census, err);
    if (status != STATUS_OK) {
        spool_writer_abandon(writer);
        return status;
    }
    TRY(spool_writer_close(writer, err));
    return keep_settled(settling, spool, path, *files, err);
}

static enum status settle_spool(struct settling_rows *settling, const struct settled_spool *spool,
                                const char *path, struct text *census, uint32_t *files,
                                struct error *err)
{
    const int before = cJSON_GetArraySize(settling->list);
    const struct spool_source *source;
    enum status status;

    TRY(open_parts(settling, spool, path, &source, err));
    *files = 1 + (uint32_t)(cJSON_GetArraySize(settling->list) - before);
    status = settle_from(settling, spool, path, source, census, files, err);
    source->close(source->self);
    return status;
}

/* ----- all of it ----- */

static enum status store_settled(struct settling_rows *settling, struct error *err)
{
    cJSON *body = cJSON_CreateObject();
    enum status status;
    struct text json;

    json_add(body, "files", settling->list);
    settling->list = NULL;
    text_init(&json, TEXT_MAXIMUM);
    status = json_print(body, false, &json, err);
    if (status == STATUS_OK) {
        snprintf(settling->files[0].name, STAGED_NAME_MAX, STAGED_SETTLED_NAME);
        settling->files[0].bytes = text_slice(&json);
        status =
            settling->table->store(settling->table->self, settling->files, settling->count, err);
    }
    cJSON_Delete(body);
    text_deinit(&json);
    return status;
}

static enum status settle_spools(struct settling_rows *settling, const struct settled_spool *spools,
                                 size_t count, struct error *err)
{
    char path[PATH_MAX];
    enum status status = STATUS_OK;
    uint32_t files[SETTLED_SPOOLS_MAX] = {0, 0};

    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        snprintf(path, sizeof path, "%s/%s.spool", settling->folder, spools[i].name);
        status = settle_spool(settling, &spools[i], path, &settling->census[i], &files[i], err);
    }
    if (status == STATUS_OK)
        status = store_settled(settling, err);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s.spool", settling->folder, spools[i].name);
        remove_files(path, files[i]);
    }
    return status;
}

enum status staged_settle(const struct staged_table *table, const char *folder,
                          const struct settled_spool *spools, size_t count, struct error *err)
{
    struct settling_rows settling = {.table = table, .folder = folder, .count = 1};
    enum status status;

    settling.capacity = 2 * TEAM_SIZE_MAX + 3 + SETTLED_SPOOLS_MAX;
    for (size_t i = 0; i < SETTLED_SPOOLS_MAX; i++)
        text_init(&settling.census[i], STAGED_CENSUS_BYTES_MAX);
    settling.files = calloc(settling.capacity, sizeof *settling.files);
    settling.paths = calloc(settling.capacity, sizeof *settling.paths);
    settling.list = cJSON_CreateArray();
    status = settling.files && settling.paths && settling.list
                 ? settle_spools(&settling, spools, count, err)
                 : fail_no_memory(err);
    cJSON_Delete(settling.list);
    for (size_t i = 0; i < SETTLED_SPOOLS_MAX; i++)
        text_deinit(&settling.census[i]);
    free(settling.files);
    free(settling.paths);
    return status;
}
