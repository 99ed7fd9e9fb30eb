/*
 * stall.h - for how long a process has not got on with its work.
 *
 *     every second: stall_look(time, progress_count(), processor time)
 *
 * A thread that runs beside the work looks. Time in which that thread did not run either is no
 * time of standing still: the whole process was stopped, or the machine slept. Whoever decides what
 * is too long (the master) compares with the longest time that this process has stood still before
 * and then went on, and is patient with one that uses the processor.
 *
 * Pure: the times are arguments, in milliseconds.
 */
#ifndef RUNTIME_PROCESS_STALL_H
#define RUNTIME_PROCESS_STALL_H

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

#endif
