/*
 * job_desk.h - what the console shows about jobs, and what it does to them: its thread reads the
 * list again and again while a page is open, and answers what pages ask about one job.
 *
 * The list is read five times a second, and less often where that would take more than a twentieth
 * of a processor.
 */
#pragma once

#include "console/desk.h"
#include "extension/engine/host/host.h"

struct job_desk;

/* `host` is this desk's alone. Reads the list once, whose error is the result. */
enum status job_desk_new(const struct host *host, struct job_desk **desk, struct error *err);
void job_desk_free(struct job_desk *desk);

/* ----- in the thread of the desk ----- */

/* Reads the list; ms until the next time. */
int job_desk_tick(struct job_desk *desk);
/* Answers JOB, LOG, CANCEL and SCALE. */
void job_desk_work(struct job_desk *desk, struct desk_task *task);

/* ----- in any thread ----- */

uint64_t job_desk_version(struct job_desk *desk);
/* Appends the JSON of job_board.h. */
void job_desk_print(struct job_desk *desk, uint64_t since, struct text *out);
