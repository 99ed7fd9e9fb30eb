#include "interop/lightgbm_read.h"

#include <math.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "interop/documents/document_json.h"

#define CATEGORICAL   1 /* bits of decision_type */
#define DEFAULT_LEFT  2
#define MISSING_TYPES 12
#define MISSING_ZERO  4
#define MISSING_NAN   8
#define ZERO_MOST     1e-35 /* LightGBM takes what is nearer to 0 for 0 */

struct objective {
    const char *name, *estimator;
    enum task task;
    bool has_classes; /* more than two */
    enum trees_link link;
};

static const struct objective objectives[] = {
    {"binary", "LGBMClassifier", TASK_CLASSIFICATION, false, TREES_LINK_NONE},
    {"multiclass", "LGBMClassifier", TASK_CLASSIFICATION, true, TREES_LINK_NONE},
    {"regression", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_NONE},
    {"regression_l1", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_NONE},
    {"huber", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_NONE},
    {"fair", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_NONE},
    {"quantile", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_NONE},
    {"mape", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_NONE},
    {"poisson", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_EXP},
    {"gamma", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_EXP},
    {"tweedie", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_EXP},
    {"cross_entropy", "LGBMRegressor", TASK_REGRESSION, false, TREES_LINK_LOGISTIC},
    {"lambdarank", "LGBMRanker", TASK_REGRESSION, false, TREES_LINK_NONE},
    {"rank_xendcg", "LGBMRanker", TASK_REGRESSION, false, TREES_LINK_NONE},
};

enum header_key { TREES_A_ROUND, LAST_FEATURE, OBJECTIVE, NAMES, INFOS, HEADERS };
static const char *const header_keys[HEADERS] = {"num_tree_per_iteration", "max_feature_idx",
                                                 "objective", "feature_names", "feature_infos"};

enum tree_key {
    LEAVES,
    SETS,
    FEATURE,
    GAIN,
    THRESHOLD,
    DECISION,
    LEFT,
    RIGHT,
    LEAF_VALUE,
    LEAF_WEIGHT,
    INNER_WEIGHT,
    BOUNDARIES,
    SET_WORDS,
    IS_LINEAR,
    TREE_KEYS
};
static const char *const tree_keys[TREE_KEYS] = {
    "num_leaves",      "num_cat",        "split_feature", "split_gain", "threshold",
    "decision_type",   "left_child",     "right_child",   "leaf_value", "leaf_weight",
    "internal_weight", "cat_boundaries", "cat_threshold", "is_linear"};

struct reading {
    struct slice rest; /* lines that are not read yet */
    struct slice header[HEADERS];
    bool is_average;
    double factor; /* factor of each leaf */
    uint32_t trees;
    struct arena *arena;
    struct forest *forest;
    struct error *err;
};

/* ----- lines ----- */

static bool take_line(struct slice *rest, struct slice *line)
{
    const char *end = rest->size ? memchr(rest->data, '\n', rest->size) : NULL;
    const size_t size = end ? (size_t)(end - rest->data) : rest->size;

    if (rest->size == 0)
        return false;
    *line = (struct slice){rest->data, size};
    rest->data += end ? size + 1 : size;
    rest->size -= end ? size + 1 : size;
    if (line->size > 0 && line->data[line->size - 1] == '\r')
        line->size--;
    return true;
}

static bool begins(struct slice line, const char *with)
{
    return line.size >= strlen(with) && memcmp(line.data, with, strlen(with)) == 0;
}

/* A line `key=value` of one of these keys. */
static void keep_value(struct slice line, const char *const *keys, size_t count,
                       struct slice *values)
{
    const char *sign = line.size ? memchr(line.data, '=', line.size) : NULL;

    for (size_t i = 0; sign && i < count; i++)
        if (slice_is((struct slice){line.data, (size_t)(sign - line.data)}, keys[i]))
            values[i] = (struct slice){sign + 1, line.size - (size_t)(sign - line.data) - 1};
}

