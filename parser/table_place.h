/*
 * table_place.h - the table that a SELECT of the database's names at a place.
 */
#pragma once

#include "base/text.h"

/* The word behind FROM, JOIN, a comma or a dot that begins at this byte; empty where none does. */
struct slice table_named_at(struct slice select, int position);

/* Has it no FROM? Then no column of a table can be meant. */
bool names_no_table(struct slice select);

/* Does a name begin at this byte, of a SELECT without FROM? */
bool is_name_without_table(struct slice select, int position);
