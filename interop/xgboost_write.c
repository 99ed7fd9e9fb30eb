#include "interop/xgboost_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interop/documents/document_write.h"
#include "interop/forest.h"
#include "interop/model_features.h"
#include "interop/xgboost_base.h"

#define NO_PARENT        INT32_MAX
#define BASE_NEAR_ENOUGH 2.5e-7 /* a quarter of what predictions may differ by */
#define LABEL_STEP_MOST  1e-4   /* a float's step, to the spread of predictions */

/* One tree, as the lists that XGBoost has of it. */
struct lists {
    int32_t *left, *right, *parent, *feature, *type, *default_left;
    int32_t *code_nodes, *code_first, *code_counts; /* nodes with categories, and their codes */
    float *condition, *gain, *cover, *weight;
    uint32_t *order; /* node of ours, by place in the file */
    struct text codes;
    uint32_t nodes, code_node_count;
};

struct writing {
    struct document_writer writer;
    const struct model *model;
    const struct trees_model *trees;
    struct model_features features;
    struct forest_order order;
    float base_score;
    double *left_over; /* (outputs): rest of the base, for the first round */
    struct lists lists;
    struct arena *arena;
    struct stop_watch watch;
};

/* ----- what is written instead of the base ----- */

static enum trees_link written_link(const struct model *model, const struct trees_model *trees)
{
    if (model->task == TASK_CLASSIFICATION)
        return trees->outputs == 1 ? TREES_LINK_LOGISTIC : TREES_LINK_NONE;
    return trees->link;
}

static enum status settle_base(struct writing *writing, struct error *err)
{
    const struct trees_model *trees = writing->trees;
    const enum trees_link link = written_link(writing->model, trees);
    bool is_one = true;
    double margin;

    writing->left_over = ARENA_NEW(writing->arena, double, trees->outputs);
    if (!writing->left_over)
        return fail_no_memory(err);
    for (uint32_t i = 1; i < trees->outputs; i++)
        is_one &= trees->base[i] == trees->base[0];
    writing->base_score =
        is_one ? xgboost_base_score((double)trees->base[0] + model_origin(writing->model), link)
               : 0;
    margin = xgboost_margin(writing->base_score, link);
    for (uint32_t i = 0; i < trees->outputs; i++) {
        const double left_over = (double)trees->base[i] + model_origin(writing->model) - margin;
        writing->left_over[i] = fabs(left_over) > BASE_NEAR_ENOUGH ? left_over : 0;
    }
    return STATUS_OK;
}

/* ----- a tree ----- */

static enum status lists_new(struct lists *lists, uint32_t most, struct arena *arena,
                             struct error *err)
{
    int32_t **const integers[] = {&lists->left,       &lists->right,      &lists->parent,
                                  &lists->feature,    &lists->type,       &lists->default_left,
                                  &lists->code_nodes, &lists->code_first, &lists->code_counts};
    float **const floats[] = {&lists->condition, &lists->gain, &lists->cover, &lists->weight};
    bool has_all = true;

    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        has_all &= (*integers[i] = ARENA_NEW(arena, int32_t, most)) != NULL;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        has_all &= (*floats[i] = ARENA_NEW(arena, float, most)) != NULL;
    lists->order = ARENA_NEW(arena, uint32_t, most);
    return has_all && lists->order ? STATUS_OK : fail_no_memory(err);
}

static void put_leaf(struct lists *lists, uint32_t at, float value, float cover)
{
    lists->left[at] = lists->right[at] = -1;
    lists->feature[at] = lists->type[at] = lists->default_left[at] = 0;
    lists->condition[at] = lists->weight[at] = value;
    lists->gain[at] = 0;
    lists->cover[at] = cover;
}

static void put_codes(struct writing *writing, const float *node, uint32_t at)
{
    struct lists *lists = &writing->lists;
    const uint32_t most = writing->features.of[model_feature_of(&writing->features, node)].codes,
                   i = lists->code_node_count++;
    const size_t before = lists->codes.size / sizeof(int32_t);

    for (int32_t code = 0; (uint32_t)code < most && !stop_seen(&writing->watch); code++)
        if (forest_set_has(writing->trees, node, (uint32_t)code))
            text_append(&lists->codes, (struct slice){(const char *)&code, sizeof code});
    /* XGBoost refuses an empty set: a code that no word has makes it none. */
    if (lists->codes.size / sizeof(int32_t) == before)
        text_append(&lists->codes, (struct slice){(const char *)&most, sizeof most});
    lists->code_nodes[i] = (int32_t)at;
    lists->code_first[i] = (int32_t)before;
    lists->code_counts[i] = (int32_t)(lists->codes.size / sizeof(int32_t) - before);
}

