/*
 * terms.h - the words that statements, job specs and stored models share, and the enums behind
 * them.
 *
 * Each list stands here once. In a file or a statement a value is its word ("relu"); in memory and
 * in a model's digest it is its place in the list, so words are added at the end of a list and
 * never moved. The limits beside them hold for planner, job spec, learner and stored model alike.
 */
#pragma once

#include "base/text.h"

#define MODEL_INPUTS_MAX 2000 /* columns that a model takes */
#define PICTURE_NUMBERS_MAX                                                                        \
    16384 /* numbers of all pictures of a definition's model, each an input */
#define MODEL_NUMBERS_MAX     (MODEL_INPUTS_MAX + PICTURE_NUMBERS_MAX) /* both together */
#define CATEGORY_WORDS        10000 /* words of a category column that are kept by default */
#define CATEGORY_WORDS_MAX    10000000
#define TEXT_BUCKETS          8192 /* words of texts, by default; CATEGORY_WORDS_MAX at most */
#define TEXT_WORDS            128  /* different words of one text that count, by default */
#define TEXT_WORDS_MAX        1024
#define TEXT_PAIR_BUCKETS     32768 /* words and pairs of words of texts, by default */
#define TEXT_TERMS            256   /* different words and pairs of one text, or weighted words */
#define TEXT_COUNTS           1000 /* hash buckets where each is an input that counts, by default */
#define BUCKETS_MAX           1000 /* buckets of a column of numbers */
#define CLASSES_MAX           65536 /* different labels of a classifier */
#define DEPENDENCE_POINTS_MAX 1000  /* values of a column in a partial dependence */
#define COMPONENTS_MAX        128   /* a projection's: columns that PREDICT adds */
#define HIDDEN_LAYERS_MAX     16
#define HIDDEN_UNITS_MAX      8192 /* units of one hidden layer */
#define METRICS_MAX           16   /* metrics in one statement */
#define WORD_BYTES_MAX        64   /* names of estimators, families, metrics */
#define DIGEST_BYTES_MAX      64   /* a model's digest in hex digits */
#define LABEL_BYTES_MAX       1000 /* a label named in a statement */
#define TYPE_BYTES_MAX        1000 /* name of a database's type, with its schema and parameters */
#define IP_BYTES_MAX          45   /* an address as text */

#define EMBEDDING_DIMENSION_MAX 512

#define CLASS_WEIGHTS_BYTES_MAX 65536 /* train.class_weight, as JSON */

/* A model's task, and the word for such a model in a sentence. */
#define TASK_MAP(X)                                                                                \
    X(TASK_CLASSIFICATION, "classification", "classifier")                                         \
    X(TASK_REGRESSION, "regression", "regressor")                                                  \
    X(TASK_CLUSTERING, "clustering", "model of clusters")                                          \
    X(TASK_PROJECTION, "projection", "model of components")                                        \
    X(TASK_DETECTION, "detection", "detector of outliers")

/* How a column enters a model: as a number, as one of its words, or by all the words of a text. */
#define INPUT_TYPE_MAP(X)                                                                          \
    X(INPUT_NUMERIC, "numeric")                                                                    \
    X(INPUT_CATEGORY, "category")                                                                  \
    X(INPUT_TEXT, "text")

/* How the cells of a category become rows of the first layer. */
#define CATEGORY_RULE_MAP(X)                                                                       \
    X(RULE_WORDS, "words")       /* a vocabulary, learned from the rows */                         \
    X(RULE_HASH, "hash")         /* the hash of the word */                                        \
    X(RULE_ID, "id")             /* the number itself */                                           \
    X(RULE_BUCKET, "bucket")     /* the interval that the number is in */                          \
    X(RULE_CROSS, "cross")       /* the hash of several columns' values (inputs/cross.h) */        \
    X(RULE_SEQUENCE, "sequence") /* a vocabulary of the items of lists (inputs/sequence.h) */      \
    X(RULE_ORDERED, "ordered")   /* likewise, whose ids are in the order of the items */

