/*
 * usage.h - what a job's slots were used for.
 *
 *     slot time up      a worker that is connected for a second: one slot second
 *     slot time needed  what the rows that count would have taken without any
 *                       disturbance: rows applied * slot time of a row
 *     goodput           needed / up
 *
 * The slot time of a row is measured where nothing disturbed: between two reports of progress of
 * the same group. Everything else lowers the goodput: workers that wait for others, meet, copy the
 * state, stand by, or compute rows that are abandoned or were computed before. In a job that scores
 * a table, whose workers have nothing in common, the time that a worker needed for a shard is
 * measured.
 *
 * Pure: the caller passes time in milliseconds, which never goes backwards.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct usage {
    int64_t counted_to;
    double up_ms;           /* slot milliseconds */
    double steady_ms;       /* slot milliseconds of these between reports of one group, */
    double steady_rows;     /* and the rows that were applied meanwhile */
    uint64_t group;         /* epoch of the last report; 0: none */
    uint64_t reported_rows; /* by the last report */
    int64_t reported_at;
};

void usage_init(struct usage *usage, int64_t now_ms);
/* A master that takes over: the numbers that its predecessor stored. Slots were up between the two,
 * for a moment that is not counted. */
void usage_continue(struct usage *usage, double slot_seconds, double goodput, uint64_t rows);
/* Until now so many workers were here. Before every change of their number. */
void usage_count(struct usage *usage, int64_t now_ms, uint32_t workers);
/* The group has applied so many rows since the job began. */
void usage_report(struct usage *usage, int64_t now_ms, uint64_t group, uint32_t members,
                  uint64_t rows);

/* Where rows are not computed by a group: one worker was so long at rows that count. */
void usage_needed(struct usage *usage, double ms, uint64_t rows);

double usage_slot_seconds(const struct usage *usage);
/* The goodput of the rows that count now; NaN while nothing has been measured. */
double usage_goodput(const struct usage *usage, uint64_t rows);
