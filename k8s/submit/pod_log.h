/*
 * pod_log.h - the last lines of the log of a job's master, for people.
 *
 * What a job reports is in its journal. Its master's log tells why there is nothing: a master that
 * does not reach the database, or that failed before it could write.
 */
#pragma once

#include "base/text.h"
#include "k8s/loop/client.h"

/* One question at a time. */
struct pod_log {
    struct client *client;
    void *context;
    /* Once for each question that was asked: OK with an HTTP code, and with 200 the lines, which
     * are borrowed; or why there is no answer. Another question may be asked from here. */
    void (*on_answer)(void *context, enum status status, int code, struct slice lines,
                      const struct error *err);

    /* Its own. */
    struct http_call *call; /* NULL: nothing is asked */
    int code;
    struct text lines;
};

/* Asks for the last lines, so many. The names that `pod` points to are borrowed until the answer.
 * Nothing is asked after an error. */
enum status pod_log_ask(struct pod_log *log, const struct api_target *pod, int64_t lines,
                        int64_t timeout_ms, struct error *err);
void pod_log_cancel(struct pod_log *log); /* nothing asked: nothing */
