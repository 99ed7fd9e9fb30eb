#include "interop/xgboost_read.h"

#include <math.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "interop/documents/document_json.h"
#include "interop/documents/document_ubj.h"
#include "interop/xgboost_base.h"
#include "interop/xgboost_write.h"

enum task_of { REGRESSOR, TWO_CLASSES, MANY_CLASSES, RANKER, QUANTILES };

struct objective {
    const char *name;
    enum task_of task;
    enum trees_link link;      /* a regressor's link */
    enum trees_link base_link; /* link of base_score */
};

static const struct objective objectives[] = {
    {"binary:logistic", TWO_CLASSES, TREES_LINK_NONE, TREES_LINK_LOGISTIC},
    {"binary:logitraw", TWO_CLASSES, TREES_LINK_NONE, TREES_LINK_NONE},
    {"binary:hinge", TWO_CLASSES, TREES_LINK_NONE, TREES_LINK_NONE},
    {"multi:softprob", MANY_CLASSES, TREES_LINK_NONE, TREES_LINK_NONE},
    {"multi:softmax", MANY_CLASSES, TREES_LINK_NONE, TREES_LINK_NONE},
    {"reg:squarederror", REGRESSOR, TREES_LINK_NONE, TREES_LINK_NONE},
    {"reg:linear", REGRESSOR, TREES_LINK_NONE, TREES_LINK_NONE},
    {"reg:squaredlogerror", REGRESSOR, TREES_LINK_NONE, TREES_LINK_NONE},
    {"reg:pseudohubererror", REGRESSOR, TREES_LINK_NONE, TREES_LINK_NONE},
    {"reg:absoluteerror", REGRESSOR, TREES_LINK_NONE, TREES_LINK_NONE},
    {"reg:quantileerror", QUANTILES, TREES_LINK_NONE, TREES_LINK_NONE},
    {"reg:logistic", REGRESSOR, TREES_LINK_LOGISTIC, TREES_LINK_LOGISTIC},
    {"reg:gamma", REGRESSOR, TREES_LINK_EXP, TREES_LINK_EXP},
    {"reg:tweedie", REGRESSOR, TREES_LINK_EXP, TREES_LINK_EXP},
    {"count:poisson", REGRESSOR, TREES_LINK_EXP, TREES_LINK_EXP},
    {"survival:cox", REGRESSOR, TREES_LINK_EXP, TREES_LINK_EXP},
    {"survival:aft", REGRESSOR, TREES_LINK_EXP, TREES_LINK_EXP},
    {"rank:pairwise", RANKER, TREES_LINK_NONE, TREES_LINK_NONE},
    {"rank:ndcg", RANKER, TREES_LINK_NONE, TREES_LINK_NONE},
    {"rank:map", RANKER, TREES_LINK_NONE, TREES_LINK_NONE},
};

struct reading {
    struct arena *arena;
    struct forest *forest;
    const struct objective *objective;
    bool has_our_words; /* the file is one of ours */
    int64_t best_round; /* from 0; -1: the file names none */
    struct error *err;
};

/* ----- what the model is ----- */

static enum status read_objective(struct reading *reading, const struct value *learner)
{
    static const char *const estimators[] = {"XGBRegressor", "XGBClassifier", "XGBClassifier",
                                             "XGBRanker", "XGBRegressor"};
    const struct value *object;
    struct slice name;

    TRY(value_get_object(learner, "objective", &object, reading->err));
    TRY(value_get_text(object, "name", &name, reading->err));
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives && !reading->objective; i++)
        if (slice_is(name, objectives[i].name))
            reading->objective = &objectives[i];
    if (!reading->objective)
        return fail(reading->err, STATUS_UNSUPPORTED,
                    "models of XGBoost's objective \"%.*s\" are not read yet",
                    SLICE_FORMAT(slice_prefix(name, 60)));
    reading->forest->estimator = estimators[reading->objective->task];
    return STATUS_OK;
}

