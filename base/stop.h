/*
 * stop.h - who waits for long work is asked now and then whether it is still wanted.
 *
 * Work that a statement can make longer than a tenth of a second takes one of these. The session
 * behind it answers true after Ctrl-C, a cancel or a timeout, from then on for good.
 */
#pragma once

#include "base/error.h"

struct stop {
    bool (*is_stopped)(void *self);
    void *self;
};

/* INTERRUPTED; `stop` NULL: nobody is asked. */
static inline enum status stop_ask(const struct stop *stop, struct error *err)
{
    return stop && stop->is_stopped(stop->self) ? fail(err, STATUS_INTERRUPTED, "interrupted")
                                                : STATUS_OK;
}

/* The same each so many times: asking costs more than reading a number. */
#define STOP_ASKED_EVERY 65536
static inline enum status stop_count(const struct stop *stop, uint32_t *count, struct error *err)
{
    return ++*count % STOP_ASKED_EVERY == 0 ? stop_ask(stop, err) : STATUS_OK;
}

/* The same each so many steps of some nanoseconds; `steps` counts those since the last time. */
#define STOP_ASKED_STEPS ((uint64_t)1 << 22)
static inline enum status stop_step(const struct stop *stop, uint64_t more, uint64_t *steps,
                                    struct error *err)
{
    if ((*steps += more) < STOP_ASKED_STEPS)
        return STATUS_OK;
    *steps = 0;
    return stop_ask(stop, err);
}

/* The same for loops that cannot fail: they end where it is seen, and who called them says
 * INTERRUPTED. `stop` NULL: nobody is asked. */
struct stop_watch {
    const struct stop *stop;
    uint32_t count;
    bool is_seen;
};
static inline bool stop_seen(struct stop_watch *watch)
{
    if (!watch->is_seen && watch->stop && ++watch->count % STOP_ASKED_EVERY == 0)
        watch->is_seen = watch->stop->is_stopped(watch->stop->self);
    return watch->is_seen;
}
static inline enum status stop_heed(const struct stop_watch *watch, struct error *err)
{
    return watch->is_seen ? fail(err, STATUS_INTERRUPTED, "interrupted") : STATUS_OK;
}
