/*
 * attached.h - what a session does with a job that it follows on its own machine, and only so.
 */
#pragma once

#include "planner/plan/planning.h"

/* UNSUPPORTED at the position, naming the attribute, where the session does not wait, or has no
 * rows on this machine. Once it is planned where the job runs and who reads the rows. */
enum status attached_check(const struct planning *planning, const char *attribute, int position);