/* "5E-1", "[5E-1]", and of several outputs "[1E-1,2E-1]". At most `most` are read; on failure the
 * text begins with what is no number. */
static bool read_numbers(struct slice *text, double *numbers, uint32_t most, uint32_t *count)
{
    *count = 0;
    if (text->size >= 2 && text->data[0] == '[' && text->data[text->size - 1] == ']')
        *text = (struct slice){text->data + 1, text->size - 2};
    for (bool is_last = false; !is_last && *count < most; ++*count) {
        const char *comma = text->size ? memchr(text->data, ',', text->size) : NULL;
        const size_t size = comma ? (size_t)(comma - text->data) : text->size;

        if (!slice_to_real(slice_trim((struct slice){text->data, size}), &numbers[*count]))
            return false;
        is_last = !comma;
        text->data += comma ? size + 1 : 0;
        text->size -= comma ? size + 1 : 0;
    }
    return true;
}

static enum status read_base(struct reading *reading, const struct value *parameters)
{
    struct forest *forest = reading->forest;
    const enum trees_link link = reading->objective->base_link;
    struct slice text, whole;
    uint32_t count = 0;
    bool are_fine;

    TRY(value_get_text(parameters, "base_score", &text, reading->err));
    whole = text;
    are_fine = read_numbers(&text, forest->base, forest->outputs, &count);
    for (uint32_t i = 0; i < count && are_fine; i++) {
        const double score = forest->base[i];

        are_fine = !(fabs(score) > 1e38 || (link != TREES_LINK_NONE && score < 1e-37) ||
                     (link == TREES_LINK_LOGISTIC && (float)score >= 1));
        forest->base[i] = are_fine ? xgboost_margin((float)score, link) : 0;
    }
    if (!are_fine)
        return fail(reading->err, STATUS_CORRUPT, "base_score is no prediction: \"%.*s\"",
                    SLICE_FORMAT(slice_prefix(whole, 60)));
    for (uint32_t i = 1; count == 1 && i < forest->outputs; i++)
        forest->base[i] = forest->base[0];
    if (count == 1 || count == forest->outputs)
        return STATUS_OK;
    return fail(reading->err, STATUS_CORRUPT, "base_score has %u numbers for %u outputs", count,
                forest->outputs);
}

/* "[1E-1,5E-1]"; files of before 3.1 have no list of one. */
static enum status read_quantiles(struct reading *reading, const struct value *learner)
{
    struct forest *forest = reading->forest;
    const struct value *objective, *parameters;
    struct slice text;

    TRY(value_get_object(learner, "objective", &objective, reading->err));
    TRY(value_get_object(objective, "quantile_loss_param", &parameters, reading->err));
    TRY(value_get_text(parameters, "quantile_alpha", &text, reading->err));
    if (read_numbers(&text, forest->quantiles, QUANTILES_MAX, &forest->quantile_count)) {
        bool are_shares = true;

        for (uint32_t i = 0; i < forest->quantile_count; i++)
            are_shares &= forest->quantiles[i] > 0 && forest->quantiles[i] < 1;
        if (are_shares)
            return STATUS_OK;
    }
    return fail(reading->err, STATUS_CORRUPT,
                "quantile_alpha is no list of 1 to %d numbers above 0 and below 1: \"%.*s\"",
                QUANTILES_MAX, SLICE_FORMAT(slice_prefix(text, 60)));
}

/* How many numbers a row of a regressor has. */
static enum status read_targets(struct reading *reading, const struct value *parameters,
                                const struct value *learner, uint32_t *outputs)
{
    struct forest *forest = reading->forest;
    int64_t targets = 1;

    if (value_member(parameters, "num_target"))
        TRY(value_get_integer(parameters, "num_target", 0, UINT32_MAX, &targets, reading->err));
    *outputs = targets > 1 ? (uint32_t)targets : 1;
    if (reading->objective->task != QUANTILES)
        return STATUS_OK;
    TRY(read_quantiles(reading, learner));
    if (forest->quantile_count == *outputs)
        return STATUS_OK;
    return fail(reading->err, STATUS_CORRUPT, "a model of %u quantiles with %u targets",
                forest->quantile_count, *outputs);
}

