#include "planner/attribute.h"

#include "planner/plan.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define TRAIN   SCOPE_TRAIN
#define NETWORK (SCOPE_TRAIN | SCOPE_NETWORK)
#define ANY_JOB (SCOPE_TRAIN | SCOPE_EVALUATE | SCOPE_PREDICT)

/* The rows of each kind. */
#define INTEGER(name, scope, least, most, value, help)                                             \
    {                                                                                              \
        name, ATTRIBUTE_INTEGER, scope, least, most, value, NULL, NULL, true, help                 \
    }
#define REAL(name, scope, least, most, value, help)                                                \
    {                                                                                              \
        name, ATTRIBUTE_REAL, scope, least, most, value, NULL, NULL, true, help                    \
    }
#define BOOLEAN(name, scope, value, later, help)                                                   \
    {                                                                                              \
        name, ATTRIBUTE_BOOLEAN, scope, 0, 0, value, NULL, later, true, help                       \
    }
#define WORD(name, scope, value, words, later, help)                                               \
    {                                                                                              \
        name, ATTRIBUTE_WORD, scope, 0, 0, value, words, later, true, help                         \
    }
#define LATER(name, help)                                                                          \
    {                                                                                              \
        name, ATTRIBUTE_TEXT, TRAIN, 0, 0, NULL, NULL, NULL, false, help                           \
    }

