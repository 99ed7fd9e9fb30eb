/*
 * own_sql.h - what SQL of our own may name, checked at the moment when PostgreSQL plans it.
 *
 * SQL names tables and types, and between a check and the statement somebody else can put
 * another object in a name's place, whose triggers, index expressions or constraints would run
 * as the caller. When PostgreSQL hands a statement to its planner all names are resolved, the
 * tables are locked, and nothing of anybody's has run. There, of each statement that is
 * announced here,
 *
 *     the tables     belong to the caller, to a superuser or to PostgreSQL itself: where the
 *                    statement is ours as a whole
 *     label types    in the calls of totrain.predict and totrain.as_type that the statement's
 *                    own list of columns makes, are PostgreSQL's or an enum, whose input is
 *                    PostgreSQL's; such a type is locked
 *
 * or the statement fails. What the user's own SELECT names inside of it is the user's.
 */
#ifndef EXTENSION_POSTGRES_SERVER_OWN_SQL_H
#define EXTENSION_POSTGRES_SERVER_OWN_SQL_H

#include "extension/postgres/server/compat.h"

struct own_sql {
    const char *sql;    /* as PostgreSQL gets it; NULL: none. Borrowed */
    bool checks_tables; /* all of it is ours */
};

/* From here on this statement is checked; what was announced before is returned. */
struct own_sql own_sql_announce(struct own_sql own);
struct own_sql own_sql_now(void);

void own_sql_install(void);

/* Of a table, an index, a view ...; InvalidOid where it is gone. */
Oid relation_owner(Oid relation);

#endif
