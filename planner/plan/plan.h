/*
 * plan.h - a statement with every name resolved, value checked, default filled.
 *
 *     statement + catalog --plan_statement--> plan
 *
 * A plan is complete: what executes it looks nothing up and decides nothing.
 * It lives in the arena given to plan_statement, and borrows from none.
 */
#pragma once

#include "definition/definition.h"
#include "jobspec/jobspec.h"
#include "params/attribute.h"
#include "params/bootstrap_choice.h"
#include "parser/statement.h"
#include "planner/attributes/estimators.h"
#include "planner/plan/catalog.h"
#include "planner/plan/column_kind.h"
#include "scoring/outputs.h"
#include "scoring/report.h"

struct search; /* planner/training/search.h */

struct plan_input {
    struct input_spec
        spec;   /* its name: of the column in the SELECT, or of an element (vectors.h) */
    int column; /* its index in the SELECT */
    struct slice declared_type;
    bool is_chosen; /* the type comes from COLUMN, not from the sample */
};

/* The column, element or part that the input takes its cells from. */
static inline struct slice plan_input_read(const struct plan_input *input)
{
    return input_shares(&input->spec) ? input->spec.name : input_column(&input->spec);
}

/* One of several labels. */
struct plan_label {
    int column; /* its index in the SELECT */
    enum input_label type;
};

/* A column of the SELECT that is no input. */
struct plan_left_out {
    struct slice name;
    int column; /* its index in the SELECT */
    enum column_use why;
};

/* A column of the SELECT that is for something else than to be an input; it may be one, too. */
struct plan_role {
    enum row_role role;
    struct slice name;
    int column; /* its index in the SELECT */
    enum input_reading reading;
};

/* Where the processes of a job run, where it is not this machine. */
struct plan_cluster {
    bool is_wanted;              /* job.where = 'kubernetes' */
    struct slice image;          /* its name in the list; size 0: the first */
    struct slice priority_class; /* size 0: none */
    struct slice profile;        /* size 0: the first */
    int64_t cpu_m;               /* thousandths of a processor for each worker; 0: not set */
    int64_t server_cpu_m;        /* the same of each parameter server */
    struct slice memory; /* memory of each worker, as Kubernetes writes it; size 0: not set */
    bool reads_directly; /* TRAIN: its workers read the table; also of jobs that are staged */
};

/* How PREDICT and EVALUATE get their rows scored. */
struct plan_scoring {
    bool on_workers; /* by a job of worker processes, as job.* says; else the engine chooses */
    struct slice too_large; /* why the session has no room for the model; size 0: it has */
    uint32_t min_workers, max_workers; /* max_workers 0: the cores of this machine */
    bool wait;                         /* false: a detached job */
    struct slice metrics_host;         /* an IP address; size 0: nothing is served */
    uint32_t metrics_port;             /* 0: any free one */
};

/* One attribute of a TRAIN statement and its value, for people to read. */
struct plan_attribute {
    const struct attribute *attribute;
    struct slice value; /* the value as it would be written; "none" or "automatic" */
    bool is_set;        /* by the user; otherwise the default */
};

/* A column of a statement's own making. */
enum result_type { RESULT_INTEGER, RESULT_REAL, RESULT_TEXT, RESULT_DATE, RESULT_MOMENT };

#define SERIES_SEASONS_MAX 8 /* seasons that EXPLAIN shows, as many as a forecast has at most */

struct plan_result {
    struct slice name;
    enum result_type type;
};

/* The fate of a row that cannot be read, learned from or scored. */
enum plan_bad_rows { BAD_ROWS_ERROR, BAD_ROWS_SKIP, BAD_ROWS_QUARANTINE };

/* A column of TO EXPLAIN's result that is a picture. */
enum explain_picture { PICTURE_NONE, PICTURE_BAR, PICTURE_DOT, PICTURE_POINTS };

struct plan {
    enum statement_kind kind;
    enum sql_dialect dialect; /* the catalog's */
    bool explain_only;
    bool is_full;      /* SHOW MODELS, SHOW JOBS */
    struct slice text; /* the statement, as the user wrote it */
    struct slice select;
    struct query query; /* the result of the SELECT */

