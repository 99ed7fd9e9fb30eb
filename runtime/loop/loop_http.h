/*
 * loop_http.h - pages for people and for Prometheus, from the loop that moves everything else: a
 * requested page is printed at once, and the loop waits for no client.
 */
#pragma once

#include "runtime/loop/loop_parts.h"

enum status loop_serve_http(struct loop *loop, const char *host, uint16_t port,
                            struct http_reader reader, char *bound, size_t size, struct error *err);
void loop_free_http(struct loop *loop);
