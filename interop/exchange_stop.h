/*
 * exchange_stop.h - who waits for a long file is asked now and then whether it is to be read on.
 */
#ifndef INTEROP_EXCHANGE_STOP_H
#define INTEROP_EXCHANGE_STOP_H

#include "base/error.h"

struct exchange_stop {
    bool (*is_stopped)(void *self);
    void *self;
};

/* INTERRUPTED; `stop` NULL: nobody is asked. */
static inline enum status exchange_stop_ask(const struct exchange_stop *stop, struct error *err)
{
    return stop && stop->is_stopped(stop->self) ? fail(err, STATUS_INTERRUPTED, "interrupted")
                                                : STATUS_OK;
}

/* The same each so many times: asking costs more than reading a number. */
#define STOP_ASKED_EVERY 65536
static inline enum status exchange_stop_count(const struct exchange_stop *stop, uint32_t *count,
                                              struct error *err)
{
    return ++*count % STOP_ASKED_EVERY == 0 ? exchange_stop_ask(stop, err) : STATUS_OK;
}

#endif
