#include "kinds/trees/trees_kind.h"

#include "kinds/trees/trees_attributes.h"
#include "kinds/trees/trees_formulas.h"
#include "kinds/trees/trees_model.h"
#include "kinds/trees/trees_score.h"
#include "kinds/trees/trees_shap.h"
#include "kinds/trees/trees_store.h"

static uint32_t leaf_count(const struct model *model)
{
    return trees_of(model)->tree_count;
}

static bool measures_itself(const struct kind_params *params)
{
    return trees_rank(trees_params(params)->objective);
}

static enum aim aim_of(const struct kind_params *params, enum task task)
{
    (void)task;
    return trees_aim(trees_params(params)->objective);
}

static uint64_t word_rows_least(const struct kind_params *params, uint32_t words)
{
    return trees_word_rows(trees_params(params), words);
}

/* Whether predictions are e to the sum. */
static bool takes_exposure(const struct kind_params *params)
{
    switch (trees_params(params)->objective) {
    case TREE_GAMMA:
    case TREE_TWEEDIE:
    case TREE_POISSON:
    case TREE_AFT:
    case TREE_COX:
        return true;
    default:
        return false;
    }
}

static bool squares_errors(const struct kind_params *params)
{
    const enum tree_objective_name objective = trees_params(params)->objective;

    return objective == TREE_AUTOMATIC || objective == TREE_SQUARED_ERROR;
}

const struct kind trees_kind = {
    .name = "trees",
    .attributes = &trees_attributes,
    .sections = (const char *const[]){NULL},
    .without =
        (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                              "train.max_seconds", "train.shuffle", "model.standardize", NULL},
    .keeps_numbers = true,
    .moves_label = trees_move_label,
    .takes_no_texts = true,
    .counts_words = true,
    .words_most = TREES_WORDS_MOST,
    .word_rows_least = word_rows_least,
    .goes_on = true,
    .settle = trees_settle,
    .task_attribute = "objective",
    .task_of = trees_task,
    .settle_inputs = trees_settle_inputs,
    .uses = trees_uses,
    .cost = trees_cost,
    .measures_itself = measures_itself,
    .aim = aim_of,
    .takes_exposure = takes_exposure,
    .squares_errors = squares_errors,
    .measures_rounds = true,
    .size_attribute = "max_leaves",
    .size_hint = "Histograms of the nodes that may still be split are counted; lower max_leaves or "
                 "max_bin, or keep fewer words of categories.",
    .held = "histograms of nodes",
    .is_at_most = true,
    .explained = "trees",
    .explain = trees_explain,
    .write_content = trees_write,
    .read_content = trees_read,
    .number = trees_number,
    .array = trees_array,
    .check = trees_check,
    .params_of = trees_params_of,
    .outputs = trees_outputs,
    .row_bytes = trees_row_bytes,
    .open = trees_scorer_open,
    .score = trees_score,
    .close = trees_scorer_close,
    .leaf_count = leaf_count,
    .leaves = trees_leaves,
    .shap_open = trees_shap_open,
    .shap = trees_shap,
    .shap_close = trees_shap_close,
    .formulas = trees_formulas,
};