    /* TRAIN */
    const struct estimator *estimator;
    struct plan_input *inputs; /* in the order of the SELECT */
    size_t input_count;
    struct plan_left_out *left_out; /* in the order of the SELECT */
    size_t left_out_count;
    struct slice *excepted; /* (excepted_count), in the order of the SELECT: columns that no clause
                               takes, as EXCEPT names them */
    size_t excepted_count;
    bool takes_left_out;       /* they are inputs after all, as there are no others */
    struct slice label;        /* size 0: the model is learned without, or by several: */
    struct plan_label *labels; /* (label_count), in the order of LABEL */
    size_t label_count;
    int group_column, upper_column; /* EVALUATE, by the model's aim; -1: none */
    struct plan **others;           /* (other_count): EVALUATE a, b, c: of b and c alone */
    size_t other_count;
    struct slice called; /* EVALUATE of several: the model as the statement writes it */
    bool has_no_loss;    /* likewise: what they learn has no loss in common */
    bool as_means;       /* EVALUATE: the model's aim is not looked at */
    int label_column; /* index in the SELECT; -1: none. PREDICT: of the column that the prediction
                         takes the place of */
    enum label_type label_type;
    enum input_reading label_reading;  /* a regressor's: of its text */
    struct slice label_declared;       /* its sql_type, where predictions are of that type again */
    struct plan_role roles[ROW_ROLES]; /* (role_count): by the role */
    size_t role_count;
    enum offset offset;       /* with which each row's score begins; OFFSET_NONE: nothing */
    struct slice offset_name; /* its column */
    int offset_column;        /* in the SELECT */
    /* The job as the statement sets it, with the attributes of its kind, of training and of
     * workers. max_workers 0: as many as min_workers. codegen adds the rest. */
    struct jobspec spec;
    bool wait; /* false: a detached job */
    uint32_t verbose;
    uint32_t folds;                    /* folds of cross-validation; 0: none */
    int folds_position;                /* position of their number in the text */
    const struct search *search;       /* the search whose first trial this plans; NULL: none */
    struct plan_attribute *attributes; /* all that have a meaning for this statement */
    size_t attribute_count;
    struct slice validation_select; /* validation.select; size 0: none */
    int *validation_columns;        /* for each input, then the label, if any, then the roles: its
                                       column in validation_select */
    struct slice into_schema, into_name;
    struct slice into_file; /* the database file of a detached job, whatever the job does: an
                               absolute path */

    struct plan_cluster cluster; /* TRAIN, PREDICT, EVALUATE */

    /* TRAIN, EVALUATE: canonical names ("Accuracy", "LogLoss", "RMSE") */
    struct slice metrics[METRICS_MAX];
    size_t metric_count;
    bool has_default_metrics; /* the statement names none */
    enum average average;     /* average of Precision, Recall and F1 over more than two classes */

    struct slice class_weights; /* TRAIN: train.class_weight as JSON; size 0: none, or balanced */
    struct slice positive;      /* TRAIN: model.positive as written; size 0: the greater label */
    enum report_kind report;    /* EVALUATE */
    struct report_costs costs;  /* costs of the model's mistakes */
    struct bootstrap_choice bootstrap; /* EVALUATE: the metrics' intervals */
    /* TO EXPLAIN: what of the model is shown; NULL: SHAP values of rows, or importance, whose
     * metric is metrics[0] */
    const struct model_inside *inside;
    bool explain_by_shap, explain_by_dependence;
    struct slice explain_columns; /* partial dependence: their names, between commas; size 0: all */
    uint32_t explain_points;      /* likewise: values of a column at most */
    bool explain_individual;      /* likewise: each row's, too */
    int explainer_position;       /* in the text, of what asks for SHAP values */
    uint32_t explain_repeats, explain_rows;
    uint64_t explain_seed;
    enum explain_picture explain_picture;
    bool explain_sorted;         /* the most important input first */
    uint32_t explain_inputs_max; /* inputs that are shown; 0: all */
    bool has_threshold; /* PREDICT, EVALUATE: of two classes the positive one is predicted */
    double threshold;   /* from this probability up */