/* Children lie side by side there, too: XGBoost adds one to the left to find the right. */
static void put_split(struct writing *writing, const float *node, uint32_t at)
{
    struct lists *lists = &writing->lists;
    const bool has_set = node[NODE_TEST] != NODE_BELOW;
    const uint32_t left = (uint32_t)node[NODE_LEFT], child = lists->nodes;

    lists->order[child] = has_set ? left + 1 : left;
    lists->order[child + 1] = has_set ? left : left + 1;
    lists->parent[child] = lists->parent[child + 1] = (int32_t)at;
    lists->nodes += 2;
    lists->left[at] = (int32_t)child;
    lists->right[at] = (int32_t)child + 1;
    lists->feature[at] = (int32_t)model_feature_of(&writing->features, node);
    lists->type[at] = has_set;
    lists->default_left[at] = (node[NODE_MISSING_LEFT] != 0) != has_set;
    lists->condition[at] = has_set ? 0 : node[NODE_VALUE];
    lists->weight[at] = 0;
    lists->gain[at] = node[NODE_GAIN];
    lists->cover[at] = node[NODE_COVER];
    if (has_set)
        put_codes(writing, node, at);
}

static void list_tree(struct writing *writing, uint32_t tree, double added)
{
    struct lists *lists = &writing->lists;

    lists->nodes = 1;
    lists->code_node_count = 0;
    text_clear(&lists->codes);
    lists->order[0] = 0;
    lists->parent[0] = NO_PARENT;
    if (tree == FOREST_NO_TREE) {
        put_leaf(lists, 0, (float)added, 0);
        return;
    }
    for (uint32_t i = 0; i < lists->nodes && !stop_seen(&writing->watch); i++) {
        const float *node = forest_node_at(writing->trees, tree, lists->order[i]);
        if (node[NODE_TEST] == NODE_LEAF)
            put_leaf(lists, i, (float)((double)node[NODE_VALUE] + added), node[NODE_COVER]);
        else
            put_split(writing, node, i);
    }
}

static void write_number_text(struct document_writer *writer, const char *name, uint32_t number)
{
    char digits[16];

    snprintf(digits, sizeof digits, "%u", number);
    write_text(writer, name, slice_of(digits));
}

static void write_tree(struct writing *writing, uint32_t tree, double added, uint32_t id)
{
    struct document_writer *writer = &writing->writer;
    struct lists *lists = &writing->lists;
    uint32_t count, sets;

    list_tree(writing, tree, added);
    count = lists->nodes;
    sets = lists->code_node_count;
    write_begin(writer, NULL, WRITE_OBJECT, 0);
    write_floats(writer, "base_weights", lists->weight, count);
    write_integers(writer, "categories", 'l', (const int32_t *)(void *)lists->codes.data,
                   lists->codes.size / sizeof(int32_t));
    write_integers(writer, "categories_nodes", 'l', lists->code_nodes, sets);
    write_integers(writer, "categories_segments", 'L', lists->code_first, sets);
    write_integers(writer, "categories_sizes", 'L', lists->code_counts, sets);
    write_integers(writer, "default_left", 'U', lists->default_left, count);
    write_integer(writer, "id", (int32_t)id);
    write_integers(writer, "left_children", 'l', lists->left, count);
    write_floats(writer, "loss_changes", lists->gain, count);
    write_integers(writer, "parents", 'l', lists->parent, count);
    write_integers(writer, "right_children", 'l', lists->right, count);
    write_floats(writer, "split_conditions", lists->condition, count);
    write_integers(writer, "split_indices", 'l', lists->feature, count);
    write_integers(writer, "split_type", 'U', lists->type, count);
    write_floats(writer, "sum_hessian", lists->cover, count);
    write_begin(writer, "tree_param", WRITE_OBJECT, 0);
    write_text(writer, "num_deleted", SLICE("0"));
    write_number_text(writer, "num_feature", writing->features.count);
    write_number_text(writer, "num_nodes", count);
    write_text(writer, "size_leaf_vector", SLICE("1"));
    write_end(writer, WRITE_OBJECT);
    write_end(writer, WRITE_OBJECT);
}

/* ----- words ----- */

static int compare_words(const void *a, const void *b, void *words)
{
    const struct slice *of = words;

    return slice_compare(of[*(const int32_t *)a], of[*(const int32_t *)b]);
}

