/*
 * forecast_stored.h - a forecast as the rows of a model table have it: its meta, its arrays, and
 * what none may have.
 */
#pragma once

#include "scoring/kind.h"

/* Functions of struct kind (scoring/kind.h). */
void forecast_write_content(const struct model *model, cJSON *object);
enum status forecast_read_content(const cJSON *object, struct arena *arena, struct model *model,
                                  struct error *err);
bool forecast_number(const struct model *model, uint32_t i, uint64_t *number);
bool forecast_array(const struct model *model, uint32_t i, struct model_array *array);
enum status forecast_check(const struct model *model, struct error *err);
void forecast_params_of(const struct model *model, struct kind_params *params);
