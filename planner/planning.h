/*
 * planning.h - what the files of the planner share; no other module includes it.
 *
 *     settings.c    WITH -> a table of checked settings
 *     query.c       names -> columns of the query
 *     columns.c     COLUMN -> inputs            label.c       LABEL -> label
 *     training.c    settings -> plan.spec       parameters.c  how large the model gets
 *     targets.c     INTO, USING -> names        metric_list.c validation.metrics -> names
 *     workers.c     job.* -> plan.scoring
 */
#ifndef PLANNER_PLANNING_H
#define PLANNER_PLANNING_H

#include "planner/parameters.h"
#include "planner/plan.h"

#define NAME_BYTES_MAX      200
#define NAME_BYTES_POSTGRES 63 /* NAMEDATALEN - 1: the server cuts longer ones */
#define PATTERN_BYTES_MAX   200
struct checked_setting {
    const struct attribute *attribute;
    const struct setting *setting;
};

/* One statement on its way to a plan. */
struct planning {
    const struct statement *statement;
    const struct catalog *catalog;
    struct arena *arena;
    struct plan *plan;
    struct checked_setting *settings; /* (setting_count): what the user set */
    size_t setting_count;
    struct error *err;
};

/* plan_train.c, plan_predict.c */
enum status plan_train(struct planning *planning);
enum status plan_predict(struct planning *planning);
enum status plan_evaluate(struct planning *planning);

/* settings.c */
enum status settings_read(struct planning *planning, unsigned scope);
const struct setting *settings_find(const struct planning *planning, const char *attribute);
/* Of a BOOLEAN attribute, which takes 0 and 1 as well. */
bool setting_is_true(const struct setting *setting);

/* query.c */
enum status query_describe(struct planning *planning);
/* Copy all names into the arena, terminated. */
enum status query_keep(struct planning *planning, struct query *query);
/* The column of this name: exact first, then case ignored. -1: none; -2: more than one. */
int query_find(const struct query *query, struct slice name);
/* The same among the elements of vectors, too: v[1]. */
int query_find_input(const struct query *query, struct slice name);
/* As query_find, with `column "x" is not among the columns of the query` at the
 * position. `what` stands before the word: "label ". */
enum status query_resolve(const struct query *query, const char *what, struct slice name,
                          int position, int *column, struct error *err);
/* A column whose cells are blobs or arrays: the message, without a hint. */
void query_refuse_binary(const struct planning *planning, const char *what,
                         const struct query_column *column, int position);
/* INVALID when two columns share a name. */
enum status query_check_distinct(struct planning *planning);
enum status slice_keep(struct planning *planning, struct slice from, struct slice *to);
/* As slice_keep, as the database reads the name. */
enum status name_keep(struct planning *planning, const struct name *from, struct slice *to);

/* columns.c, label.c */
enum status columns_plan(struct planning *planning);
bool column_is_numeric(const struct query_column *column);
/* Texts that are neither a number nor a blank, which among numbers is a NULL. */
uint32_t column_words(const struct query_column *column);
enum status label_plan(struct planning *planning);

/* metrics_address.c */
enum status metrics_address_plan(struct planning *planning, struct slice *served_host,
                                 uint32_t *port);

/* bad_rows.c: before the query is described, when the tables are known; and after. */
enum status bad_rows_plan(struct planning *planning, const char *attribute);
enum status bad_rows_check(struct planning *planning, const char *attribute);

/* cluster.c: where the processes of TRAIN run. */
enum status cluster_plan(struct planning *planning);
/* Has the attribute of this name a use on clusters alone? */
bool cluster_knows(const char *attribute);

/* log_folder.c */
enum status log_folder_plan(struct planning *planning);

/* training.c */
enum status training_plan(struct planning *planning);

/* parameters.c */
enum status parameters_check(const struct planning *planning);
/* As parameters_check, for a list of numbers that is not in the plan. */
enum status parameters_check_list(const struct planning *planning, const struct setting *list);
void bytes_append(struct text *out, double bytes); /* "5.9 KiB" */

/* targets.c */
enum status target_plan(struct planning *planning, const struct path *path, struct slice *schema,
                        struct slice *name);
/* Where a detached job makes this table: it opens the database anew, when this
 * session may be gone. */
enum status file_plan(struct planning *planning, struct slice schema, struct slice name);
enum status model_plan(struct planning *planning);
enum status model_find(struct planning *planning); /* model_plan, then its summary */

/* workers.c: job.* of PREDICT and EVALUATE, after their target. */
enum status workers_plan(struct planning *planning);
/* As many as the host allows? */
enum status workers_check(const struct planning *planning, uint32_t least, uint32_t most);

/* explain_score.c: plan_explain of PREDICT and EVALUATE */
enum status explain_scoring(const struct plan *plan, struct arena *arena, struct plan_line **lines,
                            size_t *count, struct error *err);

/* metric_list.c */
enum status metrics_plan(struct planning *planning, enum task task);

#endif
