/*
 * libpq_prepared.h - one statement with many rows of parameters: they are sent one after the other,
 * and the server's answers are read now and then.
 */
#pragma once

#include "base/cell.h"
#include "base/error.h"

struct database_prepared;

enum status libpq_prepare(void *self, struct slice sql, const enum cell_type *types, size_t count,
                          struct database_prepared **prepared, struct error *err);
enum status libpq_execute_prepared(void *self, struct database_prepared *prepared,
                                   const struct cell *cells, struct error *err);
enum status libpq_finish_prepared(void *self, struct database_prepared *prepared,
                                  struct error *err);