/* The bytes of all words, and where each of them begins. */
static enum status write_words(struct writing *writing, const struct transform_input *input,
                               struct text *sorted, struct error *err)
{
    struct arena *arena = writing->arena;
    int32_t *offsets = ARENA_NEW(arena, int32_t, (size_t)input->word_count + 1), *bytes, *order;
    size_t size = 0;

    for (uint32_t i = 0; offsets && i < input->word_count; i++) {
        size += input->words[i].size;
        if (size > INT32_MAX)
            return fail(err, STATUS_LIMIT, "the words of column \"%.*s\" are too long for XGBoost",
                        SLICE_FORMAT(input->spec.name));
        offsets[i + 1] = (int32_t)size;
    }
    bytes = ARENA_NEW(arena, int32_t, size);
    order = ARENA_NEW(arena, int32_t, input->word_count);
    if (!offsets || !bytes || !order)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++) {
        order[i] = (int32_t)i;
        for (size_t j = 0; j < input->words[i].size; j++)
            bytes[(size_t)offsets[i] + j] = (signed char)input->words[i].data[j];
    }
    qsort_r(order, input->word_count, sizeof *order, compare_words, input->words);
    text_append(sorted, (struct slice){(const char *)order, input->word_count * sizeof *order});
    write_integers(&writing->writer, "offsets", 'l', offsets, (size_t)input->word_count + 1);
    write_integers(&writing->writer, "values", 'i', bytes, size);
    return STATUS_OK;
}

static enum status write_encodings(struct writing *writing, int32_t *segments, struct text *sorted,
                                   struct error *err)
{
    struct document_writer *writer = &writing->writer;

    write_begin(writer, "enc", WRITE_LIST, writing->features.count);
    for (uint32_t i = 0; i < writing->features.count; i++) {
        const struct transform_input *input = writing->features.of[i].input;

        segments[i + 1] = segments[i] + (int32_t)input->word_count;
        write_begin(writer, NULL, WRITE_OBJECT, 0);
        if (input->word_count > 0) {
            TRY(write_words(writing, input, sorted, err));
        } else {
            write_integers(writer, "offsets", 'l', NULL, 0);
            write_integers(writer, "values", 'i', NULL, 0);
        }
        write_end(writer, WRITE_OBJECT);
    }
    write_end(writer, WRITE_LIST);
    return STATUS_OK;
}

/* Buckets of a hash have no words: such a model's categories are codes alone. */
static bool has_words(const struct model_features *features)
{
    bool has = false;

    for (uint32_t i = 0; i < features->count; i++) {
        const struct model_feature *feature = &features->of[i];
        if (feature->is_category && feature->codes != feature->input->word_count)
            return false;
        has |= feature->is_category;
    }
    return has;
}

static enum status write_categories(struct writing *writing, struct error *err)
{
    struct document_writer *writer = &writing->writer;
    const size_t count = (size_t)writing->features.count + 1;
    int32_t *segments = ARENA_NEW(writing->arena, int32_t, count);
    struct text sorted;
    enum status status;

    if (!segments)
        return fail_no_memory(err);
    text_init(&sorted, TEXT_MAXIMUM);
    write_begin(writer, "cats", WRITE_OBJECT, 0);
    status = write_encodings(writing, segments, &sorted, err);
    write_integers(writer, "feature_segments", 'l', segments, count);
    write_integers(writer, "sorted_idx", 'l', (const int32_t *)(void *)sorted.data,
                   sorted.size / sizeof(int32_t));
    write_end(writer, WRITE_OBJECT);
    if (status == STATUS_OK && sorted.failed)
        status = fail_no_memory(err);
    text_deinit(&sorted);
    return status;
}

/* ----- the whole ----- */

/* Lists that XGBoost's reader takes item by item alone. */
static void write_items(struct document_writer *writer, const char *name, const int32_t *values,
                        size_t count)
{
    write_begin(writer, name, WRITE_LIST, count);
    for (size_t i = 0; i < count; i++)
        write_integer(writer, NULL, values[i]);
    write_end(writer, WRITE_LIST);
}

static enum status write_trees(struct writing *writing, struct error *err)
{
    struct document_writer *writer = &writing->writer;
    const uint32_t outputs = writing->trees->outputs, rounds = writing->order.rounds;
    const size_t count = (size_t)rounds * outputs;
    int32_t *outputs_of = ARENA_NEW(writing->arena, int32_t, count);
    int32_t *first = ARENA_NEW(writing->arena, int32_t, (size_t)rounds + 1);