static enum status read_parameters(struct reading *reading, const struct value *learner)
{
    struct forest *forest = reading->forest;
    const struct value *parameters;
    int64_t classes, features;
    uint32_t targets;

    TRY(value_get_object(learner, "learner_model_param", &parameters, reading->err));
    TRY(value_get_integer(parameters, "num_class", 0, CLASSES_MAX, &classes, reading->err));
    TRY(value_get_integer(parameters, "num_feature", 1, UINT32_MAX, &features, reading->err));
    TRY(read_targets(reading, parameters, learner, &targets));
    forest->joins_outputs = classes == 2 && reading->objective->task == MANY_CLASSES;
    if ((targets > 1 && reading->objective->task != QUANTILES) ||
        (classes > 1) != (reading->objective->task == MANY_CLASSES))
        return fail(reading->err, STATUS_UNSUPPORTED,
                    "a model of %s with %lld classes and %u targets is not read yet",
                    reading->objective->name, (long long)classes, targets);
    if (features > MODEL_INPUTS_MAX)
        return fail(reading->err, STATUS_UNSUPPORTED,
                    "the model has %lld features, where models have at most %d inputs",
                    (long long)features, MODEL_INPUTS_MAX);
    forest->feature_count = (uint32_t)features;
    forest->outputs = classes > 1 ? (uint32_t)classes : targets;
    forest->task =
        reading->objective->task == TWO_CLASSES || reading->objective->task == MANY_CLASSES
            ? TASK_CLASSIFICATION
            : TASK_REGRESSION;
    forest->classes = forest->task == TASK_REGRESSION ? 0 : classes > 1 ? (uint32_t)classes : 2;
    forest->link = reading->objective->link;
    forest->base = ARENA_NEW(reading->arena, double, forest->outputs);
    forest->features = ARENA_NEW(reading->arena, struct forest_feature, forest->feature_count);
    if (!forest->base || !forest->features)
        return fail_no_memory(reading->err);
    return read_base(reading, parameters);
}

static enum status read_names(struct reading *reading, const struct value *learner)
{
    struct forest *forest = reading->forest;
    const struct value *names = value_member(learner, "feature_names");

    if (names && names->count == 0)
        names = NULL;
    if (names)
        TRY(value_get_list(learner, "feature_names", &names, reading->err));
    if (names && names->count != forest->feature_count)
        return fail(reading->err, STATUS_CORRUPT, "%zu names for %u features", names->count,
                    forest->feature_count);
    for (uint32_t i = 0; i < forest->feature_count; i++) {
        if (!names) {
            forest->features[i].name = arena_printf(reading->arena, "f%u", i);
            if (!forest->features[i].name.data)
                return fail_no_memory(reading->err);
            continue;
        }
        if (names->of.items[i].type != VALUE_TEXT)
            return fail(reading->err, STATUS_CORRUPT, "the name of feature %u is no text", i);
        forest->features[i].name =
            (struct slice){names->of.items[i].of.text, names->of.items[i].count};
    }
    return STATUS_OK;
}

/* ----- words ----- */

static enum status place_words(struct reading *reading, const struct value *offsets,
                               struct slice bytes, struct forest_feature *feature)
{
    for (size_t i = 0; i + 1 < offsets->count; i++) {
        const double first = offsets->of.numbers[i], end = offsets->of.numbers[i + 1];

        if (!(first >= 0 && end >= first && end <= (double)bytes.size))
            return fail(reading->err, STATUS_CORRUPT,
                        "the words of feature \"%.*s\" have no places",
                        SLICE_FORMAT(feature->name));
        feature->words[i] = (struct slice){bytes.data + (size_t)first, (size_t)end - (size_t)first};
    }
    return STATUS_OK;
}

