#include "planner/attributes/later.h"

/* clang-format off: one row, one name. */
const struct later_name later_attributes[] = {
    {"model.rnn_type", "Kind of recurrent cell."},
    {"model.n_in", "Length of the window that a time series model reads."},
    {"model.n_out", "Length of the window that a time series model predicts."},
    {"job.records_per_task", "Rows of one shard."},
    {"summary.title", "Title of a picture."},
    {"runtime.ps_resource_request", "Processors and memory of one parameter server."},
    {"engine.ps_resource_request", "Processors and memory of one parameter server."},
    {"process_type", "Boosting from a model that there is."},
    {"refresh_leaf", "Values of leaves anew."},
    {"num_target", "Labels that are learned together."},
    {"multi_strategy", "Trees with several outputs."},
    {"lambdarank_unbiased", "Rankings learned from clicks, whose positions matter."},
    {"lambdarank_normalization", "Gradients of rankings as they are."},
    {"lambdarank_norm", "Gradients of rankings as they are."},
    {"label_gain", "Gain of each label of a ranking."},
    {"extra_trees", "Thresholds at random."},
    {"linear_tree", "Leaves that are linear models."},
    {"path_smooth", "Leaves drawn towards their parents."},
    {"feature_contri", "Weight of each column's gain."},
    {"pos_bagging_fraction", "Share of the rows of the greater class that a tree is grown from."},
    {"neg_bagging_fraction", "Share of the rows of the lesser class that a tree is grown from."},
    {"criterion", "How splits are measured."},
    {"splitter", "How splits are chosen."},
    {"min_samples_split", "Least rows of a node that is split; min_data_in_leaf limits leaves."},
    {"min_weight_fraction_leaf", "Least share of the weight of all rows in a leaf."},
    {"min_impurity_decrease", "Least gain of a split; gamma is one."},
    {"ccp_alpha", "Pruning by cost."},
    {"oob_score", "Measures of a forest by rows that its trees have not seen."},
};

/* SQLFlow's and ElasticDL's spellings. */
const struct attribute_alias later_aliases[] = {
    {"train.records_per_task", "job.records_per_task"},
};

const struct later_name later_estimators[] = {
    {"DeepEmbeddingClusterModel", "Clusters of a learned embedding."},
};
/* clang-format on */

const size_t later_attribute_count = sizeof later_attributes / sizeof *later_attributes;
const size_t later_alias_count = sizeof later_aliases / sizeof *later_aliases;
const size_t later_estimator_count = sizeof later_estimators / sizeof *later_estimators;

const struct later_name *later_find(const struct later_name *names, size_t count, struct slice name)
{
    for (size_t i = 0; i < count; i++)
        if (slice_is_fold(name, names[i].name))
            return &names[i];
    return NULL;
}
