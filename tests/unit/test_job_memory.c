#include "base/process/memory_limit.h"
#include "runtime/role/job.h"
#include "tests/check.h"

#define GIB ((uint64_t)1 << 30)
#define MIB ((uint64_t)1 << 20)

static void workers_of_a_machine_share_its_memory(void **state)
{
    struct job job = {.cpus = 0};
    (void)state;

    CHECK(job_memory_of(&job, 1, 8 * GIB) == 8 * GIB);
    CHECK(job_memory_of(&job, 0, 8 * GIB) == 8 * GIB);
    CHECK(job_memory_of(&job, 4, 8 * GIB) == 2 * GIB);
    CHECK(job_memory_of(&job, 1024, 8 * GIB) == 64 * MIB);
    CHECK(job_memory_of(&job, 1, 0) == 64 * MIB);
    CHECK(job_memory(&job, 1) == memory_limit());
}

static void a_worker_in_a_container_of_its_own_has_all_of_it(void **state)
{
    struct job job = {.cpus = 2};
    (void)state;

    CHECK(job_memory_of(&job, 8, GIB) == GIB);
}

static void what_the_statement_says_is_the_memory_of_each_worker(void **state)
{
    struct job job = {.spec = {.memory = 16 * MIB}};
    (void)state;

    CHECK(job_memory_of(&job, 1, 8 * GIB) == 16 * MIB);
    CHECK(job_memory_of(&job, 8, 8 * GIB) == 16 * MIB);
    CHECK(job_memory(&job, 8) == 16 * MIB);
    job.cpus = 1;
    CHECK(job_memory_of(&job, 8, 8 * GIB) == 16 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_of_a_machine_share_its_memory),
        cmocka_unit_test(a_worker_in_a_container_of_its_own_has_all_of_it),
        cmocka_unit_test(what_the_statement_says_is_the_memory_of_each_worker),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
