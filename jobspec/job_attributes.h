/*
 * job_attributes.h - the attributes of WITH that no kind of model has to itself: of training (rows,
 * epochs, batches), of the job (workers, checkpoints) and of what statements make.
 *
 * Those with a place in memory are members of struct jobspec.
 */
#pragma once

#include "params/attribute.h"

#define JOBSPEC_LANES_MAX         1024
#define JOBSPEC_LANES_DEFAULT_MAX 64
#define JOBSPEC_THREADS_MAX       64
#define JOBSPEC_WORKERS_MAX       1024
#define JOBSPEC_SERVERS_MAX       64

extern const struct word_alias report_aliases[];

#define JOB_ATTRIBUTES(STORED, PLANNED)                                                            \
    STORED(uint32_t, n_classes, "model.n_classes", SCOPE_TRAIN, IN_KIND(n_classes),                \
           INTEGER(2, CLASSES_MAX, NULL),                                                          \
           "Most classes that the labels may have; the model has those that are found. "           \
           "Classifiers only.",                                                                    \
           .tasks = 1 << TASK_CLASSIFICATION)                                                      \
    PLANNED("model.positive", SCOPE_TRAIN, A_LABEL(),                                              \
            "Positive class of two: the label that Precision, Recall, F1, PRAUC, "                 \
            "thresholds and 'probability' refer to. Default: the label that sorts last.",          \
            .tasks = 1 << TASK_CLASSIFICATION)                                                     \
    STORED(bool, standardize, "model.standardize", SCOPE_TRAIN, IN_KIND(standardize),              \
           BOOLEAN("true", NULL),                                                                  \
           "Give numeric inputs mean 0 and standard deviation 1, by the statistics of the "        \
           "training rows.")                                                                       \
    STORED(uint32_t, batch_size, "train.batch_size", SCOPE_TRAIN, IN(training, batch_size),        \
           INTEGER(1, 1000000, "128"),                                                             \
           "The most rows of one step; the steps of an epoch are equally large.",                  \
           .aliases = WORDS("engine.minibatch_size"))                                              \
    STORED(uint32_t, epochs, "train.epoch", SCOPE_TRAIN, IN(training, epochs),                     \
           INTEGER(1, 1000000, "auto"),                                                            \
           "Passes over the training rows. 'auto': at least 10, and enough for 1,000 steps "       \
           "of a linear model, 200 of a network for classes, 500 of a network for "                \
           "numbers, which makes 40 passes if these are no more than 4,000 steps.",                \
           .is_automatic = true, .aliases = WORDS("train.epochs"))                                 \
    STORED(uint64_t, max_steps, "train.max_steps", SCOPE_TRAIN, IN(training, max_steps),           \
           INTEGER(0, 1e12, "0"), "Steps after which training ends; 0: no limit.")                 \
    STORED(double, max_seconds, "train.max_seconds", SCOPE_TRAIN, IN(training, max_seconds),       \
           REAL(0, 1e9, "0"),                                                                      \
           "Seconds after which training ends, with the step that it is in; 0: no limit. How far " \
           "the model has learned then depends on the machines.")                                  \
    STORED(bool, shuffle, "train.shuffle", SCOPE_TRAIN, IN(training, shuffle),                     \
           BOOLEAN("true", NULL),                                                                  \
           "Take the rows in another order in each epoch; false: in the same order in all "        \
           "epochs.")                                                                              \
    STORED(uint64_t, seed, "train.seed", SCOPE_TRAIN, IN(training, seed), INTEGER(0, 0x1p63, "0"), \
           "Decides initial weights, orders of rows and held-out rows.")                           \
    PLANNED("train.verbose", SCOPE_TRAIN, INTEGER(0, 2, "1"),                                      \
            "How much progress is shown: 0 nothing, 2 every epoch.", .minus_one_is_0 = true)       \
    STORED(uint32_t, log_every_steps, "train.log_every_n_iter", SCOPE_TRAIN,                       \
           IN(training, log_every_steps), INTEGER(0, 1e9, "0"),                                    \
           "Steps between two lines of progress; 0: by time.", .same_bits = true)                  \
    STORED(uint32_t, early_stopping, "train.early_stopping", SCOPE_TRAIN,                          \
           IN(training, early_stopping), INTEGER(0, 1000000, "auto"),                              \
           "End after this number of evaluations without improvement and keep the best model; 0:"  \
           " never. Needs train.test_size, validation.select or train.folds. 'auto', of networks"  \
           " with 50 rows held out or more: learn all epochs, and keep the best epoch's weights "  \
           "where the last epoch's loss is clearly worse; of other models, of folds and on "       \
           "parameter servers 0.",                                                                 \
           .is_automatic = true)                                                                   \
    STORED(double, test_size, "train.test_size", SCOPE_TRAIN, IN(training, test_size),             \
           REAL(0, 0.9, "auto"),                                                                   \
           "Share of the rows that is held out for validation, the same share of each "            \
           "class. 'auto': a tenth if there are 500 rows or more; none without a label, "          \
           "and beside validation.select.",                                                        \
           .is_automatic = true)                                                                   \
    PLANNED("train.folds", SCOPE_TRAIN, INTEGER(0, 20, "0"),                                       \
            "Measure by cross-validation: the rows are dealt into this many folds, each "          \
            "class evenly and groups whole. A model of the other folds is measured on each "       \
            "fold; the final model learns from all rows. At least 2; 0: no folds.",                \
            .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION)                              \
    PLANNED("tune.trials", SCOPE_TRAIN, INTEGER(1, 200, NULL),                                     \
            "Search for the best values: this many trials, each with a value drawn from "          \
            "every RANGE and every list of choices. The best trial's model is written; SHOW "      \
            "TRIALS lists all.")                                                                   \
    PLANNED("tune.metric", SCOPE_TRAIN, TEXT(),                                                    \
            "Metric that trials are judged by, on held-out rows: 'loss' or a metric that is "      \
            "measured. Default: the first of validation.metrics; where these are not named, "      \
            "LogLoss, RMSE, or Silhouette.")                                                       \
    PLANNED("tune.max_seconds", SCOPE_TRAIN, REAL(0, 1e9, "0"),                                    \
            "No trial begins after this many seconds; the first that can be learned always "       \
            "does. How many trials there are then depends on the machine. 0: all are run.")        \
    PLANNED("tune.method", SCOPE_TRAIN, WORD("random", WORDS("random", "halving"), NULL),          \
            "'random': each trial learns to its end. 'halving': all learn for a short time, the "  \
            "best third three times as long, and so on; for models that have epochs or rounds.")   \
    /* a class weighs n / (classes * count of the class) */                                        \
    STORED(bool, balanced, "train.class_weight", SCOPE_TRAIN, IN(training, balanced),              \
           WEIGHTS(0, 1e9, WORDS("balanced")),                                                     \
           "Weight of the rows of each class: 'balanced', where all classes have the same "        \
           "total weight; a list in the order of the sorted classes; or weights by label, "        \
           "where other labels weigh 1, as in '{\"fraud\": 20}'.",                                 \
           .tasks = 1 << TASK_CLASSIFICATION)                                                      \
    PLANNED("train.sample_weight", SCOPE_TRAIN, TEXT(),                                            \
            "A column of the SELECT with the weight of each row: a row of weight 2 counts as two " \
            "rows, one of 0 as none. It is not used as a feature unless COLUMN names it, and "     \
            "PREDICT and EVALUATE do not need it.",                                                \
            .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION | 1 << TASK_PROJECTION |      \
                     1 << TASK_DETECTION)                                                          \
    PLANNED("train.offset", SCOPE_TRAIN, TEXT(),                                                   \
            "A column of the SELECT that is added to each row's score before it becomes a "        \
            "prediction: to the logit of two classes, to the logarithm of the mean if the "        \
            "prediction is the exponential of a sum, otherwise to the number itself. The "         \
            "model begins with the best constant beside it. It is not used as a feature; "         \
            "PREDICT and EVALUATE need it.",                                                       \
            .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION)                              \
    PLANNED("train.base_margin", SCOPE_TRAIN, TEXT(),                                              \
            "Like train.offset, but boosting begins with nothing else, as in XGBoost, and "        \
            "in LightGBM with init_score: it replaces base_score.",                                \
            .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION,                              \
            .aliases = WORDS("init_score"))                                                        \
    PLANNED("train.exposure", SCOPE_TRAIN, TEXT(),                                                 \
            "A column of the SELECT with the exposure of each row, such as the time in "           \
            "which claims were counted: its logarithm is the train.offset. Above 0; for "          \
            "models whose prediction is the exponential of a sum, as count:poisson.",              \
            .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION)                              \
    PLANNED("train.label_upper_bound", SCOPE_TRAIN, TEXT(),                                        \
            "A column of the SELECT with the number that the label is at most, for "               \
            "survival:aft; NULL: it is not known. It is not used as a feature unless COLUMN "      \
            "names it.",                                                                           \
            .tasks = 1 << TASK_REGRESSION)                                                         \
    PLANNED("train.group", SCOPE_TRAIN, TEXT(),                                                    \
            "A column of the SELECT with the id of each row's group, such as a patient with many " \
            "rows, or a query whose documents are ranked: rows of a group are held out together, " \
            "by train.folds and train.test_size. It is not used as a feature unless COLUMN names " \
            "it, and PREDICT does not need it, EVALUATE only for rankings.",                       \
            .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION, .aliases = WORDS("qid"))     \
    PLANNED(                                                                                       \
        "train.calibration", SCOPE_TRAIN, WORD("none", calibration_words, NULL),                   \
        "Probabilities that agree with observed frequencies, learned from the held-out rows, or "  \
        "with train.folds from all rows, and kept in the model. 'isotonic': shares of rows, "      \
        "which never fall; of 1,000 rows or more. 'sigmoid': Platt's logistic function; for "      \
        "any number. More than two classes are calibrated one against the rest.",                  \
        .tasks = 1 << TASK_CLASSIFICATION)                                                         \
    PLANNED("train.threshold", SCOPE_TRAIN, A_LABEL(),                                             \
            "Probability from which the positive class of two is predicted; kept in the model. "   \
            "A number, or how it is chosen on the held-out rows: 'f1', "                           \
            "'recall >= 0.95', 'precision >= 0.9', 'cost 1, 20' (of a row that is wrongly "        \
            "predicted to be positive, of one that wrongly is not). Default: the more probable "   \
            "class is predicted.",                                                                 \
            .tasks = 1 << TASK_CLASSIFICATION)                                                     \
    PLANNED(                                                                                       \
        "train.bad_rows", SCOPE_TRAIN, WORD("error", WORDS("error", "skip", "quarantine"), NULL),  \
        "Rows that cannot be learned from, as with a text among numbers, an infinite number or "   \
        "no label. 'error': the statement fails. 'skip': they are left out. 'quarantine': they "   \
        "go into the table MODEL_bad_rows, with the reason.")                                      \
    PLANNED("train.require", SCOPE_TRAIN, TEXT(),                                                  \
            "A bound that a metric must keep, as in 'AUC >= 0.8' or 'RMSE < 12'. The metric "      \
            "is measured on the held-out rows, with train.folds as the mean of the folds, "        \
            "otherwise on the training rows. If the model misses the bound, the statement "        \
            "fails and the old model stays.")                                                      \
    PLANNED("train.freeze", SCOPE_TRAIN, TEXT(),                                                   \
            "Layers and parameters that are not learned, by the names that EXPLAIN shows, as in "  \
            "'conv2d*, dense_1': with USING they stay those of the old model.",                    \
            .of_graphs = true)                                                                     \
    PLANNED("validation.select", SCOPE_TRAIN, TEXT(),                                              \
            "A SELECT of the validation rows, with the columns of the training rows by name.")     \
    PLANNED("validation.metrics", SCOPE_TRAIN | SCOPE_EVALUATE, WORD_LIST(NULL, NULL),             \
            "Metrics to measure, as in 'Accuracy,AUC'. Classifiers: Accuracy, LogLoss, AUC, "      \
            "Precision, Recall, F1, BalancedAccuracy, MCC, PRAUC (default Accuracy, "              \
            "LogLoss; with two classes also AUC, F1). Regressors: MSE, RMSE, MAE, R2, MAPE, "      \
            "RMSLE, PoissonNLogLik, GammaNLogLik, GammaDeviance, TweedieNLogLik, NDCG, "           \
            "MAP, MRR, Pinball, Coverage, AFTNLogLik, CoxNLogLik, Concordance (default "           \
            "RMSE, MAE, R2). Models of clusters: Inertia, Silhouette (default Inertia, "           \
            "Silhouette). Models of components: ReconstructionError, ExplainedVariance, "          \
            "Loss (default ReconstructionError, ExplainedVariance). Detectors of outliers: "       \
            "Outliers (default Outliers). Loss measures definitions that have a loss of "          \
            "their own. NDCG, MAP and MRR measure rankings, also their first rows, as in "         \
            "NDCG@5; Pinball and Coverage quantiles; AFTNLogLik, CoxNLogLik and Concordance "      \
            "survival times. Names of scikit-learn and XGBoost are accepted, too. Trees "          \
            "measure the named metrics each round, and early stopping uses the last of "           \
            "them.",                                                                               \
            .aliases = WORDS("validation.metric"))                                                 \
    PLANNED("validation.average", SCOPE_TRAIN | SCOPE_EVALUATE,                                    \
            WORD("macro", average_words, NULL),                                                    \
            "How Precision, Recall and F1 of more than two classes are combined. 'macro': "        \
            "the mean over the classes. 'weighted': the mean weighted by the rows of each "        \
            "class. 'micro': over all rows together, which is the accuracy.",                      \
            .tasks = 1 << TASK_CLASSIFICATION, .aliases = WORDS("evaluate.average"))               \
    PLANNED("evaluate.report", SCOPE_EVALUATE, WORD("metrics", report_words, NULL),                \
            "Rows that are returned. 'metrics': one row of numbers. Classifiers: "                 \
            "'confusion', 'classes'; with two classes 'roc', 'pr', 'thresholds', 'gain', "         \
            "'calibration'. Regressors: 'residuals'. Every model: 'drift', how far the "           \
            "rows, which need no label, have moved away from those that it was trained on.",       \
            .word_aliases = report_aliases)                                                        \
    PLANNED("evaluate.interval", SCOPE_EVALUATE, REAL(0.5, 0.9999, NULL),                          \
            "Each metric gets an interval of this probability, as in 0.95, from bootstrap "        \
            "resamples of the rows. Default: none.",                                               \
            .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION)                              \
    PLANNED("evaluate.bootstrap", SCOPE_EVALUATE,                                                  \
            INTEGER(BOOTSTRAP_RESAMPLES_MIN, BOOTSTRAP_RESAMPLES_MAX, "1000"),                     \
            "Resamples for evaluate.interval: each draws as many rows as there are, with "         \
            "replacement.",                                                                        \
            .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION)                              \
    PLANNED("evaluate.seed", SCOPE_EVALUATE, INTEGER(0, 0x1p63, "0"),                              \
            "Decides which rows the resamples of evaluate.interval draw.",                         \
            .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION)                              \
    PLANNED("evaluate.costs", SCOPE_EVALUATE, REALS(0, 1e9, NULL),                                 \
            "Report 'thresholds': cost of a row that is wrongly predicted to be of the "           \
            "positive class, and of one that wrongly is not, such as [1, 20]. Default: [1, 1], "   \
            "so that cost is the number of mistakes.",                                             \
            .tasks = 1 << TASK_CLASSIFICATION)                                                     \
    PLANNED("evaluate.group", SCOPE_EVALUATE, TEXT(),                                              \
            "A column of the SELECT with the id of each row's query, for NDCG, MAP and MRR of a "  \
            "ranking. Default: the one that it was trained with.",                                 \
            .tasks = 1 << TASK_REGRESSION)                                                         \
    PLANNED("evaluate.label_upper_bound", SCOPE_EVALUATE, TEXT(),                                  \
            "A column of the SELECT with the number that the label is at most, for AFTNLogLik "    \
            "and Concordance of survival:aft; NULL: it is not known. Default: the one that the "   \
            "model was trained with; without one labels are times of events.",                     \
            .tasks = 1 << TASK_REGRESSION)                                                         \
    PLANNED("evaluate.threshold", SCOPE_EVALUATE, REAL(0, 1, NULL),                                \
            "Probability from which the positive class of two is predicted. "                      \
            "Default: the model's train.threshold, or the more probable one is.",                  \
            .tasks = 1 << TASK_CLASSIFICATION)                                                     \
    PLANNED("predict.threshold", SCOPE_PREDICT, REAL(0, 1, NULL),                                  \
            "Probability from which the positive class of two is predicted. "                      \
            "Default: the model's train.threshold, or the more probable one is.",                  \
            .tasks = 1 << TASK_CLASSIFICATION)                                                     \
    PLANNED("job.where", SCOPE_ALL, WORD("auto", WORDS("auto", "local", "kubernetes"), NULL),      \
            "Where the job runs: on this machine, or as Pods of a Kubernetes cluster that reach "  \
            "the database. 'auto' is 'local'. PREDICT without a table has no job.")                \
    PLANNED("job.strategy", SCOPE_TRAIN, WORD("auto", WORDS("auto", "allreduce", "ps"), NULL),     \
            "How workers learn together. 'allreduce': each has the weights of a model, and they "  \
            "sum the gradients of each step. 'ps': the weights lie on parameter servers, and "     \
            "each worker pulls those that its batch selects and pushes their gradients, by "       \
            "itself or in steps (job.sync). 'auto': 'ps' where job.ps is set, or a worker has no " \
            "room for the model, else 'allreduce'.",                                               \
            .of_servers = true)                                                                    \
    PLANNED("job.sync", SCOPE_TRAIN, BOOLEAN("true", NULL),                                        \
            "All workers take each step together. On parameter servers false unless it is set.")   \
    PLANNED("job.reproducible", SCOPE_TRAIN, BOOLEAN("true", NULL),                                \
            "The model is bit-for-bit identical whatever the number of workers. On "               \
            "parameter servers as job.sync.")                                                      \
    /* 0: fixed by batch and size of the model when the rows are known */                          \
    STORED(uint32_t, lanes, "job.lanes", SCOPE_TRAIN, IN(job, lanes),                              \
           INTEGER(1, JOBSPEC_LANES_MAX, NULL),                                                    \
           "Logical workers: the largest number of workers that can share a step. Default: by "    \
           "batch and size of the model, up to 64 or job.max_workers; on parameter servers 8.")    \
    STORED(uint32_t, min_workers, "job.min_workers", SCOPE_ALL, IN(job, min_workers),              \
           INTEGER(1, JOBSPEC_WORKERS_MAX, "1"),                                                   \
           "Workers that the job waits for before it starts.", .same_bits = true)                  \
    /* job.min_workers at least */                                                                 \
    STORED(uint32_t, max_workers, "job.max_workers", SCOPE_ALL, IN(job, max_workers),              \
           INTEGER(1, JOBSPEC_WORKERS_MAX, NULL),                                                  \
           "Workers that the job grows to. Default: job.min_workers; for PREDICT and "             \
           "EVALUATE on this machine the number of cores, if another job.* attribute asks "        \
           "for workers.",                                                                         \
           .same_bits = true,                                                                      \
           .aliases = WORDS("train.num_workers", "runtime.num_workers", "engine.num_workers"))     \
    /* 0: its share of its machine's cores */                                                      \
    STORED(uint32_t, threads, "job.threads", SCOPE_TRAIN, IN(job, threads),                        \
           INTEGER(1, JOBSPEC_THREADS_MAX, NULL),                                                  \
           "Threads of each worker. Default, and -1: its share of its machine's cores.",           \
           .same_bits = true, .minus_one_is_0 = true)                                              \
    /* 0: its share of what there is (job_memory) */                                               \
    STORED(                                                                                        \
        uint64_t, memory, "job.memory", SCOPE_TRAIN, IN(job, memory), MEMORY(0x1p24, 0x1p50),      \
        "Memory that each worker on this machine may use, such as '512Mi' or '4Gi'. Default: its " \
        "share of the machine's memory, or of its container's limit.",                             \
        .same_bits = true)                                                                         \
    /* 0: the weights lie in the workers, which sum gradients */                                   \
    STORED(uint32_t, servers, "job.ps", SCOPE_TRAIN, IN(job, servers),                             \
           INTEGER(1, JOBSPEC_SERVERS_MAX, NULL),                                                  \
           "Parameter servers, over which the weights of a model with embeddings are spread. "     \
           "Default: 2 with job.strategy = 'ps', else none.",                                      \
           .of_servers = true,                                                                     \
           .aliases = WORDS("train.num_ps", "runtime.num_ps", "engine.num_ps", "engine.ps"))       \
    STORED(uint32_t, staleness, "job.staleness", SCOPE_TRAIN, IN(job, staleness),                  \
           INTEGER(0, 1024, "8"),                                                                  \
           "Batches that others may push to parameter servers while a worker computes one; 0: "    \
           "any number.",                                                                          \
           .of_servers = true)                                                                     \
    /* 0: its share of what there is */                                                            \
    STORED(uint64_t, server_memory, "job.ps_memory", SCOPE_TRAIN, IN(job, server_memory),          \
           MEMORY(0x1p24, 0x1p50),                                                                 \
           "Memory that the rows of each parameter server may take, such as '512Mi' or '4Gi'. "    \
           "Default: its share of half the machine's memory, or of its container's limit. On a "   \
           "cluster its Pod has twice as much and 64Mi, and a server that runs out of it is "      \
           "started again with more; default: 480Mi.",                                             \
           .same_bits = true, .of_servers = true, .aliases = WORDS("engine.ps_memory"))            \
    STORED(double, checkpoint_seconds, "job.checkpoint_seconds", SCOPE_TRAIN,                      \
           IN(job, checkpoint_seconds), REAL(0, 86400, "60"),                                      \
           "Seconds between two checkpoints, from which a job goes on when all of its processes "  \
           "are gone; 0: none.",                                                                   \
           .same_bits = true)                                                                      \
    STORED(uint64_t, checkpoint_steps, "train.save_checkpoints_steps", SCOPE_TRAIN,                \
           IN(job, checkpoint_steps), INTEGER(0, 1e12, "0"),                                       \
           "Steps after which a checkpoint is made, also where job.checkpoint_seconds are not "    \
           "over; no more than a fiftieth of the time goes into checkpoints. 0: by time alone.",   \
           .same_bits = true)                                                                      \
    PLANNED("job.wait", SCOPE_ALL, BOOLEAN("true", NULL),                                          \
            "false: return the job's id as soon as its rows are read; it goes on without this "    \
            "session and writes its model or table itself.")                                       \
    PLANNED("job.metrics", SCOPE_ALL, TEXT(),                                                      \
            "Address at which the job serves /metrics for Prometheus and /healthz while it runs: " \
            "'PORT' of this machine alone, or 'IP:PORT'; port 0 is any free one. Default: none.")  \
    PLANNED(                                                                                       \
        "log.tensorboard", SCOPE_TRAIN, TEXT(),                                                    \
        "Folder into which the job writes event files for TensorBoard: the losses and metrics "    \
        "of training and validation by step. It is made if it is not there. Default: none.")       \
    PLANNED("job.priority", SCOPE_ALL, TEXT(),                                                     \
            "PriorityClass of the job's Pods. Default: the cluster's.",                            \
            .aliases = WORDS("runtime.worker_pod_priority"))                                       \
    PLANNED("job.worker_cpu", SCOPE_ALL, REAL(0.001, 1000, NULL),                                  \
            "Processors that each worker asks for on a cluster. Default: 1.",                      \
            .aliases = WORDS("engine.worker_cpu"))                                                 \
    PLANNED("job.worker_memory", SCOPE_ALL, TEXT(),                                                \
            "Memory of each worker on a cluster, such as '512Mi' or '4Gi'; one that runs out of "  \
            "it gets "                                                                             \
            "more. Default: 1Gi.")                                                                 \
    PLANNED("job.ps_cpu", SCOPE_TRAIN, REAL(0.001, 1000, NULL),                                    \
            "Processors that each parameter server asks for on a cluster. Default: 1.",            \
            .of_servers = true, .aliases = WORDS("engine.ps_cpu"))                                 \
    PLANNED("job.read", SCOPE_TRAIN,                                                               \
            WORD("auto", WORDS("auto", "direct"), WORDS("spool", "materialize")),                  \
            "Which processes read the rows of a job on a cluster. 'auto': this session, into a "   \
            "table of the job. 'direct': its workers, from the one table of the SELECT, under a "  \
            "snapshot that this session holds until they have staged all rows.")                   \
    PLANNED("job.image", SCOPE_ALL, TEXT(),                                                        \
            "Image of a job on a cluster: a name of the administrator's list (totrain.images). "   \
            "Default: its first.")                                                                 \
    PLANNED("job.profile", SCOPE_ALL, TEXT(),                                                      \
            "Where a job on a cluster runs and what its pods are like: a name of the "             \
            "administrator's list (totrain.profiles). Default: its first.")                        \
    PLANNED("predict.bad_rows", SCOPE_PREDICT, WORD("error", WORDS("error", "quarantine"), NULL),  \
            "Rows that cannot be scored, as with a text among numbers. 'error': the statement "    \
            "fails. 'quarantine': they go into the table TARGET_bad_rows, with the reason.")       \
    PLANNED("evaluate.bad_rows", SCOPE_EVALUATE,                                                   \
            WORD("error", WORDS("error", "skip", "quarantine"), NULL),                             \
            "Rows that cannot be scored or have no label. 'error': the statement fails. 'skip': "  \
            "they are left out. 'quarantine': they go into the table TARGET_bad_rows, with the "   \
            "reason.")                                                                             \
    PLANNED("predict.replace", SCOPE_PREDICT | SCOPE_FORECAST, BOOLEAN("false", NULL),             \
            "true: the table that is named is replaced whatever it holds, unless it is a model. "  \
            "Otherwise only a table that TO PREDICT or FORECAST made is replaced.",                \
            .aliases = WORDS("forecast.replace"))                                                  \
    PLANNED("evaluate.replace", SCOPE_EVALUATE | SCOPE_EXPLAIN, BOOLEAN("false", NULL),            \
            "true: the table that is named is replaced whatever it holds, unless it is a model. "  \
            "Otherwise only a table that EVALUATE or EXPLAIN made is replaced.",                   \
            .aliases = WORDS("explain.replace"))                                                   \
    PLANNED("explain.metric", SCOPE_EXPLAIN, TEXT(),                                               \
            "Metric that an input's importance is measured by. Default: AUC of two classes, "      \
            "Accuracy of "                                                                         \
            "more, RMSE of numbers, Pinball of quantiles, Concordance of survival:cox, Inertia "   \
            "of clusters, ReconstructionError of components, Outliers of one class.")              \
    PLANNED("explain.repeats", SCOPE_EXPLAIN, INTEGER(1, 1000, "5"),                               \
            "How often the values of each column are shuffled among the rows.")                    \
    PLANNED("explain.rows", SCOPE_EXPLAIN, INTEGER(1, 10000000, "10000"),                          \
            "Most rows that are held for the explanation; of more rows, those with the "           \
            "least hashes.")                                                                       \
    PLANNED("explain.seed", SCOPE_EXPLAIN, INTEGER(0, 0x1p63, "0"),                                \
            "Decides how values are shuffled among the rows.")                                     \
    PLANNED("explain.columns", SCOPE_EXPLAIN, TEXT(),                                              \
            "USING partial_dependence: the columns, as in 'age, plan', or with a comma in a name " \
            "'age, \"price, net\"'. Default: all.")                                                \
    PLANNED("explain.grid", SCOPE_EXPLAIN, INTEGER(2, DEPENDENCE_POINTS_MAX, "20"),                \
            "USING partial_dependence: the most values of a column. Where it has more, numbers "   \
            "are taken at quantiles, and the most frequent of the distinct texts.")                \
    PLANNED("explain.individual", SCOPE_EXPLAIN, BOOLEAN("false", NULL),                           \
            "USING partial_dependence: a row for each of the rows, too (individual conditional "   \
            "expectation).")                                                                       \
    PLANNED("summary.plot_type", SCOPE_EXPLAIN, WORD(NULL, WORDS("bar", "dot", "points"), NULL),   \
            "A column that is a picture, as text. 'bar': the importance. 'dot': the distribution " \
            "of SHAP values. 'points': SHAP values of up to 200 rows as JSON. 'dot' and 'points' " \
            "imply USING SHAP. Default: none.")                                                    \
    PLANNED("summary.sort", SCOPE_EXPLAIN, BOOLEAN("true", NULL),                                  \
            "The most important input comes first. false: in the order of the model's inputs.")    \
    PLANNED("summary.max_display", SCOPE_EXPLAIN, INTEGER(1, 1000000, NULL),                       \
            "Only this many inputs, from the first on. Default: all.")                             \
    PLANNED("summary.alpha", SCOPE_EXPLAIN, REAL(0, 1, "1"),                                       \
            "SQLFlow's opacity of dots: it is read, and pictures of text have none.")              \
    PLANNED("predict.extra_outputs", SCOPE_PREDICT,                                                \
            WORD_LIST(WORDS("probability", "probabilities", "score", "logits", "quantiles",        \
                            "leaf", "shap", "points"),                                             \
                      NULL),                                                                       \
            "More columns beside the prediction: 'probability' of the positive class of two, of "  \
            "the predicted one of more; 'probabilities' and 'logits' of all classes as JSON; "     \
            "'score': the logits of a classifier, the value of a regressor, the distance to the "  \
            "nearest cluster, to what components give back, to the border of one class; 'points' " \
            "of a score card; 'quantiles' of a model of such as JSON; 'leaf' of trees: of each "   \
            "the node that the row ends in, as JSON; 'shap' of trees: what each input adds to "    \
            "the output, as JSON.")

extern const struct attribute_table job_attributes;
