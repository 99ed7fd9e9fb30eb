#include "tests/sim/scored_table.h"

#include "tests/sim/seeds.h"

bool table_is_calm(const struct table_plan *plan)
{
    return plan->seed % 8 == 0;
}

struct table_plan table_plan_of(uint64_t seed, uint64_t stream, bool verbose)
{
#define PICK(what, below) seeds_pick(seed, stream, what, below)
    struct table_plan plan = {.seed = seed,
                              .rows = 1 + (uint32_t)PICK(0, 2000),
                              .shard_rows = 1 + (uint32_t)PICK(1, 64),
                              .workers = 1 + (uint32_t)PICK(2, 8),
                              .leases_per_worker = 1 + (uint32_t)PICK(3, 3),
                              .span_ms = 50 + (int64_t)PICK(4, 1500),
                              .verbose = verbose};

    if (table_is_calm(&plan))
        return plan;
    plan.deadly_rows = PICK(5, 3) ? (uint32_t)PICK(6, 5) : 0;
    if (seed % 4 == 3) { /* the question is which row killed the worker */
        plan.rows = 1 + plan.rows % 40;
        plan.shard_rows = 1 + plan.shard_rows % 4;
        plan.deadly_rows = (uint32_t)PICK(6, 12);
    }
    plan.slow_workers = PICK(7, 3) ? 0 : 1;
    plan.freezes = (uint32_t)PICK(14, 5);
    plan.master_kills = PICK(15, 3) ? 0 : (uint32_t)PICK(16, 4);
    plan.master_freezes = PICK(17, 3) ? 0 : (uint32_t)PICK(18, 3);
    plan.torn_stores = PICK(19, 3) ? 0 : (uint32_t)PICK(20, 4);
    return plan;
#undef PICK
}
