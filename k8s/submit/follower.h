/*
 * follower.h - follows a Job: its conditions, its master's pod, and what the job's journal has.
 *
 *     Job ------conditions-----> complete, failed, deleted ---+
 *     Events ---FailedCreate---> quota, Pod Security ...      +--> notices, the end
 *     pods -----obstacles------> unschedulable, no image ...  |
 *     journal --reports--------> the master's events ---------+--> events
 *       of a master that is quiet, or has failed: the last lines of its log
 *
 * The master's final event ends it. Where there is none the Job's condition does, once the journal
 * has been read to its end. An API server that is silent, or refuses us for some minutes, ends
 * nothing (outage.h), nor does a failure to make the master's pod that is no refusal.
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
/* Takes a report that was read in the job's journal. */
void follower_report(struct follower *follower, struct slice line);
/* It was read as far as it goes, or cannot be read. */
void follower_looked(struct follower *follower);
/* From the loop's tick: reports an API server that cannot be reached, or refuses us. */
void follower_look(struct follower *follower);
