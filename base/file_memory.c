#include "base/file_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Not every file system makes files without a name. */
int file_nameless(const char *folder)
{
    char path[PATH_MAX];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return file;
    if (snprintf(path, sizeof path, "%s/memory.XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        (void)unlink(path);
    return file;
}

static enum status map(int file, size_t bytes, void **memory)
{
    const int wrong = posix_fallocate(file, 0, (off_t)bytes);

    if (wrong != 0) {
        errno = wrong;
        return STATUS_IO;
    }
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return *memory == MAP_FAILED ? STATUS_IO : STATUS_OK;
}

enum status file_memory_new(const char *folder, size_t bytes, void **memory, struct error *err)
{
    const int file = file_nameless(folder);
    enum status status = STATUS_IO;

    *memory = NULL;
    if (file >= 0)
        status = map(file, bytes, memory);
    if (status != STATUS_OK) {
        *memory = NULL;
        fail_errno(err, STATUS_IO, "cannot make room for %zu bytes in %s", bytes, folder);
    }
    if (file >= 0)
        close(file);
    return status;
}

void file_memory_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
