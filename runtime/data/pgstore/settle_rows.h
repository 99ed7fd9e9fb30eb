/*
 * settle_rows.h - what is known over all rows that workers have staged (staged_settle.h), by a
 * worker, over its connections.
 */
#pragma once

#include "runtime/data/pgstore/pgstore.h"
#include "runtime/data/staged/staged_settle.h"

/* Works in the folder, and leaves nothing there. */
enum status pgstore_settle(struct pgstore *store, const char *folder,
                           const struct settled_spool *spools, size_t count, struct error *err);
