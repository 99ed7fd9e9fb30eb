/*
 * watcher.h - the objects of one kind and selector, as they are now.
 *
 *              all pages                    the stream ends by itself: from
 *    LISTING ------------> WATCHING ----+   the last version seen
 *     ^    |                  |  ^      |
 *     |    | error            |  +------+
 *     |    v                  |
 *    WAITING <----------------+ cut, garbage, 410, an error in the stream:
 *                               list again and compare
 *
 * Pure: what to ask for comes out of watcher_next, what came back goes in, and
 * the time is an argument. The owner's list (k8s/controller/pod_pool.h, the tests) receives
 * every difference once, in an order that an object could have gone through:
 * after a relist, objects that no longer exist are deleted and changed ones
 * changed, whatever events were missed. Repeated and late events are recognised
 * by uid and version, and dropped.
 *
 * Resource versions are taken as numbers, as all servers of today give them
 * and Kubernetes 1.35 promises; a version that is no number is taken as it comes.
 *
 * It never gives up: watcher_problem returns the present problem.
 */
#pragma once

#include "k8s/client/api.h"

#define WATCHER_OBJECTS_MAX    20000
#define WATCHER_LINE_BYTES_MAX ((size_t)4 << 20) /* an event; etcd holds no object of that size */
#define WATCHER_RETRY_MS_MIN   100
#define WATCHER_RETRY_MS_MAX   10000
#define WATCHER_HEALTHY_MS     1000 /* a stream that lasted so long was none that failed */

enum watcher_change { WATCHER_ADDED, WATCHER_CHANGED, WATCHER_DELETED };

struct watcher_reader {
    void *context;
    /* `object` is borrowed for the call; NULL for a deletion that only comparing
     * showed. An object of the same name with another uid is a deletion and an
     * addition. */
    void (*on_change)(void *context, enum watcher_change change, struct slice name,
                      struct slice uid, const cJSON *object);
    /* A whole list was taken in; again after each relist. */
    void (*on_synced)(void *context);
    /* The result of watcher_problem has changed. May be NULL. */
    void (*on_problem)(void *context);
};

struct watcher_entry; /* an object that is known */

struct watcher {
    struct api_target target;
    struct slice selector;
    struct watcher_reader reader;
    uint64_t seed; /* spreads the retries of many */

    enum watcher_state { WATCHER_WAITING, WATCHER_LISTING, WATCHER_WATCHING } state;
    bool is_open;      /* a call of ours is under way */
    bool must_list;    /* the next call is a list */
    int64_t due_ms;    /* WAITING: not before */
    int64_t opened_ms; /* the call */
    int code;          /* the answer's HTTP code; 0: none yet */
    int64_t retry_after_ms;
    uint32_t failures; /* in a row */
    struct error problem;

    struct text token;   /* token of the next page; empty: first */
    struct text version; /* to watch from */
    uint64_t floor;      /* version of the last list: events up to it are in it */
    uint32_t list;       /* counts them */
    struct text pending; /* the rest of a page, or of a line */

    struct watcher_entry *entries; /* by name */
    size_t count, capacity;
    struct text *gone; /* uids deleted since the last list */
    size_t gone_count, gone_capacity;
};

/* `target` and `selector` are borrowed for its life. */
void watcher_init(struct watcher *watcher, const struct api_target *target, struct slice selector,
                  uint64_t seed, const struct watcher_reader *reader);
void watcher_deinit(struct watcher *watcher);

/* True: start this request now, and report its answer to the functions below. Otherwise nothing is
 * to be done before watcher->due_ms, or before the open call brings something. */
bool watcher_next(struct watcher *watcher, int64_t now_ms, struct http_request *request);

void watcher_on_head(struct watcher *watcher, int code, int64_t retry_after_ms);
/* False: nothing more of this call is wanted; its end is to be reported all the same. */
bool watcher_on_bytes(struct watcher *watcher, int64_t now_ms, struct slice bytes);
/* OK: the answer was whole. */
void watcher_on_end(struct watcher *watcher, int64_t now_ms, enum status status,
                    const struct error *err);

/* NULL while all is well. */
const struct error *watcher_problem(const struct watcher *watcher);