/* Which part of a model takes an input, where COLUMN ... FOR says so. */
#define MODEL_PART_MAP(X)                                                                          \
    X(PART_BOTH, "both")                                                                           \
    X(PART_LINEAR, "linear")                                                                       \
    X(PART_DNN, "dnn")

/* Part of a date (inputs/cells/dates.h) that an input takes; DATE_WHOLE: the column as it is. */
#define DATE_PART_MAP(X)                                                                           \
    X(DATE_WHOLE, "whole")                                                                         \
    X(DATE_AGE, "age")                                                                             \
    X(DATE_MONTH, "month")                                                                         \
    X(DATE_DAY, "day")                                                                             \
    X(DATE_WEEKDAY, "weekday")                                                                     \
    X(DATE_HOUR, "hour")

/* How several values lie in one text (inputs/cell_list.h). */
#define LIST_FORM_MAP(X)                                                                           \
    X(LIST_NONE, "none")         /* it is one value */                                             \
    X(LIST_DENSE, "dense")       /* so many numbers */                                             \
    X(LIST_SPARSE, "sparse")     /* ids, or pairs of an id and a number */                         \
    X(LIST_ITEMS, "items")       /* ids or words, or pairs, of a category */                       \
    X(LIST_WORDS, "words")       /* a free text, whose words are counted */                        \
    X(LIST_SEQUENCE, "sequence") /* items in order, of a category (inputs/sequence.h) */           \
    X(LIST_STEPS, "steps")       /* numbers in order, likewise */                                  \
    X(LIST_BYTES, "bytes")       /* the bytes of a blob: a picture of models of before */          \
    X(LIST_PICTURE, "picture")   /* likewise, or those of its PNG (inputs/picture.h) */

/* How the rows that the words of a text, or the items of a list, select become one. */
#define COMBINER_MAP(X)                                                                            \
    X(COMBINER_SQRTN, "sqrtn") /* their sum, divided by the root of their number */                \
    X(COMBINER_SUM, "sum")                                                                         \
    X(COMBINER_MEAN, "mean")

/* The weight of a word, or a pair of words, that a text has (inputs/weighted_terms.h). */
#define TEXT_WEIGHT_MAP(X)                                                                         \
    X(TEXT_WEIGHT_NONE, "words") /* it counts once, however often it is there */                   \
    X(TEXT_WEIGHT_COUNT, "count")                                                                  \
    X(TEXT_WEIGHT_TFIDF, "tfidf")

/* The way from scores to probabilities, so that these are as frequent as they say
 * (scoring/final_step.h). */
#define CALIBRATION_MAP(X)                                                                         \
    X(CALIBRATION_NONE, "none")                                                                    \
    X(CALIBRATION_ISOTONIC,                                                                        \
      "isotonic")                     /* shares of rows that never fall, straight lines between */ \
    X(CALIBRATION_SIGMOID, "sigmoid") /* the logistic function of the score times a slope */

/* Scores of rows by models that have not learned from them (runtime/data/dataset/fold_scores.h). */
#define FOLD_SCORES_MAP(X)                                                                         \
    X(FOLD_SCORES_NONE, "none")                                                                    \
    X(FOLD_SCORES_KEPT, "kept") /* the job is that of a fold, and keeps those of held-out rows */  \
    X(FOLD_SCORES_GIVEN, "given") /* those of all folds lie beside the rows */

/* How the text of a numeric input is read (inputs/cells/cell_text.h), and, the last three, that of
 * dates (inputs/cells/dates.h), which without them have ISO's form. READING_STRICT: of a model that
 * was stored before there were readings. */
#define INPUT_READING_MAP(X)                                                                       \
    X(READING_NUMBER, "number")                                                                    \
    X(READING_SEPARATED, "separated")                                                              \
    X(READING_BOOLEAN, "boolean")                                                                  \
    X(READING_STRICT, "strict")                                                                    \
    X(READING_POINT, "written, with a point")                                                      \
    X(READING_COMMA, "written, with a comma")                                                      \
    X(READING_DATE, "written date")                                                                \
    X(READING_DAY_FIRST, "day first")                                                              \
    X(READING_MONTH_FIRST, "month first")

