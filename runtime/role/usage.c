#include "runtime/role/usage.h"

#include <math.h>

void usage_init(struct usage *usage, int64_t now_ms)
{
    *usage = (struct usage){.counted_to = now_ms};
}

void usage_continue(struct usage *usage, double slot_seconds, double goodput, uint64_t rows)
{
    if (!(slot_seconds > 0) || !isfinite(slot_seconds))
        return;
    usage->up_ms = slot_seconds * 1000;
    if (!(goodput > 0) || !(goodput <= 1) || rows == 0)
        return;
    usage->steady_ms = goodput * usage->up_ms;
    usage->steady_rows = (double)rows;
}

void usage_count(struct usage *usage, int64_t now_ms, uint32_t workers)
{
    usage->up_ms += (double)(now_ms - usage->counted_to) * workers;
    usage->counted_to = now_ms;
}

void usage_report(struct usage *usage, int64_t now_ms, uint64_t group, uint32_t members,
                  uint64_t rows)
{
    if (group == usage->group && rows > usage->reported_rows) {
        usage->steady_ms += (double)(now_ms - usage->reported_at) * members;
        usage->steady_rows += (double)(rows - usage->reported_rows);
    }
    usage->group = group;
    usage->reported_rows = rows;
    usage->reported_at = now_ms;
}

void usage_needed(struct usage *usage, double ms, uint64_t rows)
{
    usage->steady_ms += ms;
    usage->steady_rows += (double)rows;
}

double usage_slot_seconds(const struct usage *usage)
{
    return usage->up_ms / 1000;
}

double usage_goodput(const struct usage *usage, uint64_t rows)
{
    double goodput;

    if (!(usage->steady_rows > 0) || !(usage->up_ms > 0))
        return (double)NAN;
    goodput = (double)rows * (usage->steady_ms / usage->steady_rows) / usage->up_ms;
    return goodput < 1 ? goodput : 1; /* a row may cost more in some groups than in others */
}
