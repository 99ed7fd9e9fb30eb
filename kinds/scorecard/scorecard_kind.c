#include "kinds/scorecard/scorecard_kind.h"

#include <math.h>

#include "kinds/scorecard/scorecard_formulas.h"
#include "kinds/scorecard/scorecard_inside.h"
#include "kinds/scorecard/scorecard_model.h"
#include "params/attribute_rows.h"
#include "scoring/numbers/elementary.h"

_Static_assert(sizeof(struct scorecard_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

/* ---- statements ---- */

ATTRIBUTE_TABLE(scorecard_attributes, struct scorecard_params, SCORECARD_ATTRIBUTES)

static uint32_t buckets(const struct kind_params *params)
{
    return scorecard_params(params)->bins;
}

static enum status check_inputs(const struct kind_params *params, const struct kind_shape *shape,
                                struct error *err)
{
    (void)params;
    if (shape->classes > 2)
        return fail(err, STATUS_INVALID, "a ScoreCard needs two classes, not %u", shape->classes),
               error_hint(err, "Make two of them in the SELECT, as in k = 'bad' AS is_bad.");
    if (shape->ids <= SCORECARD_INPUTS_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT, "%.0f inputs, where a ScoreCard has at most %d", shape->ids,
         SCORECARD_INPUTS_MAX);
    return error_hint(err, "Select fewer columns.");
}

/* The memory of runtime/learn/sums/scorecard.c: the counts of each bin in the state, in one that is
 * taken, in sums of two integers and in their totals; sums and totals of the products of all pairs
 * of inputs, and a matrix. */
static struct kind_cost cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const double inputs =
        1 + (shape->ids < SCORECARD_INPUTS_MAX ? shape->ids : SCORECARD_INPUTS_MAX);
    const double turns = 7; /* the usual number */
    (void)params;

    return (struct kind_cost){
        .parameters = shape->id_rows + inputs,
        .multiplications = inputs,
        .bytes = (2 * shape->id_rows * 8 + inputs * inputs * 4) * sizeof(double),
        .learning = turns * inputs * inputs * inputs,
        .row_learning = turns * inputs * inputs / 2,
    };
}

static void explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail)
{
    text_printf(detail,
                "of %.0f input%s, numbers in %u buckets, by Newton's steps: at most %u passes over "
                "the rows",
                shape->ids, shape->ids == 1 ? "" : "s", scorecard_params(params)->bins,
                scorecard_params(params)->iterations + 1);
}

/* ---- stored models ---- */

static void write_content(const struct model *model, cJSON *object)
{
    const struct scorecard_model *card = scorecard_of(model);

    json_add_reals(object, "scale", (const double *)(const void *)&card->scale,
                   SCORECARD_SCALE_NUMBERS);
    json_add_reals(object, "bad", card->bad, card->bins);
    json_add_reals(object, "good", card->good, card->bins);
    json_add_reals(object, "coefficients", card->coefficients, 1 + (size_t)card->inputs);
}

static enum status check_transform(const struct model *model, struct error *err)
{
    if (model->task != TASK_CLASSIFICATION || model->labels.count != 2)
        return fail(err, STATUS_CORRUPT, "model: a score card of other than two classes");
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        if (model->transform.inputs[i].spec.type != INPUT_CATEGORY)
            return fail(err, STATUS_CORRUPT, "model: a score card of an input that has no bins");
    if (model->transform.input_count == 0 || model->transform.input_count > SCORECARD_INPUTS_MAX)
        return fail(err, STATUS_CORRUPT, "model: a score card of %u inputs",
                    model->transform.input_count);
    if (transform_size_of(&model->transform).id_rows > SCORECARD_BINS_MAX)
        return fail(err, STATUS_CORRUPT, "model: a score card of more than %d bins",
                    SCORECARD_BINS_MAX);
    return STATUS_OK;
}

static enum status check_numbers(const struct scorecard_model *card, struct error *err)
{
    for (uint32_t i = 0; i < card->bins; i++)
        if (card->bad[i] < 0 || card->good[i] < 0)
            return fail(err, STATUS_CORRUPT, "model: a bin of less than no row");
    if (!(card->scale.smoothing > 0) || !(card->scale.base_odds > 0) || !(card->scale.pdo > 0))
        return fail(err, STATUS_CORRUPT, "model: a score card without a scale");
    return STATUS_OK;
}

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct scorecard_model *card = ARENA_NEW(arena, struct scorecard_model, 1);
    double *numbers;
    size_t bins;

    if (!card)
        return fail_no_memory(err);
    model->content = card;
    TRY(check_transform(model, err));
    bins = transform_size_of(&model->transform).id_rows;
    *card =
        (struct scorecard_model){.inputs = model->transform.input_count, .bins = (uint32_t)bins};
    numbers = ARENA_NEW(arena, double, 2 * bins + card->inputs + 1);
    if (!numbers)
        return fail_no_memory(err);
    card->bad = numbers;
    card->good = numbers + bins;
    card->coefficients = numbers + 2 * bins;
    TRY(json_get_reals(object, "scale", SCORECARD_SCALE_NUMBERS, (double *)(void *)&card->scale,
                       err));
    TRY(json_get_reals(object, "bad", bins, numbers, err));
    TRY(json_get_reals(object, "good", bins, numbers + bins, err));
    TRY(json_get_reals(object, "coefficients", 1 + (size_t)card->inputs, numbers + 2 * bins, err));
    return check_numbers(card, err);
}

