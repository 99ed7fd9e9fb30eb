/*
 * metric_document.h - docs/metrics.md, printed from the table of metrics.
 */
#pragma once

#include "base/text.h"

/* The whole of docs/metrics.md. */
void metrics_print_document(struct text *out);