    if (!outputs_of || !first)
        return fail_no_memory(err);
    for (size_t i = 0; i < count; i++)
        outputs_of[i] = (int32_t)(i % outputs);
    for (uint32_t i = 0; i <= rounds; i++)
        first[i] = (int32_t)(i * outputs);
    write_begin(writer, "gbtree_model_param", WRITE_OBJECT, 0);
    write_text(writer, "num_parallel_tree", SLICE("1"));
    write_number_text(writer, "num_trees", (uint32_t)count);
    write_end(writer, WRITE_OBJECT);
    write_items(writer, "iteration_indptr", first, (size_t)rounds + 1);
    write_items(writer, "tree_info", outputs_of, count);
    write_begin(writer, "trees", WRITE_LIST, count);
    for (size_t i = 0; i < count; i++) {
        const double added = i < outputs ? writing->left_over[i] : 0;

        write_tree(writing, writing->order.trees[i], added, (uint32_t)i);
        TRY(stop_heed(&writing->watch, err));
    }
    write_end(writer, WRITE_LIST);
    return STATUS_OK;
}

static void write_features(struct writing *writing)
{
    struct document_writer *writer = &writing->writer;
    const struct model_features *features = &writing->features;

    write_begin(writer, "feature_names", WRITE_LIST, features->count);
    for (uint32_t i = 0; i < features->count; i++)
        write_text(writer, NULL, features->of[i].input->spec.name);
    write_end(writer, WRITE_LIST);
    write_begin(writer, "feature_types", WRITE_LIST, features->count);
    for (uint32_t i = 0; i < features->count; i++)
        write_text(writer, NULL, features->of[i].is_category ? SLICE("c") : SLICE("float"));
    write_end(writer, WRITE_LIST);
}

/* XGBoost takes the list as a text. */
static void write_quantiles(struct document_writer *writer, const struct aim_facts *aim)
{
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < aim->quantile_count; i++) {
        text_append_string(&list, i ? "," : "[");
        text_append_real(&list, aim->quantiles[i]);
    }
    text_append_char(&list, ']');
    write_begin(writer, "quantile_loss_param", WRITE_OBJECT, 0);
    write_text(writer, "quantile_alpha", text_slice(&list));
    writer->out->failed |= list.failed;
    text_deinit(&list);
}

static void write_objective(struct writing *writing)
{
    struct document_writer *writer = &writing->writer;
    const bool is_classifier = writing->model->task == TASK_CLASSIFICATION;
    const enum trees_link link = writing->trees->link;
    const bool is_multi = is_classifier && writing->trees->outputs > 1;
    const bool has_quantiles = writing->model->aim.quantile_count > 0;

    write_begin(writer, "objective", WRITE_OBJECT, 0);
    write_text(writer, "name",
               is_multi                      ? SLICE("multi:softprob")
               : is_classifier               ? SLICE("binary:logistic")
               : has_quantiles               ? SLICE("reg:quantileerror")
               : link == TREES_LINK_LOGISTIC ? SLICE("reg:logistic")
               : link == TREES_LINK_EXP      ? SLICE("count:poisson")
                                             : SLICE("reg:squarederror"));
    if (has_quantiles) {
        write_quantiles(writer, &writing->model->aim);
    } else if (is_multi) {
        write_begin(writer, "softmax_multiclass_param", WRITE_OBJECT, 0);
        write_number_text(writer, "num_class", writing->trees->outputs);
    } else if (!is_classifier && link == TREES_LINK_EXP) {
        write_begin(writer, "poisson_regression_param", WRITE_OBJECT, 0);
        write_text(writer, "max_delta_step", SLICE("0.7"));
    } else {
        write_begin(writer, "reg_loss_param", WRITE_OBJECT, 0);
        write_text(writer, "scale_pos_weight", SLICE("1"));
    }
    write_end(writer, WRITE_OBJECT);
    write_end(writer, WRITE_OBJECT);
}

static void write_parameters(struct writing *writing)
{
    struct document_writer *writer = &writing->writer;
    const uint32_t outputs = writing->trees->outputs;
    const bool is_classifier = writing->model->task == TASK_CLASSIFICATION;
    struct text digits;

    text_init(&digits, 64);
    write_float_digits(&digits, writing->base_score);
    write_begin(writer, "learner_model_param", WRITE_OBJECT, 0);
    write_text(writer, "base_score", text_slice(&digits));
    write_text(writer, "boost_from_average", SLICE("1"));
    write_number_text(writer, "num_class", outputs > 1 && is_classifier ? outputs : 0);
    write_number_text(writer, "num_feature", writing->features.count);
    write_number_text(writer, "num_target", is_classifier ? 1 : outputs);
    write_end(writer, WRITE_OBJECT);
    text_deinit(&digits);
}