/* XGBoost 3.1 and 3.2 count characters of words where they mean bytes: some are lost. */
static enum status check_words(const struct reading *reading, struct slice bytes, struct slice name)
{
    for (size_t i = 0; i < bytes.size && !reading->has_our_words; i++)
        if ((unsigned char)bytes.data[i] >= 0x80) {
            fail(reading->err, STATUS_UNSUPPORTED,
                 "words of feature \"%.*s\" are not ASCII, and XGBoost stores such words damaged",
                 SLICE_FORMAT(name));
            return error_hint(reading->err, "Train with codes of these words, or ASCII words.");
        }
    return STATUS_OK;
}

static enum status read_words(struct reading *reading, const struct value *encoding,
                              struct forest_feature *feature)
{
    const struct value *offsets, *values;
    char *bytes;

    TRY(value_get_numbers(encoding, "offsets", SIZE_MAX, &offsets, reading->err));
    TRY(value_get_numbers(encoding, "values", SIZE_MAX, &values, reading->err));
    if (offsets->count < 2)
        return STATUS_OK;
    bytes = arena_alloc(reading->arena, values->count + 1);
    feature->words = ARENA_NEW(reading->arena, struct slice, offsets->count - 1);
    if (!bytes || !feature->words)
        return fail_no_memory(reading->err);
    for (size_t i = 0; i < values->count; i++) {
        const double byte = values->of.numbers[i];
        bytes[i] = byte >= -128 && byte <= 255 ? (char)(int)byte : '?';
    }
    feature->word_count = (uint32_t)(offsets->count - 1);
    TRY(check_words(reading, (struct slice){bytes, values->count}, feature->name));
    return place_words(reading, offsets, (struct slice){bytes, values->count}, feature);
}

/* Numbers as the words that cells of them become. */
static enum status read_numbers_as_words(struct reading *reading, const struct value *encoding,
                                         struct forest_feature *feature)
{
    const struct value *values;

    TRY(value_get_numbers(encoding, "values", SIZE_MAX, &values, reading->err));
    if (values->count == 0)
        return STATUS_OK;
    feature->words = ARENA_NEW(reading->arena, struct slice, values->count);
    if (!feature->words)
        return fail_no_memory(reading->err);
    for (size_t i = 0; i < values->count; i++) {
        const struct cell cell = {.type = CELL_REAL, .real = values->of.numbers[i]};
        char buffer[TRANSFORM_WORD_BUFFER];
        struct slice word;
        bool is_null;

        TRY(cell_to_word(&cell, feature->name, buffer, &word, &is_null, reading->err));
        feature->words[i] = arena_copy(reading->arena, word);
        if (!feature->words[i].data)
            return fail_no_memory(reading->err);
    }
    feature->word_count = (uint32_t)values->count;
    return STATUS_OK;
}

static enum status read_categories(struct reading *reading, const struct value *model)
{
    struct forest *forest = reading->forest;
    const struct value *categories = value_member(model, "cats"), *encodings;

    if (!categories)
        return STATUS_OK;
    TRY(value_get_list(categories, "enc", &encodings, reading->err));
    if (encodings->count == 0)
        return STATUS_OK;
    if (encodings->count != forest->feature_count)
        return fail(reading->err, STATUS_CORRUPT, "categories of %zu features, of %u",
                    encodings->count, forest->feature_count);
    for (uint32_t i = 0; i < forest->feature_count; i++) {
        const struct value *encoding = &encodings->of.items[i];

        if (value_member(encoding, "offsets"))
            TRY(read_words(reading, encoding, &forest->features[i]));
        else
            TRY(read_numbers_as_words(reading, encoding, &forest->features[i]));
        if (forest->features[i].word_count > CATEGORY_WORDS_MAX)
            return fail(reading->err, STATUS_LIMIT, "feature \"%.*s\" has %u words, at most %d",
                        SLICE_FORMAT(forest->features[i].name), forest->features[i].word_count,
                        CATEGORY_WORDS_MAX);
    }
    return STATUS_OK;
}

