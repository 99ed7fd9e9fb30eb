/*
 * trees_store.h - boosted trees as a stored model: what struct kind asks for (scoring/kind.h).
 *
 * The meta row's object has link, trees, nodes and sets: the name of the link, and how many of each
 * the arrays have. What an array may hold, trees_model.h says.
 */
#pragma once

#include "scoring/kind.h"

#define TREES_ARRAYS 4 /* arrays that trees_array lists */

struct trees_model;

void trees_write(const struct model *model, cJSON *object);
enum status trees_read(const cJSON *object, struct arena *arena, struct model *model,
                       struct error *err);
/* trees, nodes and sets alone, for another kind whose models have trees. CORRUPT also for inputs
 * that no tree takes. */
void trees_write_counts(const struct trees_model *trees, cJSON *object);
enum status trees_read_counts(const cJSON *object, const struct model *model,
                              struct trees_model *trees, struct error *err);
bool trees_number(const struct model *model, uint32_t i, uint64_t *number);
bool trees_array(const struct model *model, uint32_t i, struct model_array *array);
/* Every number that scoring takes for a place: trees cover the nodes one after the other, each node
 * but a root is the child of one before it, columns and sets are there. */
enum status trees_check(const struct model *model, struct error *err);
void trees_params_of(const struct model *model, struct kind_params *params);
