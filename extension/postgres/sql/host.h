/*
 * host.h - the engine's host seam (extension/engine/host/host.h), filled for PostgreSQL.
 *
 *     query.c    run a query, describe one        models.c   find, load, list models
 *     tables.c   targets: checks, filling         publish.c  publish, keep and restore versions
 *     replace.c  one table in another's place
 *     fill_rows.c  rows that workers score  row_guess.c  how many rows a query may have
 *
 * Nothing here knows how a session is reached: that is database.h's business.
 *
 * A model is a table of the caller's (part text, name text, position bigint, value
 * double precision, data bytea), whose `data` holds texts as their UTF-8 bytes. Beside it
 * the extension's schema keeps, for every role its own rows (totrain--1.1.sql):
 *
 *     totrain.models    what there is, for people; the model tables decide
 *     totrain.versions  the rows of models that were replaced
 *     totrain.metrics   how each version learned
 *
 * A replaced model keeps its table, so that grants, views and readers of it live on.
 * Names of tables are looked up along the caller's search_path; whatever else our SQL
 * names, operators too, is qualified, so that no search_path can put something else
 * in its place.
 */
#ifndef EXTENSION_POSTGRES_SQL_HOST_H
#define EXTENSION_POSTGRES_SQL_HOST_H

#include <limits.h>

#include "extension/engine/host/host.h"
#include "extension/engine/jobs/direct.h"
#include "extension/postgres/sql/database.h"

struct postgres_host {
    const struct pg_database *database; /* borrowed */
    char program[PATH_MAX];
    char state[PATH_MAX];  /* "": the user's own */
    const char *job_login; /* as which the processes of jobs log in; "": there is none. Borrowed */
    /* The transaction that published last (an xid8). Where its end is not known it is put into
     * the host of another session, which then publishes nothing that is there already. */
    char publisher[24];
    struct host host; /* what the engine gets; .self is this struct, which must not move */
};

/* `state` is the folder of the jobs, NULL the user's own. The door brings host.rows, and, where it
 * delivers models of detached jobs, host.catalog.find_file. */
void postgres_host_init(struct postgres_host *host, const struct pg_database *database,
                        const char *program, const char *state);

/* The rest is shown among the files of this folder. */

/* query.c */
bool postgres_interrupted(void *self);
enum status postgres_query(void *self, struct slice select, const struct sink *sink,
                           struct error *err);
enum status postgres_describe(void *self, struct slice select, struct arena *arena,
                              struct query *query, struct error *err);

/* row_guess.c */
uint64_t postgres_guess_rows(void *self, struct slice select);

/* models.c */
struct pg_located {
    bool exists;
    bool is_table;    /* an ordinary one; else a view, an index, a partitioned table ... */
    bool has_columns; /* those of a model, by name and type */
    bool is_ours;     /* the caller may act as its owner */
    bool is_callers;  /* the caller is its owner: no other role's triggers or constraints */
    int64_t relation; /* OID */
    char schema[64], name[64];
};
/* Where does this name lead? An empty schema: along the search_path. */
enum status postgres_locate(struct postgres_host *host, struct slice schema, struct slice name,
                            struct pg_located *located, struct error *err);
bool postgres_has_schema(void *self, struct slice schema);
enum status postgres_find_model(void *self, struct slice schema, struct slice name,
                                struct arena *arena, struct model_summary *summary,
                                struct error *err);
enum status postgres_load_model(void *self, struct slice schema, struct slice name,
                                struct arena *arena, struct model *model, struct error *err);
enum status postgres_load_meta(void *self, struct slice schema, struct slice name,
                               struct arena *arena, struct model *model, struct error *err);
enum status postgres_list_models(void *self, const struct sink *sink, struct error *err);

/* tables.c */
/* The schema of a new table whose name has none: the first of the search_path. */
enum status postgres_target_schema(struct postgres_host *host, struct slice *schema,
                                   char buffer[64], struct error *err);
/* The schema alone: a reader of the model is in the same database. */
enum status postgres_find_place(void *self, struct slice schema, struct unpublished *unpublished,
                                struct error *err);
enum status postgres_check_functions(void *self, struct error *err);
enum status postgres_check_target(void *self, const struct table_target *target, struct error *err);
/* replace.c: the part of that check which is made again when the time to write has come. */
enum status postgres_check_replaced(struct postgres_host *host, const struct pg_located *located,
                                    const struct table_target *target, struct error *err);
enum status postgres_fill_tables(void *self, struct slice stage, struct fill *fills, size_t count,
                                 struct error *err);
enum status postgres_write_row(void *self, const struct table_target *target,
                               const struct slice *names, const struct cell *cells, size_t count,
                               struct error *err);

/* direct_table.c */
enum status postgres_find_table(void *self, struct slice select, const struct slice *columns,
                                size_t count, struct arena *arena, struct direct_table *table,
                                struct error *err);
/* Against what takes rows away that a snapshot still sees (TRUNCATE, DROP, ALTER), for as long as
 * the transaction lasts. BUSY: they have other partitions than when they were found. */
enum status postgres_lock_tables(struct postgres_host *host, const struct direct_order *order,
                                 struct error *err);

/* fill_rows.c */
enum status postgres_keep_rows(void *self, struct slice select, struct error *err);
enum status postgres_forget_rows(void *self, struct error *err);
enum status postgres_fill_rows(void *self, struct fill *fills, size_t count, fill_source *source,
                               void *context, struct error *err);

/* publish.c */
/* INVALID where the rows of this model could not be deleted for want of a replica identity. */
enum status postgres_check_published(struct postgres_host *host, const struct pg_located *located,
                                     struct error *err);
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
