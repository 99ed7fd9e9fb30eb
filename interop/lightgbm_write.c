#include "interop/lightgbm_write.h"

#include <math.h>
#include <string.h>

#include "interop/documents/document_write.h"
#include "interop/forest.h"
#include "interop/model_features.h"

#define CATEGORICAL  1 /* bits of decision_type */
#define DEFAULT_LEFT 2
#define MISSING_NAN  8
#define FAR_BELOW    -1e300 /* no float is as low; LightGBM knows no infinity */

/* One tree, as the lists that LightGBM has of it. */
struct lists {
    uint32_t *nodes; /* the model's nodes, by place among the tree's inner nodes */
    uint32_t *leaves;
    int64_t *left, *right; /* an inner node, or -1 - a leaf */
    struct text thresholds, decisions, boundaries, words;
    uint32_t inner, leaf_count, sets;
};

struct writing {
    struct text *out;
    const struct model *model;
    const struct trees_model *trees;
    struct model_features features;
    struct forest_order order;
    struct lists lists;
    struct arena *arena;
    struct error *err;
    struct stop_watch watch;
};

/* ----- a tree ----- */

/* The greatest double whose float is below: half-way to it at most, where a tie goes to the float
 * with an even mantissa. */
static double threshold_of(float below)
{
    const float before = nextafterf(below, -INFINITY);
    double middle;

    if (isinf(before))
        return FAR_BELOW;
    if (isinf(below))
        return (double)before;
    middle = ((double)before + (double)below) / 2;
    return (float)middle < below ? middle : nextafter(middle, -(double)INFINITY);
}

/* Bits of the codes, 32 in a word. */
static void put_set(struct writing *writing, const float *node, bool is_others)
{
    struct lists *lists = &writing->lists;
    const uint32_t codes = writing->features.of[model_feature_of(&writing->features, node)].codes;
    uint32_t words = (codes + 31) / 32, written = 0;

    for (uint32_t i = 0; i < words && !stop_seen(&writing->watch); i++) {
        uint32_t bits = 0;

        for (uint32_t code = 32 * i; code < codes && code < 32 * i + 32; code++)
            if (forest_set_has(writing->trees, node, code) != is_others)
                bits |= 1u << code % 32;
        text_append(&lists->words, (struct slice){(const char *)&bits, sizeof bits});
        written++;
    }
    for (; written == 0; written++) /* LightGBM's sets have a word at least */
        text_append(&lists->words, (struct slice){"\0\0\0", 4});
    lists->sets++;
    text_printf(&lists->boundaries, " %zu", lists->words.size / sizeof(uint32_t));
}

static enum status put_test(struct writing *writing, const float *node, bool *is_swapped)
{
    struct lists *lists = &writing->lists;
    const bool missing_left = node[NODE_MISSING_LEFT] != 0;

    *is_swapped = false;
    if (node[NODE_TEST] == NODE_BELOW) {
        const struct transform_input *input =
            writing->features.of[model_feature_of(&writing->features, node)].input;

        text_append_char(&lists->thresholds, ' ');
        text_append_real(&lists->thresholds, threshold_of(node[NODE_VALUE]) + input->mean);
        text_printf(&lists->decisions, " %d", MISSING_NAN + (missing_left ? DEFAULT_LEFT : 0));
        return STATUS_OK;
    }
    if (node[NODE_TEST] == NODE_IS_IN && missing_left)
        return fail(
            writing->err, STATUS_UNSUPPORTED,
            "column \"%.*s\" is a code whose missing values go with those in a set, which "
            "LightGBM's files cannot express",
            SLICE_FORMAT(
                writing->features.of[model_feature_of(&writing->features, node)].input->spec.name));
    text_printf(&lists->thresholds, " %u", lists->sets);
    text_printf(&lists->decisions, " %d", CATEGORICAL);
    put_set(writing, node, missing_left);
    *is_swapped = missing_left;
    return STATUS_OK;
}

/* The child's number there: inner nodes and leaves are numbered apart. */
static int64_t number_child(struct writing *writing, uint32_t tree, uint32_t child)
{
    struct lists *lists = &writing->lists;

    if (forest_node_at(writing->trees, tree, child)[NODE_TEST] == NODE_LEAF) {
        lists->leaves[lists->leaf_count] = child;
        return -1 - (int64_t)lists->leaf_count++;
    }
    lists->nodes[lists->inner] = child;
    return lists->inner++;
}

static enum status list_tree(struct writing *writing, uint32_t tree)
{
    struct lists *lists = &writing->lists;