/* An input that is a label of a model of several: what its cells are, and predictions of it will
 * be.
 */
#define INPUT_LABEL_MAP(X)                                                                         \
    X(INPUT_LABEL_NONE, "none")                                                                    \
    X(INPUT_LABEL_NUMBER, "number") /* it is a regression's, the others are classes */             \
    X(INPUT_LABEL_INTEGER, "integer")                                                              \
    X(INPUT_LABEL_REAL, "real")                                                                    \
    X(INPUT_LABEL_TEXT, "text")

/* The labels' type; LABEL_NONE: the model is learned without labels. */
#define LABEL_TYPE_MAP(X)                                                                          \
    X(LABEL_INTEGER, "integer")                                                                    \
    X(LABEL_REAL, "real")                                                                          \
    X(LABEL_TEXT, "text")                                                                          \
    X(LABEL_NONE, "none")

#define ACTIVATION_MAP(X)                                                                          \
    X(ACTIVATION_IDENTITY, "identity")                                                             \
    X(ACTIVATION_RELU, "relu")                                                                     \
    X(ACTIVATION_TANH, "tanh")                                                                     \
    X(ACTIVATION_SIGMOID, "sigmoid")                                                               \
    X(ACTIVATION_ELU, "elu")                                                                       \
    X(ACTIVATION_SELU, "selu")                                                                     \
    X(ACTIVATION_LEAKY_RELU, "leaky_relu")                                                         \
    X(ACTIVATION_GELU, "gelu")                                                                     \
    X(ACTIVATION_SWISH, "swish")                                                                   \
    X(ACTIVATION_SOFTPLUS, "softplus")                                                             \
    X(ACTIVATION_SOFTSIGN, "softsign")

#define OPTIMIZER_MAP(X)                                                                           \
    X(OPTIMIZER_SGD, "SGD")                                                                        \
    X(OPTIMIZER_MOMENTUM, "Momentum")                                                              \
    X(OPTIMIZER_NESTEROV, "Nesterov")                                                              \
    X(OPTIMIZER_ADAGRAD, "Adagrad")                                                                \
    X(OPTIMIZER_ADAM, "Adam")                                                                      \
    X(OPTIMIZER_ADADELTA, "Adadelta")                                                              \
    X(OPTIMIZER_RMSPROP, "RMSprop")                                                                \
    X(OPTIMIZER_ADAMAX, "Adamax")                                                                  \
    X(OPTIMIZER_NADAM, "Nadam")                                                                    \
    X(OPTIMIZER_AMSGRAD, "AMSGrad")                                                                \
    X(OPTIMIZER_ADAMW, "AdamW")                                                                    \
    X(OPTIMIZER_FTRL, "FTRL")

/* How the learning rate changes over the steps. */
#define SCHEDULE_MAP(X)                                                                            \
    X(SCHEDULE_CONSTANT, "constant")                                                               \
    X(SCHEDULE_LINEAR, "linear")                                                                   \
    X(SCHEDULE_COSINE, "cosine")                                                                   \
    X(SCHEDULE_TRAPEZOIDAL, "trapezoidal")                                                         \
    X(SCHEDULE_EXPONENTIAL, "exponential")                                                         \
    X(SCHEDULE_STEP, "step")                                                                       \
    X(SCHEDULE_POLYNOMIAL, "polynomial")

/* How Precision, Recall and F1 of more than two classes are made of those of each. */
#define AVERAGE_MAP(X)                                                                             \
    X(AVERAGE_MACRO, "macro")                                                                      \
    X(AVERAGE_WEIGHTED, "weighted")                                                                \
    X(AVERAGE_MICRO, "micro")

