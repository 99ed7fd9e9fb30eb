/*
 * encoders.h - all ways to make numbers or ids of cells: a line for each.
 */
#pragma once

#include "inputs/encoder.h"

#define ENCODER_MAP(X)                                                                             \
    X(sequence)    /* the words of a list, in order */                                             \
    X(ordered)     /* likewise, for models that see the order */                                   \
    X(step)        /* a number of a list, in order */                                              \
    X(pixel)       /* a number of a picture */                                                     \
    X(count)       /* how many words or pairs of a text are in a hash bucket */                    \
    X(number)      /* a number, standardised */                                                    \
    X(element)     /* a number of a list, which is in one cell with others */                      \
    X(date_number) /* a part of a date that is a number */                                         \
    X(date_word)   /* a part of a date that is a category */                                       \
    X(words)       /* a category with a vocabulary */                                              \
    X(hash)        /* a category by the hash of its words */                                       \
    X(id)          /* a category of whole numbers */                                               \
    X(bucket)      /* a category of intervals of numbers */                                        \
    X(cross)       /* a category of several columns */                                             \
    X(text)        /* the words of a text */                                                       \
    X(pairs)       /* the words of a text, and pairs of neighbours */                              \
    X(weighted)    /* the same with a vocabulary, by how often they are there */                   \
    X(items)       /* the items of a list */

#define X(name) extern const struct encoder name##_encoder;
ENCODER_MAP(X)
#undef X

/* NULL: no encoder makes such an input. */
const struct encoder *encoder_of(const struct input_spec *spec);
/* One that is_named; NULL: there is none of this name. */
const struct encoder *encoder_find(struct slice name);
