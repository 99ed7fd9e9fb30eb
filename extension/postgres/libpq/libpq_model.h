/*
 * libpq_model.h - models over a connection: the server's function totrain.model_rows reads them
 * without running anything of their owners' (model_heap.h). Where it is missing, or may not be
 * called, only what the connection's own role owns is read, by a query.
 */
#pragma once

#include "extension/sql/database.h"

enum status libpq_read_model(void *self, const struct model_read *read,
                             const struct database_rows *rows, struct error *err);
