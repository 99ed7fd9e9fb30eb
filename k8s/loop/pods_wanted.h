/*
 * pods_wanted.h - how many workers and parameter servers are wanted, by the annotations of the Job.
 *
 *     totrain scale, kubectl annotate --Job--> pods_wanted_on_job --want, want_servers--> master
 *                                                                     |                     |
 *                                                     pools of Pods <-+-- pods_run_servers -+
 *
 * The Job is where the numbers are stored: a later master finds them there. As many workers run as
 * are wanted and have work. The master says how many servers run, since rows have to move first.
 *
 * Where one of them has no room and may have no more memory, this master writes the annotation.
 */
#pragma once

#include "base/json.h"

struct pods;

/* It was seen, or has changed. The first time, the servers that are wanted are started. */
void pods_wanted_on_job(struct pods *pods, const cJSON *job);
/* Lanes are known, or known anew. */
void pods_want_useful(struct pods *pods);
/* Servers below `least` run, and those from `most` on do not; `serving` have the rows, 0: that is
 * not known. */
void pods_run_servers(struct pods *pods, uint32_t least, uint32_t most, uint32_t serving);
/* Asks for as many as its pool needs. *due_ms: when to call again at the latest. */
void pods_ask_for_servers(struct pods *pods, int64_t now_ms, int64_t *due_ms);
