/*
 * network_kind.h - the kind "network": feed-forward networks, and linear models as those without
 * hidden layers.
 */
#pragma once

#include "scoring/kind.h"

extern const struct kind network_kind;

/* Functions of struct kind on a stored model, for kinds whose content is a struct network_model
 * (kinds/linear/linear_kind.h is another). */
void network_write_content(const struct model *model, cJSON *object);
enum status network_read_content(const cJSON *object, struct arena *arena, struct model *model,
                                 struct error *err);
bool network_array_of(const struct model *model, uint32_t i, struct model_array *array);
bool network_linear_of(const struct model *model, struct linear_weights *linear);
uint32_t network_outputs_of(const struct model *model);
