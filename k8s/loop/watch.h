/*
 * watch.h - a watch of one kind of object, in the loop.
 */
#pragma once

#include "k8s/controller/watcher.h"

struct client;
struct loop;
struct watch;

enum status watch_open(struct loop *loop, struct client *client, const struct api_target *target,
                       struct slice selector, uint64_t seed, const struct watcher_reader *reader,
                       struct watch **watch, struct error *err);
void watch_close(struct watch *watch);
const struct watcher *watch_watcher(const struct watch *watch);
