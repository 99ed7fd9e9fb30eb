/*
 * cell_list_json.h - what lists of a column are, in stored models and orders of a job.
 *
 *     "list": {"form": "sparse", "size": 10, "delimiter": " ", "pair": ":"}
 *
 * A delimiter that there is none of is "".
 */
#pragma once

#include "base/json.h"
#include "inputs/cell_list.h"

/* Writes member "list" of the object. */
void cell_list_write(const struct cell_list *list, cJSON *object);
/* CORRUPT for what cannot be a list, or has another member. */
enum status cell_list_get(const cJSON *object, struct cell_list *list, struct error *err);
