/*
 * sql_host.h - the engine's host seam (extension/engine/host/host.h) over a database.
 *
 *     models.c    find, load, list models         publish.c   publish, keep and restore versions
 *     tables.c    tables from queries and rows    write_model.c  rows of a model into a table
 *     query.c     a query's rows to a sink        publish_pieces.c  those of a large one, by pieces
 *     definitions.c  definitions of models        listing.c  tables that have a model's columns
 *
 * These files know neither how a session is reached, which is database.h's business, nor which SQL
 * it speaks: that is the variant's, one for each database (sqlite_variant.c, postgres_variant.c).
 *
 * A model is a table of five columns (model_table.h). Beside it three tables are kept:
 *
 *     models    what there is, for people; the model tables decide
 *     versions  the rows of models that were replaced
 *     metrics   how each version learned
 *
 * A replaced model keeps its table: rows go out and rows come in, so that grants, views, triggers
 * and open readers of the table live on.
 */
#pragma once

#include <limits.h>

#include "extension/engine/host/host.h"
#include "extension/sql/database.h"

struct pieces;
struct sql_host;

/* A name, and where it leads. */
struct sql_located {
    bool exists;
    bool is_table; /* an ordinary one; else a view, an index, a virtual or partitioned table ... */
    bool has_columns; /* those of a model, and no others */
    bool is_ours;     /* the caller may act as its owner */
    bool is_callers;  /* the caller is its owner: no other role's triggers or constraints */
    int64_t relation; /* OID; 0 in SQLite */
    char schema[SQL_NAME_BYTES], name[SQL_NAME_BYTES];
};

/* A table that is to be in the place of an older one, stored as that is. */
struct sql_new_table {
    struct sql_table table;
    const struct table_target *target;
    bool is_unlogged;
    bool is_staged;      /* its rows may go on into the older one (replace_in_place.h) */
    char tablespace[64]; /* "": the default one */
};
/* Makes the new table, and fills it. */
typedef enum status sql_maker(struct sql_host *host, const struct sql_new_table *new, void *context,
                              struct error *err);

/*
 * The SQL of a database: texts, and functions where one text is not enough.
 *
 * In a text @ stands for the model's table, and @. for its schema and a dot (sql_append). Lists end
 * with NULL. A text that is NULL, or a function marked (optional), is nothing to be done. Those of
 * a stored model take its facts as parameters:
 *
 *     $1 relation  $2 id  $3 version  $4 digest  $5 created_at  $6 kind  $7 rows  $8 statement
 *     $9 name of the table  $10 how many older versions stay
 */
#define MODEL_FACTS 10

struct sql_variant {
    /* ----- names ----- */

    bool names_schemas; /* messages call a table by its schema, too */
    /* Finds the place that a name leads to. An empty schema: as the database searches. */
    enum status (*locate)(struct sql_host *host, const struct sql_table *table,
                          struct sql_located *located, struct error *err);
    /* The schema of a new table whose name has none. */
    enum status (*choose_schema)(struct sql_host *host, struct slice *schema,
                                 char buffer[SQL_NAME_BYTES], struct error *err);

    /* ----- models ----- */

    /* A row for each table that may be a model: relation, schema, name, and the name as it would be
     * written here. */
    enum status (*list_tables)(struct sql_host *host, const struct database_rows *rows,
                               struct error *err);
    /* (optional) A better hint than the nearest name: `shown` is how that would be written. */
    void (*hint_model)(struct slice name, struct slice nearest, struct slice shown,
                       struct error *err);
    /* (optional) A type's name from a model's rows, if values may be read as such; else empty. */
    enum status (*check_label_type)(struct sql_host *host, struct slice name, struct arena *arena,
                                    struct slice *checked, struct error *err);
    /* One row: what the table takes; may `kept_bytes` be asked; what stands for it otherwise. */
    const char *table_bytes;
    const char *kept_bytes;

    /* ----- a table of models that is written ----- */

