/*
 * progress.h - a count that rises while a process gets on with its work.
 *
 * Code that does long work notes each bounded piece of it: a turn of the loop, a task of a team,
 * some rows of a network. A count that stands still for long shows that the process hangs (in a
 * page fault on a dead disk, in a deadlock), which its other threads do not show
 * (runtime/process/role/stall.h). Any thread may call both.
 */
#pragma once

#include <stdint.h>

void progress_note(void);
uint64_t progress_count(void);
