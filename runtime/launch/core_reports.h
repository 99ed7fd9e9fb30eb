/*
 * core_reports.h - what the jobs that run on this machine say of themselves, so that they share its
 * processors (runtime/process/supervise/core_share.h): one file each, JOBS/.cores-HOST/ID, beside
 * the jobs' folders JOBS/ID.
 *
 * Supervisors write them; whoever lists jobs reads them, too.
 */
#pragma once

#include <limits.h>

#include "runtime/share/share.h"

/* The folder of the reports, for a job's folder; it may not exist. False: the path is too long. */
bool core_reports_folder(const char *job_folder, char path[PATH_MAX]);
/* The report of that name. False: there is none, or it cannot be read. */
bool core_report_read(int folder, const char *name, struct share_job *job);

struct core_standing {
    uint32_t has, wanted; /* processors */
    uint32_t others;      /* jobs beside it */
};

/* How a job stands that runs on this machine. False: it says nothing of itself, or has the number
 * of workers that the user asked for. */
bool core_reports_standing(const char *job_folder, struct core_standing *standing);

/* Removes what killed supervisors have left of the jobs in this folder. */
void core_reports_sweep(const char *jobs);
