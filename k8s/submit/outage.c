#include "k8s/submit/outage.h"

static bool is_first_time(struct outage *outage)
{
    const bool was_told = outage->is_told;

    outage->is_told = true;
    return !was_told;
}

enum outage_verdict outage_judge(struct outage *outage, const struct error *problem,
                                 uint32_t failures, int64_t now_ms)
{
    if (!problem) {
        outage->is_told = false;
        outage->refused_since_ms = 0;
        return OUTAGE_NOTHING;
    }
    if (problem->status != STATUS_PERMISSION) {
        outage->refused_since_ms = 0;
        return failures >= OUTAGE_FAILURES && is_first_time(outage) ? OUTAGE_BEGINS
                                                                    : OUTAGE_NOTHING;
    }
    if (!outage->has_worked)
        return OUTAGE_OVER;
    if (outage->refused_since_ms == 0)
        outage->refused_since_ms = now_ms;
    if (now_ms - outage->refused_since_ms >= OUTAGE_REFUSED_MS)
        return OUTAGE_OVER;
    return is_first_time(outage) ? OUTAGE_BEGINS : OUTAGE_NOTHING;
}
