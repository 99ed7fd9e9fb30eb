/*
 * metrics_address.h - where samples for Prometheus are served: 'PORT', 'IP:PORT', '[IPv6]:PORT'.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* False: it is none of them. Without an IP the host is 127.0.0.1, otherwise a part of the text. */
bool metrics_address_read(struct slice text, struct slice *host, uint32_t *port);

struct planning;

/* The address in job.metrics; size 0: it is not set. INVALID at a value that is no address. */
enum status metrics_address_plan(struct planning *planning, struct slice *served_host,
                                 uint32_t *port);
