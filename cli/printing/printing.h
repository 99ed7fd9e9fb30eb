/*
 * printing.h - objects of Kubernetes as one List, for kubectl.
 */
#ifndef CLI_PRINTING_PRINTING_H
#define CLI_PRINTING_PRINTING_H

#include "base/json.h"

/* The List, and the array that takes its objects. */
cJSON *printing_begin(cJSON **items);
/* To standard output. Frees it in every case. */
enum status printing_end(cJSON *list, struct error *err);

#endif
