#include "runtime/loop/loop_http.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/loop/loop_parts.h"
#include "runtime/net/address.h"

#define HEADER_BYTES_MAX 8192
#define BODY_BYTES_MAX   0
#define SECONDS_MAX      5 /* a silent client's */
#define LOOK_MS          50
#define PAGE_BYTES_MAX   ((size_t)1 << 20)

/* libevent reports when a client comes, not when it leaves. But its bufferevent, of which the
 * server holds a reference, then has no callback any more. */
static bool is_gone(struct bufferevent *client)
{
    bufferevent_event_cb on_event = NULL;

    bufferevent_getcb(client, NULL, NULL, &on_event, NULL);
    return !on_event;
}

static const size_t places =
    sizeof((struct http_server *)0)->clients / sizeof(struct bufferevent *);

static uint32_t forget_gone_clients(struct http_server *server)
{
    uint32_t left = 0;

    for (size_t i = 0; i < places; i++) {
        if (server->clients[i] && is_gone(server->clients[i])) {
            bufferevent_decref(server->clients[i]);
            server->clients[i] = NULL;
        }
        left += server->clients[i] != NULL;
    }
    return left;
}

static void on_look(evutil_socket_t none, short what, void *context)
{
    struct http_server *server = context;
    (void)none;
    (void)what;

    if (forget_gone_clients(server) >= HTTP_CLIENTS_MAX)
        return;
    event_del(server->looker);
    evconnlistener_enable(server->listener);
}

static void keep_client(struct http_server *server, struct bufferevent *client)
{
    for (size_t i = 0; i < places; i++) {
        if (server->clients[i])
            continue;
        bufferevent_incref(client);
        server->clients[i] = client;
        return;
    }
}

static struct bufferevent *on_client(struct event_base *base, void *context)
{
    const struct timeval pause = {.tv_usec = LOOK_MS * 1000L};
    struct http_server *server = context;
    struct bufferevent *client = bufferevent_socket_new(base, -1, 0);

    if (client && forget_gone_clients(server) + 1 >= HTTP_CLIENTS_MAX) {
        evconnlistener_disable(server->listener);
        event_add(server->looker, &pause);
    }
    if (client)
        keep_client(server, client);
    return client;
}

static void reply(struct evhttp_request *request, const struct text *page, const char *type)
{
    struct evbuffer *buffer = evhttp_request_get_output_buffer(request);
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);

    evhttp_add_header(headers, "Content-Type", type);
    evhttp_add_header(headers, "Connection", "close"); /* descriptors are few */
    if (page->failed || evbuffer_add(buffer, page->data, page->size) != 0)
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
    else
        evhttp_send_reply(request, HTTP_OK, "OK", NULL);
}

static void on_request(struct evhttp_request *request, void *context)
{
    const struct http_server *server = context;
    const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));
    const char *type = NULL;
    struct text page;

    text_init(&page, PAGE_BYTES_MAX);
    if (path && server->reader.on_get(server->reader.context, path, &page, &type))
        reply(request, &page, type);
    else
        evhttp_send_error(request, HTTP_NOTFOUND, NULL);
    text_deinit(&page);
}

static enum status bind_to(struct http_server *server, const char *host, uint16_t port, char *bound,
                           size_t size, struct error *err)
{
    struct evhttp_bound_socket *socket = evhttp_bind_socket_with_handle(server->http, host, port);
    struct sockaddr_storage where;
    socklen_t length = sizeof where;
    char text[ADDRESS_TEXT_MAX + 1];

    if (!socket ||
        getsockname(evhttp_bound_socket_get_fd(socket), (struct sockaddr *)&where, &length) != 0)
        return fail_errno(err, STATUS_CONNECTION, "job.metrics cannot be served at %s port %u",
                          host, port);
    port = ntohs(where.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&where)->sin6_port
                                             : ((struct sockaddr_in *)&where)->sin_port);
    server->listener = evhttp_bound_socket_get_listener(socket);
    listen(evhttp_bound_socket_get_fd(socket), HTTP_QUEUE_MAX); /* libevent lets 128 wait */
    snprintf(text, sizeof text, where.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host, port);
    snprintf(bound, size, "%s", text);
    return STATUS_OK;
}

enum status loop_serve_http(struct loop *loop, const char *host, uint16_t port,
                            struct http_reader reader, char *bound, size_t size, struct error *err)
{
    struct http_server *server = calloc(1, sizeof *server);

    if (!server)
        return fail_no_memory(err);
    server->reader = reader;
    server->next = loop->http;
    loop->http = server;
    server->http = evhttp_new(loop->base);
    server->looker = event_new(loop->base, -1, EV_PERSIST, on_look, server);
    if (!server->http || !server->looker)
        return fail_no_memory(err);
    evhttp_set_allowed_methods(server->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
    evhttp_set_max_headers_size(server->http, HEADER_BYTES_MAX);
    evhttp_set_max_body_size(server->http, BODY_BYTES_MAX);
    evhttp_set_timeout(server->http, SECONDS_MAX);
    evhttp_set_gencb(server->http, on_request, server);
    evhttp_set_bevcb(server->http, on_client, server);
    return bind_to(server, host, port, bound, size, err);
}

void loop_free_http(struct loop *loop)
{
    while (loop->http) {
        struct http_server *server = loop->http;

        loop->http = server->next;
        if (server->http)
            evhttp_free(server->http);
        if (server->looker)
            event_free(server->looker);
        forget_gone_clients(server);
        free(server);
    }
}
