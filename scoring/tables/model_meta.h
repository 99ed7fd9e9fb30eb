/*
 * model_meta.h - the meta row's JSON, shared by writer and reader of model tables.
 */
#pragma once

#include "base/json.h"
#include "scoring/tables/model_table.h"

enum status model_meta_write(const struct model *model, struct text *out, struct error *err);

/* Everything that the JSON says, checked. The content has its shapes and no arrays
 * yet, category inputs their word counts and no words. */
enum status model_meta_read(struct slice json, const struct kind *const *kinds, struct arena *arena,
                            struct model *model, struct error *err);

/* The result rows of TRAIN, an array of objects, become model->metrics_json, and trials of a search
 * model->trials_json. */
enum status model_keep_metrics(const cJSON *metrics, struct arena *arena, struct model *model,
                               struct error *err);
enum status model_keep_trials(const cJSON *trials, struct arena *arena, struct model *model,
                              struct error *err);

/* Bytes that arrays and vocabularies take in memory. */
uint64_t model_memory(const struct model *model);

/* How many rows the `weight` part has; 0 where the model is not linear or has
 * more than MODEL_WEIGHT_ROWS_MAX. */
uint64_t model_weight_rows(const struct model *model);
