/*
 * stored.h - messages and rules about queries and stored models that all hosts share.
 *
 * Each database has its own SQL for finding, storing and replacing tables; the
 * text of an error, what a sample shows about a column, and which version a number
 * means are the same in all of them.
 */
#pragma once

#include "extension/engine/host/host.h"

#define VERSIONS_KEPT     20 /* replaced versions of one model, where nobody sets another number */
#define VERSIONS_KEPT_MAX 10000

/* ----- queries ----- */

/*
 * The rows that a description of a query looks at.
 *
 *     sample_begin -> sample_cells, for each row -> sample_end: the counts are the query's columns'
 *
 * The columns' names are known at the beginning. sample_end frees it, after errors, too.
 */
#define SAMPLE_NUMBERS_MAX 256 /* the first numbers of a column, whose deciles are known */
struct cell_census;
struct sample {
    struct query *query;
    struct cell_census *census;
    struct cell_census *numbers; /* in whose different values there are numbers alone */
    double *first;               /* (columns * SAMPLE_NUMBERS_MAX): numbers, row by row */
    uint32_t *first_count;       /* (columns) */
};
enum status sample_begin(struct sample *sample, struct query *query, struct error *err);
enum status sample_cells(struct sample *sample, const struct cell *cells, struct error *err);
void sample_end(struct sample *sample);
/* The word ORDER outside strings, comments and parentheses, as far as one
 * pass can find it: for hints, not for decisions. */
bool select_is_ordered(struct slice select);

/* ----- models ----- */

/* Names of the models that exist, for a suggestion; the rest is not looked through. */
#define MODEL_NAMES_MAX 256
struct model_names {
    char *names[MODEL_NAMES_MAX];
    size_t count;
};
enum status model_names_add(struct model_names *names, struct slice name, struct error *err);
void model_names_free(struct model_names *names);

/* NOT_FOUND, with the nearest of the names. */
enum status refuse_missing_model(struct slice name, const struct model_names *names,
                                 struct error *err);
/* CORRUPT: the table is there, and is something else. */
enum status refuse_no_model(struct slice name, struct error *err);
/* Which model is damaged: the reader of rows does not know its name. */
enum status name_damaged_model(struct slice name, enum status status, struct error *err);
/* A table, or another relation, that has the name of a target already. */
struct found_table {
    bool is_table;       /* an ordinary one; else a view, an index, a foreign table ... */
    bool is_model;       /* its rows are a model */
    bool is_marked;      /* a statement of the target's kind made it, and no column was added */
    bool holds_bad_rows; /* its last column is QUARANTINE_REASON */
};
/* INVALID where the target must not replace it. */
enum status check_replaced(const struct table_target *target, const struct found_table *found,
                           struct error *err);

enum status model_summarise(const struct model *model, struct arena *arena,
                            struct model_summary *summary, struct error *err);
/* Bytes, or NULL where they are not known to the caller. */
struct model_sizes {
    struct cell table; /* the size of the model's table */
    struct cell kept;  /* the data of its older versions */
};

/* A model of host_models.list, and a row of SHOW MODELS FULL: name, version, kind, label, rows,
 * metric, value, part, created_at, digest, statement, bytes, kept_bytes. Metric, value and part are
 * the first metric beside the loss, of the rows that were held out where there are any. */
#define STORED_MODEL_COLUMNS    13
#define STORED_MODEL_CREATED_AT 8
enum status put_model(const struct model *model, struct slice shown,
                      const struct model_sizes *sizes, const struct sink *sink, struct error *err);

/* The same of a model whose rows this program cannot read now: `why` stands as its kind. */
enum status put_unreadable_model(struct slice shown, const char *why, const struct sink *sink,
                                 struct error *err);

/* Takes a metric that TRAIN measured and the model keeps; part: train_rows.h. label: the one of
 * several labels that it measures, else of size 0. */
typedef enum status stored_metric_taker(void *context, struct slice name, struct slice label,
                                        const char *part, double value, struct error *err);
#define METRICS_JSON_BYTES_MAX ((size_t)1 << 20)
enum status stored_metrics(const struct model *model, stored_metric_taker *take, void *context,
                           struct error *err);

/* The time as models and definitions keep it: 2026-11-30T02:00:00Z */
#define STORED_TIME_BYTES 32
void stored_now(char text[STORED_TIME_BYTES]);

/* A new id, the time and version 1; the texts live in the arena. */
enum status model_stamp(struct model *model, struct arena *arena, struct error *err);

/* ----- versions ----- */

/* Older versions that stay, by the environment of a process that has no settings:
 * TOTRAIN_KEPT_VERSIONS, else VERSIONS_KEPT. A value that is no number in 1..VERSIONS_KEPT_MAX is
 * logged, and VERSIONS_KEPT holds: no version is lost to a slip. */
uint32_t stored_versions_kept(void);

/* SHOW VERSIONS: the kept ones newest first, and the current one at its place.
 *
 *     version, digest, created_at, state, part, metrics     metrics: a JSON object, NULL where
 *                                                           nothing was measured; of which rows
 *                                                           says part
 */
#define VERSION_COLUMNS 6
struct version_listing {
    const struct model *current;
    const struct sink *sink;
    bool is_current_put;
};
enum status version_listing_add(struct version_listing *listing, const struct cell *version,
                                const struct cell *digest, const struct cell *created_at,
                                const struct cell *meta, struct error *err);
enum status version_listing_end(struct version_listing *listing, struct error *err);

/* Is this the version that the user named by its number or the beginning of its digest? */
bool version_is(struct slice wanted, int64_t version, struct slice digest);
enum status refuse_missing_version(struct slice wanted, const struct model *current,
                                   struct error *err);
