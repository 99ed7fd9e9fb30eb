/*
 * models.h - models in tables of the database: found by name, loaded, listed.
 */
#ifndef EXTENSION_SQLITE_MODELS_H
#define EXTENSION_SQLITE_MODELS_H

#include "extension/engine/jobs/unpublished.h"
#include "extension/sqlite/sqlite_host.h"

struct located {
    bool exists;
    bool is_table; /* else a view, an index or a virtual table */
    char schema[256];
};
/* Where does this name lead? An empty schema searches temp, main, and the
 * attached databases, as SQLite does. */
enum status locate(sqlite3 *db, struct slice schema, struct slice name, struct located *located,
                   struct error *err);
/* The five columns of a model table and nothing else? */
enum status has_model_columns(sqlite3 *db, struct slice schema, struct slice name, bool *has,
                              struct error *err);
bool host_has_schema(void *self, struct slice schema);
struct slice host_find_file(void *self, struct slice schema);
enum status host_find_place(void *self, struct slice schema, struct unpublished *unpublished,
                            struct error *err);
enum status host_find_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                            struct model_summary *summary, struct error *err);
enum status host_load_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                            struct model *model, struct error *err);
enum status host_each_model_row(void *self, struct slice schema, struct slice name, bool only_meta,
                                model_row_sink *each, void *context, struct error *err);
enum status host_load_meta(void *self, struct slice schema, struct slice name, struct arena *arena,
                           struct model *model, struct error *err);
enum status host_list_models(void *self, bool sizes, const struct sink *sink, struct error *err);

#endif
