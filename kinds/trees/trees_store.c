#include "kinds/trees/trees_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/trees/trees_attributes.h"
#include "kinds/trees/trees_model.h"

#define TREES_LINK_WORD(name, word) word,
static const char *const link_words[] = {TREES_LINK_MAP(TREES_LINK_WORD) NULL};

/* Writes the aim, which EVALUATE measures by; it is no part of the digest. */
static void write_aim(const struct aim_facts *aim, cJSON *object)
{
    cJSON *section;

    if (aim->power > 0)
        json_add_real(object, "tweedie_power", aim->power);
    if (aim->aim == AIM_MEANS)
        return;
    section = json_add_object(object, "aim");
    json_add_string(section, "is", slice_of(aim_words[aim->aim]));
    if (aim->aim == AIM_QUANTILES) {
        json_add_reals(section, "quantiles", aim->quantiles, aim->quantile_count);
    } else if (aim->aim == AIM_RANKS) {
        json_add_string(section, "group", aim->group);
        json_add_boolean(section, "has_linear_gains", aim->has_linear_gains);
        json_add_boolean(section, "has_two_labels", aim->has_two_labels);
    } else if (aim->aim == AIM_TIMES) {
        json_add_string(section, "label_upper_bound", aim->upper);
        json_add_string(section, "distribution",
                        slice_of(survival_noise_words[aim->survival.noise]));
        json_add_real(section, "scale", aim->survival.scale);
    }
}

void trees_write_counts(const struct trees_model *trees, cJSON *object)
{
    json_add_integer(object, "trees", trees->tree_count);
    json_add_integer(object, "nodes", trees->node_count);
    json_add_integer(object, "sets", trees->set_count);
}

void trees_write(const struct model *model, cJSON *object)
{
    const struct trees_model *trees = trees_of(model);

    json_add_string(object, "link", slice_of(link_words[trees->link]));
    trees_write_counts(trees, object);
    write_aim(&model->aim, object);
}

static enum status read_count(const cJSON *object, const char *name, uint32_t most, uint32_t *count,
                              struct error *err)
{
    int64_t value;

    TRY(json_get_integer(object, name, 0, most, &value, err));
    *count = (uint32_t)value;
    return STATUS_OK;
}

static enum status read_link(const cJSON *object, struct trees_model *trees, struct error *err)
{
    unsigned link;
    struct slice word;

    TRY(json_get_string(object, "link", &word, err));
    if (!term_find(link_words, word, &link))
        return fail(err, STATUS_CORRUPT, "model: \"link\" is \"%.*s\"",
                    word.size > 40 ? 40 : (int)word.size, word.data);
    trees->link = (enum trees_link)link;
    return STATUS_OK;
}

static enum status read_quantiles(const cJSON *section, struct aim_facts *aim, struct error *err)
{
    const cJSON *list, *item;

    TRY(json_get_array(section, "quantiles", QUANTILES_MAX, &list, err));
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || !(item->valuedouble > 0 && item->valuedouble < 1))
            return fail(err, STATUS_CORRUPT, "model: a quantile is above 0 and below 1");
        aim->quantiles[aim->quantile_count++] = item->valuedouble;
    }
    return aim->quantile_count > 0 ? STATUS_OK
                                   : fail(err, STATUS_CORRUPT, "model: there is no quantile");
}

static enum status read_name(const cJSON *section, const char *name, struct arena *arena,
                             struct slice *value, struct error *err)
{
    struct slice borrowed;

    TRY(json_get_string(section, name, &borrowed, err));
    *value = arena_copy(arena, borrowed);
    return value->data ? STATUS_OK : fail_no_memory(err);
}

static enum status read_times(const cJSON *section, struct arena *arena, struct aim_facts *aim,
                              struct error *err)
{
    struct slice word;
    unsigned noise;

    TRY(read_name(section, "label_upper_bound", arena, &aim->upper, err));
    TRY(json_get_string(section, "distribution", &word, err));
    TRY(json_get_real(section, "scale", &aim->survival.scale, err));
    if (!term_find(survival_noise_words, word, &noise) || !(aim->survival.scale > 0))
        return fail(err, STATUS_CORRUPT, "model: times of no distribution");
    aim->survival.noise = (enum survival_noise)noise;
    return STATUS_OK;
}

/* Models of before have none: their numbers are measured as means. */
static enum status read_aim(const cJSON *object, struct arena *arena, struct aim_facts *aim,
                            struct error *err)
{
    const cJSON *section = cJSON_GetObjectItemCaseSensitive(object, "aim");
    struct slice word;
    unsigned is;

