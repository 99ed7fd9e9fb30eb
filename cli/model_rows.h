/*
 * model_rows.h - rows that commands find out about a model by statements of their own.
 */
#ifndef CLI_MODEL_ROWS_H
#define CLI_MODEL_ROWS_H

#include "cli/picture.h"
#include "cli/session.h"
#include "extension/engine/host/result.h"

/* Runs a statement of ours into `result`. An error has no place: the user did not type the
 * statement. */
enum status model_rows_run(struct session *session, const struct text *statement,
                           struct result *result, struct error *err);
/* The same rows, in the result's arena. */
enum status model_rows_table(struct result *result, struct picture_table *table, struct error *err);
/* The schema, which may be empty, and the name that a model's name in a statement means. */
enum status model_rows_name(const char *model, struct arena *arena, struct slice *schema,
                            struct slice *name, struct error *err);
/* The SELECT of the statement that made the model; it lives in the arena. INVALID for a model of a
 * file, PERMISSION for one that another role of PostgreSQL owns: nothing that somebody else wrote
 * is run. */
enum status model_rows_select(struct session *session, const char *model, struct arena *arena,
                              struct slice *select, struct error *err);

#endif
