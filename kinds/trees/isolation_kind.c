#include "kinds/trees/isolation_kind.h"

#include <math.h>
#include <stdlib.h>

#include "kinds/trees/isolation_model.h"
#include "kinds/trees/trees_formulas.h"
#include "kinds/trees/trees_score.h"
#include "kinds/trees/trees_shap.h"
#include "kinds/trees/trees_store.h"
#include "params/attribute_rows.h"
#include "scoring/numbers/elementary.h"

#define LN_2           0x1.62e42fefa39efp-1
#define EULER_CONSTANT 0x1.2788cfc6fb619p-1
#define NODE_WORK      200 /* multiplications that growing takes for each row of a level */

_Static_assert(sizeof(struct isolation_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

/* ---- statements ---- */

ATTRIBUTE_TABLE(isolation_attributes, struct isolation_params, ISOLATION_ATTRIBUTES)

uint64_t isolation_sample_rows(const struct isolation_params *params, double rows)
{
    const double most = rows > 0 ? rows : HUGE_VAL;
    double wanted = params->max_samples;

    if (wanted <= 0)
        wanted = ISOLATION_SAMPLE;
    else if (wanted <= 1)
        wanted = rows > 0 ? floor(wanted * rows) : ISOLATION_SAMPLE;
    return (uint64_t)fmin(wanted, most);
}

uint32_t isolation_columns(const struct isolation_params *params, uint32_t columns)
{
    const double wanted = params->max_features;
    const double count = fmin(wanted <= 1 ? floor(wanted * columns) : floor(wanted), columns);

    return count < 1 ? 1 : (uint32_t)count;
}

uint32_t isolation_depth(uint64_t sample_rows)
{
    uint32_t depth = 1;

    while ((uint64_t)1 << depth < sample_rows)
        depth++;
    return depth;
}

double isolation_path(uint64_t rows)
{
    const double n = (double)rows;

    if (rows <= 1)
        return 0;
    if (rows == 2)
        return 1;
    return 2 * (logarithm_double(n - 1) + EULER_CONSTANT) - 2 * (n - 1) / n;
}

uint64_t isolation_row_elements(uint64_t numbers, uint64_t ids)
{
    return (numbers + ids + 1) / 2;
}

static double nodes_most(const struct isolation_params *params, double rows)
{
    return params->trees * (2 * (double)isolation_sample_rows(params, rows) - 1);
}

enum status isolation_check_size(const struct isolation_params *params, double rows, double numbers,
                                 double ids, struct error *err)
{
    const uint64_t sample = isolation_sample_rows(params, rows);
    const uint64_t width = isolation_row_elements((uint64_t)numbers, (uint64_t)ids);

    if (sample < 2) {
        fail(err, STATUS_INVALID, "a tree of an isolation forest is grown from 2 rows at least");
        return error_hint(err, rows < 2 ? "Select more rows." : "Raise max_samples.");
    }
    if (sample * width > ISOLATION_ELEMENTS_MAX) {
        fail(err, STATUS_LIMIT,
             "samples of %llu rows of %.0f inputs, where a sample has at most %u values",
             (unsigned long long)sample, numbers + ids, 2 * ISOLATION_ELEMENTS_MAX);
        return error_hint(err, "Lower max_samples: 256 rows are usual for any table.");
    }
    if (nodes_most(params, rows) <= TREES_NODES_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT, "%u trees of %llu rows may have %.0f nodes, where a model has %u",
         params->trees, (unsigned long long)sample, nodes_most(params, rows), TREES_NODES_MAX);
    return error_hint(err, "Lower n_estimators or max_samples.");
}

static enum status check_inputs(const struct kind_params *params, const struct kind_shape *shape,
                                struct error *err)
{
    if (shape->rows <= 0)
        return STATUS_OK;
    return isolation_check_size(isolation_params(params), shape->rows, shape->dense, shape->ids,
                                err);
}

/* The memory of runtime/learn/isolation/isolation.c: nodes, twice where a state is taken; the sums
 * of a phase and their totals; the rows of one sample. */
static struct kind_cost cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const struct isolation_params *isolation = isolation_params(params);
    const double sample = (double)isolation_sample_rows(isolation, shape->rows);
    const double depth = isolation_depth((uint64_t)sample);
    const double width =
        (double)isolation_row_elements((uint64_t)shape->dense, (uint64_t)shape->ids);
    const double gathered = isolation->trees * sample * width;

    return (struct kind_cost){
        .parameters = nodes_most(isolation, shape->rows) * NODE_NUMBERS,
        .multiplications = isolation->trees * depth,
        .bytes = 2 * sizeof(float) * nodes_most(isolation, shape->rows) * NODE_NUMBERS +
                 3 * sizeof(int64_t) * fmax(sample * width, fmin(gathered, 1 << 20)),
        .learning = isolation->trees * sample * depth * NODE_WORK,
        .row_learning = isolation->contamination > 0 ? 2 * isolation->trees * depth * 4 : 1,
    };
}

static void explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail)
{
    const struct isolation_params *isolation = isolation_params(params);
    const uint64_t sample = isolation_sample_rows(isolation, shape->rows);

    text_printf(detail, "%u tree%s of splits at random, each of %llu%s rows and at most %u deep; ",
                isolation->trees, isolation->trees == 1 ? "" : "s", (unsigned long long)sample,
                shape->rows > 0 ? "" : " or fewer", isolation_depth(sample));
    if (isolation->contamination > 0)
        text_printf(detail, "outliers are the share of %g of the training rows of least scores",
                    isolation->contamination);
    else
        text_printf(detail, "outliers are rows of scores below -0.5");
}

