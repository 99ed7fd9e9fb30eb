#include "runtime/loop/loop_guest.h"

#include <event2/event.h>
#include <stdlib.h>

#include "runtime/loop/loop_parts.h"

struct guest_socket {
    struct loop_guest *guest;
    struct event *event;
    int fd;
    struct guest_socket *next;
};

struct loop_guest {
    struct loop *loop;
    struct guest_calls calls;
    struct event *timer;
    struct guest_socket *sockets;
};

static void on_time(evutil_socket_t fd, short what, void *context)
{
    const struct loop_guest *guest = context;
    (void)fd;
    (void)what;

    guest->calls.on_time(guest->calls.context);
}

static void on_socket(evutil_socket_t fd, short what, void *context)
{
    const struct guest_socket *socket = context;
    const struct loop_guest *guest = socket->guest; /* the socket may be gone after this */

    guest->calls.on_socket(guest->calls.context, fd,
                           (what & EV_READ ? LOOP_READ : 0U) | (what & EV_WRITE ? LOOP_WRITE : 0U));
}

enum status loop_add_guest(struct loop *loop, const struct guest_calls *calls,
                           struct loop_guest **out, struct error *err)
{
    struct loop_guest *guest = calloc(1, sizeof *guest);

    if (!guest)
        return fail_no_memory(err);
    guest->loop = loop;
    guest->calls = *calls;
    guest->timer = evtimer_new(loop->base, on_time, guest);
    if (!guest->timer) {
        free(guest);
        return fail_no_memory(err);
    }
    *out = guest;
    return STATUS_OK;
}

static void forget(struct guest_socket **at)
{
    struct guest_socket *socket = *at;

    *at = socket->next;
    event_free(socket->event);
    free(socket);
}

void loop_remove_guest(struct loop_guest *guest)
{
    if (!guest)
        return;
    while (guest->sockets)
        forget(&guest->sockets);
    event_free(guest->timer);
    free(guest);
}

static struct guest_socket *add_socket(struct loop_guest *guest, int fd, short what)
{
    struct guest_socket *socket = calloc(1, sizeof *socket);

    if (!socket)
        return NULL;
    *socket = (struct guest_socket){.guest = guest, .fd = fd, .next = guest->sockets};
    socket->event = event_new(guest->loop->base, fd, what, on_socket, socket);
    if (!socket->event || event_add(socket->event, NULL) != 0) {
        if (socket->event)
            event_free(socket->event);
        free(socket);
        return NULL;
    }
    return socket;
}

enum status loop_guest_watch(struct loop_guest *guest, int fd, unsigned what, struct error *err)
{
    struct guest_socket **at = &guest->sockets, *socket;
    short events =
        (short)(EV_PERSIST | (what & LOOP_READ ? EV_READ : 0) | (what & LOOP_WRITE ? EV_WRITE : 0));

    while (*at && (*at)->fd != fd)
        at = &(*at)->next;
    if (*at)
        forget(at);
    if (what == 0)
        return STATUS_OK;
    socket = add_socket(guest, fd, events);
    if (!socket)
        return fail_no_memory(err);
    guest->sockets = socket;
    return STATUS_OK;
}

void loop_guest_wake_in(struct loop_guest *guest, int64_t ms)
{
    struct timeval after = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

    if (ms < 0)
        evtimer_del(guest->timer);
    else
        evtimer_add(guest->timer, &after);
}
