#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status read_all(int fd, const char *path, struct text *out, struct error *err)
{
    char block[8192];

    for (;;) {
        ssize_t size = read(fd, block, sizeof block);

        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return fail_errno(err, STATUS_IO, "cannot read %s", path);
        if (size == 0)
            return STATUS_OK;
        text_append(out, (struct slice){block, (size_t)size});
        if (out->failed)
            return fail(err, STATUS_LIMIT, "%s is longer than the %zu bytes that are read", path,
                        out->maximum);
    }
}

static enum status open_failed(const char *path, struct error *err)
{
    enum status status = errno == ENOENT || errno == ENOTDIR ? STATUS_NOT_FOUND
                         : errno == EACCES                   ? STATUS_PERMISSION
                                                             : STATUS_IO;

    return fail_errno(err, status, "cannot open %s", path);
}

enum status whole_file_read(const char *path, struct text *out, struct error *err)
{
    /* Without O_NONBLOCK the open of a pipe waits for its writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    enum status status;

    if (fd < 0)
        return open_failed(path, err);
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        status = fail(err, STATUS_IO, "%s is not a regular file", path);
    else
        status = read_all(fd, path, out, err);
    close(fd);
    return status;
}
