/*
 * model_rows.h - rows that commands find out about a model by statements of their own. Rows and
 * texts live in the arena that the caller gives.
 */
#ifndef CLI_MODEL_ROWS_H
#define CLI_MODEL_ROWS_H

#include "base/arena.h"
#include "cli/picture.h"
#include "cli/session.h"

/* The rows of a statement of ours. An error has no place: the user did not type the statement. */
enum status model_rows(struct session *session, const struct text *statement, struct arena *arena,
                       struct picture_table *table, struct error *err);
/* The rows of SHOW MODEL: name, value. */
enum status model_rows_show(struct session *session, const char *model, struct arena *arena,
                            struct picture_table *table, struct error *err);
/* The schema, which may be empty, and the name that a model's name in a statement means. */
enum status model_rows_name(const char *model, struct arena *arena, struct slice *schema,
                            struct slice *name, struct error *err);
/* The SELECT of the statement that made the model, which `shown` has (model_rows_show). INVALID for
 * a model of a file, PERMISSION for one that another role of PostgreSQL owns: nothing that somebody
 * else wrote is run. */
enum status model_rows_select(struct session *session, const char *model,
                              const struct picture_table *shown, struct arena *arena,
                              struct slice *select, struct error *err);

#endif
