/*
 * connection.h - frames over one socket, driven by a libevent loop.
 *
 * Whole frames come out of it; frames go into it and are written at once as
 * far as the socket takes them, the rest when it is writable again. The
 * connection closes itself on an error, at the end of the stream and on bytes
 * that are no frame, and then tells its owner once.
 */
#ifndef NET_CONNECTION_H
#define NET_CONNECTION_H

#include "net/frame.h"

struct event_base;
struct connection;

/* More than this unsent closes the connection: the other side does not read. */
#define CONNECTION_UNSENT_MAX ((size_t)1 << 30)

struct connection_owner {
    void *context;
    /* A frame arrived, borrowed for the call. False closes the connection. */
    bool (*on_frame)(void *context, struct connection *connection, struct slice frame);
    /* The other side or an error closed it: free it. Not called for
     * connection_close. */
    void (*on_closed)(void *context, struct connection *connection, const struct error *reason);
};

/* Takes the socket over, in every case. */
enum status connection_new(struct event_base *base, int socket, struct connection_owner owner,
                           struct connection **connection, struct error *err);
void connection_send(struct connection *connection, struct slice frames);
bool connection_is_drained(const struct connection *connection);
/* Closes at once: what was not written is lost. */
void connection_free(struct connection *connection);

#endif
