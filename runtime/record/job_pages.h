/*
 * job_pages.h - what a job serves over HTTP while it runs: /metrics and /healthz.
 */
#ifndef RUNTIME_RECORD_JOB_PAGES_H
#define RUNTIME_RECORD_JOB_PAGES_H

#include "runtime/loop/loop.h"
#include "runtime/role/job.h"

struct job_pages {
    void *self;
    void (*write_metrics)(void *self, struct text *page); /* exposition.h */
    char address[64];                                     /* where they are; "" nowhere */
};

/* Where the job's spec says, if it does. *pages must outlive the loop. A first master without
 * them would break a promise; a later one (is_first false) says so and goes on without, since
 * the job matters more. */
enum status job_pages_serve(struct job_pages *pages, struct loop *loop, const struct job *job,
                            bool is_first, struct error *err);

#endif
