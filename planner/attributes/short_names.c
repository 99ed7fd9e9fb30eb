#include "planner/attributes/short_names.h"

#include <string.h>

#include "params/attribute.h"
#include "planner/attributes/attributes.h"

/* clang-format off: one row, one name. Where a name has two rows the first that means something to
 * the statement is meant. */
static const struct attribute_alias of_others[] = {
    {"n_epochs", "train.epoch"},
    {"num_epochs", "train.epoch"},
    {"max_iter", "train.epoch"},
    {"max_iterations", "train.epoch"},
    {"max_iterations", "model.max_iter"},
    {"batch", "train.batch_size"},
    {"minibatch_size", "train.batch_size"},
    {"learn_rate", "optimizer.learning_rate"},
    {"learning_rate_init", "optimizer.learning_rate"},
    {"step_size", "optimizer.learning_rate"},
    {"eta0", "optimizer.learning_rate"},
    {"hidden", "model.hidden_units"},
    {"hidden_layers", "model.hidden_units"},
    {"hidden_layer_sizes", "model.hidden_units"},
    {"layers", "model.hidden_units"},
    {"dropout_rate", "model.dropout"},
    {"num_factors", "model.embedding_dimension"},
    {"n_factors", "model.embedding_dimension"},
    {"factors", "model.embedding_dimension"},
    {"rank", "model.embedding_dimension"},
    {"l1_reg", "model.l1"},
    {"l2_reg", "model.l2"},
    {"random_state", "train.seed"},
    {"random_seed", "train.seed"},
    {"validation_split", "train.test_size"},
    {"validation_fraction", "train.test_size"},
    {"data_split_eval_fraction", "train.test_size"},
    {"cv", "train.folds"},
    {"nfold", "train.folds"},
    {"n_splits", "train.folds"},
    {"num_trials", "tune.trials"},
    {"n_trials", "tune.trials"},
    {"hparam_tuning_objectives", "tune.metric"},
    {"hparam_tuning_algorithm", "tune.method"},
    {"patience", "train.early_stopping"},
    {"n_iter_no_change", "train.early_stopping"},
    {"class_weights", "train.class_weight"},
    {"auto_class_weights", "train.class_weight"},
    {"normalize", "model.standardize"},
    {"k", "model.n_clusters"},
    {"clusters", "model.n_clusters"},
    {"num_clusters", "model.n_clusters"},
    {"num_classes", "model.n_classes"},
    {"workers", "job.max_workers"},
    {"n_jobs", "job.threads"},
    {"n_estimators", "train.num_boost_round"},
    {"n_estimators", "num_parallel_tree"},
    {"n_estimators", "model.n_estimators"},
    {"num_round", "train.num_boost_round"},
    {"num_round", "num_parallel_tree"},
    {"num_rounds", "train.num_boost_round"},
    {"num_rounds", "num_parallel_tree"},
    {"num_iterations", "train.num_boost_round"},
    {"num_iterations", "num_parallel_tree"},
    {"num_iteration", "train.num_boost_round"},
    {"num_iteration", "num_parallel_tree"},
    {"n_iter", "train.num_boost_round"},
    {"n_iter", "num_parallel_tree"},
    {"num_boost_round", "num_parallel_tree"},
    {"num_tree", "train.num_boost_round"},
    {"num_tree", "num_parallel_tree"},
    {"num_tree", "model.n_estimators"},
    {"num_trees", "train.num_boost_round"},
    {"num_trees", "num_parallel_tree"},
    {"num_trees", "model.n_estimators"},
    {"n_trees", "train.num_boost_round"},
    {"n_trees", "num_parallel_tree"},
    {"n_trees", "model.n_estimators"},
    {"ntrees", "train.num_boost_round"},
    {"ntrees", "num_parallel_tree"},
    {"ntrees", "model.n_estimators"},
    {"nrounds", "train.num_boost_round"},
    {"nrounds", "num_parallel_tree"},
    {"iterations", "train.num_boost_round"},
    {"iterations", "num_parallel_tree"},
    {"max_iter", "train.num_boost_round"},
    {"max_iter", "num_parallel_tree"},
    {"max_iterations", "train.num_boost_round"},
    {"max_iterations", "num_parallel_tree"},
    {"learning_rate", "eta"},
    {"shrinkage_rate", "eta"},
    {"shrinkage", "eta"},
    {"learn_rate", "eta"},
    {"num_leaves", "max_leaves"},
    {"num_leaf", "max_leaves"},
    {"max_leaf", "max_leaves"},
    {"max_leaf_nodes", "max_leaves"},
    {"max_tree_depth", "max_depth"},
    {"reg_lambda", "lambda"},
    {"lambda_l2", "lambda"},
    {"l2_regularization", "lambda"},
    {"l2_reg", "lambda"},
    {"reg_alpha", "alpha"},
    {"lambda_l1", "alpha"},
    {"l1_regularization", "alpha"},
    {"l1_reg", "alpha"},
    {"min_split_loss", "gamma"},
    {"min_gain_to_split", "gamma"},
    {"min_split_gain", "gamma"},
    {"tree_complexity", "gamma"},
    {"min_sum_hessian_in_leaf", "min_child_weight"},
    {"min_sum_hessian", "min_child_weight"},
    {"min_sum_hessian_per_leaf", "min_child_weight"},
    {"min_hessian", "min_child_weight"},
    {"min_tree_child_weight", "min_child_weight"},
    {"min_node_weight", "min_child_weight"},
    {"min_child_samples", "min_data_in_leaf"},
    {"min_samples_leaf", "min_data_in_leaf"},
    {"min_data", "min_data_in_leaf"},
    {"min_data_per_leaf", "min_data_in_leaf"},
    {"max_leaf_output", "max_delta_step"},
    {"max_tree_output", "max_delta_step"},
    {"bagging_fraction", "subsample"},
    {"bagging", "subsample"},
    {"sub_row", "subsample"},
    {"max_samples", "subsample"},
    {"max_samples", "model.max_samples"},
    {"sample_size", "model.max_samples"},
    {"feature_fraction", "colsample_bytree"},
    {"sub_feature", "colsample_bytree"},
    {"feature_fraction_bynode", "colsample_bynode"},
    {"sub_feature_bynode", "colsample_bynode"},
    {"max_bins", "max_bin"},
    {"loss", "objective"},
    {"objective_type", "objective"},
    {"huber_delta", "huber_slope"},
    {"early_stopping_rounds", "train.early_stopping"},
    {"early_stopping_round", "train.early_stopping"},
    {"num_class", "model.n_classes"},
    {"eval_metric", "validation.metrics"},
    {"nthread", "job.threads"},
    {"nthreads", "job.threads"},
    {"num_threads", "job.threads"},
    {"verbosity", "train.verbose"},
    {"num_machines", "job.max_workers"},
    {"weight_column", "train.sample_weight"},
    {"weight_col", "train.sample_weight"},
    {"weights_column", "train.sample_weight"},
    {"instance_weight_col", "train.sample_weight"},
    {"group_column", "train.group"},
    {"query_column", "train.group"},
    {"group_id", "train.group"},
    {"query_id", "train.group"},
    {"scoring", "validation.metrics"},
    {"scoring", "explain.metric"},
    {"n_repeats", "explain.repeats"},
    {"early_stopping_patience", "train.early_stopping"},
    {"od_wait", "train.early_stopping"},
    {"standardize_features", "model.standardize"},
    {"nesterovs_momentum", "optimizer.nesterov"},
    {"hidden_activation", "model.activation"},
    {"embedding_size", "model.embedding_dimension"},
    {"embed_dim", "model.embedding_dimension"},
    {"booster_type", "booster"},
    {"dart_normalize_type", "normalize_type"},
    {"depth", "max_depth"},
    {"l2_leaf_reg", "lambda"},
};
/* clang-format on */

