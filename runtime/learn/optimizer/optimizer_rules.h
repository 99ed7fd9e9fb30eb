/*
 * optimizer_rules.h - what an optimizer does to one weight, for the loops of optimizer.c and
 * optimizer_loops.c; the formulas are in optimizer.h.
 *
 * A rule takes a weight with what is kept of it, and returns both as they are after a step with
 * gradient g. It has no branch that a vector could not have.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "base/sums/words.h"
#include "base/vectors.h"
#include "runtime/learn/optimizer/optimizer.h"
#include "scoring/numbers/elementary.h"

/* The gradient with the penalty's. */
VECTORS_PART float with_penalty(float g, float w, float l1, float l2)
{
    return g + (l2 * w + (w != 0 ? copysignf(l1, w) : 0));
}

/* Sums of the words that are read and written, made on the way. */
struct tally {
    uint32_t read, written, mixed, slots_read, slots_written;
};

VECTORS_PART uint32_t word_of(float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof word);
    return word;
}

#define TALLY_PARAMETER(before, after)                                                             \
    (read += word_of(before), written += word_of(after), mixed += words_mix_one(word_of(after)))
#define TALLY_SLOT(before, after) (slots_read += word_of(before), slots_written += word_of(after))

/* A weight and its slots, of which a rule looks at those that it has. */
struct element {
    float w, slots[OPTIMIZER_SLOTS_MAX];
};

typedef struct element optimizer_rule(const struct optimizer_step *step, float g, struct element e);

VECTORS_PART struct element rule_adadelta(const struct optimizer_step *step, float g,
                                          struct element e)
{
    const float square = step->beta2 * e.slots[0] + step->rest2 * (g * g);
    const float by = sqrtf(e.slots[1] + step->epsilon) / sqrtf(square + step->epsilon) * g;

    return (struct element){e.w - step->rate * by,
                            {square, step->beta2 * e.slots[1] + step->rest2 * (by * by)}};
}

VECTORS_PART struct element rule_rmsprop(const struct optimizer_step *step, float g,
                                         struct element e)
{
    const float square = step->beta2 * e.slots[0] + step->rest2 * (g * g);

    return (struct element){e.w - step->rate * g / (sqrtf(square) + step->epsilon), {square}};
}

VECTORS_PART struct element rule_rmsprop_momentum(const struct optimizer_step *step, float g,
                                                  struct element e)
{
    const float square = step->beta2 * e.slots[0] + step->rest2 * (g * g);
    const float speed = step->momentum * e.slots[1] + g / (sqrtf(square) + step->epsilon);

    return (struct element){e.w - step->rate * speed, {square, speed}};
}

/* The root of a variance; rounding can make it less than 0. */
VECTORS_PART float deviation_of(float square, float mean)
{
    const float variance = square - mean * mean;

    return sqrtf(variance > 0 ? variance : 0);
}

VECTORS_PART struct element rule_rmsprop_centered(const struct optimizer_step *step, float g,
                                                  struct element e)
{
    const float square = step->beta2 * e.slots[0] + step->rest2 * (g * g);
    const float mean = step->beta2 * e.slots[1] + step->rest2 * g;

    return (struct element){e.w - step->rate * g / (deviation_of(square, mean) + step->epsilon),
                            {square, mean}};
}

VECTORS_PART struct element rule_rmsprop_both(const struct optimizer_step *step, float g,
                                              struct element e)
{
    const float square = step->beta2 * e.slots[0] + step->rest2 * (g * g);
    const float mean = step->beta2 * e.slots[1] + step->rest2 * g;
    const float speed =
        step->momentum * e.slots[2] + g / (deviation_of(square, mean) + step->epsilon);

    return (struct element){e.w - step->rate * speed, {square, mean, speed}};
}

VECTORS_PART struct element rule_adamax(const struct optimizer_step *step, float g,
                                        struct element e)
{
    const float mean = step->beta1 * e.slots[0] + step->rest1 * g;
    const float faded = step->beta2 * e.slots[1], now = fabsf(g) + step->epsilon;
    const float most = faded > now ? faded : now;

    return (struct element){e.w - step->rate * mean / most, {mean, most}};
}

VECTORS_PART struct element rule_nadam(const struct optimizer_step *step, float g, struct element e)
{
    const float mean = step->beta1 * e.slots[0] + step->rest1 * g;
    const float square = step->beta2 * e.slots[1] + step->rest2 * (g * g);
    const float divisor = sqrtf(square) / step->correction + step->epsilon;

    return (struct element){e.w - (step->gradient_rate * g + step->rate * mean) / divisor,
                            {mean, square}};
}

VECTORS_PART struct element rule_amsgrad(const struct optimizer_step *step, float g,
                                         struct element e)
{
    const float mean = step->beta1 * e.slots[0] + step->rest1 * g;
    const float square = step->beta2 * e.slots[1] + step->rest2 * (g * g);
    const float most = square > e.slots[2] ? square : e.slots[2];
    const float divisor = sqrtf(most) / step->correction + step->epsilon;

    return (struct element){e.w - step->rate * mean / divisor, {mean, square, most}};
}

VECTORS_PART struct element rule_adamw(const struct optimizer_step *step, float g, struct element e)
{
    const float mean = step->beta1 * e.slots[0] + step->rest1 * g;
    const float square = step->beta2 * e.slots[1] + step->rest2 * (g * g);
    const float divisor = sqrtf(square) / step->correction + step->epsilon;

    return (struct element){(e.w - step->decay * e.w) - step->rate * mean / divisor,
                            {mean, square}};
}

/* From the sum of squares s and that of the gradients z. `root` is s^-power; `more` is how much
 * greater it became. */
VECTORS_PART struct element ftrl_of(const struct optimizer_step *step, float g, struct element e,
                                    float squares, float root, float more)
{
    const float z = e.slots[1] + (g - more / step->rate * e.w);
    const float beyond = fabsf(z) - step->ftrl_l1;
    const float size = beyond / (root / step->rate + 2 * step->ftrl_l2);
    /* NaN is not less than 0, and stays. */
    const float w = beyond <= 0 ? 0 : copysignf(size, -z);

    return (struct element){w, {squares, z}};
}

/* With the power -1/2: the difference of the roots without what they have in common. */
VECTORS_PART struct element rule_ftrl(const struct optimizer_step *step, float g, struct element e)
{
    const float squares = e.slots[0] + g * g, root = sqrtf(squares);
    const float both = root + sqrtf(e.slots[0]);

    return ftrl_of(step, g, e, squares, root, both > 0 ? g * g / both : 0);
}

VECTORS_PART double power_of_squares(const struct optimizer_step *step, double squares)
{
    if (step->power == 0)
        return 1;
    return squares > 0 ? exponential_double(step->power * logarithm_double(squares)) : 0;
}

/* With any other power: in double, since the powers cancel. */
VECTORS_PART struct element rule_ftrl_power(const struct optimizer_step *step, float g,
                                            struct element e)
{
    const float squares = e.slots[0] + g * g;
    const double before = power_of_squares(step, (double)e.slots[0]);
    const double after = power_of_squares(step, (double)squares);

    return ftrl_of(step, g, e, squares, (float)after, (float)(after - before));
}
