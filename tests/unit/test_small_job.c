#include "extension/engine/jobs/small_job.h"

#include "parser/parser.h"
#include "planner/plan_statement.h"
#include "tests/check.h"
#include "tests/unit/described_catalog.h"

#define CLICKS "-- query: n1 REAL 150 reals; site TEXT 150 texts; clicked INTEGER 150 integers\n"

static bool is_small(const char *text, uint32_t workers, uint64_t rows)
{
    const struct slice all = slice_of(text);
    struct described_catalog described;
    struct statement statement;
    struct arena arena;
    struct plan plan;
    struct error err;
    struct slice sql;
    bool small;

    arena_init(&arena, ARENA_MAXIMUM);
    sql.data = all.data + described_catalog_read(&described, all);
    sql.size = (size_t)(all.data + all.size - sql.data);
    CHECK_OK(parse_statement(sql, &arena, &statement, &err));
    CHECK_OK(plan_statement(&statement, sql, &described.catalog, &arena, &plan, &err));
    plan.spec.max_workers = workers;
    small = job_is_small(&plan, &plan.spec, rows);
    arena_deinit(&arena);
    return small;
}

static void few_rows_for_one_worker_are_a_small_job(void **state)
{
    static const char text[] =
        CLICKS "SELECT * FROM t TO TRAIN DeepFMClassifier LABEL clicked INTO m;";
    (void)state;

    CHECK(is_small(text, 1, 150));
    CHECK(!is_small(text, 2, 150));
    CHECK(!is_small(text, 1, 100000000));
}

static void a_job_with_parameter_servers_is_never_small(void **state)
{
    (void)state;

    CHECK(!is_small(CLICKS "SELECT * FROM t TO TRAIN DeepFMClassifier WITH job.strategy = 'ps' "
                           "LABEL clicked INTO m;",
                    1, 150));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_for_one_worker_are_a_small_job),
        cmocka_unit_test(a_job_with_parameter_servers_is_never_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
