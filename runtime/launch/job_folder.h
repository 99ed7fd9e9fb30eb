/*
 * job_folder.h - a job lives in a folder of its own, STATE/jobs/ID.
 *
 * In it are job.json (the spec), *.spool (its rows), job.db (what SHOW JOBS reads, and the finished
 * model), log, and of a job with parameter servers server-0, server-1, ..., each with a job.db of
 * its snapshots. STATE is $TOTRAIN_STATE, else $XDG_STATE_HOME/totrain, else
 * ~/.local/state/totrain. ID is the smallest number above all that exist.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct job_folder {
    int64_t id;
    char path[PATH_MAX];
    /* A descriptor + 1, held from job_folder_create to _clean or _remove: these
     * rows are wanted. 0: not held, as in a struct of zeros. */
    int lock;
};

/* PERMISSION, IO with the path. `state` NULL: as described above. */
enum status job_folder_create(const char *state, struct job_folder *folder, struct error *err);
/* Takes over a folder that another process has made and left, of a job that has not begun. */
enum status job_folder_adopt(const char *state, int64_t id, struct job_folder *folder,
                             struct error *err);
/* A folder that the caller holds by this lock, and goes on to hold; `folder` holds it, too. */
enum status job_folder_share(const char *state, int64_t id, int lock, struct job_folder *folder,
                             struct error *err);
enum status job_folder_find(const char *state, int64_t id, struct job_folder *folder,
                            struct error *err); /* NOT_FOUND */
enum status job_folder_file(const struct job_folder *folder, const char *name, char path[PATH_MAX],
                            struct error *err);
/* Written whole and renamed: a reader sees all of the file or none. */
enum status job_folder_write(const struct job_folder *folder, const char *name, struct slice bytes,
                             struct error *err);
/* The folder of the jobs' folders, which may not exist. */
enum status job_folder_jobs(const char *state, char path[PATH_MAX], struct error *err);
/* Ids ascending; the caller frees *ids. */
enum status job_folder_list(const char *state, int64_t **ids, size_t *count, struct error *err);
void job_folder_drop_rows(const struct job_folder *folder); /* its spools */
#define JOB_SERVER_PREFIX "server-"

/* Remove spools, unless job_keep_rows() has marked them, sockets and snapshots of parameter servers
 * of a job that has ended;
 * job.db, job.json and log stay.
 * The same for jobs whose sessions and supervisors were killed. Folders beyond the newest
 * JOB_FOLDERS_KEPT finished ones are removed whole; those whose model is not published are counted
 * for themselves, so that jobs after them do not push it out. */
#define JOB_FOLDERS_KEPT 200
void job_folder_clean(const struct job_folder *folder);
void job_folder_remove(const struct job_folder *folder); /* before anything was launched */
/* The rows are the job's own now. */
void job_folder_leave(struct job_folder *folder);

/* Its model may have been trained and not be where it was to go
 * (extension/engine/jobs/unpublished.h). */
#define JOB_UNPUBLISHED_FILE "unpublished.json"

/* Does a session have the folder, whose job has not begun or is being collected? */
bool job_folder_is_held(const char *folder);

/* Jobs below this state folder whose rows are being read, or that run. */
enum status job_count_active(const char *state, uint32_t *count, struct error *err);
