/*
 * wanted.h - the last requested number of workers, on disk.
 *
 * One line, "VERSION WORKERS", in the file `wanted` of the job's folder. The
 * job's supervisor alone writes it, before it confirms the request; the next
 * supervisor of the folder begins with it. It is not in job.db because only
 * the master writes there (runtime/data/jobstore.h), and it may be away just then.
 */
#ifndef RUNTIME_PROCESS_WANTED_H
#define RUNTIME_PROCESS_WANTED_H

#include "runtime/process/worker_pool.h"

/* The old number stays when the new one cannot be written. */
enum status wanted_store(const char *folder, const struct worker_pool *pool, struct error *err);
/* OK and nothing changed when there was no request. CORRUPT when the file is not
 * one of ours; INVALID when the job cannot have so many: nothing changed either. */
enum status wanted_load(const char *folder, struct worker_pool *pool, struct error *err);

#endif