/* ----- trees ----- */

struct tree_lists {
    const struct value *left, *right, *feature, *type, *default_left, *condition, *gain, *cover;
    uint32_t count;
};

static enum status find_lists(struct reading *reading, const struct value *tree,
                              struct tree_lists *lists)
{
    struct error *err = reading->err;
    const struct value *parameters;
    int64_t outputs = 1;

    TRY(value_get_object(tree, "tree_param", &parameters, err));
    if (value_member(parameters, "size_leaf_vector"))
        TRY(value_get_integer(parameters, "size_leaf_vector", 0, UINT32_MAX, &outputs, err));
    if (outputs > 1)
        return fail(err, STATUS_UNSUPPORTED,
                    "trees with leaves of several values are not read yet");
    TRY(value_get_numbers(tree, "left_children", SIZE_MAX, &lists->left, err));
    if (lists->left->count == 0 || lists->left->count > TREES_NODES_MAX)
        return fail(err, STATUS_CORRUPT, "a tree of %zu nodes", lists->left->count);
    lists->count = (uint32_t)lists->left->count;
    TRY(value_get_numbers(tree, "right_children", lists->count, &lists->right, err));
    TRY(value_get_numbers(tree, "split_indices", lists->count, &lists->feature, err));
    TRY(value_get_numbers(tree, "split_conditions", lists->count, &lists->condition, err));
    TRY(value_get_numbers(tree, "default_left", lists->count, &lists->default_left, err));
    TRY(value_get_numbers(tree, "loss_changes", lists->count, &lists->gain, err));
    TRY(value_get_numbers(tree, "sum_hessian", lists->count, &lists->cover, err));
    lists->type = NULL; /* before 1.3 there were no categories */
    return value_member(tree, "split_type")
               ? value_get_numbers(tree, "split_type", lists->count, &lists->type, err)
               : STATUS_OK;
}

/* A whole number from 0 up, -1 for anything else. */
static int64_t place_of(double number)
{
    return number >= 0 && number < 0x1p32 ? (int64_t)number : -1;
}

/* Reads a node. Rows that go left here go right in the file, so children change places. */
static enum status read_node(struct reading *reading, const struct tree_lists *lists, uint32_t i,
                             float weight, struct forest_node *node)
{
    const int64_t feature = place_of(lists->feature->of.numbers[i]);
    const bool has_set = lists->type && lists->type->of.numbers[i] == 1;
    const int64_t left = place_of(lists->left->of.numbers[i]);
    const int64_t right = place_of(lists->right->of.numbers[i]);
    const bool default_left = lists->default_left->of.numbers[i] != 0;

    *node = (struct forest_node){.cover = (float)lists->cover->of.numbers[i],
                                 .value = (float)lists->condition->of.numbers[i]};
    if (left < 0) {
        node->test = NODE_LEAF;
        node->value *= weight;
        return STATUS_OK;
    }
    if (feature < 0 || feature >= reading->forest->feature_count)
        return fail(reading->err, STATUS_CORRUPT, "node %u: there is no feature %g", i,
                    lists->feature->of.numbers[i]);
    node->test = has_set ? NODE_IS_IN : NODE_BELOW;
    node->feature = (uint32_t)feature;
    node->left = has_set ? right : left;
    node->right = has_set ? left : right;
    node->missing_left = default_left != has_set;
    node->gain = (float)lists->gain->of.numbers[i];
    return STATUS_OK;
}

static enum status read_sets(struct reading *reading, const struct value *tree, uint32_t count,
                             struct forest_node *nodes)
{
    const struct value *codes, *at, *first, *sizes;
    struct error *err = reading->err;