/* clang-format off: one row, one attribute. */
const struct attribute attributes[] = {
    {"model.hidden_units", ATTRIBUTE_INTEGERS, NETWORK, 1, HIDDEN_UNITS_MAX, NULL, NULL, NULL, true,
     "Units of each hidden layer, from the inputs on, as in [64, 32]; up to 16 layers. Required."},
    WORD("model.activation", NETWORK, "relu", activation_words,
         WORDS("elu", "selu", "gelu", "leaky_relu", "softplus", "softsign", "swish"),
         "Activation of the hidden layers."),
    REAL("model.dropout", NETWORK, 0, 0.99, "0", "Share of hidden units zeroed in each step."),
    INTEGER(
        "model.n_classes", TRAIN, 2, CLASSES_MAX, NULL,
        "Most classes that the labels may have; the model has those that are found. Classifiers "
        "only."),
    BOOLEAN("model.standardize", TRAIN, "true", NULL,
            "Give numeric inputs mean 0 and deviation 1, by the statistics of the training rows."),
    WORD("model.optimizer", TRAIN, "Adam", optimizer_words,
         WORDS("Adadelta", "RMSprop", "Adamax", "Nadam", "AMSGrad", "FTRL"),
         "The rule that turns gradients into steps."),
    REAL("model.l1", TRAIN, 0, 1e6, "0",
         "Weight of the sum of absolute weights in the loss; biases are exempt."),
    REAL("model.l2", TRAIN, 0, 1e6, "0",
         "Weight of half the sum of squared weights in the loss; biases are exempt."),
    LATER("model.batch_norm", "Batch normalisation between the hidden layers."),
    LATER("model.loss", "Another loss than the task's own."),
    LATER("model.dnn_hidden_units", "Hidden layers of the deep part of a combined model."),
    LATER("model.dnn_activation_fn", "Activation of the deep part of a combined model."),
    LATER("model.dnn_dropout", "Dropout of the deep part of a combined model."),
    LATER("model.dnn_optimizer", "Optimizer of the deep part of a combined model."),
    LATER("model.linear_optimizer", "Optimizer of the linear part of a combined model."),
    LATER("model.embedding_dimension", "Width of embeddings of click-through models."),
    LATER("model.n_clusters", "Number of clusters."),
    LATER("model.n_components", "Number of principal components."),
    LATER("model.rnn_type", "Kind of recurrent cell."),
    LATER("model.n_in", "Length of the window that a time series model reads."),
    LATER("model.n_out", "Length of the window that a time series model predicts."),

    INTEGER("train.batch_size", TRAIN, 1, 1000000, "128", "Rows of one step."),
    INTEGER("train.epoch", TRAIN, 1, 1000000, "10", "Passes over the training rows."),
    INTEGER("train.max_steps", TRAIN, 0, 1e12, "0",
            "Steps after which training ends; 0: no limit."),
    BOOLEAN("train.shuffle", TRAIN, "true", NULL,
            "Take the rows in another order in each epoch; false: in one order in all of them."),
    INTEGER("train.seed", TRAIN, 0, 0x1p63, "0",
            "Decides initial weights, orders of rows and held-out rows."),
    INTEGER("train.verbose", TRAIN, 0, 2, "1",
            "How much progress is shown: 0 nothing, 2 every epoch."),
    INTEGER("train.log_every_n_iter", TRAIN, 0, 1e9, "0",
            "Steps between two lines of progress; 0: by time."),
    INTEGER("train.early_stopping", TRAIN, 0, 1000000, "0",
            "End after so many evaluations without improvement and keep the best model; 0: never. "
            "Needs train.test_size or validation.select."),
    REAL("train.test_size", TRAIN, 0, 0.9, "0", "Share of the rows held out for validation."),
    WORD("train.class_weight", TRAIN, NULL, WORDS("balanced"), WORDS("[]"),
         "'balanced': rows of rare classes weigh more, each class the same in sum. Classifiers "
         "only."),
    LATER("train.max_seconds", "Time after which training ends."),
    LATER("train.save_checkpoints_steps", "Steps between two checkpoints."),
    LATER("train.sample_weight", "The column that holds the weight of each row."),
    WORD("train.bad_rows", TRAIN, "error", WORDS("error", "skip", "quarantine"), NULL,
         "Rows that cannot be learned from, as with a text among numbers, an infinite number or no "
         "label. 'error': the "
         "statement fails. 'skip': they are left out. 'quarantine': they go into the table "
         "MODEL_bad_rows, with the reason."),
    LATER("train.num_boost_round", "Number of boosted trees."),
    LATER("train.disk_cache", "Keep the rows on disk between epochs."),

    REAL("optimizer.learning_rate", TRAIN, 1e-12, 100, NULL,
         "Size of a step. Default: 0.01 for Adam, 0.05 for Adagrad, 0.01 for SGD, Momentum and "
         "Nesterov."),
    REAL("optimizer.momentum", TRAIN, 0, 0.9999, "0.9",
         "Share of the last step that is taken again. Momentum and Nesterov; with SGD it makes "
         "Momentum of it."),
    REAL("optimizer.beta1", TRAIN, 0, 0.9999, "0.9", "Decay of the mean of gradients. Adam."),
    REAL("optimizer.beta2", TRAIN, 0, 0.999999, "0.999",
         "Decay of the mean of squared gradients. Adam."),
    REAL("optimizer.epsilon", TRAIN, 1e-16, 1, "1e-08",
         "Keeps the divisor from zero. Adam and Adagrad."),
    REAL("optimizer.initial_accumulator_value", TRAIN, 0, 1e6, "0.1",
         "Where the sum of squared gradients starts. Adagrad."),
    WORD("optimizer.schedule", TRAIN, "trapezoidal", schedule_words,
         WORDS("exponential", "step", "polynomial"),
         "How the learning rate goes from its value to zero over the planned steps; trapezoidal: "
         "it stays for three quarters of them and falls linearly in the last."),
    LATER("optimizer.decay_steps", "Steps of a learning-rate schedule."),
    LATER("optimizer.decay_rate", "Rate of a learning-rate schedule."),
    LATER("optimizer.warmup_steps", "Steps over which the learning rate grows to its value."),
    LATER("optimizer.rho", "Decay of RMSprop and Adadelta."),
    LATER("optimizer.centered", "Centred RMSprop."),
    LATER("optimizer.amsgrad", "The AMSGrad variant of Adam."),
    LATER("optimizer.nesterov",
          "Nesterov's variant of momentum; write model.optimizer = 'Nesterov'."),
    LATER("optimizer.weight_decay", "Decoupled weight decay; model.l2 is the penalty in the loss."),
    LATER("optimizer.clipnorm", "Largest norm of a gradient."),
    LATER("optimizer.clipvalue", "Largest element of a gradient."),
    LATER("optimizer.learning_rate_power", "Power of FTRL's step size."),
    LATER("optimizer.l1_regularization_strength",
          "FTRL's own L1 penalty; model.l1 works with all optimizers."),
    LATER("optimizer.l2_regularization_strength",
          "FTRL's own L2 penalty; model.l2 works with all optimizers."),

    {"validation.select", ATTRIBUTE_TEXT, TRAIN, 0, 0, NULL, NULL, NULL, true,
     "A SELECT of the validation rows, with the columns of the training rows by name."},
    {"validation.metrics", ATTRIBUTE_WORDS, TRAIN | SCOPE_EVALUATE, 0, 0, NULL, NULL, NULL, true,
     "What to measure, as in 'Accuracy,AUC'. Classifiers: Accuracy, LogLoss, AUC, Precision, "
     "Recall, F1 "
     "(default Accuracy, LogLoss). Regressors: MSE, RMSE, MAE, R2, MAPE (default RMSE, MAE, R2). "
     "scikit-learn's names are taken too."},
    LATER("validation.steps", "Batches of one evaluation."),
    LATER("validation.start_delay_secs", "Time before the first evaluation."),
    LATER("validation.throttle_secs", "Least time between two evaluations."),

    WORD("job.where", TRAIN, "auto", WORDS("auto", "local", "kubernetes"), NULL,
         "Where the job runs: on this machine, or as Pods of a Kubernetes cluster that reach the "
         "database. 'auto' is 'local'."),
    BOOLEAN("job.sync", TRAIN, "true", WORDS("false"), "All workers take each step together."),
    BOOLEAN("job.reproducible", TRAIN, "true", WORDS("false"),
            "The same bits of the model whatever the number of workers."),
    INTEGER("job.lanes", TRAIN, 1, 1024, NULL,
            "Logical workers: the largest number of workers that can share a step. "
            "Default: by batch and size of the model, up to 64 or job.max_workers."),
    INTEGER("job.min_workers", ANY_JOB, 1, 1024, "1",
            "Workers that the job waits for before it starts."),
    INTEGER("job.max_workers", ANY_JOB, 1, 1024, NULL,
            "Workers that the job grows to. Default: job.min_workers; of PREDICT and EVALUATE the "
            "cores, "
            "where another job.* attribute asks for workers."),
    INTEGER("job.threads", TRAIN, 1, 64, NULL,
            "Threads of each worker. Default: its share of its machine's cores."),
    REAL("job.checkpoint_seconds", TRAIN, 0, 86400, "60",
         "Seconds between two checkpoints, from which a job goes on when all of its processes "
         "are gone; 0: none."),
    BOOLEAN("job.wait", ANY_JOB, "true", NULL,
            "false: return the job's id as soon as its rows are read; it goes on without this "
            "session and writes its model or table itself."),
    {"job.metrics", ATTRIBUTE_TEXT, ANY_JOB, 0, 0, NULL, NULL, NULL, true,
     "Address at which the job serves /metrics for Prometheus and /healthz while it runs: 'PORT' "
     "of "
     "this machine alone, or 'IP:PORT'; port 0 is any free one. Default: none."},
    {"log.tensorboard", ATTRIBUTE_TEXT, TRAIN, 0, 0, NULL, NULL, NULL, true,
     "Folder into which the job writes event files for TensorBoard: the losses and metrics of "
     "training "
     "and validation by step. It is made if it is not there. Default: none."},
    LATER("job.strategy", "How gradients travel: 'auto', 'allreduce' or 'ps'."),
    LATER("job.ps", "Number of parameter servers."),
    {"job.priority", ATTRIBUTE_TEXT, TRAIN, 0, 0, NULL, NULL, NULL, true,
     "PriorityClass of the job's Pods. Default: the cluster's."},
    REAL("job.worker_cpu", TRAIN, 0.001, 1000, NULL,
         "Processors that each worker asks for on a cluster. Default: 1."),
    {"job.worker_memory", ATTRIBUTE_TEXT, TRAIN, 0, 0, NULL, NULL, NULL, true,
     "Memory of each worker on a cluster, as '512Mi' or '4Gi'; one that runs out of it gets more. "
     "Default: 1Gi."},
    WORD("job.read", TRAIN, "auto", WORDS("auto", "direct"), WORDS("spool", "materialize"),
         "Which processes read the rows of a job on a cluster. 'auto': this session, into a table "
         "of the job. "
         "'direct': its workers, "
         "from the one table of the SELECT, under a snapshot that this session holds for as long "
         "as the job runs."),
    LATER("job.records_per_task", "Rows of one shard."),
    {"job.image", ATTRIBUTE_TEXT, TRAIN, 0, 0, NULL, NULL, NULL, true,
     "Image of a job on a cluster: a name of the administrator's list (totrain.images). Default: "
     "its first."},

    WORD("predict.bad_rows", SCOPE_PREDICT, "error", WORDS("error", "quarantine"), NULL,
         "Rows that cannot be scored, as with a text among numbers. 'error': the statement fails. "
         "'quarantine': they go into the table TARGET_bad_rows, with the reason."),
    WORD("evaluate.bad_rows", SCOPE_EVALUATE, "error", WORDS("error", "skip", "quarantine"), NULL,
         "Rows that cannot be scored or have no label. 'error': the statement fails. 'skip': they "
         "are left out. "
         "'quarantine': they go into the table TARGET_bad_rows, with the reason."),
    BOOLEAN("predict.replace", SCOPE_PREDICT, "false", NULL,
            "true: the table that is named is replaced whatever it holds, unless it is a model. "
            "Otherwise only a table that TO PREDICT made is replaced."),
    BOOLEAN("evaluate.replace", SCOPE_EVALUATE, "false", NULL,
            "true: the table that is named is replaced whatever it holds, unless it is a model. "
            "Otherwise only a table that EVALUATE made is replaced."),
    {"predict.extra_outputs", ATTRIBUTE_WORDS, SCOPE_PREDICT, 0, 0, NULL,
     WORDS("probability", "probabilities", "score", "logits"), WORDS("leaf"), true,
     "More columns beside the prediction: 'probability' of the positive class of two, of the "
     "predicted one "
     "of more; 'probabilities' and 'logits' of all classes as JSON; 'score': the logits of a "
     "classifier, "
     "the value of a regressor."},

    LATER("summary.plot_type", "Picture of an explanation: bar or dot."),
    LATER("summary.alpha", "Opacity of the dots of a picture."),
    LATER("summary.sort", "Order of the features of a picture."),
    LATER("summary.max_display", "Number of features of a picture."),
    LATER("summary.title", "Title of a picture."),

    LATER("runtime.worker_resource_request", "Processors and memory of one worker."),
    LATER("runtime.ps_resource_request", "Processors and memory of one parameter server."),
    LATER("runtime.master_resource_request", "Processors and memory of the master."),
    LATER("runtime.worker_pod_priority", "Priority of the workers' Pods."),
    LATER("engine.type", "The engine that trains."),
    LATER("engine.worker_cpu", "Processors of one worker."),
    LATER("engine.worker_memory", "Memory of one worker."),
    LATER("engine.ps_cpu", "Processors of one parameter server."),
    LATER("engine.ps_memory", "Memory of one parameter server."),
    LATER("engine.minibatch_size", "Rows of one step."),
    LATER("engine.master_resource_request", "Processors and memory of the master."),
    LATER("engine.worker_resource_request", "Processors and memory of one worker."),
    LATER("engine.ps_resource_request", "Processors and memory of one parameter server."),

    LATER("objective", "What boosted trees learn."),
    LATER("booster", "Kind of boosted model."),
    LATER("eta", "Shrinkage of each tree."),
    LATER("gamma", "Least gain of a split."),
    LATER("lambda", "L2 penalty on leaves."),
    LATER("alpha", "L1 penalty on leaves."),
    LATER("max_depth", "Depth of a tree."),
    LATER("max_leaves", "Leaves of a tree."),
    LATER("max_bin", "Bins of a histogram."),
    LATER("grow_policy", "Order in which a tree grows."),
    LATER("tree_method", "How splits are found."),
    LATER("subsample", "Share of the rows that a tree sees."),
    LATER("colsample_bytree", "Share of the columns that a tree sees."),
    LATER("colsample_bylevel", "Share of the columns that a level sees."),
    LATER("colsample_bynode", "Share of the columns that a split sees."),
    LATER("min_child_weight", "Least weight of a leaf."),
    LATER("max_delta_step", "Largest step of a leaf."),
    LATER("scale_pos_weight", "Weight of the positive class."),
    LATER("base_score", "Where boosting starts."),
    LATER("monotone_constraints", "Direction of each column's effect."),
    LATER("missing", "The value that stands for a missing one."),
    LATER("num_class", "Number of classes."),
    LATER("eval_metric", "What boosting measures."),
    LATER("num_parallel_tree", "Trees of one round."),
    LATER("n_estimators", "Number of trees."),
};
/* clang-format on */

const size_t attribute_count = sizeof attributes / sizeof *attributes;

/* SQLFlow's, ElasticDL's, Keras' and scikit-learn's spellings. */
const struct attribute_alias attribute_aliases[] = {
    {"train.epochs", "train.epoch"},
    {"train.num_workers", "job.max_workers"},
    {"runtime.num_workers", "job.max_workers"},
    {"engine.num_workers", "job.max_workers"},
    {"train.num_ps", "job.ps"},
    {"runtime.num_ps", "job.ps"},
    {"engine.num_ps", "job.ps"},
    {"engine.ps", "job.ps"},
    {"train.records_per_task", "job.records_per_task"},
    {"optimizer", "model.optimizer"},
    {"optimizer.name", "model.optimizer"},
    {"optimizer.lr", "optimizer.learning_rate"},
    {"optimizer.beta_1", "optimizer.beta1"},
    {"optimizer.beta_2", "optimizer.beta2"},
    {"optimizer.l1", "model.l1"},
    {"optimizer.l2", "model.l2"},
    {"validation.metric", "validation.metrics"},
};

const size_t attribute_alias_count = sizeof attribute_aliases / sizeof *attribute_aliases;