/* The use of a column of the rows that is neither input nor label. */
#define ROW_ROLE_MAP(X)                                                                            \
    X(ROLE_SAMPLE_WEIGHT, "sample_weight")                                                         \
    X(ROLE_LABEL_UPPER, "label_upper_bound")                                                       \
    X(ROLE_GROUP, "group")

/* The term that an input adds to the outputs of each row that has it, where it is no feature. */
#define OFFSET_MAP(X)                                                                              \
    X(OFFSET_NONE, "none") /* it is a feature */                                                   \
    X(OFFSET_ADDED, "offset")                                                                      \
    X(OFFSET_MARGIN,                                                                               \
      "base_margin") /* likewise; a model that is learned begins with nothing else */              \
    X(OFFSET_EXPOSURE, "exposure") /* its logarithm */

/* The table that EVALUATE returns (scoring/report.h). */
#define REPORT_MAP(X)                                                                              \
    X(REPORT_METRICS, "metrics")                                                                   \
    X(REPORT_CONFUSION, "confusion")                                                               \
    X(REPORT_CLASSES, "classes")                                                                   \
    X(REPORT_ROC, "roc")                                                                           \
    X(REPORT_PR, "pr")                                                                             \
    X(REPORT_THRESHOLDS, "thresholds")                                                             \
    X(REPORT_GAIN, "gain")                                                                         \
    X(REPORT_CALIBRATION, "calibration")                                                           \
    X(REPORT_RESIDUALS, "residuals")                                                               \
    X(REPORT_DRIFT, "drift")

/* How a label follows from an output of a row. */
#define LABEL_LINK_MAP(X)                                                                          \
    X(LABEL_LINK_NONE, "none")     /* a number is the output; that of classes is a logit */        \
    X(LABEL_LINK_EXP, "exp")       /* a number is e to the output */                               \
    X(LABEL_LINK_MARGIN, "margin") /* two classes: the sign says which; no probability */

/* The meaning of a regressor's numbers, of the outputs of a classifier of two classes, or of the
 * distance of a projection. */
#define AIM_MAP(X)                                                                                 \
    X(AIM_MEANS, "means")         /* means of the label, or of it by a loss of numbers */          \
    X(AIM_RANKS, "ranks")         /* the greater ones come first within a group */                 \
    X(AIM_QUANTILES, "quantiles") /* shares of the rows are below them */                          \
    X(AIM_TIMES, "times")         /* until events that need not have been seen */                  \
    X(AIM_HAZARDS, "hazards")     /* hazards of such events */                                     \
    X(AIM_MARGINS, "margins") /* the sign says which class it is: there are no probabilities */    \
    X(AIM_LOSSES, "losses")   /* the loss of a definition's own, of projections */

/* Is it measured where the statement names no metrics? METRIC_OF_AIM: where the numbers are what
 * it is of. */
enum metric_default { METRIC_WHEN_NAMED, METRIC_ALWAYS, METRIC_OF_TWO_CLASSES, METRIC_OF_AIM };

#define ANY_AIM        ~0u
#define OF_PROBABILITY (ANY_AIM & ~(1u << AIM_MARGINS))
#define OF_COMPONENTS  (ANY_AIM & ~(1u << AIM_LOSSES))

