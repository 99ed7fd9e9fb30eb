#include "runtime/process/role/stall.h"

#define LATE_LOOKS      3  /* times every_ms between two looks: the process did not run */
#define COMPUTING_SHARE 50 /* one part of so many of the time: an idle process uses less */

void stall_init(struct stall *stall, int64_t every_ms, int64_t now_ms)
{
    *stall = (struct stall){.every_ms = every_ms, .looked_at = now_ms, .since = now_ms};
}

void stall_look(struct stall *stall, int64_t now_ms, uint64_t count, int64_t processor_ms)
{
    const int64_t pause = now_ms - stall->looked_at;

    if (pause > LATE_LOOKS * stall->every_ms)
        stall->since += pause - stall->every_ms;
    stall->looked_at = now_ms;
    if (count != stall->count) {
        const int64_t went_by = now_ms - stall->since;

        if (stall->count != 0 && went_by > stall->usual_ms)
            stall->usual_ms = went_by;
        stall->count = count;
        stall->since = now_ms;
        stall->processor_since = processor_ms;
    }
    stall->still_ms = now_ms - stall->since;
    stall->is_computing =
        (processor_ms - stall->processor_since) * COMPUTING_SHARE > stall->still_ms;
}
