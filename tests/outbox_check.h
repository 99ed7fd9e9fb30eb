/*
 * outbox_check.h - what the last call of a role has asked for, as its tests look for it.
 */
#pragma once

#include "runtime/role/outbox.h"
#include "tests/check.h"

/* The n-th message of this type that goes to the peer, from 0. */
static inline bool outbox_find(const struct outbox *outbox, peer_id to, enum message_type type,
                               uint32_t n, struct message *message)
{
    struct error err;

    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];

        if (entry->kind != OUTBOX_SEND || entry->peer != to)
            continue;
        CHECK_OK(message_read(outbox_bytes(outbox, entry), message, &err));
        if (message->type == type && n-- == 0)
            return true;
    }
    return false;
}

/* The last one; without one, an empty message of this type. */
static inline bool outbox_find_last(const struct outbox *outbox, peer_id to, enum message_type type,
                                    struct message *message)
{
    bool any = false;

    *message = (struct message){.type = type};
    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];
        struct message found;
        struct error err;

        if (entry->kind != OUTBOX_SEND || entry->peer != to)
            continue;
        CHECK_OK(message_read(outbox_bytes(outbox, entry), &found, &err));
        if (found.type == type) {
            *message = found;
            any = true;
        }
    }
    return any;
}

static inline uint32_t outbox_count(const struct outbox *outbox, enum outbox_kind kind)
{
    uint32_t count = 0;

    for (size_t i = 0; i < outbox->count; i++)
        count += outbox->entries[i].kind == kind;
    return count;
}

static inline bool outbox_closes(const struct outbox *outbox, peer_id peer)
{
    for (size_t i = 0; i < outbox->count; i++)
        if (outbox->entries[i].kind == OUTBOX_CLOSE && outbox->entries[i].peer == peer)
            return true;
    return false;
}
