/*
 * metric_document.h - docs/metrics.md, printed from the table of metrics.
 */
#ifndef PLANNER_ATTRIBUTES_METRIC_DOCUMENT_H
#define PLANNER_ATTRIBUTES_METRIC_DOCUMENT_H

#include "base/text.h"

/* The whole of docs/metrics.md. */
void metrics_print_document(struct text *out);

#endif
