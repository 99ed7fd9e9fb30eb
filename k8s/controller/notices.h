/*
 * notices.h - which passing problems are shown to the user, and when.
 *
 * Each once, and only when it has lasted for a while: a pod is nearly always
 * unschedulable for a moment. Two texts that differ in their numbers alone are the
 * same problem ("0/3 nodes are available", "1/3 nodes are available").
 *
 * Pure: the caller passes the time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOTICES_MAX      64 /* different ones; later ones are not shown */
#define NOTICES_AFTER_MS 2000

struct notices {
    uint64_t said[NOTICES_MAX];
    size_t count;
    uint64_t current; /* 0: none */
    int64_t since_ms;
};

/* `text`: the problem of now; NULL: none. True: it is to be shown. Otherwise *due_ms is not later
 * than the time at which it may be. */
bool notices_hear(struct notices *notices, int64_t now_ms, const char *text, int64_t *due_ms);
