/*
 * recording_disk.c - a library for LD_PRELOAD that writes down what a program does to files.
 *
 *     TOTRAIN_DISK=FILE         where it is written: records of all processes, in their order
 *     TOTRAIN_DISK_ROOT=FOLDER  of which files
 *
 * A record is a struct record, the path below the root, and the bytes that were written. A sync is
 * recorded after it was done, and as END that a process ended by itself, with its first argument:
 * what it had to say was said by then. From this the test makes the disk of a machine that lost its
 * power (test_power_cut.py): what was not synced may be there or not.
 *
 * Shared memory (the -shm of a database in WAL mode) is not on the disk, and is not recorded.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/faults/real_calls.h"

#define PATH_BYTES 4096

enum kind { CREATE, WRITE, TRUNCATE, SYNC, RENAME, REMOVE, FOLDER, END };

struct record {
    uint32_t kind, path_bytes; /* RENAME: from, a line feed, to */
    uint64_t inode, offset, size;
};

static int file = -1; /* O_APPEND: a record is one write */
static char root[PATH_BYTES];
static size_t root_bytes;
static char argument[64]; /* the program's first */

__attribute__((constructor)) static void begin(int count, char **arguments)
{
    const char *path = getenv("TOTRAIN_DISK"), *folder = getenv("TOTRAIN_DISK_ROOT");

    if (!path || !folder)
        return;
    snprintf(argument, sizeof argument, "%s", count > 1 ? arguments[1] : "");
    snprintf(root, sizeof root, "%s/", folder);
    root_bytes = strlen(root);
    file =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0)
        abort();
    file = fcntl(file, F_DUPFD_CLOEXEC,
                 900); /* out of the way of code that closes all that it does not know */
}

static void put(enum kind kind, uint64_t inode, const char *path, uint64_t offset,
                const void *bytes, size_t size)
{
    const int before = errno;
    const struct record head = {(uint32_t)kind, (uint32_t)strlen(path), inode, offset, size};
    struct iovec parts[] = {{(void *)(uintptr_t)&head, sizeof head},
                            {(void *)(uintptr_t)path, head.path_bytes},
                            {(void *)(uintptr_t)bytes, size}};

    if (syscall(SYS_writev, file, parts, 3) < 0)
        abort();
    errno = before;
}

__attribute__((destructor)) static void end(void)
{
    if (file >= 0)
        put(END, 0, argument, 0, "", 0);
}

/* Below the root, as a path from there; NULL for all others. A relative one is none of a job's. */
static const char *inside(const char *path)
{
    if (file < 0 || strncmp(path, root, root_bytes) != 0)
        return NULL;
    return path + root_bytes;
}

/* The path of an open file and its inode. */
static const char *path_of(int descriptor, char path[PATH_BYTES], uint64_t *inode)
{
    const int before = errno;
    char link[64];
    struct stat information;
    ssize_t size;

    if (file < 0 || descriptor == file)
        return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    size = readlink(link, path, PATH_BYTES - 2);
    if (size < 0 || fstat(descriptor, &information) != 0) {
        errno = before;
        return NULL;
    }
    errno = before;
    path[size] = '\0';
    *inode = information.st_ino;
    if (strncmp(path, root, root_bytes - 1) == 0 && path[root_bytes - 1] == '\0')
        return ""; /* the root itself */
    return S_ISREG(information.st_mode) || S_ISDIR(information.st_mode) ? inside(path) : NULL;
}

static void note_write(int descriptor, const void *bytes, ssize_t written, off_t offset)
{
    char buffer[PATH_BYTES];
    uint64_t inode;
    const char *path = written > 0 ? path_of(descriptor, buffer, &inode) : NULL;

    if (path)
        put(WRITE, inode, path, (uint64_t)offset, bytes, (size_t)written);
}

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    REAL(write)
    const ssize_t written = real(descriptor, bytes, size);

    if (written > 0)
        note_write(descriptor, bytes, written, lseek(descriptor, 0, SEEK_CUR) - written);
    return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset)
{
    REAL(pwrite)
    const ssize_t written = real(descriptor, bytes, size, offset);

    note_write(descriptor, bytes, written, offset);
    return written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset)
{
    return pwrite(descriptor, bytes, size, offset);
}

int ftruncate(int descriptor, off_t size)
{
    REAL(ftruncate)
    const int result = real(descriptor, size);
    char buffer[PATH_BYTES];
    uint64_t inode;
    const char *path = result == 0 ? path_of(descriptor, buffer, &inode) : NULL;

    if (path)
        put(TRUNCATE, inode, path, (uint64_t)size, "", 0);
    return result;
}

