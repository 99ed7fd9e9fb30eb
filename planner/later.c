#include "planner/later.h"

/* clang-format off: one row, one name. */
const struct later_name later_attributes[] = {
    {"model.batch_norm", "Batch normalisation between the hidden layers."},
    {"model.loss", "Another loss than the task's own."},
    {"model.dnn_hidden_units", "Hidden layers of the deep part of a combined model."},
    {"model.dnn_activation_fn", "Activation of the deep part of a combined model."},
    {"model.dnn_dropout", "Dropout of the deep part of a combined model."},
    {"model.dnn_optimizer", "Optimizer of the deep part of a combined model."},
    {"model.linear_optimizer", "Optimizer of the linear part of a combined model."},
    {"model.embedding_dimension", "Width of embeddings of click-through models."},
    {"model.n_components", "Number of principal components."},
    {"model.rnn_type", "Kind of recurrent cell."},
    {"model.n_in", "Length of the window that a time series model reads."},
    {"model.n_out", "Length of the window that a time series model predicts."},
    {"train.max_seconds", "Time after which training ends."},
    {"train.save_checkpoints_steps", "Steps between two checkpoints."},
    {"train.sample_weight", "The column that holds the weight of each row."},
    {"train.num_boost_round", "Number of boosted trees."},
    {"train.disk_cache", "Keep the rows on disk between epochs."},
    {"optimizer.decay_steps", "Steps of a learning-rate schedule."},
    {"optimizer.decay_rate", "Rate of a learning-rate schedule."},
    {"optimizer.warmup_steps", "Steps over which the learning rate grows to its value."},
    {"optimizer.rho", "Decay of RMSprop and Adadelta."},
    {"optimizer.centered", "Centred RMSprop."},
    {"optimizer.amsgrad", "The AMSGrad variant of Adam."},
    {"optimizer.nesterov", "Nesterov's variant of momentum; write model.optimizer = 'Nesterov'."},
    {"optimizer.weight_decay", "Decoupled weight decay; model.l2 is the penalty in the loss."},
    {"optimizer.clipnorm", "Largest norm of a gradient."},
    {"optimizer.clipvalue", "Largest element of a gradient."},
    {"optimizer.learning_rate_power", "Power of FTRL's step size."},
    {"optimizer.l1_regularization_strength",
     "FTRL's own L1 penalty; model.l1 works with all optimizers."},
    {"optimizer.l2_regularization_strength",
     "FTRL's own L2 penalty; model.l2 works with all optimizers."},
    {"validation.steps", "Batches of one evaluation."},
    {"validation.start_delay_secs", "Time before the first evaluation."},
    {"validation.throttle_secs", "Least time between two evaluations."},
    {"job.strategy", "How gradients travel: 'auto', 'allreduce' or 'ps'."},
    {"job.ps", "Number of parameter servers."},
    {"job.records_per_task", "Rows of one shard."},
    {"summary.plot_type", "Picture of an explanation: bar or dot."},
    {"summary.alpha", "Opacity of the dots of a picture."},
    {"summary.sort", "Order of the features of a picture."},
    {"summary.max_display", "Number of features of a picture."},
    {"summary.title", "Title of a picture."},
    {"runtime.worker_resource_request", "Processors and memory of one worker."},
    {"runtime.ps_resource_request", "Processors and memory of one parameter server."},
    {"runtime.master_resource_request", "Processors and memory of the master."},
    {"runtime.worker_pod_priority", "Priority of the workers' Pods."},
    {"engine.type", "The engine that trains."},
    {"engine.worker_cpu", "Processors of one worker."},
    {"engine.worker_memory", "Memory of one worker."},
    {"engine.ps_cpu", "Processors of one parameter server."},
    {"engine.ps_memory", "Memory of one parameter server."},
    {"engine.minibatch_size", "Rows of one step."},
    {"engine.master_resource_request", "Processors and memory of the master."},
    {"engine.worker_resource_request", "Processors and memory of one worker."},
    {"engine.ps_resource_request", "Processors and memory of one parameter server."},
    {"objective", "What boosted trees learn."},
    {"booster", "Kind of boosted model."},
    {"eta", "Shrinkage of each tree."},
    {"gamma", "Least gain of a split."},
    {"lambda", "L2 penalty on leaves."},
    {"alpha", "L1 penalty on leaves."},
    {"max_depth", "Depth of a tree."},
    {"max_leaves", "Leaves of a tree."},
    {"max_bin", "Bins of a histogram."},
    {"grow_policy", "Order in which a tree grows."},
    {"tree_method", "How splits are found."},
    {"subsample", "Share of the rows that a tree sees."},
    {"colsample_bytree", "Share of the columns that a tree sees."},
    {"colsample_bylevel", "Share of the columns that a level sees."},
    {"colsample_bynode", "Share of the columns that a split sees."},
    {"min_child_weight", "Least weight of a leaf."},
    {"max_delta_step", "Largest step of a leaf."},
    {"scale_pos_weight", "Weight of the positive class."},
    {"base_score", "Where boosting starts."},
    {"monotone_constraints", "Direction of each column's effect."},
    {"missing", "The value that stands for a missing one."},
    {"num_class", "Number of classes."},
    {"eval_metric", "What boosting measures."},
    {"num_parallel_tree", "Trees of one round."},
    {"n_estimators", "Number of trees."},
};

