#include "tests/check.h"

#include "k8s/submit/outage.h"

static struct error problem_of(enum status status)
{
    struct error err;

    error_clear(&err);
    fail(&err, status, "a problem");
    return err;
}

static void silence_is_told_of_once_and_waited_out(void **state)
{
    const struct error silent = problem_of(STATUS_CONNECTION);
    struct outage outage = {.has_worked = true};
    (void)state;

    CHECK(outage_judge(&outage, &silent, OUTAGE_FAILURES - 1, 1) == OUTAGE_NOTHING);
    CHECK(outage_judge(&outage, &silent, OUTAGE_FAILURES, 2) == OUTAGE_BEGINS);
    for (int64_t now_ms = 3; now_ms < 100 * OUTAGE_REFUSED_MS; now_ms += OUTAGE_REFUSED_MS)
        CHECK(outage_judge(&outage, &silent, 100, now_ms) == OUTAGE_NOTHING);
    CHECK(outage_judge(&outage, NULL, 0, 4) == OUTAGE_NOTHING);
    CHECK(outage_judge(&outage, &silent, OUTAGE_FAILURES, 5) == OUTAGE_BEGINS);
}

static void a_refusal_passes_unless_it_lasts_for_minutes(void **state)
{
    const struct error refused = problem_of(STATUS_PERMISSION);
    struct outage outage = {.has_worked = true};
    (void)state;

    CHECK(outage_judge(&outage, &refused, 1, 1000) == OUTAGE_BEGINS);
    CHECK(outage_judge(&outage, &refused, 2, 999 + OUTAGE_REFUSED_MS) == OUTAGE_NOTHING);
    CHECK(outage_judge(&outage, &refused, 3, 1000 + OUTAGE_REFUSED_MS) == OUTAGE_OVER);
}

static void a_refusal_that_others_interrupt_counts_anew(void **state)
{
    const struct error refused = problem_of(STATUS_PERMISSION);
    const struct error silent = problem_of(STATUS_CONNECTION);
    struct outage outage = {.has_worked = true};
    (void)state;

    CHECK(outage_judge(&outage, &refused, 1, 1000) == OUTAGE_BEGINS);
    CHECK(outage_judge(&outage, &silent, 9, 2000) ==
          OUTAGE_NOTHING); /* it restarts: told already */
    CHECK(outage_judge(&outage, &refused, 10, 3000) == OUTAGE_NOTHING);
    CHECK(outage_judge(&outage, &refused, 11, 1000 + OUTAGE_REFUSED_MS) == OUTAGE_NOTHING);
    CHECK(outage_judge(&outage, NULL, 0, 5000) == OUTAGE_NOTHING);
    CHECK(outage_judge(&outage, &refused, 1, 6000) == OUTAGE_BEGINS);
    CHECK(outage_judge(&outage, &refused, 1, 6000 + OUTAGE_REFUSED_MS) == OUTAGE_OVER);
}

static void a_refusal_of_the_first_request_is_meant(void **state)
{
    const struct error refused = problem_of(STATUS_PERMISSION);
    struct outage outage = {.has_worked = false};
    (void)state;

    CHECK(outage_judge(&outage, &refused, 1, 1000) == OUTAGE_OVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_is_told_of_once_and_waited_out),
        cmocka_unit_test(a_refusal_passes_unless_it_lasts_for_minutes),
        cmocka_unit_test(a_refusal_that_others_interrupt_counts_anew),
        cmocka_unit_test(a_refusal_of_the_first_request_is_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
