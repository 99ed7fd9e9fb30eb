/*
 * jobspec_equal.h - whether two job specs are the same.
 */
#ifndef JOBSPEC_JOBSPEC_EQUAL_H
#define JOBSPEC_JOBSPEC_EQUAL_H

#include "jobspec/jobspec.h"

bool jobspec_equal(const struct jobspec *a, const struct jobspec *b);

#endif
