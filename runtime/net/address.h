/*
 * address.h - "unix:/run/user/1000/totrain.x7Kf2a/worker0", "tcp:127.0.0.1:4711",
 * "tcp:[fd00::7]:4711" or, to connect to, "tcp:totrain-17-master.jobs:4711".
 */
#pragma once

#include <sys/socket.h>

#include "base/error.h"

/* Without the zero at the end. As MESSAGE_ADDRESS_MAX: messages carry addresses. */
#define ADDRESS_TEXT_MAX 255

struct address {
    socklen_t size; /* bytes of `where`; 0: a name, to be looked up (lookup.h) */
    struct sockaddr_storage where;
    char host[ADDRESS_TEXT_MAX + 1], port[8]; /* the name and its port */
};

/* INVALID, LIMIT with what was expected. Looks nothing up. */
enum status address_read(const char *text, struct address *address, struct error *err);
/* Writes the address as peers use it; "" for a name, and for a socket without one. */
void address_write(const struct address *address, char *text, size_t text_size);

bool address_is_tcp(const char *text);
/* 0.0.0.0 or ::, to which no peer can connect. */
bool address_is_wildcard(const char *text);

/* Sockets are non-blocking and close on exec. */

/* `bound` (at least ADDRESS_TEXT_MAX + 1 bytes) takes the address as peers
 * use it: port 0 has become a real port. */
enum status address_listen(const char *address, int *socket, char *bound, size_t bound_size,
                           struct error *err);
/* Keeps a port for a process that will listen on it, and for the next when
 * that one has died: as long as the socket is open no other process gets it. */
enum status address_reserve(const char *address, int *socket, char *bound, size_t bound_size,
                            struct error *err);
/* The connection may still be in progress when this returns: the socket is
 * writable when it has succeeded or failed (SO_ERROR). */
enum status address_connect(const struct address *address, int *socket, struct error *err);
/* Is the other end this socket itself? A client that connects to a port of its own machine on which
 * nothing listens may get that very port for its own end, and TCP then connects it to itself. */
bool address_is_own_peer(int socket);
/* TCP only: what was sent and is not acknowledged for so long breaks the
 * connection, where the kernel alone would try for a quarter of an hour. */
void address_limit_unacked(int socket, int milliseconds);
/* -1 with errno when no client waits (EAGAIN) or none can be accepted. */
int address_accept(int listener);
/* The address of the socket's other end; "" where it has none. */
void address_of_peer(int socket, char *text, size_t text_size);
