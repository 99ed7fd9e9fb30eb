/*
 * health.h - is this process alive? For a kubelet's livenessProbe, which starts it again.
 *
 *     GET --> thread of its own --200--> the loop has ticked within HEALTH_SILENCE_MS, or is in
 *                                        a call of the store (store_call.h)
 *                               --503--> neither
 *
 * A process that is frozen answers nothing. One that waits for its database, which its loop does
 * for a minute, or reads a long journal as it starts, is alive: hence the thread. The answer has
 * nothing about the job. HTTP/1.0; the request is not read.
 */
#pragma once

#include <stdint.h>

#include "runtime/loop/store_call.h"

/* More than a database is waited for. */
#define HEALTH_SILENCE_MS 180000

struct health;

/* `address` as in runtime/net/address.h, TCP. Once a process, before it has other threads than the
 * caller's that take signals: this one takes none. `call` must outlive it; NULL: there is no store.
 */
enum status health_open(const char *address, const struct store_call *call, struct health **health,
                        struct error *err);
void health_beat(struct health *health, int64_t now_ms); /* NULL: nothing */
void health_close(struct health *health);                /* NULL: nothing */
