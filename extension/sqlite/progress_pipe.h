/*
 * progress_pipe.h - how a statement goes, for a program that shows it: a line of JSON each event.
 *
 *     SELECT totrain_config('progress', FD)    FD is the writing end of a pipe of this process
 *
 * The lines are those of progress_json. A reader that is slow loses lines, and never holds up a
 * statement. Nothing but a pipe is written to: a number that SQL names could be that of a file.
 */
#pragma once

#include <stdbool.h>

#include "runtime/launch/job_event.h"

/* Is it the writing end of a pipe? It does not block from now on. */
bool progress_pipe_take(int descriptor);
/* Nothing where the descriptor is -1, or is no pipe any more. */
void progress_pipe_event(int descriptor, const struct job_event *event);
void progress_pipe_notice(int descriptor, const char *message);