/* Metrics: the word, the task, when they are measured, and for which aims. */
#define METRIC_MAP(X)                                                                              \
    X(METRIC_ACCURACY, "Accuracy", TASK_CLASSIFICATION, METRIC_ALWAYS, ANY_AIM)                    \
    X(METRIC_LOG_LOSS, "LogLoss", TASK_CLASSIFICATION, METRIC_ALWAYS, OF_PROBABILITY)              \
    X(METRIC_AUC, "AUC", TASK_CLASSIFICATION, METRIC_OF_TWO_CLASSES, ANY_AIM)                      \
    X(METRIC_PRECISION, "Precision", TASK_CLASSIFICATION, METRIC_WHEN_NAMED, ANY_AIM)              \
    X(METRIC_RECALL, "Recall", TASK_CLASSIFICATION, METRIC_WHEN_NAMED, ANY_AIM)                    \
    X(METRIC_F1, "F1", TASK_CLASSIFICATION, METRIC_OF_TWO_CLASSES, ANY_AIM)                        \
    X(METRIC_BALANCED_ACCURACY, "BalancedAccuracy", TASK_CLASSIFICATION, METRIC_WHEN_NAMED,        \
      ANY_AIM)                                                                                     \
    X(METRIC_MCC, "MCC", TASK_CLASSIFICATION, METRIC_WHEN_NAMED, ANY_AIM)                          \
    X(METRIC_PR_AUC, "PRAUC", TASK_CLASSIFICATION, METRIC_WHEN_NAMED, ANY_AIM)                     \
    X(METRIC_MSE, "MSE", TASK_REGRESSION, METRIC_WHEN_NAMED, ANY_AIM)                              \
    X(METRIC_RMSE, "RMSE", TASK_REGRESSION, METRIC_ALWAYS, ANY_AIM)                                \
    X(METRIC_MAE, "MAE", TASK_REGRESSION, METRIC_ALWAYS, ANY_AIM)                                  \
    X(METRIC_R2, "R2", TASK_REGRESSION, METRIC_ALWAYS, ANY_AIM)                                    \
    X(METRIC_MAPE, "MAPE", TASK_REGRESSION, METRIC_WHEN_NAMED, ANY_AIM)                            \
    X(METRIC_RMSLE, "RMSLE", TASK_REGRESSION, METRIC_WHEN_NAMED, ANY_AIM)                          \
    X(METRIC_POISSON, "PoissonNLogLik", TASK_REGRESSION, METRIC_WHEN_NAMED, ANY_AIM)               \
    X(METRIC_GAMMA, "GammaNLogLik", TASK_REGRESSION, METRIC_WHEN_NAMED, ANY_AIM)                   \
    X(METRIC_GAMMA_DEVIANCE, "GammaDeviance", TASK_REGRESSION, METRIC_WHEN_NAMED, ANY_AIM)         \
    X(METRIC_TWEEDIE, "TweedieNLogLik", TASK_REGRESSION, METRIC_WHEN_NAMED, ANY_AIM)               \
    X(METRIC_NDCG, "NDCG", TASK_REGRESSION, METRIC_OF_AIM, 1u << AIM_RANKS)                        \
    X(METRIC_MAP_RANKS, "MAP", TASK_REGRESSION, METRIC_OF_AIM, 1u << AIM_RANKS)                    \
    X(METRIC_MRR, "MRR", TASK_REGRESSION, METRIC_OF_AIM, 1u << AIM_RANKS)                          \
    X(METRIC_PINBALL, "Pinball", TASK_REGRESSION, METRIC_OF_AIM, 1u << AIM_QUANTILES)              \
    X(METRIC_COVERAGE, "Coverage", TASK_REGRESSION, METRIC_OF_AIM, 1u << AIM_QUANTILES)            \
    X(METRIC_AFT, "AFTNLogLik", TASK_REGRESSION, METRIC_OF_AIM, 1u << AIM_TIMES)                   \
    X(METRIC_COX, "CoxNLogLik", TASK_REGRESSION, METRIC_OF_AIM, 1u << AIM_HAZARDS)                 \
    X(METRIC_CONCORDANCE, "Concordance", TASK_REGRESSION, METRIC_OF_AIM,                           \
      1u << AIM_TIMES | 1u << AIM_HAZARDS)                                                         \
    X(METRIC_INERTIA, "Inertia", TASK_CLUSTERING, METRIC_ALWAYS, ANY_AIM)                          \
    X(METRIC_SILHOUETTE, "Silhouette", TASK_CLUSTERING, METRIC_ALWAYS, ANY_AIM)                    \
    X(METRIC_RECONSTRUCTION, "ReconstructionError", TASK_PROJECTION, METRIC_ALWAYS, OF_COMPONENTS) \
    X(METRIC_EXPLAINED, "ExplainedVariance", TASK_PROJECTION, METRIC_ALWAYS, OF_COMPONENTS)        \
    X(METRIC_LOSS, "Loss", TASK_PROJECTION, METRIC_OF_AIM, 1u << AIM_LOSSES)                       \
    X(METRIC_OUTLIERS, "Outliers", TASK_DETECTION, METRIC_ALWAYS, ANY_AIM)

