/*
 * sql.h - the few moves that all our use of PostgreSQL is made of.
 */
#ifndef EXTENSION_POSTGRES_SQL_SQL_H
#define EXTENSION_POSTGRES_SQL_SQL_H

#include "extension/postgres/sql/postgres_host.h"

/* Operators by their schema: a search_path may put others before pg_catalog's. */
#define EQ " OPERATOR(pg_catalog.=) "
#define NE " OPERATOR(pg_catalog.<>) "
#define LT " OPERATOR(pg_catalog.<) "

/* Any role may own a schema of its name; a superuser has made the extension. */
#define EXTENSION_IS_THERE                                                                         \
    "EXISTS (SELECT FROM pg_catalog.pg_extension e WHERE e.extname" EQ "'totrain')"

/* Of pg_type t and its pg_namespace n: the name by which any session finds the type, and whether
 * predictions can be of it. A domain cannot: its checks are functions of its owner. */
#define PG_TYPE_NAME "pg_catalog.format('%I.%I', n.nspname, t.typname)"
#define PG_LABEL_TYPE                                                                              \
    "(t.typtype" EQ "'e' OR n.nspname" EQ "'pg_catalog' AND t.typname OPERATOR(pg_catalog.=) ANY " \
    "('{bool,int2,int4,int8,float4,float8,numeric,text,varchar,bpchar,name,uuid,date,timestamp,"   \
    "timestamptz}'::pg_catalog.name[]))"

/* A table; schema.size 0: along the search_path. */
struct pg_table {
    struct slice schema, name;
};

/* Schema and name as SQL takes them, for "%s.%s" in a message; of a pg_located. */
#define PG_NAME_OF(located)                                                                        \
    SQL_NAME(slice_of((located)->schema)), SQL_NAME(slice_of((located)->name))

/* The value of a boolean column; NULL is not true. */
static inline bool pg_is_true(const struct cell *cell)
{
    return cell->type == CELL_INTEGER && cell->integer != 0;
}

/* SQL in which every @ stands for the quoted table. */
void pg_sql_append(struct text *sql, const char *format, const struct pg_table *table);

/* A hint that can be copied: every @ stands for the quoted table. */
enum status pg_hint(struct error *err, const char *format, const struct pg_table *table);

/* Run SQL of our own whose rows are not needed. `table` (may be NULL) is for @,
 * `affected` may be NULL. */
enum status pg_run(struct postgres_host *host, const char *format, const struct pg_table *table,
                   const struct cell *parameters, size_t count, uint64_t *affected,
                   struct error *err);
/* The same with SQL that is complete. */
enum status pg_run_text(struct postgres_host *host, const struct text *sql,
                        const struct cell *parameters, size_t count, uint64_t *affected,
                        struct error *err);

/* The rows of SQL of our own. */
enum status pg_each(struct postgres_host *host, const char *format, const struct pg_table *table,
                    const struct cell *parameters, size_t count, const struct pg_rows *rows,
                    struct error *err);

/* The first row: `width` cells, whose texts live in the arena. *found is false without one. */
enum status pg_first(struct postgres_host *host, const char *format, const struct cell *parameters,
                     size_t count, struct arena *arena, struct cell *cells, size_t width,
                     bool *found, struct error *err);

#endif
