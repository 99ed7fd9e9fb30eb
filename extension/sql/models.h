/*
 * models.h - models in tables of the database: found by name, loaded, listed.
 */
#pragma once

#include "extension/sql/sql_host.h"

/* A table's name for messages, as it was given. */
#define SHOWN_NAME_BYTES (2 * SQL_NAME_BYTES)
struct slice sql_shown_name(const struct sql_host *host, const struct sql_table *table,
                            char buffer[SHOWN_NAME_BYTES]);

/* Functions of host_models and of the catalog. */
enum status sql_find_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                           struct model_summary *summary, struct error *err);
enum status sql_load_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                           struct model *model, struct error *err);
enum status sql_each_model_row(void *self, struct slice schema, struct slice name, bool only_meta,
                               model_row_sink *each, void *context, struct error *err);
/* One series of a forecast (kinds/forecast/forecast_one.h). */
enum status sql_load_series(struct sql_host *host, struct slice schema, struct slice name,
                            struct slice series, struct arena *arena, struct model *model,
                            bool *is_there, struct error *err);
enum status sql_load_meta(void *self, struct slice schema, struct slice name, struct arena *arena,
                          struct model *model, struct error *err);
enum status sql_is_callers_model(void *self, struct slice schema, struct slice name,
                                 bool *is_callers, struct error *err);
enum status sql_list_models(void *self, bool sizes, const struct sink *sink, struct error *err);
/* Is the model's table what it was found as? For an answer that is not sure: an error, so that a
 * model is not taken for a table that may be overwritten. */
enum status sql_is_model(struct sql_host *host, const struct sql_located *located, bool *result,
                         struct error *err);
