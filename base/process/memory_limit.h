/*
 * memory_limit.h - how much memory there is for a process.
 */
#pragma once

#include <stdint.h>

uint64_t memory_of_machine(void); /* UINT64_MAX: unknown */

/* The lowest limit of the control groups that the file `groups` names, written as
 * /proc/self/cgroup, and of the groups that they are in. Their files are in the folder `root`, as
 * in /sys/fs/cgroup: of version 2, of version 1, or of both. UINT64_MAX: none has a limit. */
uint64_t memory_of_groups(const char *groups, const char *root);

/* The memory that this process and those of its group have: of the machine, or less where a control
 * group, as that of a container, has a limit. */
uint64_t memory_limit(void);
