/*
 * descent_memory.h - the memories of a learner by name, for tests that invert a bit in one.
 */
#ifndef RUNTIME_LEARN_DESCENT_MEMORY_H
#define RUNTIME_LEARN_DESCENT_MEMORY_H

#include "runtime/learn/descent_parts.h"

/* ----- what struct learning asks (learning.h); self: a struct descent ----- */

void *descent_memory(void *self, const char *name, size_t *size);

#endif
