#include "net/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>

#define READ_BYTES ((size_t)64 << 10)

struct connection {
    int socket;
    struct connection_owner owner;
    struct event *readable, *writable;
    char *in;
    size_t in_size, in_capacity;
    struct text out;
    size_t out_sent; /* of out.size */
    bool is_closed;
    bool is_busy, is_freed; /* inside a call of the owner; freed by it meanwhile */
    struct error reason;
};

static void note_closed(struct connection *connection, enum status status, const char *why)
{
    if (connection->is_closed)
        return;
    connection->is_closed = true;
    if (why)
        fail(&connection->reason, status, "%s", why);
    event_del(connection->readable);
    event_del(connection->writable);
    /* Told from the loop, never from inside a call of the owner. */
    event_active(connection->readable, EV_TIMEOUT, 0);
}

static bool make_room(struct connection *connection, size_t wanted)
{
    size_t capacity = connection->in_capacity ? connection->in_capacity : READ_BYTES;
    char *grown;

    while (capacity < wanted)
        capacity *= 2;
    if (capacity == connection->in_capacity)
        return true;
    grown = realloc(connection->in, capacity);
    if (!grown)
        return false;
    connection->in = grown;
    connection->in_capacity = capacity;
    return true;
}

/* Hands out every whole frame; what is left moves to the front. */
static void take_frames(struct connection *connection)
{
    size_t at = 0, size = 0;

    while (!connection->is_closed && !connection->is_freed) {
        struct slice rest = {connection->in + at, connection->in_size - at};

        if (frame_size(rest, &size, &connection->reason) != STATUS_OK) {
            note_closed(connection, connection->reason.status, NULL);
            return;
        }
        if (size == 0 || size > rest.size)
            break;
        rest.size = size;
        if (!connection->owner.on_frame(connection->owner.context, connection, rest) &&
            !connection->is_freed)
            note_closed(connection, STATUS_PROTOCOL, "refused a message");
        at += size;
    }
    if (at > 0)
        memmove(connection->in, connection->in + at, connection->in_size - at);
    connection->in_size -= at;
    if (size > connection->in_capacity && !make_room(connection, size))
        note_closed(connection, STATUS_NO_MEMORY, "out of memory");
}

static void read_some(struct connection *connection)
{
    ssize_t got;
    size_t room;

    do {
        if (!make_room(connection, connection->in_size + READ_BYTES / 2)) {
            note_closed(connection, STATUS_NO_MEMORY, "out of memory");
            return;
        }
        room = connection->in_capacity - connection->in_size;
        got = recv(connection->socket, connection->in + connection->in_size, room, 0);
        if (got > 0) {
            connection->in_size += (size_t)got;
            take_frames(connection);
        }
    } while (got > 0 && (size_t)got == room && !connection->is_closed && !connection->is_freed);
    if (connection->is_freed)
        return;
    if (got == 0)
        note_closed(connection, STATUS_CONNECTION, "the other side closed the connection");
    else if (got < 0 && errno != EAGAIN && errno != EINTR)
        note_closed(connection, STATUS_CONNECTION, strerror(errno));
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
    struct connection *connection = context;
    (void)fd;

    if (!connection->is_closed && (what & EV_READ)) {
        connection->is_busy = true;
        read_some(connection);
        connection->is_busy = false;
        if (connection->is_freed)
            connection_free(connection);
        return; /* when it closed, the loop comes again with EV_TIMEOUT */
    }
    if (connection->is_closed)
        connection->owner.on_closed(connection->owner.context, connection, &connection->reason);
}

/* As much as the socket takes; false when the connection broke. */
static size_t write_some(struct connection *connection, const char *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t sent = send(connection->socket, bytes + done, size - done, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) {
            /* A socket that is still connecting says ENOTCONN. */
            if (errno != EAGAIN && errno != ENOTCONN)
                note_closed(connection, STATUS_CONNECTION, strerror(errno));
            break;
        }
        done += (size_t)sent;
    }
    return done;
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
    struct connection *connection = context;
    struct text *out = &connection->out;
    (void)fd;
    (void)what;

    if (connection->is_closed)
        return;
    connection->out_sent +=
        write_some(connection, out->data + connection->out_sent, out->size - connection->out_sent);
    if (connection->out_sent == out->size) {
        text_clear(out);
        connection->out_sent = 0;
    } else if (!connection->is_closed) {
        event_add(connection->writable, NULL);
    }
}

void connection_send(struct connection *connection, struct slice frames)
{
    size_t done = 0;

    if (connection->is_closed)
        return;
    if (connection_is_drained(connection))
        done = write_some(connection, frames.data, frames.size);
    if (done == frames.size || connection->is_closed)
        return;
    text_append(&connection->out, (struct slice){frames.data + done, frames.size - done});
    if (connection->out.failed)
        note_closed(connection, STATUS_LIMIT, "the other side does not read");
    else
        event_add(connection->writable, NULL);
}

bool connection_is_drained(const struct connection *connection)
{
    return connection->is_closed || connection->out.size == connection->out_sent;
}

enum status connection_new(struct event_base *base, int socket, struct connection_owner owner,
                           struct connection **out, struct error *err)
{
    struct connection *connection = calloc(1, sizeof *connection);

    if (!connection) {
        close(socket);
        return fail_no_memory(err);
    }
    connection->socket = socket;
    connection->owner = owner;
    text_init(&connection->out, CONNECTION_UNSENT_MAX);
    connection->readable = event_new(base, socket, EV_READ | EV_PERSIST, on_readable, connection);
    connection->writable = event_new(base, socket, EV_WRITE, on_writable, connection);
    if (!connection->readable || !connection->writable ||
        event_add(connection->readable, NULL) != 0) {
        connection_free(connection);
        return fail_no_memory(err);
    }
    *out = connection;
    return STATUS_OK;
}

void connection_free(struct connection *connection)
{
    if (!connection)
        return;
    if (connection->is_busy) {
        connection->is_freed = true; /* its frames are being handed out */
        return;
    }
    if (connection->readable)
        event_free(connection->readable);
    if (connection->writable)
        event_free(connection->writable);
    close(connection->socket);
    text_deinit(&connection->out);
    free(connection->in);
    free(connection);
}
