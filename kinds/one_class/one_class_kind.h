/*
 * one_class_kind.h - the kind "one_class": a one-class support vector machine (Scholkopf and
 * others, 2001) over random features.
 *
 * The output is above 0 where a row is like the training rows.
 */
#pragma once

#include "kinds/one_class/one_class_model.h"
#include "scoring/kind.h"

#define ONE_CLASS_ATTRIBUTES(STORED, PLANNED)                                                      \
    STORED(double, nu, "model.nu", SCOPE_TRAIN, IN_KIND(nu), REAL(1e-4, 1, "0.5"),                 \
           "Share of the training rows that may lie outside.")                                     \
    STORED(double, gamma, "gamma", SCOPE_TRAIN, IN_KIND(gamma), REAL(1e-12, 1e12, "auto"),         \
           "Parameter of the kernel exp(-gamma |x - y|^2). 'auto': 1 / (inputs times their "       \
           "variance), "                                                                           \
           "scikit-learn's 'scale'.",                                                              \
           .is_automatic = true, .aliases = WORDS("model.gamma"))                                  \
    STORED(uint32_t, features, "model.n_features", SCOPE_TRAIN, IN_KIND(features),                 \
           INTEGER(16, ONE_CLASS_FEATURES_MAX, "256"),                                             \
           "Random features that approximate the kernel: more of them come nearer to it.")         \
    STORED(uint32_t, iterations, "model.max_iter", SCOPE_TRAIN, IN_KIND(iterations),               \
           INTEGER(10, 1000, "200"),                                                               \
           "Most steps of Newton, each of which is one pass over the rows.")                       \
    PLANNED("model.kernel", SCOPE_TRAIN,                                                           \
            WORD("rbf", WORDS("rbf"), WORDS("linear", "poly", "sigmoid")), "The kernel.")

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE one_class_params {
    ONE_CLASS_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table one_class_attributes;

static inline struct one_class_params *one_class_params(const struct kind_params *params)
{
    return (struct one_class_params *)(void *)params->bytes;
}

extern const struct kind one_class_kind;
