/*
 * jobspec_write.h - a job spec, written as job.json.
 */
#pragma once

#include "jobspec/jobspec.h"

/* Appends the JSON, indented, in a fixed order of members, and reads it back:
 * CORRUPT, naming the member, for a spec that no reader would take. */
enum status jobspec_write(const struct jobspec *spec, struct text *out, struct error *err);