/* The next of words that blanks stand between. */
static bool take_word(struct slice *rest, struct slice *word)
{
    while (rest->size > 0 && *rest->data == ' ') {
        rest->data++;
        rest->size--;
    }
    *word = (struct slice){rest->data, 0};
    while (rest->size > 0 && *rest->data != ' ') {
        rest->data++;
        rest->size--;
        word->size++;
    }
    return word->size > 0;
}

static enum status get_integer(struct slice text, const char *key, int64_t least, int64_t most,
                               int64_t *value, struct error *err)
{
    if (slice_to_integer(slice_trim(text), value) && *value >= least && *value <= most)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "%s: expected an integer from %lld to %lld, found \"%.*s\"",
                key, (long long)least, (long long)most, SLICE_FORMAT(slice_prefix(text, 40)));
}

static bool read_real(struct slice word, double *value)
{
    if (slice_to_real(word, value))
        return true;
    *value = slice_is(word, "inf")    ? (double)INFINITY
             : slice_is(word, "-inf") ? -(double)INFINITY
                                      : (double)NAN;
    return !isnan(*value) || slice_is(word, "nan") || slice_is(word, "-nan");
}

/* So many numbers; none at all where the key may be missing. A number and its blank take two
 * bytes at least. */
static enum status get_numbers(struct reading *reading, struct arena *arena,
                               const struct slice *values, enum tree_key key, size_t count,
                               bool may_miss, double **numbers)
{
    struct slice rest = values[key], word;
    size_t i = 0;

    if ((rest.size + 1) / 2 < count && !(may_miss && rest.size == 0))
        return fail(reading->err, STATUS_CORRUPT, "%s: expected %zu numbers", tree_keys[key],
                    count);
    *numbers = ARENA_NEW(arena, double, count);
    if (!*numbers)
        return fail_no_memory(reading->err);
    for (; i < count && take_word(&rest, &word); i++)
        if (!read_real(word, &(*numbers)[i]))
            return fail(reading->err, STATUS_CORRUPT, "%s: \"%.*s\" is no number", tree_keys[key],
                        SLICE_FORMAT(slice_prefix(word, 40)));
    if ((i == count && !take_word(&rest, &word)) || (may_miss && i == 0))
        return STATUS_OK;
    return fail(reading->err, STATUS_CORRUPT, "%s: expected %zu numbers", tree_keys[key], count);
}

/* ----- the header ----- */

static enum status read_objective(struct reading *reading)
{
    struct forest *forest = reading->forest;
    struct slice rest = reading->header[OBJECTIVE], name, word;
    const struct objective *objective = NULL;
    double sigmoid = 1;

    if (!take_word(&rest, &name))
        name = SLICE("regression"); /* a function of the user's: predictions are the sums */
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++)
        if (slice_is(name, objectives[i].name))
            objective = &objectives[i];
    while (objective && take_word(&rest, &word)) {
        if (slice_is(word, "sqrt"))
            objective = NULL;
        else if (begins(word, "sigmoid:") &&
                 !(slice_to_real((struct slice){word.data + 8, word.size - 8}, &sigmoid) &&
                   sigmoid > 0))
            return fail(reading->err, STATUS_CORRUPT, "objective: \"%.*s\" is no number above 0",
                        SLICE_FORMAT(slice_prefix(word, 40)));
    }
    if (!objective || objective->has_classes != (forest->outputs > 1))
        return fail(reading->err, STATUS_UNSUPPORTED,
                    "models of LightGBM's objective \"%.*s\" of %u outputs are not read yet",
                    SLICE_FORMAT(slice_prefix(reading->header[OBJECTIVE], 60)), forest->outputs);
    forest->estimator = objective->estimator;
    forest->task = objective->task;
    forest->link = objective->link;
    forest->classes = objective->task == TASK_REGRESSION ? 0
                      : forest->outputs > 1              ? forest->outputs
                                                         : 2;
    reading->factor = slice_is(name, "binary") ? sigmoid : 1;
    return STATUS_OK;
}

static enum status read_names(struct reading *reading)
{
    struct forest *forest = reading->forest;
    struct slice rest = reading->header[NAMES], word;

