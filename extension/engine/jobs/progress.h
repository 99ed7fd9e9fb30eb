/*
 * progress.h - how training goes, as one line for a person.
 *
 *     epoch 12/60  step 84/420  loss 0.2113  validation 0.2304  84.1k rows/s  2 workers  0:04 left
 */
#ifndef EXTENSION_ENGINE_JOBS_PROGRESS_H
#define EXTENSION_ENGINE_JOBS_PROGRESS_H

#include "base/error.h"
#include "runtime/launch/job_event.h"

void progress_line(const struct job_event *event, struct text *out);

/* How many of the line's bytes are drawn at the terminal `fd`: a line that wraps
 * could not be erased, and each one drawn would stay. */
int progress_bytes_drawn(const struct text *line, int fd);

#endif
