/*
 * kmeans_kind.h - the kind "kmeans": clusters around means.
 *
 * A stored model is the centers, in the inputs as the transform gives them. A row's outputs are
 * its distances to all of them.
 */
#ifndef KINDS_KMEANS_KMEANS_KIND_H
#define KINDS_KMEANS_KMEANS_KIND_H

#include "scoring/kind.h"

/* In a struct kind_params. */
struct kmeans_params {
    uint32_t clusters;   /* 1 to the rows there are */
    uint32_t runs;       /* of which that of least inertia is kept; 1 or more */
    uint32_t iterations; /* of a run at most; 1 or more */
};

static inline const struct kmeans_params *kmeans_params(const struct kind_params *params)
{
    return (const struct kmeans_params *)(const void *)params->bytes;
}

/* The content of a model of this kind. */
struct kmeans_model {
    const float *centers; /* (clusters, width) */
    uint32_t clusters, width;
};

extern const struct kind kmeans_kind;

#endif
