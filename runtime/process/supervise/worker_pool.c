#include "runtime/process/supervise/worker_pool.h"

void worker_pool_init(struct worker_pool *pool, uint32_t least, uint32_t most, uint32_t slots)
{
    *pool = (struct worker_pool){.least = least,
                                 .most = most,
                                 .wanted = most,
                                 .slots = slots,
                                 .lanes = WORKER_POOL_UNLIMITED,
                                 .useful = WORKER_POOL_UNLIMITED};
}

enum status worker_pool_want(struct worker_pool *pool, int64_t workers, struct error *err)
{
    if (workers < (int64_t)pool->least || workers > (int64_t)pool->most) {
        if (pool->least == pool->most)
            fail(err, STATUS_INVALID, "the job has %u workers, not %lld", pool->most,
                 (long long)workers);
        else
            fail(err, STATUS_INVALID, "the job has %u to %u workers, not %lld", pool->least,
                 pool->most, (long long)workers);
        return error_hint(err, "The range is job.min_workers to job.max_workers of its statement.");
    }
    pool->wanted = (uint32_t)workers;
    pool->version++;
    return STATUS_OK;
}

static uint32_t count(const struct worker_pool *pool, const enum place *places, enum place what)
{
    uint32_t found = 0;

    for (uint32_t index = 0; index < pool->most; index++)
        found += places[index] == what;
    return found;
}

uint32_t worker_pool_slots_used(const struct worker_pool *pool, const enum place *places)
{
    return count(pool, places, PLACE_RUNNING) + count(pool, places, PLACE_LEAVING);
}

uint32_t worker_pool_useful(const struct worker_pool *pool)
{
    const bool is_measured = pool->version == 0 && pool->useful < pool->lanes;
    const uint32_t limit = is_measured ? pool->useful : pool->lanes;
    const uint32_t most = limit > pool->least ? limit : pool->least;

    return pool->wanted < most ? pool->wanted : most;
}

struct worker_pool_step worker_pool_next(const struct worker_pool *pool, const enum place *places)
{
    const uint32_t running = count(pool, places, PLACE_RUNNING);
    const uint32_t used = worker_pool_slots_used(pool, places);
    const uint32_t useful = worker_pool_useful(pool);
    const uint32_t target = useful < pool->slots ? useful : pool->slots;

    if (running > target)
        for (uint32_t index = pool->most; index-- > 0;)
            if (places[index] == PLACE_RUNNING)
                return (struct worker_pool_step){WORKER_POOL_STOP, index};
    if (running < target && used < pool->slots)
        for (uint32_t index = 0; index < pool->most; index++)
            if (places[index] == PLACE_EMPTY)
                return (struct worker_pool_step){WORKER_POOL_START, index};
    return (struct worker_pool_step){WORKER_POOL_NOTHING, 0};
}
