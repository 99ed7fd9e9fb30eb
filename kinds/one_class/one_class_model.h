/*
 * one_class_model.h - what a stored model of kind "one_class" consists of.
 *
 * A row x of numbers, and of 0 and 1 for words (scoring/transform/spread.h), becomes features of a
 * random Fourier map of the kernel exp(-gamma |x - y|^2) (Rahimi and Recht, 2007):
 *
 *     feature d = cos(2 pi (f_d x + p_d))
 *
 * where f_d is normal with the variance 2 gamma / (2 pi)^2 and p_d uniform. Products of two rows'
 * D features, times 2 / D, come near the kernel, the nearer the more there are. Scoring is one sum
 * over the features, less rho: above 0 the row is like the training rows.
 */
#pragma once

#include "scoring/model.h"

#define ONE_CLASS_FEATURES_MAX 1024

struct one_class_model {
    uint32_t features, inputs;
    uint32_t numbers;         /* those of the inputs that are not words */
    const float *frequencies; /* (features, inputs): turns for each unit of an input */
    const float *phases;      /* (features): turns */
    const float *weights;     /* (features) */
    const float *rho;         /* (1) */
};

static inline const struct one_class_model *one_class_of(const struct model *model)
{
    return model->content;
}

/* cosines (features): the features of a row of numbers x (numbers) and words ids (count), -1 for
 * one that no input is. 0 where a number lies so far away that its turns have no fraction. */
void one_class_features(const struct one_class_model *one_class, const double *x,
                        const int32_t *ids, uint32_t count, double *cosines);
