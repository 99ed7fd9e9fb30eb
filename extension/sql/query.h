/*
 * query.h - the rows of a query of the user's.
 */
#pragma once

#include "extension/engine/host/sink.h"
#include "extension/sql/sql_host.h"

/* A sink that takes column names shows the rows to people; all others compute with them. */
enum status sql_query(struct sql_host *host, struct slice select, const struct sink *sink,
                      struct error *err);
/* The first rows of a query whose columns are known: their counts are the columns'. */
enum status sql_sample(struct sql_host *host, struct slice select, struct query *query,
                       struct error *err);
