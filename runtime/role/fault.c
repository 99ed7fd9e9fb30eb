#include "runtime/role/fault.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/log.h"
#include "base/text.h"

#ifdef TOTRAIN_FAULTS

static bool read_number(struct slice value, uint64_t *number)
{
    int64_t integer;

    if (!slice_to_integer(value, &integer) || integer < 0)
        return false;
    *number = (uint64_t)integer;
    return true;
}

static bool read_point(struct slice value, enum fault_point *point)
{
    static const char *const names[] = {
#define X(name, text) text,
        FAULT_POINT_MAP(X)
#undef X
    };

    for (int i = 0; i < FAULT_POINTS; i++) {
        if (slice_is(value, names[i])) {
            *point = (enum fault_point)i;
            return true;
        }
    }
    return false;
}

static bool read_item(struct fault *fault, struct slice name, struct slice value)
{
    uint64_t number = 0;

    if (slice_is(name, "role") && value.size < sizeof fault->role) {
        memcpy(fault->role, value.data, value.size);
        return true;
    }
    if (slice_is(name, "flip") && value.size < sizeof fault->memory) {
        memcpy(fault->memory, value.data, value.size);
        fault->flips = true;
        return true;
    }
    if (slice_is(name, "point"))
        return read_point(value, &fault->point);
    if (slice_is(name, "action")) {
        fault->stops = slice_is(value, "stop");
        fault->holds = slice_is(value, "hold");
        fault->starves = slice_is(value, "no_memory");
        fault->refuses = slice_is(value, "no_room");
        return fault->stops || fault->holds || fault->starves || fault->refuses ||
               slice_is(value, "kill");
    }
    if (!read_number(value, &number))
        return false;
    if (slice_is(name, "index")) {
        fault->index = (uint32_t)number;
        fault->has_index = true;
    } else if (slice_is(name, "attempt")) {
        fault->attempt = (uint32_t)number;
        fault->has_attempt = true;
    } else if (slice_is(name, "step")) {
        fault->step = number;
        fault->has_step = true;
    } else if (slice_is(name, "bit")) {
        fault->bit = number;
    } else {
        return false;
    }
    return true;
}

struct fault fault_read(void)
{
    struct fault fault = {.is_set = false};
    const char *at = getenv("TOTRAIN_FAULT");

    if (!at || !*at)
        return fault;
    while (*at) {
        size_t size = strcspn(at, ",");
        const char *equals = memchr(at, '=', size);

        if (!equals || !read_item(&fault, (struct slice){at, (size_t)(equals - at)},
                                  (struct slice){equals + 1, size - (size_t)(equals - at) - 1}))
            return (struct fault){.is_set = false};
        at += size + (at[size] == ',');
    }
    fault.is_set = true;
    return fault;
}

/* Other threads of the process have to block SIGUSR2. */
static void hold(void)
{
    sigset_t go_on;
    int number;

    sigemptyset(&go_on);
    sigaddset(&go_on, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &go_on, NULL);
    (void)sigwait(&go_on, &number);
}

bool fault_is_reached(const struct fault *fault, enum fault_point point, const char *role,
                      uint32_t index, uint32_t attempt, uint64_t step)
{
    const bool is_any = (point == FAULT_ROW || point == FAULT_MODEL_SENT) && !fault->has_index;

    return fault->is_set && fault->point == point && (fault->index == index || is_any) &&
           (!fault->has_attempt || fault->attempt == attempt) &&
           (!fault->has_step || fault->step == step) && strcmp(fault->role, role) == 0;
}

void fault_reach(const struct fault *fault, enum fault_point point, const char *role,
                 uint32_t index, uint32_t attempt, uint64_t step)
{
    if (fault->flips || fault->starves || fault->refuses ||
        !fault_is_reached(fault, point, role, index, attempt, step))
        return;
    if (fault->holds)
        hold();
    else
        kill(getpid(), fault->stops ? SIGSTOP : SIGKILL);
}

void fault_flip(const struct fault *fault, void *bytes, size_t size)
{
    const uint64_t bit = size > 0 ? fault->bit % (8 * (uint64_t)size) : 0;

    if (size == 0) {
        log_warning("fault: there is no memory %s to flip a bit in", fault->memory);
        return;
    }
    ((uint8_t *)bytes)[bit / 8] ^= (uint8_t)(1u << bit % 8);
    log_warning("fault: bit %" PRIu64 " of %zu bytes of %s is inverted", bit, size, fault->memory);
}

#else

struct fault fault_read(void)
{
    return (struct fault){.is_set = false};
}

void fault_reach(const struct fault *fault, enum fault_point point, const char *role,
                 uint32_t index, uint32_t attempt, uint64_t step)
{
    (void)fault;
    (void)point;
    (void)role;
    (void)index;
    (void)attempt;
    (void)step;
}

bool fault_is_reached(const struct fault *fault, enum fault_point point, const char *role,
                      uint32_t index, uint32_t attempt, uint64_t step)
{
    fault_reach(fault, point, role, index, attempt, step);
    return false;
}

void fault_flip(const struct fault *fault, void *bytes, size_t size)
{
    (void)fault;
    (void)bytes;
    (void)size;
}

#endif
