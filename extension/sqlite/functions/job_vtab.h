/*
 * job_vtab.h - totrain_jobs, totrain_workers, totrain_events, totrain_job_metrics: jobs as
 * tables that can be read while they run. They exist in every session and in
 * no file; a view or trigger in a database file cannot read them.
 */
#pragma once

#include "base/error.h"
#include "extension/sqlite/api/api.h"

enum status job_vtab_register(sqlite3 *db, struct error *err);
