/*
 * sql.h - the few moves that all our use of a database is made of.
 */
#pragma once

#include "extension/sql/sql_host.h"

/* Schema and name of a sql_located as SQL takes them, for "%s.%s" in a message. */
#define LOCATED_NAME(located)                                                                      \
    SQL_NAME(slice_of((located)->schema)), SQL_NAME(slice_of((located)->name))

/* The value of a boolean column; NULL is not true. */
static inline bool cell_is_true(const struct cell *cell)
{
    return cell->type == CELL_INTEGER && cell->integer != 0;
}

/* SQL in which every @ stands for the quoted table, and @. for its quoted schema and a dot. */
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

/* The same of one table, for @. `arena` may be NULL where no cell is a text. */
enum status sql_first_of(struct sql_host *host, const char *format, const struct sql_table *table,
                         const struct cell *parameters, size_t count, struct arena *arena,
                         struct cell *cells, size_t width, bool *found, struct error *err);
/* The one whole number of such a row: 0 where it is none. */
enum status sql_integer(struct sql_host *host, const char *format, const struct sql_table *table,
                        const struct cell *parameters, size_t count, int64_t *value,
                        struct error *err);
/* The one text of such a row, as much of it as has room: empty where it is none. */
enum status sql_text_of(struct sql_host *host, const char *format, const struct cell *parameters,
                        size_t count, char *text, size_t size, struct error *err);
/* Statements of a list that ends with NULL, one after another. */
enum status sql_run_all(struct sql_host *host, const char *const *formats,
                        const struct sql_table *table, const struct cell *parameters, size_t count,
                        struct error *err);
/* Gives the table another name in its schema. */
enum status sql_rename(struct sql_host *host, const struct sql_table *from, struct slice to,
                       struct error *err);
