#include "k8s/loop/watch.h"

#include <stdlib.h>

#include "k8s/loop/client.h"
#include "runtime/loop/loop_source.h"

struct watch {
    struct watcher watcher;
    struct client *client;
    struct loop_source *timer;
    struct http_call *call; /* NULL: none is open */
};

static void on_head(void *context, int code, int64_t retry_after_ms)
{
    struct watch *watch = context;

    watcher_on_head(&watch->watcher, code, retry_after_ms);
}

static bool on_bytes(void *context, struct slice bytes)
{
    struct watch *watch = context;

    return watcher_on_bytes(&watch->watcher, loop_now_ms(), bytes);
}

static void go_on(struct watch *watch);

static void on_end(void *context, enum status status, const struct error *err)
{
    struct watch *watch = context;

    watch->call = NULL;
    watcher_on_end(&watch->watcher, loop_now_ms(), status, err);
    go_on(watch);
}

static void start_watch_call(struct watch *watch, const struct http_request *request)
{
    struct http_sink sink = {watch, on_head, on_bytes, on_end};
    struct error err;
    enum status status = http_start(client_http(watch->client), request, &sink, &watch->call, &err);

    if (status == STATUS_OK)
        return;
    watch->call = NULL;
    watcher_on_end(&watch->watcher, loop_now_ms(), status, &err);
}

static void go_on(struct watch *watch)
{
    struct http_request request;

    http_request_init(&request);
    while (watcher_next(&watch->watcher, loop_now_ms(), &request))
        start_watch_call(watch, &request);
    http_request_deinit(&request);
    if (!watch->watcher.is_open) {
        int64_t wait_ms = watch->watcher.due_ms - loop_now_ms();

        loop_source_wake_in(watch->timer, wait_ms > 0 ? wait_ms : 0);
    }
}

static void on_time(void *context)
{
    go_on(context);
}

enum status watch_open(struct loop *loop, struct client *client, const struct api_target *target,
                       struct slice selector, uint64_t seed, const struct watcher_reader *reader,
                       struct watch **out, struct error *err)
{
    struct watch *watch = calloc(1, sizeof *watch);
    struct loop_source_calls calls = {watch, NULL, on_time};
    enum status status;

    if (!watch)
        return fail_no_memory(err);
    watch->client = client;
    status = loop_add_source(loop, &calls, &watch->timer, err);
    if (status != STATUS_OK) {
        free(watch);
        return status;
    }
    watcher_init(&watch->watcher, target, selector, seed, reader);
    loop_source_wake_in(watch->timer, 0);
    *out = watch;
    return STATUS_OK;
}

void watch_close(struct watch *watch)
{
    if (!watch)
        return;
    if (watch->call)
        http_cancel(watch->call);
    loop_remove_source(watch->timer);
    watcher_deinit(&watch->watcher);
    free(watch);
}

const struct watcher *watch_watcher(const struct watch *watch)
{
    return &watch->watcher;
}
