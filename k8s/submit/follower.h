/*
 * follower.h - follows a Job: its conditions, its master's pod, the events in that pod's log.
 *
 *     Job ------conditions-----> complete, failed, deleted ---+
 *     Events ---FailedCreate---> quota, Pod Security ...      +--> notices, the end
 *     pods -----obstacles------> unschedulable, no image ...  |
 *       +-------log------------> the master's event lines ----+--> events
 *
 * The master's final event ends it. Where that got lost the Job's condition does, once the log has
 * been read to its end. An API server that is silent, or refuses us for some minutes, ends nothing
 * (outage.h), nor does a failure to make the master's pod that is no refusal.
 */
#pragma once

#include "base/error.h"
#include "k8s/loop/client.h"
#include "k8s/objects/manifest.h"
#include "runtime/launch/job_event.h"

struct follower_reader {
    void *context;
    void (*on_event)(void *context, const struct job_event *event);
    /* Once: OK where the job is done. `is_hopeless`: the Job would go on without success, and is to
     * be deleted. The follower is not to be closed from here. */
    void (*on_end)(void *context, enum status status, const struct error *err, bool is_hopeless);
};

struct follower;

/* `job` is borrowed for its life. `uid` is the Job's. */
enum status follower_open(struct loop *loop, struct client *client, const struct kube_job *job,
                          struct slice uid, const struct follower_reader *reader,
                          struct follower **follower, struct error *err);
void follower_close(struct follower *follower); /* NULL: nothing */
/* From the loop's tick: reports an API server that cannot be reached, or refuses us. */
void follower_look(struct follower *follower);
