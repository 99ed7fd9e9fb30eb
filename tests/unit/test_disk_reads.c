#include "tests/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/data/spool/disk_reads.h"

#define PAGES 64

struct mapped {
    char *bytes;
    size_t page, size;
};

/* A file that was written, in the folder where tests leave theirs. */
static struct mapped map_file(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
    struct mapped mapped = {.page = page, .size = size};
    char path[] = "disk_reads.XXXXXX", *bytes = malloc(size);
    const int file = mkstemp(path);

    memset(bytes, 'x', size);
    CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size && fsync(file) == 0);
    CHECK_INT(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
    mapped.bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    CHECK(mapped.bytes != MAP_FAILED);
    madvise(mapped.bytes, size, MADV_RANDOM);
    close(file);
    unlink(path);
    free(bytes);
    return mapped;
}

static bool is_in_memory(const struct mapped *mapped)
{
    unsigned char pages[PAGES];
    int there = 0;

    CHECK_INT(mincore(mapped->bytes, mapped->size, pages), 0);
    for (int i = 0; i < PAGES; i++)
        there += pages[i] & 1;
    return there == PAGES;
}

static struct disk_reads look_at(const struct mapped *mapped)
{
    struct disk_reads reads = {0};
    volatile char seen;

    disk_reads_begin(&reads);
    for (size_t at = 0; at < mapped->size; at += mapped->page)
        seen = mapped->bytes[at];
    (void)seen;
    disk_reads_end(&reads);
    return reads;
}

static void a_file_that_is_not_in_memory_is_seen(void **state)
{
    const struct mapped mapped = map_file();
    struct disk_reads reads;
    (void)state;

    if (is_in_memory(&mapped)) { /* a file system without a disk */
        munmap(mapped.bytes, mapped.size);
        skip();
    }
    reads = look_at(&mapped);
    CHECK(reads.were_seen);
    disk_reads_begin(&reads);
    disk_reads_end(&reads);
    CHECK(reads.were_seen); /* for good */
    CHECK(!look_at(&mapped).were_seen);
    munmap(mapped.bytes, mapped.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_that_is_not_in_memory_is_seen)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
