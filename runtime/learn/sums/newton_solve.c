#include "runtime/learn/sums/newton_solve.h"

#define HESSIAN_LEAST 1e-5 /* XGBoost's bound: a weight with a smaller one stays where it is */

uint32_t newton_direction_count(const struct transform *transform)
{
    uint32_t count = transform->id_rows;

    for (uint32_t i = 0; i < transform->input_count; i++)
        count += transform_is_number(&transform->inputs[i]);
    return count;
}

static struct newton_direction of_number(const struct transform_input *input)
{
    const uint32_t column = 1 + input->dense_offset;
    struct newton_direction direction = {
        .columns = {column, 0}, .amounts = {input->scale, input->mean}, .count = 2};

    if (input->dense_count < 2)
        return direction;
    direction.columns[direction.count] = column + 1;
    direction.amounts[direction.count++] = -input->mean;
    return direction;
}

void newton_directions(const struct transform *transform, struct newton_direction *directions)
{
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.offset)
            continue;
        if (input->spec.type == INPUT_NUMERIC) {
            *directions++ = of_number(input);
            continue;
        }
        for (uint32_t id = 0; id < input->id_rows; id++)
            *directions++ = (struct newton_direction){
                .columns = {1 + transform_features(transform) + input->first_id + id},
                .amounts = {1},
                .count = 1};
    }
}

static double best_move(double gradient, double hessian, double weight,
                        struct newton_penalties penalties)
{
    double first, second, move;

    if (hessian < HESSIAN_LEAST)
        return 0;
    first = gradient + penalties.l2 * weight;
    second = hessian + penalties.l2;
    if (weight - first / second >= 0) {
        move = -(first + penalties.l1) / second;
        return move > -weight ? move : -weight;
    }
    move = -(first - penalties.l1) / second;
    return move < -weight ? move : -weight;
}

static void move_along(const struct newton_direction *direction, double by, uint32_t columns,
                       const double *products, double *gradient, double *weights)
{
    for (uint32_t i = 0; i < direction->count; i++) {
        const double amount = direction->amounts[i] * by;
        const double *restrict row = products + (size_t)direction->columns[i] * columns;

        weights[direction->columns[i]] += amount;
        for (uint32_t j = 0; j < columns; j++)
            gradient[j] += row[j] * amount;
    }
}

static double gradient_along(const struct newton_direction *direction, const double *gradient)
{
    double sum = 0;

    for (uint32_t i = 0; i < direction->count; i++)
        sum += direction->amounts[i] * gradient[direction->columns[i]];
    return sum;
}

static double hessian_along(const struct newton_direction *direction, uint32_t columns,
                            const double *products)
{
    double sum = 0;

    for (uint32_t i = 0; i < direction->count; i++)
        for (uint32_t j = 0; j < direction->count; j++)
            sum += direction->amounts[i] * direction->amounts[j] *
                   products[(size_t)direction->columns[i] * columns + direction->columns[j]];
    return sum;
}

void newton_sweep(const struct newton_direction *directions, uint32_t count, uint32_t columns,
                  const double *products, struct newton_penalties penalties, double eta,
                  double *gradient, double *weights)
{
    const struct newton_direction bias = {.amounts = {1}, .count = 1};

    if (products[0] > 0)
        move_along(&bias, eta * (-gradient[0] / products[0]), columns, products, gradient, weights);
    for (uint32_t i = 0; i < count; i++) {
        const struct newton_direction *direction = &directions[i];
        const double move = best_move(
            gradient_along(direction, gradient), hessian_along(direction, columns, products),
            weights[direction->columns[0]] / direction->amounts[0], penalties);

        if (move != 0)
            move_along(direction, eta * move, columns, products, gradient, weights);
    }
}
