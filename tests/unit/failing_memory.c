#include "tests/unit/failing_memory.h"

#include <errno.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/sums/hash.h"
#include "tests/check.h"

/* A run with more allocations than this is too slow to be done so often. */
#define ALLOCATIONS_MAX 100000
/* So many fail of each of a program's first runs, and so few of later ones, spread over all of
 * them: the runs of a test have most of their allocations in common, and each begins at another
 * place. Besides each fails that is made on a way through the code on which none has failed yet. */
#define FAILURES_MAX  240
#define FAILURES_LESS 8
#define FIRST_RUNS    16
#define WAY_CALLS     10 /* functions that called each other, which make a way */
#define WAYS_SLOTS    ((size_t)1 << 18)

static struct {
    size_t made;       /* by the run so far */
    size_t fails_from; /* the first that fails, counted from 1; 0: none */
    size_t fails_to;
    bool finds_ways;                    /* how each allocation is come to: */
    uint64_t ways[ALLOCATIONS_MAX + 1]; /* hashes, from 1 */
} memory;

static uint64_t way_here(void)
{
    void *calls[WAY_CALLS];
    const int count = backtrace(calls, WAY_CALLS);

    return bytes_hash((const char *)calls, (size_t)count * sizeof *calls, 1);
}

/* Is it the first on this way? */
static bool is_new_way(uint64_t way)
{
    static uint64_t seen[WAYS_SLOTS]; /* 0: none */
    static size_t count;
    size_t slot = way % WAYS_SLOTS;

    while (seen[slot] && seen[slot] != way)
        slot = (slot + 1) % WAYS_SLOTS;
    if (seen[slot] || count >= WAYS_SLOTS / 2)
        return false;
    seen[slot] = way;
    count++;
    return true;
}

static bool allocation_fails(void)
{
    memory.made++;
    if (memory.finds_ways && memory.made <= ALLOCATIONS_MAX)
        memory.ways[memory.made] = way_here();
    if (!memory.fails_from || memory.made < memory.fails_from || memory.made > memory.fails_to)
        return false;
    errno = ENOMEM;
    return true;
}

/* The linker's --wrap turns calls of f into calls of __wrap_f, and gives f the
 * name __real_f. */
#define WRAPPED(type, name, parameters, arguments)                                                 \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return allocation_fails() ? NULL : __real_##name arguments;                                \
    }

WRAPPED(void *, malloc, (size_t size), (size))
WRAPPED(void *, calloc, (size_t count, size_t size), (count, size))
WRAPPED(void *, realloc, (void *old, size_t size), (old, size))
WRAPPED(char *, strdup, (const char *string), (string))
WRAPPED(char *, strndup, (const char *string, size_t size), (string, size))
WRAPPED(void *, arena_alloc, (struct arena * arena, size_t size), (arena, size))
WRAPPED(void *, arena_alloc_array, (struct arena * arena, size_t count, size_t size),
        (arena, count, size))

struct slice __real_arena_copy(struct arena *arena, struct slice bytes);
struct slice __wrap_arena_copy(struct arena *arena, struct slice bytes);
struct slice __wrap_arena_copy(struct arena *arena, struct slice bytes)
{
    return allocation_fails() ? (struct slice){NULL, 0} : __real_arena_copy(arena, bytes);
}

struct slice __wrap_arena_printf(struct arena *arena, const char *format, ...);
struct slice __wrap_arena_printf(struct arena *arena, const char *format, ...)
{
    struct slice copy = {NULL, 0};
    va_list arguments;
    char *printed;

    if (allocation_fails())
        return copy;
    va_start(arguments, format);
    if (vasprintf(&printed, format, arguments) >= 0) {
        copy = __real_arena_copy(arena, slice_of(printed));
        free(printed);
    }
    va_end(arguments);
    return copy;
}

static void *hooked_malloc(size_t size)
{
    return __wrap_malloc(size);
}

struct outcome {
    enum status status;
    struct error err;
    struct text result;
};

static void run_once(failing_memory_run *run, void *context, size_t fails_from, size_t fails_to,
                     struct outcome *outcome)
{
    text_init(&outcome->result, TEXT_MAXIMUM);
    error_clear(&outcome->err);
    memory.made = 0;
    memory.fails_from = fails_from;
    memory.fails_to = fails_to;
    outcome->status = run(context, &outcome->result, &outcome->err);
    memory.fails_from = 0;
    if (outcome->status == STATUS_OK && outcome->result.failed)
        outcome->status = STATUS_NO_MEMORY;
}

static bool same_outcome(const struct outcome *a, const struct outcome *b)
{
    if (a->status != b->status)
        return false;
    if (a->status != STATUS_OK)
        return strcmp(a->err.message, b->err.message) == 0 &&
               strcmp(a->err.hint, b->err.hint) == 0 && a->err.position == b->err.position;
    return slice_equal(text_slice(&a->result), text_slice(&b->result));
}

static bool ends_well(const char *what, failing_memory_run *run, void *context, size_t from,
                      size_t to, const struct outcome *wanted)
{
    struct outcome found;
    bool well;

    run_once(run, context, from, to, &found);
    well = found.status == STATUS_NO_MEMORY || same_outcome(&found, wanted);
    if (!well)
        print_error("%s: where allocation %zu%s fails: %s: %s\n", what, from,
                    to == SIZE_MAX ? " and every later one" : "", status_name(found.status),
                    found.status == STATUS_OK ? text_string(&found.result) : found.err.message);
    text_deinit(&found.result);
    return well;
}

/* The run as it is, with which all others are compared. */
static size_t run_first(const char *what, failing_memory_run *run, void *context,
                        struct outcome *wanted)
{
    memory.finds_ways = true;
    run_once(run, context, 0, 0, wanted);
    memory.finds_ways = false;
    if (wanted->status == STATUS_NO_MEMORY || memory.made > ALLOCATIONS_MAX)
        check_failed("%s: %s, %zu allocations", what, status_name(wanted->status), memory.made);
    return memory.made;
}

static size_t failures_of_run(void)
{
    static size_t runs;

    if (getenv("TOTRAIN_EVERY_ALLOCATION"))
        return ALLOCATIONS_MAX;
    return runs++ < FIRST_RUNS ? FAILURES_MAX : FAILURES_LESS;
}

void check_every_allocation_may_fail(const char *what, failing_memory_run *run, void *context)
{
    static size_t first; /* first of those that are spread: another one each time */
    const size_t failures = failures_of_run();
    cJSON_Hooks hooks = {hooked_malloc, free};
    struct outcome wanted;
    size_t count, apart, wrong = 0;

    cJSON_InitHooks(&hooks);
    count = run_first(what, run, context, &wanted);
    apart = (count + failures - 1) / failures;
    for (size_t i = 1; i <= count; i++) {
        const bool is_new = is_new_way(memory.ways[i]);

        if (apart > 1 && i % apart != first % apart && !is_new)
            continue;
        wrong += !ends_well(what, run, context, i, i, &wanted);
        wrong += !ends_well(what, run, context, i, SIZE_MAX, &wanted);
    }
    first++;
    text_deinit(&wanted.result);
    cJSON_InitHooks(NULL);
    if (wrong)
        check_failed("%s: %zu runs ended otherwise", what, wrong);
}
