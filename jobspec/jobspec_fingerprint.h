/*
 * jobspec_fingerprint.h - the settings of a job that trains which its model's bits depend on.
 */
#pragma once

#include "jobspec/jobspec.h"

/* Appends name and value of each attribute of the job and of its kind of model, but for those that
 * leave the bits as they are (same_bits, params/attribute.h). Two jobs with the same bytes here
 * learn the same model of the same rows. */
void jobspec_put_settings(const struct jobspec *spec, struct text *out);
