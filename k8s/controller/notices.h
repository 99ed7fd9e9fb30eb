/*
 * notices.h - which of the problems that come and go the user is told, and when.
 *
 * Each once, and only what has been in the way for a while: a pod is nearly always
 * unschedulable for a moment. Two texts that differ in their numbers alone are the
 * same problem ("0/3 nodes are available", "1/3 nodes are available").
 *
 * Pure: the caller passes the time.
 */
#ifndef K8S_CONTROLLER_NOTICES_H
#define K8S_CONTROLLER_NOTICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOTICES_MAX      64 /* different ones; a job with more has said enough */
#define NOTICES_AFTER_MS 2000

struct notices {
    uint64_t said[NOTICES_MAX];
    size_t count;
    uint64_t current; /* 0: none */
    int64_t since_ms;
};

/* What is in the way now; NULL: nothing. True: it is to be said. Otherwise *due_ms is not later
 * than the time at which it may be. */
bool notices_hear(struct notices *notices, int64_t now_ms, const char *text, int64_t *due_ms);

#endif
