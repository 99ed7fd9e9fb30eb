#include "extension/engine/jobs/small_job.h"

#include "planner/plan/parameters.h"

/* Below it, starting and meeting take longer than learning
 * (docs/decisions/0011-own-products.md). */
#define SMALL_JOB_WORK 2e9

bool job_is_small(const struct plan *plan, const struct jobspec *spec, uint64_t rows)
{
    const struct kind_shape shape = shape_of(plan);
    const struct kind_cost cost = cost_of(plan, &shape);

    return spec->servers == 0 && spec->max_workers == 1 &&
           cost.multiplications * (double)rows * epochs_of(plan, rows) + cost.learning +
                   cost.row_learning * (double)rows <
               SMALL_JOB_WORK;
}
