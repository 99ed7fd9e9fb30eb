/*
 * missing_relation.h - 'relation "irs" does not exist', 'column "a" does not exist': what may have
 * been meant.
 */
#pragma once

#include "extension/sql/sql_host.h"

/* Adds a hint to the error of a SELECT that could not be described: the nearest table of the search
 * path, where the server's error stands at a table's name; or that FROM may be missing, where it
 * stands at a column and no table is named. Errors with a hint, and others, stay as they are. */
void hint_relation(struct sql_host *host, struct slice select, struct error *err);
