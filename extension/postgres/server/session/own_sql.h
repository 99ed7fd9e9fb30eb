/*
 * own_sql.h - checks the tables and types that SQL of our own names, when PostgreSQL plans it.
 *
 * SQL names tables and types, and between a check and the statement another role can put another
 * object in a name's place, whose triggers, index expressions or constraints would run as the
 * caller. When PostgreSQL hands a statement to its planner all names are resolved, the tables are
 * locked, and no foreign code has run. There, of each statement that is registered here,
 *
 *     the tables     belong to the caller, to a superuser or to PostgreSQL itself: where the
 *                    statement is ours as a whole; those of a TRUNCATE when it is about to begin
 *     label types    in the calls of totrain.predict and totrain.as_type that the statement's
 *                    own list of columns makes, are PostgreSQL's or an enum, whose input is
 *                    PostgreSQL's; such a type is locked
 *
 * or the statement fails. What the user's own SELECT names inside of it is the user's.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

struct own_sql {
    const char *sql;    /* the statement as PostgreSQL gets it; NULL: none. Borrowed */
    bool checks_tables; /* all of it is ours */
};

/* Registers a statement to be checked from here on; returns the one registered before. */
struct own_sql own_sql_announce(struct own_sql own);
struct own_sql own_sql_now(void);

void own_sql_install(void);

/* The owner of a table, an index, a view ...; InvalidOid where it is gone. */
Oid relation_owner(Oid relation);