    for (uint32_t i = 0; i < forest->feature_count; i++)
        if (!take_word(&rest, &forest->features[i].name))
            return fail(reading->err, STATUS_CORRUPT, "%u names for %u features", i,
                        forest->feature_count);
    return take_word(&rest, &word) ? fail(reading->err, STATUS_CORRUPT,
                                          "more names than the %u features", forest->feature_count)
                                   : STATUS_OK;
}

/* Files of 2.x go on with the importance of the features at once. */
static bool ends_trees(struct slice line)
{
    return slice_is(line, "end of trees") || slice_is(line, "feature importances:") ||
           slice_is(line, "feature_importances:");
}

static enum status read_header(struct reading *reading)
{
    struct forest *forest = reading->forest;
    int64_t outputs, last;
    struct slice line, before = reading->rest;

    if (!take_line(&reading->rest, &line) || !slice_is(line, "tree"))
        return fail(reading->err, STATUS_CORRUPT, "the first line is not \"tree\"");
    while (before = reading->rest,
           take_line(&reading->rest, &line) && !begins(line, "Tree=") && !ends_trees(line)) {
        keep_value(line, header_keys, HEADERS, reading->header);
        reading->is_average |= slice_is(line, "average_output");
    }
    reading->rest = before;
    TRY(get_integer(reading->header[TREES_A_ROUND], "num_tree_per_iteration", 1, CLASSES_MAX,
                    &outputs, reading->err));
    TRY(get_integer(reading->header[LAST_FEATURE], "max_feature_idx", 0, UINT32_MAX, &last,
                    reading->err));
    if (last >= MODEL_INPUTS_MAX)
        return fail(reading->err, STATUS_UNSUPPORTED,
                    "the model has %lld features, where models have at most %d inputs",
                    (long long)last + 1, MODEL_INPUTS_MAX);
    forest->has_doubles = true;
    forest->outputs = (uint32_t)outputs;
    forest->feature_count = (uint32_t)last + 1;
    forest->base = ARENA_NEW(reading->arena, double, forest->outputs);
    forest->features = ARENA_NEW(reading->arena, struct forest_feature, forest->feature_count);
    if (!forest->base || !forest->features)
        return fail_no_memory(reading->err);
    TRY(read_objective(reading));
    return read_names(reading);
}

/* ----- trees ----- */

struct tree {
    struct slice values[TREE_KEYS];
    double *feature, *gain, *threshold, *decision, *left, *right;
    double *leaf_value, *leaf_weight, *inner_weight, *boundaries, *words;
    int64_t leaves, sets;
    size_t word_count;
    struct arena arena;
};

static enum status find_lists(struct reading *reading, struct tree *tree)
{
    const size_t leaves = (size_t)tree->leaves, inner = leaves - 1, sets = (size_t)tree->sets;
    const struct slice *values = tree->values;
    struct arena *arena = &tree->arena;

    TRY(get_numbers(reading, arena, values, LEAF_VALUE, leaves, false, &tree->leaf_value));
    TRY(get_numbers(reading, arena, values, LEAF_WEIGHT, leaves, true, &tree->leaf_weight));
    TRY(get_numbers(reading, arena, values, FEATURE, inner, false, &tree->feature));
    TRY(get_numbers(reading, arena, values, GAIN, inner, true, &tree->gain));
    TRY(get_numbers(reading, arena, values, THRESHOLD, inner, false, &tree->threshold));
    TRY(get_numbers(reading, arena, values, DECISION, inner, false, &tree->decision));
    TRY(get_numbers(reading, arena, values, LEFT, inner, false, &tree->left));
    TRY(get_numbers(reading, arena, values, RIGHT, inner, false, &tree->right));
    TRY(get_numbers(reading, arena, values, INNER_WEIGHT, inner, true, &tree->inner_weight));
    if (sets == 0)
        return STATUS_OK;
    TRY(get_numbers(reading, arena, values, BOUNDARIES, sets + 1, false, &tree->boundaries));
    if (!(tree->boundaries[sets] >= 0 && tree->boundaries[sets] < 0x1p31))
        return fail(reading->err, STATUS_CORRUPT, "cat_boundaries ends with %g",
                    tree->boundaries[sets]);
    tree->word_count = (size_t)tree->boundaries[sets];
    return get_numbers(reading, arena, values, SET_WORDS, tree->word_count, false, &tree->words);
}

