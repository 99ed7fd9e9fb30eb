#include "runtime/ps/worker/shard_plan.h"

#include "jobspec/jobspec.h"
#include "runtime/ps/server/server_role.h"
#include "tests/check.h"

static struct jobspec spec_of(uint32_t batch, uint32_t epochs, uint32_t workers)
{
    return (struct jobspec){.kind = SPEC_TRAIN,
                            .family = SLICE("embedding"),
                            .task = TASK_CLASSIFICATION,
                            .batch_size = batch,
                            .epochs = epochs,
                            .max_workers = workers};
}

static struct shard_plan plan_of(struct jobspec spec, uint64_t rows)
{
    struct shard_plan plan = {.epochs = 0};
    struct error err;

    CHECK_OK(shard_plan_of(&spec, rows, &plan, &err));
    CHECK(plan.steps == (uint64_t)plan.shards_per_epoch * plan.epochs * plan.batches);
    return plan;
}

static void a_long_epoch_has_shards_of_32_batches(void **state)
{
    const struct shard_plan plan = plan_of(spec_of(100, 3, 2), 1000000);

    (void)state;
    CHECK_INT(plan.shards_per_epoch, 313); /* 10,000 batches */
    CHECK_INT(plan.batches, 32);
    CHECK_INT(plan.epochs, 3);
}

static void workers_have_four_shards_each_where_there_are_batches(void **state)
{
    struct shard_plan plan = plan_of(spec_of(100, 1, 8), 16000); /* 160 batches */

    (void)state;
    CHECK_INT(plan.shards_per_epoch, 32);
    CHECK_INT(plan.batches, 5);
    plan = plan_of(spec_of(100, 1, 100), 16000);
    CHECK_INT(plan.shards_per_epoch, 160);
    CHECK_INT(plan.batches, 1);
    plan = plan_of(spec_of(100, 1, 8), 7);
    CHECK_INT(plan.shards_per_epoch, 1);
    CHECK_INT(plan.batches, 1);
}

/* 33 batches for 4 * 8 shards make 33 shards of one batch, not 32 of two that are half as large. */
static void batches_stay_nearly_as_large_as_they_may_be(void **state)
{
    (void)state;
    CHECK_INT(plan_of(spec_of(100, 1, 8), 3300).steps, 33);
    for (uint64_t batches = 1; batches < 3000; batches += 7)
        for (uint32_t workers = 1; workers < 40; workers += 3) {
            const struct shard_plan plan = plan_of(spec_of(100, 1, workers), 100 * batches);

            CHECK(plan.steps >= batches);
            CHECK(plan.steps - batches < plan.shards_per_epoch);
            CHECK(plan.steps - batches < plan.batches || plan.batches < SHARD_BATCHES_MOST);
            CHECK(plan.steps <= batches + batches / 8 + 1);
            CHECK(plan.batches <= SHARD_BATCHES_MOST);
            CHECK(plan.shards_per_epoch >= 4 * workers || plan.batches == 1 ||
                  plan.shards_per_epoch >= batches / SHARD_BATCHES_MOST);
        }
}

static void epochs_are_those_that_a_job_without_servers_has(void **state)
{
    (void)state;
    CHECK_INT(plan_of(spec_of(128, 0, 2), 128).epochs, 1000); /* no hidden layer */
    CHECK_INT(plan_of(spec_of(128, 0, 2), 1 << 20).epochs, 10);
}

static void shards_are_larger_where_there_would_be_too_many(void **state)
{
    const struct shard_plan plan = plan_of(spec_of(1, 1000000, 1024), 4000);

    (void)state;
    CHECK_INT(plan.shards_per_epoch, 4);
    CHECK_INT(plan.batches, 1000);
}

static void more_batches_than_servers_count_are_refused(void **state)
{
    struct jobspec spec = spec_of(1, 1000000, 2);
    struct shard_plan plan;
    struct error err;

    (void)state;
    CHECK(shard_plan_of(&spec, 4295, &plan, &err) == STATUS_LIMIT);
    CHECK(strstr(err.message, "1000000 epochs of 4295 batches"));
    CHECK(shard_plan_of(&spec, UINT64_MAX, &plan, &err) == STATUS_LIMIT);
    CHECK(shard_plan_of(&spec, 0, &plan, &err) == STATUS_INVALID);
    spec = spec_of(1, 1, 1);
    CHECK_OK(shard_plan_of(&spec, SERVER_CLOCK_MAX / 2, &plan, &err));
    CHECK(plan.steps <= SERVER_CLOCK_MAX);
}

/* Neither workers nor servers have a say in it: all that a step moves is the same. */
static void lanes_have_a_shard_each_at_a_time(void **state)
{
    const uint32_t workers[] = {1, 2, 7, 100};
    (void)state;

    for (size_t w = 0; w < sizeof workers / sizeof *workers; w++)
        for (uint32_t lanes = 1; lanes <= SERVER_LANES_MAX; lanes += 9) {
            struct jobspec spec = spec_of(100, 3, workers[w]);
            struct shard_plan plan;
            struct error err;

            spec.lanes = lanes;
            spec.servers = (uint32_t)(1 + w);
            CHECK_OK(shard_plan_of(&spec, 1000000, &plan, &err));
            CHECK_INT(plan.lanes, lanes);
            CHECK_INT(plan.shards_per_epoch, 313 * lanes);
            CHECK_INT(plan.batches, 32);
            CHECK_INT(plan.steps, 3 * 313 * 32);
            CHECK_OK(shard_plan_of(&spec, 7, &plan, &err));
            CHECK_INT(plan.shards_per_epoch, lanes);
            CHECK_INT(plan.steps, 3);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_epoch_has_shards_of_32_batches),
        cmocka_unit_test(workers_have_four_shards_each_where_there_are_batches),
        cmocka_unit_test(batches_stay_nearly_as_large_as_they_may_be),
        cmocka_unit_test(epochs_are_those_that_a_job_without_servers_has),
        cmocka_unit_test(shards_are_larger_where_there_would_be_too_many),
        cmocka_unit_test(more_batches_than_servers_count_are_refused),
        cmocka_unit_test(lanes_have_a_shard_each_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
