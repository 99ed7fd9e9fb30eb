/*
 * row_guess.h - how many rows a SELECT may have: what the server's planner expects. For the columns
 * of one table that is pg_class.reltuples, brought to the table's present size, and for others the
 * best that can be known without running them.
 */
#pragma once

#include "base/text.h"

uint64_t postgres_guess_rows(void *self, struct slice select);