/* Inner nodes come first, then the leaves. */
static int64_t place_of(double child, int64_t leaves)
{
    if (child >= 0 && child < 0x1p31)
        return (int64_t)child;
    return child < 0 && child >= -0x1p31 ? leaves - 1 + (-1 - (int64_t)child) : -1;
}

static enum status read_set(struct reading *reading, const struct tree *tree, double number,
                            struct forest_node *node)
{
    struct arena arena;
    double *codes, first, end;
    size_t count = 0, words;
    enum status status;

    if (!(number >= 0 && number < (double)tree->sets))
        return fail(reading->err, STATUS_CORRUPT, "there is no set %g of categories", number);
    first = tree->boundaries[(size_t)number];
    end = tree->boundaries[(size_t)number + 1];
    if (!(first >= 0 && end >= first && end <= (double)tree->word_count))
        return fail(reading->err, STATUS_CORRUPT, "set %g of categories has no place", number);
    words = (size_t)end - (size_t)first;
    arena_init(&arena, SIZE_MAX);
    codes = ARENA_NEW(&arena, double, 32 * words);
    for (size_t i = 0; codes && i < words; i++) {
        const double word = tree->words[(size_t)first + i];
        const uint32_t bits = word >= 0 && word < 0x1p32 ? (uint32_t)word : 0;

        for (size_t bit = 0; bit < 32; bit++)
            if (bits >> bit & 1)
                codes[count++] = (double)(32 * i + bit);
    }
    status = codes ? forest_add_set(reading->forest, codes, count, &node->set, &node->set_rows,
                                    reading->err)
                   : fail_no_memory(reading->err);
    arena_deinit(&arena);
    return status;
}

static enum status read_comparison(struct reading *reading, double threshold, unsigned decision,
                                   struct forest_node *node)
{
    const bool default_left = decision & DEFAULT_LEFT, zero_left = 0 <= threshold;

    node->test = NODE_BELOW;
    node->value = (float)threshold;
    node->exact = threshold;
    if ((decision & MISSING_TYPES) == MISSING_NAN) {
        node->missing_left = default_left;
        return STATUS_OK;
    }
    /* A missing value counts as 0. */
    node->missing_left = zero_left;
    if ((decision & MISSING_TYPES) == MISSING_ZERO &&
        (default_left != zero_left || fabs(threshold) < ZERO_MOST))
        return fail(
            reading->err, STATUS_UNSUPPORTED,
            "nodes that treat a zero as a missing value (zero_as_missing) are not read yet");
    return STATUS_OK;
}

static enum status read_inner(struct reading *reading, const struct tree *tree, size_t i,
                              struct forest_node *node)
{
    const double decision = tree->decision[i], feature = tree->feature[i];

    if (!(feature >= 0 && feature < reading->forest->feature_count))
        return fail(reading->err, STATUS_CORRUPT, "node %zu: there is no feature %g", i, feature);
    if (!(decision >= 0 && decision < 16))
        return fail(reading->err, STATUS_CORRUPT, "node %zu: decision_type %g", i, decision);
    *node = (struct forest_node){.test = NODE_IS_IN,
                                 .feature = (uint32_t)feature,
                                 .left = place_of(tree->left[i], tree->leaves),
                                 .right = place_of(tree->right[i], tree->leaves),
                                 .gain = (float)tree->gain[i],
                                 .cover = (float)tree->inner_weight[i]};
    if ((unsigned)decision & CATEGORICAL)
        return read_set(reading, tree, tree->threshold[i], node);
    if (isnan(tree->threshold[i]))
        return fail(reading->err, STATUS_CORRUPT, "node %zu: its threshold is no number", i);
    return read_comparison(reading, tree->threshold[i], (unsigned)decision, node);
}

static enum status build_tree(struct reading *reading, struct tree *tree, uint32_t output)
{
    const size_t leaves = (size_t)tree->leaves, inner = leaves - 1;
    struct forest_node *nodes;