    lists->inner = lists->leaf_count = lists->sets = 0;
    text_clear(&lists->thresholds);
    text_clear(&lists->decisions);
    text_clear(&lists->boundaries);
    text_clear(&lists->words);
    number_child(writing, tree, 0);
    for (uint32_t i = 0; i < lists->inner && !stop_seen(&writing->watch); i++) {
        const float *node = forest_node_at(writing->trees, tree, lists->nodes[i]);
        const uint32_t left = (uint32_t)node[NODE_LEFT];
        bool is_swapped;

        TRY(put_test(writing, node, &is_swapped));
        lists->left[i] = number_child(writing, tree, left + is_swapped);
        lists->right[i] = number_child(writing, tree, left + !is_swapped);
    }
    return STATUS_OK;
}

static void put_number(struct text *out, double value)
{
    text_append_char(out, ' ');
    text_append_real(out, value);
}

/* `key=` and a list whose first blank goes. */
static void put_list(struct text *out, const char *key, const struct text *list)
{
    text_append_string(out, key);
    if (list->size > 0)
        text_append(out, (struct slice){list->data + 1, list->size - 1});
    text_append_char(out, '\n');
}

static void put_inner(struct writing *writing, uint32_t tree, const char *key,
                      enum node_number number, struct text *out)
{
    const struct lists *lists = &writing->lists;
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < lists->inner && !stop_seen(&writing->watch); i++) {
        const float *node = forest_node_at(writing->trees, tree, lists->nodes[i]);
        put_number(&list, number == NODE_COLUMN ? (double)model_feature_of(&writing->features, node)
                                                : (double)node[number]);
    }
    put_list(out, key, &list);
    out->failed |= list.failed;
    text_deinit(&list);
}

/* Counts of rows are not known; SHAP values want some, and the hessians are in their proportion. */
static double count_of(float cover)
{
    return cover >= 1 ? round((double)cover) : 1;
}

static void put_leaves(struct writing *writing, uint32_t tree, double added, struct text *out)
{
    const struct lists *lists = &writing->lists;
    struct text values, weights, counts;

    text_init(&values, TEXT_MAXIMUM);
    text_init(&weights, TEXT_MAXIMUM);
    text_init(&counts, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < lists->leaf_count && !stop_seen(&writing->watch); i++) {
        const float *leaf = forest_node_at(writing->trees, tree, lists->leaves[i]);
        put_number(&values, (double)leaf[NODE_VALUE] + added);
        put_number(&weights, (double)leaf[NODE_COVER]);
        put_number(&counts, count_of(leaf[NODE_COVER]));
    }
    put_list(out, "leaf_value=", &values);
    put_list(out, "leaf_weight=", &weights);
    put_list(out, "leaf_count=", &counts);
    out->failed |= values.failed || weights.failed || counts.failed;
    text_deinit(&values);
    text_deinit(&weights);
    text_deinit(&counts);
}

static void put_children(struct writing *writing, const char *key, const int64_t *children,
                         struct text *out)
{
    text_append_string(out, key);
    for (uint32_t i = 0; i < writing->lists.inner && !stop_seen(&writing->watch); i++)
        text_printf(out, i ? " %lld" : "%lld", (long long)children[i]);
    text_append_char(out, '\n');
}

static void put_sets(struct writing *writing, struct text *out)
{
    const struct lists *lists = &writing->lists;
    const uint32_t *words = (const uint32_t *)(void *)lists->words.data;

    if (lists->sets == 0)
        return;
    text_append_string(out, "cat_boundaries=0");
    text_append(out, text_slice(&lists->boundaries));
    text_append_string(out, "\ncat_threshold=");
    for (size_t i = 0; i < lists->words.size / sizeof *words && !stop_seen(&writing->watch); i++)
        text_printf(out, i ? " %u" : "%u", words[i]);
    text_append_char(out, '\n');
}

static enum status put_tree(struct writing *writing, uint32_t tree, double added, uint32_t number,
                            struct text *out)
{
    struct lists *lists = &writing->lists;

