#include "kinds/bayes/bayes_kind.h"

#include "kinds/bayes/bayes_formulas.h"
#include "kinds/bayes/bayes_inside.h"
#include "kinds/bayes/bayes_model.h"
#include "kinds/bayes/bayes_score.h"
#include "params/attribute_rows.h"

_Static_assert(sizeof(struct bayes_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

/* ---- statements ---- */

ATTRIBUTE_TABLE(bayes_attributes, struct bayes_params, BAYES_ATTRIBUTES)

/* The memory of runtime/learn/sums/bayes.c: of each class a few numbers of each column and word, in
 * the state, in one that is taken and in sums of two integers, and their totals. */
static struct kind_cost cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const double classes = shape->classes > 2 ? shape->classes : 2;
    const double columns = 2 * shape->dense + shape->id_rows + 1;
    (void)params;

    return (struct kind_cost){
        .parameters = classes * columns,
        .multiplications = classes * (2 * shape->dense + shape->ids),
        .bytes = classes * columns * 12 * sizeof(double),
        .learning = classes * columns,
        .row_learning = 4 * shape->dense + shape->ids,
    };
}

static void explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail)
{
    (void)params;
    text_printf(detail,
                "normal densities of %.0f number%s, shares of the words of %.0f categor%s: "
                "two passes over the rows",
                shape->dense, shape->dense == 1 ? "" : "s", shape->ids,
                shape->ids == 1 ? "y" : "ies");
}

/* ---- stored models ---- */

static void write_content(const struct model *model, cJSON *object)
{
    json_add_integer(object, "classes", bayes_of(model)->classes);
}

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct bayes_model *bayes = ARENA_NEW(arena, struct bayes_model, 1);
    const struct transform_size size = transform_size_of(&model->transform);
    int64_t classes;

    if (!bayes)
        return fail_no_memory(err);
    model->content = bayes;
    if (model->task != TASK_CLASSIFICATION)
        return fail(err, STATUS_CORRUPT, "model: naive Bayes does no %s", task_words[model->task]);
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        if (model->transform.inputs[i].spec.type == INPUT_TEXT &&
            !model->transform.inputs[i].spec.weight)
            return fail(err, STATUS_CORRUPT, "model: naive Bayes of a text");
    TRY(json_get_integer(object, "classes", model->labels.count, model->labels.count, &classes,
                         err));
    *bayes = (struct bayes_model){.classes = (uint32_t)classes, .width = size.dense};
    if (((uint64_t)size.dense * 2 + size.id_rows + 1) * bayes->classes > MODEL_PARAMETERS_MAX)
        return fail(err, STATUS_CORRUPT, "model: more than %llu parameters",
                    (unsigned long long)MODEL_PARAMETERS_MAX);
    bayes->id_rows = (uint32_t)size.id_rows;
    return STATUS_OK;
}

static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    *number = bayes_of(model)->classes;
    return i < 1;
}

static bool array_of(const struct model *model, uint32_t i, struct model_array *array)
{
    struct bayes_model *bayes = (struct bayes_model *)(uintptr_t)model->content;
    const struct model_array arrays[] = {
        {"priors", 1, bayes->classes, true, &bayes->priors},
        {"means", bayes->classes, bayes->width, true, &bayes->means},
        {"variances", bayes->classes, bayes->width, true, &bayes->variances},
        {"likelihoods", bayes->id_rows, bayes->classes, true, &bayes->likelihoods},
    };

    if (i >= sizeof arrays / sizeof *arrays)
        return false;
    *array = arrays[i];
    return true;
}

static enum status check(const struct model *model, struct error *err)
{
    const struct bayes_model *bayes = bayes_of(model);

    for (size_t i = 0; i < (size_t)bayes->classes * bayes->width; i++)
        if (!(bayes->variances[i] > 0))
            return fail(err, STATUS_CORRUPT, "model: a variance is not above 0");
    return STATUS_OK;
}

static void params_of(const struct model *model, struct kind_params *params)
{
    (void)model;
    (void)params;
}

/* ---- scoring ---- */

static uint32_t outputs_of(const struct model *model)
{
    const uint32_t classes = bayes_of(model)->classes;

    return classes == 2 ? 1 : classes;
}

const struct kind bayes_kind = {
    .name = "bayes",
    .weighs_each_class = true,
    .attributes = &bayes_attributes,
    .sections = (const char *const[]){NULL},
    .without =
        (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                              "train.max_seconds", "train.shuffle", "train.early_stopping",
                              "train.label_upper_bound", "model.standardize", WITHOUT_OFFSET, NULL},
    .takes_no_texts = true,
    .counts_terms = true,
    .cost = cost,
    .size_hint =
        "Each class has counts for each column and each distinct value; select fewer columns, or "
        "keep fewer values by VOCABULARY(column, n).",
    .held = "parameters and their sums",
    .is_at_most = true,
    .explained = "likelihoods",
    .explain = explain,
    .write_content = write_content,
    .read_content = read_content,
    .number = number_of,
    .array = array_of,
    .check = check,
    .params_of = params_of,
    .insides = bayes_insides,
    .outputs = outputs_of,
    .open = bayes_scorer_open,
    .score = bayes_score,
    .close = bayes_scorer_close,
    .formulas = bayes_formulas,
};
