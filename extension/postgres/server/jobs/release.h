/*
 * release.h - dropping the tables of jobs that are over, without waiting for their readers.
 *
 *     totrain.discard(N)   tries for 0.1 s; then marks the tables as over, and leaves them to
 *     background worker    which tries again for two minutes, with longer and longer pauses; then
 *     totrain.sweep_jobs   with the next submission of the same role
 *     session that dies    the worker waits until the job's supervisor has ended, then tries; not
 *                          where that could not delete the Job, which may go on, nor where the
 *                          job is unpublished: its model is in the tables
 *
 * A reader whose machine was cut off is noticed by the server within seconds, since the processes
 * of jobs set tcp_user_timeout and keepalives of their sessions
 * (runtime/data/pgstore/pg_connection.c). Others, as a pg_dump, may read for as long as they like.
 */
#pragma once

#include "extension/postgres/server/jobs/door.h"

/* In the transaction of the door's caller, with whose rollback the tables stay. */
enum status release_tables(struct door *door, int64_t number, struct error *err);

/* The session waits for the job of this folder, whose tables have this number; folder 0: it waits
 * no more. */
void release_when_session_dies(int64_t number, int64_t folder);
