/*
 * sql.h - the few moves that all our use of a database is made of.
 */
#ifndef EXTENSION_SQL_SQL_H
#define EXTENSION_SQL_SQL_H

#include "extension/sql/sql_host.h"

/* Schema and name of a sql_located as SQL takes them, for "%s.%s" in a message. */
#define LOCATED_NAME(located)                                                                      \
    SQL_NAME(slice_of((located)->schema)), SQL_NAME(slice_of((located)->name))

/* The value of a boolean column; NULL is not true. */
static inline bool cell_is_true(const struct cell *cell)
{
    return cell->type == CELL_INTEGER && cell->integer != 0;
}

/* SQL in which every @ stands for the quoted table. */
void sql_append(struct text *sql, const char *format, const struct sql_table *table);

/* A hint that can be copied: every @ stands for the quoted table. */
enum status sql_hint(struct error *err, const char *format, const struct sql_table *table);

/* Run SQL of our own whose rows are not needed. `table` (may be NULL) is for @,
 * `affected` may be NULL. */
enum status sql_run(struct sql_host *host, const char *format, const struct sql_table *table,
                    const struct cell *parameters, size_t count, uint64_t *affected,
                    struct error *err);
/* The same with SQL that is complete. */
enum status sql_run_text(struct sql_host *host, const struct text *sql,
                         const struct cell *parameters, size_t count, uint64_t *affected,
                         struct error *err);

/* The rows of SQL of our own. */
enum status sql_each(struct sql_host *host, const char *format, const struct sql_table *table,
                     const struct cell *parameters, size_t count, const struct database_rows *rows,
                     struct error *err);

/* The first row: `width` cells, whose texts live in the arena. *found is false without one. */
enum status sql_first(struct sql_host *host, const char *format, const struct cell *parameters,
                      size_t count, struct arena *arena, struct cell *cells, size_t width,
                      bool *found, struct error *err);

#endif
