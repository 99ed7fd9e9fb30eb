/*
 * libpq_scan.h - a whole table read by several connections under one snapshot.
 *
 * Only outside of a transaction and as the role that logged in: connections of our own
 * then see what the user's would. The first one locks the table against TRUNCATE and
 * DROP, which no snapshot keeps out, and exports its snapshot; the others take it, so
 * that all see the same rows, whatever is written meanwhile. Each reader takes the next
 * piece of the table until none is left.
 */
#pragma once

#include "extension/postgres/sql/table_scan.h"

/* The host's scan(), see extension/engine/host/host.h. */
enum status libpq_scan(void *self, struct slice select, const struct scan *scan,
                       struct scan_outcome *outcome, struct error *err);
