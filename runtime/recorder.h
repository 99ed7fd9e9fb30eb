/*
 * recorder.h - carries out the master's wishes: rows into job.db, lines to who
 * started it.
 *
 * What one call of the master wished is one transaction, and is in the store
 * before anybody is told of it.
 */
#ifndef RUNTIME_RECORDER_H
#define RUNTIME_RECORDER_H

#include "runtime/outbox.h"

struct recorder {
    struct jobstore *store;
    /* A JSON line of launch.h's job_event, newline included. */
    void (*say)(void *context, const struct job_event *event, struct slice line);
    void (*replace)(void *context, uint32_t index);
    void *context;
};

/* job.db of the folder, made when it is not there yet. */
enum status recorder_open(struct recorder *recorder, const char *folder, struct error *err);
void recorder_close(struct recorder *recorder);

/* When the store refuses, JOB_FAILED is said and the error returned. */
enum status recorder_perform(void *recorder, const struct outbox *outbox, struct error *err);
void recorder_say(const struct recorder *recorder, const struct job_event *event);
/* The last word of a job that no master can speak for any more. */
void recorder_say_failed(const struct recorder *recorder, const struct error *err);

#endif
