/*
 * network_attributes.h - what a statement says of a network and of how it is learned.
 */
#ifndef KINDS_NETWORK_NETWORK_ATTRIBUTES_H
#define KINDS_NETWORK_NETWORK_ATTRIBUTES_H

#include "scoring/kind.h"

#define NETWORK_ATTRIBUTES(STORED, PLANNED)                                                        \
    /* a linear model has none */                                                                  \
    STORED(struct counts, hidden_units, "model.hidden_units", SCOPE_TRAIN, IN_KIND(hidden_units),  \
           INTEGERS(1, HIDDEN_UNITS_MAX, "[64, 32]"),                                              \
           "Units of each hidden layer, from the inputs on; up to 16 layers.")                     \
    /* of a linear model: identity */                                                              \
    STORED(enum activation, activation, "model.activation", SCOPE_TRAIN, IN_KIND(activation),      \
           WORD("relu", activation_words,                                                          \
                WORDS("elu", "selu", "gelu", "leaky_relu", "softplus", "softsign", "swish")),      \
           "Activation of the hidden layers.")                                                     \
    STORED(double, dropout, "model.dropout", SCOPE_TRAIN, IN_KIND(dropout), REAL(0, 0.99, "0"),    \
           "Share of hidden units zeroed in each step.")                                           \
    STORED(enum optimizer_kind, optimizer, "model.optimizer", SCOPE_TRAIN, IN(optimizer, name),    \
           WORD("Adam", optimizer_words,                                                           \
                WORDS("Adadelta", "RMSprop", "Adamax", "Nadam", "AMSGrad", "FTRL")),               \
           "The rule that turns gradients into steps.",                                            \
           .aliases = WORDS("optimizer", "optimizer.name"))                                        \
    /* l1 |w|_1 + l2/2 |w|_2^2 is added to the mean loss */                                        \
    STORED(double, l1, "model.l1", SCOPE_TRAIN, IN_KIND(l1), REAL(0, 1e6, "0"),                    \
           "Weight of the sum of absolute weights in the loss; biases are exempt.",                \
           .aliases = WORDS("optimizer.l1"))                                                       \
    STORED(double, l2, "model.l2", SCOPE_TRAIN, IN_KIND(l2), REAL(0, 1e6, "auto"),                 \
           "Weight of half the sum of squared weights in the loss; biases are exempt. 'auto': 1 "  \
           "by the training rows for a linear model, for a network 6 by them where it tells "      \
           "classes apart and 3 by them where it predicts a number.",                              \
           .is_automatic = true, .aliases = WORDS("optimizer.l2"))                                 \
    STORED(double, learning_rate, "optimizer.learning_rate", SCOPE_TRAIN,                          \
           IN(optimizer, learning_rate), REAL(1e-12, 100, NULL),                                   \
           "Size of a step. Default: for Adam 0.01, in a network with more than 64 units in a "    \
           "layer times the root of 64 by these, in a linear model 0.03; 0.05 for Adagrad, 0.01 "  \
           "for SGD, Momentum and Nesterov.",                                                      \
           .aliases = WORDS("optimizer.lr"))                                                       \
    STORED(double, momentum, "optimizer.momentum", SCOPE_TRAIN, IN(optimizer, momentum),           \
           REAL(0, 0.9999, "0.9"),                                                                 \
           "Share of the last step that is taken again. Momentum and Nesterov; with SGD it makes " \
           "Momentum of it.")                                                                      \
    STORED(double, beta1, "optimizer.beta1", SCOPE_TRAIN, IN(optimizer, beta1),                    \
           REAL(0, 0.9999, "0.9"), "Decay of the mean of gradients. Adam.",                        \
           .aliases = WORDS("optimizer.beta_1"))                                                   \
    STORED(double, beta2, "optimizer.beta2", SCOPE_TRAIN, IN(optimizer, beta2),                    \
           REAL(0, 0.999999, "0.999"), "Decay of the mean of squared gradients. Adam.",            \
           .aliases = WORDS("optimizer.beta_2"))                                                   \
    STORED(double, epsilon, "optimizer.epsilon", SCOPE_TRAIN, IN(optimizer, epsilon),              \
           REAL(1e-16, 1, "1e-08"), "Keeps the divisor from zero. Adam and Adagrad.")              \
    STORED(double, initial_accumulator, "optimizer.initial_accumulator_value", SCOPE_TRAIN,        \
           IN(optimizer, initial_accumulator), REAL(0, 1e6, "0.1"),                                \
           "Where the sum of squared gradients starts. Adagrad.")                                  \
    STORED(enum schedule, schedule, "optimizer.schedule", SCOPE_TRAIN, IN(optimizer, schedule),    \
           WORD("trapezoidal", schedule_words, WORDS("exponential", "step", "polynomial")),        \
           "How the learning rate goes from its value to zero over the planned steps; "            \
           "trapezoidal: it stays for three quarters of them and falls linearly in the last.")

/* In a struct kind_params. */
struct network_params {
    NETWORK_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table network_attributes;

/* What model.l2 is for so many training rows: docs/learning.md has what chose it. */
double network_l2(const struct network_params *params, enum task task, uint64_t rows);

static inline struct network_params *network_params(const struct kind_params *params)
{
    return (struct network_params *)(void *)params->bytes;
}

/* As struct kind asks for them (scoring/kind.h). */
enum status network_settle(struct kind_params *params, const struct kind_settings *settings,
                           struct error *err);
bool network_uses(const struct kind_params *params, const struct attribute *attribute);
struct kind_cost network_cost(const struct kind_params *params, const struct kind_shape *shape);
struct kind_cost network_list_cost(const double *units, size_t count);
struct kind_length network_length(const struct kind_params *params, enum task task);
enum far_values network_far_values(const struct kind_params *params);
void network_explain(const struct kind_params *params, const struct kind_shape *shape,
                     struct text *detail);

#endif
