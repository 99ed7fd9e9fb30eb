/*
 * watcher_known.h - what a watcher knows of each object, and what an event means
 * against it.
 */
#pragma once

#include "k8s/controller/watcher.h"

/* An object's identity, borrowed from its JSON. */
struct known_object {
    struct slice name, uid;
    uint64_t version; /* 0: none, or not a number */
    const cJSON *json;
};

/* False where it has no name or uid. */
bool known_read(const cJSON *json, struct known_object *object);
uint64_t known_version(struct slice text);

/* Tell the reader what is new. LIMIT, NO_MEMORY. */
enum status known_take(struct watcher *watcher, const struct known_object *object,
                       struct error *err);
enum status known_drop(struct watcher *watcher, const struct known_object *object,
                       struct error *err);

/* Earlier versions do not count any more: the next one of each object does. */
void known_forget_versions(struct watcher *watcher);

/* A list came to its end: what was not in it is no more. */
void known_end_list(struct watcher *watcher);
void known_deinit(struct watcher *watcher);
