/*
 * libpq_describe.h - the columns of a query that is prepared, not run.
 */
#pragma once

#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/sql/kinds.h"

/* With the enums that were asked about. */
enum pg_kind libpq_kind_of(const struct libpq *libpq, Oid type);
enum status libpq_describe(void *self, struct slice sql, struct arena *arena,
                           struct database_column **columns, size_t *count, struct error *err);
