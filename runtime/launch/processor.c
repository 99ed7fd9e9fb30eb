#include "launch/launch.h"

#include <sched.h>

struct slice launch_kernels(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return SLICE("SkylakeX");
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return SLICE("Haswell");
#endif
    return SLICE("");
}

uint32_t launch_cores(void)
{
    cpu_set_t set;
    int count = 0;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = CPU_COUNT(&set);
    return count > 0 ? (uint32_t)count : 1;
}
