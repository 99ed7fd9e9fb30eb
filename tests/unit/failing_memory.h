/*
 * failing_memory.h - run something again and again, each time with another
 * allocation that fails.
 *
 *     run                 n allocations, ended well or with an error of its own
 *     run, 1st fails      out of memory
 *     run, 2nd fails      ...
 *     run, n-th fails
 *     and all once more, where from the i-th on every allocation fails
 *
 * In a run with many allocations some fail: those on a way through the code on which none has
 * failed yet, and a few, evenly spread; of the next such run others. With
 * TOTRAIN_EVERY_ALLOCATION=1 in the environment each fails of each run (make test-full).
 *
 * Each of these runs must end with NO_MEMORY, or exactly as the first one did:
 * same status, same message, same result. A result that is cut short because
 * memory was, a crash, and (under AddressSanitizer, which the preset dev has) a
 * leak are the mistakes that this finds.
 *
 * What fails: malloc, calloc, realloc, strdup and strndup as our own code calls
 * them, arena_alloc and its kin (an arena asks malloc for large blocks, which
 * would hide most of its allocations), and what cJSON allocates. A program
 * gets this by linking with FAILING_MEMORY_LINK (failing_memory.cmake), which
 * has the linker put our functions in place of those.
 */
#pragma once

#include "base/error.h"

/* One run: appends what it made to the result, which its caller frees. */
typedef enum status failing_memory_run(void *context, struct text *result, struct error *err);

/* Ends the test, naming `what`, where a run ends otherwise than said above. */
void check_every_allocation_may_fail(const char *what, failing_memory_run *run, void *context);
