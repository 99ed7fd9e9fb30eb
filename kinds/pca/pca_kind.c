#include "kinds/pca/pca_kind.h"

#include <math.h>

#include "kinds/pca/pca_formulas.h"
#include "kinds/pca/pca_inside.h"
#include "kinds/pca/pca_model.h"
#include "kinds/pca/pca_score.h"
#include "params/attribute_rows.h"
#include "scoring/numbers/elementary.h"
#include "scoring/transform/spread.h"

_Static_assert(sizeof(struct pca_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

/* ---- statements ---- */

ATTRIBUTE_TABLE(pca_attributes, struct pca_params, PCA_ATTRIBUTES)

uint32_t pca_components(const struct kind_params *params, uint32_t rank)
{
    const uint32_t most = rank < COMPONENTS_MAX ? rank : COMPONENTS_MAX;
    const uint32_t wanted = pca_params(params)->components;

    return wanted > 0 ? wanted : most;
}

enum status pca_check(const struct kind_params *params, double columns, double rank,
                      struct error *err)
{
    const double wanted = pca_params(params)->components;

    if (columns > PCA_INPUTS_MAX)
        return fail(err, STATUS_LIMIT,
                    "%.0f inputs, of which the products of all pairs would take %.0f bytes, where "
                    "principal components are of %d at most",
                    columns, columns * columns * sizeof(double), PCA_INPUTS_MAX),
               error_hint(err, "Select fewer columns. Each word of a category is an input: COLUMN "
                               "VOCABULARY(c, 100) takes the 100 most frequent ones.");
    if (wanted > rank)
        return fail(err, STATUS_INVALID, "model.n_components = %.0f, where there are %.0f inputs",
                    wanted, rank),
               error_hint(err, "There are no more principal components than inputs; a category "
                               "counts as its words but one.");
    return STATUS_OK;
}

/* How many words categories have is known when all rows were read. */
static enum status check_inputs(const struct kind_params *params, const struct kind_shape *shape,
                                struct error *err)
{
    return pca_check(params, shape->dense + shape->id_rows,
                     shape->ids > 0 ? COMPONENTS_MAX : shape->dense, err);
}

/* The memory of runtime/learn/sums/pca.c: sums of the products of all pairs of inputs, two integers
 * each, and their totals; three matrices from which the components are found; and the loadings of
 * each component in the state, in one that is taken, and as they are stored. */
static struct kind_cost cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const double inputs = fmin(shape->dense + shape->id_rows, PCA_INPUTS_MAX);
    const double loadings = inputs * pca_components(params, (uint32_t)inputs);

    return (struct kind_cost){
        .parameters = loadings + inputs,
        .multiplications = 2 * loadings,
        .bytes =
            (inputs * (inputs + 1) / 2 * 5 + 3 * inputs * inputs + 3 * loadings) * sizeof(double),
        .learning = 5 * inputs * inputs * inputs,
        .row_learning = inputs * inputs / 2 + inputs,
    };
}

static void explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail)
{
    const uint32_t known = shape->ids > 0 ? COMPONENTS_MAX : (uint32_t)shape->dense;

    if (shape->ids > 0 && pca_params(params)->components == 0)
        text_append_string(detail, "at most ");
    text_printf(detail, "%u of ", pca_components(params, known));
    kind_shape_append(shape, detail);
    text_append_string(detail, ": two passes over the rows");
}

/* ---- stored models ---- */

static void write_content(const struct model *model, cJSON *object)
{
    const struct pca_model *pca = pca_of(model);

    json_add_integer(object, "components", pca->components);
    json_add_reals(object, "variances", pca->variances, pca->components);
    json_add_real(object, "variance", pca->variance);
}

static enum status check_transform(const struct model *model, struct error *err)
{
    const struct transform *transform = &model->transform;

    if (model->task != TASK_PROJECTION)
        return fail(err, STATUS_CORRUPT, "model: principal components do no %s",
                    task_words[model->task]);
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_TEXT)
            return fail(err, STATUS_CORRUPT,
                        "model: principal components with an input that is a text");
    return STATUS_OK;
}