/* ---- stored models ---- */

static void write_content(const struct model *model, cJSON *object)
{
    trees_write_counts(trees_of(model), object);
}

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct isolation_model *isolation = ARENA_NEW(arena, struct isolation_model, 1);

    if (!isolation)
        return fail_no_memory(err);
    model->content = isolation;
    if (model->task != TASK_DETECTION)
        return fail(err, STATUS_CORRUPT, "model: an isolation forest does no %s",
                    task_words[model->task]);
    isolation->trees.outputs = 1;
    return trees_read_counts(object, model, &isolation->trees, err);
}

static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    *number = trees_of(model)->tree_count;
    return i < 1;
}

static bool array_of(const struct model *model, uint32_t i, struct model_array *array)
{
    struct isolation_model *isolation = (struct isolation_model *)(uintptr_t)model->content;

    if (i < TREES_ARRAYS)
        return trees_array(model, i, array);
    *array = (struct model_array){"threshold", 1, 1, true, &isolation->threshold};
    return i == TREES_ARRAYS;
}

static void params_of(const struct model *model, struct kind_params *params)
{
    const struct trees_model *trees = trees_of(model);

    isolation_params(params)->trees = trees->tree_count ? trees->tree_count : 1;
    isolation_params(params)->max_features = 1;
    if (trees->tree_count > 0)
        isolation_params(params)->max_samples =
            fmax(2, ((double)trees->node_count / trees->tree_count + 1) / 2);
}

static uint32_t outputs_of(const struct model *model)
{
    (void)model;
    return 1;
}

static uint32_t leaf_count(const struct model *model)
{
    return trees_of(model)->tree_count;
}

/* ---- scoring ---- */

struct workspace {
    const struct isolation_model *isolation;
    void *trees;
};

static void close_workspace(void *opened)
{
    struct workspace *workspace = opened;

    if (workspace)
        trees_scorer_close(workspace->trees);
    free(workspace);
}

static enum status open_workspace(const struct model *model, uint32_t rows_max, void **opened,
                                  struct error *err)
{
    struct workspace *workspace = calloc(1, sizeof *workspace);

    *opened = NULL;
    if (!workspace)
        return fail_no_memory(err);
    workspace->isolation = isolation_of(model);
    if (trees_scorer_open(model, rows_max, &workspace->trees, err) != STATUS_OK) {
        close_workspace(workspace);
        return err->status;
    }
    *opened = workspace;
    return STATUS_OK;
}

static void score(void *opened, const float *dense, const int32_t *ids, uint32_t count,
                  float *outputs)
{
    const struct workspace *workspace = opened;
    const double threshold = (double)*workspace->isolation->threshold;

    trees_score(workspace->trees, dense, ids, count, outputs);
    for (uint32_t row = 0; row < count; row++)
        outputs[row] = (float)(threshold - exponential_double((double)outputs[row] * -LN_2));
}

static void leaves(void *opened, const float *dense, const int32_t *ids, uint32_t *found)
{
    const struct workspace *workspace = opened;

    trees_leaves(workspace->trees, dense, ids, found);
}

static enum status formulas(const struct model *model, struct formula_program *program,
                            const struct formula_row *row, const struct formula **outputs,
                            struct error *err)
{
    TRY(trees_formulas(model, program, row, outputs, err));
    outputs[0] = formula_of(program, FORMULA_SUBTRACT,
                            formula_number(program, (double)*isolation_of(model)->threshold),
                            formula_exp(program, formula_times(program, outputs[0], -LN_2), 700));
    return STATUS_OK;
}

const struct kind isolation_kind = {
    .name = "isolation",
    .attributes = &isolation_attributes,
    .sections = (const char *const[]){NULL},
    .without = (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                                     "train.max_seconds", "train.shuffle", "train.early_stopping",
                                     "train.sample_weight", "train.label_upper_bound",
                                     "train.group", "model.standardize", NULL},
    .keeps_numbers = true,
    .takes_no_texts = true,
    .counts_words = true,
    .words_most = ISOLATION_WORDS,
    .check_inputs = check_inputs,
    .cost = cost,
    .size_attribute = "model.n_estimators",
    .size_hint = "Nodes of all trees are counted; lower model.n_estimators or model.max_samples.",
    .held = "nodes of trees, and the rows that they are grown from",
    .is_at_most = true,
    .explained = "isolation forest",
    .explain = explain,
    .write_content = write_content,
    .read_content = read_content,
    .number = number_of,
    .array = array_of,
    .check = trees_check,
    .params_of = params_of,
    .outputs = outputs_of,
    .row_bytes = trees_row_bytes,
    .open = open_workspace,
    .score = score,
    .close = close_workspace,
    .leaf_count = leaf_count,
    .leaves = leaves,
    .shap_open = trees_shap_open,
    .shap = trees_shap,
    .shap_close = trees_shap_close,
    .formulas = formulas,
};
