#include "k8s/controller/notices.h"

#include "tests/check.h"

struct fixture {
    struct notices notices;
    int64_t now_ms, due_ms;
};

static bool hear(struct fixture *f, const char *text)
{
    f->due_ms = INT64_MAX;
    return notices_hear(&f->notices, f->now_ms, text, &f->due_ms);
}

static void what_passes_at_once_is_not_said(void **state)
{
    struct fixture f = {.now_ms = 100};
    (void)state;

    CHECK(!hear(&f, "unschedulable"));
    CHECK_INT(f.due_ms, 100 + NOTICES_AFTER_MS);
    f.now_ms += NOTICES_AFTER_MS - 1;
    CHECK(!hear(&f, NULL));
    f.now_ms += 2;
    CHECK(!hear(&f, "unschedulable"));
}

static void what_stays_is_said_once(void **state)
{
    struct fixture f = {.now_ms = 100};
    (void)state;

    CHECK(!hear(&f, "unschedulable"));
    f.now_ms += NOTICES_AFTER_MS;
    CHECK(hear(&f, "unschedulable"));
    CHECK(!hear(&f, "unschedulable"));
    CHECK_INT(f.due_ms, INT64_MAX);
    CHECK(!hear(&f, NULL));
    CHECK(!hear(&f, "unschedulable"));
    f.now_ms += NOTICES_AFTER_MS;
    CHECK(!hear(&f, "unschedulable"));
}

static void numbers_make_no_other_problem(void **state)
{
    struct fixture f = {.now_ms = 100};
    (void)state;

    CHECK(!hear(&f, "1 of 4 workers run: 0/2 nodes"));
    f.now_ms += NOTICES_AFTER_MS;
    CHECK(hear(&f, "2 of 4 workers run: 1/12 nodes"));
    CHECK(!hear(&f, "3 of 4 workers run: 0/2 nodes"));
    CHECK(!hear(&f, "3 of 4 workers run: no image"));
    f.now_ms += NOTICES_AFTER_MS;
    CHECK(hear(&f, "3 of 4 workers run: no image"));
}

static void at_some_time_enough_is_said(void **state)
{
    struct fixture f = {.now_ms = 100};
    char text[NOTICES_MAX + 8] = "";
    (void)state;

    for (size_t i = 0; i <= NOTICES_MAX; i++) {
        text[i] = 'x';
        CHECK(!hear(&f, text));
        f.now_ms += NOTICES_AFTER_MS;
        CHECK_INT(hear(&f, text), i < NOTICES_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_passes_at_once_is_not_said),
        cmocka_unit_test(what_stays_is_said_once),
        cmocka_unit_test(numbers_make_no_other_problem),
        cmocka_unit_test(at_some_time_enough_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
