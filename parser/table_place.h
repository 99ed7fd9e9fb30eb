/*
 * table_place.h - the table that a SELECT of the database's names at a place.
 */
#ifndef PARSER_TABLE_PLACE_H
#define PARSER_TABLE_PLACE_H

#include "base/text.h"

/* The word behind FROM, JOIN, a comma or a dot that begins at this byte; empty where none does. */
struct slice table_named_at(struct slice select, int position);

#endif
