/*
 * end_watch.h - a worker that is drained while no master is there asks the database: is the job
 * over?
 *
 *     worker's loop --start, stop--> thread --"over"--> loop
 *                                      |  every second, over a connection of its own
 *                                      +--> is the job marked as over, or are its tables gone?
 *
 * A drained node and a deleted job look the same to a worker while there is no master: SIGTERM. In
 * the first case another master comes, which takes over what the worker has; in the second none
 * comes, and the session that deleted the job has marked its tables as over.
 */
#pragma once

#include "runtime/data/pgstore/pgstore.h"
#include "runtime/loop/loop.h"

struct end_watch;

/* `over` is called by the loop, once. The store must outlive the watch, which only reads where it
 * is. */
enum status end_watch_start(const struct pgstore *store, struct loop *loop,
                            void (*over)(void *context), void *context, struct end_watch **watch,
                            struct error *err);
/* Waits for an answer that is due, for two seconds at most. Before loop_free. NULL: nothing. */
void end_watch_stop(struct end_watch *watch);
