#include "runtime/net/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>

#include "runtime/net/dial.h"

#define READ_BYTES ((size_t)64 << 10)

enum transfer { TRANSFER_DONE, TRANSFER_AGAIN, TRANSFER_CLOSED };

struct connection {
    struct event_base *base;
    struct tls_demand demand;
    struct connection_owner owner;
    struct dial *dial; /* until there is a socket */
    int socket;
    struct tls_session *tls; /* NULL: plain */
    bool is_established;
    struct event *readable, *writable;
    struct event *closing; /* reports the end from the loop, never inside a call of the owner */
    char *in;
    size_t in_size, in_capacity;
    struct text out;
    size_t out_sent; /* bytes of `out` sent */
    bool is_closed;
    bool is_busy, is_freed; /* inside a call of the owner; freed by it meanwhile */
    struct error reason;
};

static void note_closed(struct connection *connection)
{
    if (connection->is_closed)
        return;
    connection->is_closed = true;
    if (connection->readable)
        event_del(connection->readable);
    if (connection->writable)
        event_del(connection->writable);
    event_active(connection->closing, EV_TIMEOUT, 0);
}

static void close_because(struct connection *connection, enum status status, const char *why)
{
    if (connection->is_closed)
        return;
    fail(&connection->reason, status, "%s", why);
    note_closed(connection);
}

static void on_closing(evutil_socket_t fd, short what, void *context)
{
    struct connection *connection = context;
    (void)fd;
    (void)what;

    connection->owner.on_closed(connection->owner.context, connection, &connection->reason);
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
            note_closed(connection);
            return;
        }
        if (size == 0 || size > rest.size)
            break;
        rest.size = size;
        if (!connection->owner.on_frame(connection->owner.context, connection, rest) &&
            !connection->is_freed)
            close_because(connection, STATUS_PROTOCOL, "refused a message");
        at += size;
    }
    if (at > 0)
        memmove(connection->in, connection->in + at, connection->in_size - at);
    connection->in_size -= at;
    if (size > connection->in_capacity && !make_room(connection, size))
        close_because(connection, STATUS_NO_MEMORY, "out of memory");
}

static enum transfer after_tls(struct connection *connection, enum tls_result result)
{
    switch (result) {
    case TLS_DONE:
        return TRANSFER_DONE;
    case TLS_WANTS_WRITE:
        event_add(connection->writable, NULL);
        return TRANSFER_AGAIN;
    case TLS_WANTS_READ:
        return TRANSFER_AGAIN;
    default:
        note_closed(connection);
        return TRANSFER_CLOSED;
    }
}

static enum transfer receive(struct connection *connection, size_t room, size_t *got)
{
    char *to = connection->in + connection->in_size;
    ssize_t size;

    if (connection->tls)
        return after_tls(connection, tls_read(connection->tls, to, room, got, &connection->reason));
    size = recv(connection->socket, to, room, 0);
    if (size > 0) {
        *got = (size_t)size;
        return TRANSFER_DONE;
    }
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return TRANSFER_AGAIN;
    close_because(connection, STATUS_CONNECTION,
                  size == 0 ? "the other side closed the connection" : strerror(errno));
    return TRANSFER_CLOSED;
}

/* A plain socket that gave less than there was room for is empty, and becomes readable again when
 * it is not; TLS may hold bytes that the socket no longer has. */
static void read_some(struct connection *connection)
{
    size_t room, got = 0;

    do {
        if (!make_room(connection, connection->in_size + READ_BYTES / 2)) {
            close_because(connection, STATUS_NO_MEMORY, "out of memory");
            return;
        }
        room = connection->in_capacity - connection->in_size;
        if (receive(connection, room, &got) != TRANSFER_DONE)
            return;
        connection->in_size += got;
        take_frames(connection);
    } while ((connection->tls || got == room) && !connection->is_closed && !connection->is_freed);
}

static enum transfer transmit(struct connection *connection, const char *bytes, size_t size,
                              size_t *sent)
{
    ssize_t done;

    if (connection->tls)
        return after_tls(connection,
                         tls_write(connection->tls, bytes, size, sent, &connection->reason));
    do {
        done = send(connection->socket, bytes, size, MSG_NOSIGNAL);
    } while (done < 0 && errno == EINTR);
    if (done >= 0) {
        *sent = (size_t)done;
        return TRANSFER_DONE;
    }
    if (errno == EAGAIN)
        return TRANSFER_AGAIN;
    close_because(connection, STATUS_CONNECTION, strerror(errno));
    return TRANSFER_CLOSED;
}

/* Writes as much as the socket takes. */
static size_t write_some(struct connection *connection, const char *bytes, size_t size)
{
    size_t done = 0, sent = 0;

    while (done < size && transmit(connection, bytes + done, size - done, &sent) == TRANSFER_DONE)
        done += sent;
    return done;
}