    if (tree == FOREST_NO_TREE) {
        text_printf(out,
                    "Tree=%u\nnum_leaves=1\nnum_cat=0\nsplit_feature=\nsplit_gain=\n"
                    "threshold=\ndecision_type=\nleft_child=\nright_child=\nleaf_value=",
                    number);
        text_append_real(out, added);
        text_append_string(out,
                           "\nleaf_weight=0\nleaf_count=1\ninternal_value=\n"
                           "internal_weight=\ninternal_count=\nis_linear=0\nshrinkage=1\n\n\n");
        return STATUS_OK;
    }
    TRY(list_tree(writing, tree));
    text_printf(out, "Tree=%u\nnum_leaves=%u\nnum_cat=%u\n", number, lists->leaf_count,
                lists->sets);
    put_inner(writing, tree, "split_feature=", NODE_COLUMN, out);
    put_inner(writing, tree, "split_gain=", NODE_GAIN, out);
    put_list(out, "threshold=", &lists->thresholds);
    put_list(out, "decision_type=", &lists->decisions);
    put_children(writing, "left_child=", lists->left, out);
    put_children(writing, "right_child=", lists->right, out);
    put_leaves(writing, tree, added, out);
    text_append_string(out, "internal_value=");
    for (uint32_t i = 0; i < lists->inner && !stop_seen(&writing->watch); i++)
        text_append_string(out, i ? " 0" : "0");
    text_append_char(out, '\n');
    put_inner(writing, tree, "internal_weight=", NODE_COVER, out);
    text_append_string(out, "internal_count=");
    for (uint32_t i = 0; i < lists->inner && !stop_seen(&writing->watch); i++)
        text_printf(out, i ? " %.0f" : "%.0f",
                    count_of(forest_node_at(writing->trees, tree, lists->nodes[i])[NODE_COVER]));
    text_append_char(out, '\n');
    put_sets(writing, out);
    text_append_string(out, "is_linear=0\nshrinkage=1\n\n\n");
    return STATUS_OK;
}

/* ----- names and words ----- */

static void put_name(struct text *out, struct slice name)
{
    for (size_t i = 0; i < name.size; i++) {
        const unsigned char c = (unsigned char)name.data[i];
        text_append_char(out, c <= ' ' || strchr("\",:[]{}", c) ? '_' : (char)c);
    }
}

/* Names of two features may have become one. */
static void put_names(struct writing *writing)
{
    const struct model_features *features = &writing->features;
    struct slice *names = ARENA_NEW(writing->arena, struct slice, features->count);
    struct text name;

    text_init(&name, TEXT_MAXIMUM);
    text_append_string(writing->out, "feature_names=");
    for (uint32_t i = 0; names && i < features->count; i++) {
        text_clear(&name);
        put_name(&name, features->of[i].input->spec.name);
        for (uint32_t j = 0; j < i; j++)
            if (slice_equal(names[j], text_slice(&name))) {
                text_printf(&name, "_%u", i);
                j = UINT32_MAX;
            }
        names[i] = arena_copy(writing->arena, text_slice(&name));
        if (i > 0)
            text_append_char(writing->out, ' ');
        text_append(writing->out, names[i]);
    }
    writing->out->failed |= !names || name.failed;
    text_append_string(writing->out, "\nfeature_infos=");
    text_deinit(&name);
}

static void put_infos(struct writing *writing)
{
    struct text *out = writing->out;

    for (uint32_t i = 0; i < writing->features.count; i++) {
        const struct model_feature *feature = &writing->features.of[i];

        if (i > 0)
            text_append_char(out, ' ');
        if (!feature->is_category)
            text_append_string(out, "[-inf:inf]");
        else if (feature->codes == 0)
            text_append_string(out, "none");
        for (uint32_t code = 0; feature->is_category && code < feature->codes; code++)
            text_printf(out, code ? ":%u" : "%u", code);
    }
    text_append_char(out, '\n');
}

static bool is_utf8(struct slice word)
{
    for (size_t at = 0, more; at < word.size; at += more) {
        more = utf8_sequence(word.data + at, word.size - at);
        if (more == 0 || word.data[at] == '\0')
            return false;
    }
    return true;
}

/* Codes alone where not each of them has a word that JSON can hold. */
static bool has_words(const struct model_features *features)
{
    bool has = false;

    for (uint32_t i = 0; i < features->count; i++) {
        const struct model_feature *feature = &features->of[i];

        if (!feature->is_category)
            continue;
        has = true;
        if (feature->codes != feature->input->word_count)
            return false;
        for (uint32_t j = 0; j < feature->codes; j++)
            if (!is_utf8(feature->input->words[j]))
                return false;
    }
    return has;
}

static void put_words(struct writing *writing)
{
    struct document_writer writer = {.out = writing->out};

    text_append_string(writing->out, "\npandas_categorical:");
    if (!has_words(&writing->features)) {
        text_append_string(writing->out, "null\n");
        return;
    }
    write_begin(&writer, NULL, WRITE_LIST, 0);
    for (uint32_t i = 0; i < writing->features.count; i++) {
        const struct model_feature *feature = &writing->features.of[i];

        if (!feature->is_category)
            continue;
        write_begin(&writer, NULL, WRITE_LIST, 0);
        for (uint32_t j = 0; j < feature->codes; j++)
            write_text(&writer, NULL, feature->input->words[j]);
        write_end(&writer, WRITE_LIST);
    }
    write_end(&writer, WRITE_LIST);
    text_append_char(writing->out, '\n');
}

/* ----- the whole ----- */

