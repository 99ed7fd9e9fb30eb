/*
 * server.h - the console: one page at an address of this machine's loopback, by libevent's HTTP.
 *
 *     loop (this thread)         sockets, the page, the list of jobs, ticks to the streams
 *     desk of jobs (a thread)    job_desk.h    a session of its own
 *     desk of models (a thread)  model_desk.h  another: a report takes seconds
 *
 * What a browser does not take waits in its own buffer; a stream gets no tick while its last one
 * waits there. Nothing is written to the disk.
 */
#pragma once

#include "extension/engine/host/host.h"

struct console {
    const struct host *jobs, *models; /* two sessions, a thread of the console each */
    const char *database;             /* for the page's title */
    uint16_t port;                    /* 0: any free one */
    /* Ends the statement that runs in `models`; called in the loop's thread. */
    void (*interrupt)(void);
    /* The console listens, at this address with its token. */
    void (*ready)(const char *address);
};

/* Serves until SIGINT or SIGTERM. */
enum status console_serve(const struct console *console, struct error *err);
