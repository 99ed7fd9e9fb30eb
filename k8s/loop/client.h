/*
 * client.h - the API client in the loop of a role.
 *
 *     loop --sockets, time--> client --> http --> sinks of the calls
 *       \---time------------> watch ---> watcher --> changes
 *
 * Nothing blocks but a program that gives credentials, which only the command
 * line allows. All calls come from the loop's own thread.
 */
#pragma once

#include "k8s/client/http.h"
#include "k8s/controller/watcher.h"
#include "runtime/loop/loop.h"

struct client;

enum status client_open(struct loop *loop, const struct kube_access *access, struct client **client,
                        struct error *err);
/* Before loop_free, and not from a call of its http. Cancels what is under way. */
void client_close(struct client *client);
struct http *client_http(const struct client *client);

/* A watcher that is kept going. `target` and `selector` are borrowed for its life;
 * it is closed before its client. */
struct watch;
