/*
 * score_host.h - the roles of a job that scores a table, in their processes: what
 * host.h is for jobs that train.
 */
#ifndef RUNTIME_SCORE_HOST_H
#define RUNTIME_SCORE_HOST_H

#include "runtime/dispatch.h"
#include "runtime/leader.h"
#include "runtime/rows_scoring.h"

struct dispatch_host {
    struct dispatch dispatch;
    struct leader leader;
};

enum status dispatch_host_start(struct dispatch_host *host, struct loop *loop,
                                const struct job *job, const struct recorder *recorder,
                                const char *address, uint32_t incarnation, int64_t supervisor,
                                struct error *err);
void dispatch_host_cancel(struct dispatch_host *host);
void dispatch_host_fail(struct dispatch_host *host, const struct error *err);
void dispatch_host_want(struct dispatch_host *host, uint64_t version, uint32_t workers);
void dispatch_host_leave(struct dispatch_host *host);
void dispatch_host_stop(struct dispatch_host *host);

struct scorer_host {
    struct scorer_role scorer;
    struct rows_scoring *rows;
    struct loop *loop;
    struct loop_role *role;
    double us_per_row; /* paced (experiment.h); 0: not */
    int64_t next_at_us;
};

/* Opens rows and model; a failure is the job's, and is told to the dispatcher. */
enum status scorer_host_start(struct scorer_host *host, struct loop *loop, const struct job *job,
                              uint32_t index, uint32_t incarnation, const char *master,
                              int64_t search_ms, struct error *err);
void scorer_host_leave(struct scorer_host *host);
void scorer_host_stop(struct scorer_host *host);

#endif
