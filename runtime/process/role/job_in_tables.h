/*
 * job_in_tables.h - a job whose roles share no folder, but a database.
 *
 *     tables of PostgreSQL --pgstore--> spec, rows --> FOLDER, which is this role's alone
 *                          <--journal-- what the master puts
 *
 * The folder may be empty or missing; its files are a copy, and are written anew.
 */
#pragma once

#include "runtime/process/role/roles.h"
#include "runtime/role/job.h"

struct pgstore;

/* options->database: the file with the connection string (runtime/data/pgstore/pg_connection.h).
 * The job's number is the folder's name. Tables and options must outlive the job. */
enum status job_open_tables(const struct role_options *options, struct job *job,
                            struct pgstore **tables, struct error *err);
