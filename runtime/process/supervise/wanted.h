/*
 * wanted.h - the last requested number of workers, and of parameter servers, on disk.
 *
 * One line, "VERSION WORKERS", in the file `wanted` of the job's folder, and "VERSION SERVERS" in
 * `wanted_servers`. The
 * job's supervisor alone writes it, before it confirms the request; the next
 * supervisor of the folder begins with it. It is not in job.db because only
 * the master writes there (runtime/data/store/jobstore.h), and it may be away just then.
 */
#pragma once

#include "runtime/process/supervise/worker_pool.h"

/* The old number stays when the new one cannot be written. */
enum status wanted_store(const char *folder, const struct worker_pool *pool, struct error *err);
/* OK and nothing changed when there was no request. CORRUPT when the file is not
 * one of ours; INVALID when the job cannot have so many: nothing changed either. */
enum status wanted_load(const char *folder, struct worker_pool *pool, struct error *err);

/* The wanted number of parameter servers. */
struct wanted_servers {
    uint32_t servers;
    uint64_t version; /* rises; 0: as the job began */
};

/* INVALID for a number that a job cannot have: from 1 to JOBSPEC_SERVERS_MAX, where it has some. */
enum status wanted_servers_want(struct wanted_servers *wanted, int64_t servers, struct error *err);
/* The same two functions for servers. */
enum status wanted_servers_store(const char *folder, const struct wanted_servers *wanted,
                                 struct error *err);
enum status wanted_servers_load(const char *folder, struct wanted_servers *wanted,
                                struct error *err);
