/*
 * host.h - the engine's host seam (extension/engine/host/host.h), filled for SQLite.
 *
 *     query.c    run a query, describe one        models.c   find, load, list models
 *     tables.c   targets: checks, filling         publish.c  publish, keep and restore versions
 *     functions.c  totrain_predict() and its sisters
 *     fill_rows.c  tables from rows that were scored elsewhere
 *
 * One of these belongs to one connection, and is used by one thread at a time
 * as the connection is.
 */
#ifndef EXTENSION_SQLITE_HOST_H
#define EXTENSION_SQLITE_HOST_H

#include <limits.h>
#include <signal.h>

#include "extension/engine/host/host.h"
#include "extension/sqlite/api.h"

#define SCHEMAS_MAX 128 /* attached databases; SQLite's own limit is 125 */

struct sqlite_host {
    sqlite3 *db;
    const volatile sig_atomic_t *interrupts; /* the CLI's SIGINT counter; NULL in a database */
    char program[PATH_MAX];
    struct host host; /* what the engine gets; .self is this struct */
};

void sqlite_host_init(struct sqlite_host *host, sqlite3 *db, const char *program);

/* Register totrain_predict, _probability, _probabilities, _logits, _version, and the tables of
 * job_tables.c. */
enum status sqlite_host_register(sqlite3 *db, struct error *err);

/* The rest is shown among the files of this folder. */

/* query.c */
bool host_interrupted(void *self);
/* INVALID where the SELECT has parameters: the statement around it has none to bind. */
enum status host_check_parameters(sqlite3 *db, struct slice select, struct error *err);
enum status host_query(void *self, struct slice select, const struct sink *sink, struct error *err);
enum status host_describe(void *self, struct slice select, struct arena *arena, struct query *query,
                          struct error *err);

/* models.c */
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
enum status host_load_meta(void *self, struct slice schema, struct slice name, struct arena *arena,
                           struct model *model, struct error *err);
enum status host_list_models(void *self, const struct sink *sink, struct error *err);

/* tables.c */
enum status host_check_target(void *self, const struct table_target *target, struct error *err);
/* The part of that check which is made again in the transaction that writes. */
enum status check_target_kind(struct sqlite_host *host, const struct table_target *target,
                              struct error *err);
/* Drop what has the target's name, where the target may replace it. */
enum status drop_replaced(struct sqlite_host *host, const struct table_target *target,
                          struct error *err);
/* The host's CREATE TABLE for a target, with the marks by which later statements know it. */
enum status create_marked(struct sqlite_host *host, const struct table_target *target,
                          struct slice create, struct slice mark, struct error *err);
enum status host_fill_tables(void *self, struct slice stage, struct fill *fills, size_t count,
                             struct error *err);
enum status host_write_row(void *self, const struct table_target *target, const struct slice *names,
                           const struct cell *cells, size_t count, struct error *err);

enum status drop_table(sqlite3 *db, struct slice schema, struct slice table, struct error *err);

/* row_guess.c */
uint64_t host_guess_rows(void *self, struct slice select);

/* fill_rows.c */
enum status host_fill_rows(void *self, struct fill *fills, size_t count, fill_source *source,
                           void *context, struct error *err);
bool host_has_mark(void *self, struct slice schema, struct slice table, struct slice mark);

/* job_tables.c */
enum status job_tables_register(sqlite3 *db, struct error *err);

/* publish.c */
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
