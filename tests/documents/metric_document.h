/*
 * metric_document.h - docs/metrics.md, printed from the table of metrics.
 */
#ifndef TESTS_DOCUMENTS_METRIC_DOCUMENT_H
#define TESTS_DOCUMENTS_METRIC_DOCUMENT_H

#include "base/text.h"

/* The whole of docs/metrics.md. */
void metrics_print_document(struct text *out);

#endif
