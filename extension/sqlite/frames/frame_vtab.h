/*
 * frame_vtab.h - CREATE VIRTUAL TABLE temp.df USING totrain_frame(key): a frame (frame.h) as rows.
 *
 * In the order of its arrays; the rowid is the place, from 1 on.
 */
#pragma once

#include "extension/sqlite/api/api.h"
#include "extension/sqlite/frames/frame.h"

/* SQLite's code. */
int frame_vtab_register(sqlite3 *db);
/* The frame that this table of the connection shows; NULL: it shows none. To be let go of
 * (frame_let_go). */
struct frame *frame_vtab_find(sqlite3 *db, struct slice schema, struct slice table);
