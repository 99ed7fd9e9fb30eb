/*
 * advice_document.h - docs/other-tools.md, printed from the tables of advice and of models by other
 * names.
 */
#ifndef TESTS_DOCUMENTS_ADVICE_DOCUMENT_H
#define TESTS_DOCUMENTS_ADVICE_DOCUMENT_H

#include "base/text.h"

/* The whole of docs/other-tools.md. */
void advice_print_document(struct text *out);

#endif
