/*
 * destination.h - where the model of a detached job goes, and whether it is there.
 *
 *     PENDING --the model is in the database--> PUBLISHED
 *        |                                         ^
 *        +--it could not be written--> REFUSED ----+  totrain publish, totrain wait
 *
 * One row in job.db, written by the session before the job is started: a job
 * whose client is gone publishes by itself. Attached jobs have none. It is changed
 * by the publisher alone, after the master has ended: state `done` in the table job
 * means that the model is in this store, PUBLISHED that it is in the database.
 */
#pragma once

#include <limits.h>

#include "runtime/data/store/jobstore.h"

#define DESTINATION_STATE_MAP(X)                                                                   \
    X(PENDING, "pending")                                                                          \
    X(PUBLISHED, "published")                                                                      \
    X(REFUSED, "refused")

enum destination_state {
#define X(name, text) DESTINATION_##name,
    DESTINATION_STATE_MAP(X)
#undef X
};

struct destination {
    enum destination_state state;
    char database[PATH_MAX]; /* absolute path, or the words of a conninfo string of libpq */
    char table[256];
    int64_t version, rows; /* the published model's; 0 before */
    int64_t tries;         /* publishers that began; each counts itself first */
    char error[512], hint[512];
};

enum status destination_put(struct jobstore *store, const struct destination *destination,
                            struct error *err);
/* NOT_FOUND when the job is an attached one; CORRUPT. */
enum status destination_get(struct jobstore *store, struct destination *destination,
                            struct error *err);
