/*
 * advice_document.h - docs/other-tools.md, printed from the tables of advice and of models by other
 * names.
 */
#pragma once

#include "base/text.h"

/* The whole of docs/other-tools.md. */
void advice_print_document(struct text *out);
