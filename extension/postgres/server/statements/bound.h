/*
 * bound.h - $1, $2 in the SELECT of a statement that totrain.run() or totrain.rows() runs:
 *
 *     SELECT * FROM totrain.run($$ SELECT * FROM t WHERE day < $1 TO TRAIN ... $$, current_date)
 *
 * COPY and the processes of a job take no parameters, so that the values are written into the
 * SELECT, each with its type.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

#include <fmgr.h>

#include "base/text.h"

/* The statement, in UTF-8, with the values of the function's arguments behind the first in the
 * places of its parameters; as it is where it has none. ERROR where there are more or fewer. */
struct slice bound_statement(FunctionCallInfo fcinfo, struct slice statement);
