/*
 * job_pages.h - what a job serves over HTTP while it runs: /metrics and /healthz.
 */
#pragma once

#include "runtime/loop/loop.h"
#include "runtime/role/job.h"

struct job_pages {
    void *self;
    void (*write_metrics)(void *self, struct text *page); /* exposition.h */
    char address[64];                                     /* where they are; "" nowhere */
};

/* Serves the pages at the address of the job's spec, if it has one. *pages must outlive the loop.
 * An address that cannot be used fails a first master; a later one (is_first false) logs it and
 * goes on without pages, since the job matters more. */
enum status job_pages_serve(struct job_pages *pages, struct loop *loop, const struct job *job,
                            bool is_first, struct error *err);
