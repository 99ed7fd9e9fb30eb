/*
 * foreign_code.h - what is on a table that would run, with the rights of whoever writes into it,
 * what another role has made: a table that was taken over from somebody keeps the triggers, rules
 * and constraints of that role.
 */
#pragma once

#include "extension/postgres/sql/models.h"

/* PERMISSION where a trigger, rule, default, constraint, policy, index, statistics or column of the
 * caller's table calls a function or operator, or is of a type, that is neither the caller's nor a
 * superuser's, or where a rule names such a table; also where one calls a function that runs a text
 * of SQL or acts with the caller's rights: a volatile one of PostgreSQL's (but for random numbers,
 * sequences and clocks), one that maps tables to XML, or one of an extension that is not immutable.
 */
enum status refuse_foreign_code(struct sql_host *host, const struct sql_located *located,
                                struct error *err);
