/*
 * address.h - "unix:/run/user/1000/totrain.x7Kf2a/worker0" or "tcp:127.0.0.1:4711".
 */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include "base/error.h"

/* Sockets are non-blocking and close on exec. */

/* `bound` (at least MESSAGE_ADDRESS_MAX + 1 bytes) takes the address as peers
 * use it: port 0 has become a real port. */
enum status address_listen(const char *address, int *socket, char *bound, size_t bound_size,
                           struct error *err);
/* The connection may still be in progress when this returns: writing then
 * waits, and a refusal shows as a failed read or write. */
enum status address_connect(const char *address, int *socket, struct error *err);
/* -1 when nobody waits. */
int address_accept(int listener);

#endif
