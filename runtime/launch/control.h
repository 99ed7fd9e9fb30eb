/*
 * control.h - the short folder where a running job has its sockets.
 *
 * A socket's path has at most 107 bytes, a job's folder may be anywhere. So
 * sockets live in $XDG_RUNTIME_DIR/totrain.XXXXXX (or under /tmp), mode 0700,
 * and the link `control` in the job's folder leads to the supervisor's.
 */
#pragma once

#include "base/error.h"
#include "runtime/launch/job_folder.h"

#define CONTROL_PATH_MAX 108

/* Those that killed jobs of this user have left there are removed first. */
enum status control_folder_create(const char *job_folder, char path[CONTROL_PATH_MAX],
                                  struct error *err);
/* Follows the link, removes the sockets, their folder and the link. Nothing
 * happens to a folder that is not ours by owner and name. */
void control_folder_remove(const char *job_folder);

/* Removes the folders of sockets in `parent` (also NULL) that are ours by owner and name and in
 * which no supervisor listens any more. One that was just made, or whose state cannot be read, is
 * left alone. `now_s`: the time of day, in seconds. Returns how many. */
size_t control_folders_sweep(const char *parent, int64_t now_s);

/* Connected to the supervisor of a running job; -1 when none answers, with
 * errno EACCES when the job is another user's. */
int control_connect(const char *job_folder);
/* To any Unix socket; -1 with errno. */
int control_connect_path(const char *path);

/*
 * Say one line to the supervisor of a running job and take its answer: "ok", or
 * "no STATUS\tMESSAGE\tHINT", which becomes the error. NOT_FOUND when none
 * answers, PERMISSION, CONNECTION when it is silent for CONTROL_ANSWER_MS.
 */
#define CONTROL_ANSWER_MS 5000
enum status control_ask(const char *job_folder, const char *line, struct error *err);
/* The supervisor's side of it. */
void control_write_reply(const struct error *err, struct text *reply);
/* The answer as an error or none. Public for the tests: it reads what another process wrote. */
enum status control_read_reply(struct slice reply, struct error *err);
