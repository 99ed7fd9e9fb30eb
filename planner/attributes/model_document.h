/*
 * model_document.h - docs/models.md, printed from the table of estimators.
 */
#ifndef PLANNER_ATTRIBUTES_MODEL_DOCUMENT_H
#define PLANNER_ATTRIBUTES_MODEL_DOCUMENT_H

#include "base/text.h"

/* The whole of docs/models.md. */
void models_print_document(struct text *out);

#endif
