/*
 * schedule.h - `totrain submit service=NAME --schedule=CRON`: a statement that trains by the clock.
 *
 *     statement, options --> CronJob and Secret, printed or made
 *                                |  its pod, at each time
 *                                v
 *                            totrain submit service=NAME -f statement.sql --run-of=... --owner=...
 *
 * The statement is parsed and not planned: no database is needed where a schedule is made.
 */
#pragma once

#include "cli/session/options.h"

#define SCHEDULE_SERVICE        "service=totrain" /* for a check that names none */
#define SCHEDULE_SERVICE_SECRET "totrain-service"

/* Prints both objects with --dry-run, else makes them; BUSY where a CronJob of this name is there.
 * INVALID for what could not train: no TRAIN in the statement, one that does not wait. */
enum status schedule_submit(const struct options *options, struct error *err);

/* "service=NAME" and more, but no password, which would be seen in the pod's arguments. INVALID. */
enum status schedule_check_database(const char *address, struct error *err);
