/*
 * models.h - models in tables of the database: found by name, loaded, listed.
 */
#ifndef EXTENSION_POSTGRES_SQL_MODELS_H
#define EXTENSION_POSTGRES_SQL_MODELS_H

#include "extension/sql/sql_host.h"

struct sql_located {
    bool exists;
    bool is_table;    /* an ordinary one; else a view, an index, a partitioned table ... */
    bool has_columns; /* those of a model, by name and type */
    bool is_ours;     /* the caller may act as its owner */
    bool is_callers;  /* the caller is its owner: no other role's triggers or constraints */
    int64_t relation; /* OID */
    char schema[64], name[64];
};
/* Where does this name lead? An empty schema: along the search_path. */
enum status postgres_locate(struct sql_host *host, struct slice schema, struct slice name,
                            struct sql_located *located, struct error *err);
/* A table's name for messages, as it was given. */
#define PG_SHOWN_BYTES 160
struct slice postgres_shown_name(struct slice schema, struct slice name,
                                 char buffer[PG_SHOWN_BYTES]);
bool postgres_has_schema(void *self, struct slice schema);
enum status postgres_find_model(void *self, struct slice schema, struct slice name,
                                struct arena *arena, struct model_summary *summary,
                                struct error *err);
enum status postgres_load_model(void *self, struct slice schema, struct slice name,
                                struct arena *arena, struct model *model, struct error *err);
enum status postgres_each_model_row(void *self, struct slice schema, struct slice name,
                                    bool only_meta, model_row_sink *each, void *context,
                                    struct error *err);
enum status postgres_load_meta(void *self, struct slice schema, struct slice name,
                               struct arena *arena, struct model *model, struct error *err);
enum status postgres_list_models(void *self, bool sizes, const struct sink *sink,
                                 struct error *err);

#endif
