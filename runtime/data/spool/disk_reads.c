#include "runtime/data/spool/disk_reads.h"

#include <sys/resource.h>

/* Page faults of the thread that had to read. */
static long count(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_majflt : 0;
}

void disk_reads_begin(struct disk_reads *reads)
{
    reads->before = count();
}

void disk_reads_end(struct disk_reads *reads)
{
    reads->were_seen |= count() > reads->before;
}
