/*
 * scan_ranges.h - which reader reads which rowids.
 *
 *     reader 0   |####|......................|      # read, or claimed in one stretch
 *     reader 1                               |##|...............|      . left
 *
 * It is not known where the rows of a table lie among its rowids: a million side
 * by side and one at 2^62, or as many at both ends of the numbers. So each
 * reader starts with an equal part of the rowids and claims it stretch by
 * stretch; one that has nothing left takes the farther half of what is left to
 * the reader with the most. Halving reaches rows behind any gap in at most 64
 * steps. Stretches grow where they hold few rows and shrink where they hold
 * many; of one that turns out to be crowded the rest is given back.
 *
 * Positions count rowids from the least one of the table.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define SCAN_READERS_MAX 16
/* Rows of a stretch that is as it should be: some milliseconds' work, so that
 * starting it costs nothing and readers end together. */
#define STRETCH_ROWS 4096
/* A reader stops here and gives back the rest. */
#define STRETCH_ROWS_MAX (4 * (uint64_t)STRETCH_ROWS)

struct stretch {
    uint64_t first, last; /* both included */
};

struct scan_range {
    bool has_more;       /* next to last are left */
    uint64_t next, last; /* both included */
    uint64_t step;       /* positions of the next stretch */
    bool is_reading;
};

struct scan_ranges {
    pthread_mutex_t lock; /* over all below */
    pthread_cond_t changed;
    bool is_stopped;
    uint32_t count;
    struct scan_range ranges[SCAN_READERS_MAX];
};

/* Positions 0 to `last` for 1 to SCAN_READERS_MAX readers. */
void scan_ranges_init(struct scan_ranges *ranges, uint64_t last, uint32_t readers);
void scan_ranges_deinit(struct scan_ranges *ranges);

enum claim {
    CLAIM_STRETCH,
    CLAIM_WAIT, /* all that is left is being read, and some may be given back */
    CLAIM_END   /* everything was read, or all are to stop */
};

/* The next stretch for this reader, which then reads it and reports that by scan_ranges_finish. */
enum claim scan_ranges_try(struct scan_ranges *ranges, uint32_t reader, struct stretch *stretch);
/* The same, after waiting; false at the end. */
bool scan_ranges_claim(struct scan_ranges *ranges, uint32_t reader, struct stretch *stretch);
/* It held `rows` up to the position `at`; what lies behind was not read. */
void scan_ranges_finish(struct scan_ranges *ranges, uint32_t reader, const struct stretch *stretch,
                        uint64_t rows, uint64_t at);
/* From now on no reader gets another stretch. */
void scan_ranges_stop(struct scan_ranges *ranges);
