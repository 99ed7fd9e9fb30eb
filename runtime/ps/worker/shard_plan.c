#include "runtime/ps/worker/shard_plan.h"

#include <inttypes.h>

#include "jobspec/job_size.h"
#include "jobspec/jobspec_sections.h"
#include "runtime/ps/server/server_role.h"
#include "runtime/ps/server/shard_counts.h"
#include "runtime/ps/worker/embedding_batches.h"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b > 0);
}

/* By whole batches of a shard: when they were cut from the number of shards, one batch more than
 * there are shards would make all batches half as large. */
static uint64_t shards_of(uint64_t batches, uint32_t workers)
{
    const uint64_t share = batches / ((uint64_t)SHARDS_PER_WORKER * workers);
    const uint64_t of_shard = least(share > 0 ? share : 1, SHARD_BATCHES_MOST);

    return quotient_up(batches, of_shard);
}

uint32_t shard_plan_lanes(const struct jobspec *spec)
{
    return spec->servers > 0 ? spec->lanes : 0;
}

/* The fewest shards, the same number for each lane, that hold these batches. */
static uint64_t shards_of_lanes(uint64_t batches, uint32_t lanes)
{
    return quotient_up(batches, SHARD_BATCHES_MOST) * lanes;
}

enum status shard_plan_of(const struct jobspec *spec, uint64_t train_rows, struct shard_plan *plan,
                          struct error *err)
{
    const uint32_t lanes = shard_plan_lanes(spec), parts = lanes > 0 ? lanes : 1;
    uint64_t batches; /* in an epoch, if as large as may be; with lanes: steps */

    if (train_rows == 0)
        return fail(err, STATUS_INVALID, "there are no rows to train on");
    batches = quotient_up(train_rows, spec->batch_size);
    plan->epochs = job_epochs(spec->epochs, kind_of(spec)->length(&spec->params, spec->task),
                              (uint32_t)least(spec->batch_size, train_rows), train_rows);
    plan->rows = train_rows;
    plan->lanes = lanes;
    if (plan->epochs <= SHARDS_MAX && batches <= SERVER_CLOCK_MAX / plan->epochs) {
        const uint64_t most = SHARDS_MAX / plan->epochs / parts * parts;
        const uint64_t shards =
            lanes > 0 ? shards_of_lanes(batches, lanes)
                      : shards_of(batches, spec->max_workers > 0 ? spec->max_workers : 1);

        plan->shards_per_epoch = (uint32_t)least(shards, most > 0 ? most : parts);
        plan->batches = (uint32_t)quotient_up(batches, plan->shards_per_epoch / parts);
        plan->steps = (uint64_t)plan->epochs * (plan->shards_per_epoch / parts) * plan->batches;
        if (plan->steps <= SERVER_CLOCK_MAX)
            return STATUS_OK;
    }
    fail(err, STATUS_LIMIT,
         "%" PRIu32 " epochs of %" PRIu64 " batches, where parameter servers count %" PRIu32
         " batches at most",
         plan->epochs, batches, SERVER_CLOCK_MAX);
    return error_hint(err, "Set a larger train.batch_size, or fewer epochs (train.epoch).");
}
