#include "extension/engine/jobs/job_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/launch/job_folder.h"

#define FILE_NAME     JOB_CACHE_FILE
#define DATABASE_MAX  512
#define RECORD_FORMAT 1

/* Identifies one state of a job's store. */
struct signature {
    int64_t inode, size, seconds, nanoseconds;
};

struct record {
    int64_t id;
    struct signature store, journal; /* job.db, job.db-wal; zeros: there is none */
    enum job_state state;
    struct job_row row;
    char error[sizeof(((struct job_status *)0)->error)];
    char database[DATABASE_MAX];
    bool is_used; /* found, or noted, since it was opened */
};

/* The first bytes of the file. A file in which they differ comes from another program, and none of
 * its records is read. */
struct head {
    char magic[16];
    char version[32];
    uint64_t record_bytes, count;
};

struct job_cache {
    int jobs; /* the folder; the file's name is relative to it */
    struct record *records;
    size_t count, capacity;
    size_t next; /* where a list of ascending ids finds its next record */
    bool is_changed;
};

static struct head head_of(size_t count)
{
    struct head head;

    memset(&head, 0, sizeof head);
    snprintf(head.magic, sizeof head.magic, "totrain ended %d", RECORD_FORMAT);
    snprintf(head.version, sizeof head.version, "%s", TOTRAIN_VERSION);
    head.record_bytes = sizeof(struct record);
    head.count = count;
    return head;
}

/* ----- the file ----- */

static bool reserve(struct job_cache *cache, size_t count)
{
    struct record *grown;

    if (count <= cache->capacity)
        return true;
    grown = realloc(cache->records, count * sizeof *grown);
    if (!grown)
        return false;
    cache->records = grown;
    cache->capacity = count;
    return true;
}

