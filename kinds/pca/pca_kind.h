/*
 * pca_kind.h - the kind "pca": principal components of numbers and of the words of categories.
 *
 * A row's outputs are its components and, behind them, its distance to the row that they give back.
 */
#pragma once

#include "scoring/kind.h"

#define PCA_ATTRIBUTES(STORED, PLANNED)                                                            \
    STORED(uint32_t, components, "model.n_components", SCOPE_TRAIN, IN_KIND(components),           \
           INTEGER(1, COMPONENTS_MAX, "auto"),                                                     \
           "Principal components that are kept, no more than there are numbers and, of each "      \
           "category, words but one; 'auto': as many as that, 128 at most.",                       \
           .is_automatic = true, .aliases = WORDS("model.num_principal_components"))

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE pca_params {
    PCA_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table pca_attributes;

static inline struct pca_params *pca_params(const struct kind_params *params)
{
    return (struct pca_params *)(void *)params->bytes;
}

/* How many components are kept of so many that there are. */
uint32_t pca_components(const struct kind_params *params, uint32_t rank);
/* Refuses more columns than there is room for, and more components than there are. */
enum status pca_check(const struct kind_params *params, double columns, double rank,
                      struct error *err);

extern const struct kind pca_kind;