/* The bits of all numbers of the meta row. */
static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    const struct scorecard_model *card = scorecard_of(model);
    const struct {
        const double *numbers;
        uint32_t count;
    } parts[] = {{(const double *)(const void *)&card->scale, SCORECARD_SCALE_NUMBERS},
                 {card->bad, card->bins},
                 {card->good, card->bins},
                 {card->coefficients, 1 + card->inputs}};

    for (size_t j = 0; j < sizeof parts / sizeof *parts; i -= parts[j++].count)
        if (i < parts[j].count) {
            *number = double_bits(parts[j].numbers[i]);
            return true;
        }
    return false;
}

static bool array_of(const struct model *model, uint32_t i, struct model_array *array)
{
    struct scorecard_model *card = (struct scorecard_model *)(uintptr_t)model->content;
    const struct model_array arrays[] = {
        {"weights", card->bins, 1, true, &card->weights},
        {"bias", 1, 1, true, &card->bias},
    };

    if (i >= sizeof arrays / sizeof *arrays)
        return false;
    *array = arrays[i];
    return true;
}

/* Once ids are known, the counts of all rows are. */
static enum status check(const struct model *model, struct error *err)
{
    struct scorecard_model *card = (struct scorecard_model *)(uintptr_t)model->content;

    scorecard_count_all(card, &model->transform);
    if (card->all_bad > 0 && card->all_good > 0)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "model: a score card of rows of one class");
}

static void params_of(const struct model *model, struct kind_params *params)
{
    (void)model;
    (void)params;
}

static bool linear_of(const struct model *model, struct linear_weights *linear)
{
    const struct scorecard_model *card = scorecard_of(model);

    *linear = (struct linear_weights){card->weights, card->bias, 1};
    return true;
}

/* ---- scoring ---- */

static uint32_t outputs_of(const struct model *model)
{
    (void)model;
    return 1;
}

static enum status open_workspace(const struct model *model, uint32_t rows_max, void **workspace,
                                  struct error *err)
{
    (void)rows_max;
    (void)err;
    *workspace = (void *)(uintptr_t)model; /* nothing besides */
    return STATUS_OK;
}

static void score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                  float *outputs)
{
    const struct model *model = workspace;
    const struct scorecard_model *card = scorecard_of(model);
    (void)dense;

    for (uint32_t row = 0; row < count; row++, ids += model->transform.id_count) {
        double sum = (double)*card->bias;

        for (uint32_t i = 0; i < card->inputs; i++) {
            const int32_t id = ids[model->transform.inputs[i].id_offset];

            sum += id >= 0 ? (double)card->weights[id] : 0;
        }
        outputs[row] = (float)sum;
    }
}

const struct kind scorecard_kind = {
    .name = "scorecard",
    .weighs_each_class = true,
    .attributes = &scorecard_attributes,
    .sections = (const char *const[]){NULL},
    .without = (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                                     "train.max_seconds", "train.shuffle", "train.early_stopping",
                                     "train.class_weight", "train.label_upper_bound",
                                     "model.standardize", WITHOUT_OFFSET, NULL},
    .takes_no_texts = true,
    .buckets = buckets,
    .check_inputs = check_inputs,
    .cost = cost,
    .size_hint = "Bins and the sums of products of all pairs of columns are counted; select fewer "
                 "columns, or keep fewer distinct values by VOCABULARY(column, n).",
    .held = "bins and the sums of products of all pairs of columns",
    .is_at_most = true,
    .explained = "score card",
    .explain = explain,
    .write_content = write_content,
    .read_content = read_content,
    .number = number_of,
    .array = array_of,
    .check = check,
    .params_of = params_of,
    .linear = linear_of,
    .insides = scorecard_insides,
    .outputs = outputs_of,
    .points = scorecard_points,
    .open = open_workspace,
    .score = score,
    .formulas = scorecard_formulas,
};
