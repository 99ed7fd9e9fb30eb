/*
 * stall.h - measures for how long the work of a process has stood still.
 *
 *     every second: stall_look(time, progress_count(), processor time)
 *
 * A thread that runs beside the work looks. Time in which that thread did not run either does not
 * count: the whole process was stopped, or the machine slept. The master decides what is too long:
 * it compares with the longest time that this process has stood still before it went on, and waits
 * longer for one that uses the processor.
 *
 * Pure: the times are arguments, in milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stall {
    int64_t every_ms;
    int64_t looked_at, since;
    int64_t processor_since; /* processor time of the process at `since` */
    uint64_t count;
    int64_t still_ms, usual_ms; /* now; the longest that went by */
    bool is_computing;          /* it used the processor meanwhile */
};

void stall_init(struct stall *stall, int64_t every_ms, int64_t now_ms);
void stall_look(struct stall *stall, int64_t now_ms, uint64_t count, int64_t processor_ms);