struct slice attribute_last_part(struct slice name)
{
    const char *dot = name.size ? memrchr(name.data, '.', name.size) : NULL;

    if (dot) {
        name.size -= (size_t)(dot + 1 - name.data);
        name.data = dot + 1;
    }
    return name;
}

const struct attribute_alias *short_name_of_others(size_t number)
{
    return number < sizeof of_others / sizeof *of_others ? &of_others[number] : NULL;
}

struct search {
    struct slice name;
    unsigned scope;
    const struct estimator *estimator;
    bool is_for_all;               /* also what means nothing to the statement */
    const struct attribute *found; /* the first; NULL: none yet */
};

static bool has_use(const struct search *search, const struct attribute *attribute)
{
    if (search->is_for_all)
        return true;
    return (attribute->scope & search->scope) &&
           (!search->estimator || estimator_uses(search->estimator, attribute));
}

static bool is_of_job(const struct attribute *attribute)
{
    return strncmp(attribute->name, "job.", strlen("job.")) == 0;
}

static void add(struct search *search, const struct attribute *attribute)
{
    if (attribute && has_use(search, attribute) &&
        (!search->found || (is_of_job(search->found) && !is_of_job(attribute))))
        search->found = attribute;
}

/* `metric` is validation's, and any `method` is not; `learning_rate` is that of all parts. */
static bool is_written_whole(const char *name)
{
    static const char *const sections[] = {"tune.", "linear_optimizer."};

    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strncmp(name, sections[i], strlen(sections[i])) == 0)
            return true;
    return false;
}

static void find_last_parts(struct search *search)
{
    const struct attribute *attribute;
    struct attribute_alias alias;

    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        if (!is_written_whole(attribute->name) &&
            slice_equal_fold(attribute_last_part(slice_of(attribute->name)), search->name))
            add(search, attribute);
    for (size_t i = 0; attribute_alias_number(i, &alias); i++)
        if (!is_written_whole(alias.name) &&
            slice_equal_fold(attribute_last_part(slice_of(alias.name)), search->name))
            add(search, attribute_find(slice_of(alias.attribute)));
}

static void find_of_others(struct search *search)
{
    const struct attribute_alias *other;

    for (size_t i = 0; !search->found && (other = short_name_of_others(i)); i++)
        if (slice_is_fold(search->name, other->name))
            add(search, attribute_find(slice_of(other->attribute)));
}

const struct attribute *short_name_find(struct slice name, unsigned scope,
                                        const struct estimator *estimator)
{
    struct search search = {name, scope, estimator, false, NULL};

    if (memchr(name.data, '.', name.size))
        return NULL;
    find_last_parts(&search);
    find_of_others(&search);
    if (search.found)
        return search.found;
    search.is_for_all = true;
    find_of_others(&search);
    if (!search.found)
        find_last_parts(&search);
    return search.found;
}

const struct attribute *attribute_find_written(struct slice name, unsigned scope,
                                               const struct estimator *estimator)
{
    const struct attribute *found = attribute_find(name);

    return found ? found : short_name_find(name, scope, estimator);
}
