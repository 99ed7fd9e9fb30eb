/*
 * saved_rows.h - the rows that a job keeps (fill_rows.h) in a file, for another session.
 *
 *     first text      the columns of pg_temp.totrain_kept, as CREATE TABLE takes them
 *     each other      a row of it, as PostgreSQL prints rows
 *
 * Texts depend on settings; both sides use the same ones, under which no value loses anything, and
 * which change nothing for the user. Reading a text runs its type's input function: that of a
 * domain, for one, runs checks that the domain's owner has written. So only the server's own types,
 * enums, and types of the caller's and of superusers are read; others are refused, first when they
 * are saved.
 */
#pragma once

#include "base/error.h"

/* The same as in host_kept_rows. */
enum status postgres_save_rows(void *self, const char *path, struct error *err);
enum status postgres_restore_rows(void *self, const char *path, struct error *err);