    if (!value_member(tree, "categories"))
        return STATUS_OK;
    TRY(value_get_numbers(tree, "categories", SIZE_MAX, &codes, err));
    TRY(value_get_numbers(tree, "categories_nodes", SIZE_MAX, &at, err));
    TRY(value_get_numbers(tree, "categories_segments", at->count, &first, err));
    TRY(value_get_numbers(tree, "categories_sizes", at->count, &sizes, err));
    for (size_t i = 0; i < at->count; i++) {
        const int64_t node = place_of(at->of.numbers[i]), begin = place_of(first->of.numbers[i]);
        const int64_t size = place_of(sizes->of.numbers[i]);

        if (node < 0 || node >= count || begin < 0 || size < 0 ||
            (size_t)begin + (size_t)size > codes->count)
            return fail(err, STATUS_CORRUPT, "categories %g from %g on, of %zu, for node %g",
                        sizes->of.numbers[i], first->of.numbers[i], codes->count,
                        at->of.numbers[i]);
        TRY(forest_add_set(reading->forest, codes->of.numbers + begin, (size_t)size,
                           &nodes[node].set, &nodes[node].set_rows, err));
    }
    return STATUS_OK;
}

static enum status read_tree(struct reading *reading, const struct value *tree, float weight,
                             double output)
{
    struct tree_lists lists;
    struct forest_node *nodes;
    struct arena arena;
    enum status status = STATUS_OK;

    if (!(output >= 0 && output < reading->forest->outputs))
        return fail(reading->err, STATUS_CORRUPT, "it belongs to class %g of %u", output,
                    reading->forest->outputs);
    TRY(find_lists(reading, tree, &lists));
    arena_init(&arena, SIZE_MAX);
    nodes = ARENA_NEW(&arena, struct forest_node, lists.count);
    if (!nodes)
        status = fail_no_memory(reading->err);
    for (uint32_t i = 0; status == STATUS_OK && i < lists.count; i++)
        status = read_node(reading, &lists, i, weight, &nodes[i]);
    if (status == STATUS_OK)
        status = read_sets(reading, tree, lists.count, nodes);
    if (status == STATUS_OK)
        status =
            forest_add_tree(reading->forest, nodes, lists.count, (uint32_t)output, reading->err);
    arena_deinit(&arena);
    return status;
}

/* Which tree, before what was found in it. */
static enum status in_tree(struct error *err, size_t tree)
{
    const struct error found = *err;

    fail(err, found.status, "tree %zu: %.480s", tree, found.message);
    return error_hint(err, "%s", found.hint);
}

/* How many trees the rounds up to the best one have, in which training was stopped early; what the
 * file has behind them, XGBoost's own classes do not predict by. */
static enum status count_best(struct reading *reading, const struct value *model, size_t trees,
                              size_t *best)
{
    const struct value *rounds, *parameters;
    int64_t parallel = 1;
    double end;

    *best = trees;
    if (reading->best_round < 0)
        return STATUS_OK;
    if (value_member(model, "iteration_indptr")) {
        TRY(value_get_numbers(model, "iteration_indptr", SIZE_MAX, &rounds, reading->err));
        if ((size_t)reading->best_round + 1 >= rounds->count)
            return STATUS_OK;
        end = rounds->of.numbers[reading->best_round + 1];
    } else { /* before 2.0 */
        TRY(value_get_object(model, "gbtree_model_param", &parameters, reading->err));
        if (value_member(parameters, "num_parallel_tree"))
            TRY(value_get_integer(parameters, "num_parallel_tree", 0, UINT32_MAX, &parallel,
                                  reading->err));
        end = (double)(reading->best_round + 1) * (double)(parallel > 1 ? parallel : 1) *
              reading->forest->outputs;
    }
    if (!(end >= 0 && end < (double)trees))
        return STATUS_OK;
    *best = (size_t)end;
    notice_add(&reading->forest->notices, NOTICE_SETTING,
               "the file's best_iteration is %lld: the model has the %zu trees up to it, as "
               "XGBoost's classes predict, and not the %zu behind",
               (long long)reading->best_round, *best, trees - *best);
    notice_hint(&reading->forest->notices,
                "Booster.predict takes all trees. To import these, remove the attribute: "
                "booster.set_attr(best_iteration=None).");
    return STATUS_OK;
}

