/*
 * bayes_model.h - what a stored model of kind "bayes" consists of.
 *
 * Given the class, inputs are taken as independent of each other: numbers as normal, categories by
 * how often each word is there, texts as drawn word by word, where a word counts as often as its
 * weight says. NULL in a column of numbers in which training saw NULLs says
 * nothing, nor does a word that training has not seen.
 */
#pragma once

#include "scoring/model.h"

struct bayes_model {
    uint32_t classes, width, id_rows; /* width: columns of dense */
    const float *priors;              /* (classes): logarithms of the classes' shares */
    const float *means, *variances;   /* (classes, width): the transform's inputs'; 0 and 1 of a
                                       * "was NULL" */
    const float *likelihoods; /* (id_rows, classes): logarithms of a word's share within the class:
                               * of its rows, or of the words of its texts */
};

static inline const struct bayes_model *bayes_of(const struct model *model)
{
    return model->content;
}
