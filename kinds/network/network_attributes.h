/*
 * network_attributes.h - what a statement says of a network and of how it is learned.
 */
#ifndef KINDS_NETWORK_NETWORK_ATTRIBUTES_H
#define KINDS_NETWORK_NETWORK_ATTRIBUTES_H

#include "scoring/kind.h"

/* In a struct kind_params. */
struct network_params {
    struct counts hidden_units; /* of each hidden layer */
    enum activation activation; /* of a linear model: identity */
    double dropout;             /* share of hidden units zeroed in a step, [0, 1) */
    enum optimizer_kind optimizer;
    double l1, l2; /* penalty added to the mean loss: l1 |w|_1 + l2/2 |w|_2^2; biases exempt */
    double learning_rate, momentum, beta1, beta2, epsilon, initial_accumulator;
    enum schedule schedule;
};

extern const struct attribute_table network_attributes;

static inline struct network_params *network_params(const struct kind_params *params)
{
    return (struct network_params *)(void *)params->bytes;
}

/* As struct kind asks for them (scoring/kind.h). */
enum status network_settle(struct kind_params *params, const struct kind_settings *settings,
                           struct error *err);
bool network_uses(const struct kind_params *params, const struct attribute *attribute);
/* Floats that an optimizer keeps for each parameter (runtime/learn/optimizer.h). */
uint32_t network_slots(enum optimizer_kind optimizer);
struct kind_cost network_cost(const struct kind_params *params, const struct kind_shape *shape);
double network_list_cost(const double *units, size_t count);
void network_explain(const struct kind_params *params, const struct kind_shape *shape,
                     struct text *detail);

#endif
