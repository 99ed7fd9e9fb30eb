/*
 * tls.h - TLS 1.3 both ways among the roles of one job.
 *
 *     socket --bytes--> session --handshake--> a peer with an identity
 *
 * A peer is accepted only if it proves to have the key of a certificate that
 * this job's authority signed, that is valid now, and that names this job and
 * a role expected at this end: a worker's or a parameter server's certificate does not make a
 * master. There are no session tickets and no early data, so nothing that was
 * recorded means anything when it is sent again.
 *
 * OpenSSL works directly on the non-blocking socket, under the connection that
 * has the buffers already (docs/decisions/0015-tls.md). It writes without
 * MSG_NOSIGNAL: the process ignores SIGPIPE, which loop_new sees to.
 */
#pragma once

#include "runtime/net/credentials.h"
#include "runtime/net/identity.h"

/* Our credentials and the authority that we trust. Does not change; threads may share it. */
struct tls;

/* INVALID when the three do not belong together or name no role. */
enum status tls_new(const struct credentials *credentials, struct tls **tls, struct error *err);
enum status tls_open(const char *folder, struct tls **tls, struct error *err);
void tls_free(struct tls *tls); /* after all its sessions */
const struct identity *tls_identity(const struct tls *tls);

/* The identity that one end of a connection demands of the other. `tls` NULL: plain bytes. */
struct tls_demand {
    struct tls *tls;
    enum identity_role peer; /* the master, or any but the master */
};

struct tls_session;

enum tls_side { TLS_CONNECTS, TLS_ACCEPTS };

enum tls_result {
    TLS_DONE,
    TLS_WANTS_READ, /* call again when the socket is readable */
    TLS_WANTS_WRITE,
    TLS_CLOSED, /* the other side closed; err describes how */
    TLS_FAILED  /* err has the reason */
};

/* The socket is borrowed and must outlive the session. */
enum status tls_session_new(const struct tls_demand *demand, int socket, enum tls_side side,
                            struct tls_session **session, struct error *err);
void tls_session_free(struct tls_session *session); /* sends close_notify where it can at once */

enum tls_result tls_handshake(struct tls_session *session, struct error *err);
/* After the handshake. *done is what was moved, more than 0 when DONE. A write
 * that was not DONE is repeated with the same bytes, at any address. */
enum tls_result tls_read(struct tls_session *session, char *bytes, size_t size, size_t *done,
                         struct error *err);
enum tls_result tls_write(struct tls_session *session, const char *bytes, size_t size, size_t *done,
                          struct error *err);
/* After the handshake. */
const struct identity *tls_peer(const struct tls_session *session);
