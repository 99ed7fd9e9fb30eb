/*
 * working_role.h - the seam between a role that works for a job and the process that runs it.
 *
 *     working.h: rows, loop, experiment, the role that follows
 *        |  struct working_role                                           this file
 *        +--> training_worker   worker.h, of a job that trains            working_training.c
 *        +--> pushing_worker    push_worker.h, of a job over parameter servers; training_worker
 *        |                      follows it                                working_servers.c
 *        +--> scoring_worker    scorer_role.h, of a job that scores       working_scoring.c
 *        +--> staging_worker    scorer_role.h, of a job that trains and whose workers stage its
 *                               rows; training_worker follows it          working_scoring.c
 *
 * `self` is the row's own state, zeroed before `join`. It begins with the pure role (outbox.h):
 * each of whose calls takes the time and leaves actions in the outbox.
 */
#pragma once

#include "runtime/process/role/role_calls.h"
#include "runtime/process/working/opening.h"
#include "runtime/process/working/working.h"

struct working_role {
    size_t state_bytes;
    /* The loop is silent for long while the role computes: a thread reports to the master that the
     * process is alive (alive_sender.h). */
    bool needs_alive_sender;
    bool accepts;         /* connections of other workers, at the address to listen at */
    int64_t busy_poll_us; /* loop_set_busy_poll */
    /* The rows that are opened beside the loop before the role joins. Rows that cannot be opened
     * are no error here: the role reports them to its master (UNABLE). */
    enum opening_what opens;

    /* ----- life ----- */

    /* Makes the pure role, which can start then. */
    enum status (*join)(void *self, struct working *working, struct error *err);
    /* (optional) Frees the pure role. */
    void (*close)(void *self);
    /* (optional) Lets go what the role works on. False: a thread of its own still runs. */
    bool (*drop)(void *self);
    /* (optional) The role has done its part, and `next` follows it, under the same options;
     * asked for after each call. */
    bool (*is_over)(const void *self);
    const struct working_role *next;

    /* ----- the pure role ----- */

    void (*start)(void *self, int64_t now_ms, struct outbox *outbox);
    void (*on_message)(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox);
    void (*on_disconnect)(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox);
    void (*on_tick)(void *self, int64_t now_ms, struct outbox *outbox);
    bool (*has_work)(const void *self);
    void (*work)(void *self, int64_t now_ms, struct outbox *outbox);
    /* SIGTERM: it hands its work back, then the loop ends. */
    void (*leave)(void *self, int64_t now_ms, struct outbox *outbox);
    bool (*expects_soon)(const void *self); /* (optional) struct role */
    /* (optional) It is being drained, and no master is connected that could take its work. */
    bool (*is_stuck)(const void *self);

    /* ----- experiments ----- */

    /* (optional) Until when the role must not work; 0: it may. Times are those of loop_now_us. */
    int64_t (*wait_until)(void *self, int64_t now_us);
    /* (optional) After each call. */
    void (*after)(void *self, int64_t now_us);
};

/* ROLE_CALLS, and the other calls that all of these have; a row may have its own of some. */
#define WORKING_CALLS(name)                                                                        \
    ROLE_CALLS(name)                                                                               \
    static void call_start(void *self, int64_t now_ms, struct outbox *outbox)                      \
    {                                                                                              \
        name##_start(self, now_ms, outbox);                                                        \
    }                                                                                              \
    static bool call_has_work(const void *self)                                                    \
    {                                                                                              \
        return name##_has_work(self);                                                              \
    }                                                                                              \
    static void call_work(void *self, int64_t now_ms, struct outbox *outbox)                       \
    {                                                                                              \
        name##_work(self, now_ms, outbox);                                                         \
    }                                                                                              \
    static void call_leave(void *self, int64_t now_ms, struct outbox *outbox)                      \
    {                                                                                              \
        name##_leave(self, now_ms, outbox);                                                        \
    }

/* clang-format off */
#define WORKING_CALLS_ROW ROLE_CALLS_ROW, .start = call_start
/* clang-format on */
