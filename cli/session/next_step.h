/*
 * next_step.h - the statements that are likely to come after TRAIN, to copy.
 *
 *     NEXT:  SHOW MODEL m;
 *            SELECT * FROM t TO EVALUATE m;
 *            SELECT * FROM t TO PREDICT USING m;
 *
 * They are for a person, so they stand on standard error, and only where results are tables or
 * lines on a terminal, and --quiet, --progress=json and .output are not in force.
 */
#pragma once

#include "cli/session/session.h"

/* The statement at text[piece->span] has run. Prints nothing for any but TRAIN, or when its SELECT
 * is longer than a line. */
void next_step_print(const struct session *session, struct slice text, const struct piece *piece);
