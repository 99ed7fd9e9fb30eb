/*
 * keeps_sqlite3.h - what Python's module asks before it executes a statement that it keeps: from
 * 3.12 on the first, before that the second.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

bool keeps_as_busy(sqlite3_stmt *statement);
int keeps_reset(sqlite3_stmt *statement);
