/*
 * job_cache.h - jobs that have ended, as one file beside their folders: STATE/jobs/ended.
 *
 *     open     reads the file
 *     find     a job of which nothing has changed since it was noted; else its store is to be read
 *     note     a job whose store was read: remembered where its state is final
 *     close    writes the file anew where something changed
 *
 * To list 200 jobs that ended means 200 SQLite files to open, or this one. The file is nothing but
 * a cache: without it, or with one of another version, the stores are read. A job is known by the
 * size and the time of its job.db and of that one's journal, which every writer changes.
 */
#pragma once

#include "extension/engine/jobs/jobs.h"

#define JOB_CACHE_FILE "ended"
#define JOB_CACHE_MAX  1024 /* jobs in the file; more are read from their stores */

struct job_cache;

/* `state` as in job_folder_find. NULL where there is no memory, or no such folder: then the other
 * calls do nothing. */
struct job_cache *job_cache_open(const char *state);
/* Fills what a list of jobs shows: folder.id, row, state, error, destination.database. */
bool job_cache_find(struct job_cache *cache, int64_t id, struct job_status *status);
/* After its store was closed. */
void job_cache_note(struct job_cache *cache, const struct job_status *status);
void job_cache_close(struct job_cache *cache);

/* For a list: job_status_read, or what the cache has of it (NULL: there is none). False: the folder
 * goes just now, or its job has not begun. */
bool job_status_list(const struct host *host, struct job_cache *cache, int64_t id,
                     struct job_status *status);
