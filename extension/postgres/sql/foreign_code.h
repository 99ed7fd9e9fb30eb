/*
 * foreign_code.h - what is on a model's table that would run, with the rights of whoever writes
 * into it, a function of another role: a table that was taken over from somebody keeps the triggers
 * and rules of that role.
 */
#ifndef EXTENSION_POSTGRES_SQL_FOREIGN_CODE_H
#define EXTENSION_POSTGRES_SQL_FOREIGN_CODE_H

#include "extension/postgres/sql/models.h"

/* PERMISSION where a trigger, rule, default, constraint, policy, index or statistics of the
 * caller's table calls a function or operator that is neither the caller's nor a superuser's, or
 * where a rule names such a table. Functions of PostgreSQL itself are superusers'. */
enum status refuse_foreign_code(struct postgres_host *host, const struct pg_located *located,
                                struct error *err);

#endif
