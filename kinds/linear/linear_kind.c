#include "kinds/linear/linear_kind.h"

#include "kinds/linear/linear_attributes.h"
#include "kinds/network/network_formulas.h"
#include "kinds/network/network_kind.h"
#include "kinds/network/network_model.h"
#include "kinds/network/network_score.h"

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    TRY(network_read_content(object, arena, model, err));
    if (network_of(model)->layer_count == 1)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "model: a linear model of %u layers, where it has 1",
                network_of(model)->layer_count);
}

static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    *number = network_of(model)->layer_count;
    return i < 1;
}

static void params_of(const struct model *model, struct kind_params *params)
{
    (void)model;
    linear_params(params)->rounds = 1;
}

static enum far_values far_values_of(const struct kind_params *params)
{
    (void)params;
    return FAR_TOLD;
}

/* A regression has no other loss. */
static bool squares_errors(const struct kind_params *params)
{
    (void)params;
    return true;
}

const struct kind linear_kind = {
    .name = "linear",
    .attributes = &linear_attributes,
    .sections = (const char *const[]){NULL},
    .without = (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                                     "train.max_seconds", "train.shuffle", "train.early_stopping",
                                     "train.label_upper_bound", "train.base_margin",
                                     "train.exposure", NULL},
    .settle = linear_settle,
    .task_attribute = "objective",
    .task_of = linear_task,
    .uses = linear_uses,
    .cost = linear_cost,
    .far_values = far_values_of,
    .squares_errors = squares_errors,
    .size_hint = "Weights and the sums of products of all pairs of columns are counted; select "
                 "fewer columns, or keep fewer distinct values by VOCABULARY(column, n).",
    .held = "weights and the sums of products of all pairs of columns",
    .is_at_most = true,
    .explained = "weights",
    .explain = linear_explain,
    .write_content = network_write_content,
    .read_content = read_content,
    .number = number_of,
    .array = network_array_of,
    .params_of = params_of,
    .linear = network_linear_of,
    .outputs = network_outputs_of,
    .row_bytes = network_row_bytes,
    .open = network_scorer_open,
    .score = network_score,
    .close = network_scorer_close,
    .formulas = network_formulas,
};
