/*
 * loop_parts.h - what loop.c, loop_links.c and loop_watch.c share.
 */
#pragma once

#include "runtime/loop/loop.h"
#include "runtime/net/connection.h"

struct event;
struct event_base;
struct link;
struct local_frame;
struct watch;

struct bufferevent;
struct evconnlistener;
struct evhttp;

/* With so many clients the next ones wait until one has left; but clients that queued up by then
 * are accepted together with the last of them. */
#define HTTP_CLIENTS_MAX 64
#define HTTP_QUEUE_MAX   16

struct http_server {
    struct http_server *next;
    struct evhttp *http;
    struct evconnlistener *listener;
    struct bufferevent *clients[HTTP_CLIENTS_MAX + 2 * HTTP_QUEUE_MAX]; /* NULL: room */
    struct event *looker; /* finds clients that left, while the listener is disabled */
    struct http_reader reader;
};

struct loop {
    struct event_base *base;
    struct event *tick;
    struct loop_role *roles;
    struct local_frame *local_frames, **local_frames_end; /* first to last */
    struct loop_lines *lines;
    struct watch *watches; /* signals, listeners */
    struct loop_network network;
    void (*tick_call)(void *context, int64_t now_ms);
    void *tick_context;
    struct event *waker; /* a timer descriptor; NULL until it is needed */
    struct http_server *http;
    int64_t look_us, look_until_us;
    bool is_stopped;
    enum status how;
    struct error reason;
};

struct loop_role {
    struct loop *loop;
    struct role role;
    struct outbox outbox;
    struct link *links;
    peer_id next_accepted;
    char *local_address; /* NULL: reached by socket, or not at all */
    struct event *acceptor;
    bool has_tls;     /* its acceptor's connections begin with a handshake */
    uint64_t refused; /* connections that were not let in */
    struct loop_role *next;
};

/* Something happened: what is expected may be near. */
void loop_look_again(struct loop *loop);
