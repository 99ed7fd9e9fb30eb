/*
 * query.h - the columns of a SELECT, and its rows.
 */
#pragma once

#include "extension/engine/host/sink.h"
#include "extension/sqlite/api/api.h"
#include "planner/plan/catalog.h"

bool host_interrupted(void *self);
enum status host_query(void *self, struct slice select, const struct sink *sink, struct error *err);
enum status host_each_row(void *self, struct slice select, const struct row_taker *taker,
                          struct error *err);
enum status host_describe(void *self, struct slice select, struct arena *arena, struct query *query,
                          struct error *err);
