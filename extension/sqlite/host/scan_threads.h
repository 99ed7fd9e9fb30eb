/*
 * scan_threads.h - several readers, a thread each, put rows into one spool.
 *
 * What a reader reads is its own: a table by a connection (parallel_scan.h), a frame in memory
 * (frame_scan.h). Here is which positions each of them reads (scan_ranges.h), that all end
 * together, and that the session can stop them.
 */
#pragma once

#include <stdatomic.h>

#include "extension/sqlite/host/scan_ranges.h"
#include "extension/sqlite/host/sqlite_host.h"

struct scan_threads;

struct scan_reader {
    /* Puts the rows of the stretch into `writer` until there were STRETCH_ROWS_MAX or `stop` is
     * set. *rows is their number; where it is STRETCH_ROWS_MAX, *at is the position of the last
     * one. In the reader's thread. */
    enum status (*put)(struct scan_reader *reader, const struct stretch *stretch, uint64_t *rows,
                       uint64_t *at, struct error *err);
    void *self;

    /* Members that scan_threads_run sets. */
    struct spool_writer *writer; /* a branch of the scan's */
    const atomic_bool *stop;
    struct scan_threads *threads;
    uint32_t number;
    enum status status;
    struct error error;
    pthread_t thread;
};

/* How many readers a scan may have. */
uint32_t scan_threads_wanted(const struct scan *scan);
/* Positions 0 to `last` by 1 to SCAN_READERS_MAX readers, of which `put` and `self` are set. */
enum status scan_threads_run(struct sqlite_host *host, const struct scan *scan,
                             struct scan_reader *readers, uint32_t count, uint64_t last,
                             struct error *err);
