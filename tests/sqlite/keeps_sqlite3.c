/*
 * keeps_sqlite3.c - a library with Python's module's name in its own, whose calls are answered as
 * that one's: it keeps statements by their text.
 */
#include <sqlite3.h>

#include "tests/sqlite/keeps_sqlite3.h"

bool keeps_as_busy(sqlite3_stmt *statement)
{
    return sqlite3_stmt_busy(statement);
}

int keeps_reset(sqlite3_stmt *statement)
{
    return sqlite3_reset(statement);
}
