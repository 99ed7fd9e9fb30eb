/*
 * splitter.h - statements of a script, one after the other.
 */
#pragma once

#include "parser/parser.h"

/* Find the piece that begins at or after byte `from`. A CREATE TRIGGER body is
 * one piece, as in sqlite3_complete(). Never fails: a piece that does not end
 * has .open set. */
struct piece split_piece(struct slice text, int from);
