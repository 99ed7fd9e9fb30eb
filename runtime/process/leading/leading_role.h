/*
 * leading_role.h - the seam between a role that leads a job and the process that runs it.
 *
 *     process (master_process.c, supervise_alone.c)
 *        |  leader_cancel, leader_fail, leader_want, ...           leader.h
 *        v
 *     leader: claim on the store, rows of the leader before, pages, loop
 *        |  struct leading_role                                    this file
 *        +--> training_leader   master.h, of a job that trains     leading_training.c
 *        +--> servers_leader    shard_master.h, of a job over parameter servers, until all is
 *        |                      learned                             leading_servers.c
 *        +--> scoring_leader    dispatch.h, of a job that scores   leading_scoring.c
 *        +--> staging_leader    dispatch.h, of a job that trains, until its workers have staged
 *                               the rows                           leading_scoring.c
 *
 * A role is pure (outbox.h): each call takes the time and leaves actions in the outbox, which the
 * leader has carried out. `self` is the row's own state, zeroed before `start`; it begins with a
 * crew (crew.h), whose leader it is.
 */
#pragma once

#include "runtime/process/role/role_calls.h"
#include "runtime/role/crew.h"

struct job;
struct jobstore;
struct leader;

struct leading_role {
    size_t state_bytes;

    /* ----- life ----- */

    /* Reads what earlier leaders have stored, calls leader_listen and begins. */
    enum status (*start)(void *self, struct leader *leader, struct error *err);
    /* Frees what `start` made, also where it failed half-way. */
    void (*stop)(void *self);
    /* (optional) Leaders before have done this role's part; true for a job without such a part. */
    bool (*is_done)(const struct job *job, struct jobstore *store);
    /* (optional) The job goes on with this role when the crew is handed on. */
    const struct leading_role *next;

    /* ----- events of the loop ----- */

    void (*on_message)(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox);
    void (*on_disconnect)(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox);
    void (*on_tick)(void *self, int64_t now_ms, struct outbox *outbox);
    /* A checkpoint was stored, or not: `why`. NULL: the role stores none. */
    void (*on_stored)(void *self, int64_t now_ms, uint64_t id, const struct error *why,
                      struct outbox *outbox);

    /* ----- requests of the launcher, beside those that the crew fulfils ----- */

    /* (optional) From now on so many parameter servers are wanted; an older version than is known
     * does not count. */
    void (*want_servers)(void *self, int64_t now_ms, uint64_t version, uint32_t servers,
                         struct outbox *outbox);
    /* This worker is about to be asked to go. NULL: its own LEAVING is soon enough. */
    void (*drain)(void *self, int64_t now_ms, uint32_t index, uint32_t incarnation,
                  struct outbox *outbox);

    /* ----- pages ----- */

    void (*write_metrics)(void *self, struct text *page);
};

/* ROLE_CALLS, and `stop`, of the role of which `name` is both the struct and the prefix. */
#define LEADING_CALLS(name)                                                                        \
    ROLE_CALLS(name)                                                                               \
    static void call_stop(void *self)                                                              \
    {                                                                                              \
        name##_deinit(self);                                                                       \
    }

/* clang-format off */
#define LEADING_CALLS_ROW(name)                                                                    \
    ROLE_CALLS_ROW, .state_bytes = sizeof(struct name), .stop = call_stop
/* clang-format on */
