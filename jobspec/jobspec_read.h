/*
 * jobspec_read.h - a job spec, read from job.json.
 */
#pragma once

#include "jobspec/jobspec.h"

/* CORRUPT, naming the member, for anything that is not a valid spec. */
enum status jobspec_read(struct slice json, struct arena *arena, struct jobspec *spec,
                         struct error *err);