/* SQLFlow's and ElasticDL's spellings. */
const struct attribute_alias later_aliases[] = {
    {"train.num_ps", "job.ps"},
    {"runtime.num_ps", "job.ps"},
    {"engine.num_ps", "job.ps"},
    {"engine.ps", "job.ps"},
    {"train.records_per_task", "job.records_per_task"},
};

const struct later_name later_estimators[] = {
    {"DNNLinearCombinedClassifier", "Wide and deep network for classes."},
    {"DNNLinearCombinedRegressor", "Wide and deep network for numbers."},
    {"WideAndDeepClassifier", "Another name of DNNLinearCombinedClassifier."},
    {"WideAndDeepRegressor", "Another name of DNNLinearCombinedRegressor."},
    {"DeepFMClassifier", "Click-through model: factorisation machine and network."},
    {"XDeepFMClassifier", "Click-through model with compressed interactions."},
    {"DCNClassifier", "Deep and cross network."},
    {"xgboost.gbtree", "Boosted trees."},
    {"xgboost.dart", "Boosted trees with dropout."},
    {"xgboost.gblinear", "Boosted linear models."},
    {"XGBClassifier", "Boosted trees for classes."},
    {"XGBRegressor", "Boosted trees for numbers."},
    {"XGBRFClassifier", "Random forest for classes."},
    {"XGBRFRegressor", "Random forest for numbers."},
    {"XGBRanker", "Boosted trees for rankings."},
    {"BoostedTreesClassifier", "Boosted trees for classes."},
    {"BoostedTreesRegressor", "Boosted trees for numbers."},
    {"lightgbm.gbdt", "Boosted trees with LightGBM's names."},
    {"RandomForestClassifier", "Random forest for classes."},
    {"RandomForestRegressor", "Random forest for numbers."},
    {"PCA", "Principal components."},
    {"OneClassSVM", "Finds what is unlike the rest."},
    {"DeepEmbeddingClusterModel", "Clusters of a learned embedding."},
    {"NaiveBayes", "Naive Bayes."},
    {"StackedRNNClassifier", "Recurrent network for classes."},
    {"RNNBasedTimeSeriesModel", "Recurrent network for time series."},
    {"ARIMAWithSTLDecomposition", "ARIMA for time series."},
    {"ScoreCard", "Score card."},
};

const struct later_name later_column_functions[] = {
    {"DENSE", NULL},
    {"SPARSE", NULL},
    {"BUCKET", NULL},
    {"CATEGORY_ID", NULL},
    {"SEQ_CATEGORY_ID", NULL},
    {"CATEGORY_HASH", NULL},
    {"WEIGHTED_CATEGORY", NULL},
    {"CROSS", NULL},
    {"EMBEDDING", NULL},
};
/* clang-format on */

const size_t later_attribute_count = sizeof later_attributes / sizeof *later_attributes;
const size_t later_alias_count = sizeof later_aliases / sizeof *later_aliases;
const size_t later_estimator_count = sizeof later_estimators / sizeof *later_estimators;
const size_t later_column_function_count =
    sizeof later_column_functions / sizeof *later_column_functions;

const struct later_name *later_find(const struct later_name *names, size_t count, struct slice name)
{
    for (size_t i = 0; i < count; i++)
        if (slice_is_fold(name, names[i].name))
            return &names[i];
    return NULL;
}
