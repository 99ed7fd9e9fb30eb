#include "runtime/net/dial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>

#include "runtime/net/lookup.h"

struct dial {
    struct event_base *base;
    struct dial_owner owner;
    int answer_ms;
    struct lookup *lookup;
    struct event *start; /* so that the owner is never called from dial_new */
    struct event *event; /* the socket's: it has connected, or not */
    int socket;
    struct address addresses[LOOKUP_ADDRESSES_MAX];
    size_t count, next;
    struct error last;
};

static void drop_socket(struct dial *dial)
{
    if (dial->event)
        event_free(dial->event);
    dial->event = NULL;
    if (dial->socket >= 0)
        close(dial->socket);
    dial->socket = -1;
}

static void on_answer(evutil_socket_t fd, short what, void *context);

static bool watch(struct dial *dial)
{
    const struct timeval limit = {.tv_sec = dial->answer_ms / 1000,
                                  .tv_usec = dial->answer_ms % 1000 * 1000};

    dial->event = event_new(dial->base, dial->socket, EV_WRITE, on_answer, dial);
    if (dial->event && event_add(dial->event, dial->answer_ms > 0 ? &limit : NULL) == 0)
        return true;
    drop_socket(dial);
    fail_no_memory(&dial->last);
    return false;
}

static void try_next(struct dial *dial)
{
    while (dial->next < dial->count)
        if (address_connect(&dial->addresses[dial->next++], &dial->socket, &dial->last) ==
                STATUS_OK &&
            watch(dial))
            return;
    dial->owner.on_done(dial->owner.context, -1, &dial->last);
}

static void on_answer(evutil_socket_t fd, short what, void *context)
{
    struct dial *dial = context;
    char text[ADDRESS_TEXT_MAX + 1];
    int failure = 0, socket = dial->socket;
    socklen_t size = sizeof failure;
    (void)fd;

    if (what & EV_TIMEOUT)
        failure = ETIMEDOUT;
    else if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0 &&
             address_is_own_peer(socket))
        failure = ECONNREFUSED; /* refused, as if its own end had got another port */
    if (failure == 0) {
        dial->socket = -1;
        dial->owner.on_done(dial->owner.context, socket, NULL);
        return;
    }
    address_write(&dial->addresses[dial->next - 1], text, sizeof text);
    errno = failure;
    fail_errno(&dial->last, STATUS_CONNECTION, "cannot connect to %s", text);
    drop_socket(dial);
    try_next(dial);
}

static void on_found(void *context, const struct address *addresses, size_t count,
                     const struct error *err)
{
    struct dial *dial = context;

    if (count > 0)
        memcpy(dial->addresses, addresses, count * sizeof *addresses);
    else
        dial->last = *err;
    dial->count = count;
    lookup_free(dial->lookup);
    dial->lookup = NULL;
    try_next(dial);
}

static void on_start(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    try_next(context);
}

static enum status start_dial(struct dial *dial, struct error *err)
{
    struct lookup_owner owner = {dial, on_found};

    if (dial->addresses[0].size == 0)
        return lookup_start(dial->base, &dial->addresses[0], owner, &dial->lookup, err);
    dial->count = 1;
    dial->start = event_new(dial->base, -1, 0, on_start, dial);
    if (!dial->start)
        return fail_no_memory(err);
    event_active(dial->start, EV_TIMEOUT, 0);
    return STATUS_OK;
}

enum status dial_new(struct event_base *base, const char *address, int answer_ms,
                     struct dial_owner owner, struct dial **out, struct error *err)
{
    struct dial *dial = calloc(1, sizeof *dial);
    enum status status;

    if (!dial)
        return fail_no_memory(err);
    dial->base = base;
    dial->owner = owner;
    dial->answer_ms = answer_ms;
    dial->socket = -1;
    error_clear(&dial->last);
    status = address_read(address, &dial->addresses[0], err);
    if (status == STATUS_OK)
        status = start_dial(dial, err);
    if (status != STATUS_OK)
        dial_free(dial);
    else
        *out = dial;
    return status;
}

void dial_free(struct dial *dial)
{
    if (!dial)
        return;
    drop_socket(dial);
    lookup_free(dial->lookup);
    if (dial->start)
        event_free(dial->start);
    free(dial);
}
