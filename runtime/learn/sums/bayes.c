#include "runtime/learn/sums/bayes.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "jobspec/job_size.h"
#include "kinds/bayes/bayes_kind.h"
#include "kinds/bayes/bayes_model.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/sums/newton_lanes.h"
#include "runtime/learn/sums/row_sums.h"
#include "scoring/numbers/elementary.h"
#include "scoring/transform/feature_names.h"

enum bayes_phase { BAYES_COUNT, BAYES_SPREAD, BAYES_PHASES };

/* Sums of the first phase, and state: of the classes the weights, of each class and column of dense
 * the weight of its rows, and a number that is the sum, then the mean; of each word and class the
 * weight. The state has the squares, then the variances behind. */
struct bayes_parts {
    double *classes;          /* (classes) */
    double *weights, *values; /* (classes, width) */
    double *words;            /* (id_rows, classes) */
    double *squares;          /* (classes, width) */
};

struct bayes {
    struct arena space; /* the arrays' memory */
    const struct dataset *dataset;
    struct bayes_params params;
    uint32_t classes, width, id_rows;
    float *row; /* (width) */
    float *priors, *means, *variances, *likelihoods;
    struct bayes_model content;
};

static size_t numbers_of(const struct bayes *bayes)
{
    return (size_t)bayes->classes * bayes->width;
}

static size_t counted(const struct bayes *bayes)
{
    return bayes->classes + 2 * numbers_of(bayes) + (size_t)bayes->id_rows * bayes->classes;
}

static struct bayes_parts parts_of(const struct bayes *bayes, double *array)
{
    const size_t numbers = numbers_of(bayes);
    struct bayes_parts parts = {.classes = array};

    parts.weights = parts.classes + bayes->classes;
    parts.values = parts.weights + numbers;
    parts.words = parts.values + numbers;
    parts.squares = parts.words + (size_t)bayes->id_rows * bayes->classes;
    return parts;
}

/* ---- sums ---- */

static uint32_t sums(const void *self, uint64_t phase)
{
    const struct bayes *bayes = self;

    return (uint32_t)(phase == BAYES_COUNT ? counted(bayes) : numbers_of(bayes));
}

/* Its place among numbers of classes and columns; false: it was NULL. */
static bool find_number(const struct bayes *bayes, const struct transform_input *input,
                        uint32_t class, size_t *at)
{
    *at = (size_t) class * bayes->width + input->dense_offset;
    return input->spec.type == INPUT_NUMERIC &&
           !transform_was_null(input, bayes->row + input->dense_offset);
}

/* The words of a text, as often as each counts. */
static void count_text(const struct bayes *bayes, const struct transform_input *input,
                       const int32_t *ids, double weight, double *words)
{
    const struct text_ids text = text_ids_of(input);
    const uint32_t used = text_ids_used(ids + text.first, text.count);
    const struct text_shares shares = text_shares_of(&text, ids, used);

    for (uint32_t i = 0; i < used; i++)
        words[(size_t)ids[text.first + i] * bayes->classes] +=
            weight * (double)text_share(&shares, i);
}

static void count_row(const struct bayes *bayes, uint64_t row, const struct bayes_parts *parts)
{
    const struct transform *transform = &bayes->dataset->transform;
    const struct dataset_part *part = &bayes->dataset->train;
    const double weight = newton_row_weight(bayes->dataset, row);
    const uint32_t class = (uint32_t)part->classes[row];
    size_t at;

    parts->classes[class] += weight;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (find_number(bayes, input, class, &at)) {
            parts->weights[at] += weight;
            parts->values[at] += weight * (double)bayes->row[input->dense_offset];
        } else if (input->spec.type == INPUT_CATEGORY) {
            const int32_t id = part->ids[row * transform->id_count + input->id_offset];

            if (id >= 0)
                parts->words[(size_t)id * bayes->classes + class] += weight;
        } else if (input->spec.type == INPUT_TEXT) {
            count_text(bayes, input, part->ids + row * transform->id_count, weight,
                       parts->words + class);
        }
    }
}