static void put_objective(struct writing *writing)
{
    const uint32_t outputs = writing->trees->outputs;
    const enum trees_link link = writing->trees->link;

    if (writing->model->task != TASK_CLASSIFICATION)
        text_printf(writing->out, "objective=%s\n",
                    link == TREES_LINK_EXP        ? "poisson"
                    : link == TREES_LINK_LOGISTIC ? "cross_entropy"
                                                  : "regression");
    else if (outputs == 1)
        text_append_string(writing->out, "objective=binary sigmoid:1\n");
    else
        text_printf(writing->out, "objective=multiclass num_class:%u\n", outputs);
}

static enum status put_trees(struct writing *writing, struct text *trees)
{
    const uint32_t outputs = writing->trees->outputs;

    text_append_string(writing->out, "tree_sizes=");
    for (uint32_t i = 0; i < writing->order.rounds * outputs; i++) {
        const size_t before = trees->size;

        (void)stop_seen(&writing->watch);
        TRY(put_tree(writing, writing->order.trees[i],
                     i < outputs ? (double)writing->trees->base[i] + model_origin(writing->model)
                                 : 0,
                     i, trees));
        TRY(stop_heed(&writing->watch, writing->err));
        text_printf(writing->out, i ? " %zu" : "%zu", trees->size - before);
    }
    text_append_string(writing->out, "\n\n");
    text_append(writing->out, text_slice(trees));
    writing->out->failed |= trees->failed;
    return STATUS_OK;
}

static enum status write_all(struct writing *writing)
{
    const uint32_t outputs = writing->trees->outputs;
    struct text trees;
    enum status status;

    text_printf(writing->out,
                "tree\nversion=v4\nnum_class=%u\nnum_tree_per_iteration=%u\nlabel_index=0\n"
                "max_feature_idx=%u\n",
                outputs, outputs, writing->features.count - 1);
    put_objective(writing);
    put_names(writing);
    put_infos(writing);
    text_init(&trees, writing->out->maximum);
    status = put_trees(writing, &trees);
    text_deinit(&trees);
    text_printf(writing->out,
                "end of trees\n\nfeature_importances:\n\nparameters:\n[boosting: gbdt]\n"
                "[objective: %s]\n[num_class: %u]\n\nend of parameters\n",
                writing->model->task != TASK_CLASSIFICATION ? "regression"
                : outputs == 1                              ? "binary"
                                                            : "multiclass",
                outputs);
    put_words(writing);
    return status;
}

static enum status check_outputs(const struct model *model, struct error *err)
{
    if (model->aim.quantile_count < 2)
        return STATUS_OK;
    fail(err, STATUS_UNSUPPORTED,
         "the model has %u quantiles, and a file of LightGBM's has one (its alpha)",
         model->aim.quantile_count);
    return error_hint(err, "XGBoost's files have several: FORMAT xgboost. For LightGBM train a "
                           "model of each quantile.");
}

enum status lightgbm_write(const struct model *model, const struct stop *stop, struct text *out,
                           struct error *err)
{
    struct arena arena;
    struct writing writing = {.out = out,
                              .model = model,
                              .trees = model->content,
                              .arena = &arena,
                              .err = err,
                              .watch = {.stop = stop}};
    struct lists *lists = &writing.lists;
    struct text *const texts[] = {&lists->thresholds, &lists->decisions, &lists->boundaries,
                                  &lists->words};
    uint32_t most = 1;
    enum status status;

    TRY(check_outputs(model, err));
    for (uint32_t i = 0; i < writing.trees->tree_count; i++)
        if (forest_tree_nodes(writing.trees, i) > most)
            most = forest_tree_nodes(writing.trees, i);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_init(texts[i], TEXT_MAXIMUM);
    arena_init(&arena, TEXT_MAXIMUM);
    lists->nodes = ARENA_NEW(&arena, uint32_t, most);
    lists->leaves = ARENA_NEW(&arena, uint32_t, most);
    lists->left = ARENA_NEW(&arena, int64_t, most);
    lists->right = ARENA_NEW(&arena, int64_t, most);
    status = lists->nodes && lists->leaves && lists->left && lists->right ? STATUS_OK
                                                                          : fail_no_memory(err);
    if (status == STATUS_OK)
        status = model_features_find(model, &arena, &writing.features, err);
    if (status == STATUS_OK)
        status = forest_order(writing.trees, &arena, &writing.order, err);
    if (status == STATUS_OK)
        status = write_all(&writing);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        out->failed |= texts[i]->failed;
        text_deinit(texts[i]);
    }
    arena_deinit(&arena);
    if (status == STATUS_OK && out->failed)
        status = fail(err, STATUS_LIMIT, "the file would have more than %zu bytes", out->maximum);
    return status;
}
