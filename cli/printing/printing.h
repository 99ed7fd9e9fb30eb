/*
 * printing.h - objects of Kubernetes as one List, for kubectl.
 */
#pragma once

#include "base/json.h"

/* The List, and the array that takes its objects. */
cJSON *printing_begin(cJSON **items);
/* To standard output. Frees it in every case. */
enum status printing_end(cJSON *list, struct error *err);
