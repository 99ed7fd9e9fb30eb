#include "runtime/learn/trees/growth/tree_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/sums/words.h"
#include "base/vectors.h"
#include "runtime/learn/trees/growth/tree_draws.h"

#define COLUMNS_OF_TASK 8
#define BIN_NANOSECONDS 5 /* time of the search in a processor, about */

struct search {
    const struct growing_tree *growth;
    const struct sharing *sharings;
    const uint8_t *allowed; /* (sharings, 2, column_count) */
    uint32_t tasks_each;
    struct tree_split *found; /* (sharings, tasks_each, 2) */
    bool *were_bad;           /* (sharings, tasks_each): somebody's memory changed by itself */
};

/* Numbers of gradients and hessians by turns. */
WIDE_VECTORS
static void subtract(const int64_t *parent, const int64_t *summed, uint32_t count, int64_t *rest)
{
    for (uint32_t i = 0; i < count; i++)
        rest[i] = parent[i] - summed[i];
}

/* All columns divide the same rows, so each has the node's sums. */
WIDE_VECTORS
static bool has_sums(const struct tree_sums *column, uint32_t bins, struct tree_sums sums)
{
    uint64_t gradient = 0, hessian = 0;

    for (uint32_t b = 0; b < bins; b++) {
        gradient += (uint64_t)column[b].gradient;
        hessian += (uint64_t)column[b].hessian;
    }
    return gradient == (uint64_t)sums.gradient && hessian == (uint64_t)sums.hessian;
}

/* A column of both children's histograms, and whether they are good. */
static bool share_column(const struct growing_tree *growth, const struct sharing *sharing,
                         uint32_t column)
{
    const uint32_t first = growth->bins->offsets[column];
    const uint32_t bins = growth->bins->offsets[column + 1] - first;
    bool is_good = true;

    if (sharing->summed && sharing->nodes[1] != TREE_NO_NODE)
        subtract((const int64_t *)(sharing->parent + first),
                 (const int64_t *)(sharing->summed + first), 2 * bins,
                 (int64_t *)(tree_node_histogram(growth, sharing->nodes[1]) + first));
    if (sharing->summed && sharing->nodes[0] != TREE_NO_NODE)
        memcpy(tree_node_histogram(growth, sharing->nodes[0]) + first, sharing->summed + first,
               bins * sizeof *sharing->summed);
    for (int i = 0; i < 2; i++)
        is_good = is_good && (sharing->nodes[i] == TREE_NO_NODE ||
                              has_sums(tree_node_histogram(growth, sharing->nodes[i]) + first, bins,
                                       growth->nodes[sharing->nodes[i]].sums));
    return is_good;
}

/* Space of each member of the team. */
static enum status reserve_ranked(struct growing_tree *growth, struct team *team, struct error *err)
{
    return tree_growth_has_long_sets(growth)
               ? reserve_array((void **)&growth->ranked, &growth->ranked_room, team_size(team),
                               growth->bins_ranked * sizeof *growth->ranked, err)
               : STATUS_OK;
}

static struct tree_ranked_word *ranked_of(const struct growing_tree *growth, uint32_t column,
                                          uint32_t member)
{
    return tree_split_has_long_sets(&growth->bins->columns[column], &growth->options)
               ? growth->ranked + (size_t)member * growth->bins_ranked
               : NULL;
}

/* The node's split was found by this histogram: its list joins the words, if it is a long one. */
static enum status keep_list(struct growing_tree *growth, uint32_t number,
                             const struct tree_sums *histogram, struct error *err)
{
    struct tree_node *node = &growth->nodes[number];
    struct tree_split *split = &node->split;
    const uint32_t first = growth->word_count;
    uint32_t end;

    if (!tree_split_has_long_list(split))
        return STATUS_OK;
    end = first + split->many.count + split->many.count % 2;
    TRY(TREE_RESERVE(growth, words, word_room, end, err));
    growth->words[end - 1] = 0;
    tree_split_write_list(&growth->bins->columns[split->column], histogram,
                          tree_node_units(growth, node), &growth->options, split, growth->ranked,
                          growth->words + first);
    split->many.first = first;
    growth->word_count = end;
    return STATUS_OK;
}

/* histogram: of the node in the column. */
static void search_column(const struct growing_tree *growth, uint32_t number, uint32_t column,
                          const struct tree_sums *histogram, uint32_t member,
                          struct tree_split *best)
{
    const struct tree_node *node = &growth->nodes[number];
    struct tree_split split;

    memset(&split, 0, sizeof split);
    tree_split_find(&growth->bins->columns[column], column, histogram, node->sums,
                    tree_node_units(growth, node), &growth->options, node->bounds,
                    ranked_of(growth, column, member), &split);
    if (tree_split_is_better(&split, best))
        *best = split;
}

static void search_columns(void *context, uint32_t member, uint32_t task)
{
    const struct search *search = context;
    const struct growing_tree *growth = search->growth;
    const uint32_t columns = growth->bins->column_count;
    const uint32_t number = task / search->tasks_each;
    const struct sharing *sharing = &search->sharings[number];
    const uint32_t first = task % search->tasks_each * COLUMNS_OF_TASK;

    memset(&search->found[2 * (size_t)task], 0, 2 * sizeof *search->found);
    for (uint32_t c = first; c < first + COLUMNS_OF_TASK && c < columns; c++) {
        if (!share_column(growth, sharing, c))
            search->were_bad[task] = true;
        for (uint32_t i = 0; i < 2 && !search->were_bad[task]; i++)
            if (sharing->nodes[i] != TREE_NO_NODE &&
                search->allowed[((size_t)number * 2 + i) * columns + c])
                search_column(growth, sharing->nodes[i], c,
                              tree_node_histogram(growth, sharing->nodes[i]) +
                                  growth->bins->offsets[c],
                              member, &search->found[2 * (size_t)task + i]);
    }
}

