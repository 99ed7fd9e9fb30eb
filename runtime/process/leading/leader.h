/*
 * leader.h - the process side of the role that leads a job, whatever the job does: the claim on its
 * store, the job's row of earlier leaders, its pages, its place in the loop. What differs between
 * jobs is a row of functions (leading_role.h).
 *
 *     leader_start --> RUNNING --the role ends, the loop with it--> leader_stop
 *                       ^ |
 *                       | +--another leader has claimed the store--> the loop ends with STALE
 *                       +----the role has a successor (leading_role.h): it goes on under the same
 *                            claim and address
 *
 * All calls come from the thread of the loop.
 */
#pragma once

#include "runtime/process/leading/leading_role.h"
#include "runtime/record/job_pages.h"
#include "runtime/record/outbox_executor.h"

struct leader_options {
    const struct job *job;           /* borrowed until leader_stop */
    struct outbox_executor executor; /* where its actions go; leader_start opens the store */
    const char *address;  /* where workers connect; LOOP_LOCAL...: they are in this process */
    uint32_t incarnation; /* the least to claim */
    int64_t supervisor;   /* process id that SHOW JOBS can ask; 0: there is none */
};

struct leader {
    struct leader_options options;
    const struct leading_role *role;
    void *self;        /* state of the role */
    struct crew *crew; /* the same: it begins with its crew */
    struct outbox_executor executor;
    struct loop *loop;
    struct loop_role *loop_role; /* NULL before leader_listen */
    struct job_row row;          /* the row as the leader before left it */
    bool has_row;
    struct job_pages pages;
    int64_t claim_checked_at;
    struct {
        bool is_known;
        uint64_t version;
        uint32_t workers;
    } wanted; /* by the launcher's last request */
    struct {
        bool is_known;
        uint64_t version;
        uint32_t servers;
    } wanted_servers;
    char standing[CREW_STANDING_MAX];
    int64_t began_at_ms;
    char started_at[32]; /* RFC 3339; of the job, be it under an earlier leader */
};

/* ----- life ----- */

/* Claims the store, reads the row of the leader before, serves the pages, starts the role that the
 * job's spec and store ask for. *leader is zeroed by the caller; leader_stop follows also after an
 * error. STALE: another leads; INVALID: the job has ended (outbox_executor_has_ended). */
enum status leader_start(struct leader *leader, struct loop *loop,
                         const struct leader_options *options, struct error *err);
void leader_stop(struct leader *leader);

/* ----- requests: see crew.h and leading_role.h ----- */

void leader_cancel(struct leader *leader);
void leader_fail(struct leader *leader, const struct error *err);
void leader_want(struct leader *leader, uint64_t version, uint32_t workers);
/* crew_stand */
void leader_stand(struct leader *leader, const char *text);
void leader_want_servers(struct leader *leader, uint64_t version, uint32_t servers);
void leader_leave(struct leader *leader);
void leader_drain(struct leader *leader, uint32_t index, uint32_t incarnation);
void leader_end_workers(struct leader *leader);

/* ----- for the roles, while they start ----- */

/* From now on workers can connect. Before it, what takes long is done. */
enum status leader_listen(struct leader *leader, struct error *err);
/* Metrics go into event files, where the statement wants them: from a role before or from now on.
 */
enum status leader_log_events(struct leader *leader, struct error *err);
bool leader_is_local(const struct leader *leader); /* its workers are in this process */
/* The options of each role's crew; valid until leader_stop. */
struct crew_options leader_crew(const struct leader *leader);
