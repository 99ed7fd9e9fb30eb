/*
 * forecast_score.h - rows through a stored forecast: the series and the step of each, and what is
 * expected there.
 */
#pragma once

#include "scoring/kind.h"

/* Functions of struct kind (scoring/kind.h). */
uint32_t forecast_outputs(const struct model *model);
enum status forecast_scorer_open(const struct model *model, uint32_t rows_max, void **workspace,
                                 struct error *err);
bool forecast_has_number(void *workspace, const float *dense, const int32_t *ids);
enum status forecast_check_row(void *workspace, const float *dense, const int32_t *ids,
                               struct error *err);
void forecast_score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                    float *outputs);
bool forecast_check_value(const struct model *model, const float *dense, const int32_t *ids,
                          double value, double level, struct checked_value *checked);
