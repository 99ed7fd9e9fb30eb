#include "extension/engine/score/score_choice.h"
#include "tests/check.h"

static void workers_pay_for_large_models_over_many_rows_on_several_processors(void **state)
{
    (void)state;

    CHECK(score_pays(SCORE_TRANSFER_PREDICT, 1000000, 145000, 2));
    CHECK(!score_pays(SCORE_TRANSFER_PREDICT, 1000000, 1000,
                      2)); /* PREDICT of a small model stays as it is */
    CHECK(!score_pays(SCORE_TRANSFER_PREDICT, 20000, 145000, 2)); /* nothing that one waits for */
    CHECK(!score_pays(SCORE_TRANSFER_PREDICT, 1000000, 145000,
                      1)); /* no other worker to share with */
    CHECK(!score_pays(SCORE_TRANSFER_PREDICT, 1000000, 30000, 2));
    CHECK(score_pays(SCORE_TRANSFER_PREDICT, 1000000, 30000, 8));
    CHECK(!score_pays(SCORE_TRANSFER_EVALUATE, 1000000, 145000,
                      2)); /* EVALUATE is faster in the session */
    CHECK(score_pays(SCORE_TRANSFER_EVALUATE, 1000000, 1000000, 2));
    CHECK(!score_pays(SCORE_TRANSFER_KEPT, 1000000, 300000, 2)); /* rows are written twice */
    CHECK(score_pays(SCORE_TRANSFER_KEPT, 1000000, 500000, 2));
}

static void without_a_number_there_are_as_many_workers_as_cores_and_as_the_host_allows(void **state)
{
    (void)state;

    CHECK_INT(score_most_workers(5, 1, 2, 3), 5); /* the planner has checked it */
    CHECK_INT(score_most_workers(0, 1, 8, 0), 8);
    CHECK_INT(score_most_workers(0, 1, 8, 3), 3);
    CHECK_INT(score_most_workers(0, 4, 2, 0), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_pay_for_large_models_over_many_rows_on_several_processors),
        cmocka_unit_test(
            without_a_number_there_are_as_many_workers_as_cores_and_as_the_host_allows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