    /* PREDICT, EVALUATE, FORECAST, SHOW TRAIN, SHOW MODEL, SHOW VERSIONS, ROLLBACK, EXPORT, REPORT;
     * TRAIN:
     * of the model that USING goes on from, size 0: none */
    struct slice model_schema, model_name;
    struct model_summary model; /* PREDICT, EVALUATE, FORECAST, SHOW TRAIN, TRAIN */
    int *model_columns;         /* for each model input: its column in the SELECT */
    /* PREDICT into, EVALUATE into. target_column is PREDICT's alone: the name of
     * the prediction's column, filled also without a target (the model's label, else
     * PREDICT_CLUSTER or PREDICT_COMPONENT). A projection has a column of each component instead,
     * target_column_1 and so on. */
    struct slice target_schema, target_table, target_column;
    struct slice *components;    /* (model.component_count): their names */
    uint32_t steps;              /* FORECAST: of each series */
    double level;                /* likewise, of the intervals */
    struct plan_result *results; /* (result_count): FORECAST: its columns */
    size_t result_count;
    bool explains_series; /* EXPLAIN of a forecast: `results` are its columns, too */
    uint32_t part_seasons[SERIES_SEASONS_MAX]; /* (part_season_count): lengths, ascending */
    uint32_t part_season_count;
    uint32_t part_effect_count; /* regressors whose effects are parts, behind the seasons */
    bool has_target;
    bool replaces_any; /* predict.replace, evaluate.replace */
    enum plan_bad_rows bad_rows;
    struct slice
        quarantine_table; /* BAD_ROWS_QUARANTINE: in target_schema, or TRAIN's into_schema */
    struct slice extra_outputs[8]; /* predict.extra_outputs */
    enum output extra_kinds[8];    /* each one's kind for this model */
    size_t extra_output_count;
    int checked_column; /* PREDICT: the values that came, beside what is forecast; -1: none */
    double anomaly;     /* the probability from which one is an anomaly */
    struct plan_scoring scoring;

    struct notice_list *notices; /* never NULL; reading the rows adds to it */

    /* Offset in the text of the object that the statement names: the table of INTO or PREDICT, the
     * job of CANCEL, the version of ROLLBACK, the model of EXPORT and REPORT; -1: none. For errors
     * after planning. */
    int object_position;
    /* EXPORT, IMPORT and REPORT. format.size 0: by the file's name, or what is in it */
    struct slice file, format;
    int file_position, format_position;
    struct slice version;  /* ROLLBACK MODEL m TO version: a number or a digest's beginning */
    int64_t job;           /* CANCEL JOB id */
    struct slice job_text; /* CANCEL JOB id as written */
    /* DEFINE MODEL, what is done to a DEFINITION, and TRAIN of one. definition: NULL for DROP and
     * IMPORT, and for a TRAIN by another model's name */
    struct definition_name definition_name;
    const struct definition *definition;
    struct stored_definition stored; /* its row in the database; version 0: it comes with ToTrain */
    const struct value **definition_values; /* (argument_count): what WITH sets; NULL: nothing */
    bool is_replacing, if_exists;
    struct slice attributes_for; /* SHOW ATTRIBUTES FOR model */
};

/* BAD_ROWS_QUARANTINE: the table beside a target or model, and its column with the reason. */
#define QUARANTINE_SUFFIX "_bad_rows"
#define QUARANTINE_REASON "totrain_reason"

/* Begins the names of predictions of several labels, where the statement does not say it. */
#define PREDICT_HEAD "predicted"

/* The prediction of a model without a label, where the statement does not name it. */
#define PREDICT_CLUSTER   "cluster"
#define PREDICT_COMPONENT "component" /* the prediction of a projection */
#define PREDICT_INLIER    "inlier"    /* the prediction of a detection: 1, or -1 for an outlier */

/* Was the stored model trained with several labels? They are inputs that rows need not have. */
static inline bool plan_has_labels(const struct plan *plan)
{
    for (size_t i = 0; i < plan->model.input_count; i++)
        if (plan->model.inputs[i].label)
            return true;
    return false;
}

/* Where the statement makes tables; the model's place for TRAIN and IMPORT. */
static inline struct slice plan_written_schema(const struct plan *plan)
{
    return plan->kind == STATEMENT_TRAIN || plan->kind == STATEMENT_IMPORT_MODEL
               ? plan->into_schema
               : plan->target_schema;
}

/* Does EVALUATE measure each of several labels by itself? */
static inline bool plan_measures_heads(const struct plan *plan)
{
    return plan->model.heads && plan->report == REPORT_METRICS && plan->other_count == 0 &&
           plan->bootstrap.level == 0;
}
