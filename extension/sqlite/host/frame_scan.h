/*
 * frame_scan.h - a frame (frame.h) read by several threads, past SQLite.
 *
 * Where a SELECT names columns of a frame and nothing else, its rows are what the frame's arrays
 * have: each reader takes stretches of them (scan_threads.h) into the spool. SQLite prepares the
 * statement, and says by its program which columns these are; an authorizer that hides one changes
 * the program, and the frame is then read by SQLite.
 */
#pragma once

#include "extension/sqlite/host/sqlite_host.h"

/* False: the SELECT reads no frame, and nothing was done. Else as the host's scan()
 * (extension/engine/host/host.h), with its status. */
bool frame_scan(struct sqlite_host *host, struct slice select, const struct scan *scan,
                struct scan_outcome *outcome, enum status *status, struct error *err);
