/*
 * descent_export.h - the finished model, and the memories of rows by name for tests that invert a
 * bit in one, as struct learner_method asks for them.
 */
#pragma once

#include "runtime/learn/descent/descent_parts.h"

/* The weights are those of the epoch that descent_best.h says. */
enum status descent_fill(void *self, struct model *model, struct error *err);
void descent_tell(void *self, struct measuring *measuring);
void *descent_memory(void *self, const char *name, size_t *size);
