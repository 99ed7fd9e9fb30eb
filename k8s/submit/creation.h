/*
 * creation.h - a Job and what it owns, made step by step in the loop.
 *
 *     LimitRanges, quotas are read, and the job is fitted to them (limits.h)
 *          |
 *     Job, suspended --> Secrets, Service, owned by it --> the Job is released --> on_created
 *          |                      |                               |
 *          +----------------------+-------------------------------+--> on_failed
 *
 * A role that may not read them has the job as it is, and the cluster refuses what does not fit.
 *
 * The credentials of the master, and of each worker and server that there may be, are issued here;
 * the authority and its key end with the creation. A lost answer does no harm: an object that
 * exists already is taken where it is this creation's own, and is an error where it is not. After
 * an error the caller deletes what was made: deleting the Job deletes all of it.
 */
#pragma once

#include "k8s/loop/exchange.h"
#include "k8s/objects/manifest.h"

#define SUBMISSION_LABEL "totrain.dev/submission"
#define CREATION_TRIES   6 /* for each request, while a failure may pass: 12 s */

struct creation_reader {
    void *context;
    /* The Job is there, suspended; `uid` is borrowed. */
    void (*on_job)(void *context, struct slice uid);
    /* One of the two, once, and not after creation_close. */
    void (*on_created)(void *context);
    void (*on_failed)(void *context, const struct error *err);
};

struct creation;

/* `job` and `submission`, by which its own Job is known (cluster_folder.h), are borrowed for its
 * life. */
enum status creation_open(struct loop *loop, struct client *client, const struct kube_job *job,
                          struct slice submission, const struct creation_reader *reader,
                          struct creation **creation, struct error *err);
void creation_close(struct creation *creation); /* NULL: nothing. Stops where it is. */
