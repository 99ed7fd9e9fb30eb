/*
 * network_attributes.h - what a statement says of a network and of how it is learned.
 */
#pragma once

#include "scoring/kind.h"

enum network_loss {
    NETWORK_LOSS_AUTOMATIC,
    NETWORK_SQUARED_ERROR,
    NETWORK_ABSOLUTE_ERROR,
    NETWORK_HUBER,
    NETWORK_QUANTILE,
    NETWORK_LOG_LOSS,
    NETWORK_FOCAL,
    NETWORK_POISSON,
    NETWORK_GAMMA,
    NETWORK_TWEEDIE,
    NETWORK_HINGE,
    NETWORK_SQUARED_HINGE,
    NETWORK_LOG_COSH
};
extern const char *const network_loss_words[];
/* An enum activation, or what the learner makes one of (network_activation). */
#define X(name, word) NETWORK_##name,
enum network_activation { ACTIVATION_MAP(X) NETWORK_ACTIVATION_AUTOMATIC };
#undef X
extern const char *const network_activation_words[];
extern const struct word_alias network_loss_aliases[];
extern const struct word_alias network_activation_aliases[];

#define NETWORK_ATTRIBUTES(STORED, PLANNED)                                                        \
    /* a linear model has none */                                                                  \
    STORED(struct counts, hidden_units, "model.hidden_units", SCOPE_TRAIN, IN_KIND(hidden_units),  \
           INTEGERS(1, HIDDEN_UNITS_MAX, "[64, 32]"),                                              \
           "Units of each hidden layer, from the inputs on; up to 16 layers.",                     \
           .aliases = WORDS("model.dnn_hidden_units"))                                             \
    /* a linear model's: identity */                                                               \
    STORED(enum network_activation, activation, "model.activation", SCOPE_TRAIN,                   \
           IN_KIND(activation), WORD("auto", network_activation_words, NULL),                      \
           "Activation of the hidden layers. 'auto': gelu in a DNNClassifier that learns "         \
           "from 20,000 rows or fewer, else relu. 'silu' and 'linear' mean 'swish' and "           \
           "'identity'.",                                                                          \
           .word_aliases = network_activation_aliases,                                             \
           .aliases = WORDS("model.dnn_activation_fn"))                                            \
    STORED(double, dropout, "model.dropout", SCOPE_TRAIN, IN_KIND(dropout), REAL(0, 0.99, "0"),    \
           "Share of hidden units zeroed in each step.", .aliases = WORDS("model.dnn_dropout"))    \
    STORED(bool, batch_norm, "model.batch_norm", SCOPE_TRAIN, IN_KIND(batch_norm),                 \
           BOOLEAN("false", NULL),                                                                 \
           "Normalise what each hidden layer gives, by mean and variance of a lane's rows.")       \
    STORED(enum network_loss, loss, "model.loss", SCOPE_TRAIN, IN_KIND(loss),                      \
           WORD("auto", network_loss_words, NULL),                                                 \
           "Loss that is minimised. 'auto': squared_error for numbers, log_loss for "              \
           "classes. log_cosh measures errors in units of the label. poisson, gamma and "          \
           "tweedie predict by an exponential function; hinge and squared_hinge need two "         \
           "classes, and give no probabilities. Names of Keras, PyTorch and scikit-learn "         \
           "are accepted, too.",                                                                   \
           .tasks = 1 << TASK_CLASSIFICATION | 1 << TASK_REGRESSION,                               \
           .word_aliases = network_loss_aliases)                                                   \
    STORED(                                                                                        \
        double, huber_delta, "model.huber_delta", SCOPE_TRAIN, IN_KIND(huber_delta),               \
        REAL(0, 1e15, "auto"),                                                                     \
        "Error of a huber loss beyond which it grows as the error, not as its square, in units "   \
        "of the label. 'auto' and 0: 1.35 deviations of the label.",                               \
        .is_automatic = true, .tasks = 1 << TASK_REGRESSION)                                       \
    STORED(double, quantile_level, "model.quantile_level", SCOPE_TRAIN, IN_KIND(quantile_level),   \
           REAL(0.001, 0.999, "0.5"),                                                              \
           "Share of the labels that lie below the prediction of a quantile loss.",                \
           .tasks = 1 << TASK_REGRESSION)                                                          \
    STORED(double, tweedie_power, "model.tweedie_power", SCOPE_TRAIN, IN_KIND(tweedie_power),      \
           REAL(1.001, 1.999, "1.5"),                                                              \
           "Tweedie loss: power of the mean that the variance follows.",                           \
           .tasks = 1 << TASK_REGRESSION, .aliases = WORDS("model.tweedie_variance_power"))        \
    STORED(double, focal_gamma, "model.focal_gamma", SCOPE_TRAIN, IN_KIND(focal_gamma),            \
           REAL(0, 10, "2"), "Focusing parameter gamma of the focal loss.",                        \
           .tasks = 1 << TASK_CLASSIFICATION)                                                      \
    STORED(double, label_smoothing, "model.label_smoothing", SCOPE_TRAIN,                          \
           IN_KIND(label_smoothing), REAL(0, 0.99, "0"),                                           \
           "Share of a row's label that is spread evenly over all classes, in the loss of "        \
           "training rows.",                                                                       \
           .tasks = 1 << TASK_CLASSIFICATION)                                                      \
    STORED(enum optimizer_kind, optimizer, "model.optimizer", SCOPE_TRAIN, IN(optimizer, name),    \
           WORD("Adam", optimizer_words, NULL), "The rule that turns gradients into steps.",       \
           .aliases = WORDS("optimizer", "optimizer.name", "model.dnn_optimizer", "dnn_optimizer", \
                            "dnn_optimizer.name"))                                                 \
    /* l1 |w|_1 + l2/2 |w|_2^2 is added to the mean loss */                                        \
    STORED(double, l1, "model.l1", SCOPE_TRAIN, IN_KIND(l1), REAL(0, 1e6, "0"),                    \
           "Weight of the sum of absolute weights in the loss; biases are exempt.",                \
           .aliases = WORDS("optimizer.l1"))                                                       \
    STORED(double, l2, "model.l2", SCOPE_TRAIN, IN_KIND(l2), REAL(0, 1e6, "auto"),                 \
           "Weight of half the sum of squared weights in the loss; biases are exempt. 'auto': 1 "  \
           "/ (training rows) for a linear model, 6 / (training rows) for a network that "         \
           "classifies and 3 / (training rows) for one that predicts a number, 2 / (training "     \
           "rows) for a click-through model. "                                                     \
           "With AdamW and FTRL, which have penalties of their own, 0 for linear models, "         \
           "networks and the linear part of a click-through model that has its own optimizer.",    \
           .is_automatic = true, .aliases = WORDS("optimizer.l2"))                                 \
    STORED(                                                                                        \
        double, learning_rate, "optimizer.learning_rate", SCOPE_TRAIN,                             \
        IN(optimizer, learning_rate), REAL(1e-12, 100, NULL),                                      \
        "Size of a step. Default: for Adam and what is made of it, and for RMSprop 0.01, in a "    \
        "network with more than 64 units in a layer times the root of 64 by these, in a linear "   \
        "model 0.03; 1 for Adadelta, 0.1 for FTRL, 0.05 for Adagrad, 0.01 for SGD, Momentum and "  \
        "Nesterov.",                                                                               \
        .aliases = WORDS("optimizer.lr", "dnn_optimizer.learning_rate"))                           \
    STORED(double, momentum, "optimizer.momentum", SCOPE_TRAIN, IN(optimizer, momentum),           \
           REAL(0, 0.9999, "0.9"),                                                                 \
           "Share of the last step that is repeated. Momentum, Nesterov and RMSprop, whose "       \
           "default is 0; SGD with it is Momentum.")                                               \
    STORED(bool, is_nesterov, "optimizer.nesterov", SCOPE_TRAIN, IN(optimizer, nesterov),          \
           BOOLEAN("false", NULL), "true: Momentum and SGD become Nesterov.")                      \
    STORED(double, beta1, "optimizer.beta1", SCOPE_TRAIN, IN(optimizer, beta1),                    \
           REAL(0, 0.9999, "0.9"),                                                                 \
           "Decay of the mean of gradients. Adam, AdamW, AMSGrad, Adamax and Nadam.",              \
           .aliases = WORDS("optimizer.beta_1"))                                                   \
    STORED(double, beta2, "optimizer.beta2", SCOPE_TRAIN, IN(optimizer, beta2),                    \
           REAL(0, 0.999999, "0.999"),                                                             \
           "Decay of the mean of squared gradients; for Adamax, of their greatest size. "          \
           "Adam, AdamW, AMSGrad, Adamax and Nadam.",                                              \
           .aliases = WORDS("optimizer.beta_2"))                                                   \
    STORED(bool, is_amsgrad, "optimizer.amsgrad", SCOPE_TRAIN, IN(optimizer, amsgrad),             \
           BOOLEAN("false", NULL), "true: Adam becomes AMSGrad.")                                  \
    STORED(double, rho, "optimizer.rho", SCOPE_TRAIN, IN(optimizer, rho),                          \
           REAL(0, 0.999999, "0.9"),                                                               \
           "Decay of the mean of squared gradients. RMSprop and Adadelta.")                        \
    STORED(bool, centered, "optimizer.centered", SCOPE_TRAIN, IN(optimizer, centered),             \
           BOOLEAN("false", NULL),                                                                 \
           "true: steps are divided by the standard deviation of gradients, not by their "         \
           "root mean square. RMSprop.")                                                           \
    STORED(                                                                                        \
        double, epsilon, "optimizer.epsilon", SCOPE_TRAIN, IN(optimizer, epsilon),                 \
        REAL(1e-16, 1, "1e-08"),                                                                   \
        "Keeps the divisor from zero; of Adadelta, whose default is 1e-06, what its first steps "  \
        "are made of. All optimizers but SGD, Momentum, Nesterov and FTRL.")                       \
    STORED(double, initial_accumulator, "optimizer.initial_accumulator_value", SCOPE_TRAIN,        \
           IN(optimizer, initial_accumulator), REAL(0, 1e6, "0.1"),                                \
           "Where the sum of squared gradients starts. Adagrad and FTRL.")                         \
    STORED(double, weight_decay, "optimizer.weight_decay", SCOPE_TRAIN,                            \
           IN(optimizer, weight_decay), REAL(0, 100, "0.01"),                                      \
           "Share of each weight, times the learning rate, that a step subtracts; biases "         \
           "are exempt. AdamW.")                                                                   \
    STORED(double, rate_power, "optimizer.learning_rate_power", SCOPE_TRAIN,                       \
           IN(optimizer, learning_rate_power), REAL(-2, 0, "-0.5"),                                \
           "Power of the sum of squared gradients that the rate is multiplied by. FTRL.")          \
    STORED(double, ftrl_l1, "optimizer.l1_regularization_strength", SCOPE_TRAIN,                   \
           IN(optimizer, l1_regularization_strength), REAL(0, 1e6, "0"),                           \
           "FTRL's own L1 penalty, which makes weights exactly 0; biases are exempt.")             \
    STORED(double, ftrl_l2, "optimizer.l2_regularization_strength", SCOPE_TRAIN,                   \
           IN(optimizer, l2_regularization_strength), REAL(0, 1e6, "0"),                           \
           "FTRL's own L2 penalty; biases are exempt.")                                            \
    STORED(double, clip_norm, "optimizer.clipnorm", SCOPE_TRAIN, IN(optimizer, clipnorm),          \
           REAL(0, 1e12, "0"),                                                                     \
           "Largest norm of a step's whole gradient; a larger gradient is scaled down to "         \
           "it. 0: no limit.",                                                                     \
           .aliases = WORDS("optimizer.global_clipnorm", "optimizer.clip_norm"))                   \
    STORED(double, clip_value, "optimizer.clipvalue", SCOPE_TRAIN, IN(optimizer, clipvalue),       \
           REAL(0, 1e12, "0"), "Largest size of an element of a gradient; 0: no limit.",           \
           .aliases = WORDS("optimizer.clip_value"))                                               \
    STORED(                                                                                        \
        enum schedule, schedule, "optimizer.schedule", SCOPE_TRAIN, IN(optimizer, schedule),       \
        WORD("trapezoidal", schedule_words, NULL),                                                 \
        "How the learning rate changes over the planned steps. 'constant': not at all, as with "   \
        "FTRL, which takes no other. 'linear', 'cosine': to zero. 'trapezoidal': it stays for "    \
        "three quarters of them and falls linearly in the last. 'exponential': as decay_rate to "  \
        "the power t / decay_steps of step t. 'step': the same with whole powers. 'polynomial': "  \
        "to end_learning_rate, as (1 - t / decay_steps) to a power.")                              \
    STORED(                                                                                        \
        uint64_t, decay_steps, "optimizer.decay_steps", SCOPE_TRAIN, IN(optimizer, decay_steps),   \
        INTEGER(0, 1e12, "0"),                                                                     \
        "Steps after which a linear, cosine or polynomial schedule is at its end, and over which " \
        "an exponential or step one multiplies the rate by decay_rate; 0: all planned steps.")     \
    STORED(double, decay_rate, "optimizer.decay_rate", SCOPE_TRAIN, IN(optimizer, decay_rate),     \
           REAL(1e-12, 1, "0.1"),                                                                  \
           "Factor of the rate every decay_steps. Schedules exponential and step.")                \
    STORED(bool, is_staircase, "optimizer.staircase", SCOPE_TRAIN, IN(optimizer, staircase),       \
           BOOLEAN("false", NULL), "true: an exponential schedule becomes a step schedule.")       \
    STORED(double, power, "optimizer.power", SCOPE_TRAIN, IN(optimizer, power), REAL(0, 100, "1"), \
           "Power of the polynomial schedule.")                                                    \
    STORED(double, end_rate, "optimizer.end_learning_rate", SCOPE_TRAIN,                           \
           IN(optimizer, end_learning_rate), REAL(0, 100, "0"),                                    \
           "Where the polynomial schedule ends.")                                                  \
    STORED(uint64_t, warmup_steps, "optimizer.warmup_steps", SCOPE_TRAIN,                          \
           IN(optimizer, warmup_steps), INTEGER(0, 1e12, "0"),                                     \
           "First steps in which the rate rises: step t has t / warmup_steps of its rate. "        \
           "Not with FTRL.")

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE network_params {
    NETWORK_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table network_attributes;

/* The automatic values for so many training rows: docs/learning.md has the measures behind them. */
enum activation network_activation(const struct network_params *params, enum task task,
                                   uint64_t rows);
double network_l2(const struct network_params *params, enum task task, uint64_t rows);

static inline struct network_params *network_params(const struct kind_params *params)
{
    return (struct network_params *)(void *)params->bytes;
}

/* Functions of struct kind (scoring/kind.h). */
enum status network_settle(struct kind_params *params, const struct kind_settings *settings,
                           struct error *err);
bool network_uses(const struct kind_params *params, const struct attribute *attribute);
struct kind_cost network_cost(const struct kind_params *params, const struct kind_shape *shape);
/* Slots and bytes of a model whose parameters are counted, for the optimizer, and no fewer slots
 * than that. */
void network_cost_learning(const struct network_params *network, double id_rows,
                           uint32_t slots_least, struct kind_cost *cost);
/* Parameters of batch normalization: four numbers for each hidden unit, or 0. */
uint32_t network_norm_parameters(const struct network_params *network);
struct kind_cost network_list_cost(const double *units, size_t count);
enum label_link network_link(const struct kind_params *params);
bool network_squares_errors(const struct kind_params *params);
enum aim network_aim(const struct kind_params *params, enum task task);
struct kind_length network_length(const struct kind_params *params, enum task task);
enum far_values network_far_values(const struct kind_params *params);
void network_explain(const struct kind_params *params, const struct kind_shape *shape,
                     struct text *detail);
