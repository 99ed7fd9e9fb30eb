/*
 * job_lock.h - who runs a job, as the kernel knows it: a lock on its job.json that goes with
 * the supervisor's process in any way that may end, and with the machine.
 */
#ifndef RUNTIME_LAUNCH_JOB_LOCK_H
#define RUNTIME_LAUNCH_JOB_LOCK_H

#include <stdbool.h>

#include "base/error.h"

/*
 * A supervisor holds the job's lock as long as it lives. INVALID when another has
 * it. Whether somebody has it can be asked by anybody, and disturbs nobody.
 */
enum status job_lock(const char *folder, int *lock, struct error *err);
void job_unlock(int lock);
bool job_is_running(const char *folder);

/* A detached job that has not ended keeps its rows, also while nobody runs it:
 * it can be continued (job_detach). */
enum status job_keep(const char *folder, struct error *err);
void job_let_go(const char *folder);
bool job_is_kept(const char *folder);
bool job_is_unpublished(const char *folder);

/* Somebody wants a job ended that goes on also while nobody runs it: whoever takes it up next
 * ends it. It stays said. */
enum status job_give_up(const char *folder, struct error *err);
bool job_is_given_up(const char *folder);

#endif
