/*
 * connection.h - frames over one socket, driven by a libevent loop.
 *
 *     DIALING --> SHAKING HANDS --> ESTABLISHED --> CLOSED
 *     (an accepted socket begins with the second; without TLS it is established)
 *
 * Whole frames come out of it; frames go into it at any time and are written
 * as far as the socket takes them, the rest when it is writable again or the
 * peer has shown its certificate. The connection closes itself on an error, at
 * the end of the stream, on a peer that is not the expected one and on bytes that
 * are no frame, and then calls its owner once. It has no clock: the owner
 * frees a connection that is not established in time.
 */
#pragma once

#include "runtime/net/address.h"
#include "runtime/net/frame.h"
#include "runtime/net/tls.h"

struct event_base;
struct connection;

/* More than this unsent closes the connection: the other side does not read. */
#define CONNECTION_UNSENT_MAX ((size_t)1 << 30)
/* Sent to the master and not acknowledged for so long: it is unreachable. It
 * always reads, so its silence is that of its machine or of the network; peers
 * may compute for minutes without reading and have no such limit. */
#define CONNECTION_UNACKED_MS 8000
/* The master's machine does not answer for so long: the address is given up, since the next master
 * may have another one behind the same name. Long enough for a first packet that was lost. */
#define CONNECTION_ANSWER_MS 1500

struct connection_owner {
    void *context;
    /* A frame arrived, borrowed for the call. False closes the connection. */
    bool (*on_frame)(void *context, struct connection *connection, struct slice frame);
    /* The other side or an error closed it: free it. Called from the loop
     * only, and not for connection_free. */
    void (*on_closed)(void *context, struct connection *connection, const struct error *reason);
};

/* Makes a connection of an accepted socket, which it takes over in every case. `demand` is copied;
 * its tls must outlive the connection. */
enum status connection_new(struct event_base *base, int socket, const struct tls_demand *demand,
                           struct connection_owner owner, struct connection **connection,
                           struct error *err);
/* INVALID, LIMIT for what is no address; all else closes it later. */
enum status connection_dial(struct event_base *base, const char *address,
                            const struct tls_demand *demand, struct connection_owner owner,
                            struct connection **connection, struct error *err);
void connection_send(struct connection *connection, struct slice frames);
bool connection_is_drained(const struct connection *connection);
bool connection_is_established(const struct connection *connection);
/* The peer's identity where the connection is established with TLS; otherwise NULL. */
const struct identity *connection_peer(const struct connection *connection);
/* Where it is; "" where that has no address. */
void connection_peer_address(const struct connection *connection, char text[ADDRESS_TEXT_MAX + 1]);
/* Closes at once: what was not written is lost. */
void connection_free(struct connection *connection);
