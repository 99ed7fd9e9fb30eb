/*
 * progress.h - how training goes, as one line for a person, and as one for a program.
 *
 *     epoch 12/60  step 84/420  loss 0.2113  validation 0.2304  84.1k rows/s  2 workers  0:04 left
 */
#pragma once

#include "base/error.h"
#include "runtime/launch/job_event.h"

void progress_line(const struct job_event *event, struct text *out);

/* The event as one object of JSON and an end of line: "event" is started, progress, done or failed,
 * beside epoch, epochs, step, steps, workers, loss,
 * validation_loss, validation_score, rows_per_second, seconds, seconds_left; a number that is not
 * known is null. False where memory ran out. */
bool progress_json(const struct job_event *event, struct text *out);
/* The same of a line for the user: "event" is notice, beside "message". */
bool progress_notice_json(const char *message, struct text *out);

/* How many of the line's bytes are drawn at the terminal `fd`: a line that wraps
 * could not be erased, and each one drawn would stay. */
int progress_bytes_drawn(const struct text *line, int fd);
