#include "interop/exchange_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status fail_path(const char *verb, const char *path, struct error *err)
{
    const enum status status = errno == ENOENT || errno == ENOTDIR ? STATUS_NOT_FOUND
                               : errno == EACCES || errno == EPERM ? STATUS_PERMISSION
                                                                   : STATUS_IO;

    return fail_errno(err, status, "cannot %s \"%.300s\"", verb, path);
}

static enum status read_open(int file, const char *path, struct text *out, struct error *err)
{
    struct stat found;
    char bytes[65536];
    ssize_t count;

    if (fstat(file, &found) != 0)
        return fail_path("read", path, err);
    if (!S_ISREG(found.st_mode))
        return fail(err, STATUS_INVALID, "\"%.300s\" is no ordinary file", path);
    while ((count = read(file, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR))
        if (count > 0)
            text_append(out, (struct slice){bytes, (size_t)count});
    if (count < 0)
        return fail_path("read", path, err);
    if (out->failed)
        return fail(err, STATUS_LIMIT, "\"%.300s\" has more than the %zu bytes that are read", path,
                    out->maximum);
    return STATUS_OK;
}

enum status exchange_file_read(const char *path, struct text *out, struct error *err)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum status status;

    if (file < 0)
        return fail_path("read", path, err);
    status = read_open(file, path, out, err);
    close(file);
    return status;
}

static bool write_bytes(int file, struct slice bytes)
{
    while (bytes.size > 0) {
        const ssize_t count = write(file, bytes.data, bytes.size);

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes.data += count;
        bytes.size -= (size_t)count;
    }
    return fsync(file) == 0;
}

/* Where the file is: behind links, if it is there. */
static enum status find_place(const char *path, char place[PATH_MAX], mode_t *mode,
                              struct error *err)
{
    struct stat found;

    *mode = 0666;
    if (stat(path, &found) != 0) {
        if (errno != ENOENT)
            return fail_path("write", path, err);
        if (snprintf(place, PATH_MAX, "%s", path) < PATH_MAX)
            return STATUS_OK;
        errno = ENAMETOOLONG;
        return fail_path("write", path, err);
    }
    if (!S_ISREG(found.st_mode))
        return fail(err, STATUS_INVALID, "\"%.300s\" is no ordinary file", path);
    *mode = found.st_mode & 0777;
    return realpath(path, place) ? STATUS_OK : fail_path("write", path, err);
}

enum status exchange_file_write(const char *path, struct slice bytes, struct error *err)
{
    char place[PATH_MAX], partial[PATH_MAX + 32];
    mode_t mode;
    int file;
    bool is_written;

    TRY(find_place(path, place, &mode, err));
    snprintf(partial, sizeof partial, "%s.%ld.partial", place, (long)getpid());
    file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0)
        return fail_path("write", path, err);
    is_written = write_bytes(file, bytes);
    if (close(file) != 0)
        is_written = false;
    if (is_written && rename(partial, place) == 0)
        return STATUS_OK;
    fail_path("write", path, err);
    unlink(partial);
    return err->status;
}