static void spread_row(const struct bayes *bayes, uint64_t row, const double *means,
                       double *squares)
{
    const struct transform *transform = &bayes->dataset->transform;
    const double weight = newton_row_weight(bayes->dataset, row);
    const uint32_t class = (uint32_t)bayes->dataset->train.classes[row];
    size_t at;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        double rest;

        if (!find_number(bayes, input, class, &at))
            continue;
        rest = (double)bayes->row[input->dense_offset] - means[at];
        squares[at] += weight * rest * rest;
    }
}

static enum status add(void *self, const struct row_range *rows, const double *state, double *added,
                       struct error *err)
{
    const struct bayes *bayes = self;
    const struct bayes_parts sums_of_rows = parts_of(bayes, added);
    const struct bayes_parts learned = parts_of(bayes, (double *)(uintptr_t)state);
    (void)err;

    for (uint64_t row = rows->first; row < rows->end; row++) {
        if (bayes->width > 0)
            dataset_take_row(bayes->dataset, &bayes->dataset->train, row, bayes->row);
        if (rows->phase == BAYES_COUNT)
            count_row(bayes, row, &sums_of_rows);
        else
            spread_row(bayes, row, learned.values, added);
    }
    return STATUS_OK;
}

/* ---- apply ---- */

/* A class without such a number has the mean and variance of all rows, 0 and 1. */
static enum status apply_counts(const struct bayes *bayes, const double *totals, double *state,
                                struct error *err)
{
    const struct bayes_parts parts = parts_of(bayes, state);

    for (size_t i = 0; i < counted(bayes); i++)
        state[i] = totals[i];
    for (uint32_t c = 0; c < bayes->classes; c++)
        if (!(parts.classes[c] > 0))
            return fail(err, STATUS_FAILED, "all rows of a class have the weight 0");
    for (size_t i = 0; i < numbers_of(bayes); i++)
        parts.values[i] = parts.weights[i] > 0 ? parts.values[i] / parts.weights[i] : 0;
    return STATUS_OK;
}

static void apply_squares(const struct bayes *bayes, const double *totals, double *state)
{
    const struct bayes_parts parts = parts_of(bayes, state);

    for (size_t i = 0; i < numbers_of(bayes); i++)
        parts.squares[i] =
            parts.weights[i] > 0 ? totals[i] / parts.weights[i] + bayes->params.var_smoothing : 1;
}

static enum status apply(void *self, uint64_t phase, double *totals, double *state,
                         struct learner_report *report, bool *is_last, struct error *err)
{
    const struct bayes *bayes = self;

    report->train_loss = NAN;
    if (phase == BAYES_COUNT)
        return apply_counts(bayes, totals, state, err);
    apply_squares(bayes, totals, state);
    *is_last = true;
    return STATUS_OK;
}

/* ---- the model ---- */

static void fill_words(struct bayes *bayes, const struct transform_input *input,
                       const double *words)
{
    const double alpha = bayes->params.alpha;

    for (uint32_t c = 0; c < bayes->classes; c++) {
        double all = alpha * feature_count(input);

        for (uint32_t i = 0; i < input->id_rows; i++)
            all += words[(size_t)(input->first_id + i) * bayes->classes + c];
        for (uint32_t i = 0; i < input->id_rows && all > 0; i++) {
            const size_t at = (size_t)(input->first_id + i) * bayes->classes + c;

            bayes->likelihoods[at] = (float)logarithm_double((words[at] + alpha) / all);
        }
    }
}

