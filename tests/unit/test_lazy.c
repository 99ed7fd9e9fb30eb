#include <dlfcn.h>

#include "tests/check.h"

#include "lazy/curl.h"
#include "lazy/lazy.h"
#include "lazy/pq.h"

static int opened;

/* In the place of libc's: counts. */
void *dlopen(const char *file, int mode);
void *dlopen(const char *file, int mode)
{
    static void *(*next)(const char *, int);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    opened++;
    return next(file, mode);
}

static void a_library_that_is_not_there_is_named(void **state)
{
    struct error err;
    (void)state;

    CHECK_FAILS(lazy_load("libtotrain-nowhere.so.1", NULL, 0, &err), STATUS_CONNECTION,
                "cannot load libtotrain-nowhere.so.1: ");
}

static void a_symbol_that_is_not_there_is_named(void **state)
{
    void *there = NULL, *nowhere = NULL;
    const struct lazy_symbol symbols[] = {{"cos", &there}, {"totrain_nowhere", &nowhere}};
    struct error err;
    (void)state;

    CHECK_FAILS(lazy_load("libm.so.6", symbols, 2, &err), STATUS_CONNECTION,
                "libm.so.6 has no totrain_nowhere");
    CHECK(there && !nowhere);
}

static void calls_reach_the_libraries_which_are_loaded_once(void **state)
{
    struct error err;
    (void)state;

    opened = 0;
    for (int time = 0; time < 3; time++) {
        CHECK_OK(lazy_pq_load(&err));
        CHECK_OK(lazy_curl_load(&err));
    }
    CHECK_INT(opened, 2);
    CHECK_INT(PQstatus(NULL), CONNECTION_BAD);
    assert_string_equal(curl_easy_strerror(CURLE_OUT_OF_MEMORY), "Out of memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_is_not_there_is_named),
        cmocka_unit_test(a_symbol_that_is_not_there_is_named),
        cmocka_unit_test(calls_reach_the_libraries_which_are_loaded_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
