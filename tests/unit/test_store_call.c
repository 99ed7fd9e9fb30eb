#include <signal.h>
#include <unistd.h>

#include "runtime/loop/loop.h"
#include "runtime/loop/store_call.h"
#include "tests/check.h"

static void a_call_in_flight_is_vouched_for(void **state)
{
    struct store_call call = {.depth = 0};
    (void)state;

    CHECK(!store_call_vouches(&call, 1000));
    store_call_begin(&call, 1000);
    CHECK(store_call_vouches(&call, 1000));
    CHECK(store_call_vouches(&call, 1000 + STORE_CALL_MS_MAX));
    store_call_end(&call);
    CHECK(!store_call_vouches(&call, 1001));
}

static void a_call_that_hangs_for_ever_is_not(void **state)
{
    struct store_call call = {.depth = 0};
    (void)state;

    store_call_begin(&call, 1000);
    CHECK(!store_call_vouches(&call, 1001 + STORE_CALL_MS_MAX));
}

static void a_call_within_another_counts_from_the_outer_one(void **state)
{
    struct store_call call = {.depth = 0};
    (void)state;

    store_call_begin(&call, 1000);
    store_call_begin(&call, 2000);
    CHECK(!store_call_vouches(&call, 1001 + STORE_CALL_MS_MAX));
    store_call_end(&call);
    CHECK(store_call_vouches(&call, 2000));
    store_call_end(&call);
    CHECK(!store_call_vouches(&call, 2000));
}

static void say(void *context)
{
    const int *ends = context;

    (void)!write(ends[1], "a", 1);
}

static void the_voucher_speaks_while_the_thread_that_calls_stands_still(void **state)
{
    struct store_call call = {.depth = 0};
    struct store_voucher *voucher;
    struct error err;
    char word[3];
    int ends[2];
    (void)state;

    error_clear(&err);
    assert_int_equal(pipe(ends), 0);
    store_call_begin(&call, loop_now_ms());
    CHECK_OK(store_voucher_start(&call, 1, say, ends, &voucher, &err));
    for (int i = 0; i < 3; i++) /* this thread waits in read(), as in a slow store */
        assert_int_equal(read(ends[0], word, 1), 1);
    store_call_end(&call);
    store_voucher_stop(voucher);
    close(ends[1]);
    while (read(ends[0], word, sizeof word) > 0)
        ;
    close(ends[0]);
}

static void no_call_is_no_silence_to_vouch_for(void **state)
{
    struct store_call call = {.depth = 0};
    struct store_voucher *voucher;
    struct error err;
    char word;
    int ends[2];
    (void)state;

    error_clear(&err);
    assert_int_equal(pipe(ends), 0);
    CHECK_OK(store_voucher_start(&call, 1, say, ends, &voucher, &err));
    store_voucher_stop(voucher);
    store_voucher_stop(NULL);
    close(ends[1]);
    assert_int_equal(read(ends[0], &word, 1), 0);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_in_flight_is_vouched_for),
        cmocka_unit_test(a_call_that_hangs_for_ever_is_not),
        cmocka_unit_test(a_call_within_another_counts_from_the_outer_one),
        cmocka_unit_test(the_voucher_speaks_while_the_thread_that_calls_stands_still),
        cmocka_unit_test(no_call_is_no_silence_to_vouch_for),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
