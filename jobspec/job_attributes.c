#include "jobspec/job_attributes.h"

#include "jobspec/jobspec.h"
#include "params/attribute_rows.h"

#define TRAIN   SCOPE_TRAIN
#define ANY_JOB (SCOPE_TRAIN | SCOPE_EVALUATE | SCOPE_PREDICT)

#define STORED(type, c_member, object) STORED_IN(struct jobspec, type, c_member, object, #c_member)

/* clang-format off: one row, one attribute. */
static const struct attribute rows[] = {
    {INTEGER(
         "model.n_classes", TRAIN, 2, CLASSES_MAX, NULL,
         "Most classes that the labels may have; the model has those that are found. Classifiers "
         "only."),
     STORED(U32, n_classes, NULL), .tasks = 1 << TASK_CLASSIFICATION},
    {BOOLEAN("model.standardize", TRAIN, "true", NULL,
             "Give numeric inputs mean 0 and deviation 1, by the statistics of the training rows."),
     STORED(BOOLEAN, standardize, NULL)},
    {INTEGER("train.batch_size", TRAIN, 1, 1000000, "128", "Rows of one step."),
     STORED(U32, batch_size, "training")},
    {INTEGER("train.epoch", TRAIN, 1, 1000000, "10", "Passes over the training rows."),
     STORED(U32, epochs, "training")},
    {INTEGER("train.max_steps", TRAIN, 0, 1e12, "0",
             "Steps after which training ends; 0: no limit."),
     STORED(U64, max_steps, "training")},
    {BOOLEAN("train.shuffle", TRAIN, "true", NULL,
             "Take the rows in another order in each epoch; false: in one order in all of them."),
     STORED(BOOLEAN, shuffle, "training")},
    {INTEGER("train.seed", TRAIN, 0, 0x1p63, "0",
             "Decides initial weights, orders of rows and held-out rows."),
     STORED(U64, seed, "training")},
    {INTEGER("train.verbose", TRAIN, 0, 2, "1",
             "How much progress is shown: 0 nothing, 2 every epoch.")},
    {INTEGER("train.log_every_n_iter", TRAIN, 0, 1e9, "0",
             "Steps between two lines of progress; 0: by time."),
     STORED(U32, log_every_steps, "training"), .same_bits = true},
    {INTEGER("train.early_stopping", TRAIN, 0, 1000000, "0",
             "End after so many evaluations without improvement and keep the best model; 0: never. "
             "Needs train.test_size or validation.select."),
     STORED(U32, early_stopping, "training")},
    {REAL("train.test_size", TRAIN, 0, 0.9, "0", "Share of the rows held out for validation."),
     STORED(REAL, test_size, "training")},
    {WORD("train.class_weight", TRAIN, NULL, WORDS("balanced"), WORDS("[]"),
          "'balanced': rows of rare classes weigh more, each class the same in sum. Classifiers "
          "only."),
     STORED(BOOLEAN, balanced, "training"), .tasks = 1 << TASK_CLASSIFICATION},
    {WORD(
        "train.bad_rows", TRAIN, "error", WORDS("error", "skip", "quarantine"), NULL,
        "Rows that cannot be learned from, as with a text among numbers, an infinite number or no "
        "label. 'error': the "
        "statement fails. 'skip': they are left out. 'quarantine': they go into the table "
        "MODEL_bad_rows, with the reason.")},
    {.name = "validation.select",
     .type = ATTRIBUTE_TEXT,
     .scope = TRAIN,
     .help = "A SELECT of the validation rows, with the columns of the training rows by name."},
    {.name = "validation.metrics",
     .type = ATTRIBUTE_WORDS,
     .scope = TRAIN | SCOPE_EVALUATE,
     .help =
         "What to measure, as in 'Accuracy,AUC'. Classifiers: Accuracy, LogLoss, AUC, Precision, "
         "Recall, F1 "
         "(default Accuracy, LogLoss). Regressors: MSE, RMSE, MAE, R2, MAPE (default RMSE, MAE, "
         "R2). Models of clusters: Inertia, Silhouette (default both). "
         "scikit-learn's names are taken too."},
    {WORD("job.where", TRAIN, "auto", WORDS("auto", "local", "kubernetes"), NULL,
          "Where the job runs: on this machine, or as Pods of a Kubernetes cluster that reach the "
          "database. 'auto' is 'local'.")},
    {BOOLEAN("job.sync", TRAIN, "true", WORDS("false"), "All workers take each step together.")},
    {BOOLEAN("job.reproducible", TRAIN, "true", WORDS("false"),
             "The same bits of the model whatever the number of workers.")},
    {INTEGER("job.lanes", TRAIN, 1, 1024, NULL,
             "Logical workers: the largest number of workers that can share a step. "
             "Default: by batch and size of the model, up to 64 or job.max_workers."),
     STORED(U32, lanes, "job")},
    {INTEGER("job.min_workers", ANY_JOB, 1, 1024, "1",
             "Workers that the job waits for before it starts."),
     STORED(U32, min_workers, "job"), .same_bits = true},
    {INTEGER("job.max_workers", ANY_JOB, 1, 1024, NULL,
             "Workers that the job grows to. Default: job.min_workers; of PREDICT and EVALUATE the "
             "cores, "
             "where another job.* attribute asks for workers."),
     STORED(U32, max_workers, "job"), .same_bits = true},
    {INTEGER("job.threads", TRAIN, 1, 64, NULL,
             "Threads of each worker. Default: its share of its machine's cores."),
     STORED(U32, threads, "job"), .same_bits = true},
    {REAL("job.checkpoint_seconds", TRAIN, 0, 86400, "60",
          "Seconds between two checkpoints, from which a job goes on when all of its processes "
          "are gone; 0: none."),
     STORED(REAL, checkpoint_seconds, "job"), .same_bits = true},
    {BOOLEAN("job.wait", ANY_JOB, "true", NULL,
             "false: return the job's id as soon as its rows are read; it goes on without this "
             "session and writes its model or table itself.")},
    {.name = "job.metrics",
     .type = ATTRIBUTE_TEXT,
     .scope = ANY_JOB,
     .help = "Address at which the job serves /metrics for Prometheus and /healthz while it runs: "
             "'PORT' "
             "of "
             "this machine alone, or 'IP:PORT'; port 0 is any free one. Default: none."},
    {.name = "log.tensorboard",
     .type = ATTRIBUTE_TEXT,
     .scope = TRAIN,
     .help =
         "Folder into which the job writes event files for TensorBoard: the losses and metrics of "
         "training "
         "and validation by step. It is made if it is not there. Default: none."},
    {.name = "job.priority",
     .type = ATTRIBUTE_TEXT,
     .scope = TRAIN,
     .help = "PriorityClass of the job's Pods. Default: the cluster's."},
    {REAL("job.worker_cpu", TRAIN, 0.001, 1000, NULL,
          "Processors that each worker asks for on a cluster. Default: 1.")},
    {.name = "job.worker_memory",
     .type = ATTRIBUTE_TEXT,
     .scope = TRAIN,
     .help = "Memory of each worker on a cluster, as '512Mi' or '4Gi'; one that runs out of it "
             "gets more. "
             "Default: 1Gi."},
    {WORD("job.read", TRAIN, "auto", WORDS("auto", "direct"), WORDS("spool", "materialize"),
          "Which processes read the rows of a job on a cluster. 'auto': this session, into a table "
          "of the job. "
          "'direct': its workers, "
          "from the one table of the SELECT, under a snapshot that this session holds for as long "
          "as the job runs.")},
    {.name = "job.image",
     .type = ATTRIBUTE_TEXT,
     .scope = TRAIN,
     .help = "Image of a job on a cluster: a name of the administrator's list (totrain.images). "
             "Default: "
             "its first."},
    {WORD("predict.bad_rows", SCOPE_PREDICT, "error", WORDS("error", "quarantine"), NULL,
          "Rows that cannot be scored, as with a text among numbers. 'error': the statement fails. "
          "'quarantine': they go into the table TARGET_bad_rows, with the reason.")},
    {WORD("evaluate.bad_rows", SCOPE_EVALUATE, "error", WORDS("error", "skip", "quarantine"), NULL,
          "Rows that cannot be scored or have no label. 'error': the statement fails. 'skip': they "
          "are left out. "
          "'quarantine': they go into the table TARGET_bad_rows, with the reason.")},
    {BOOLEAN("predict.replace", SCOPE_PREDICT, "false", NULL,
             "true: the table that is named is replaced whatever it holds, unless it is a model. "
             "Otherwise only a table that TO PREDICT made is replaced.")},
    {BOOLEAN("evaluate.replace", SCOPE_EVALUATE, "false", NULL,
             "true: the table that is named is replaced whatever it holds, unless it is a model. "
             "Otherwise only a table that EVALUATE made is replaced.")},
    {.name = "predict.extra_outputs",
     .type = ATTRIBUTE_WORDS,
     .scope = SCOPE_PREDICT,
     .words = WORDS("probability", "probabilities", "score", "logits"),
     .later = WORDS("leaf"),
     .help =
         "More columns beside the prediction: 'probability' of the positive class of two, of the "
         "predicted one "
         "of more; 'probabilities' and 'logits' of all classes as JSON; 'score': the logits of a "
         "classifier, "
         "the value of a regressor, the distance to the nearest cluster."},
};
/* clang-format on */

/* SQLFlow's, ElasticDL's, Keras' and scikit-learn's spellings. */
static const struct attribute_alias aliases[] = {
    {"train.epochs", "train.epoch"},
    {"train.num_workers", "job.max_workers"},
    {"runtime.num_workers", "job.max_workers"},
    {"engine.num_workers", "job.max_workers"},
    {"train.num_ps", "job.ps"},
    {"runtime.num_ps", "job.ps"},
    {"engine.num_ps", "job.ps"},
    {"engine.ps", "job.ps"},
    {"train.records_per_task", "job.records_per_task"},
    {"validation.metric", "validation.metrics"},
};

const struct attribute_table job_attributes = {
    rows,
    sizeof rows / sizeof *rows,
    aliases,
    sizeof aliases / sizeof *aliases,
};
