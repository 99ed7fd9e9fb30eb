/*
 * names.h - the tables, columns and models of a database, for completion and people.
 */
#pragma once

#include "cli/session/session.h"
#include "cli/shell/completion.h"

#define NAMES_MAX 10000 /* tables; columns of one table are bounded by the database */

/* One row a table or view: its name, its kind (table, view, model). */
const char *names_query(const struct session *session);

/* The query that describes a table's columns, or those of all tables where none is named.
 * PostgreSQL reads the name as it is written, quotes included. */
void schema_query(const struct session *session, struct slice table, struct text *sql);

/* Reads the names for completion. Names that cannot be read are left out: completion must not
 * disturb. */
void names_read(const struct session *session, struct arena *arena, struct completion_names *names);

/* A name as it is to be written: quoted where it must be. Empty where memory ran out. */
struct slice names_spell(struct arena *arena, struct slice name);
