/*
 * missing_name.h - "no such table: irs": where it stands, and what may have been meant.
 */
#pragma once

#include "base/error.h"
#include "extension/sqlite/api/api.h"

/* Hints for a SELECT that could not be prepared, with SQLite's own message: for a table or column
 * that is not there the nearest one as a hint, and the place of a table, which SQLite does not
 * tell. Other errors stay as they are. Returns err->status. */
enum status hint_missing_name(sqlite3 *db, struct slice select, struct error *err);
