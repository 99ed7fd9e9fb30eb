/*
 * role_process.h - what the processes of the roles share.
 */
#pragma once

#include "runtime/loop/loop.h"
#include "runtime/process/role/roles.h"
#include "runtime/role/job.h"

struct identity;
struct pgstore;

#define ROLE_TICK_MS 50 /* the loop of a role */

/* A line, its end included, to the supervisor. */
void role_say(const char *text, size_t size);
/* To the supervisor: the end that follows is none of a failure. */
void role_say_leaving(void);

/*
 * The lifeline, whose closing ends the loop, with CONNECTION. In a container standard input is
 * /dev/null: no parent holds one, and the kubelet ends the process.
 */
bool role_has_lifeline(void);
enum status role_watch_lifeline(struct loop *loop,
                                void (*on_line)(void *context, struct slice line), void *context,
                                struct error *err);

/* Until the loop takes SIGTERM: it ends the process, also the first one of a container, which
 * the kernel protects from signals that it does not handle. */
void role_end_by_sigterm(void);

/* Two connections a worker: a thousand of them need more than the usual 1024.
 * Only select() would mind, and nothing here calls it. */
void role_raise_descriptor_limit(void);

/* Credentials of another role are refused before they are shown to a peer. */
enum status role_open_network(const struct role_options *options, const struct identity *self,
                              struct loop_network *network, struct error *err);
enum status role_open_job(const struct role_options *options, struct job *job,
                          struct pgstore **tables, struct error *err);

/* Says why, if there is a why; the exit code. */
int role_finish(enum status status, const struct error *err);