    enum status (*check_target)(void *self, const struct table_target *target, struct error *err);
    /* The part of check_target that is made again when the time to write has come. */
    enum status (*check_replaced)(struct sql_host *host, const struct sql_located *located,
                                  const struct table_target *target, struct error *err);
    const char *lock_model;         /* $1 schema, $2 name: one writer of a name at a time */
    const char *hold_model;         /* the same over several transactions */
    const char *lock_rows;          /* no trigger is put on the table any more */
    const char *const *make_kept;   /* the three tables, where they are made with the first model */
    const char *const *make_model;  /* a table of models */
    const char *insert_row;         /* $1..$5: the columns */
    const char *place_row;          /* the same of pieces; $6: the row's number, from 1 on */
    bool keeps_texts;               /* data that are texts are stored as such */
    const char *count_row_changers; /* above 0: something may change rows as they are written */
    enum status (*refuse_changes)(const struct sql_located *located, struct error *err);
    /* (optional) The transaction that publishes is noted; *was_committed: an earlier one of the
     * same model, whose answer was lost, did it. */
    enum status (*note_transaction)(struct sql_host *host, bool *was_committed, struct error *err);
    /* (optional) Before the rows of a model go out. */
    enum status (*prepare_removal)(struct sql_host *host, const struct sql_located *located,
                                   struct error *err);
    /* (optional) Its table is the first of its name. */
    enum status (*tell_first)(struct sql_host *host, const struct sql_located *located,
                              const struct sink *sink, struct error *err);
    /* (optional) The transaction is committed. */
    void (*committed)(struct sql_host *host, struct slice schema);

    /* ----- kept versions ----- */

    const char *may_read_kept; /* above 0: there are kept rows, and they may be read */
    const char *count_copies;  /* other tables whose model has this id */
    const char *newest_version, *list_versions, *list_metrics;
    const char *forget_version, *keep_version, *restore_version;
    const char *const *forget_older, *const *put_model;
    uint32_t (*versions_kept)(void); /* (optional) $10 */
    const char *insert_metric; /* $1 relation, $2 id, $3 version, and epoch, step, metric, part,
                                  value, job */

    /* ----- pieces of a large model (publish_pieces.h) ----- */

    bool folds_names; /* names are the same in large and small letters */
    enum status (*find_pieces)(struct pieces *pieces, struct error *err);
    enum status (*begin_pieces)(struct pieces *pieces, struct error *err);
    /* (optional) So many rows are in. */
    enum status (*note_piece)(struct pieces *pieces, struct error *err);
    /* Rows of pieces, and how many of them differ; lock_pieces: nobody takes any more. */
    const char *lock_pieces, *count_pieces;
    const char *order_of_pieces; /* "", or the ORDER BY by which they move into another table */
    /* Their table becomes that of the model. */
    enum status (*name_pieces)(struct pieces *pieces, struct error *err);
    const char *drop_own; /* their table, with what others have made of it */

    /* ----- tables that statements write ----- */

    /* In a transaction of the caller's: by what fill->select gives. is_staged: it does not read
     * the table that is replaced. */
    enum status (*replace_by_select)(struct sql_host *host, struct fill *fill, bool is_staged,
                                     struct error *err);
    enum status (*replace)(struct sql_host *host, const struct table_target *target,
                           sql_maker *make, void *context, struct error *err);
    /* CREATE TABLE, with columns as " (...)". */
    enum status (*create)(struct sql_host *host, const struct sql_new_table *new,
                          const char *columns, struct error *err);
    const char *(*type_of)(enum cell_type type); /* (optional) of a column whose cells are such */
    struct sql_table stage;                      /* a temporary table of ours */
    /* It is made anew from `select`. */
    enum status (*keep_stage)(struct sql_host *host, struct slice select, struct error *err);
};

struct sql_host {
    const struct database *database;   /* borrowed */
    const struct sql_variant *variant; /* borrowed */
    char program[PATH_MAX];
    char state[PATH_MAX];  /* "": the user's own */
    const char *job_login; /* the login of the jobs' processes; "": there is none. Borrowed */
    /* The transaction that published last (an xid8). Where its end is not known it is put into
     * the host of another session, which then publishes nothing that is there already. */
    char publisher[24];
    /* The table of the only model that is read, whose name has been looked up; 0: names are. */
    uint32_t relation;
    struct host host; /* the host that the engine gets; .self is this struct, which must not move */
};