    TRY(find_lists(reading, tree));
    nodes = ARENA_NEW(&tree->arena, struct forest_node, inner + leaves);
    if (!nodes)
        return fail_no_memory(reading->err);
    for (size_t i = 0; i < inner; i++)
        TRY(read_inner(reading, tree, i, &nodes[i]));
    for (size_t i = 0; i < leaves; i++)
        nodes[inner + i] =
            (struct forest_node){.test = NODE_LEAF,
                                 .value = (float)(tree->leaf_value[i] * reading->factor),
                                 .exact = tree->leaf_value[i] * reading->factor,
                                 .cover = (float)tree->leaf_weight[i]};
    return forest_add_tree(reading->forest, nodes, (uint32_t)(inner + leaves), output,
                           reading->err);
}

static enum status read_tree(struct reading *reading, const struct slice *values, uint32_t output)
{
    struct tree tree = {.leaves = 0};
    int64_t is_linear = 0;
    enum status status;

    memcpy(tree.values, values, sizeof tree.values);
    TRY(get_integer(values[LEAVES], "num_leaves", 1, TREES_NODES_MAX / 2, &tree.leaves,
                    reading->err));
    TRY(get_integer(values[SETS], "num_cat", 0, TREES_NODES_MAX, &tree.sets, reading->err));
    if (values[IS_LINEAR].size > 0)
        TRY(get_integer(values[IS_LINEAR], "is_linear", 0, 1, &is_linear, reading->err));
    if (is_linear)
        return fail(reading->err, STATUS_UNSUPPORTED, "linear trees are not read yet");
    arena_init(&tree.arena, SIZE_MAX);
    status = build_tree(reading, &tree, output);
    arena_deinit(&tree.arena);
    return status;
}

/* Which tree, before what was found in it. */
static enum status in_tree(struct error *err, uint32_t tree)
{
    const struct error found = *err;

    return fail(err, found.status, "tree %u: %.480s", tree, found.message);
}

static uint32_t count_trees(struct slice rest)
{
    struct slice line;
    uint32_t count = 0;

    while (take_line(&rest, &line) && !ends_trees(line))
        count += begins(line, "Tree=");
    return count;
}

static enum status read_trees(struct reading *reading)
{
    const uint32_t trees = count_trees(reading->rest), outputs = reading->forest->outputs;
    struct slice line = {"", 0};

    if (trees % outputs != 0)
        return fail(reading->err, STATUS_CORRUPT, "%u trees are no rounds of %u", trees, outputs);
    if (reading->is_average && trees > 0)
        reading->factor /= trees / outputs;
    if (!take_line(&reading->rest, &line))
        return fail(reading->err, STATUS_CORRUPT, "it ends before \"end of trees\"");
    for (uint32_t i = 0; begins(line, "Tree="); i++) {
        struct slice values[TREE_KEYS] = {{"", 0}};

        TRY(stop_ask(reading->forest->stop, reading->err));
        do {
            if (!take_line(&reading->rest, &line))
                return fail(reading->err, STATUS_CORRUPT, "it ends before \"end of trees\"");
            keep_value(line, tree_keys, TREE_KEYS, values);
        } while (!begins(line, "Tree=") && !ends_trees(line));
        if (read_tree(reading, values, i % outputs) != STATUS_OK)
            return in_tree(reading->err, i);
    }
    return STATUS_OK;
}

/* ----- words ----- */

/* The features that have categories, by the parameter or else by what their values were. */
static uint32_t find_categories(const struct reading *reading, struct slice parameter,
                                uint32_t *features)
{
    struct slice infos = reading->header[INFOS], info;
    uint32_t count = 0;

    for (size_t at = 0, end; at < parameter.size; at = end + 1) {
        int64_t feature;

        for (end = at; end < parameter.size && parameter.data[end] != ',';)
            end++;
        if (!slice_to_integer((struct slice){parameter.data + at, end - at}, &feature) ||
            feature < 0 || feature >= reading->forest->feature_count ||
            count == reading->forest->feature_count || (count && features[count - 1] >= feature))
            return 0;
        features[count++] = (uint32_t)feature;
    }
    for (uint32_t i = 0;
         parameter.size == 0 && i < reading->forest->feature_count && take_word(&infos, &info); i++)
        if (info.data[0] != '[' && !slice_is(info, "none"))
            features[count++] = i;
    return count;
}

