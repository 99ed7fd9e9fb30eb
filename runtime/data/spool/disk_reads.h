/*
 * disk_reads.h - whether a thread has to wait for a disk where it looks at files that are mapped.
 *
 * Bytes that are not in memory should be asked for in advance, many at a time. To ask for those
 * that are takes longer than to look at them.
 */
#pragma once

#include <stdbool.h>

/* Disk reads of one thread; all zero at first. */
struct disk_reads {
    long before; /* the thread's count at disk_reads_begin */
    bool were_seen;
};

void disk_reads_begin(struct disk_reads *reads);
/* Sets were_seen, for good, if the thread has waited for a disk since it began. */
void disk_reads_end(struct disk_reads *reads);
