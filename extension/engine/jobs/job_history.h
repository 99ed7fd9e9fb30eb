/*
 * job_history.h - earlier jobs of a TRAIN statement, and what they tell of the next one.
 *
 *     folders of this user's jobs --read--> paces, the newest last --take--> spec: first size
 *                                                                   --tell--> EXPLAIN
 *
 * The newest JOB_HISTORY_JOBS of the same work (planner/training/row_work.h) count that have ended.
 * If a job measured numbers of workers its event `paces` has them, on a cluster, too; else the row
 * of the job has the one number that it trained with; that of a job which ended before its speed
 * was known counts only where there is no other. Once no remembered job has measured two numbers
 * the next job begins like the first one: what changed meanwhile is measured again.
 *
 * A folder that cannot be read is left out.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/explain/explain.h"
#include "planner/training/row_work.h"
#include "runtime/share/share_paces.h"

#define JOB_HISTORY_JOBS    8
#define JOB_HISTORY_FOLDERS 200 /* are looked at */

struct job_history {
    char work[ROW_WORK_DIGITS + 1];
    int64_t job;   /* the newest */
    uint32_t jobs; /* those with these paces, among looked_at */
    uint32_t looked_at;
    bool is_rough; /* the paces are those of short jobs alone */
    struct share_paces paces;
};

/* The work alone. NO_MEMORY. */
enum status job_history_begin(const struct plan *plan, struct job_history *history,
                              struct error *err);
/* The jobs. `state` as in job_folder_find. */
void job_history_read(const char *state, struct job_history *history);
/* The spec keeps the work for later jobs, and the paces for the job itself. It has its workers
 * already. */
enum status job_history_take(const struct job_history *history, struct arena *arena,
                             struct jobspec *spec, struct error *err);
void job_history_tell(const struct job_history *history, const struct plan *plan,
                      struct plan_history *told);