static bool read_all(int file, void *bytes, size_t size)
{
    char *at = bytes;

    while (size > 0) {
        const ssize_t got = read(file, at, size);

        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* Whatever wrote it: a text ends within its room, and a state is one that a job ends with. */
static bool is_sound(struct record *record)
{
    record->row.statement[sizeof record->row.statement - 1] = '\0';
    record->row.model[sizeof record->row.model - 1] = '\0';
    record->row.error[sizeof record->row.error - 1] = '\0';
    record->row.started_at[sizeof record->row.started_at - 1] = '\0';
    record->row.metrics[sizeof record->row.metrics - 1] = '\0';
    record->error[sizeof record->error - 1] = '\0';
    record->database[sizeof record->database - 1] = '\0';
    record->is_used = false;
    return record->state == JOB_STATE_DONE || record->state == JOB_STATE_FAILED ||
           record->state == JOB_STATE_CANCELLED;
}

static void read_records(struct job_cache *cache, int file)
{
    struct head head, wanted;
    size_t kept = 0;

    if (!read_all(file, &head, sizeof head) || head.count > JOB_CACHE_MAX)
        return;
    wanted = head_of(head.count);
    if (memcmp(&head, &wanted, sizeof head) != 0 || !reserve(cache, head.count) ||
        !read_all(file, cache->records, head.count * sizeof *cache->records))
        return;
    for (size_t i = 0; i < head.count; i++)
        if (is_sound(&cache->records[i]))
            cache->records[kept++] = cache->records[i];
    cache->count = kept;
}

static bool write_all(FILE *file, const struct job_cache *cache)
{
    const struct head head = head_of(cache->count);

    return fwrite(&head, sizeof head, 1, file) == 1 &&
           fwrite(cache->records, sizeof *cache->records, cache->count, file) == cache->count;
}

/* Under another name first: a reader meanwhile reads the old one. */
static void write_file(const struct job_cache *cache)
{
    char name[64];
    FILE *file;
    int opened;
    bool is_written;

    snprintf(name, sizeof name, FILE_NAME ".%ld", (long)getpid());
    opened = openat(cache->jobs, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    file = opened >= 0 ? fdopen(opened, "w") : NULL;
    if (!file) {
        if (opened >= 0)
            close(opened);
        return;
    }
    is_written = write_all(file, cache);
    if (fclose(file) != 0 || !is_written ||
        renameat(cache->jobs, name, cache->jobs, FILE_NAME) != 0)
        (void)unlinkat(cache->jobs, name, 0);
}

struct job_cache *job_cache_open(const char *state)
{
    struct job_cache *cache = calloc(1, sizeof *cache);
    char path[PATH_MAX];
    int file;

    if (!cache || job_folder_jobs(state, path, NULL) != STATUS_OK ||
        (cache->jobs = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
        free(cache);
        return NULL;
    }
    file = openat(cache->jobs, FILE_NAME, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        read_records(cache, file);
        close(file);
    }
    return cache;
}

/* ----- one job ----- */

static struct signature look(int jobs, int64_t id, const char *name)
{
    char path[64];
    struct stat found;

    snprintf(path, sizeof path, "%lld/%s", (long long)id, name);
    if (fstatat(jobs, path, &found, 0) != 0)
        return (struct signature){0};
    return (struct signature){(int64_t)found.st_ino, (int64_t)found.st_size,
                              (int64_t)found.st_mtim.tv_sec, (int64_t)found.st_mtim.tv_nsec};
}

static bool is_same(struct signature a, struct signature b)
{
    return a.inode == b.inode && a.size == b.size && a.seconds == b.seconds &&
           a.nanoseconds == b.nanoseconds;
}

static struct record *find_record(struct job_cache *cache, int64_t id)
{
    for (size_t i = 0; i < cache->count; i++) {
        const size_t at = (cache->next + i) % cache->count;

        if (cache->records[at].id == id) {
            cache->next = at + 1;
            return &cache->records[at];
        }
    }
    return NULL;
}

bool job_cache_find(struct job_cache *cache, int64_t id, struct job_status *status)
{
    struct record *record = cache ? find_record(cache, id) : NULL;

    if (!record || !is_same(record->store, look(cache->jobs, id, "job.db")) ||
        !is_same(record->journal, look(cache->jobs, id, "job.db-wal")))
        return false;
    record->is_used = true;
    status->folder.id = id;
    status->row = record->row;
    status->state = record->state;
    memcpy(status->error, record->error, sizeof status->error);
    memcpy(status->destination.database, record->database, sizeof record->database);
    return true;
}

/* No process runs it or will, its store has its end, and its model is in its database. */
static bool is_final(const struct job_status *status)
{
    return !status->is_running && status->life->publishes != ACTOR_SERVER &&
           status->state == status->row.state &&
           (status->state == JOB_STATE_DONE || status->state == JOB_STATE_FAILED ||
            status->state == JOB_STATE_CANCELLED) &&
           strlen(status->destination.database) < DATABASE_MAX;
}

void job_cache_note(struct job_cache *cache, const struct job_status *status)
{
    struct record *record;

    if (!cache || !is_final(status))
        return;
    record = find_record(cache, status->folder.id);
    if (!record) {
        if (cache->count == JOB_CACHE_MAX ||
            !reserve(cache,
                     cache->count < cache->capacity ? cache->count + 1 : 2 * cache->count + 16))
            return;
        record = &cache->records[cache->count++];
    }
    memset(record, 0, sizeof *record);
    record->id = status->folder.id;
    record->store = look(cache->jobs, record->id, "job.db");
    record->journal = look(cache->jobs, record->id, "job.db-wal");
    record->state = status->state;
    record->row = status->row;
    memcpy(record->error, status->error, sizeof record->error);
    /* is_final: it fits */
    memcpy(record->database, status->destination.database,
           strlen(status->destination.database) + 1);
    record->is_used = true;
    cache->is_changed = true;
}

/* Jobs that are gone are forgotten when the file is written anyway. */
static void forget_gone(struct job_cache *cache)
{
    size_t kept = 0;

    for (size_t i = 0; i < cache->count; i++)
        if (cache->records[i].is_used)
            cache->records[kept++] = cache->records[i];
    cache->count = kept;
}

void job_cache_close(struct job_cache *cache)
{
    if (!cache)
        return;
    if (cache->is_changed) {
        forget_gone(cache);
        write_file(cache);
    }
    close(cache->jobs);
    free(cache->records);
    free(cache);
}

bool job_status_list(const struct host *host, struct job_cache *cache, int64_t id,
                     struct job_status *status)
{
    struct error ignored;

    if (job_cache_find(cache, id, status))
        return true;
    if (job_status_read(host, id, status, &ignored) != STATUS_OK)
        return false;
    job_cache_note(cache, status);
    return true;
}
