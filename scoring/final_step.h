/*
 * final_step.h - what a classifier does with its outputs last: calibrate, and decide.
 *
 *     outputs --calibration--> probabilities --threshold--> class
 *
 * Both are learned when the model is finished, from rows that it has not learned from
 * (runtime/learn/final_fit.h), and belong to the model: whatever asks it for probabilities or a
 * class gets those of the final step (model.h). Logits, SHAP values and leaves are of before it.
 *
 * Calibration has a map of scores to probabilities: for two classes one, of class 1 and its logit;
 * for more one a class, of the class against the rest: its score is the logarithm of p / (1 - p),
 * and what the maps give is divided by its sum.
 *
 *     isotonic   points: a share of rows for each of ascending scores, which never falls. Between
 *                them lie straight lines, beyond them the shares of the ends
 *     sigmoid    1 / (1 + e^-(slope score + intercept)), Platt's
 *
 * The threshold is a probability of the positive class of two: from it up that class is predicted.
 * Without one the most probable class is, after calibration.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "params/terms.h"

#define THRESHOLD_RULE_BYTES_MAX 64
#define CALIBRATION_POINTS_MAX   65536 /* points of one map */

/* How a threshold is chosen, as train.threshold says it:
 *     f1                    the greatest F1
 *     recall >= 0.95        of those with such a recall the greatest precision
 *     precision >= 0.9      of those with such a precision the greatest recall
 *     cost, cost 1, 20      the least cost of mistakes: of rows that are wrongly predicted to be
 *                           positive, and of those that wrongly are not
 *     a number              the threshold itself */
enum threshold_rule {
    THRESHOLD_NUMBER,
    THRESHOLD_F1,
    THRESHOLD_RECALL,
    THRESHOLD_PRECISION,
    THRESHOLD_COST
};

struct threshold_choice {
    enum threshold_rule rule;
    double number; /* the threshold, or what recall or precision are at least */
    double false_positive, false_negative; /* costs */
};

#define THRESHOLD_COST_MAX 1e9

/* False: the text says none of these, or a number out of its range. */
bool threshold_choice_parse(struct slice text, struct threshold_choice *choice);

struct calibration_map {
    double slope, intercept;       /* sigmoid */
    uint32_t count;                /* isotonic: points, one at least */
    const double *scores, *shares; /* (count) */
};

/* Zeros: there is none. */
struct final_step {
    enum calibration calibration;
    const struct calibration_map *maps; /* (map_count) */
    uint32_t map_count;                 /* 0 without calibration */
    bool has_threshold;
    double threshold;
    struct slice rule; /* the threshold's, as the statement says it */
    uint64_t rows; /* rows that it was learned from; 0: the threshold is a number that was named */
};

static inline bool final_step_is_none(const struct final_step *final)
{
    return final->calibration == CALIBRATION_NONE && !final->has_threshold;
}

/* The probability that a map makes of a score. */
double calibration_probability(enum calibration calibration, const struct calibration_map *map,
                               double score);
/* Outputs of classes (count), one for each, become calibrated probabilities. */
void final_step_calibrate(const struct final_step *final, const float *outputs, uint32_t count,
                          double *probabilities);
/* The score of each class against the rest. */
#define CLASS_EXPONENT_MOST 200 /* e^-200 is 0 beside any other */
void final_step_scores(const float *outputs, uint32_t count, double *scores);

/* The object of a model's meta row. Reading checks it: CORRUPT for what no model of so many
 * classes has. */
void final_step_write(const struct final_step *final, cJSON *object);
enum status final_step_read(const cJSON *object, uint32_t classes, struct arena *arena,
                            struct final_step *final, struct error *err);
