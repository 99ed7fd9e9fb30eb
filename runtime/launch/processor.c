#include "runtime/launch/processor.h"

#include <sched.h>

uint32_t launch_cores(void)
{
    cpu_set_t set;
    int count = 0;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = CPU_COUNT(&set);
    return count > 0 ? (uint32_t)count : 1;
}
