/*
 * A slow disk, for LD_PRELOAD: all processes with TOTRAIN_DISK="MEGABYTES FILE" share one that
 * writes so many megabytes (10^6 bytes) a second. FILE is where they keep what it still has to do.
 *
 *     write   goes into memory, and waits only while more than DIRTY_BYTES are not on the disk
 *     fsync   waits until all is there that was written before, by whomever
 *
 * as with the kernel's own cache. What is mapped and written there costs nothing.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/real_calls.h"

#define DIRTY_BYTES 100000000LL
#define SECOND_NS   1000000000LL

static _Atomic int64_t *idle_at; /* nanoseconds: when the disk has written all; NULL: off */
static int64_t bytes_per_second;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("TOTRAIN_DISK");
    char path[4096];
    long long megabytes;
    void *shared;
    int file;

    if (!text || sscanf(text, "%lld %4095s", &megabytes, path) != 2 || megabytes <= 0)
        return;
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof *idle_at) != 0)
        abort();
    shared = mmap(NULL, sizeof *idle_at, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED)
        abort();
    close(file);
    bytes_per_second = megabytes * 1000000;
    idle_at = shared;
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static int64_t ns_of(int64_t bytes)
{
    return (int64_t)((double)bytes / (double)bytes_per_second * SECOND_NS);
}

static void wait_until(int64_t at)
{
    const struct timespec until = {at / SECOND_NS, at % SECOND_NS};
    const int kept = errno;

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
    errno = kept;
}

static bool is_on_the_disk(int file)
{
    struct stat about;

    return idle_at && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

static void take(int file, ssize_t bytes)
{
    int64_t before, after, now = now_ns();

    if (bytes <= 0 || !is_on_the_disk(file))
        return;
    before = atomic_load(idle_at);
    do
        after = (before > now ? before : now) + ns_of(bytes);
    while (!atomic_compare_exchange_weak(idle_at, &before, after));
    wait_until(after - ns_of(DIRTY_BYTES));
}

static void drain(int file)
{
    if (is_on_the_disk(file))
        wait_until(atomic_load(idle_at));
}

ssize_t write(int file, const void *bytes, size_t size)
{
    REAL(write)
    const ssize_t written = real(file, bytes, size);

    take(file, written);
    return written;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    REAL(pwrite)
    const ssize_t written = real(file, bytes, size, offset);

    take(file, written);
    return written;
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset)
{
    return pwrite(file, bytes, size, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    REAL(writev)
    const ssize_t written = real(file, parts, count);

    take(file, written);
    return written;
}

int fsync(int file)
{
    REAL(fsync)
    drain(file);
    return real(file);
}

int fdatasync(int file)
{
    REAL(fdatasync)
    drain(file);
    return real(file);
}