static enum status keep_best(struct growing_tree *growth, const struct search *search,
                             uint32_t number, struct error *err)
{
    for (uint32_t task = number * search->tasks_each; task < (number + 1) * search->tasks_each;
         task++)
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t node = search->sharings[number].nodes[i];
            const struct tree_split *found = &search->found[2 * (size_t)task + i];

            if (node != TREE_NO_NODE && tree_split_is_better(found, &growth->nodes[node].split))
                growth->nodes[node].split = *found;
        }
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t node = search->sharings[number].nodes[i];

        if (node != TREE_NO_NODE)
            TRY(keep_list(growth, node,
                          tree_node_histogram(growth, node) +
                              growth->bins->offsets[growth->nodes[node].split.column],
                          err));
    }
    return STATUS_OK;
}

static enum status search_all(struct growing_tree *growth, struct search *search, uint32_t count,
                              uint8_t *allowed, struct team *team, struct error *err)
{
    const uint32_t columns = growth->bins->column_count, tasks = count * search->tasks_each;

    for (uint32_t i = 0; i < 2 * count; i++)
        if (search->sharings[i / 2].nodes[i % 2] != TREE_NO_NODE)
            tree_draws_of_node(growth, search->sharings[i / 2].nodes[i % 2],
                               allowed + (size_t)i * columns);
    TRY(TREE_RESERVE(growth, found, found_room, 2 * tasks + 2, err));
    search->allowed = allowed;
    search->found = growth->found;
    team_run(team_for(team, 2.0 * count * growth->total_bins * BIN_NANOSECONDS), tasks,
             search_columns, search);
    for (uint32_t task = 0; task < tasks; task++)
        if (search->were_bad[task])
            return memory_damaged(err, "the rows of a node");
    for (uint32_t i = 0; i < count; i++)
        TRY(keep_best(growth, search, i, err));
    return STATUS_OK;
}

enum status tree_search_shared(struct growing_tree *growth, const struct sharing *sharings,
                               uint32_t count, struct team *team, struct error *err)
{
    const uint32_t columns = growth->bins->column_count;
    struct search search = {.growth = growth,
                            .sharings = sharings,
                            .tasks_each = (columns + COLUMNS_OF_TASK - 1) / COLUMNS_OF_TASK};
    uint8_t *allowed = malloc(2 * (size_t)count * columns + 1);
    enum status status = reserve_ranked(growth, team, err);

    search.were_bad = calloc((size_t)count * search.tasks_each + 1, sizeof *search.were_bad);
    if (status == STATUS_OK)
        status = allowed && search.were_bad ? search_all(growth, &search, count, allowed, team, err)
                                            : fail_no_memory(err);
    free(allowed);
    free(search.were_bad);
    return status;
}

/* ---- the search where draws are few ---- */

/* Nodes whose columns are listed, each with its histogram. */
struct drawn_search {
    struct growing_tree *growth;
    const uint32_t *nodes; /* TREE_NO_NODE: it is not searched */
    const struct tree_sums *histograms;
    bool *were_bad;
};

static void search_drawn(void *context, uint32_t member, uint32_t task)
{
    const struct drawn_search *search = context;
    const struct growing_tree *growth = search->growth;
    const uint32_t *columns = tree_draws_list(growth, task);
    const struct tree_sums *histogram = search->histograms + (size_t)task * growth->draws.bins;
    const uint32_t node = search->nodes[task];

    for (uint32_t i = 0; node != TREE_NO_NODE && i < growth->draws.columns; i++) {
        const uint32_t bins = growth->bins->columns[columns[i]].bins;

        if (!has_sums(histogram, bins, growth->nodes[node].sums)) {
            search->were_bad[task] = true;
            return;
        }
        search_column(growth, node, columns[i], histogram, member, &growth->nodes[node].split);
        histogram += bins;
    }
}

/* Where the histogram of the drawn column lies behind those before it. */
static const struct tree_sums *drawn_histogram(const struct drawn_search *search, uint32_t task,
                                               uint32_t column)
{
    const struct growing_tree *growth = search->growth;
    const uint32_t *columns = tree_draws_list(growth, task);
    const struct tree_sums *histogram = search->histograms + (size_t)task * growth->draws.bins;

    for (uint32_t i = 0; columns[i] != column; i++)
        histogram += growth->bins->columns[columns[i]].bins;
    return histogram;
}

static enum status keep_drawn_lists(const struct drawn_search *search, uint32_t count,
                                    struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = search->nodes[i];

        if (node != TREE_NO_NODE && tree_split_has_long_list(&search->growth->nodes[node].split))
            TRY(keep_list(search->growth, node,
                          drawn_histogram(search, i, search->growth->nodes[node].split.column),
                          err));
    }
    return STATUS_OK;
}

enum status tree_search_drawn(struct growing_tree *growth, const uint32_t *nodes, uint32_t count,
                              const int64_t *histograms, struct team *team, struct error *err)
{
    struct drawn_search search = {growth, nodes, (const struct tree_sums *)histograms, NULL};
    bool was_bad = false;

    TRY(reserve_ranked(growth, team, err));
    search.were_bad = calloc(count + (size_t)1, sizeof *search.were_bad);
    if (!search.were_bad)
        return fail_no_memory(err);
    team_run(team_for(team, 1.0 * count * growth->draws.bins * BIN_NANOSECONDS), count,
             search_drawn, &search);
    for (uint32_t i = 0; i < count; i++)
        was_bad = was_bad || search.were_bad[i];
    free(search.were_bad);
    return was_bad ? memory_damaged(err, "the rows of a node")
                   : keep_drawn_lists(&search, count, err);
}
