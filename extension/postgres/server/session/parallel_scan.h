/*
 * parallel_scan.h - a whole table read by several processes of the server.
 */
#pragma once

#include "extension/engine/host/host.h"

/* host_rows.scan, where the database is a session (session.h). */
enum status parallel_scan(void *self, struct slice select, const struct scan *scan,
                          struct scan_outcome *outcome, struct error *err);
