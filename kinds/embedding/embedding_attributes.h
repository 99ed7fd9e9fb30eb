/*
 * embedding_attributes.h - what a statement says of a network over embeddings of categories, and of
 * how it is learned: what it says of a network, and the parts beside the hidden layers.
 */
#pragma once

#include "kinds/network/network_attributes.h"

#define CROSS_LAYERS_MAX 8
#define CIN_UNITS_MAX    512 /* units of one layer */

/* The computation on the embeddings beside the hidden layers. */
enum interaction {
    INTERACTION_NONE,
    INTERACTION_PAIRS,     /* the products of all pairs, summed: a factorisation machine */
    INTERACTION_CROSS,     /* layers that multiply by the inputs (Wang et al., 2017, 2021) */
    INTERACTION_COMPRESSED /* products with the inputs, mixed layer by layer (Lian et al., 2018) */
};
extern const char *const interaction_words[];

/* "auto", then those of optimizer_words: the number of a rule is one greater here. */
extern const char *const linear_optimizer_words[];

/* The weights that a cross layer multiplies its inputs by. */
enum cross_weights { CROSS_VECTOR, CROSS_MATRIX };
extern const char *const cross_weights_words[];

#define EMBEDDING_ATTRIBUTES(STORED, PLANNED)                                                      \
    NETWORK_ATTRIBUTES(STORED, PLANNED)                                                            \
    STORED(uint32_t, dimension, "model.embedding_dimension", SCOPE_TRAIN,                          \
           IN_KIND(embedding_dimension), INTEGER(1, EMBEDDING_DIMENSION_MAX, "8"),                 \
           "Numbers that stand for a word of a category.",                                         \
           .aliases = WORDS("model.embedding_dim"))                                                \
    STORED(bool, is_wide, "model.wide", SCOPE_TRAIN, IN_KIND(wide), BOOLEAN("true", NULL),         \
           "Add a linear model of all inputs. Default: true, of DCN false.")                       \
    STORED(enum interaction, interaction, "model.interaction", SCOPE_TRAIN, IN_KIND(interaction),  \
           WORD("none", interaction_words, NULL),                                                  \
           "Interactions of the embeddings beside the hidden layers; the names of other "          \
           "models fix it.")                                                                       \
    STORED(uint32_t, cross_layers, "model.cross_layers", SCOPE_TRAIN, IN_KIND(cross_layers),       \
           INTEGER(0, CROSS_LAYERS_MAX, "3"), "Cross layers of a deep and cross network.",         \
           .aliases = WORDS("model.cross_num"))                                                    \
    STORED(enum cross_weights, cross_weights, "model.cross_parameterization", SCOPE_TRAIN,         \
           IN_KIND(cross_parameterization), WORD("vector", cross_weights_words, NULL),             \
           "Weights of a cross layer: 'vector' as in the first paper on deep and cross networks, " \
           "'matrix' as in the second.")                                                           \
    STORED(unsigned, linear_optimizer, "model.linear_optimizer", SCOPE_TRAIN,                      \
           IN_KIND(linear_optimizer), WORD("auto", linear_optimizer_words, NULL),                  \
           "The rule of the linear model beside the hidden layers; 'auto': the rule of "           \
           "model.optimizer, which moves all else. 'FTRL' sets weights of uninformative "          \
           "words to 0.",                                                                          \
           .aliases = WORDS("linear_optimizer", "linear_optimizer.name"))                          \
    STORED(double, linear_rate, "linear_optimizer.learning_rate", SCOPE_TRAIN,                     \
           IN_KIND(linear_learning_rate), REAL(1e-12, 100, NULL),                                  \
           "Size of its steps. Default: that of optimizer.learning_rate with the same rule, else " \
           "0.03 for Adam and what is made of it, and for RMSprop; 1 for Adadelta, 0.1 for FTRL, " \
           "0.05 for Adagrad, 0.01 for SGD, Momentum and Nesterov.",                               \
           .aliases = WORDS("linear_optimizer.lr"))                                                \
    STORED(double, linear_accumulator, "linear_optimizer.initial_accumulator_value", SCOPE_TRAIN,  \
           IN_KIND(linear_accumulator), REAL(0, 1e6, "0.1"),                                       \
           "Where its sum of squared gradients starts. Adagrad and FTRL.")                         \
    STORED(double, linear_l1, "linear_optimizer.l1_regularization_strength", SCOPE_TRAIN,          \
           IN_KIND(linear_l1), REAL(0, 1e6, "0"),                                                  \
           "FTRL's L1 penalty of the linear model, which makes weights exactly 0.")                \
    STORED(double, linear_l2, "linear_optimizer.l2_regularization_strength", SCOPE_TRAIN,          \
           IN_KIND(linear_l2), REAL(0, 1e6, "0"), "FTRL's L2 penalty of the linear model.")        \
    STORED(struct counts, cin_units, "model.cin_layer_size", SCOPE_TRAIN, IN_KIND(cin_layer_size), \
           INTEGERS(1, CIN_UNITS_MAX, "[16, 16]"),                                                 \
           "Feature maps of each layer of the compressed interactions.")                           \
    STORED(uint32_t, min_count, "model.min_count", SCOPE_TRAIN, IN_KIND(min_count),                \
           INTEGER(0, UINT32_MAX, "0"),                                                            \
           "Rows that must have a word before it gets weights of its own; until then its "         \
           "weights count as zeros. Only on parameter servers.")                                   \
    STORED(uint32_t, expire_steps, "model.expire_steps", SCOPE_TRAIN, IN_KIND(expire_steps),       \
           INTEGER(0, UINT32_MAX, "0"),                                                            \
           "Values unseen for this many batches are dropped; 0: no value is. Only on "             \
           "parameter servers.")

/* In a struct kind_params: what a network has, and more behind it. */
struct KIND_PARAMS_TYPE embedding_params {
    EMBEDDING_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};
_Static_assert(offsetof(struct embedding_params, schedule) ==
                   offsetof(struct network_params, schedule),
               "network_params finds its members in the params of this kind, too");

extern const struct attribute_table embedding_attributes;

static inline struct embedding_params *embedding_params(const struct kind_params *params)
{
    return (struct embedding_params *)(void *)params->bytes;
}

/* Has the linear model a rule or a rate of its own? */
static inline bool embedding_has_linear_optimizer(const struct embedding_params *params)
{
    return params->is_wide && (params->linear_optimizer > 0 || params->linear_rate > 0);
}
static inline enum optimizer_kind embedding_linear_optimizer(const struct embedding_params *params)
{
    return params->linear_optimizer > 0 ? (enum optimizer_kind)(params->linear_optimizer - 1)
                                        : params->optimizer;
}

/* Functions of struct kind (scoring/kind.h). */
enum status embedding_settle(struct kind_params *params, const struct kind_settings *settings,
                             struct error *err);
struct kind_length embedding_length(const struct kind_params *params, enum task task);
bool embedding_uses(const struct kind_params *params, const struct attribute *attribute);
enum status embedding_check_inputs(const struct kind_params *params, const struct kind_shape *shape,
                                   struct error *err);
struct kind_cost embedding_cost(const struct kind_params *params, const struct kind_shape *shape);
void embedding_explain(const struct kind_params *params, const struct kind_shape *shape,
                       struct text *detail);
