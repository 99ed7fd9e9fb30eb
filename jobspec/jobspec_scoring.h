/*
 * jobspec_scoring.h - the object "scoring" of a job spec, which jobs that score a table have.
 */
#pragma once

#include "jobspec/jobspec.h"

enum status spec_read_scoring(const cJSON *json, struct arena *arena, struct jobspec *spec,
                              struct error *err);
void spec_write_scoring(const struct spec_scoring *scoring, cJSON *json);
bool spec_same_scoring(const struct spec_scoring *a, const struct spec_scoring *b);
