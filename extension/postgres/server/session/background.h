/*
 * background.h - the beginning of a background worker, and the end of what one of its statements
 * throws.
 */
#pragma once

#include <postgres.h>

/* First of all in a worker's main function: SIGTERM ends it as it ends a session, and what it
 * allocates and opens has an owner of this name. */
void background_begin(const char *name);
/* In PG_CATCH: logs the error, ends the transaction, and goes on in `context`. The message lies
 * there. */
const char *background_catch(MemoryContext context);
