/*
 * pod_log.h - the log of one pod, followed over whatever happens to the connection.
 *
 * It is asked for again, a little later each time, until it is closed: a container that is not
 * there yet, one that ended and starts again, and a cut are all the same.
 */
#pragma once

#include "k8s/loop/client.h"
#include "k8s/submit/log_lines.h"

struct pod_log_reader {
    void *context;
    /* An answer has ended: OK as the container did, else with what was in the way. The log may
     * be closed from here. */
    void (*on_pause)(void *context, enum status status, const struct error *err);
};

struct pod_log;

/* `lines` and what `pod` names are borrowed for its life. */
enum status pod_log_open(struct loop *loop, struct client *client, const struct api_target *pod,
                         struct log_lines *lines, const struct pod_log_reader *reader,
                         struct pod_log **log, struct error *err);
void pod_log_close(struct pod_log *log); /* NULL: nothing. Not from within a line. */
/* Something has changed: if it waits, ask again now. */
void pod_log_retry_now(struct pod_log *log);
