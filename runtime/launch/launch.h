/*
 * launch.h - job spec -> processes, as the door sees it.
 *
 *     door --posix_spawn--> totrain supervise FOLDER --> master, workers
 *          <---- events: JSON lines on a pipe ------
 *          ----- lifeline: closed or "cancel\n" --->
 *
 * A job lives in its own folder, STATE/jobs/ID: job.json (the spec), *.spool
 * (its rows), job.db (what SHOW JOBS reads, and the finished model), log.
 * STATE is $TOTRAIN_STATE, else $XDG_STATE_HOME/totrain, else
 * ~/.local/state/totrain. ID is the smallest number above all that exist.
 *
 * The supervisor holds the other end of the lifeline: when the door's process
 * ends in any way, the kernel closes it and the whole job ends within 5 s. A
 * detached job has no lifeline and a session of its own; the door waits for its
 * first word only.
 * Everything stays in the terminal's process group, so Ctrl-C reaches the
 * supervisor too, which takes it as cancel.
 *
 * No libevent, BLAS or OpenSSL here: this part is linked into the databases.
 */
#ifndef RUNTIME_LAUNCH_LAUNCH_H
#define RUNTIME_LAUNCH_LAUNCH_H

#include <limits.h>
#include <sys/types.h>

#include "base/error.h"
#include "jobspec/jobspec.h"

#define LAUNCH_EVENT_BYTES_MAX ((size_t)64 << 10)

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
/* Remove spools and sockets of a job that has ended; job.db, job.json and log stay.
 * The same for jobs whose sessions and supervisors were killed. Folders beyond the newest
 * JOB_FOLDERS_KEPT finished ones are removed whole; those whose model is not published are counted
 * for themselves, so that jobs after them do not push it out. */
#define JOB_FOLDERS_KEPT 200
void job_folder_clean(const struct job_folder *folder);
void job_folder_remove(const struct job_folder *folder); /* before anything was launched */
/* The rows are the job's own now. */
void job_folder_leave(struct job_folder *folder);

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

/* What the folder holds, and that it is there, survives a power cut from now on: fsync of its
 * files, of itself and of the folders above that may be as new. Before a detached job is
 * acknowledged. IO with the path. */
enum status job_sync(const char *folder, struct error *err);

/* Its model may have been trained and not be where it was to go
 * (extension/engine/jobs/unpublished.h). */
#define JOB_UNPUBLISHED_FILE "unpublished.json"
bool job_is_unpublished(const char *folder);

/* A persistent cancel request, for a job that continues while no process runs it: the next
 * supervisor honours it. */
enum status job_give_up(const char *folder, struct error *err);
bool job_is_given_up(const char *folder);

/* Does a session have the folder, whose job has not begun or is being collected? */
bool job_folder_is_held(const char *folder);

/* Jobs below this state folder whose rows are being read, or that run. */
enum status job_count_active(const char *state, uint32_t *count, struct error *err);

/* Make the folder of log.tensorboard, and those that it lies in. IO, PERMISSION. */
enum status log_folder_make(struct slice folder, struct error *err);

/* The processors that this process may use. */
uint32_t launch_cores(void);

enum job_event_kind {
    JOB_STARTED, /* the first step begins */
    JOB_PROGRESS,
    JOB_NOTICE, /* a line for the user */
    JOB_DONE,   /* job.db holds the model and the result rows */
    JOB_FAILED  /* error filled */
};

struct job_event {
    enum job_event_kind kind;
    uint64_t step, steps; /* steps 0: unknown */
    uint32_t epoch, epochs, workers;
    double rows_per_second;
    double loss, validation_loss, validation_score; /* NaN: none yet */
    double seconds, seconds_left;                   /* NaN: unknown */
    /* A notice. Of a training job that is done, the digest of its model; of one that was started
     * before, why it is again. */
    char message[512];
    struct error error;
};

/* One line, newline included, and back: what the supervisor writes. */
void job_event_write(const struct job_event *event, struct text *out);
enum status job_event_read(struct slice line, struct job_event *event, struct error *err);

struct job_process {
    pid_t pid;
    int lifeline, events; /* -1 once closed */
    struct text pending;  /* bytes of an incomplete line */
    bool ended;           /* its last event was given */
    char log[PATH_MAX];   /* for messages */
};

/* Write job.json, spawn `program supervise FOLDER`. */
enum status job_launch(const char *program, const struct job_folder *folder,
                       const struct jobspec *spec, struct job_process *process, struct error *err);

/* The same of a folder that has its job.json. */
enum status job_relaunch(const char *program, const struct job_folder *folder,
                         struct job_process *process, struct error *err);

/* The most memory of its own, in bytes, that each process of the job may have: what it asks
 * for beyond fails there. Before the job has roles: right after job_launch. */
enum status job_limit_memory(const struct job_process *process, uint64_t bytes, struct error *err);

/* Spawn a supervisor that outlives this process, on a folder with a job.json: a
 * new job, or one that no process runs any more. Returns when it answers requests
 * (control.h), with its own error when it cannot begin. */
enum status job_detach(const char *program, const struct job_folder *folder, struct error *err);
/* Write job.json. job_launch does so itself. */
enum status job_write_spec(const struct job_folder *folder, const struct jobspec *spec,
                           struct error *err);

/* And back. The text, born with JOBSPEC_BYTES_MAX, gets the file's bytes. */
enum status job_read_spec(const char *folder, struct arena *arena, struct jobspec *spec,
                          struct text *json, struct error *err);

/* Wait for the next event, at most timeout_ms; *has_event false when none came.
 * FAILED when the supervisor ended without saying DONE or FAILED. */
enum status job_next_event(struct job_process *process, int timeout_ms, struct job_event *event,
                           bool *has_event, struct error *err);
/* Ask the job to end; its last event is then JOB_FAILED with INTERRUPTED. */
void job_cancel(struct job_process *process);
/* Close the lifeline and reap the supervisor (killed if it does not end
 * within 5 s). Safe to call twice. */
void job_close(struct job_process *process);

/* Ask a job of another session to end, through its control socket.
 * NOT_FOUND; INVALID when it has ended already; PERMISSION. */
enum status job_cancel_by_id(const char *state, int64_t id, struct error *err);

/* Ask for another number of workers of a running job, of which it then has as
 * many as there is room for. NOT_FOUND; INVALID when it has ended or cannot have
 * so many; PERMISSION. */
enum status job_scale_by_id(const char *state, int64_t id, int64_t workers, struct error *err);

#endif