static void flush(struct connection *connection)
{
    struct text *out = &connection->out;

    if (connection->is_closed || !connection->is_established)
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

static void shake_hands(struct connection *connection)
{
    enum tls_result result;

    if (connection->is_closed || connection->is_established)
        return;
    result = tls_handshake(connection->tls, &connection->reason);
    if (after_tls(connection, result) != TRANSFER_DONE)
        return;
    connection->is_established = true;
    flush(connection);
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
    struct connection *connection = context;
    (void)fd;
    (void)what;

    shake_hands(connection);
    if (!connection->is_established || connection->is_closed)
        return;
    connection->is_busy = true;
    read_some(connection);
    connection->is_busy = false;
    if (connection->is_freed)
        connection_free(connection);
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
    struct connection *connection = context;
    (void)fd;
    (void)what;

    shake_hands(connection);
    flush(connection);
}

void connection_send(struct connection *connection, struct slice frames)
{
    size_t done = 0;

    if (connection->is_closed)
        return;
    if (connection->is_established && connection_is_drained(connection))
        done = write_some(connection, frames.data, frames.size);
    if (done == frames.size || connection->is_closed)
        return;
    text_append(&connection->out, (struct slice){frames.data + done, frames.size - done});
    if (connection->out.failed)
        close_because(connection, STATUS_LIMIT, "the other side does not read");
    else if (connection->is_established)
        event_add(connection->writable, NULL);
}

bool connection_is_drained(const struct connection *connection)
{
    return connection->is_closed || connection->out.size == connection->out_sent;
}

bool connection_is_established(const struct connection *connection)
{
    return connection->is_established;
}

const struct identity *connection_peer(const struct connection *connection)
{
    return connection->tls && connection->is_established ? tls_peer(connection->tls) : NULL;
}

void connection_peer_address(const struct connection *connection, char text[ADDRESS_TEXT_MAX + 1])
{
    text[0] = '\0';
    if (connection->socket >= 0)
        address_of_peer(connection->socket, text, ADDRESS_TEXT_MAX + 1);
}

/* NULL: out of memory */
static struct connection *prepare(struct event_base *base, const struct tls_demand *demand,
                                  struct connection_owner owner)
{
    struct connection *connection = calloc(1, sizeof *connection);

    if (!connection)
        return NULL;
    connection->base = base;
    connection->demand = *demand;
    connection->owner = owner;
    connection->socket = -1;
    error_clear(&connection->reason);
    text_init(&connection->out, CONNECTION_UNSENT_MAX);
    connection->closing = event_new(base, -1, 0, on_closing, connection);
    if (connection->closing)
        return connection;
    connection_free(connection);
    return NULL;
}

/* There is a socket: it is watched, and written to when the peer has shown its certificate. */
static enum status use_socket(struct connection *connection, int socket, enum tls_side side,
                              struct error *err)
{
    connection->socket = socket;
    if (connection->demand.tls)
        TRY(tls_session_new(&connection->demand, socket, side, &connection->tls, err));
    connection->is_established = !connection->tls;
    connection->readable =
        event_new(connection->base, socket, EV_READ | EV_PERSIST, on_readable, connection);
    connection->writable = event_new(connection->base, socket, EV_WRITE, on_writable, connection);
    if (!connection->readable || !connection->writable ||
        event_add(connection->readable, NULL) != 0)
        return fail_no_memory(err);
    return STATUS_OK;
}

enum status connection_new(struct event_base *base, int socket, const struct tls_demand *demand,
                           struct connection_owner owner, struct connection **out,
                           struct error *err)
{
    struct connection *connection = prepare(base, demand, owner);
    enum status status;

    if (!connection) {
        close(socket);
        return fail_no_memory(err);
    }
    status = use_socket(connection, socket, TLS_ACCEPTS, err);
    if (status != STATUS_OK)
        connection_free(connection);
    else
        *out = connection;
    return status;
}

static void on_dialed(void *context, int socket, const struct error *err)
{
    struct connection *connection = context;

    if (socket < 0)
        connection->reason = *err; /* which goes with the dial */
    dial_free(connection->dial);
    connection->dial = NULL;
    if (socket < 0) {
        note_closed(connection);
        return;
    }
    if (connection->demand.tls && connection->demand.peer == IDENTITY_MASTER)
        address_limit_unacked(socket, CONNECTION_UNACKED_MS);
    if (use_socket(connection, socket, TLS_CONNECTS, &connection->reason) != STATUS_OK) {
        note_closed(connection);
        return;
    }
    if (connection->tls)
        shake_hands(connection);
    else
        flush(connection);
}

enum status connection_dial(struct event_base *base, const char *address,
                            const struct tls_demand *demand, struct connection_owner owner,
                            struct connection **out, struct error *err)
{
    struct connection *connection = prepare(base, demand, owner);
    int answer_ms = demand->peer == IDENTITY_MASTER ? CONNECTION_ANSWER_MS : 0;
    enum status status;

    if (!connection)
        return fail_no_memory(err);
    status = dial_new(base, address, answer_ms, (struct dial_owner){connection, on_dialed},
                      &connection->dial, err);
    if (status != STATUS_OK)
        connection_free(connection);
    else
        *out = connection;
    return status;
}

void connection_free(struct connection *connection)
{
    if (!connection)
        return;
    if (connection->is_busy) {
        connection->is_freed = true; /* its frames are being handed out */
        return;
    }
    dial_free(connection->dial);
    if (connection->readable)
        event_free(connection->readable);
    if (connection->writable)
        event_free(connection->writable);
    if (connection->closing)
        event_free(connection->closing);
    tls_session_free(connection->tls);
    if (connection->socket >= 0)
        close(connection->socket);
    text_deinit(&connection->out);
    free(connection->in);
    free(connection);
}
