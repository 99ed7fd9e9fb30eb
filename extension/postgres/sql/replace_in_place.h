/*
 * replace_in_place.h - new rows into a published table, which others know by its OID.
 *
 * A publication, and who subscribes to it, knows a table, and not its name: one that is dropped for
 * another is lost to them. So the rows are made in a table that is not published, an UNLOGGED one,
 * and written from there into the old one, where
 *
 *     the columns are the same, and none is an identity or generated
 *     nothing runs with the rows: no trigger, no rule, and in indexes and constraints nothing that
 *     another role has made (foreign_code.h)
 *     the caller owns it
 *
 * Everywhere else the new table takes its place. So does one that is the first of its name: made in
 * the same way it stops no subscription to all tables, as rows of a table do that the subscriber
 * does not have.
 */
#pragma once

#include "extension/postgres/sql/models.h"
#include "extension/sql/sql.h"

struct pg_published {
    bool is_published;
    bool stays;             /* rows may be written into it, if their columns are its own */
    char publications[200]; /* those that name it, in SQL; "": they take all tables or its schema */
};

enum status postgres_find_published(struct sql_host *host, const struct sql_located *table,
                                    struct pg_published *published, struct error *err);
enum status postgres_has_same_columns(struct sql_host *host, int64_t one, int64_t other,
                                      bool *has_same, struct error *err);
/* The same of a table that is yet to be made in the schema: is_published, and the names of all such
 * publications; where the server cannot have a subscriber there are none. */
enum status postgres_find_schema_published(struct sql_host *host, struct slice schema,
                                           struct pg_published *published, struct error *err);
/* Rows of `from`, which is dropped, in the place of those of `table`. */
enum status postgres_move_rows(struct sql_host *host, const struct sql_table *from,
                               const struct sql_table *table, struct error *err);
