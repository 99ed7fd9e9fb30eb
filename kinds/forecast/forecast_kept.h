/*
 * forecast_kept.h - what a model keeps so that TO TRAIN ... USING it moves its series on: of each
 * series the numbers of forecast/methods/kept.h, and how all of them are forecast.
 *
 *     numbers of a series   values at its fit, values now, and then the list that the fit wrote;
 *                           zeros behind it, and zeros alone where nothing is kept of the series
 *     values of a series    with forecast.keep_values so many last ones, as they were before gaps
 *                           were filled; NAN in gaps, and before the first one
 */
#pragma once

#include "base/json.h"
#include "kinds/forecast/forecast_model.h"

#define KEPT_PARTS 3 /* floats that the bits of a number are, whole numbers */

enum kept_place {
    KEPT_AT_FIT, /* values of the series, filled gaps among them, when it was fitted */
    KEPT_NOW,    /* values that the model was trained with */
    KEPT_LIST
};

void kept_to_parts(double number, float parts[KEPT_PARTS]);
double kept_of_parts(const float parts[KEPT_PARTS]);

/* Numbers of a series that are kept at most. */
uint32_t forecast_kept_most(const struct forecast_params *params, uint32_t regressors);

/* Functions of struct kind: do parameters depend on the attribute? And has the model any? */
bool forecast_is_of_shape(const struct attribute *attribute);
bool forecast_can_go_on(const void *outline);

/* The attributes of shape from one place to another. */
void forecast_copy_shape(const struct forecast_params *from, struct forecast_params *to);

/* In the model's meta row: only of one that keeps any. */
void forecast_write_kept(const struct forecast_model *forecast, cJSON *object);
enum status forecast_read_kept(const cJSON *object, struct forecast_model *forecast,
                               struct error *err);
/* Numbers of the digest; false: no more. */
bool forecast_kept_digest(const struct forecast_model *forecast, uint32_t i, uint64_t *number);
/* Are the stored parts such? */
bool forecast_kept_is_whole(const struct forecast_model *forecast);
