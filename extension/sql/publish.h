/*
 * publish.h - a model's rows into its table, and the three tables that are kept beside it.
 */
#pragma once

#include "extension/sql/sql_host.h"

/* Functions of host_models. */
enum status sql_publish(void *self, struct slice schema, struct slice name,
                        struct publication *publication, struct error *err);
enum status sql_list_versions(void *self, struct slice schema, struct slice name,
                              const struct sink *sink, struct error *err);
enum status sql_list_metrics(void *self, struct slice schema, struct slice name,
                             const struct model *model, const struct sink *sink, struct error *err);
enum status sql_restore(void *self, struct slice schema, struct slice name, struct slice version,
                        int64_t *restored, struct error *err);
/* The function of host_cluster. */
enum status sql_write_pieces(struct sql_host *host, struct slice schema, struct slice name,
                             struct publication *publication, struct error *err);
