/*
 * publish.h - a model's rows into its table, and what the extension's schema keeps beside it:
 * totrain.models, totrain.versions and totrain.metrics (totrain--1.1.sql).
 *
 * Rows are stored by the OID of the model's table, so that they follow it through renames and
 * changes of owner; only roles that may act as its owner see and write them: these are views, of
 * tables whose rows pg_dump takes along.
 */
#ifndef EXTENSION_POSTGRES_SQL_PUBLISH_H
#define EXTENSION_POSTGRES_SQL_PUBLISH_H

#include "extension/postgres/sql/models.h"

/* INVALID where the rows of this model could not be deleted for want of a replica identity. */
enum status postgres_check_published(struct sql_host *host, const struct sql_located *located,
                                     struct error *err);
/* As host_cluster has it. */
enum status postgres_write_pieces(struct sql_host *host, struct slice schema, struct slice name,
                                  struct publication *publication, struct error *err);
enum status postgres_publish(void *self, struct slice schema, struct slice name,
                             struct publication *publication, struct error *err);
enum status postgres_list_versions(void *self, struct slice schema, struct slice name,
                                   const struct sink *sink, struct error *err);
enum status postgres_list_metrics(void *self, struct slice schema, struct slice name,
                                  const struct model *model, const struct sink *sink,
                                  struct error *err);
enum status postgres_restore(void *self, struct slice schema, struct slice name,
                             struct slice version, int64_t *restored, struct error *err);

#endif
