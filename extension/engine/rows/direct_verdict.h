/*
 * direct_verdict.h - was the plan of a job with job.read = 'direct' right about its columns?
 *
 *     sample --> plan --> job: workers stage and count --> train.census --> column_verdict.h
 *                                                                                  |
 *         the same spec: the job goes on, the session notes its verdict   <--------+
 *         another one: the job is ended, and one of the plan of all rows begun <---+
 *
 * Workers do not wait for the verdict. They train what the sample said, of which nothing is
 * published without it: `verdict` among the files of the session's table input_N has the notices of
 * the plan from all rows, and who collects a model of counted rows asks for it.
 */
#pragma once

#include "extension/engine/rows/column_verdict.h"
#include "jobspec/jobspec.h"

/* Judges the rows of the job of this number, which are staged, and counted in the order of
 * `first`'s cells. `spec` is the job's; verdict as column_verdict_judge has it.
 * verdict->reads_again also where the plan from all rows makes another spec. NOT_FOUND: the rows
 * are not staged. */
enum status direct_verdict(struct column_verdict *verdict, int64_t number,
                           const struct jobspec *spec, struct error *err);
/* The job goes on as that plan has it. */
enum status direct_verdict_keep(const struct column_verdict *verdict, int64_t number,
                                struct error *err);
