/*
 * publish.h - a model's rows in and out of the database, and the three catalog tables
 * beside them, in the model's own schema:
 *
 *     totrain_models    what there is, for people; the model tables decide
 *     totrain_versions  the rows of models that were replaced
 *     totrain_metrics   how each version learned
 *
 * A replaced model keeps its table: rows go out and rows come in, so that
 * views, triggers and open readers of the table live on.
 */
#ifndef EXTENSION_SQLITE_PUBLISH_H
#define EXTENSION_SQLITE_PUBLISH_H

#include "extension/engine/host/host.h"

enum status host_publish(void *self, struct slice schema, struct slice name,
                         struct publication *publication, struct error *err);
enum status host_list_versions(void *self, struct slice schema, struct slice name,
                               const struct sink *sink, struct error *err);
enum status host_list_metrics(void *self, struct slice schema, struct slice name,
                              const struct model *model, const struct sink *sink,
                              struct error *err);
enum status host_restore(void *self, struct slice schema, struct slice name, struct slice version,
                         int64_t *restored, struct error *err);

#endif
