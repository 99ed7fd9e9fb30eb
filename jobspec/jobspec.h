/*
 * jobspec.h - the contract between planning and running, version 1.
 *
 * Above it is SQL; below it no code knows SQL grammar. A job spec is a JSON
 * file, `job.json` in the job's folder, written once and never changed. Its
 * schema is printed from the tables that reader and writer go by (tests/documents):
 * jobspec/NAME.schema.json for each kind of model, scoring.schema.json. A reader refuses a version
 * that it does not know, members that it does not know, and every number outside its range: a spec
 * that was read is valid.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "inputs/input_spec.h"
#include "jobspec/job_attributes.h"
#include "params/bootstrap_choice.h"
#include "params/notice_list.h"
#include "params/terms.h"
#include "scoring/kind.h"

#define JOBSPEC_VERSION        1
#define JOBSPEC_BYTES_MAX      ((size_t)16 << 20)
#define JOBSPEC_PATH_BYTES_MAX 3000 /* with a file's name it fits into PATH_MAX */

struct graph;    /* graph/graph.h */
struct holidays; /* kinds/forecast/holidays.h */

enum spec_kind { SPEC_TRAIN, SPEC_PREDICT, SPEC_EVALUATE };

/* A column that is for something else than to be an input. */
struct spec_role {
    enum row_role role;
    struct slice name;
};

#define JOBSPEC_WORK_BYTES    16  /* hexadecimal digits */
#define JOBSPEC_PACES_BYTES   255 /* the room of an event's detail */
#define JOBSPEC_REQUIRE_BYTES 4096

/* Numbers of workers that earlier jobs of the model were measured with. No bit depends on it. */
struct spec_history {
    struct slice work;  /* the same for jobs that do the same for a row, size 0: not known */
    struct slice paces; /* theirs, for runtime/share/share_paces.h to read; or empty */
    uint32_t first;     /* workers at first; 0: max_workers */
};

#define JOBSPEC_OUTPUTS_MAX    (COMPONENTS_MAX + 16)
#define JOBSPEC_COLUMNS_MAX    32767
#define JOBSPEC_SHARD_ROWS_MAX 1048576
#define JOBSPEC_NO_LABEL       UINT32_MAX
#define JOBSPEC_STAGED_MAX     4000 /* each is a file of a spool */

/* PREDICT and EVALUATE: which cells of the rows are scored, and what is wanted of them. */
struct spec_scoring {
    uint64_t rows;       /* rows of rows.spool */
    uint32_t shard_rows; /* rows of one shard; the last may have fewer */
    uint32_t columns;    /* cells of a row */
    uint32_t *inputs;    /* (input_count): the cell of each input of the model, or
                            JOBSPEC_NO_LABEL: one of several labels that the rows lack */
    size_t input_count;
    uint32_t label; /* EVALUATE: its cell. PREDICT: the cell that the result leaves out.
                       JOBSPEC_NO_LABEL: none */
    struct slice label_name;
    /* EVALUATE: the cells of a row's group and of the upper bound of its time, or JOBSPEC_NO_LABEL;
     * what they are called. as_means: the model's aim is not looked at. */
    uint32_t group, upper;
    struct slice group_name, upper_name;
    bool as_means;
    bool by_head; /* EVALUATE: each of several labels has metrics, too (scoring/heads.h) */
    struct slice outputs[JOBSPEC_OUTPUTS_MAX]; /* PREDICT: words of scoring/outputs.h, in order;
                                                  the n-th "component" is the n-th one */
    size_t output_count;
    uint32_t checked; /* PREDICT: the cell of the value that came (scoring/outputs.h), or
                         JOBSPEC_NO_LABEL */
    double anomaly;   /* from this probability on it is an anomaly */
    struct slice metrics[METRICS_MAX]; /* EVALUATE */
    size_t metric_count;
    enum average average;
    enum report_kind report;                         /* EVALUATE: what it returns */
    double false_positive_cost, false_negative_cost; /* costs in the report 'thresholds' */
    struct bootstrap_choice bootstrap;               /* EVALUATE: the metrics' intervals */
    bool has_threshold; /* two classes: the positive one is predicted from `threshold` up */
    double threshold;
    bool keeps_bad_rows; /* a row that cannot be scored is put aside; else the job fails */
    bool replaces_any;   /* the target may replace a table that no such statement made */
};

