/*
 * kmeans_kind.h - the kind "kmeans": clusters around means.
 *
 * A stored model is the centers, in the inputs as the transform gives them, with a column for each
 * word of a category. A row's outputs are its distances to all of them.
 */
#pragma once

#include "scoring/kind.h"

#define KMEANS_CLUSTERS_MAX CLASSES_MAX

#define KMEANS_ATTRIBUTES(STORED, PLANNED)                                                         \
    /* no more than there are rows */                                                              \
    STORED(uint32_t, clusters, "model.n_clusters", SCOPE_TRAIN, IN_KIND(clusters),                 \
           INTEGER(1, KMEANS_CLUSTERS_MAX, NULL),                                                  \
           "Clusters that the rows are divided into. Required.",                                   \
           .example = "Three clusters are WITH model.n_clusters = 3.")                             \
    STORED(uint32_t, runs, "model.n_init", SCOPE_TRAIN, IN_KIND(runs), INTEGER(1, 1000, "10"),     \
           "Runs that begin with other first centers; the run with the least inertia is "          \
           "kept.")                                                                                \
    STORED(uint32_t, iterations, "model.max_iter", SCOPE_TRAIN, IN_KIND(iterations),               \
           INTEGER(1, 100000, "300"), "Most iterations of a run.")

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE kmeans_params {
    KMEANS_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table kmeans_attributes;

static inline struct kmeans_params *kmeans_params(const struct kind_params *params)
{
    return (struct kmeans_params *)(void *)params->bytes;
}

/* The content of a model of this kind. */
struct kmeans_model {
    const float *centers; /* (clusters, width): of spread rows (scoring/transform/spread.h) */
    uint32_t clusters, width;
};

extern const struct kind kmeans_kind;