    if (cJSON_GetObjectItemCaseSensitive(object, "tweedie_power"))
        TRY(json_get_real(object, "tweedie_power", &aim->power, err));
    if (aim->power != 0 && !(aim->power >= 1 && aim->power <= 2))
        return fail(err, STATUS_CORRUPT, "model: \"tweedie_power\" is from 1 to 2");
    if (!section)
        return STATUS_OK;
    TRY(json_get_string(section, "is", &word, err));
    if (!term_find(aim_words, word, &is) || is == AIM_MARGINS)
        return fail(err, STATUS_CORRUPT, "model: an aim that is not known");
    aim->aim = (enum aim)is;
    if (aim->aim == AIM_QUANTILES)
        return read_quantiles(section, aim, err);
    if (aim->aim == AIM_TIMES)
        return read_times(section, arena, aim, err);
    if (aim->aim != AIM_RANKS)
        return STATUS_OK;
    TRY(read_name(section, "group", arena, &aim->group, err));
    TRY(json_get_boolean(section, "has_linear_gains", &aim->has_linear_gains, err));
    return json_get_boolean(section, "has_two_labels", &aim->has_two_labels, err);
}

enum status trees_read_counts(const cJSON *object, const struct model *model,
                              struct trees_model *trees, struct error *err)
{
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        if (model->transform.inputs[i].spec.type == INPUT_TEXT)
            return fail(err, STATUS_CORRUPT, "model: trees with an input that is a text");
    TRY(read_count(object, "trees", TREES_MAX, &trees->tree_count, err));
    TRY(read_count(object, "nodes", TREES_NODES_MAX, &trees->node_count, err));
    TRY(read_count(object, "sets", TREES_SETS_MAX, &trees->set_count, err));
    if (trees->node_count >= trees->tree_count)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "model: %u nodes of %u trees", trees->node_count,
                trees->tree_count);
}

enum status trees_read(const cJSON *object, struct arena *arena, struct model *model,
                       struct error *err)
{
    struct trees_model *trees = ARENA_NEW(arena, struct trees_model, 1);

    if (!trees)
        return fail_no_memory(err);
    model->content = trees;
    if (model->task != TASK_CLASSIFICATION && model->task != TASK_REGRESSION)
        return fail(err, STATUS_CORRUPT, "model: trees do no %s", task_words[model->task]);
    if ((model->label_mean != 0 && model->format < MODEL_FORMAT_ORIGINS) ||
        model->label_scale != 1 || model->link != LABEL_LINK_NONE)
        return fail(err, STATUS_CORRUPT, "model: trees of a label with another scale than its own");
    TRY(read_link(object, trees, err));
    if (trees->link != TREES_LINK_NONE && model->task != TASK_REGRESSION)
        return fail(err, STATUS_CORRUPT, "model: logits with the link \"%s\"",
                    link_words[trees->link]);
    if (trees->link != TREES_LINK_NONE && model->label_mean != 0)
        return fail(err, STATUS_CORRUPT, "model: a label with an origin and the link \"%s\"",
                    link_words[trees->link]);
    if (model->task == TASK_REGRESSION)
        TRY(read_aim(object, arena, &model->aim, err));
    trees->outputs = trees_outputs(model);
    return trees_read_counts(object, model, trees, err);
}

bool trees_number(const struct model *model, uint32_t i, uint64_t *number)
{
    *number = trees_of(model)->link;
    return i < 1;
}

bool trees_array(const struct model *model, uint32_t i, struct model_array *array)
{
    struct trees_model *trees = (struct trees_model *)(uintptr_t)model->content;
    const struct {
        const char *name;
        uint64_t rows, width;
        const float **elements;
    } arrays[] = {
        {"base", 1, trees->outputs, &trees->base},
        {"trees", trees->tree_count, TREE_NUMBERS, &trees->trees},
        {"nodes", trees->node_count, NODE_NUMBERS, &trees->nodes},
        {"sets", trees->set_count, TREE_SET_NUMBERS, &trees->sets},
    };

    if (i >= sizeof arrays / sizeof *arrays)
        return false;
    *array = (struct model_array){
        .rows = arrays[i].rows, .width = arrays[i].width, .elements = arrays[i].elements};
    snprintf(array->name, sizeof array->name, "%s", arrays[i].name);
    return true;
}

/* Sets as many quantiles as the model has, and as many leaves as its trees have in the mean: each
 * has one more than inner nodes. */
void trees_params_of(const struct model *model, struct kind_params *params)
{
    const struct trees_model *trees = trees_of(model);
    const uint32_t rounds = (trees->tree_count + trees->outputs - 1) / trees->outputs;
    const uint32_t nodes = trees->tree_count ? trees->node_count / trees->tree_count : 0;

    trees_params(params)->rounds = rounds ? rounds : 1;
    trees_params(params)->parallel_trees = 1;
    trees_params(params)->max_leaves = nodes / 2 + 1;
    if (model->aim.quantile_count > 0) {
        trees_params(params)->objective = TREE_QUANTILE;
        trees_params(params)->quantile_alpha.count = model->aim.quantile_count;
    }
}

/* ---- checks ---- */

/* The tree and the node that is checked. */
struct place {
    const struct model *model;
    const struct trees_model *trees;
    uint32_t tree, node;
};

static enum status refuse_node(const struct place *place, const char *what, double number,
                               struct error *err)
{
    return fail(err, STATUS_CORRUPT, "model: tree %u, node %u: %s %g", place->tree, place->node,
                what, number);
}

