#include "k8s/controller/notices.h"

#include <string.h>

/* FNV-1a over everything but numbers; never 0. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325U;

    for (; *text; text++)
        if (!(*text >= '0' && *text <= '9'))
            hash = (hash ^ (unsigned char)*text) * 0x100000001b3U;
    return hash | 1;
}

static bool was_said(const struct notices *notices, uint64_t hash)
{
    for (size_t i = 0; i < notices->count; i++)
        if (notices->said[i] == hash)
            return true;
    return false;
}

bool notices_hear(struct notices *notices, int64_t now_ms, const char *text, int64_t *due_ms)
{
    uint64_t hash = text ? hash_of(text) : 0;

    if (hash != notices->current)
        notices->since_ms = now_ms;
    notices->current = hash;
    if (!text || notices->count == NOTICES_MAX || was_said(notices, hash))
        return false;
    if (now_ms - notices->since_ms < NOTICES_AFTER_MS) {
        if (notices->since_ms + NOTICES_AFTER_MS < *due_ms)
            *due_ms = notices->since_ms + NOTICES_AFTER_MS;
        return false;
    }
    notices->said[notices->count++] = hash;
    return true;
}
