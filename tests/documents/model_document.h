/*
 * model_document.h - docs/models.md, printed from the table of estimators.
 */
#ifndef TESTS_DOCUMENTS_MODEL_DOCUMENT_H
#define TESTS_DOCUMENTS_MODEL_DOCUMENT_H

#include "base/text.h"

/* The whole of docs/models.md. */
void models_print_document(struct text *out);

#endif