static enum status read_trees(struct reading *reading, const struct value *model,
                              const struct value *weights)
{
    const struct value *trees, *outputs;
    size_t count;

    TRY(value_get_list(model, "trees", &trees, reading->err));
    TRY(value_get_numbers(model, "tree_info", trees->count, &outputs, reading->err));
    if (weights && weights->count != trees->count)
        return fail(reading->err, STATUS_CORRUPT, "%zu weights of %zu trees", weights->count,
                    trees->count);
    TRY(count_best(reading, model, trees->count, &count));
    for (size_t i = 0; i < count; i++) {
        TRY(stop_ask(reading->forest->stop, reading->err));
        if (read_tree(reading, &trees->of.items[i], weights ? (float)weights->of.numbers[i] : 1,
                      outputs->of.numbers[i]) != STATUS_OK)
            return in_tree(reading->err, i);
    }
    return STATUS_OK;
}

/* gbtree has the model, dart has a gbtree and what each of its trees counts. */
static enum status read_booster(struct reading *reading, const struct value *booster)
{
    const struct value *model, *weights = NULL;
    struct slice name;

    TRY(value_get_text(booster, "name", &name, reading->err));
    if (slice_is(name, "dart")) {
        TRY(value_get_numbers(booster, "weight_drop", SIZE_MAX, &weights, reading->err));
        TRY(value_get_object(booster, "gbtree", &booster, reading->err));
    } else if (!slice_is(name, "gbtree")) {
        fail(reading->err, STATUS_UNSUPPORTED,
             "models of XGBoost's booster \"%.*s\" are not read yet",
             SLICE_FORMAT(slice_prefix(name, 60)));
        return error_hint(reading->err, "Only the boosters gbtree and dart make trees.");
    }
    TRY(value_get_object(booster, "model", &model, reading->err));
    TRY(read_categories(reading, model));
    return read_trees(reading, model, weights);
}

static bool is_json(struct slice bytes)
{
    return bytes.size < 2 || bytes.data[0] != '{' || memchr("\" \t\r\n}", bytes.data[1], 6);
}

enum status xgboost_read(struct slice bytes, struct arena *arena, struct forest *forest,
                         struct error *err)
{
    struct reading reading = {.arena = arena, .forest = forest, .best_round = -1, .err = err};
    const struct value *learner, *booster, *attributes;
    struct value document;

    TRY(is_json(bytes) ? document_read_json(bytes, forest->stop, arena, &document, err)
                       : document_read_ubj(bytes, forest->stop, arena, &document, err));
    if (value_member(&document, "tree_info")) {
        fail(err, STATUS_UNSUPPORTED, "LightGBM's dump_model wrote it, which cannot be read back");
        return error_hint(err, "save_model('m.txt') writes one.");
    }
    TRY(value_get_object(&document, "learner", &learner, err));
    attributes = value_member(learner, "attributes");
    reading.has_our_words = value_member(attributes, XGBOOST_ATTRIBUTE) != NULL;
    if (value_member(attributes, "best_iteration"))
        TRY(value_get_integer(attributes, "best_iteration", 0, INT32_MAX, &reading.best_round,
                              err));
    TRY(read_objective(&reading, learner));
    TRY(read_parameters(&reading, learner));
    TRY(read_names(&reading, learner));
    TRY(value_get_object(learner, "gradient_booster", &booster, err));
    return read_booster(&reading, booster);
}
