/*
 * forecast_show.h - what SHOW MODEL tells of a forecast, as struct kind asks for it.
 *
 *     series   950
 *     steps    28 of 1 day
 *     seasons  7 in 900 series, none in 50
 *     level    0.95
 */
#pragma once

#include "scoring/kind.h"

enum status forecast_show(const struct model *model, model_fact_sink *put, void *context,
                          struct error *err);
