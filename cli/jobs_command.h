/*
 * jobs_command.h - `totrain jobs`, and wait, cancel and logs of one job.
 *
 * They read the folders of the jobs, so they work while the database that a
 * job belongs to is busy, and need none.
 */
#pragma once

/* argv[0] is the command's own name. The exit code. */
int command_jobs(int argc, char **argv);
int command_cancel(int argc, char **argv);
int command_logs(int argc, char **argv);
int command_wait(int argc, char **argv);
int command_publish_job(int argc, char **argv); /* takes a job's id; publish_command.h */
