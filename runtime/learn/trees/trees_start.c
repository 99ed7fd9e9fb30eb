#include "runtime/learn/trees/trees_start.h"

#include <stdlib.h>
#include <string.h>

#include "scoring/kind.h"

static const char *const links[] = {
#define LINK_WORD(name, word) word,
    TREES_LINK_MAP(LINK_WORD)
#undef LINK_WORD
};

/* Whether the old model has the same quantiles, in the same order, where there are several. */
static bool has_quantiles(const struct aim_facts *old, const struct tree_objective *objective)
{
    for (uint32_t j = 0; j < objective->outputs; j++)
        if (objective->outputs > 1 && old->quantiles[j] != trees_quantile(objective->params, j))
            return false;
    return true;
}

static enum status check_fit(const struct model *model, const struct tree_objective *objective,
                             struct error *err)
{
    const enum trees_link link = tree_objective_link(objective);
    const struct trees_model *old = trees_of(model);

    if (model->task == TASK_REGRESSION &&
        (old->outputs != objective->outputs || !has_quantiles(&model->aim, objective))) {
        fail(err, STATUS_INVALID, "the old model has other quantiles than those that are learned");
        return error_hint(err, "Name its quantiles, in the same order: SHOW TRAIN shows its "
                               "statement.");
    }
    if (old->outputs != objective->outputs)
        return fail(err, STATUS_CORRUPT, "the old model has %u outputs, where %u are learned",
                    old->outputs, objective->outputs);
    if (old->link == link)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "the old model's sums become predictions by the link \"%s\", those of the objective %s by "
         "\"%s\"",
         links[old->link], tree_objective_words[objective->name], links[link]);
    return error_hint(err, "Name the objective that the old model was trained with.");
}

enum status trees_start_init(struct trees_start *start, const struct tree_objective *objective,
                             const struct dataset *dataset, struct error *err)
{
    *start = (struct trees_start){.old = NULL};
    if (!dataset->old_model)
        return STATUS_OK;
    TRY(check_fit(dataset->old_model, objective, err));
    start->old = trees_of(dataset->old_model);
    start->sums = *start->old;
    start->sums.link = TREES_LINK_NONE;
    start->model = *dataset->old_model;
    start->model.content = &start->sums;
    return start->model.kind->open(&start->model, SCORER_ROWS, &start->scorer, err);
}

void trees_start_deinit(struct trees_start *start)
{
    if (start->scorer)
        start->model.kind->close(start->scorer);
    *start = (struct trees_start){.old = NULL};
}

void trees_start_rows(const struct trees_start *start, const struct dataset *dataset,
                      const struct dataset_part *part, uint64_t first, uint64_t count,
                      float *starts)
{
    const struct transform *transform = &dataset->transform;

    for (uint64_t from = 0; from < count; from += SCORER_ROWS)
        start->model.kind->score(
            start->scorer, part->dense + (first + from) * transform->dense_width,
            part->ids + (first + from) * transform->id_count,
            count - from < SCORER_ROWS ? (uint32_t)(count - from) : SCORER_ROWS,
            starts + from * start->old->outputs);
}

/* ---- one model of both ---- */

/* One array behind the other, in new memory. */
static bool put_before(const float *old, size_t old_size, float **numbers, size_t size)
{
    float *both = malloc((old_size + size + 1) * sizeof *both);

    if (!both)
        return false;
    if (old_size > 0)
        memcpy(both, old, old_size * sizeof *both);
    memcpy(both + old_size, *numbers, size * sizeof *both);
    free(*numbers);
    *numbers = both;
    return true;
}

enum status trees_start_prepend(const struct trees_start *start, struct tree_arrays *arrays,
                                struct error *err)
{
    const struct trees_model *old = start->old;

    if (!old)
        return STATUS_OK;
    if ((uint64_t)old->tree_count + arrays->tree_count > TREES_MAX ||
        (uint64_t)old->node_count + arrays->node_count > TREES_NODES_MAX ||
        (uint64_t)old->set_count + arrays->set_count > TREES_SETS_MAX)
        return fail(err, STATUS_LIMIT,
                    "with the old model's the model would have more than %u trees, %u nodes or %u "
                    "sets",
                    TREES_MAX, TREES_NODES_MAX, TREES_SETS_MAX);
    for (uint32_t t = 0; t < arrays->tree_count; t++)
        arrays->trees[(size_t)t * TREE_NUMBERS + TREE_FIRST_NODE] += (float)old->node_count;
    for (uint32_t i = 0; i < arrays->node_count; i++) {
        float *node = arrays->nodes + (size_t)i * NODE_NUMBERS;

        if (node[NODE_TEST] == NODE_WORD_IN)
            node[NODE_SET] += (float)old->set_count;
    }
    if (!put_before(old->trees, (size_t)old->tree_count * TREE_NUMBERS, &arrays->trees,
                    (size_t)arrays->tree_count * TREE_NUMBERS) ||
        !put_before(old->nodes, (size_t)old->node_count * NODE_NUMBERS, &arrays->nodes,
                    (size_t)arrays->node_count * NODE_NUMBERS) ||
        !put_before(old->sets, (size_t)old->set_count * TREE_SET_NUMBERS, &arrays->sets,
                    (size_t)arrays->set_count * TREE_SET_NUMBERS))
        return fail_no_memory(err);
    arrays->tree_count += old->tree_count;
    arrays->node_count += old->node_count;
    arrays->set_count += old->set_count;
    return STATUS_OK;
}
