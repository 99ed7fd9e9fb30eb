/*
 * model_rows.h - rows that reports find out about a model by statements of their own. Rows and
 * texts live in the arena that the caller gives.
 */
#pragma once

#include "base/arena.h"
#include "extension/engine/host/host.h"
#include "report/picture.h"

/* The rows of a statement of ours. An error has no place: the user did not type the statement. */
enum status model_rows(const struct host *host, const struct text *statement, struct arena *arena,
                       struct picture_table *table, struct error *err);
/* The rows of SHOW MODEL: name, value. */
enum status model_rows_show(const struct host *host, const char *model, struct arena *arena,
                            struct picture_table *table, struct error *err);
/* The schema, which may be empty, and the name that a model's name in a statement means. */
enum status model_rows_name(const char *model, struct arena *arena, struct slice *schema,
                            struct slice *name, struct error *err);
/* The SELECT of the statement that made the model, which `shown` has (model_rows_show). INVALID for
 * a model of a file, PERMISSION for one that another role of PostgreSQL owns: nothing that somebody
 * else wrote is run. */
enum status model_rows_select(const struct host *host, const char *model,
                              const struct picture_table *shown, struct arena *arena,
                              struct slice *select, struct error *err);
