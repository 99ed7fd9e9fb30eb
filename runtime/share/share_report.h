/*
 * share_report.h - what share_jobs() is told and answers, as text between processes: a job's report
 * of itself, and the decision about all of them.
 *
 *     annotation totrain.dev/use of a Job, or a supervisor's file      {"least":1,"most":6,...}
 *     annotation totrain.dev/share of the Lease   {"term":7,"jobs":{"UID":[workers,seconds]}}
 *
 * Both are read from where others may write: numbers that no job has are CORRUPT, and nothing is
 * taken from the text then.
 */
#pragma once

#include "base/text.h"
#include "runtime/share/share.h"

#define SHARE_REPORT_BYTES_MAX 1024
#define SHARE_DECISION_BYTES_MAX                                                                   \
    (256 * 1024) /* the API server's limit for all annotations of an object */
#define SHARE_UID_MAX 64

/* All members but is_running, seconds_since_move and seconds_waited, which the reader knows. */
enum status share_report_write(const struct share_job *job, struct text *out, struct error *err);
enum status share_report_read(struct slice bytes, struct share_job *job, struct error *err);

struct share_decided {
    char uid[SHARE_UID_MAX]; /* the Job's */
    uint32_t workers;
    uint32_t seconds; /* since it was another number */
};

struct share_decision {
    int64_t term; /* the holder's who wrote it; only grows */
    struct share_decided *jobs;
    size_t count;
};

enum status share_decision_write(const struct share_decision *decision, struct text *out,
                                 struct error *err);
/* To be freed also when it was refused. LIMIT for more jobs than can share. */
enum status share_decision_read(struct slice bytes, struct share_decision *decision,
                                struct error *err);
void share_decision_free(struct share_decision *decision);
/* NULL: this job is not named. */
const struct share_decided *share_decision_find(const struct share_decision *decision,
                                                const char *uid);
