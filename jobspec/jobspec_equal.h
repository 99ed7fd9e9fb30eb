/*
 * jobspec_equal.h - whether two job specs are the same.
 */
#pragma once

#include "jobspec/jobspec.h"

bool jobspec_equal(const struct jobspec *a, const struct jobspec *b);
