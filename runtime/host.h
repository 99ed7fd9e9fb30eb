/*
 * host.h - a role in a process: its pure part, what it needs from outside, and
 * its place in the loop.
 */
#ifndef RUNTIME_HOST_H
#define RUNTIME_HOST_H

#include "runtime/experiment.h"
#include "runtime/leader.h"
#include "runtime/master.h"
#include "runtime/opening.h"
#include "runtime/worker.h"

#define TICK_MS 50

struct master_host {
    struct master master;
    struct leader leader;
};

/* `recorder` brings say and replace; the store is opened here. Workers in
 * other processes are dead after some seconds of silence; one in this process
 * is silent only as long as this process is busy. */
enum status master_host_start(struct master_host *host, struct loop *loop, const struct job *job,
                              const struct recorder *recorder, const char *address,
                              uint32_t incarnation, int64_t supervisor, struct error *err);
void master_host_cancel(struct master_host *host);
void master_host_dismiss(struct master_host *host);
void master_host_fail(struct master_host *host, const struct error *err);
void master_host_want(struct master_host *host, uint64_t version, uint32_t workers);
/* SIGTERM: what it knows is stored, the next incarnation continues. */
void master_host_leave(struct master_host *host);
void master_host_announce(struct master_host *host, uint32_t index, uint32_t incarnation);
void master_host_stop(struct master_host *host);

struct worker_host {
    struct worker worker;
    struct experiment experiment;
    struct opening *opening;
    struct loop *loop;
    struct loop_role *role;
    struct worker_options options;
    const char *listen;
    const struct job *job;
    uint64_t group_epoch; /* of the group for which the threads were counted */
    char bound[MESSAGE_ADDRESS_MAX + 1];
    bool has_worker;
};

/* The worker joins when its rows are encoded. `listen` NULL: no peers. The
 * addresses must outlive the host. search_ms: worker.h. */
enum status worker_host_start(struct worker_host *host, struct loop *loop, const struct job *job,
                              uint32_t index, uint32_t incarnation, const char *master,
                              const char *listen, int64_t search_ms, struct error *err);
/* SIGTERM: hands its work back, then the loop ends. */
void worker_host_leave(struct worker_host *host);
/* It has been asked to go, and there is no master who could take its work. */
bool worker_host_is_stuck(const struct worker_host *host);
/* False while the opening thread runs: the process can then only _exit. */
bool worker_host_stop(struct worker_host *host);

#endif
