/*
 * model_document.h - docs/models.md, printed from the table of estimators.
 */
#pragma once

#include "base/text.h"

/* The whole of docs/models.md. */
void models_print_document(struct text *out);
