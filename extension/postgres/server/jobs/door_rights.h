/*
 * door_rights.h - which statements a caller may run.
 *
 *     EXECUTE on totrain.run(text)         all: totrain_user
 *     on totrain.rows(text) alone          those that write nothing, and no job is begun for them:
 *                                          totrain_reader
 *     on totrain.job_table(text) alone     SHOW JOBS: totrain_monitor, totrain_admin
 */
#pragma once

#include "extension/postgres/server/jobs/door.h"

/* Is the extension in this database, and may the caller run any of its statements? Throws
 * where he may not. */
bool door_is_allowed(void);

/* May the caller run this one? Throws where he may not. `piece` as in engine_run. */
void door_check_statement(struct door *door, struct slice text, const struct piece *piece);

/* SHOW JOBS of a member of totrain_monitor or totrain_admin, who sees the jobs of all, as a query;
 * NULL: another statement or caller. A superuser has to be granted it. */
const char *door_monitors_query(struct slice text, const struct piece *piece);
