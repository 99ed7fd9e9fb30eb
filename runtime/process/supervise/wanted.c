#include "runtime/process/supervise/wanted.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "jobspec/job_attributes.h"

#define LINE_BYTES_MAX 48 /* two numbers of 20 digits, a space, the line's end */

static enum status path_of(const char *folder, const char *name, char path[PATH_MAX],
                           struct error *err)
{
    int size = snprintf(path, PATH_MAX, "%s/%s", folder, name);

    if (size < 0 || size >= PATH_MAX)
        return fail(err, STATUS_LIMIT, "the path of the job's folder is longer than %d bytes",
                    PATH_MAX - 1);
    return STATUS_OK;
}

static bool write_line(int file, const char *line, size_t size)
{
    return write(file, line, size) == (ssize_t)size && fdatasync(file) == 0;
}

/* Whether the file's name is on the disk by now. Some file systems have no fsync of folders. */
static bool sync_folder(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_synced = folder >= 0 && (fsync(folder) == 0 || errno == EINVAL);

    if (folder >= 0)
        close(folder);
    return is_synced;
}

static enum status store_numbers(const char *folder, const char *name, const char *temporary_name,
                                 uint64_t version, uint32_t number, struct error *err)
{
    char path[PATH_MAX], temporary[PATH_MAX], line[LINE_BYTES_MAX];
    int size = snprintf(line, sizeof line, "%" PRIu64 " %" PRIu32 "\n", version, number);
    enum status status = STATUS_OK;
    int file;

    TRY(path_of(folder, name, path, err));
    TRY(path_of(folder, temporary_name, temporary, err));
    file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || !write_line(file, line, (size_t)size))
        status = fail_errno(err, STATUS_IO, "cannot write %s", temporary);
    if (file >= 0)
        close(file);
    if (status == STATUS_OK && (rename(temporary, path) != 0 || !sync_folder(folder)))
        status = fail_errno(err, STATUS_IO, "cannot write %s", path);
    if (status != STATUS_OK)
        (void)unlink(temporary);
    return status;
}

enum status wanted_store(const char *folder, const struct worker_pool *pool, struct error *err)
{
    return store_numbers(folder, "wanted", "wanted.new", pool->version, pool->wanted, err);
}

enum status wanted_servers_store(const char *folder, const struct wanted_servers *wanted,
                                 struct error *err)
{
    return store_numbers(folder, "wanted_servers", "wanted_servers.new", wanted->version,
                         wanted->servers, err);
}

static bool read_numbers(struct slice line, int64_t *version, int64_t *workers)
{
    const char *space = memchr(line.data, ' ', line.size);
    size_t length = space ? (size_t)(space - line.data) : 0;

    return space && line.data[line.size - 1] == '\n' &&
           slice_to_integer((struct slice){line.data, length}, version) &&
           slice_to_integer((struct slice){space + 1, line.size - length - 2}, workers) &&
           *version > 0;
}

/* *version stays 0 where there is no such file. */
static enum status load_numbers(const char *folder, const char *name, int64_t *version,
                                int64_t *number, struct error *err)
{
    char path[PATH_MAX], line[LINE_BYTES_MAX];
    ssize_t size;
    int file;

    *version = 0;
    TRY(path_of(folder, name, path, err));
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? STATUS_OK : fail_errno(err, STATUS_IO, "cannot read %s", path);
    size = read(file, line, sizeof line);
    close(file);
    if (size < 0)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    if (size == 0 || !read_numbers((struct slice){line, (size_t)size}, version, number))
        return fail(err, STATUS_CORRUPT, "%s does not hold a version and a number", path);
    return STATUS_OK;
}

enum status wanted_load(const char *folder, struct worker_pool *pool, struct error *err)
{
    int64_t version, workers;

    TRY(load_numbers(folder, "wanted", &version, &workers, err));
    if (version == 0)
        return STATUS_OK;
    TRY(worker_pool_want(pool, workers, err));
    pool->version = (uint64_t)version;
    return STATUS_OK;
}

enum status wanted_servers_want(struct wanted_servers *wanted, int64_t servers, struct error *err)
{
    if (wanted->servers == 0)
        return fail(err, STATUS_INVALID, "the job has no parameter servers"),
               error_hint(err, "A statement has some with job.ps.");
    if (servers < 1 || servers > JOBSPEC_SERVERS_MAX)
        return fail(err, STATUS_INVALID, "a job has 1 to %d parameter servers, not %lld",
                    JOBSPEC_SERVERS_MAX, (long long)servers);
    wanted->servers = (uint32_t)servers;
    wanted->version++;
    return STATUS_OK;
}

enum status wanted_servers_load(const char *folder, struct wanted_servers *wanted,
                                struct error *err)
{
    int64_t version, servers;

    TRY(load_numbers(folder, "wanted_servers", &version, &servers, err));
    if (version == 0)
        return STATUS_OK;
    TRY(wanted_servers_want(wanted, servers, err));
    wanted->version = (uint64_t)version;
    return STATUS_OK;
}
