/*
 * isolation_kind.h - the kind "isolation": isolation forests, which find what is unlike the rest.
 */
#pragma once

#include "scoring/kind.h"

#define ISOLATION_SAMPLE 256  /* rows of a tree's sample with max_samples = 'auto' */
#define ISOLATION_WORDS  1024 /* words of a category that are told apart */
/* Numbers of a tree's sample, two inputs in each: what workers add up for it. */
#define ISOLATION_ELEMENTS_MAX ((uint32_t)1 << 22)

#define ISOLATION_ATTRIBUTES(STORED, PLANNED)                                                      \
    STORED(uint32_t, trees, "model.n_estimators", SCOPE_TRAIN, IN_KIND(trees),                     \
           INTEGER(1, 10000, "100"), "Trees of the forest.")                                       \
    STORED(double, max_samples, "model.max_samples", SCOPE_TRAIN, IN_KIND(max_samples),            \
           REAL(1e-9, ISOLATION_ELEMENTS_MAX, "auto"),                                             \
           "Rows that each tree is grown from, drawn without repetition: a share of the training " \
           "rows up to 1, else their number. 'auto': 256, or all where there are fewer.",          \
           .is_automatic = true)                                                                   \
    STORED(double, contamination, "model.contamination", SCOPE_TRAIN, IN_KIND(contamination),      \
           REAL(1e-6, 0.5, "auto"),                                                                \
           "Share of the training rows that are outliers. 'auto': those are whose score is below " \
           "-0.5.",                                                                                \
           .is_automatic = true)                                                                   \
    STORED(double, max_features, "max_features", SCOPE_TRAIN, IN_KIND(max_features),               \
           REAL(1e-9, 65536, "1"),                                                                 \
           "Columns that each tree is grown from: a share of them up to 1, else their number.")

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE isolation_params {
    ISOLATION_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table isolation_attributes;

static inline struct isolation_params *isolation_params(const struct kind_params *params)
{
    return (struct isolation_params *)(void *)params->bytes;
}

/* Rows of each tree's sample, of so many training rows; 0: they are not known. */
uint64_t isolation_sample_rows(const struct isolation_params *params, double rows);
/* Columns that a tree is grown from, of so many; at least one. */
uint32_t isolation_columns(const struct isolation_params *params, uint32_t columns);
/* Splits on the longest way to a leaf: the logarithm of a sample's rows to the base 2, rounded up.
 */
uint32_t isolation_depth(uint64_t sample_rows);
/* The mean path of so many rows: c(n) of isolation_model.h. */
double isolation_path(uint64_t rows);
/* Elements of 64 bits that a row of so many numbers and categories takes. */
uint64_t isolation_row_elements(uint64_t numbers, uint64_t ids);
/* INVALID for samples of fewer than 2 rows, LIMIT for samples or forests that are too large. */
enum status isolation_check_size(const struct isolation_params *params, double rows, double numbers,
                                 double ids, struct error *err);

extern const struct kind isolation_kind;