static enum status check_variances(const struct pca_model *pca, struct error *err)
{
    for (uint32_t i = 0; i < pca->components; i++)
        if (pca->variances[i] < 0)
            return fail(err, STATUS_CORRUPT, "model: a variance is below 0");
    if (!isfinite(pca->variance) || !(pca->variance > 0))
        return fail(err, STATUS_CORRUPT, "model: the variance of all inputs is not above 0");
    return STATUS_OK;
}

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct pca_model *pca = ARENA_NEW(arena, struct pca_model, 1);
    double *variances;
    int64_t components;
    uint64_t width;

    if (!pca)
        return fail_no_memory(err);
    model->content = pca;
    TRY(check_transform(model, err));
    /* spread_numbers_width, of a transform that is not finished */
    width = spread_number_count(&model->transform) + transform_size_of(&model->transform).id_rows;
    if (width == 0 || width > PCA_INPUTS_MAX)
        return fail(err, STATUS_CORRUPT, "model: principal components of %llu inputs",
                    (unsigned long long)width);
    *pca = (struct pca_model){.inputs = (uint32_t)width};
    TRY(json_get_integer(object, "components", 1,
                         pca->inputs < COMPONENTS_MAX ? pca->inputs : COMPONENTS_MAX, &components,
                         err));
    pca->components = model->components = (uint32_t)components;
    pca->variances = variances = ARENA_NEW(arena, double, pca->components);
    if (!variances)
        return fail_no_memory(err);
    TRY(json_get_reals(object, "variances", pca->components, variances, err));
    TRY(json_get_real(object, "variance", &pca->variance, err));
    return check_variances(pca, err);
}

static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    const struct pca_model *pca = pca_of(model);

    if (i > pca->components + 1)
        return false;
    *number = i == 0                 ? pca->components
              : i <= pca->components ? double_bits(pca->variances[i - 1])
                                     : double_bits(pca->variance);
    return true;
}

static bool array_of(const struct model *model, uint32_t i, struct model_array *array)
{
    struct pca_model *pca = (struct pca_model *)(uintptr_t)model->content;
    const struct model_array arrays[] = {
        {"means", 1, pca->inputs, true, &pca->means},
        {"loadings", pca->components, pca->inputs, true, &pca->loadings},
    };

    if (i >= sizeof arrays / sizeof *arrays)
        return false;
    *array = arrays[i];
    return true;
}

static void params_of(const struct model *model, struct kind_params *params)
{
    pca_params(params)->components = pca_of(model)->components;
}

/* ---- scoring ---- */

static uint32_t outputs_of(const struct model *model)
{
    return pca_of(model)->components + 1;
}

static enum far_values far_values_of(const struct kind_params *params)
{
    (void)params;
    return FAR_TOLD;
}

const struct kind pca_kind = {
    .name = "pca",
    .attributes = &pca_attributes,
    .sections = (const char *const[]){NULL},
    .without = (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                                     "train.max_seconds", "train.shuffle", "train.early_stopping",
                                     "train.label_upper_bound", "train.group", NULL},
    .spreads_words = true,
    .takes_no_texts = true,
    .is_shift_free = true,
    .check_inputs = check_inputs,
    .cost = cost,
    .far_values = far_values_of,
    .size_hint = "The sums of the products of all pairs of inputs are counted; select fewer "
                 "columns, or columns with fewer distinct values.",
    .held = "loadings and the sums of products of all pairs of inputs",
    .explained = "components",
    .explain = explain,
    .write_content = write_content,
    .read_content = read_content,
    .number = number_of,
    .array = array_of,
    .params_of = params_of,
    .insides = pca_insides,
    .outputs = outputs_of,
    .open = pca_scorer_open,
    .score = pca_score,
    .close = pca_scorer_close,
    .formulas = pca_formulas,
};