/* A job. Members that its kind has no use for are zero, and not in its file. */
struct jobspec {
    enum spec_kind kind;
    struct slice statement; /* for people: what was asked */
    struct slice estimator; /* "DNNClassifier" */
    struct slice family;    /* the learner: "network" */
    enum task task;
    struct slice model_name; /* for people: progress lines, logs */

    struct spec_scoring scoring; /* PREDICT and EVALUATE */

    /* TRAIN */
    struct input_spec *inputs; /* the spool's columns are these, then the label, if any, and then
                                  those of roles */
    size_t input_count;
    struct spec_role roles[ROW_ROLES]; /* (role_count): each role at most once, ascending */
    size_t role_count;
    struct slice label; /* size 0 with LABEL_NONE, which clustering has */
    enum label_type label_type;
    enum input_reading label_reading; /* reading of a regression's label; never READING_STRICT */
    struct slice label_declared;      /* the database's own type of it, for the model; or empty */
    struct slice require;       /* train.require as it was written: the model that does not keep it
                                   is not published; or empty */
    struct slice old_model;     /* USING: the digest of the model that is gone on from, which lies
                                   beside the rows (runtime/data/dataset/model_file.h); size 0: none */
    struct slice class_weights; /* JSON: a list in the order of the classes, or an object by label;
                                   size 0: all 1, unless balanced */
    struct slice positive;  /* the label that is looked for, of two, as it was written; or empty */
    struct slice threshold; /* train.threshold as it was written (final_step.h); or empty */
    enum calibration calibration;
    enum fold_scores fold_scores; /* scores that they are learned from, with folds */
    bool has_validation;          /* an own spool for validation is beside the train one */
    bool keeps_best;        /* train.early_stopping = 'auto', of a network: where rows are held out,
                               the weights of the best epoch are kept if the last is clearly worse
                               (runtime/learn/descent/descent_best.h) */
    uint32_t staged_shards; /* shards of the rows, which workers read from the user's table and
                               stage; 0: the session has staged them */

    struct kind_params params; /* attributes of the kind of model */
    struct slice definition;   /* digest of what says the graph; size 0: nothing is known of it */
    const struct graph *graph; /* the calls of a model of kind "graph"; NULL: of another one */
    struct slice freeze;       /* names of what of it is not learned (graph_frozen.h); or empty */
    const struct holidays *holidays; /* holidays of a model that learns series; NULL: none */
    struct slice metrics[METRICS_MAX];
    size_t metric_count;
    struct slice tensorboard;          /* absolute path of a folder for event files; size 0: none */
    const struct notice_list *notices; /* notices of planning and of reading the rows; NULL: none */
    bool has_default_metrics; /* those of them that are of two classes fall away with more */
    enum average average;     /* average of Precision, Recall and F1 over more than two classes */

    /* each kind of job: the attributes of its statement, and what goes with them */
    JOB_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
    uint32_t lanes_max;          /* limit of lanes = 0; greater where more workers are asked for */
    bool in_one_process;         /* master and the one worker; max_workers is 1, servers 0 */
    struct spec_history history; /* TRAIN */
    struct slice metrics_host;   /* IP address for /metrics; size 0: not served */
    uint32_t metrics_port;       /* 0: any free one */
};

/* Columns of a training job's spool. */
static inline uint32_t spec_columns(const struct jobspec *spec)
{
    return (uint32_t)(spec->input_count + task_has_label(spec->task) + spec->role_count);
}

/* The role of one of the spool's columns behind inputs and label. */
static inline const struct spec_role *spec_role_at(const struct jobspec *spec, uint32_t column)
{
    return &spec->roles[column - spec->input_count - task_has_label(spec->task)];
}

/* The spool's column with that role; 0, which is an input: none. */
static inline uint32_t spec_role_column(const struct jobspec *spec, enum row_role role)
{
    for (size_t i = 0; i < spec->role_count; i++)
        if (spec->roles[i].role == role)
            return (uint32_t)(spec->input_count + task_has_label(spec->task) + i);
    return 0;
}