static void fill(void *self, const double *state, struct model *model)
{
    struct bayes *bayes = self;
    const struct bayes_parts parts = parts_of(bayes, (double *)(uintptr_t)state);
    const struct transform *transform = &bayes->dataset->transform;
    double all = 0;

    for (uint32_t c = 0; c < bayes->classes; c++)
        all += parts.classes[c];
    for (uint32_t c = 0; c < bayes->classes; c++)
        bayes->priors[c] = (float)logarithm_double(parts.classes[c] / all);
    for (size_t i = 0; i < numbers_of(bayes); i++) {
        bayes->means[i] = (float)parts.values[i];
        bayes->variances[i] = (float)parts.squares[i];
    }
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type != INPUT_NUMERIC)
            fill_words(bayes, &transform->inputs[i], parts.words);
    bayes->content =
        (struct bayes_model){bayes->classes, bayes->width,     bayes->id_rows,    bayes->priors,
                             bayes->means,   bayes->variances, bayes->likelihoods};
    model->content = &bayes->content;
}

/* ---- open ---- */

static void bayes_close(void *self)
{
    struct bayes *bayes = self;

    arena_deinit(&bayes->space);
}

static enum status check_plan(const struct bayes *bayes, const struct jobspec *spec,
                              struct error *err)
{
    const struct transform *transform = &bayes->dataset->transform;
    const struct kind_shape shape = {.task = spec->task,
                                     .classes = bayes->classes,
                                     .dense = transform->dense_width,
                                     .ids = transform->id_inputs,
                                     .id_rows = transform->id_rows};
    const struct kind_cost cost = bayes_kind.cost(&spec->params, &shape);
    const double bytes = job_learner_bytes(&cost, false, (double)bayes->dataset->train.rows);
    const uint64_t most = learner_bytes_max(spec);

    if (bytes <= (double)most && cost.parameters <= (double)JOB_SHARED_PARAMETERS_MAX / 2)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "%u classes of %u columns and %u words need %.0f bytes to train, and a worker has at most "
         "%llu",
         bayes->classes, bayes->width, bayes->id_rows, bytes, (unsigned long long)most);
    return learner_hint_bytes(
        spec, "Select fewer columns, or keep fewer distinct values by VOCABULARY(c, n).", err);
}

static enum status allocate(struct bayes *bayes, struct error *err)
{
    struct arena *space = &bayes->space;
    const size_t numbers = numbers_of(bayes) + 1;

    bayes->row = arena_alloc_array(space, bayes->width + 1u, sizeof *bayes->row);
    bayes->priors = arena_alloc_array(space, bayes->classes, sizeof *bayes->priors);
    bayes->means = arena_alloc_array(space, numbers, sizeof *bayes->means);
    bayes->variances = arena_alloc_array(space, numbers, sizeof *bayes->variances);
    bayes->likelihoods = arena_alloc_array(space, (size_t)bayes->id_rows * bayes->classes + 1,
                                           sizeof *bayes->likelihoods);
    return bayes->row && bayes->priors && bayes->means && bayes->variances && bayes->likelihoods
               ? STATUS_OK
               : fail_no_memory(err);
}

static enum status plan(void *self, const struct jobspec *spec, const struct dataset *dataset,
                        struct row_sums_plan *plan, struct error *err)
{
    struct bayes *bayes = self;

    arena_init(&bayes->space, SIZE_MAX);
    bayes->dataset = dataset;
    bayes->params = *bayes_params(&spec->params);
    bayes->classes = dataset->labels.count;
    bayes->width = dataset->transform.dense_width;
    bayes->id_rows = dataset->transform.id_rows;
    TRY(check_plan(bayes, spec, err));
    TRY(allocate(bayes, err));
    plan->state_count = counted(bayes) + numbers_of(bayes);
    plan->sums_most = sums(bayes, BAYES_COUNT);
    plan->lane_work = plan->sums_most;
    plan->row_work = (double)counted(bayes);
    plan->steps_most = BAYES_PHASES;
    return STATUS_OK;
}

const struct row_sums_method bayes_method = {
    .bytes = sizeof(struct bayes),
    .step = "pass",
    .first_step = BAYES_COUNT,
    .plan = plan,
    .close = bayes_close,
    .sums = sums,
    .add = add,
    .apply = apply,
    .fill = fill,
};
