/*
 * annotation.h - a wanted number, written on a Job, where its master looks.
 */
#pragma once

#include "k8s/job/kube_job.h"
#include "k8s/loop/exchange.h"

#define ANNOTATION_TRIES 6 /* 12 s, while a failure may pass */

/* `name` as MANIFEST_WORKERS; the answer is that of a PATCH. Not on a Job of another `uid` that has
 * the name by now. */
enum status annotation_start(struct loop *loop, struct client *client, const struct kube_job *job,
                             struct slice uid, const char *name, uint32_t number,
                             const struct exchange_reader *reader, struct exchange **exchange,
                             struct error *err);
/* The same with a text; NULL: it is taken away. */
enum status annotation_write(struct loop *loop, struct client *client, const struct kube_job *job,
                             struct slice uid, const char *name, const char *text,
                             const struct exchange_reader *reader, struct exchange **exchange,
                             struct error *err);