#define X(name, word, model) name,
enum task { TASK_MAP(X) };
#undef X
#define X(name, word) name,
enum input_type { INPUT_TYPE_MAP(X) };
enum category_rule { CATEGORY_RULE_MAP(X) };
enum model_part { MODEL_PART_MAP(X) };
enum date_part { DATE_PART_MAP(X) DATE_PARTS };
enum list_form { LIST_FORM_MAP(X) };
enum combiner { COMBINER_MAP(X) };
enum text_weight { TEXT_WEIGHT_MAP(X) };
enum calibration { CALIBRATION_MAP(X) };
enum fold_scores { FOLD_SCORES_MAP(X) };
enum input_reading { INPUT_READING_MAP(X) };
enum label_type { LABEL_TYPE_MAP(X) };
enum activation { ACTIVATION_MAP(X) };
enum optimizer_kind { OPTIMIZER_MAP(X) };
enum schedule { SCHEDULE_MAP(X) };
enum average { AVERAGE_MAP(X) };
enum report_kind { REPORT_MAP(X) };
enum row_role { ROW_ROLE_MAP(X) ROW_ROLES };
enum offset { OFFSET_MAP(X) OFFSETS };
enum input_label { INPUT_LABEL_MAP(X) INPUT_LABELS };
enum label_link { LABEL_LINK_MAP(X) };
enum aim { AIM_MAP(X) AIMS };
#undef X
#define X(name, word, task, is_default, aims) name,
enum metric { METRIC_MAP(X) METRIC_COUNT };
#undef X

/* By value; NULL-terminated. */
extern const char *const task_words[];
extern const char *const task_models[]; /* "classifier" */
extern const char *const input_type_words[];
extern const char *const category_rule_words[];
extern const char *const model_part_words[];
extern const char *const date_part_words[];
extern const char *const list_form_words[];
extern const char *const combiner_words[];
extern const char *const text_weight_words[];
extern const char *const calibration_words[];
extern const char *const fold_scores_words[];
extern const char *const input_reading_words[];
extern const char *const label_type_words[];
extern const char *const activation_words[];
extern const char *const optimizer_words[];
extern const char *const schedule_words[];
extern const char *const average_words[];
extern const char *const report_words[];
extern const char *const row_role_words[];
extern const char *const offset_words[];
extern const char *const input_label_words[];
extern const char *const offset_columns[]; /* before such a column's name in a message */
extern const char *const label_link_words[];
extern const char *const aim_words[];
extern const char *const row_role_columns[]; /* before such a column's name in a message */

/* Is it one of dates in other forms than ISO's? */
static inline bool reading_is_of_dates(enum input_reading reading)
{
    return reading >= READING_DATE;
}

/* Is it one that models of before there was another writing do not know? */
static inline bool reading_is_written(enum input_reading reading)
{
    return reading >= READING_POINT;
}

/* Is the column of the role one of numbers, which learners see? That of groups decides where rows
 * lie (runtime/data/spool/held_out.h), and shows in their hashes. */
static inline bool role_is_number(enum row_role role)
{
    return role != ROLE_GROUP;
}

/* Is a model of this task learned from a label column, and measured against one? */
static inline bool task_has_label(enum task task)
{
    return task == TASK_CLASSIFICATION || task == TASK_REGRESSION;
}

/* The aim by whose metrics a training is measured that names none. */
static inline enum aim aim_measured(enum aim aim)
{
    return aim == AIM_MARGINS || aim == AIM_LOSSES ? aim : AIM_MEANS;
}

