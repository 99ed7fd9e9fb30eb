#include "tests/check.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/process/team.h"

#define TASKS_MAX 1000

struct counts {
    struct team *team;
    _Atomic uint32_t tasks[TASKS_MAX];
    uint32_t of_member[TEAM_SIZE_MAX]; /* each member writes its own */
    _Atomic uint32_t inside;           /* tasks that have begun */
};

static void count_task(void *context, uint32_t member, uint32_t task)
{
    struct counts *counts = context;

    CHECK(member < team_size(counts->team));
    counts->of_member[member]++;
    atomic_fetch_add(&counts->tasks[task], 1);
}

static uint32_t sum_members(const struct counts *counts)
{
    uint32_t sum = 0;

    for (uint32_t m = 0; m < TEAM_SIZE_MAX; m++)
        sum += counts->of_member[m];
    return sum;
}

static void every_task_is_done_once_in_each_of_many_calls(void **state)
{
    static const uint32_t sizes[] = {1, 2, 3, 7};
    (void)state;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct team *team = team_new(sizes[s]);
        uint32_t total = 0;
        struct counts *counts = calloc(1, sizeof *counts);

        counts->team = team;
        for (uint32_t call = 0; call < 3000; call++) {
            const uint32_t tasks = call * 7919 % (call % 10 ? 9 : TASKS_MAX);

            team_run(team, tasks, count_task, counts);
            total += tasks;
            for (uint32_t t = 0; t < TASKS_MAX; t++)
                CHECK(atomic_exchange(&counts->tasks[t], 0) == (t < tasks));
        }
        CHECK(sum_members(counts) == total);
        team_free(team);
        free(counts);
    }
}

/* Each task waits until another one has begun: alone, a member could not end. */
static void meet(void *context, uint32_t member, uint32_t task)
{
    struct counts *counts = context;

    (void)member;
    (void)task;
    atomic_fetch_add(&counts->inside, 1);
    while (atomic_load(&counts->inside) < 2)
        ;
}

static void members_work_at_the_same_time(void **state)
{
    struct team *team = team_new(2);
    struct counts *counts = calloc(1, sizeof *counts);
    (void)state;

    CHECK(team_size(team) == 2);
    team_run(team, 2, meet, counts);
    CHECK(counts->inside == 2);
    team_free(team);
    free(counts);
}

static void a_team_of_one_needs_no_threads(void **state)
{
    struct counts *counts = calloc(1, sizeof *counts);
    (void)state;

    CHECK(team_new(0) == NULL && team_new(1) == NULL && team_size(NULL) == 1);
    team_run(NULL, 10, count_task, counts);
    CHECK(counts->of_member[0] == 10);
    team_free(NULL);
    free(counts);
}

static void a_team_is_left_asleep_for_little_work(void **state)
{
    struct team *team = team_new(2);
    (void)state;

    CHECK(team != NULL);
    CHECK(team_for(team, 0) == NULL && team_for(team, 1e4) == NULL);
    CHECK(team_for(team, 1e6) == team);
    CHECK(team_for(NULL, 1e9) == NULL);
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_done_once_in_each_of_many_calls),
        cmocka_unit_test(members_work_at_the_same_time),
        cmocka_unit_test(a_team_of_one_needs_no_threads),
        cmocka_unit_test(a_team_is_left_asleep_for_little_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
