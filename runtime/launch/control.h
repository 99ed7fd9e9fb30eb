/*
 * control.h - the short folder where a running job has its sockets.
 *
 * A socket's path has at most 107 bytes, a job's folder may be anywhere. So
 * sockets live in $XDG_RUNTIME_DIR/totrain.XXXXXX (or under /tmp), mode 0700,
 * and the link `control` in the job's folder leads to the supervisor's.
 */
#ifndef LAUNCH_CONTROL_H
#define LAUNCH_CONTROL_H

#include "launch/launch.h"

#define CONTROL_PATH_MAX 108

enum status control_folder_create(const char *job_folder, char path[CONTROL_PATH_MAX],
                                  struct error *err);
/* Follows the link, removes the sockets, their folder and the link. Nothing
 * happens to a folder that is not ours by owner and name. */
void control_folder_remove(const char *job_folder);

/* Connected to the supervisor of a running job; -1 when none answers. */
int control_connect(const char *job_folder);

#endif
