/*
 * rows_table.h - the rows of a statement in the FROM of a query.
 *
 *     SELECT row ->> 'AUC' FROM totrain_rows('SELECT * FROM t TO EVALUATE m')
 *         a row of JSON for each row; up to 8 values of the SELECT's parameters behind the text
 *     CREATE VIRTUAL TABLE temp.judged USING totrain_rows('SELECT * FROM t TO EVALUATE m')
 *         a table with the statement's own columns, which runs it whenever it is read
 *
 * Only statements that write nothing run here: a query may read a table many times. A table belongs
 * to its connection, and no view or trigger of a database file can read one, so that a file from
 * somebody else runs nothing. A scan runs the statement once, and keeps its rows for the next scan
 * of the same place in the query.
 */
#pragma once

#include "extension/sqlite/functions/sqlite_connection.h"

enum status rows_table_register(struct sqlite_connection *connection, struct error *err);
