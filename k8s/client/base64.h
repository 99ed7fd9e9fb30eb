/*
 * base64.h - OpenSSL's base64 as slices.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

/* White space between the letters is skipped, as Kubernetes does. CORRUPT for
 * anything else that is no base64, NO_MEMORY. The bytes live in the arena. */
enum status base64_decode(struct slice letters, struct arena *arena, struct slice *bytes,
                          struct error *err);

/* Appends the letters, on one line. */
void base64_encode(struct slice bytes, struct text *out);