static enum status write_all(struct writing *writing, struct error *err)
{
    struct document_writer *writer = &writing->writer;
    static const int32_t version[] = {3, 1, 0};

    write_begin(writer, NULL, WRITE_OBJECT, 0);
    write_begin(writer, "learner", WRITE_OBJECT, 0);
    write_begin(writer, "attributes", WRITE_OBJECT, 0);
    write_text(writer, XGBOOST_ATTRIBUTE, SLICE(TOTRAIN_VERSION));
    write_end(writer, WRITE_OBJECT);
    write_features(writing);
    write_begin(writer, "gradient_booster", WRITE_OBJECT, 0);
    write_begin(writer, "model", WRITE_OBJECT, 0);
    if (has_words(&writing->features))
        TRY(write_categories(writing, err));
    TRY(write_trees(writing, err));
    write_end(writer, WRITE_OBJECT);
    write_text(writer, "name", SLICE("gbtree"));
    write_end(writer, WRITE_OBJECT);
    write_parameters(writing);
    write_objective(writing);
    write_end(writer, WRITE_OBJECT);
    write_items(writer, "version", version, 3);
    write_end(writer, WRITE_OBJECT);
    return STATUS_OK;
}

/* How far apart the model's sums can be at most. */
static double spread_of(const struct trees_model *trees)
{
    double spread = 0;

    for (uint32_t t = 0; t < trees->tree_count; t++) {
        double least = INFINITY, most = -INFINITY;

        for (uint32_t i = 0; i < forest_tree_nodes(trees, t); i++) {
            const float *node = forest_node_at(trees, t, i);

            if (node[NODE_TEST] == NODE_LEAF) {
                least = fmin(least, (double)node[NODE_VALUE]);
                most = fmax(most, (double)node[NODE_VALUE]);
            }
        }
        spread += most - least;
    }
    return spread;
}

static enum status refuse_floats(const char *what, struct slice column, double origin,
                                 struct error *err)
{
    fail(err, STATUS_UNSUPPORTED,
         "XGBoost computes with floats, which cannot distinguish the %s \"%.*s\" around %.15g",
         what, SLICE_FORMAT(column), origin);
    return error_hint(err,
                      "FORMAT lightgbm can express it. Or subtract a constant from the column.");
}

/* Refuses numbers counted from an origin that XGBoost could not tell apart as floats. */
static enum status check_origins(const struct model *model, struct error *err)
{
    const double step = fabs(model_origin(model)) * 0x1p-24, spread = spread_of(trees_of(model));

    for (uint32_t i = 0; i < model->transform.input_count; i++) {
        const struct transform_input *input = &model->transform.inputs[i];

        if (transform_is_number(input) && input->mean != 0)
            return refuse_floats("numbers of column", input->spec.name, input->mean, err);
    }
    if (spread > 0 && step > LABEL_STEP_MOST * spread)
        return refuse_floats("predictions of label", model->label, model->label_mean, err);
    return STATUS_OK;
}

enum status xgboost_write(const struct model *model, bool as_ubj, const struct stop *stop,
                          struct text *out, struct error *err)
{
    struct arena arena;
    struct writing writing = {.writer = {.out = out, .is_ubj = as_ubj},
                              .model = model,
                              .trees = model->content,
                              .arena = &arena,
                              .watch = {.stop = stop}};
    uint32_t most = 1;
    enum status status;

    TRY(check_origins(model, err));
    for (uint32_t i = 0; i < writing.trees->tree_count; i++)
        if (forest_tree_nodes(writing.trees, i) > most)
            most = forest_tree_nodes(writing.trees, i);
    arena_init(&arena, TEXT_MAXIMUM);
    text_init(&writing.lists.codes, TEXT_MAXIMUM);
    TRY_OR(done, status, model_features_find(model, &arena, &writing.features, err));
    TRY_OR(done, status, forest_order(writing.trees, &arena, &writing.order, err));
    TRY_OR(done, status, lists_new(&writing.lists, most, &arena, err));
    TRY_OR(done, status, settle_base(&writing, err));
    writing.writer.watch = &writing.watch;
    status = write_all(&writing, err);
    if (status == STATUS_OK && (out->failed || writing.lists.codes.failed))
        status = fail(err, STATUS_LIMIT, "the file would have more than %zu bytes", out->maximum);
done:
    text_deinit(&writing.lists.codes);
    arena_deinit(&arena);
    return status;
}
