/*
 * parallel_scan.h - a whole table read by several connections at once.
 *
 * Only for a SELECT that names columns of one rowid table, of all rows or of those that a WHERE
 * chooses by comparing columns and numbers, in a database file and outside a transaction:
 * connections of ours then see what the user's would. What they see is one state of the table,
 * since all their read transactions start while one more connection holds the write lock.
 *
 * A frame, which lies in memory, has a way of its own (frame_scan.h).
 */
#pragma once

#include "extension/engine/rows/plain_scan.h"
#include "extension/sqlite/host/sqlite_host.h"

/* The host's scan(): see extension/engine/host/host.h. */
enum status host_scan(void *self, struct slice select, const struct scan *scan,
                      struct scan_outcome *outcome, struct error *err);
