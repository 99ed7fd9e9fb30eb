/*
 * series.h - the learner of forecasts: many series, each fitted by itself.
 *
 *     COUNT --> (GROW ... -->) FIT, some series of each lane --> FIT ... --> DONE
 *
 *     and in a hierarchy ... --> FIT --> SUM, some totals --> SUM ... --> TOTALS ... --> DONE
 *
 *     COUNT    of each range of keys how many series it has, and what steps they fit
 *              (forecast/time/common_steps.h)
 *     GROW     where series share trees: their sums, a level at a time (series_grow.h)
 *     FIT      the records of these series (series_fit.h), each at its own place of the sums: added
 *              to zeros they are as they were, whoever fitted them
 *     SUM      the values of totals (series_totals.h), all lanes of which add up
 *     TOTALS   their records, each fitted by the lane whose turn it is
 *
 * The rows of a series lie side by side, since rows that have the same in the columns of the group
 * have one key (runtime/data/spool/held_out.h). A lane is a range of keys, so that its series are a
 * function of the table. Worker and rows are lost with no more than the series that were being
 * fitted. All workers have all records in the end, as with every model.
 */
#pragma once

#include "runtime/learn/learner.h"

/* INVALID for NULLs among groups and times; LIMIT for forecasts that take more bytes than a worker
 * has. */
extern const struct learner_method series_learner;
