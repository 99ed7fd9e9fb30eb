/*
 * spooling_close.h - a spool is closed while the session hears its user.
 *
 *     rows are settled, in a thread --------> closed
 *     the session looks for an interrupt ---> the thread is stopped, the spool is gone
 *
 * Settling the rows of a large spool takes seconds, and only the session's own thread may ask
 * whether it was interrupted.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "runtime/data/spool/spool_writer.h"

/* Closes as spool_writer_close does. INTERRUPTED where the session is: the writer's files may be
 * there or not. */
enum status spooling_close(const struct host *host, struct spool_writer *writer, struct error *err);
