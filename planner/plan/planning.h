/*
 * planning.h - one statement on its way to a plan.
 *
 *     settings_read.c WITH -> a table of checked settings
 *     query.c       names -> columns of the query
 *     columns.c     COLUMN -> inputs            label.c       LABEL -> label
 *     column_choice.c  its functions            embeddings.c  EMBEDDING -> a setting
 *     column_pattern.c its patterns             column_except.c  * EXCEPT (...)
 *     constraints.c what inputs of trees may do
 *     training.c    settings -> plan.spec       parameters.c  how large the model gets
 *     targets.c     INTO, USING -> names        metric_list.c validation.metrics -> names
 *     requirement.c train.require, of these metrics
 *     old_model.c   USING of TRAIN -> inputs, task and classes
 *     task_choice.c of two estimators of a name the one that is meant
 *     workers.c     job.* -> plan.scoring     judging.c    evaluate.report, thresholds
 *     servers.c     job.strategy -> plan.spec.servers
 *     explain_series.c  series as their parts
 *     checked_values.c  values that came, beside their forecasts
 *     definitions.c DEFINE MODEL, zoo/name -> a definition
 *     definition_train.c  a definition, its arguments -> a graph
 *     search.c      tune.* -> statements of trials, of which the first is planned
 *
 * Each of them reads the statement and writes its part of the plan. No other module includes this.
 */
#pragma once

#include "planner/plan/plan.h"

#define TABLE_BYTES_MAX     200 /* length of a table's or model's name */
#define NAME_BYTES_POSTGRES 63  /* NAMEDATALEN - 1: the server cuts longer ones */
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
    struct slice program; /* the text that the statement's positions mean */
    struct plan *plan;
    struct checked_setting *settings; /* (setting_count): what the user set */
    size_t setting_count;
    bool is_described; /* plan->query is there */
    struct error *err;
};
