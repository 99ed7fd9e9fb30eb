/*
 * label_range.h - the least and the greatest label of a job's rows, those that are held out, too.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/data/dataset/dataset.h"

struct label_range {
    double least, greatest;
};

/* The range of all rows' labels, which the spools know without being read. */
struct label_range label_range_of(const struct jobspec *spec, const struct dataset *dataset);
