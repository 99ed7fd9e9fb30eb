/*
 * job_facts.h - facts of a job that the role which leads it (master.h, dispatch.h) only stores
 * in the job's row, where SHOW JOBS and the pages find it.
 */
#pragma once

#include "runtime/data/store/jobstore.h"

/* Borrowed, all of it, until the role is deinited. */
struct job_facts {
    struct slice statement, model;
    const char *started_at;         /* RFC 3339; of the job, be it under an earlier leader */
    const char *metrics;            /* HOST:PORT of its pages; NULL: not served */
    int64_t supervisor;             /* process id that SHOW JOBS can ask; 0: there is none */
    int64_t began_at_ms;            /* when this process began to lead; 0: when the role begins */
    const struct job_row *previous; /* left by the leader before; NULL: this is the first */
};

/* The members of the row that these are; the others stay as they are. */
void job_facts_fill(const struct job_facts *facts, struct job_row *row);
