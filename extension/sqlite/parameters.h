/*
 * parameters.h - ?, ?1, :name, @name and $name in the SELECT of a bare statement.
 *
 *     prepare   the statement that is generated instead has the same parameters under the same
 *               numbers and names, so that a program binds them as to any other
 *     step      the values come as arguments of totrain_exec() and are written into the SELECT
 *
 * The rows of a job are read by several statements, connections and processes, also when this
 * statement is gone: the values have to be where the SELECT is. Numbers and texts written so are
 * the ones that were bound, to the last bit.
 */
#pragma once

#include "base/error.h"
#include "extension/sqlite/api/api.h"

/* ", ?1, :name": each parameter of the SELECT once, in the order of their numbers. What keeps the
 * SELECT from being prepared is the error, its position in the SELECT. */
enum status parameters_list(sqlite3 *db, struct slice select, struct text *arguments,
                            struct error *err);

/* The statement of ours with the values in the places of its SELECT's parameters; as it is where it
 * has none. INVALID where there are more or fewer values. */
enum status parameters_write(sqlite3 *db, struct slice statement, int count, sqlite3_value **values,
                             struct text *written, struct error *err);
