/*
 * log_print.h - the log of a job, to standard output; its path goes to standard
 * error.
 */
#pragma once

#include "base/error.h"

/* `follows`: also prints what is added, until no process runs the job any more. NOT_FOUND. */
enum status log_print(int64_t id, bool follows, struct error *err);