static enum status keep_word(struct reading *reading, const struct cell *cell,
                             struct forest_feature *feature)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    bool is_null;

    TRY(cell_to_word(cell, feature->name, buffer, &word, &is_null, reading->err));
    word = arena_copy(reading->arena, word);
    if (!word.data)
        return fail_no_memory(reading->err);
    feature->words[feature->word_count++] = word;
    return STATUS_OK;
}

static enum status keep_words(struct reading *reading, const struct value *list,
                              struct forest_feature *feature)
{
    feature->words = ARENA_NEW(reading->arena, struct slice, list->count + 1);
    if (!feature->words)
        return fail_no_memory(reading->err);
    if (list->count > CATEGORY_WORDS_MAX)
        return fail(reading->err, STATUS_LIMIT, "feature \"%.*s\" has %zu words, at most %d",
                    SLICE_FORMAT(feature->name), list->count, CATEGORY_WORDS_MAX);
    for (size_t i = 0; i < list->count; i++) {
        struct cell cell = {.type = CELL_REAL};

        if (list->type == VALUE_NUMBERS) {
            cell.real = list->of.numbers[i];
        } else if (list->of.items[i].type == VALUE_TEXT) {
            cell.type = CELL_TEXT;
            cell.text = (struct slice){list->of.items[i].of.text, list->of.items[i].count};
        } else {
            return fail(reading->err, STATUS_CORRUPT,
                        "pandas_categorical: a word of \"%.*s\" is neither text nor number",
                        SLICE_FORMAT(feature->name));
        }
        TRY(keep_word(reading, &cell, feature));
    }
    return STATUS_OK;
}

/* Lists of words, one for each category, in their order. Where it cannot be told whose they are,
 * categories stay codes. */
static enum status read_words(struct reading *reading, struct slice json, struct slice parameter)
{
    struct forest *forest = reading->forest;
    uint32_t *features = ARENA_NEW(reading->arena, uint32_t, forest->feature_count);
    struct value lists;

    if (!features)
        return fail_no_memory(reading->err);
    TRY(document_read_json(json, forest->stop, reading->arena, &lists, reading->err));
    if (lists.type != VALUE_LIST || lists.count == 0 ||
        find_categories(reading, parameter, features) != lists.count)
        return STATUS_OK;
    for (size_t i = 0; i < lists.count; i++) {
        if (lists.of.items[i].type != VALUE_LIST && lists.of.items[i].type != VALUE_NUMBERS)
            return fail(reading->err, STATUS_CORRUPT, "pandas_categorical: no list of lists");
        TRY(keep_words(reading, &lists.of.items[i], &forest->features[features[i]]));
    }
    return STATUS_OK;
}

static enum status read_end(struct reading *reading)
{
    static const char words[] = "pandas_categorical:", category[] = "[categorical_feature: ";
    struct slice line, parameter = {"", 0};

    while (take_line(&reading->rest, &line)) {
        if (begins(line, category) && line.size > sizeof category)
            parameter =
                (struct slice){line.data + sizeof category - 1, line.size - sizeof category};
        if (begins(line, words))
            return read_words(
                reading, (struct slice){line.data + sizeof words - 1, line.size - sizeof words + 1},
                parameter);
    }
    return STATUS_OK;
}

enum status lightgbm_read(struct slice bytes, struct arena *arena, struct forest *forest,
                          struct error *err)
{
    struct reading reading = {
        .rest = bytes, .factor = 1, .arena = arena, .forest = forest, .err = err};

    for (size_t i = 0; i < HEADERS; i++)
        reading.header[i] = (struct slice){"", 0};
    if (bytes.size > LIGHTGBM_BYTES_MAX)
        return fail(err, STATUS_CORRUPT, "a text of %zu bytes, where at most %zu are read",
                    bytes.size, LIGHTGBM_BYTES_MAX);
    TRY(read_header(&reading));
    TRY(read_trees(&reading));
    return read_end(&reading);
}
