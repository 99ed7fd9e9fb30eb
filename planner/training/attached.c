#include "planner/training/attached.h"

enum status attached_check(const struct planning *planning, const char *attribute, int position)
{
    const struct plan *plan = planning->plan;
    const char *what = !plan->wait                           ? "job.wait = false"
                       : plan->cluster.is_wanted             ? "job.where = 'kubernetes'"
                       : planning->catalog->limits.is_staged ? "totrain.stage"
                                                             : NULL;

    if (!what)
        return STATUS_OK;
    fail_at(planning->err, STATUS_UNSUPPORTED, position, "%s does not go together with %s",
            attribute, what);
    return error_hint(planning->err, "The session that types the statement follows the job of "
                                     "each fold and trial, on this machine.");
}
