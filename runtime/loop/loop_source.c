#include "runtime/loop/loop_source.h"

#include <event2/event.h>
#include <stdlib.h>

#include "runtime/loop/loop_parts.h"

struct source_socket {
    struct loop_source *source;
    struct event *event;
    int fd;
    struct source_socket *next;
};

struct loop_source {
    struct loop *loop;
    struct loop_source_calls calls;
    struct event *timer;
    struct source_socket *sockets;
};

static void on_time(evutil_socket_t fd, short what, void *context)
{
    const struct loop_source *source = context;
    (void)fd;
    (void)what;

    source->calls.on_time(source->calls.context);
}

static void on_socket(evutil_socket_t fd, short what, void *context)
{
    const struct source_socket *socket = context;
    const struct loop_source *source = socket->source; /* the socket may be gone after this */

    source->calls.on_socket(source->calls.context, fd,
                            (what & EV_READ ? LOOP_READ : 0U) |
                                (what & EV_WRITE ? LOOP_WRITE : 0U));
}

enum status loop_add_source(struct loop *loop, const struct loop_source_calls *calls,
                            struct loop_source **out, struct error *err)
{
    struct loop_source *source = calloc(1, sizeof *source);

    if (!source)
        return fail_no_memory(err);
    source->loop = loop;
    source->calls = *calls;
    source->timer = evtimer_new(loop->base, on_time, source);
    if (!source->timer) {
        free(source);
        return fail_no_memory(err);
    }
    *out = source;
    return STATUS_OK;
}

static void forget(struct source_socket **at)
{
    struct source_socket *socket = *at;

    *at = socket->next;
    event_free(socket->event);
    free(socket);
}

void loop_remove_source(struct loop_source *source)
{
    if (!source)
        return;
    while (source->sockets)
        forget(&source->sockets);
    event_free(source->timer);
    free(source);
}

static struct source_socket *add_socket(struct loop_source *source, int fd, short what)
{
    struct source_socket *socket = calloc(1, sizeof *socket);

    if (!socket)
        return NULL;
    *socket = (struct source_socket){.source = source, .fd = fd, .next = source->sockets};
    socket->event = event_new(source->loop->base, fd, what, on_socket, socket);
    if (!socket->event || event_add(socket->event, NULL) != 0) {
        if (socket->event)
            event_free(socket->event);
        free(socket);
        return NULL;
    }
    return socket;
}

enum status loop_source_watch(struct loop_source *source, int fd, unsigned what, struct error *err)
{
    struct source_socket **at = &source->sockets, *socket;
    short events =
        (short)(EV_PERSIST | (what & LOOP_READ ? EV_READ : 0) | (what & LOOP_WRITE ? EV_WRITE : 0));

    while (*at && (*at)->fd != fd)
        at = &(*at)->next;
    if (*at)
        forget(at);
    if (what == 0)
        return STATUS_OK;
    socket = add_socket(source, fd, events);
    if (!socket)
        return fail_no_memory(err);
    source->sockets = socket;
    return STATUS_OK;
}

void loop_source_wake_in(struct loop_source *source, int64_t ms)
{
    struct timeval after = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

    if (ms < 0)
        evtimer_del(source->timer);
    else
        evtimer_add(source->timer, &after);
}
