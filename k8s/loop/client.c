#include "k8s/loop/client.h"

#include <stdlib.h>

#include "base/process/log.h"
#include "runtime/loop/loop_source.h"

struct client {
    struct http *http;
    struct loop_source *source;
};

static void on_socket(void *context, int fd, unsigned what)
{
    const struct client *client = context;

    http_on_socket(client->http, fd,
                   (what & LOOP_READ ? HTTP_CAN_READ : 0U) |
                       (what & LOOP_WRITE ? HTTP_CAN_WRITE : 0U));
}

static void on_time(void *context)
{
    const struct client *client = context;

    http_on_time(client->http);
}

static void watch_socket(void *context, int fd, unsigned what)
{
    const struct client *client = context;
    struct error err;

    /* A socket that is not watched runs into the timeout of its call. */
    if (loop_source_watch(client->source, fd,
                          (what & HTTP_CAN_READ ? LOOP_READ : 0U) |
                              (what & HTTP_CAN_WRITE ? LOOP_WRITE : 0U),
                          &err) != STATUS_OK)
        log_error("cannot watch a connection to the API server: %s", err.message);
}

static void wake_in(void *context, int64_t ms)
{
    const struct client *client = context;

    loop_source_wake_in(client->source, ms);
}

enum status client_open(struct loop *loop, const struct kube_access *access, struct client **out,
                        struct error *err)
{
    struct client *client = calloc(1, sizeof *client);
    struct loop_source_calls calls = {client, on_socket, on_time};
    struct http_driver driver = {client, watch_socket, wake_in};
    enum status status;

    if (!client)
        return fail_no_memory(err);
    status = loop_add_source(loop, &calls, &client->source, err);
    if (status == STATUS_OK)
        status = http_new(access, &driver, &client->http, err);
    if (status != STATUS_OK) {
        client_close(client);
        return status;
    }
    *out = client;
    return STATUS_OK;
}

void client_close(struct client *client)
{
    if (!client)
        return;
    http_free(client->http);
    loop_remove_source(client->source);
    free(client);
}

struct http *client_http(const struct client *client)
{
    return client->http;
}
