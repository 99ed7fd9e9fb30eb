/*
 * Pages for people and for Prometheus, from the loop that moves all else: what is
 * asked for is printed at once, and nobody is waited for.
 */
#include <event2/buffer.h>
#include <event2/http.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/address.h"
#include "runtime/loop_parts.h"

#define HEADER_BYTES_MAX 8192
#define BODY_BYTES_MAX   0
#define SECONDS_MAX      5 /* of a silent client */
#define PAGE_BYTES_MAX   ((size_t)1 << 20)

static void reply(struct evhttp_request *request, const struct text *page, const char *type)
{
    struct evbuffer *buffer = evhttp_request_get_output_buffer(request);
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);

    evhttp_add_header(headers, "Content-Type", type);
    evhttp_add_header(headers, "Connection", "close"); /* nobody keeps a descriptor of ours */
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

static void limit(struct evhttp *http)
{
    evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
    evhttp_set_max_headers_size(http, HEADER_BYTES_MAX);
    evhttp_set_max_body_size(http, BODY_BYTES_MAX);
    evhttp_set_timeout(http, SECONDS_MAX);
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
    if (!server->http)
        return fail_no_memory(err);
    limit(server->http);
    evhttp_set_gencb(server->http, on_request, server);
    return bind_to(server, host, port, bound, size, err);
}

void loop_free_http(struct loop *loop)
{
    while (loop->http) {
        struct http_server *server = loop->http;

        loop->http = server->next;
        if (server->http)
            evhttp_free(server->http);
        free(server);
    }
}
