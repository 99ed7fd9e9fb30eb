#include "planner/short_names.h"

#include <string.h>

#include "params/attribute.h"
#include "planner/attributes.h"

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
    {"l1_reg", "model.l1"},
    {"l2_reg", "model.l2"},
    {"random_state", "train.seed"},
    {"random_seed", "train.seed"},
    {"validation_split", "train.test_size"},
    {"validation_fraction", "train.test_size"},
    {"data_split_eval_fraction", "train.test_size"},
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
    bool is_for_all; /* also what means nothing to the statement */
    struct short_name_matches *matches;
};

static bool has_use(const struct search *search, const struct attribute *attribute)
{
    if (search->is_for_all)
        return true;
    return (attribute->scope & search->scope) &&
           (!search->estimator || estimator_uses(search->estimator, attribute));
}

static void add(const struct search *search, const struct attribute *attribute)
{
    struct short_name_matches *matches = search->matches;

    if (!attribute || !has_use(search, attribute) || matches->count == SHORT_NAME_MATCHES_MAX)
        return;
    for (size_t i = 0; i < matches->count; i++)
        if (matches->attributes[i] == attribute)
            return;
    matches->attributes[matches->count++] = attribute;
}

static void find_last_parts(const struct search *search)
{
    const struct attribute *attribute;
    struct attribute_alias alias;

    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        if (slice_equal_fold(attribute_last_part(slice_of(attribute->name)), search->name))
            add(search, attribute);
    for (size_t i = 0; attribute_alias_number(i, &alias); i++)
        if (slice_equal_fold(attribute_last_part(slice_of(alias.name)), search->name))
            add(search, attribute_find(slice_of(alias.attribute)));
}

static void find_of_others(const struct search *search)
{
    const struct attribute_alias *other;

    for (size_t i = 0; search->matches->count == 0 && (other = short_name_of_others(i)); i++)
        if (slice_is_fold(search->name, other->name))
            add(search, attribute_find(slice_of(other->attribute)));
}

void short_name_find(struct slice name, unsigned scope, const struct estimator *estimator,
                     struct short_name_matches *matches)
{
    struct search search = {name, scope, estimator, false, matches};

    matches->count = 0;
    if (memchr(name.data, '.', name.size))
        return;
    find_last_parts(&search);
    find_of_others(&search);
    if (matches->count > 0)
        return;
    search.is_for_all = true;
    find_last_parts(&search);
    find_of_others(&search);
    if (matches->count > 1)
        matches->count = 1;
}

const struct attribute *attribute_find_written(struct slice name, unsigned scope,
                                               const struct estimator *estimator)
{
    const struct attribute *found = attribute_find(name);
    struct short_name_matches matches;

    if (found)
        return found;
    short_name_find(name, scope, estimator, &matches);
    return matches.count == 1 ? matches.attributes[0] : NULL;
}
