/*
 * job_publish.h - the model or the table of a job that its session has left into its database, by
 * the same checks and in the same transaction as that of an attached one.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "extension/engine/jobs/unpublished.h"

/*
 * The publisher's part: the model of the job in this folder into the database that
 * was named when it was submitted. What became of it goes into the job's store, so
 * that it can be tried again. Publishing twice changes nothing.
 */
struct publisher {
    void *context;
    /* Opens the database, whose main schema gets the model. */
    enum status (*open)(void *context, const char *database, const struct host **host,
                        struct error *err);
    /* Called when it is in the database and nothing was reported yet. May be NULL. */
    void (*delivered)(void *context, int64_t tries);
};
enum status job_publish(const char *folder, const struct publisher *publisher, struct error *err);

/* Publishes, for unpublished_publish(), the table of a job that has scored, in a session of the
 * job's database. */
enum status job_publish_table(const struct host *host, const struct unpublished_job *job,
                              uint64_t *rows, struct error *err);
