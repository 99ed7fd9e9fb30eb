/*
 * role_calls.h - a pure role's calls as functions that take any role's state, for the rows of
 * leading_role.h and working_role.h.
 *
 * ROLE_CALLS(master) makes call_on_message, call_on_disconnect and call_on_tick of
 * master_on_message and so on, which take a struct master *; ROLE_CALLS_ROW are their members.
 */
#pragma once

#define ROLE_CALLS(name)                                                                           \
    static void call_on_message(void *self, int64_t now_ms, peer_id from,                          \
                                const struct message *message, struct outbox *outbox)              \
    {                                                                                              \
        name##_on_message(self, now_ms, from, message, outbox);                                    \
    }                                                                                              \
    static void call_on_disconnect(void *self, int64_t now_ms, peer_id peer,                       \
                                   struct outbox *outbox)                                          \
    {                                                                                              \
        name##_on_disconnect(self, now_ms, peer, outbox);                                          \
    }                                                                                              \
    static void call_on_tick(void *self, int64_t now_ms, struct outbox *outbox)                    \
    {                                                                                              \
        name##_on_tick(self, now_ms, outbox);                                                      \
    }

/* clang-format off */
#define ROLE_CALLS_ROW                                                                             \
    .on_message = call_on_message, .on_disconnect = call_on_disconnect, .on_tick = call_on_tick
/* clang-format on */