int ftruncate64(int descriptor, off64_t size)
{
    return ftruncate(descriptor, size);
}

static int note_sync(int descriptor, int result)
{
    char buffer[PATH_BYTES];
    uint64_t inode;
    const char *path = result == 0 ? path_of(descriptor, buffer, &inode) : NULL;

    if (path)
        put(SYNC, inode, path, 0, "", 0);
    return result;
}

int fsync(int descriptor)
{
    REAL(fsync)
    return note_sync(descriptor, real(descriptor));
}

int fdatasync(int descriptor)
{
    REAL(fdatasync)
    return note_sync(descriptor, real(descriptor));
}

/* Was it made by this call, or emptied? */
static int note_open(int opened, int flags, bool was_there)
{
    char buffer[PATH_BYTES];
    uint64_t inode;
    const char *path = opened >= 0 ? path_of(opened, buffer, &inode) : NULL;

    if (path && flags & O_CREAT && !was_there)
        put(CREATE, inode, path, 0, "", 0);
    else if (path && flags & O_TRUNC)
        put(TRUNCATE, inode, path, 0, "", 0);
    return opened;
}

int open(const char *path, int flags, ...)
{
    REAL(open)
    const bool was_there = file >= 0 && flags & O_CREAT && access(path, F_OK) == 0;
    MODE_BEHIND(flags, mode)

    return note_open(real(path, flags, mode), flags, was_there);
}

int openat(int folder, const char *path, int flags, ...)
{
    REAL(openat)
    const bool was_there =
        file >= 0 && flags & O_CREAT && faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    MODE_BEHIND(flags, mode)

    return note_open(real(folder, path, flags, mode), flags, was_there);
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen)
    const bool was_there = file >= 0 && access(path, F_OK) == 0;
    FILE *stream = real(path, mode);

    if (stream && mode[0] != 'r')
        note_open(fileno(stream), O_CREAT | (mode[0] == 'w' ? O_TRUNC : 0), was_there);
    return stream;
}

/* The C library writes by itself what streams hold: all that the file has by now. */
static void note_stream(FILE *stream)
{
    char buffer[PATH_BYTES], bytes[1 << 16];
    const int descriptor = stream ? fileno(stream) : -1;
    const int flags = descriptor >= 0 ? fcntl(descriptor, F_GETFL) : -1;
    uint64_t inode;
    const char *path = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && descriptor > STDERR_FILENO
                           ? path_of(descriptor, buffer, &inode)
                           : NULL;
    int again = path ? (int)syscall(SYS_openat, AT_FDCWD, buffer, O_RDONLY | O_CLOEXEC) : -1;
    off_t offset = 0;
    ssize_t size;

    while (again >= 0 && (size = pread(again, bytes, sizeof bytes, offset)) > 0) {
        put(WRITE, inode, path, (uint64_t)offset, bytes, (size_t)size);
        offset += size;
    }
    if (again >= 0)
        close(again);
}

int fflush(FILE *stream)
{
    REAL(fflush)
    const int result = real(stream);

    note_stream(stream);
    return result;
}

int fclose(FILE *stream)
{
    REAL(fclose)
    (void)fflush(stream);
    return real(stream);
}

int rename(const char *from, const char *to)
{
    REAL(rename)
    const int result = real(from, to);
    char both[2 * PATH_BYTES];

    if (result == 0 && inside(from) && inside(to)) {
        snprintf(both, sizeof both, "%s\n%s", inside(from), inside(to));
        put(RENAME, 0, both, 0, "", 0);
    }
    return result;
}

int unlink(const char *path)
{
    REAL(unlink)
    const int result = real(path);

    if (result == 0 && inside(path))
        put(REMOVE, 0, inside(path), 0, "", 0);
    return result;
}

int unlinkat(int folder, const char *path, int flags)
{
    REAL(unlinkat)
    const int result = real(folder, path, flags);
    char above[PATH_BYTES], whole[2 * PATH_BYTES];
    uint64_t inode;
    const char *parent = result == 0 ? path_of(folder, above, &inode) : NULL;

    if (parent) {
        snprintf(whole, sizeof whole, "%s/%s", parent, path);
        put(REMOVE, 0, whole, 0, "", 0);
    }
    return result;
}

int rmdir(const char *path)
{
    REAL(rmdir)
    const int result = real(path);

    if (result == 0 && inside(path))
        put(REMOVE, 0, inside(path), 0, "", 0);
    return result;
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir)
    const int result = real(path, mode);

    if (result == 0 && inside(path))
        put(FOLDER, 0, inside(path), 0, "", 0);
    return result;
}
