/*
 * query.h - the columns of a SELECT, and its rows.
 */
#ifndef EXTENSION_POSTGRES_SQL_QUERY_H
#define EXTENSION_POSTGRES_SQL_QUERY_H

#include "extension/engine/host/sink.h"
#include "planner/catalog.h"

bool postgres_interrupted(void *self);
enum status postgres_query(void *self, struct slice select, const struct sink *sink,
                           struct error *err);
enum status postgres_each_row(void *self, struct slice select, const struct row_taker *taker,
                              struct error *err);
enum status postgres_describe(void *self, struct slice select, struct arena *arena,
                              struct query *query, struct error *err);

#endif
