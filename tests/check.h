/*
 * check.h - cmocka, and the few words that our tests add to it.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

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

#define CHECK(condition) assert_true(condition)
#define CHECK_INT(actual, expected) assert_int_equal(actual, expected)

/* The call succeeds; otherwise the test shows the error it gave.
 * Needs a `struct error err` in scope. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        if ((call) != STATUS_OK)                                                                   \
            fail_msg("%s: %s (%s)", #call, err.message, err.hint);                                 \
    } while (0)

/* The call fails with this status and a message that contains `text`. */
#define CHECK_FAILS(call, expected, text)                                                          \
    do {                                                                                           \
        enum status check_status = (call);                                                         \
        if (check_status != (expected))                                                            \
            fail_msg("%s: got %s, not %s: %s", #call, status_name(check_status), #expected,        \
                     check_status == STATUS_OK ? "" : err.message);                                \
        if (!strstr(err.message, (text)))                                                          \
            fail_msg("%s: \"%s\" does not contain \"%s\"", #call, err.message, (text));            \
    } while (0)

#define CHECK_SLICE(actual, expected)                                                              \
    do {                                                                                           \
        struct slice check_slice = (actual);                                                       \
        if (!slice_is(check_slice, (expected)))                                                    \
            fail_msg("%s is \"%.*s\", not \"%s\"", #actual, SLICE_FORMAT(check_slice), (expected)); \
    } while (0)

#endif