/* A whole number below `end`. */
static bool is_place(float number, uint32_t end)
{
    return number >= 0 && number < (float)end && number == floorf(number);
}

static bool is_flag(float number)
{
    return number == 0 || number == 1;
}

static enum status check_set(const struct place *place, const float *node, struct error *err)
{
    const struct trees_model *trees = place->trees;

    if (!is_place(node[NODE_SET], trees->set_count))
        return refuse_node(place, "there is no set", (double)node[NODE_SET], err);
    if (!is_place(node[NODE_SET_ROWS] - 1, trees->set_count - (uint32_t)node[NODE_SET]))
        return refuse_node(place, "a set has no rows", (double)node[NODE_SET_ROWS], err);
    return STATUS_OK;
}

/* children (nodes of the tree): 1 where one has the node already. */
static enum status check_children(const struct place *place, const float *node, uint32_t nodes,
                                  uint8_t *children, struct error *err)
{
    uint32_t left;

    if (!is_place(node[NODE_LEFT], nodes - 1) || node[NODE_LEFT] <= (float)place->node)
        return refuse_node(place, "no children are at", (double)node[NODE_LEFT], err);
    left = (uint32_t)node[NODE_LEFT];
    if (children[left] || children[left + 1])
        return refuse_node(place, "another node has the children at", (double)left, err);
    children[left] = children[left + 1] = 1;
    return STATUS_OK;
}

static enum status check_node(const struct place *place, const float *node, uint32_t nodes,
                              uint8_t *children, struct error *err)
{
    const struct transform *transform = &place->model->transform;
    const bool of_words = node[NODE_TEST] == NODE_WORD_IN;

    if (place->node > 0 && !children[place->node])
        return refuse_node(place, "no node before it has it:", place->node, err);
    if (!is_place(node[NODE_TEST], NODE_TESTS))
        return refuse_node(place, "there is no test", (double)node[NODE_TEST], err);
    if (node[NODE_TEST] == NODE_LEAF)
        return STATUS_OK;
    if (!is_place(node[NODE_COLUMN],
                  of_words ? transform->id_count : transform_features(transform)))
        return refuse_node(place, of_words ? "no category is column" : "no number is column",
                           (double)node[NODE_COLUMN], err);
    if (!is_flag(node[NODE_MISSING_LEFT]))
        return refuse_node(place, "missing values cannot go to", (double)node[NODE_MISSING_LEFT],
                           err);
    if (node[NODE_TEST] != NODE_BELOW)
        TRY(check_set(place, node, err));
    return check_children(place, node, nodes, children, err);
}

static enum status check_tree(struct place *place, uint32_t *first, uint8_t *children,
                              struct error *err)
{
    const struct trees_model *trees = place->trees;
    const float *tree = trees->trees + (size_t)place->tree * TREE_NUMBERS;
    const uint32_t left = trees->node_count - *first;
    uint32_t nodes;

    if (tree[TREE_FIRST_NODE] != (float)*first || !is_place(tree[TREE_NODE_COUNT] - 1, left))
        return fail(err, STATUS_CORRUPT, "model: tree %u has %g nodes from %g, where %u are left",
                    place->tree, (double)tree[TREE_NODE_COUNT], (double)tree[TREE_FIRST_NODE],
                    left);
    if (!is_place(tree[TREE_OUTPUT], trees->outputs))
        return fail(err, STATUS_CORRUPT, "model: tree %u is of output %g, where %u are possible",
                    place->tree, (double)tree[TREE_OUTPUT], trees->outputs);
    nodes = (uint32_t)tree[TREE_NODE_COUNT];
    memset(children, 0, nodes);
    for (place->node = 0; place->node < nodes; place->node++)
        TRY(check_node(place, trees_node(trees, *first + place->node), nodes, children, err));
    *first += nodes;
    return STATUS_OK;
}

static enum status check_bits(const struct trees_model *trees, struct error *err)
{
    const size_t count = (size_t)trees->set_count * TREE_SET_NUMBERS;

    for (size_t i = 0; i < count; i++)
        if (!is_place(trees->sets[i], 1u << TREE_SET_NUMBERS))
            return fail(err, STATUS_CORRUPT, "model: row %zu of the sets has %g for 16 bits",
                        i / TREE_SET_NUMBERS, (double)trees->sets[i]);
    return STATUS_OK;
}

enum status trees_check(const struct model *model, struct error *err)
{
    const struct trees_model *trees = trees_of(model);
    struct place place = {.model = model, .trees = trees};
    uint8_t *children = malloc(trees->node_count + (size_t)1);
    enum status status = children ? check_bits(trees, err) : fail_no_memory(err);
    uint32_t first = 0;

    for (; status == STATUS_OK && place.tree < trees->tree_count; place.tree++)
        status = check_tree(&place, &first, children, err);
    free(children);
    if (status == STATUS_OK && first != trees->node_count)
        status = fail(err, STATUS_CORRUPT, "model: %u of %u nodes belong to no tree",
                      trees->node_count - first, trees->node_count);
    return status;
}
