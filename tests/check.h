/*
 * check.h - cmocka, and the few words that our tests add to it.
 */
#pragma once

/* cmocka wants these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* a macro of cmocka; ours is a function of base/error.h */

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* End the test with a message: cmocka's fail_msg() needs its own fail(). */
#define check_failed(...)                                                                          \
    do {                                                                                           \
        print_error(__VA_ARGS__);                                                                  \
        print_error("\n");                                                                         \
        _fail(__FILE__, __LINE__);                                                                 \
    } while (0)

#define CHECK(condition)            assert_true(condition)
#define CHECK_INT(actual, expected) assert_int_equal(actual, expected)

/* The call succeeds; otherwise the test shows the error it gave.
 * Needs a `struct error err` in scope. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        if ((call) != STATUS_OK)                                                                   \
            check_failed("%s: %s (%s)", #call, err.message, err.hint);                             \
    } while (0)

/* The call fails with this status and a message that contains `text`. */
#define CHECK_FAILS(call, expected, text)                                                          \
    do {                                                                                           \
        enum status check_status = (call);                                                         \
        if (check_status != (expected))                                                            \
            check_failed("%s: got %s, not %s: %s", #call, status_name(check_status), #expected,    \
                         check_status == STATUS_OK ? "" : err.message);                            \
        if (!strstr(err.message, (text)))                                                          \
            check_failed("%s: \"%s\" does not contain \"%s\"", #call, err.message, (text));        \
    } while (0)

#define CHECK_SLICE(actual, expected)                                                              \
    do {                                                                                           \
        struct slice check_slice = (actual);                                                       \
        if (!slice_is(check_slice, (expected)))                                                    \
            check_failed("%s is \"%.*s\", not \"%s\"", #actual, SLICE_FORMAT(check_slice),         \
                         (expected));                                                              \
    } while (0)
