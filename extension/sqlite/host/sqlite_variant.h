/*
 * sqlite_variant.h - SQLite's SQL for models as tables (extension/sql/sql_host.h).
 *
 * The three tables beside the models lie in the schema of each, made with its first model:
 * totrain_models, totrain_versions and totrain_metrics. Their rows are stored by the model's id, so
 * that they follow it through renames. Rows of a model have the rowids 1, 2, ... in the order of
 * model_write: the meta row is found first, also where it was written last.
 */
#pragma once

#include "extension/sql/sql_host.h"

extern const struct sql_variant sqlite_variant;
