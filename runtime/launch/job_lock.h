/*
 * job_lock.h - whether a supervisor runs a job: a lock on its job.json, which the kernel releases
 * when the supervisor's process ends in any way, and with the machine.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/*
 * A supervisor holds the job's lock as long as it lives. INVALID when another has
 * it. Any process may check whether it is held, without disturbing the holder.
 */
enum status job_lock(const char *folder, int *lock, struct error *err);
void job_unlock(int lock);
bool job_is_running(const char *folder);

/* Marks the job as detached: its rows stay until it has ended, also while no process runs it, so
 * that it can be continued (job_detach). */
enum status job_keep(const char *folder, struct error *err);
void job_let_go(const char *folder);
bool job_is_kept(const char *folder);
bool job_is_unpublished(const char *folder);

/* Marks the rows of a job that scores as needed also when it has ended, until its table is written
 * or given up: a table that is refused can be written later. */
enum status job_keep_rows(const char *folder, struct error *err);
void job_release_rows(const char *folder);
bool job_keeps_rows(const char *folder);

/* A persistent cancel request, for a job that continues while no process runs it: the next
 * supervisor honours it. */
enum status job_give_up(const char *folder, struct error *err);
bool job_is_given_up(const char *folder);

/* Marks a job whose cluster could not be asked to end it: it may go on there, and its tables stay
 * for it. */
enum status job_leave_behind(const char *folder, struct error *err);
bool job_is_left_behind(const char *folder);

/* Marks a job that has ended and whose rows, sockets and snapshots are removed, so that the end of
 * each later job need not look for them again. job_lock() takes the mark away. */
void job_mark_swept(const char *folder);
bool job_is_swept(const char *folder);
