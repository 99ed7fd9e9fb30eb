#include "runtime/learn/near_copies.h"

#include <math.h>
#include <stdlib.h>

#define SAME_UNIT 0.01 /* a factor so near to 1 is 1 */

/* Some numeric inputs of the sample, and their products. */
struct moments {
    const struct dataset *dataset;
    uint32_t inputs[NEAR_COPIES_INPUTS], count;
    double means[NEAR_COPIES_INPUTS];
    double row[NEAR_COPIES_INPUTS];
    double products[NEAR_COPIES_INPUTS][NEAR_COPIES_INPUTS]; /* sums over rows, less the means */
};

/* NaN: it is missing. */
static double number_of(const struct dataset *dataset, uint32_t input, uint32_t row)
{
    const struct transform *transform = &dataset->transform;
    const struct transform_input *column = &transform->inputs[input];
    const float *dense =
        dataset->sample.dense + (size_t)row * transform->dense_width + column->dense_offset;

    return transform_was_null(column, dense) ? (double)NAN : (double)dense[0] * column->scale;
}

static void choose_inputs(struct moments *moments)
{
    const struct transform *transform = &moments->dataset->transform;

    for (uint32_t i = 0; i < transform->input_count && moments->count < NEAR_COPIES_INPUTS; i++) {
        const struct transform_input *input = &transform->inputs[i];

        /* Numbers of one list have one column: no difference of columns is theirs. */
        if (transform_is_number(input) && !input->spec.list.form && input->scale > 0)
            moments->inputs[moments->count++] = i;
    }
}

static void take_row(struct moments *moments, uint32_t row)
{
    for (uint32_t i = 0; i < moments->count; i++) {
        const double number = number_of(moments->dataset, moments->inputs[i], row);

        moments->row[i] = isnan(number) ? 0 : number - moments->means[i];
    }
}

static void measure(struct moments *moments)
{
    const uint32_t rows = (uint32_t)moments->dataset->sample.rows;
    double sums[NEAR_COPIES_INPUTS] = {0};
    uint32_t counts[NEAR_COPIES_INPUTS] = {0};

    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < moments->count; i++) {
            const double number = number_of(moments->dataset, moments->inputs[i], row);

            sums[i] += isnan(number) ? 0 : number;
            counts[i] += !isnan(number);
        }
    for (uint32_t i = 0; i < moments->count; i++)
        moments->means[i] = counts[i] > 0 ? sums[i] / counts[i] : 0;
    for (uint32_t row = 0; row < rows; row++) {
        take_row(moments, row);
        for (uint32_t i = 0; i < moments->count; i++)
            for (uint32_t j = i; j < moments->count; j++)
                moments->products[i][j] += moments->row[i] * moments->row[j];
    }
}

/* Is the later one of two inputs nearly `factor` times the earlier one? */
static bool are_near(const struct moments *moments, uint32_t i, uint32_t j, double *factor)
{
    const double square = moments->products[i][i], other = moments->products[j][j],
                 product = moments->products[i][j];

    if (!(square > 0) || !(other > 0) ||
        !(1 - product * product / square / other < NEAR_COPIES_LEFT))
        return false;
    *factor = product / square;
    if (fabs(*factor - 1) < SAME_UNIT)
        *factor = 1;
    return true;
}

static double explained_by(const struct near_copies *pair, const struct dataset *dataset,
                           struct leak_rule *rule)
{
    for (uint32_t row = 0; row < rule->rows; row++) {
        const double difference = number_of(dataset, pair->minuend, row) -
                                  pair->factor * number_of(dataset, pair->subtrahend, row);

        leak_rule_place(rule, row,
                        isnan(difference) ? LEAK_ALONE : leak_order_of((float)difference));
    }
    leak_rule_learn(rule, false);
    return 1 - fmin(leak_rule_left(rule, OF_EQUAL_OR_NEAREST, 0),
                    leak_rule_least_left(rule, OF_BOTH_NEXT));
}

enum status near_copies_find(struct near_copies *found, const struct dataset *dataset,
                             struct leak_rule *rule, struct error *err)
{
    struct moments *moments = calloc(1, sizeof *moments);
    uint32_t pairs = 0;

    *found = (struct near_copies){.explained = 0};
    if (!moments)
        return fail_no_memory(err);
    moments->dataset = dataset;
    choose_inputs(moments);
    measure(moments);
    for (uint32_t i = 0; i < moments->count; i++)
        for (uint32_t j = i + 1; j < moments->count && pairs < NEAR_COPIES_PAIRS; j++) {
            struct near_copies pair = {moments->inputs[j], moments->inputs[i], 0, 0};

            if (!are_near(moments, i, j, &pair.factor))
                continue;
            pairs++;
            pair.explained = explained_by(&pair, dataset, rule);
            if (pair.explained > found->explained)
                *found = pair;
        }
    free(moments);
    return STATUS_OK;
}
