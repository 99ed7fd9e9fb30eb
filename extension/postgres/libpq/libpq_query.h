/*
 * libpq_query.h - one statement and its rows: by COPY where they are computed with, one by one
 * where they are shown or have parameters, and the first ones alone through a cursor.
 */
#pragma once

#include "extension/postgres/libpq/libpq.h"

/* The functions of database.h. */
enum status libpq_query(void *self, const struct database_statement *statement,
                        const struct database_rows *rows, uint64_t *affected, struct error *err);

/* The rows of a query by COPY, as cells of these columns' kinds. */
enum status libpq_copy(struct libpq *libpq, struct slice sql, const struct database_column *columns,
                       size_t count, const struct database_rows *rows, struct error *err);
