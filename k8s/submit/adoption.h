/*
 * adoption.h - finds the Job that an earlier supervisor of the same folder has made, if any.
 *
 *     GET --> none, or not this folder's -----------------------> on_absent
 *      |----> this folder's, and released ----------------------> on_found
 *      +----> this folder's, suspended --DELETE-----------------> on_absent(had_one)
 *
 * A Job that was never released may be incomplete, and the key of its authority ended with the
 * process that made it. So another is made, under another name, since objects of the old one may
 * stay for a while.
 */
#pragma once

#include "k8s/loop/exchange.h"
#include "k8s/objects/manifest.h"

struct adoption_reader {
    void *context;
    /* One of them, once, and not after adoption_close; it may be closed from there. */
    void (*on_found)(void *context, struct slice uid);
    void (*on_absent)(void *context, bool had_one);
    void (*on_failed)(void *context, const struct error *err);
};

struct adoption;

/* `job` and `submission` are borrowed for its life. */
enum status adoption_open(struct loop *loop, struct client *client, const struct kube_job *job,
                          struct slice submission, const struct adoption_reader *reader,
                          struct adoption **adoption, struct error *err);
void adoption_close(struct adoption *adoption); /* NULL: nothing */