/* Does a category with this rule take its cells as numbers? Of a cross they are its buckets. */
static inline bool rule_takes_numbers(enum category_rule rule)
{
    return rule == RULE_ID || rule == RULE_BUCKET || rule == RULE_CROSS;
}

static inline bool part_has_linear(enum model_part part)
{
    return part != PART_DNN;
}

static inline bool part_has_dnn(enum model_part part)
{
    return part != PART_LINEAR;
}

/* The input's type if it takes a part of a date. */
static inline enum input_type date_part_type(enum date_part part)
{
    return part == DATE_AGE ? INPUT_NUMERIC : INPUT_CATEGORY;
}

/* Floats that it keeps for each parameter (runtime/learn/optimizer/optimizer.h). Momentum and
 * centring are RMSprop's. */
static inline uint32_t optimizer_slots(enum optimizer_kind optimizer, bool has_momentum,
                                       bool is_centered)
{
    switch (optimizer) {
    case OPTIMIZER_SGD:
        return 0;
    case OPTIMIZER_MOMENTUM:
    case OPTIMIZER_NESTEROV:
    case OPTIMIZER_ADAGRAD:
        return 1;
    case OPTIMIZER_RMSPROP:
        return 1 + has_momentum + is_centered;
    case OPTIMIZER_AMSGRAD:
        return 3;
    default:
        return 2;
    }
}

/* A table of weights with so many rows is moved by row where a step touches few of them
 * (runtime/learn/descent/descent_table.h). Descent holds so many bytes of a row besides its
 * parameters: when it was moved last, its check sums, and its place in the lists of touched rows.
 */
#define TABLE_ROWS_LEAST 1024
#define TABLE_ROW_BYTES  32

/* Bytes that descent holds for a parameter: it, its gradient, the sum of these in 64 bits and as a
 * float, it once more, transposed, and the optimizer's slots. */
static inline uint32_t optimizer_parameter_bytes(uint32_t slots)
{
    return (4 + slots) * sizeof(float) + sizeof(int64_t);
}

/* The place of this very word in such a list; false: it is none of it. */
bool term_find(const char *const *words, struct slice word, unsigned *value);
/* In any case of letters. */
bool term_find_fold(const char *const *words, struct slice word, unsigned *value);

const char *metric_name(enum metric metric);
enum task metric_task(enum metric metric);
enum metric_default metric_default(enum metric metric);
/* Is it of regressors whose numbers are that? Of all other models it is. */
bool metric_is_of(enum metric metric, enum aim aim);
/* Is it measured of a model of so many classes (0: none), or of this aim, where the statement names
 * no metrics? */
bool metric_is_default(enum metric metric, enum aim aim, uint32_t classes);
/* Is a model better with less of it? */
bool metric_is_loss(enum metric metric);
/* Is it of sums over rows, or of few numbers of each, so that a learner may measure it in each
 * round? Pairs of rows are compared in the end. */
bool metric_is_of_rounds(enum metric metric);
/* Does it rank the rows by the probability of a class? Of more than two classes it takes all
 * probabilities of each row. */
bool metric_ranks(enum metric metric);
/* By name, or by scikit-learn's, XGBoost's or LightGBM's ("accuracy_score", "neg_log_loss",
 * "roc_auc", "r2", ...); case is ignored. False when there is none. */
bool metric_find(struct slice name, enum metric *metric);
/* The other names, i = 0, 1, ...; false: there are no more. */
bool metric_alias_number(size_t i, const char **name, enum metric *metric);

/* A metric and its number, as in 'NDCG@5': of rankings how many rows of a group, of TweedieNLogLik
 * the power. */
struct measure {
    enum metric metric;
    double at; /* 0: none is said */
};
/* metric_find, with the number; false also for a number that the metric does not take. */
bool measure_find(struct slice name, struct measure *measure);
void measure_append(struct measure measure, struct text *out); /* measure_find finds it again */
